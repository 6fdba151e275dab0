/* SPDX-License-Identifier: MIT */
/* Goal of this test: the URL of a PostgreSQL names a table that SQL cannot mistake, and is shown without its password.
 */
#include <string.h>

#include "coordinators/postgresql/postgresql_url.h"
#include "fuzz.h"

/* A name in double quotes, and perhaps another one behind a dot, with nothing in them that ends them. */
static void check_table(const char *table)
{
    for (unsigned names = 0; names < 2 && *table != '\0'; names++) {
        if (names == 1)
            REQUIRE(*table++ == '.');
        REQUIRE(*table++ == '"');
        size_t len = strcspn(table, "\"\\");
        REQUIRE(len >= 1 && len < FZ_POSTGRESQL_NAME_SIZE && table[len] == '"');
        table += len + 1;
    }
    REQUIRE(*table == '\0');
}

static void check(const void *parsed, const char *text)
{
    const struct fz_postgresql_url *url = parsed;
    char shown[FZ_POSTGRESQL_SHOWN_SIZE];

    REQUIRE(url->database[0] != '\0');
    check_table(url->table);
    fz_postgresql_url_show(url, shown);
    fuzz_require_secret_kept(text, shown);
}

FUZZ_URL(fz_postgresql_url_kind, check)
