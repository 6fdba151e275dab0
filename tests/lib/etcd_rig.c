/* SPDX-License-Identifier: MIT */
#include <stddef.h> /* an empty unit would be none */

#ifdef FRAZIL_HAVE_ETCD
#include "lib/etcd_rig.h"

#include <stdio.h>
#include <string.h>

#include "lib/asserts.h"

struct fz_register etcd_open_url(const char *format, ...)
{
    struct fz_register reg;
    char name[FZ_LEASE_NAME_SIZE];
    frazil_error err;
    char url[512];
    va_list args;

    va_start(args, format);
    vsnprintf(url, sizeof url, format, args);
    va_end(args);
    if (fz_etcd_register_open(url, &reg, name, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    return reg;
}

void etcd_close(const struct fz_register *reg)
{
    reg->close(reg->ctx);
}

frazil_error etcd_said;

enum fz_register_result etcd_swap(const struct fz_register *reg, uint32_t number, uint64_t expected, const char *text,
                                  uint64_t *ret_version)
{
    memset(&etcd_said, 0, sizeof etcd_said);
    return reg->swap(reg->ctx, &(struct fz_swap){number, expected, text, strlen(text)}, ret_version, NULL, &etcd_said);
}

uint64_t etcd_must_swap(const struct fz_register *reg, uint32_t number, uint64_t expected, const char *text)
{
    uint64_t version = 0;

    if (etcd_swap(reg, number, expected, text, &version) != FZ_REGISTER_OK)
        fail_msg("%s", etcd_said.message);
    return version;
}

enum fz_register_result etcd_read(const struct fz_register *reg, uint32_t number, struct fz_record *ret)
{
    memset(&etcd_said, 0, sizeof etcd_said);
    return reg->read(reg->ctx, number, ret, NULL, &etcd_said);
}

struct fz_record etcd_must_read(const struct fz_register *reg, uint32_t number)
{
    struct fz_record record = {.version = 0};

    if (etcd_read(reg, number, &record) != FZ_REGISTER_OK)
        fail_msg("%s", etcd_said.message);
    return record;
}

void etcd_assert_said(const char *words)
{
    if (strstr(etcd_said.message, words) == NULL)
        fail_msg("%s; wanted: %s", etcd_said.message, words);
}

#endif
