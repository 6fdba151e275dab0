/* SPDX-License-Identifier: MIT */
#include "calls.h"

#include <stdlib.h>
#include <string.h>

enum { IDS_MOST = 5000 };

/* ---- the id, or its fields ------------------------------------------------------ */

/* Where the sequence number is left to chance, the fields are told in place of the id. */
static void out_id(const struct subject *subject, struct step *step, uint64_t id)
{
    frazil_fields fields;

    out_u64(step, "id", id);
    if (frazil_id_decompose(&subject->layout, id, &fields, NULL) != FRAZIL_OK)
        return;
    out_i64(step, "unix_ms", fields.unix_ms);
    out_small(step, "worker", fields.worker);
    out_between(step, "sequence", fields.sequence);
}

/* ---- 64-bit ids ---------------------------------------------------------------- */

static frazil_err next(struct subject *subject, struct step *step)
{
    uint64_t id;
    frazil_err err = frazil_next(subject->gen, &id);

    if (err == FRAZIL_OK)
        out_id(subject, step, id);
    return err;
}

static frazil_err try_next(struct subject *subject, struct step *step)
{
    uint64_t id;
    uint64_t retry_ns;
    size_t taken;
    frazil_err err = frazil_try_take(subject->gen, &id, 1, &taken, &retry_ns, &step->err);

    if (err == FRAZIL_OK)
        out_id(subject, step, id);
    return err;
}

static frazil_err local_next(struct subject *subject, struct step *step)
{
    uint64_t id;
    frazil_err err = subject->local == NULL ? frazil_local_open(&subject->local, subject->gen, NULL) : FRAZIL_OK;

    if (err == FRAZIL_OK)
        err = frazil_local_next(subject->local, &id);
    if (err == FRAZIL_OK)
        out_id(subject, step, id);
    return err;
}

/* How many ids are asked for; none are too many for the array. */
static size_t in_count(struct step *step)
{
    uint32_t n = in_small(step, "n");

    if (n > IDS_MOST)
        step_wrong(step, "no call takes more than %d", (int)IDS_MOST);
    return n <= IDS_MOST ? n : 0;
}

static frazil_err next_n(struct subject *subject, struct step *step)
{
    static uint64_t ids[IDS_MOST];
    size_t n = in_count(step);
    frazil_err err = frazil_take(subject->gen, ids, n, FRAZIL_WAIT_DEFAULT, &step->err);

    if (err == FRAZIL_OK)
        out_u64s(step, "ids", ids, n);
    return err;
}

static frazil_err take(struct subject *subject, struct step *step)
{
    static uint64_t ids[IDS_MOST];
    size_t n = in_count(step);
    uint64_t wait_ns = in_u64(step, "wait_ns");
    frazil_err err = frazil_take(subject->gen, ids, n, wait_ns, &step->err);

    if (err == FRAZIL_OK)
        out_u64s(step, "ids", ids, n);
    return err;
}

static frazil_err next_at(struct subject *subject, struct step *step)
{
    uint64_t id;
    int64_t unix_ms = in_i64(step, "at");
    frazil_err err = frazil_next_at(subject->gen, unix_ms, &id, &step->err);

    if (err == FRAZIL_OK)
        out_id(subject, step, id);
    return err;
}

/* ---- snos ---------------------------------------------------------------------- */

static frazil_err sno_next(struct subject *subject, struct step *step)
{
    frazil_sno id;
    uint32_t meta = in_small(step, "meta");
    frazil_err err = frazil_sno_next(subject->gen, (uint8_t)meta, &id);

    if (err == FRAZIL_OK)
        out_sno(step, "sno", &id);
    return err;
}

static frazil_err sno_try_next(struct subject *subject, struct step *step)
{
    frazil_sno id;
    uint64_t retry_ns;
    size_t taken;
    uint32_t meta = in_small(step, "meta");
    frazil_err err = frazil_sno_try_take(subject->gen, (uint8_t)meta, &id, 1, &taken, &retry_ns, &step->err);

    if (err == FRAZIL_OK)
        out_sno(step, "sno", &id);
    return err;
}

