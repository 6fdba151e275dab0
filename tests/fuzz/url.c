/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

void fuzz_require_hosts(const struct fz_url *url)
{
    for (size_t i = 0; i < url->host_count; i++) {
        const struct fz_url_host *host = &url->hosts[i];
        REQUIRE(url->is_path ? host->name[0] == '/' : host->name[0] != '\0' && host->port != 0);
    }
}

/* All URLs have these. */
static void require_url(const struct fz_url *url, size_t hosts_max)
{
    REQUIRE(url->host_count >= 1 && url->host_count <= hosts_max && url->name[0] != '\0');
    REQUIRE(url->access.timeout_ms >= 10 && url->access.timeout_ms <= 60000);
}

void fuzz_url(const struct fz_url_kind *kind, fuzz_url_check *check, const uint8_t *data, size_t size)
{
    char *text = fuzz_string(data, size);
    void *url = malloc(kind->size);
    frazil_error why;

    REQUIRE(url != NULL);
    fuzz_fill(url, kind->size);
    if (strstr(text, "password_file") == NULL) { /* which names any file of this machine */
        frazil_err err = fz_url_parse(kind, text, url, &why);
        if (err == FRAZIL_OK) {
            require_url(url, kind->hosts_max);
            check(url, text);
        } else {
            fuzz_require_error(err, &why);
            fuzz_require_secret_kept(text, why.message);
            REQUIRE(err == FRAZIL_ESPEC);
            for (size_t i = 0; i < kind->size; i++)
                REQUIRE(((const unsigned char *)url)[i] == 0);
        }
    }
    free(url);
    free(text);
}
