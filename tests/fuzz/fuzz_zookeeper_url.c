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

    REQUIRE(url->common.host_count >= 1 && url->common.host_count <= FZ_URL_HOSTS_MAX && url->common.name[0] != '\0');
    REQUIRE(url->common.access.timeout_ms >= 10 && url->common.access.timeout_ms <= 60000);
    REQUIRE((url->common.access.user[0] == '\0') == (url->common.access.password[0] == '\0'));
    REQUIRE(len >= 2 && url->path[0] == '/' && url->path[len - 1] != '/');
    for (size_t i = 0; i < url->common.host_count; i++)
        REQUIRE(url->common.hosts[i].name[0] != '\0' && url->common.hosts[i].port != 0);
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
