/* SPDX-License-Identifier: MIT */
/* One thread: what an id is made of, ids in every way that there is, and their text. */
#include "cases.h"
#include "clock.h"

#include <string.h>

/* ---- what an id is made of -------------------------------------------------- */

static bool run_clock(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    struct timespec now;
    double start = bench_worked_ns();

    (void)rig;
    for (uint64_t i = 0; i < count; i++) {
        (void)clock_gettime(CLOCK_REALTIME, &now);
        BENCH_KEEP(&now);
    }
    *ret_ns = bench_worked_ns() - start;
    return true;
}

static bool run_add(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    double start = bench_worked_ns();

    for (uint64_t i = 0; i < count; i++)
        BENCH_KEEP(atomic_fetch_add_explicit(&rig->line, 1, memory_order_relaxed));
    *ret_ns = bench_worked_ns() - start;
    return true;
}

#if BENCH_HAS_COUNTER
static bool run_counter(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    double start = bench_worked_ns();

    (void)rig;
    for (uint64_t i = 0; i < count; i++)
        BENCH_KEEP(bench_counter());
    *ret_ns = bench_worked_ns() - start;
    return true;
}

static bool run_counter_add(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    double start = bench_worked_ns();

    for (uint64_t i = 0; i < count; i++) {
        BENCH_KEEP(bench_counter());
        BENCH_KEEP(atomic_fetch_add_explicit(&rig->line, 1, memory_order_relaxed));
    }
    *ret_ns = bench_worked_ns() - start;
    return true;
}
#endif

/* ---- ids -------------------------------------------------------------------- */

static bool run_next(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return bench_take(rig->gen, count, ret_ns);
}

static bool run_shared(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return bench_take(rig->shared, count, ret_ns);
}

static bool run_try(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    frazil_err err = FRAZIL_OK;
    uint64_t id, retry_ns;
    double start = bench_worked_ns();

    for (uint64_t i = 0; i < count && err == FRAZIL_OK; i++) {
        err = frazil_try_next(rig->gen, &id, &retry_ns);
        BENCH_KEEP(&id);
    }
    *ret_ns = bench_worked_ns() - start;
    return bench_went_well(err);
}

static bool run_local(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    frazil_err err = FRAZIL_OK;
    uint64_t id;
    double start = bench_worked_ns();

    for (uint64_t i = 0; i < count && err == FRAZIL_OK; i++) {
        err = frazil_local_next(rig->locals[0], &id);
        BENCH_KEEP(&id);
    }
    *ret_ns = bench_worked_ns() - start;
    return bench_went_well(err);
}

static bool take_batches(struct bench_rig *rig, size_t batch, uint64_t count, double *ret_ns)
{
    frazil_err err = FRAZIL_OK;
    double start = bench_worked_ns();

    for (uint64_t i = 0; i < count && err == FRAZIL_OK; i += batch) {
        err = frazil_next_n(rig->gen, rig->ids, batch);
        BENCH_KEEP(rig->ids);
    }
    *ret_ns = bench_worked_ns() - start;
    return bench_went_well(err);
}

static bool run_batch_1(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return take_batches(rig, 1, count, ret_ns);
}

static bool run_batch_16(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return take_batches(rig, 16, count, ret_ns);
}

static bool run_batch_256(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return take_batches(rig, 256, count, ret_ns);
}

static bool run_batch_4096(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return take_batches(rig, BENCH_BATCH, count, ret_ns);
}

/* What a batch is compared with. */
static bool run_fill(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    double start = bench_worked_ns();

    for (uint64_t i = 0; i < count; i += BENCH_BATCH) {
        for (uint64_t k = 0; k < BENCH_BATCH; k++)
            rig->ids[k] = i + k;
        BENCH_KEEP(rig->ids);
    }
    *ret_ns = bench_worked_ns() - start;
    return true;
}

/* ---- text ------------------------------------------------------------------- */

/* Numbers with as many digits as ids have. */
static const uint64_t some_id = UINT64_C(117509347734454272);
static const frazil_sno some_sno = {{0x3e, 0x5a, 0x10, 0x7f, 0xc3, 0x01, 0x9b, 0x2c, 0x44, 0xe7}};

