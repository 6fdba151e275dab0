/* SPDX-License-Identifier: MIT */
/* Goal of this test: the URL of an etcd names hosts that can be asked, and none of them is shown with a password. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "registers/etcd/etcd_url.h"

static void check(const struct fz_etcd_url *url, const char *text)
{
    char shown[FZ_ETCD_SHOWN_SIZE];

    REQUIRE(url->n_hosts >= 1 && url->n_hosts <= FZ_ETCD_HOSTS_MAX && url->name[0] != '\0');
    REQUIRE(url->access.timeout_ms >= 10 && url->access.timeout_ms <= 60000);
    REQUIRE((url->cert[0] == '\0') == (url->key[0] == '\0'));
    for (size_t i = 0; i < url->n_hosts; i++) {
        REQUIRE(url->hosts[i].name[0] != '\0' && url->hosts[i].port != 0);
        fz_etcd_url_show(url, i, shown);
        fuzz_require_secret_kept(text, shown);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_string(data, size);
    struct fz_etcd_url url;
    frazil_error why;

    fuzz_fill(&url, sizeof url);
    if (strstr(text, "password_file") == NULL) { /* which names any file of this machine */
        frazil_err err = fz_etcd_url_parse(text, &url, &why);
        if (err == FRAZIL_OK) {
            check(&url, text);
        } else {
            fuzz_require_error(err, &why);
            fuzz_require_secret_kept(text, why.message);
            REQUIRE(err == FRAZIL_ESPEC && fuzz_is_untouched(&url, sizeof url));
        }
    }
    free(text);
    return 0;
}
