/* SPDX-License-Identifier: MIT */
/* Goal of this test: the URL of a Redis is shown without its password, as one that names the same place. */
#include <string.h>

#include "fuzz.h"
#include "registers/redis/redis_url.h"

/* What is shown leads to the same place. */
static void check(const void *parsed, const char *text)
{
    const struct fz_redis_url *url = parsed;
    char shown[FZ_REDIS_SHOWN_SIZE];
    struct fz_redis_url again;

    fz_redis_url_show(url, shown);
    fuzz_require_secret_kept(text, shown);
    REQUIRE(url->access.timeout_ms >= 10 && url->access.timeout_ms <= 60000 && url->wait_replicas <= 16);
    REQUIRE(url->is_unix || url->host.port != 0);
    REQUIRE(fz_redis_url_parse(shown, &again, NULL) == FRAZIL_OK);
    REQUIRE(again.tls == url->tls && again.is_unix == url->is_unix && again.db == url->db);
    REQUIRE(strcmp(again.host.name, url->host.name) == 0 && again.host.port == url->host.port);
    REQUIRE(strcmp(again.name, url->name) == 0 && again.access.password[0] == '\0');
}

static frazil_err parse(const char *text, void *url, frazil_error *reterr)
{
    return fz_redis_url_parse(text, url, reterr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct fuzz_url_parser parser = {sizeof(struct fz_redis_url), parse, check};

    fuzz_url(&parser, data, size);
    return 0;
}
