/* SPDX-License-Identifier: MIT */
/* Goal of this test: the URL of a ZooKeeper names servers and a path, and is shown without its password. */
#include <string.h>

#include "coordinators/zookeeper/zookeeper_url.h"
#include "fuzz.h"

static void check(const void *parsed, const char *text)
{
    const struct fz_zookeeper_url *url = parsed;
    char shown[FZ_ZOOKEEPER_SHOWN_SIZE];
    size_t len = strlen(url->path);

    REQUIRE((url->common.access.user[0] == '\0') == (url->common.access.password[0] == '\0'));
    REQUIRE(len >= 2 && url->path[0] == '/' && url->path[len - 1] != '/');
    fuzz_require_hosts(&url->common);
    fz_zookeeper_url_show(url, shown);
    fuzz_require_secret_kept(text, shown);
}

FUZZ_URL(fz_zookeeper_url_kind, check)