static frazil_err sno_next_n(struct subject *subject, struct step *step)
{
    static frazil_sno ids[IDS_MOST];
    uint32_t meta = in_small(step, "meta");
    size_t n = in_count(step);
    frazil_err err = frazil_sno_take(subject->gen, (uint8_t)meta, ids, n, FRAZIL_WAIT_DEFAULT, &step->err);

    if (err == FRAZIL_OK)
        out_snos(step, "snos", ids, n);
    return err;
}

static frazil_err sno_next_at(struct subject *subject, struct step *step)
{
    frazil_sno id;
    uint32_t meta = in_small(step, "meta");
    int64_t unix_ms = in_i64(step, "at");
    frazil_err err = frazil_sno_next_at(subject->gen, unix_ms, (uint8_t)meta, &id, &step->err);

    if (err == FRAZIL_OK)
        out_sno(step, "sno", &id);
    return err;
}

/* ---- looking at it, and its clock ------------------------------------------------ */

static frazil_err info(struct subject *subject, struct step *step)
{
    frazil_info found;
    char text[FRAZIL_FINGERPRINT_SIZE];

    frazil_get_info(subject->gen, &found, sizeof found);
    out_small(step, "worker", found.worker);
    out_small(step, "sequence_min", found.sequence_min);
    out_small(step, "sequence_max", found.sequence_max);
    out_u64(step, "capacity", found.capacity);
    out_small(step, "collision_ppm", found.collision_ppm);
    if (frazil_layout_fingerprint(&subject->layout, text, sizeof text, NULL) == FRAZIL_OK)
        out_text(step, "fingerprint", text);
    return FRAZIL_OK;
}

static frazil_err available(struct subject *subject, struct step *step)
{
    frazil_info found;

    frazil_get_info(subject->gen, &found, sizeof found);
    out_u64(step, "available", found.available);
    return FRAZIL_OK;
}

static frazil_err stats(struct subject *subject, struct step *step)
{
    frazil_stat found[FRAZIL_STATS_MOST];
    size_t count = frazil_get_stats(subject->gen, found, FRAZIL_STATS_MOST);

    for (size_t i = 0; i < count; i++)
        out_u64(step, found[i].name, found[i].value);
    return FRAZIL_OK;
}

static frazil_err stop(struct subject *subject, struct step *step)
{
    frazil_stop(subject->gen);
    step->compared++; /* it has no answer */
    return FRAZIL_OK;
}

static frazil_err set_clock(struct subject *subject, struct step *step)
{
    frazil_manual_clock_set(subject->clock, in_i64(step, "at"));
    step->compared++;
    return FRAZIL_OK;
}

static frazil_err advance_clock(struct subject *subject, struct step *step)
{
    frazil_manual_clock_advance(subject->clock, in_u64(step, "ns"));
    step->compared++;
    return FRAZIL_OK;
}

const struct call calls_of_generators[] = {
    {"next", NEEDS_SPEC, next},
    {"try_next", NEEDS_SPEC, try_next},
    {"local_next", NEEDS_SPEC, local_next},
    {"next_n", NEEDS_SPEC, next_n},
    {"take", NEEDS_SPEC, take},
    {"next_at", NEEDS_SPEC, next_at},
    {"sno_next", NEEDS_SPEC, sno_next},
    {"sno_try_next", NEEDS_SPEC, sno_try_next},
    {"sno_next_n", NEEDS_SPEC, sno_next_n},
    {"sno_next_at", NEEDS_SPEC, sno_next_at},
    {"info", NEEDS_SPEC, info},
    {"available", NEEDS_SPEC, available},
    {"stats", NEEDS_SPEC, stats},
    {"stop", NEEDS_SPEC, stop},
    {"set_clock", NEEDS_CLOCK, set_clock},
    {"advance_clock", NEEDS_CLOCK, advance_clock},
    {NULL, NEEDS_NOTHING, NULL},
};
