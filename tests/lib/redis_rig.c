/* SPDX-License-Identifier: MIT */
#include <stddef.h> /* an empty unit would be none */

#ifdef FRAZIL_HAVE_REDIS
#include "lib/redis_rig.h"

#include <stdarg.h>
#include <stdio.h>

#include "lib/asserts.h"

void redis_rig_start(struct redis_rig *rig, const char *const *arguments)
{
    redis_server_start(&rig->server, arguments);
    rig->proxy = proxy_start(rig->server.port);
    rig->through = redis_open_url("redis://127.0.0.1:%u/orders?timeout=200ms", (unsigned)rig->proxy->port);
    rig->direct = redis_open_url("redis://127.0.0.1:%u/orders?timeout=60s", (unsigned)rig->server.port);
}

void redis_rig_stop(struct redis_rig *rig)
{
    if (rig->proxy == NULL)
        return;
    register_close(&rig->through);
    register_close(&rig->direct);
    proxy_stop(rig->proxy);
    server_stop(&rig->server);
    rig->proxy = NULL;
}

void redis_rig_begin_test(const struct redis_rig *rig)
{
    proxy_set(rig->proxy, PROXY_PASS);
    assert_string_equal(redis_rig_ask(rig, "FLUSHALL"), "OK");
}

const char *redis_rig_ask(const struct redis_rig *rig, const char *format, ...)
{
    char command[256];
    va_list args;

    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    return redis_server_ask(&rig->server, command);
}

#endif
