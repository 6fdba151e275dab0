/* SPDX-License-Identifier: MIT */
#include "layout_internal.h"

#include <string.h>

#include "assert.h"
#include "duration.h"
#include "sentence.h"
#include "sized.h"

/* The first ms of the year 0 and the last one of 9999. */
#define EPOCH_MIN INT64_C(-62167219200000)
#define EPOCH_MAX INT64_C(253402300799999)

/* 2^bits - 1, for up to 64 bits. */
static uint64_t max_of_bits(unsigned bits)
{
    return bits == 0 ? 0 : UINT64_MAX >> (64 - bits);
}

static unsigned field_bits(const frazil_layout *layout)
{
    return (unsigned)layout->time_bits + layout->worker_bits + layout->sequence_bits;
}

/* ---- validity ------------------------------------------------------------ */

static frazil_err check_width(const char *field, unsigned bits, unsigned min, unsigned max, frazil_error *reterr)
{
    if (bits >= min && bits <= max)
        return FRAZIL_OK;
    return fz_fail(reterr, FRAZIL_ELAYOUT, "%u bits of %s in the layout: must be from %u to %u", (uint64_t)bits, field,
                   (uint64_t)min, (uint64_t)max);
}

static frazil_err check_widths(const frazil_layout *l, frazil_error *reterr)
{
    frazil_err err = check_width("time", l->time_bits, 1, FZ_LAYOUT_TIME_BITS_MAX, reterr);

    if (err == FRAZIL_OK)
        err = check_width("worker", l->worker_bits, 0, FZ_LAYOUT_WORKER_BITS_MAX, reterr);
    if (err == FRAZIL_OK)
        err = check_width("sequence", l->sequence_bits, 1, FZ_LAYOUT_SEQUENCE_BITS_MAX, reterr);
    if (err != FRAZIL_OK)
        return err;
    if (l->datacenter_bits > 0 && l->datacenter_bits >= l->worker_bits)
        return fz_fail(
            reterr, FRAZIL_ELAYOUT,
            "%u of the %u worker bits are the datacenter's: leave at least one to the worker, or split nothing",
            (uint64_t)l->datacenter_bits, (uint64_t)l->worker_bits);
    if (field_bits(l) > FZ_LAYOUT_TOTAL_BITS_MAX)
        return fz_fail(reterr, FRAZIL_ELAYOUT, "%u + %u + %u bits are %u: an id has %u", (uint64_t)l->time_bits,
                       (uint64_t)l->worker_bits, (uint64_t)l->sequence_bits, (uint64_t)field_bits(l),
                       (uint64_t)FZ_LAYOUT_TOTAL_BITS_MAX);
    return FRAZIL_OK;
}

/* The last ms of the last tick must fit int64_t, so that no later arithmetic on times of the layout can overflow. */
static frazil_err check_times(const frazil_layout *l, frazil_error *reterr)
{
    if (l->tick_ms < 1 || l->tick_ms > FZ_LAYOUT_TICK_MS_MAX)
        return fz_fail(reterr, FRAZIL_ELAYOUT, "tick=%ums: must be from 1ms to %ums", (uint64_t)l->tick_ms,
                       (uint64_t)FZ_LAYOUT_TICK_MS_MAX);
    if (l->epoch_unix_ms < EPOCH_MIN || l->epoch_unix_ms > EPOCH_MAX)
        return fz_fail(reterr, FRAZIL_ELAYOUT, "the epoch %t is not between the years 0 and 9999", l->epoch_unix_ms);

    /* The subtraction wraps for a negative epoch and comes out right. */
    uint64_t last_ms = (uint64_t)INT64_MAX - (uint64_t)l->epoch_unix_ms;
    if (fz_layout_last_tick(l) > (last_ms - (l->tick_ms - 1)) / l->tick_ms)
        return fz_fail(reterr, FRAZIL_ELAYOUT,
                       "%u bits of %ums ticks since %t do not fit 64-bit milliseconds: use fewer bits of time, "
                       "a shorter tick or an earlier epoch",
                       (uint64_t)l->time_bits, (uint64_t)l->tick_ms, l->epoch_unix_ms);
    return FRAZIL_OK;
}

/* Without worker bits there is nothing that the sequence could lie above. */
static bool is_above(const frazil_layout *l)
{
    return l->sequence_above_worker != 0 && l->worker_bits > 0;
}

/* The name and the datacenter's split decide about no id; the width of time decides only when ids end. */
bool frazil_layout_equal(const frazil_layout *a, const frazil_layout *b)
{
    return a->kind == b->kind && a->epoch_unix_ms == b->epoch_unix_ms && a->tick_ms == b->tick_ms &&
           a->worker_bits == b->worker_bits && a->sequence_bits == b->sequence_bits && is_above(a) == is_above(b);
}

/* Whether a layout may have the name of the other one: all their members are alike. */
static bool has_fields_of(const frazil_layout *l, const frazil_layout *preset)
{
    return frazil_layout_equal(l, preset) && l->time_bits == preset->time_bits &&
           l->datacenter_bits == preset->datacenter_bits;
}

