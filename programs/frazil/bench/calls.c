/* SPDX-License-Identifier: MIT */
/* One thread: what an id is made of, ids in every way that there is, and their text. */
#include "bench.h"

#include <string.h>

/* Numbers with as many digits as ids have. */
static const uint64_t some_id = UINT64_C(117509347734454272);
static const frazil_sno some_sno = {{0x3e, 0x5a, 0x10, 0x7f, 0xc3, 0x01, 0x9b, 0x2c, 0x44, 0xe7}};

/* Writes an id, and says how long the text is. */
static size_t write_some(frazil_text form, char text[FRAZIL_TEXT_SIZE])
{
    return frazil_id_format(form, some_id, text, FRAZIL_TEXT_SIZE, NULL) == FRAZIL_OK ? strlen(text) : 0;
}

/* clang-format off */
BENCH_RUN(run_clock, struct timespec now,
    (void)clock_gettime(CLOCK_REALTIME, &now);
    BENCH_KEEP(&now))

BENCH_RUN(run_counter, rig->disturbed = !BENCH_HAS_COUNTER,
    BENCH_KEEP(bench_counter()))

BENCH_RUN(run_add, ,
    BENCH_KEEP(atomic_fetch_add_explicit(&rig->line, 1, memory_order_relaxed)))

BENCH_RUN(run_counter_add, rig->disturbed = !BENCH_HAS_COUNTER,
    BENCH_KEEP(bench_counter());
    BENCH_KEEP(atomic_fetch_add_explicit(&rig->line, 1, memory_order_relaxed)))

/* The loop that a batch is compared with. */
BENCH_RUN(run_fill, ,
    for (uint64_t k = 0; k < BENCH_BATCH; k++)
        rig->ids[k] = i + k;
    BENCH_KEEP(rig->ids))

BENCH_RUN(run_next, frazil *gen = rig->gen; uint64_t id,
    err = frazil_next(gen, &id);
    BENCH_KEEP(&id))

BENCH_RUN(run_shared, frazil *gen = rig->shared; uint64_t id,
    err = frazil_next(gen, &id);
    BENCH_KEEP(&id))

BENCH_RUN(run_led, frazil *gen = rig->leading; uint64_t id,
    err = frazil_next(gen, &id);
    BENCH_KEEP(&id))

BENCH_RUN(run_try, frazil *gen = rig->gen; uint64_t id; size_t taken; uint64_t retry_ns,
    err = frazil_try_take(gen, &id, 1, &taken, &retry_ns, NULL);
    BENCH_KEEP(&id))

BENCH_RUN(run_local, frazil_local *local = rig->local; uint64_t id,
    err = frazil_local_next(local, &id);
    BENCH_KEEP(&id))

BENCH_RUN(run_batch, frazil *gen = rig->gen,
    err = frazil_take(gen, rig->ids, step, FRAZIL_WAIT_DEFAULT, NULL);
    BENCH_KEEP(rig->ids))

BENCH_RUN(run_local_batch, frazil_local *local = rig->local,
    err = frazil_local_take(local, rig->ids, step, FRAZIL_WAIT_DEFAULT, NULL);
    BENCH_KEEP(rig->ids))

BENCH_RUN(run_format, const frazil_text form = (frazil_text)self->number; char text[FRAZIL_TEXT_SIZE],
    err = frazil_id_format(form, some_id + i, text, sizeof text, NULL);
    BENCH_KEEP(text))

BENCH_RUN(run_parse,
    const frazil_text form = (frazil_text)self->number;
    char text[FRAZIL_TEXT_SIZE];
    size_t len = write_some(form, text);
    uint64_t id,
    err = frazil_id_parse(form, text, len, &id, NULL);
    BENCH_KEEP(&id))

BENCH_RUN(run_sno_encode, char text[FRAZIL_SNO_LEN],
    frazil_sno_encode(&some_sno, text);
    BENCH_KEEP(text))

BENCH_RUN(run_sno_decode, char text[FRAZIL_SNO_LEN]; frazil_sno id; frazil_sno_encode(&some_sno, text),
    err = frazil_sno_decode(text, FRAZIL_SNO_LEN, &id, NULL);
    BENCH_KEEP(&id))
/* clang-format on */

#define PART(key, name) BENCH_LABEL("Parts of an id", key, name, "ns")
#define ONE(key, name) BENCH_LABEL("One thread, per id", key, name, "ns")
#define TEXT(key, name) BENCH_LABEL("Text, per id", key, name, "ns")
#define COUNTER .label.missed = "a program cannot read a counter of this processor"
#define AT_MOST(...) .label.targets = {{BENCH_AT_MOST, __VA_ARGS__}}

/* Both ways of a text form; only the default form has a target. */
#define TEXT_ROWS(identifier, form, name, room)                                                                        \
    {TEXT(name "_format", name ", format"),                                                                            \
     .label.targets = {{(form) == FRAZIL_TEXT_DEC ? BENCH_AT_MOST : BENCH_NOTHING, 10, NULL}}, .run = run_format,      \
     .number = (form)},                                                                                                \
        {TEXT(name "_parse", name ", parse"),                                                                          \
         .label.targets = {{(form) == FRAZIL_TEXT_DEC ? BENCH_AT_MOST : BENCH_NOTHING, 10, NULL}}, .run = run_parse,   \
         .number = (form)},

const struct bench_case bench_calls[] = {
    {PART("clock", "clock read"), .run = run_clock},
    {PART("counter", "counter read"), COUNTER, .run = run_counter},
    {PART("add", "atomic add"), .run = run_add},
    {PART("counter_add", "counter read + atomic add"), COUNTER, .run = run_counter_add},
    {PART("fill", "plain loop filling 4096"), .run = run_fill, .at_once = BENCH_BATCH},
    {ONE("next", "next"), .label.targets = {{BENCH_AT_MOST, 1, "clock"}, {BENCH_AT_MOST, 1.05, "counter_add"}},
     .run = run_next},
    {ONE("shared", "next, word in a shared file"), AT_MOST(1.1, "next"), .run = run_shared},
    {ONE("led", "next, ids that lead"), AT_MOST(1.3, "next"), .run = run_led},
    {ONE("try", "try_take of 1"), .run = run_try},
    {ONE("local", "local next"), AT_MOST(0.6, "clock"), .run = run_local},
    {ONE("batch_1", "batches of 1"), .run = run_batch, .at_once = 1},
    {ONE("batch_16", "batches of 16"), .run = run_batch, .at_once = 16},
    {ONE("batch_256", "batches of 256"), .run = run_batch, .at_once = 256},
    {ONE("batch_4096", "batches of 4096"), AT_MOST(2, "fill"), .run = run_batch, .at_once = BENCH_BATCH},
    {ONE("local_256", "local batches of 256"), .run = run_local_batch, .at_once = 256},
    {ONE("local_4096", "local batches of 4096"), AT_MOST(2, "fill"), .run = run_local_batch, .at_once = BENCH_BATCH},
    FRAZIL_TEXTS(TEXT_ROWS){TEXT("sno_encode", "sno, format"), AT_MOST(5, NULL), .run = run_sno_encode},
    {TEXT("sno_decode", "sno, parse"), AT_MOST(5, NULL), .run = run_sno_decode},
    {.run = NULL},
};
