/* SPDX-License-Identifier: MIT */
#include <stddef.h> /* an empty unit would be none */

#ifdef FRAZIL_HAVE_REDIS
#include "lib/redis_rig.h"

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

#endif