static bool layout_is_sno(const frazil_layout *l)
{
    return has_fields_of(l, fz_layout_preset_named("sno", 3));
}

/* These members decide about no id, but would make equal layouts differ, or contradict the others. */
static frazil_err check_rest(const frazil_layout *l, frazil_error *reterr)
{
    static const char custom[] = "custom";
    const frazil_layout *preset = fz_layout_preset_named(l->name, fz_text_len(l->name));

    if (l->sequence_above_worker > 1)
        return fz_fail(reterr, FRAZIL_ELAYOUT, "sequence_above_worker is %u in the layout: must be 0 or 1",
                       (uint64_t)l->sequence_above_worker);
    if (!fz_is_zeroed(l->reserved, sizeof l->reserved))
        return fz_fail(reterr, FRAZIL_ELAYOUT, "the reserved bytes of the layout are not all 0");
    if (preset == NULL ? memcmp(l->name, custom, sizeof custom) != 0 : !has_fields_of(l, preset))
        return fz_fail(reterr, FRAZIL_ELAYOUT,
                       "the layout is called %q but does not have the fields of that preset: call it custom", l->name);
    return FRAZIL_OK;
}

frazil_err frazil_layout_validate(const frazil_layout *layout, frazil_error *reterr)
{
    if (memchr(layout->name, '\0', sizeof layout->name) == NULL)
        return fz_fail(reterr, FRAZIL_ELAYOUT, "the layout's name has no terminator");
    if (layout->kind == FRAZIL_LAYOUT_SNO) {
        if (layout_is_sno(layout))
            return check_rest(layout, reterr);
        return fz_fail(reterr, FRAZIL_ELAYOUT, "the fields, the epoch and the tick of a sno are fixed: use the preset");
    }
    if (layout->kind != FRAZIL_LAYOUT_64)
        return fz_fail(reterr, FRAZIL_ELAYOUT, "unknown kind of layout %d", (int64_t)layout->kind);
    frazil_err err = check_widths(layout, reterr);
    if (err == FRAZIL_OK)
        err = check_times(layout, reterr);
    return err != FRAZIL_OK ? err : check_rest(layout, reterr);
}

/* ---- fields and ticks ---------------------------------------------------- */

uint64_t fz_layout_last_tick(const frazil_layout *layout)
{
    return max_of_bits(layout->time_bits);
}

uint64_t fz_layout_max_worker(const frazil_layout *layout)
{
    return max_of_bits(layout->worker_bits);
}

uint64_t fz_layout_max_sequence(const frazil_layout *layout)
{
    return max_of_bits(layout->sequence_bits);
}

unsigned fz_layout_time_shift(const frazil_layout *layout)
{
    return (unsigned)layout->worker_bits + layout->sequence_bits;
}

unsigned fz_layout_worker_shift(const frazil_layout *layout)
{
    return layout->sequence_above_worker ? 0 : layout->sequence_bits;
}

unsigned fz_layout_sequence_shift(const frazil_layout *layout)
{
    return layout->sequence_above_worker ? layout->worker_bits : 0;
}

int64_t fz_layout_tick_unix_ms(const frazil_layout *layout, uint64_t tick)
{
    FZ_ASSERT(tick <= fz_layout_last_tick(layout));
    /* The sum fits, see check_times; a negative epoch makes it wrap on the way. */
    return (int64_t)((uint64_t)layout->epoch_unix_ms + tick * layout->tick_ms);
}

uint64_t fz_layout_ticks_ns(const frazil_layout *layout, uint64_t ticks)
{
    uint64_t tick_ns = layout->tick_ms * FZ_NS_PER_MS;

    return ticks > UINT64_MAX / tick_ns ? UINT64_MAX : ticks * tick_ns;
}

/* The last ms of the layout's life. */
static int64_t end_unix_ms(const frazil_layout *layout)
{
    return fz_layout_tick_unix_ms(layout, fz_layout_last_tick(layout)) + (layout->tick_ms - 1);
}

frazil_err fz_layout_tick_of(const frazil_layout *layout, int64_t unix_ms, uint64_t *ret_tick, frazil_error *reterr)
{
    if (unix_ms < layout->epoch_unix_ms || unix_ms > end_unix_ms(layout))
        return fz_fail(
            reterr, FRAZIL_ERANGE,
            "%t is outside the life of the layout %s, which is from %t to %t: choose another layout or epoch", unix_ms,
            layout->name, layout->epoch_unix_ms, end_unix_ms(layout));
    *ret_tick = ((uint64_t)unix_ms - (uint64_t)layout->epoch_unix_ms) / layout->tick_ms;
    return FRAZIL_OK;
}

uint64_t fz_layout_compose_unchecked(const frazil_layout *layout, uint64_t tick, uint64_t worker, uint64_t sequence)
{
    FZ_ASSERT(layout->kind == FRAZIL_LAYOUT_64);
    FZ_ASSERT(tick <= fz_layout_last_tick(layout));
    FZ_ASSERT(worker <= fz_layout_max_worker(layout) && sequence <= fz_layout_max_sequence(layout));
    return tick << fz_layout_time_shift(layout) | worker << fz_layout_worker_shift(layout) |
           sequence << fz_layout_sequence_shift(layout);
}

