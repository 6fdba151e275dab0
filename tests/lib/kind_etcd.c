/* SPDX-License-Identifier: MIT */
#include <stddef.h> /* an empty unit would be none */

#ifdef FRAZIL_HAVE_ETCD
#include <stdio.h>

#include "lib/asserts.h"
#include "lib/etcd_server.h"
#include "lib/register_kinds.h"

static struct server server;

static bool start(void)
{
    if (!etcd_server_installed())
        return false;
    etcd_server_start(&server, NULL);
    return true;
}

static void stop(void)
{
    server_stop(&server);
}

static void url(uint16_t port, const char *name, unsigned timeout_ms, char *buf, size_t size)
{
    snprintf(buf, size, "etcd://127.0.0.1:%u/%s?timeout=%ums", (unsigned)(port == 0 ? server.port : port), name,
             timeout_ms);
}

static void restart(void)
{
    etcd_server_restart(&server, NULL);
}

/* The whole cluster: its revisions begin again. */
static void wipe(void)
{
    server_wipe(&server);
    restart();
}

static void damage(void)
{
    etcd_server_must(&server, "put frazil/lease/orders/0 foreign");
}

static void intrude(void)
{
    etcd_server_must(&server, "put frazil/lease/orders/worker x");
}

const struct register_kind kind_etcd = {.name = "etcd",
                                        .start = start,
                                        .stop = stop,
                                        .coordinator = frazil_coordinator_etcd,
                                        .url = url,
                                        .client = "libcurl ",
                                        .finds = true,
                                        .damage = damage,
                                        .intrude = intrude,
                                        .wipe = wipe,
                                        .server = &server,
                                        .kill = server_kill,
                                        .restart = restart};
#endif
