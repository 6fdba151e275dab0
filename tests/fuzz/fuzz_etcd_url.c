/* SPDX-License-Identifier: MIT */
/* Goal of this test: the URL of an etcd names hosts that can be asked, and none of them is shown with a password. */
#include <string.h>

#include "fuzz.h"
#include "registers/etcd/etcd_url.h"

static void check(const void *parsed, const char *text)
{
    const struct fz_etcd_url *url = parsed;
    char shown[FZ_ETCD_SHOWN_SIZE];

    REQUIRE(url->common.host_count >= 1 && url->common.host_count <= 9 && url->common.name[0] != '\0');
    REQUIRE(url->common.access.timeout_ms >= 10 && url->common.access.timeout_ms <= 60000);
    REQUIRE((url->cert[0] == '\0') == (url->key[0] == '\0'));
    for (size_t i = 0; i < url->common.host_count; i++) {
        REQUIRE(url->common.hosts[i].name[0] != '\0' && url->common.hosts[i].port != 0);
        fz_etcd_url_show(url, i, shown);
        fuzz_require_secret_kept(text, shown);
    }
}

static frazil_err parse(const char *text, void *url, frazil_error *reterr)
{
    return fz_etcd_url_parse(text, url, reterr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct fuzz_url_parser parser = {sizeof(struct fz_etcd_url), parse, check};

    fuzz_url(&parser, data, size);
    return 0;
}