/* ---- ids ----------------------------------------------------------------- */

/* Opens every function that works on 64-bit ids only. */
static frazil_err check_kind(const frazil_layout *layout, frazil_error *reterr)
{
    FZ_ASSERT(frazil_layout_validate(layout, NULL) == FRAZIL_OK);
    if (layout->kind == FRAZIL_LAYOUT_64)
        return FRAZIL_OK;
    return fz_fail(reterr, FRAZIL_EKIND, "a sno is not a 64-bit id: use the functions for snos");
}

static frazil_err check_part(const char *field, uint64_t value, uint64_t max, const frazil_layout *layout,
                             frazil_error *reterr)
{
    if (value <= max)
        return FRAZIL_OK;
    return fz_fail(reterr, FRAZIL_ERANGE, "%s %u does not fit the layout %s: must be from 0 to %u", field, value,
                   layout->name, max);
}

frazil_err frazil_id_compose(const frazil_layout *layout, const frazil_fields *fields, uint64_t *ret_id,
                             frazil_error *reterr)
{
    uint64_t tick = 0;
    frazil_err err = check_kind(layout, reterr);

    if (err == FRAZIL_OK && !fz_is_zeroed(fields->reserved, sizeof fields->reserved))
        err = fz_fail(reterr, FRAZIL_EINVAL, "the reserved members of the id's fields are not all 0");
    if (err == FRAZIL_OK)
        err = fz_layout_tick_of(layout, fields->unix_ms, &tick, reterr);
    if (err == FRAZIL_OK)
        err = check_part("worker", fields->worker, fz_layout_max_worker(layout), layout, reterr);
    if (err == FRAZIL_OK)
        err = check_part("sequence", fields->sequence, fz_layout_max_sequence(layout), layout, reterr);
    if (err == FRAZIL_OK)
        *ret_id = fz_layout_compose_unchecked(layout, tick, fields->worker, fields->sequence);
    return err;
}

frazil_err frazil_id_decompose(const frazil_layout *layout, uint64_t id, frazil_fields *ret, frazil_error *reterr)
{
    frazil_err err = check_kind(layout, reterr);

    if (err != FRAZIL_OK)
        return err;
    if (id > max_of_bits(field_bits(layout)))
        return fz_fail(reterr, FRAZIL_ERANGE, "the id %u has bits above the fields of the layout %s: 0 to %u", id,
                       layout->name, max_of_bits(field_bits(layout)));
    uint32_t worker = (uint32_t)(id >> fz_layout_worker_shift(layout) & fz_layout_max_worker(layout));
    *ret = (frazil_fields){
        .unix_ms = fz_layout_tick_unix_ms(layout, id >> fz_layout_time_shift(layout)),
        .worker = worker,
        .sequence = (uint32_t)(id >> fz_layout_sequence_shift(layout) & fz_layout_max_sequence(layout)),
        .datacenter = fz_layout_datacenter_of(layout, worker),
        .worker_in_datacenter = (uint32_t)(worker & (fz_layout_workers_in_datacenter(layout) - 1)),
    };
    return FRAZIL_OK;
}

uint64_t frazil_id_first(const frazil_layout *layout, int64_t unix_ms)
{
    uint64_t tick;

    if (layout->kind != FRAZIL_LAYOUT_64 || unix_ms < layout->epoch_unix_ms)
        return 0;
    if (fz_layout_tick_of(layout, unix_ms, &tick, NULL) == FRAZIL_OK)
        return fz_layout_compose_unchecked(layout, tick, 0, 0);
    uint64_t last = max_of_bits(field_bits(layout));
    return last == UINT64_MAX ? last : last + 1;
}

frazil_err frazil_id_range(const frazil_layout *layout, int64_t from_unix_ms, int64_t to_unix_ms, uint64_t *ret_first,
                           uint64_t *ret_last, frazil_error *reterr)
{
    uint64_t from = 0;
    uint64_t to = 0;
    frazil_err err = check_kind(layout, reterr);

    if (err == FRAZIL_OK && from_unix_ms > to_unix_ms)
        err = fz_fail(reterr, FRAZIL_EINVAL, "the range begins at %t, after its end %t", from_unix_ms, to_unix_ms);
    if (err == FRAZIL_OK)
        err = fz_layout_tick_of(layout, from_unix_ms, &from, reterr);
    if (err == FRAZIL_OK)
        err = fz_layout_tick_of(layout, to_unix_ms, &to, reterr);
    if (err != FRAZIL_OK)
        return err;
    *ret_first = fz_layout_compose_unchecked(layout, from, 0, 0);
    *ret_last = fz_layout_compose_unchecked(layout, to, fz_layout_max_worker(layout), fz_layout_max_sequence(layout));
    return FRAZIL_OK;
}
