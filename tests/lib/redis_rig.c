/* SPDX-License-Identifier: MIT */
#include <stddef.h> /* an empty unit would be none */

#ifdef FRAZIL_HAVE_REDIS
#include "lib/redis_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/asserts.h"

struct fz_register redis_open_url(const char *format, ...)
{
    struct fz_register reg;
    char name[FZ_LEASE_NAME_SIZE];
    frazil_error err;
    char url[256];
    va_list args;

    va_start(args, format);
    vsnprintf(url, sizeof url, format, args);
    va_end(args);
    if (fz_redis_register_open(url, &reg, name, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    return reg;
}

void redis_close(struct fz_register *reg)
{
    reg->close(reg->ctx);
}

void redis_rig_start(struct redis_rig *rig, const char *const *arguments)
{
    redis_server_start(&rig->server, arguments);
    rig->proxy = proxy_start(rig->server.port);
    rig->through = redis_open_url("redis://127.0.0.1:%u/orders?timeout=200ms", (unsigned)rig->proxy->port);
    rig->direct = redis_open_url("redis://127.0.0.1:%u/orders?timeout=10s", (unsigned)rig->server.port);
}

void redis_rig_stop(struct redis_rig *rig)
{
    redis_close(&rig->through);
    redis_close(&rig->direct);
    proxy_stop(rig->proxy);
    server_stop(&rig->server);
}

enum fz_register_result redis_swap(struct redis_rig *rig, const struct fz_register *reg, uint64_t expected,
                                   const char *text, uint64_t *ret_version)
{
    memset(&rig->err, 0, sizeof rig->err);
    return reg->swap(reg->ctx, &(struct fz_swap){0, expected, text, strlen(text)}, ret_version, NULL, &rig->err);
}

enum fz_register_result redis_read_first(struct redis_rig *rig, const struct fz_register *reg, struct fz_record *ret)
{
    memset(&rig->err, 0, sizeof rig->err);
    return reg->read(reg->ctx, 0, ret, NULL, &rig->err);
}

void redis_assert_said(const struct redis_rig *rig, const char *words)
{
    if (strstr(rig->err.message, words) == NULL)
        fail_msg("%s; wanted: %s", rig->err.message, words);
}

struct fz_register_status redis_status_of(struct redis_rig *rig, const struct fz_register *reg)
{
    struct fz_register_status status;
    struct fz_record record;

    if (reg->read(reg->ctx, 0, &record, &status, &rig->err) != FZ_REGISTER_OK)
        fail_msg("%s", rig->err.message);
    return status;
}

#endif
