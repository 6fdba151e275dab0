/* SPDX-License-Identifier: MIT */
#include <stddef.h> /* an empty unit would be none */

#ifdef FRAZIL_HAVE_ZOOKEEPER
#include <stdio.h>

#include "coordinators/zookeeper/zookeeper_connection.h"
#include "lib/register_kinds.h"
#include "lib/zookeeper_server.h"

/* One for the whole program, as a Java takes its time to start; each test has a folder of its own. */
static struct server server;
static unsigned lives;

static void restart(void)
{
    zookeeper_server_restart(&server, NULL);
}

static bool start(void)
{
    if (!zookeeper_server_installed())
        return false;
    lives++;
    if (server.folder[0] == '\0')
        zookeeper_server_start(&server, NULL);
    else if (server.pid == 0)
        restart();
    return true;
}

/* It ends with the program. */
static void stop(void)
{
}

static void url(uint16_t port, const char *name, unsigned timeout_ms, char *buf, size_t size)
{
    snprintf(buf, size, "zookeeper://127.0.0.1:%u/%s?timeout=%ums&path=/frazil/life-%u",
             (unsigned)(port == 0 ? server.port : port), name, timeout_ms, lives);
}

static void wipe(void)
{
    server_wipe(&server);
    restart();
}

/* A node of this name, of another client's. */
static void put(const char *name)
{
    char path[64];

    snprintf(path, sizeof path, "/frazil/life-%u/orders/%s", lives, name);
    zookeeper_server_put(&server, path, "foreign", &ZOO_OPEN_ACL_UNSAFE);
}

static void damage(void)
{
    put("0");
}

static void intrude(void)
{
    put("worker");
}

const struct register_kind kind_zookeeper = {.name = "zookeeper",
                                             .start = start,
                                             .stop = stop,
                                             .coordinator = frazil_coordinator_zookeeper,
                                             .url = url,
                                             .client = "zookeeper client ",
                                             .finds = true,
                                             .damage = damage,
                                             .intrude = intrude,
                                             .wipe = wipe,
                                             .server = &server,
                                             .kill = server_kill,
                                             .restart = restart};
#endif
