/* SPDX-License-Identifier: MIT */
#include <stddef.h> /* an empty unit would be none */

#ifdef FRAZIL_HAVE_POSTGRESQL
#include "lib/postgresql_rig.h"

#include <stdio.h>
#include <string.h>

#include "lib/asserts.h"

static frazil_error last;

struct fz_register postgresql_open_url(const char *format, ...)
{
    struct fz_register reg;
    char name[FZ_LEASE_NAME_SIZE];
    frazil_error err;
    char url[512];
    va_list args;

    va_start(args, format);
    vsnprintf(url, sizeof url, format, args);
    va_end(args);
    if (fz_postgresql_register_open(url, &reg, name, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    return reg;
}

void postgresql_close(struct fz_register *reg)
{
    reg->close(reg->ctx);
}

void postgresql_prepare_table(const struct fz_register *reg)
{
    frazil_error err = {.message = ""};

    if (reg->prepare(reg->ctx, &err) != FZ_REGISTER_OK)
        fail_msg("%s", err.message);
}

enum fz_register_result postgresql_swap(const struct fz_register *reg, uint64_t expected, const char *text,
                                        uint64_t *ret_version)
{
    memset(&last, 0, sizeof last);
    return reg->swap(reg->ctx, &(struct fz_swap){0, expected, text, strlen(text)}, ret_version, NULL, &last);
}

enum fz_register_result postgresql_read_first(const struct fz_register *reg, struct fz_record *ret)
{
    memset(&last, 0, sizeof last);
    return reg->read(reg->ctx, 0, ret, NULL, &last);
}

uint64_t postgresql_must_swap(const struct fz_register *reg, uint64_t expected, const char *text)
{
    uint64_t version = 0;

    if (postgresql_swap(reg, expected, text, &version) != FZ_REGISTER_OK)
        fail_msg("%s", last.message);
    return version;
}

const char *postgresql_said(void)
{
    return last.message;
}

void postgresql_assert_said(const char *words)
{
    if (strstr(last.message, words) == NULL)
        fail_msg("%s; wanted: %s", last.message, words);
}

struct fz_register_status postgresql_status_of(const struct fz_register *reg)
{
    struct fz_register_status status;
    struct fz_record record;

    if (reg->read(reg->ctx, 0, &record, &status, &last) != FZ_REGISTER_OK)
        fail_msg("%s", last.message);
    return status;
}

#endif