static bool write_text(frazil_text form, uint64_t count, double *ret_ns)
{
    char text[FRAZIL_TEXT_SIZE];
    frazil_err err = FRAZIL_OK;
    double start = bench_worked_ns();

    for (uint64_t i = 0; i < count && err == FRAZIL_OK; i++) {
        err = frazil_id_format(form, some_id + i, text, sizeof text);
        BENCH_KEEP(text);
    }
    *ret_ns = bench_worked_ns() - start;
    return bench_went_well(err);
}

static bool read_text(frazil_text form, uint64_t count, double *ret_ns)
{
    char text[FRAZIL_TEXT_SIZE];
    frazil_err err = frazil_id_format(form, some_id, text, sizeof text);
    size_t len = strlen(text);
    uint64_t id;
    double start = bench_worked_ns();

    for (uint64_t i = 0; i < count && err == FRAZIL_OK; i++) {
        err = frazil_id_parse(form, text, len, &id);
        BENCH_KEEP(&id);
    }
    *ret_ns = bench_worked_ns() - start;
    return bench_went_well(err);
}

#define TEXT_BOTH_WAYS(name, form)                                                                                     \
    static bool run_##name##_format(struct bench_rig *rig, uint64_t count, double *ret_ns)                             \
    {                                                                                                                  \
        (void)rig;                                                                                                     \
        return write_text(form, count, ret_ns);                                                                        \
    }                                                                                                                  \
    static bool run_##name##_parse(struct bench_rig *rig, uint64_t count, double *ret_ns)                              \
    {                                                                                                                  \
        (void)rig;                                                                                                     \
        return read_text(form, count, ret_ns);                                                                         \
    }

TEXT_BOTH_WAYS(dec, FRAZIL_TEXT_DEC)
TEXT_BOTH_WAYS(dec20, FRAZIL_TEXT_DEC_PADDED)
TEXT_BOTH_WAYS(hex, FRAZIL_TEXT_HEX)
TEXT_BOTH_WAYS(crockford, FRAZIL_TEXT_CROCKFORD)
TEXT_BOTH_WAYS(base36, FRAZIL_TEXT_BASE36)
TEXT_BOTH_WAYS(base58, FRAZIL_TEXT_BASE58)
TEXT_BOTH_WAYS(base62, FRAZIL_TEXT_BASE62)
TEXT_BOTH_WAYS(base64url, FRAZIL_TEXT_BASE64URL)
TEXT_BOTH_WAYS(bin, FRAZIL_TEXT_BIN)
TEXT_BOTH_WAYS(bytes, FRAZIL_TEXT_BYTES)

static bool run_sno_encode(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    char text[FRAZIL_SNO_LEN];
    double start = bench_worked_ns();

    (void)rig;
    for (uint64_t i = 0; i < count; i++) {
        frazil_sno_encode(&some_sno, text);
        BENCH_KEEP(text);
    }
    *ret_ns = bench_worked_ns() - start;
    return true;
}

static bool run_sno_decode(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    char text[FRAZIL_SNO_LEN];
    frazil_err err = FRAZIL_OK;
    frazil_sno id;

    (void)rig;
    frazil_sno_encode(&some_sno, text);
    double start = bench_worked_ns();
    for (uint64_t i = 0; i < count && err == FRAZIL_OK; i++) {
        err = frazil_sno_decode(text, &id);
        BENCH_KEEP(&id);
    }
    *ret_ns = bench_worked_ns() - start;
    return bench_went_well(err);
}

#define PARTS "What an id is made of"
#define ONE "One thread, an id"
#define TEXT "Text"

