/* SPDX-License-Identifier: MIT */
#include <stddef.h> /* an empty unit would be none */

#ifdef FRAZIL_HAVE_REDIS
#include <stdio.h>

#include "lib/asserts.h"
#include "lib/redis_rig.h"
#include "lib/register_kinds.h"

/* One that keeps what it has acknowledged over `kill -9`. */
static const char *const durable[] = {"--appendonly", "yes", "--appendfsync", "always", "--save", "", NULL};

static struct server server;

static bool start(void)
{
    if (!redis_server_installed())
        return false;
    redis_server_start(&server, durable);
    return true;
}

static void stop(void)
{
    server_stop(&server);
}

static void url(uint16_t port, const char *name, unsigned timeout_ms, char *buf, size_t size)
{
    snprintf(buf, size, "redis://127.0.0.1:%u/%s?timeout=%ums", (unsigned)(port == 0 ? server.port : port), name,
             timeout_ms);
}

static void wipe(void)
{
    assert_string_equal(redis_server_ask(&server, "FLUSHALL"), "OK");
}

static void raise_version(uint64_t version)
{
    char command[96];

    snprintf(command, sizeof command, "HSET frazil:lease:orders 0 '%llu raised'", (unsigned long long)version);
    assert_string_equal(redis_server_ask(&server, command), "0"); /* no new field */
}

static void restart(void)
{
    redis_server_restart(&server, durable);
}

static void damage(void)
{
    assert_string_equal(redis_server_ask(&server, "HSET frazil:lease:orders 0 foreign"), "1");
}

static void intrude(void)
{
    assert_string_equal(redis_server_ask(&server, "HSET frazil:lease:orders worker x"), "1");
}

const struct register_kind kind_redis = {.name = "redis",
                                         .start = start,
                                         .stop = stop,
                                         .coordinator = frazil_coordinator_redis,
                                         .url = url,
                                         .client = "hiredis ",
                                         .damage = damage,
                                         .intrude = intrude,
                                         .wipe = wipe,
                                         .raise = raise_version,
                                         .server = &server,
                                         .kill = server_kill,
                                         .restart = restart};
#endif
