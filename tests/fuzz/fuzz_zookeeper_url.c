/* SPDX-License-Identifier: MIT */
/* Goal of this test: the URL of a ZooKeeper names servers and a path, and is shown without its password. */
#include <string.h>

#include "fuzz.h"
#include "registers/zookeeper/zookeeper_url.h"

static void check(const void *parsed, const char *text)
{
    const struct fz_zookeeper_url *url = parsed;
    char shown[FZ_ZOOKEEPER_SHOWN_SIZE];
    size_t len = strlen(url->path);

    REQUIRE(url->server_count >= 1 && url->server_count <= FZ_ZOOKEEPER_SERVERS_MAX && url->name[0] != '\0');
    REQUIRE(url->access.timeout_ms >= 10 && url->access.timeout_ms <= 60000);
    REQUIRE((url->access.user[0] == '\0') == (url->access.password[0] == '\0'));
    REQUIRE(len >= 2 && url->path[0] == '/' && url->path[len - 1] != '/');
    for (size_t i = 0; i < url->server_count; i++)
        REQUIRE(url->servers[i].name[0] != '\0' && url->servers[i].port != 0);
    fz_zookeeper_url_show(url, shown);
    fuzz_require_secret_kept(text, shown);
}

static frazil_err parse(const char *text, void *url, frazil_error *reterr)
{
    return fz_zookeeper_url_parse(text, url, reterr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct fuzz_url_parser parser = {sizeof(struct fz_zookeeper_url), parse, check};

    fuzz_url(&parser, data, size);
    return 0;
}
