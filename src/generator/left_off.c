/* SPDX-License-Identifier: MIT */
/*
 * One record for each worker, layout and bounds.  It lives as long as the process, and its numbers only grow.  So a
 * thread needs no lock, and a child may be born at any step.
 */
#include "left_off.h"

#include "core/bounds.h"
#include "core/sentence.h"
#include "observation.h"
#include "os/this_process.h"

enum { SIDES = 2, BUCKET_BITS = 10 };

struct fz_left_off {
    struct fz_left_off *next; /* in its bucket */
    frazil_layout layout;
    struct fz_bounds bounds;
    uint32_t worker;
    _Atomic uint64_t free[SIDES]; /* of each side's line, the first slot that nobody has taken; 0: none was taken */
    _Atomic int64_t high_us;      /* the highest reading of the clock */
    _Atomic uint64_t explicit_taken;
    _Atomic uint32_t live[2]; /* generators that are open: those that others can see, and those that know of none */
};

/* Of a program that has very many workers, an opening looks at a few records. */
static struct fz_left_off *_Atomic buckets[1 << BUCKET_BITS];

/* The bucket of a worker's records: by what equal layouts have in common, whatever the bounds. */
static struct fz_left_off *_Atomic *bucket_of(const frazil_layout *layout, uint32_t worker)
{
    uint64_t key = (uint64_t)layout->epoch_unix_ms * 31 + layout->tick_ms;

    key = (key * 31 + layout->worker_bits) * 31 + layout->sequence_bits;
    key = (key << 32 ^ key ^ worker) * UINT64_C(0x9e3779b97f4a7c15);
    return &buckets[key >> (64 - BUCKET_BITS)];
}

/* The next record of the worker whose sequence numbers overlap with these; the first one behind NULL; NULL: the end. */
static struct fz_left_off *next_beside(const frazil *gen, uint32_t worker, const struct fz_bounds *bounds,
                                       const struct fz_left_off *before)
{
    struct fz_left_off *at =
        before == NULL ? atomic_load_explicit(bucket_of(&gen->layout, worker), memory_order_acquire) : before->next;

    while (at != NULL && (at->worker != worker || !fz_bounds_overlap(&at->bounds, bounds) ||
                          !frazil_layout_equal(&at->layout, &gen->layout)))
        at = at->next;
    return at;
}

/* All that a new generator has to respect. */
struct known {
    uint64_t free[SIDES];
    int64_t high_us;
    uint64_t explicit_taken;
    struct fz_left_off *own; /* the record of exactly its bounds; NULL: there is none */
};

/* Adds a record.  Where bounds differ, the places of a tick do: the whole tick is left to the other one. */
static void respect(struct known *known, const frazil *gen, struct fz_left_off *record, bool is_own)
{
    int64_t high_us = atomic_load_explicit(&record->high_us, memory_order_relaxed);

    for (int side = 0; side < SIDES; side++) {
        uint64_t slot = atomic_load_explicit(&record->free[side], memory_order_relaxed);
        if (!is_own && slot != 0)
            slot = fz_slot_first(&gen->rules, 0, fz_slot_tick(&gen->rules, slot) + 1);
        if (slot > known->free[side])
            known->free[side] = slot;
    }
    if (high_us > known->high_us)
        known->high_us = high_us;
    if (!is_own)
        return;
    known->own = record;
    known->explicit_taken = atomic_load_explicit(&record->explicit_taken, memory_order_relaxed);
}

static struct known look_up(const frazil *gen, uint32_t worker, const struct fz_bounds *bounds)
{
    struct known known = {.high_us = INT64_MIN};
    struct fz_left_off *at = NULL;

    while ((at = next_beside(gen, worker, bounds, at)) != NULL)
        respect(&known, gen, at, fz_bounds_are_equal(&at->bounds, bounds));
    return known;
}

/* A new record.  Another thread may add the same one: then both are respected. */
static struct fz_left_off *add_record(const frazil *gen, uint32_t worker, const struct fz_bounds *bounds)
{
    struct fz_left_off *_Atomic *bucket = bucket_of(&gen->layout, worker);
    struct fz_left_off *record = fz_process_alloc(sizeof *record);

    if (record == NULL)
        return NULL;
    record->layout = gen->layout;
    record->bounds = *bounds;
    record->worker = worker;
    atomic_init(&record->high_us, INT64_MIN);
    record->next = atomic_load_explicit(bucket, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(bucket, &record->next, record, memory_order_release,
                                                  memory_order_relaxed))
        continue;
    return record;
}

