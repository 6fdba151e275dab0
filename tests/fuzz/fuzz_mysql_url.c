/* SPDX-License-Identifier: MIT */
/* Goal of this test: the URL of a MySQL names a table that SQL cannot mistake, and is shown without its password. */
#include <string.h>

#include "coordinators/mysql/mysql_url.h"
#include "fuzz.h"

static void check(const void *parsed, const char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    const struct fz_mysql_url *url = parsed;
    char shown[FZ_MYSQL_SHOWN_SIZE];
    size_t len = strlen(url->table);

    REQUIRE(url->database[0] != '\0');
    REQUIRE(len >= 1 && len < FZ_MYSQL_NAME_SIZE && strspn(url->table, letters) == len);
    REQUIRE((url->ca[0] == '\0' && url->cert[0] == '\0') ||
            (!url->common.is_path && url->tls != FZ_MYSQL_TLS_DISABLED));
    fuzz_require_hosts(&url->common);
    fz_mysql_url_show(url, shown);
    fuzz_require_secret_kept(text, shown);
}

FUZZ_URL(fz_mysql_url_kind, check)
