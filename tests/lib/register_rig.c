/* SPDX-License-Identifier: MIT */
#include "lib/register_rig.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/layout_internal.h"
#include "lease/lease.h"
#include "lib/asserts.h"
#include "os/clock.h"

frazil_error register_said;

void register_url(char ret[REGISTER_URL_SIZE], const char *format, va_list args)
{
    assert_in_range(vsnprintf(ret, REGISTER_URL_SIZE, format, args), 1, REGISTER_URL_SIZE - 1);
}

struct fz_register register_open(register_opener opener, const char *format, ...)
{
    struct fz_register reg;
    char name[FZ_LEASE_NAME_SIZE];
    frazil_error err;
    char url[REGISTER_URL_SIZE];
    va_list args;

    va_start(args, format);
    register_url(url, format, args);
    va_end(args);
    if (opener(url, &reg, name, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    return reg;
}

void register_close(const struct fz_register *reg)
{
    reg->close(reg->ctx);
}

enum fz_register_result register_swap(const struct fz_register *reg, uint32_t number, uint64_t expected,
                                      const char *text, uint64_t *ret_version)
{
    memset(&register_said, 0, sizeof register_said);
    return reg->swap(reg->ctx, FZ_DEADLINE_NONE, &(struct fz_swap){number, expected, text, strlen(text)}, ret_version,
                     NULL, &register_said);
}

uint64_t register_must_swap(const struct fz_register *reg, uint32_t number, uint64_t expected, const char *text)
{
    uint64_t version = 0;
    enum fz_register_result result = register_swap(reg, number, expected, text, &version);

    if (result != FZ_REGISTER_OK)
        fail_msg("%d: %s", (int)result, register_said.message);
    assert_true(version > expected);
    return version;
}

enum fz_register_result register_read(const struct fz_register *reg, uint32_t number, struct fz_record *ret)
{
    memset(&register_said, 0, sizeof register_said);
    return reg->read(reg->ctx, FZ_DEADLINE_NONE, number, ret, NULL, &register_said);
}

struct fz_record register_must_read(const struct fz_register *reg, uint32_t number)
{
    struct fz_record record = {.version = 4711};

    if (register_read(reg, number, &record) != FZ_REGISTER_OK)
        fail_msg("%s", register_said.message);
    return record;
}

void register_note_versions(void *ctx, uint32_t number, const struct fz_record *record)
{
    uint64_t *versions = ctx;

    if (number < 4)
        versions[number] = record->version;
}

void register_ignore(void *ctx, uint32_t number, const struct fz_record *record)
{
    (void)ctx;
    (void)number;
    (void)record;
}

void register_prepare(const struct fz_register *reg)
{
    memset(&register_said, 0, sizeof register_said);
    if (reg->prepare != NULL && reg->prepare(reg->ctx, FZ_DEADLINE_NONE, &register_said) != FZ_REGISTER_OK)
        fail_msg("%s", register_said.message);
}

static uint64_t now_tick(void *ctx)
{
    uint64_t tick = 0;

    assert_int_equal(fz_layout_tick_of(ctx, fz_real_now().unix_ms, &tick, NULL), FRAZIL_OK);
    return tick;
}

frazil_err register_init(const struct fz_register *reg, frazil_error *reterr)
{
    frazil_layout layout;

    assert_int_equal(frazil_layout_parse("frazil", strlen("frazil"), &layout, NULL), FRAZIL_OK);
    const struct fz_namespace_options options = {.layout = &layout,
                                                 .name = "orders",
                                                 .horizon_ms = 60000,
                                                 .max_skew_ms = 2000,
                                                 .never_used = true,
                                                 .now_tick = now_tick,
                                                 .now_ctx = &layout};
    return fz_lease_init(reg, &options, reterr);
}

struct fz_register_status register_status_of(const struct fz_register *reg)
{
    struct fz_register_status status;
    struct fz_record record;

    if (reg->read(reg->ctx, FZ_DEADLINE_NONE, 0, &record, &status, &register_said) != FZ_REGISTER_OK)
        fail_msg("%s", register_said.message);
    return status;
}

void register_assert_record(const struct fz_register *reg, uint32_t number, uint64_t version, const char *text)
{
    struct fz_record record = register_must_read(reg, number);

    assert_int_equal(record.version, version);
    assert_int_equal(record.len, strlen(text));
    assert_memory_equal(record.data, text, strlen(text));
}

void register_assert_child_reads(const struct fz_register *reg, uint64_t version)
{
    struct fz_record record;
    int status = -1;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        reg->after_fork(reg->ctx);
        _exit(reg->read(reg->ctx, FZ_DEADLINE_NONE, 0, &record, NULL, NULL) == FZ_REGISTER_OK &&
                      record.version == version
                  ? 0
                  : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

void register_assert_said(const char *words)
{
    if (strstr(register_said.message, words) == NULL)
        fail_msg("%s; wanted: %s", register_said.message, words);
    assert_null(strstr(register_said.message, "s3cret"));
}
