/* SPDX-License-Identifier: MIT */
/* Goal of this test: the URL of an etcd names hosts that can be asked, and none of them is shown with a password. */
#include "coordinators/etcd/etcd_url.h"
#include "fuzz.h"

static void check(const void *parsed, const char *text)
{
    const struct fz_etcd_url *url = parsed;
    char shown[FZ_ETCD_SHOWN_SIZE];

    REQUIRE((url->cert[0] == '\0') == (url->key[0] == '\0'));
    fuzz_require_hosts(&url->common);
    for (size_t i = 0; i < url->common.host_count; i++) {
        fz_etcd_url_show(url, i, shown);
        fuzz_require_secret_kept(text, shown);
    }
}

FUZZ_URL(fz_etcd_url_kind, check)