const struct bench_case bench_calls[] = {
    {.row = BENCH_ROW(PARTS, "clock", "clock read", "ns"), .run = run_clock},
#if BENCH_HAS_COUNTER
    {.row = BENCH_ROW(PARTS, "counter", "counter read", "ns"), .run = run_counter},
#endif
    {.row = BENCH_ROW(PARTS, "add", "atomic add", "ns"), .run = run_add},
#if BENCH_HAS_COUNTER
    {.row = BENCH_ROW(PARTS, "counter_add", "counter read + atomic add", "ns"), .run = run_counter_add},
#endif
    {.row = BENCH_ROW(PARTS, "fill", "plain loop filling 4096", "ns"), .run = run_fill, .at_once = BENCH_BATCH},
    {.row = BENCH_ROW_HELD_TO(ONE, "next", "next", "ns", {BENCH_AT_MOST, 1, "clock"},
                              {BENCH_AT_MOST, 1.15, "counter_add"}),
     .run = run_next},
    {.row = BENCH_ROW_HELD_TO(ONE, "shared", "next, word in a shared file", "ns", {BENCH_AT_MOST, 1.1, "next"}),
     .run = run_shared},
    {.row = BENCH_ROW(ONE, "try", "try_next", "ns"), .run = run_try},
    {.row = BENCH_ROW_HELD_TO(ONE, "local", "local next", "ns", {BENCH_AT_MOST, 0.6, "clock"}), .run = run_local},
    {.row = BENCH_ROW(ONE, "batch_1", "batches of 1", "ns"), .run = run_batch_1},
    {.row = BENCH_ROW(ONE, "batch_16", "batches of 16", "ns"), .run = run_batch_16, .at_once = 16},
    {.row = BENCH_ROW(ONE, "batch_256", "batches of 256", "ns"), .run = run_batch_256, .at_once = 256},
    {.row = BENCH_ROW_HELD_TO(ONE, "batch_4096", "batches of 4096", "ns", {BENCH_AT_MOST, 2, "fill"}),
     .run = run_batch_4096,
     .at_once = BENCH_BATCH},
    {.row = BENCH_ROW_HELD_TO(TEXT, "dec_format", "decimal, written", "ns", {BENCH_AT_MOST, 10, NULL}),
     .run = run_dec_format},
    {.row = BENCH_ROW_HELD_TO(TEXT, "dec_parse", "decimal, read", "ns", {BENCH_AT_MOST, 10, NULL}),
     .run = run_dec_parse},
    {.row = BENCH_ROW_HELD_TO(TEXT, "sno_encode", "sno, written", "ns", {BENCH_AT_MOST, 5, NULL}),
     .run = run_sno_encode},
    {.row = BENCH_ROW_HELD_TO(TEXT, "sno_decode", "sno, read", "ns", {BENCH_AT_MOST, 5, NULL}), .run = run_sno_decode},
    {.row = BENCH_ROW(TEXT, "dec20_format", "decimal of 20 digits, written", "ns"), .run = run_dec20_format},
    {.row = BENCH_ROW(TEXT, "dec20_parse", "decimal of 20 digits, read", "ns"), .run = run_dec20_parse},
    {.row = BENCH_ROW(TEXT, "hex_format", "hexadecimal, written", "ns"), .run = run_hex_format},
    {.row = BENCH_ROW(TEXT, "hex_parse", "hexadecimal, read", "ns"), .run = run_hex_parse},
    {.row = BENCH_ROW(TEXT, "crockford_format", "Crockford's base 32, written", "ns"), .run = run_crockford_format},
    {.row = BENCH_ROW(TEXT, "crockford_parse", "Crockford's base 32, read", "ns"), .run = run_crockford_parse},
    {.row = BENCH_ROW(TEXT, "base36_format", "base 36, written", "ns"), .run = run_base36_format},
    {.row = BENCH_ROW(TEXT, "base36_parse", "base 36, read", "ns"), .run = run_base36_parse},
    {.row = BENCH_ROW(TEXT, "base58_format", "base 58, written", "ns"), .run = run_base58_format},
    {.row = BENCH_ROW(TEXT, "base58_parse", "base 58, read", "ns"), .run = run_base58_parse},
    {.row = BENCH_ROW(TEXT, "base62_format", "base 62, written", "ns"), .run = run_base62_format},
    {.row = BENCH_ROW(TEXT, "base62_parse", "base 62, read", "ns"), .run = run_base62_parse},
    {.row = BENCH_ROW(TEXT, "base64url_format", "base64url, written", "ns"), .run = run_base64url_format},
    {.row = BENCH_ROW(TEXT, "base64url_parse", "base64url, read", "ns"), .run = run_base64url_parse},
    {.row = BENCH_ROW(TEXT, "bin_format", "binary, written", "ns"), .run = run_bin_format},
    {.row = BENCH_ROW(TEXT, "bin_parse", "binary, read", "ns"), .run = run_bin_parse},
    {.row = BENCH_ROW(TEXT, "bytes_format", "bytes, written", "ns"), .run = run_bytes_format},
    {.row = BENCH_ROW(TEXT, "bytes_parse", "bytes, read", "ns"), .run = run_bytes_parse},
    {.run = NULL},
};
