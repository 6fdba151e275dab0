/* SPDX-License-Identifier: MIT */
/* Goal of this test: the URL of a Redis is shown without its password, as one that names the same place. */
#include <string.h>

#include "coordinators/redis/redis_url.h"
#include "fuzz.h"

/* The URL that is shown leads to the same place. */
static void check(const void *parsed, const char *text)
{
    const struct fz_redis_url *url = parsed;
    char shown[FZ_REDIS_SHOWN_SIZE];
    struct fz_redis_url again;

    fz_redis_url_show(url, shown);
    fuzz_require_secret_kept(text, shown);
    REQUIRE(url->wait_replicas <= 16);
    fuzz_require_hosts(&url->common);
    REQUIRE(fz_url_parse(fz_redis_url_kind, shown, &again.common, NULL) == FRAZIL_OK);
    REQUIRE(again.common.tls == url->common.tls && again.common.is_path == url->common.is_path && again.db == url->db);
    REQUIRE(strcmp(again.common.hosts[0].name, url->common.hosts[0].name) == 0 &&
            again.common.hosts[0].port == url->common.hosts[0].port);
    REQUIRE(strcmp(again.common.name, url->common.name) == 0 && again.common.access.password[0] == '\0');
}

FUZZ_URL(fz_redis_url_kind, check)
