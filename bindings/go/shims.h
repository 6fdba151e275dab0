/* SPDX-License-Identifier: MIT */
/*
 * Between Go and the library: what a call returns comes back in a struct by value, since a pointer to a variable of Go
 * would put that variable on the heap, for each call.
 */
#ifndef FRAZIL_GO_SHIMS_H
#define FRAZIL_GO_SHIMS_H

#include "frazil.h"
#ifndef FRAZIL_KASUMI_CHECKED /* the two-file form has it inside */
#include <frazil/extras.h>
#endif

#include <stdlib.h>
#include <string.h>

/* An id, or why there is none. */
typedef struct shim_id {
    uint64_t id;
    uint64_t retry_ns;
    frazil_err err;
} shim_id;

static inline shim_id shim_next(frazil *gen)
{
    shim_id ret = {0, 0, FRAZIL_OK};

    ret.err = frazil_next(gen, &ret.id);
    return ret;
}

static inline shim_id shim_try_next(frazil *gen)
{
    shim_id ret = {0, 0, FRAZIL_OK};
    size_t taken;

    ret.err = frazil_try_take(gen, &ret.id, 1, &taken, &ret.retry_ns, NULL);
    return ret;
}

/* Where a coordinator gives the slots: one that is in hand.  In a nanosecond it cannot be asked. */
static inline shim_id shim_next_in_hand(frazil *gen)
{
    shim_id ret = {0, 0, FRAZIL_OK};

    ret.err = frazil_take(gen, &ret.id, 1, 1, NULL);
    return ret;
}

/* The same of a sno. */
typedef struct shim_sno {
    frazil_sno sno;
    uint64_t retry_ns;
    frazil_err err;
} shim_sno;

static inline shim_sno shim_sno_next(frazil *gen, uint8_t meta)
{
    shim_sno ret = {{{0}}, 0, FRAZIL_OK};

    ret.err = frazil_sno_next(gen, meta, &ret.sno);
    return ret;
}

static inline shim_sno shim_sno_try_next(frazil *gen, uint8_t meta)
{
    shim_sno ret = {{{0}}, 0, FRAZIL_OK};
    size_t taken;

    ret.err = frazil_sno_try_take(gen, meta, &ret.sno, 1, &taken, &ret.retry_ns, NULL);
    return ret;
}

/* How many were taken. */
typedef struct shim_taken {
    size_t n;
    uint64_t retry_ns;
    frazil_err err;
} shim_taken;

static inline shim_taken shim_try_take(frazil *gen, uint64_t *ids, size_t n)
{
    shim_taken ret = {0, 0, FRAZIL_OK};

    ret.err = frazil_try_take(gen, ids, n, &ret.n, &ret.retry_ns, NULL);
    return ret;
}

static inline shim_taken shim_sno_try_take(frazil *gen, uint8_t meta, void *snos, size_t n)
{
    shim_taken ret = {0, 0, FRAZIL_OK};

    ret.err = frazil_sno_try_take(gen, meta, snos, n, &ret.n, &ret.retry_ns, NULL);
    return ret;
}

/* Gives what options mean for calls that wait. */
typedef struct shim_waits {
    uint64_t max_wait_ns;
    bool is_frozen; /* the clock stands */
    frazil_err err;
} shim_waits;

static inline shim_waits shim_options_waits(const frazil_options *options, frazil_error *why)
{
    shim_waits ret = {FRAZIL_WAIT_FOREVER, false, FRAZIL_OK};
    char value[32];

    ret.err = frazil_options_get(options, "max_wait", value, sizeof value, NULL, why);
    if (ret.err == FRAZIL_OK && strcmp(value, "unlimited") != 0)
        ret.max_wait_ns = strtoull(value, NULL, 10);
    if (ret.err == FRAZIL_OK)
        ret.err = frazil_options_get(options, "clock", value, sizeof value, NULL, why);
    ret.is_frozen = ret.err == FRAZIL_OK && value[0] != '\0';
    return ret;
}

/* A text without a terminator. */
typedef struct shim_text {
    char bytes[FRAZIL_TEXT_SIZE];
    size_t len;
    frazil_err err;
} shim_text;

