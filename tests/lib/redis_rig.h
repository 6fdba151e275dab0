/* SPDX-License-Identifier: MIT */
/*
 * What the tests over a real Redis share: a server, a register straight to it, and
 * one through a faulty proxy.  There only where hiredis is.
 */
#ifndef TESTS_LIB_REDIS_RIG_H
#define TESTS_LIB_REDIS_RIG_H

#include "lib/proxy.h"
#include "lib/redis_server.h"
#include "registers/redis/redis_register.h"

struct redis_rig {
    struct server server;
    struct proxy *proxy;
    struct fz_register through; /* the proxy, with a short timeout */
    struct fz_register direct;
    frazil_error err; /* of the last operation */
};

/* A register of the URL that printf would write. */
struct fz_register redis_open_url(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Closes it. */
void redis_close(struct fz_register *reg);

/* Starts all; arguments as for redis_server_start. */
void redis_rig_start(struct redis_rig *rig, const char *const *arguments);

/* Stops all. */
void redis_rig_stop(struct redis_rig *rig);

/* Swaps record 0 to a text, and reads it. */
enum fz_register_result redis_swap(struct redis_rig *rig, const struct fz_register *reg, uint64_t expected,
                                   const char *text, uint64_t *ret_version);
enum fz_register_result redis_read_first(struct redis_rig *rig, const struct fz_register *reg, struct fz_record *ret);

/* Fails the test unless the last error's sentence holds these words. */
void redis_assert_said(const struct redis_rig *rig, const char *words);

/* What the coordinator tells about itself. */
struct fz_register_status redis_status_of(struct redis_rig *rig, const struct fz_register *reg);

#endif
