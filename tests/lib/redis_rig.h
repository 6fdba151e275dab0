/* SPDX-License-Identifier: MIT */
/*
 * Shared by the tests over a real Redis: a server, a register straight to it, and
 * one through a faulty proxy.  There only where hiredis is.
 */
#ifndef TESTS_LIB_REDIS_RIG_H
#define TESTS_LIB_REDIS_RIG_H

#include "coordinators/redis/redis_register.h"
#include "lib/proxy.h"
#include "lib/redis_server.h"
#include "lib/register_rig.h"

struct redis_rig {
    struct server server;
    struct proxy *proxy;
    struct fz_register through; /* the proxy, with a short timeout */
    struct fz_register direct;
};

/* A register of the URL that printf would write. */
#define redis_open_url(...) register_open(fz_redis_register_open, __VA_ARGS__)

/* Starts all; arguments as for redis_server_start. */
void redis_rig_start(struct redis_rig *rig, const char *const *arguments);

/* Stops all, once. */
void redis_rig_stop(struct redis_rig *rig);

/* Empties the server, to which the proxy lets everything pass. */
void redis_rig_begin_test(const struct redis_rig *rig);

/* A command, as printf would write it; see redis_server_ask. */
const char *redis_rig_ask(const struct redis_rig *rig, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The hooks of a file whose tests share NAME_rig. */
#define HOOKS_OF(name)                                                                                                 \
    BEFORE_ALL                                                                                                         \
    {                                                                                                                  \
        test_need(redis_server_installed());                                                                           \
        redis_rig_start(&name##_rig, NULL);                                                                            \
    }                                                                                                                  \
    AFTER_ALL                                                                                                          \
    {                                                                                                                  \
        redis_rig_stop(&name##_rig);                                                                                   \
    }                                                                                                                  \
    BEFORE_EACH                                                                                                        \
    {                                                                                                                  \
        redis_rig_begin_test(&name##_rig);                                                                             \
    }

#endif
