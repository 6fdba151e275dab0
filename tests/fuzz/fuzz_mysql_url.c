/* SPDX-License-Identifier: MIT */
/* Goal of this test: the URL of a MySQL names a table that SQL cannot mistake, and is shown without its password. */
#include <string.h>

#include "fuzz.h"
#include "registers/mysql/mysql_url.h"

static void check(const void *parsed, const char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    const struct fz_mysql_url *url = parsed;
    char shown[FZ_MYSQL_SHOWN_SIZE];
    size_t len = strlen(url->table);

    REQUIRE(url->common.host_count >= 1 && url->common.host_count <= FZ_URL_HOSTS_MAX && url->common.name[0] != '\0');
    REQUIRE(url->common.access.timeout_ms >= 10 && url->common.access.timeout_ms <= 60000 && url->database[0] != '\0');
    REQUIRE(len >= 1 && len < FZ_MYSQL_NAME_SIZE && strspn(url->table, letters) == len);
    REQUIRE(url->common.is_path ? url->common.hosts[0].name[0] == '/' : url->common.hosts[0].port != 0);
    fz_mysql_url_show(url, shown);
    fuzz_require_secret_kept(text, shown);
}

static frazil_err parse(const char *text, void *url, frazil_error *reterr)
{
    return fz_mysql_url_parse(text, url, reterr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct fuzz_url_parser parser = {sizeof(struct fz_mysql_url), parse, check};

    fuzz_url(&parser, data, size);
    return 0;
}