static inline shim_text shim_id_format(int form, uint64_t id)
{
    shim_text ret;

    ret.len = 0;
    ret.err = frazil_id_format((frazil_text)form, id, ret.bytes, sizeof ret.bytes, &ret.len);
    return ret;
}

static inline shim_text shim_time_format(int64_t unix_ms)
{
    shim_text ret;

    ret.len = 0;
    ret.err = frazil_time_format(unix_ms, ret.bytes, sizeof ret.bytes, &ret.len);
    return ret;
}

static inline shim_text shim_scramble(uint64_t salt, bool checked, uint64_t id)
{
    shim_text ret;

    ret.len = 0;
    ret.err = frazil_scramble(salt, checked ? FRAZIL_KASUMI_CHECKED : 0, id, ret.bytes, sizeof ret.bytes, &ret.len);
    return ret;
}

static inline shim_text shim_sno_encode(frazil_sno sno)
{
    shim_text ret;

    frazil_sno_encode(&sno, ret.bytes);
    ret.len = FRAZIL_SNO_LEN;
    ret.err = FRAZIL_OK;
    return ret;
}

static inline shim_text shim_sno_uuid_format(frazil_sno sno)
{
    shim_text ret;

    ret.len = 0;
    ret.err = frazil_sno_uuid_format(&sno, ret.bytes, sizeof ret.bytes, &ret.len);
    return ret;
}

static inline shim_text shim_partition_format(uint16_t partition)
{
    shim_text ret;

    ret.len = 0;
    ret.err = frazil_sno_partition_format(partition, ret.bytes, sizeof ret.bytes, &ret.len);
    return ret;
}

static inline frazil_sno_fields shim_sno_decompose(frazil_sno sno)
{
    frazil_sno_fields ret;

    frazil_sno_decompose(&sno, &ret);
    return ret;
}

/* A number, or why there is none; number is what the function says. */
static inline shim_id shim_shard(uint64_t id, uint32_t shards)
{
    uint32_t found = 0;
    shim_id ret = {0, 0, frazil_shard(id, shards, &found)};

    ret.id = found;
    return ret;
}

static inline shim_id shim_kasumi(uint64_t salt, uint64_t id)
{
    shim_id ret = {0, 0, FRAZIL_OK};

    ret.err = frazil_kasumi(salt, id, &ret.id);
    return ret;
}

static inline shim_id shim_collision(uint32_t hosts, uint64_t workers)
{
    uint32_t ppm = 0;
    shim_id ret = {0, 0, frazil_worker_collision(hosts, workers, &ppm)};

    ret.id = ppm;
    return ret;
}

/* A granter of Go is a number here, which is passed on as ctx. */
extern frazil_err frazilGoAcquire(uintptr_t ctx, int64_t now, frazil_grant *ret, frazil_error *reterr);
extern frazil_err frazilGoExtend(uintptr_t ctx, int64_t now, frazil_grant *held, frazil_grant *ret,
                                 frazil_error *reterr);
extern void frazilGoRelease(uintptr_t ctx, frazil_grant *held, int64_t used_end);

static inline frazil_err shim_acquire(void *ctx, int64_t now, frazil_grant *ret, frazil_error *reterr)
{
    return frazilGoAcquire((uintptr_t)ctx, now, ret, reterr);
}

static inline frazil_err shim_extend(void *ctx, int64_t now, const frazil_grant *held, frazil_grant *ret,
                                     frazil_error *reterr)
{
    return frazilGoExtend((uintptr_t)ctx, now, (frazil_grant *)held, ret, reterr);
}

static inline void shim_release(void *ctx, const frazil_grant *held, int64_t used_end)
{
    frazilGoRelease((uintptr_t)ctx, (frazil_grant *)held, used_end);
}

static inline frazil_err shim_options_granter(frazil_options *options, uintptr_t handle, frazil_error *reterr)
{
    const frazil_granter granter = {sizeof granter, (void *)handle, shim_acquire, shim_extend, shim_release, NULL};

    return frazil_options_granter(options, &granter, reterr);
}

/* Whether the library has the numbers that this binding was written for. */
static inline bool shim_version_fits(void)
{
    return FRAZIL_VERSION_FITS(frazil_version_number());
}

#endif