/* The generators of its worker that it cannot live beside, and whose sequence numbers overlap. */
static uint32_t count_others(const frazil *gen, uint32_t worker, const struct fz_bounds *bounds, bool is_alone)
{
    const struct fz_left_off *at = NULL;
    uint32_t found = 0;

    while ((at = next_beside(gen, worker, bounds, at)) != NULL)
        found += atomic_load(&at->live[true]) + (is_alone ? atomic_load(&at->live[false]) : 0);
    return found - (is_alone ? 1 : 0);
}

static frazil_err refuse_beside(const frazil *gen, uint32_t worker, const char *why, frazil_error *reterr)
{
    return fz_fail(reterr, FRAZIL_EWORKER,
                   "another generator of this process has %s %u, and %s: close it first, or share it",
                   fz_is_sno(gen) ? "partition" : "worker id", (uint64_t)worker, why);
}

frazil_err fz_left_off_live(frazil *gen, uint32_t worker, const struct fz_decision *decision, frazil_error *reterr)
{
    struct fz_left_off *own = look_up(gen, worker, &decision->bounds).own;
    bool is_alone = decision->from_snapshot;

    if (own == NULL)
        own = add_record(gen, worker, &decision->bounds);
    if (own == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    /* First it is counted, then it looks: of two threads at least one sees the other. */
    atomic_fetch_add(&own->live[is_alone], 1);
    gen->living = (struct fz_living){.record = own, .is_alone = is_alone};
    if (count_others(gen, worker, &decision->bounds, is_alone) == 0)
        return FRAZIL_OK;
    fz_left_off_die(gen);
    return refuse_beside(
        gen, worker,
        is_alone ? "takes what the snapshot says is free" : "goes on from a snapshot, which knows of no other", reterr);
}

void fz_left_off_die(frazil *gen)
{
    if (gen->living.record != NULL)
        atomic_fetch_sub(&gen->living.record->live[gen->living.is_alone], 1);
    gen->living.record = NULL;
}

frazil_err fz_left_off_resume(frazil *gen, uint32_t worker, const struct fz_bounds *bounds, frazil_error *reterr)
{
    const struct fz_slot_rules *rules = &gen->rules;
    const struct known known = look_up(gen, worker, bounds);

    gen->left_off = known.own == NULL ? add_record(gen, worker, bounds) : known.own;
    if (gen->left_off == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    /* It begins on the first side, whichever the last one was on: the clock decides about the other as it always does.
     */
    uint64_t word = known.free[0] == 0 ? 0 : fz_slot_above_hole(rules, known.free[0]);
    atomic_store_explicit(&gen->shared->word, word, memory_order_relaxed);
    gen->shared->origin = word;
    atomic_store_explicit(&gen->shared->side_free[1], fz_slot_free_tick(rules, known.free[1]), memory_order_relaxed);
    fz_raise_i64(&gen->shared->high_us, known.high_us); /* a claim may have raised it */
    atomic_store_explicit(&gen->shared->explicit_taken, known.explicit_taken, memory_order_relaxed);
    return FRAZIL_OK;
}

void fz_left_off_use(const frazil *gen, uint64_t tick)
{
    if (gen->left_off != NULL)
        fz_claim_raise(&gen->store.claim, tick);
}

void fz_left_off_note(frazil *gen)
{
    const struct fz_slot_rules *rules = &gen->rules;
    struct fz_left_off *record = gen->left_off;

    if (record == NULL)
        return;
    uint64_t word = atomic_load_explicit(&gen->shared->word, memory_order_acquire);
    unsigned side = fz_slot_side(rules, word);
    fz_raise_u64(&record->free[side], fz_slot_line(rules, word));
    if (rules->has_sides) {
        uint64_t tick = atomic_load_explicit(&gen->shared->side_free[side ^ 1], memory_order_acquire);
        uint64_t line = tick == 0 ? 0 : fz_slot_first(rules, 0, tick);
        fz_raise_u64(&record->free[side ^ 1], line);
    }
    fz_raise_i64(&record->high_us, atomic_load_explicit(&gen->shared->high_us, memory_order_acquire));
    fz_raise_u64(&record->explicit_taken, atomic_load_explicit(&gen->shared->explicit_taken, memory_order_relaxed));
}
