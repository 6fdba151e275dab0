/* SPDX-License-Identifier: MIT */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/layout_internal.h"
#include "os/clock.h"
#include "os/counter.h"

enum { IDS_MAX = 16, CACHE_MAX = 16 };

/* An id, taken apart. */
struct issued {
    unsigned thread;
    unsigned side;
    uint64_t tick;
    uint32_t worker;
    uint32_t sequence;
};

/* A generator as it was when it was opened. */
struct opened {
    const char *spec;
    frazil *gen;
    struct frazil constants;
    struct fz_shared shared;
    struct fz_private private_page;
};

struct grant {
    uint32_t worker;
    uint64_t first_tick;
    uint64_t last_tick;
};

frazil *world_gen;

static const struct world *world;
static unsigned moment;
/* The clock's readings since each thread's call began. */
static uint64_t lowest_tick[MODEL_THREADS_MAX];
static uint64_t highest_tick[MODEL_THREADS_MAX];
static unsigned issued_before[MODEL_THREADS_MAX]; /* and how many ids had been issued by then */
static int64_t epoch_ms;
static uint32_t tick_ms;
static struct issued issued[IDS_MAX];
static unsigned issued_count;
static struct grant grants[GRANTS_MAX];
static unsigned grants_count;
static uint64_t first_word;

/* ---- time --------------------------------------------------------------------- */

static uint64_t tick_of(unsigned m)
{
    if (world == NULL)
        return FIRST_TICK;
    return FIRST_TICK +
           (m < world->moments ? world->ticks[m] : world->ticks[world->moments - 1] + m - world->moments + 1);
}

/* The next moment comes. */
static void step(void)
{
    moment++;
    uint64_t tick = tick_of(moment);
    for (unsigned i = 0; i < MODEL_THREADS_MAX; i++) {
        lowest_tick[i] = lowest_tick[i] < tick ? lowest_tick[i] : tick;
        highest_tick[i] = highest_tick[i] > tick ? highest_tick[i] : tick;
    }
}

static void let_time_pass(void)
{
    if (world != NULL && moment + 1 < world->moments && model_choose(2) == 1)
        step();
}

static void clock_now(void *ctx, frazil_instant *ret)
{
    (void)ctx;
    let_time_pass();
    *ret = (frazil_instant){.unix_ms = epoch_ms + (int64_t)tick_of(moment) * tick_ms};
}

static uint64_t clock_monotonic_ns(void *ctx)
{
    (void)ctx;
    return (1 + moment) * UINT64_C(1000000) * tick_ms;
}

static void clock_sleep_until(void *ctx, uint64_t monotonic_ns)
{
    (void)ctx;
    (void)monotonic_ns;
    step();
}

frazil_clock fz_real_clock(void)
{
    return (frazil_clock){.size = sizeof(frazil_clock),
                          .now = clock_now,
                          .monotonic_ns = clock_monotonic_ns,
                          .sleep_until = clock_sleep_until};
}

frazil_instant fz_real_now(void)
{
    frazil_instant now;

    clock_now(NULL, &now);
    return now;
}

uint64_t fz_counter_read(void)
{
    let_time_pass();
    return (1 + moment) * (uint64_t)COUNTS_A_TICK;
}

bool fz_counter_usable(void)
{
    return true;
}

/* ---- the generator ----------------------------------------------------------------- */

/* The counter is known to run by COUNTS_A_TICK a tick, and need not be measured again. */
static void calibrate(struct fz_calibration *calibration)
{
    atomic_store_explicit(&calibration->counts_per_ms, COUNTS_A_TICK / tick_ms, memory_order_relaxed);
    atomic_store_explicit(&calibration->period, UINT64_MAX, memory_order_relaxed);
}

/* Opens on a host of its own: what others have claimed on this one is of another time than a world's. */
static frazil_err open_alone(frazil **ret, const char *spec, frazil_error *ret_why)
{
    char host[] = "/tmp/frazil-model-XXXXXX";

    if (mkdtemp(host) == NULL || setenv("FRAZIL_HOST_DIR", host, 1) != 0)
        abort();
    frazil_err err = frazil_open(ret, spec, ret_why);
    if (err == FRAZIL_OK)
        (void)unlink((*ret)->store.claim.path);
    (void)rmdir(host);
    return err;
}

/* Opened once, as opening is not what is modelled. */
static struct opened *open_once(const char *spec)
{
    static struct opened cache[CACHE_MAX];
    frazil_error why;
    unsigned i = 0;

    while (i < CACHE_MAX && cache[i].gen != NULL && cache[i].spec != spec)
        i++;
    if (i == CACHE_MAX)
        abort();
    struct opened *opened = &cache[i];
    if (opened->gen != NULL)
        return opened;
    epoch_ms = 0; /* of the world before: its time may lie outside this layout's life */
    if (open_alone(&opened->gen, spec, &why) != FRAZIL_OK) {
        fprintf(stderr, "%s: %s\n", spec, why.message);
        exit(2);
    }
    tick_ms = opened->gen->layout.tick_ms;
    calibrate(&opened->gen->private_page->calibration);
    opened->spec = spec;
    opened->constants = *opened->gen;
    opened->shared = *opened->gen->shared;
    opened->private_page = *opened->gen->private_page;
    return opened;
}

static void share_anchor(struct fz_anchor *anchor)
{
    model_share(&anchor->version, sizeof anchor->version);
    model_share(&anchor->counter, sizeof anchor->counter);
    model_share(&anchor->range, sizeof anchor->range);
    model_share(&anchor->first_slot, sizeof anchor->first_slot);
    model_share(&anchor->first_id, sizeof anchor->first_id);
    model_count(&anchor->lead_end, sizeof anchor->lead_end); /* where no ids lead it is 0 */
    model_count(&anchor->lead_us, sizeof anchor->lead_us);
    model_count(&anchor->grant_number, sizeof anchor->grant_number);
}

/* Statistics, and the latest reading, which only they need. */
static void count_statistics(struct fz_shared *shared)
{
    const size_t from = offsetof(struct fz_shared, skipped);

    model_count((char *)shared + from, sizeof *shared - from);
    model_count(&shared->keeper, sizeof shared->keeper);
    model_count(&world_gen->keeper, sizeof world_gen->keeper);
    model_count(&world_gen->events, sizeof world_gen->events);
    model_count(&world_gen->private_page->events, sizeof world_gen->private_page->events);
    model_count(&shared->seen_us, sizeof shared->seen_us);
    model_count(&shared->carried_tick, sizeof shared->carried_tick);
}

void world_begin(const struct world *of)
{
    world = NULL;
    moment = 0;
    struct opened *opened = open_once(of->spec);
    world = of;
    world_gen = opened->gen;
    epoch_ms = world_gen->layout.epoch_unix_ms;
    tick_ms = world_gen->layout.tick_ms;
    *world_gen = opened->constants;
    *world_gen->shared = opened->shared;
    *world_gen->private_page = opened->private_page;
    issued_count = 0;
    grants_count = 0;
    first_word = 0;
    model_share(&world_gen->shared->word, sizeof world_gen->shared->word);
    model_share(&world_gen->shared->high_us, sizeof world_gen->shared->high_us);
    model_share(&world_gen->private_page->unused.lock, sizeof world_gen->private_page->unused.lock);
    if (world->has_counter) {
        share_anchor(&world_gen->private_page->anchor);
    } else {
        world_gen->fixed.counter_usable = false;
        world_gen->fast_path = FZ_FAST_NONE;
    }
    count_statistics(world_gen->shared);
}

void world_share_carried(void)
{
    model_share(&world_gen->shared->carried_tick, sizeof world_gen->shared->carried_tick);
}

void world_share_sides(void)
{
    model_share(&world_gen->shared->side_free[0], sizeof world_gen->shared->side_free[0]);
    model_share(&world_gen->shared->side_free[1], sizeof world_gen->shared->side_free[1]);
}

void world_share_grants(void)
{
    struct fz_grant_ring *ring = &world_gen->shared->grants;

    model_share(&ring->number, sizeof ring->number);
    for (unsigned i = 0; i < FZ_GRANT_ENTRIES; i++) {
        for (unsigned part = 0; part < FZ_GRANT_PARTS; part++)
            model_share(&ring->entries[i].parts[part], sizeof ring->entries[i].parts[part]);
    }
}

void world_set_grant(const struct fz_grant *grant)
{
    uint64_t number;

    (void)fz_grant_ring_look(&world_gen->shared->grants, &number);
    if (!fz_grant_ring_put(&world_gen->shared->grants, number, grant))
        abort();
}

void world_set_word(uint64_t tick_above_first, uint64_t place)
{
    first_word = fz_slot_first(&world_gen->rules, 0, FIRST_TICK + tick_above_first) + place;
    atomic_store_explicit(&world_gen->shared->word, first_word, memory_order_relaxed);
    atomic_store_explicit(&world_gen->shared->high_us,
                          (epoch_ms + (int64_t)(FIRST_TICK + tick_above_first) * tick_ms) * 1000, memory_order_relaxed);
}

void world_anchor(void)
{
    struct fz_grant grant = fz_grant_ring_read(&world_gen->shared->grants);
    uint64_t first = fz_slot_first(&world_gen->rules, 0, tick_of(moment));
    struct fz_anchor_view anchor = {.counter = COUNTS_A_TICK,
                                    .range = COUNTS_A_TICK,
                                    .first_slot = first,
                                    .first_id = fz_compose_slot(world_gen, first, grant.worker)};

    fz_anchor_publish(&world_gen->private_page->anchor, &anchor, &(struct fz_anchor_lead){.end = 0});
}

void world_anchor_lead(uint64_t ticks)
{
    struct fz_anchor *anchor = &world_gen->private_page->anchor;
    uint64_t tick = tick_of(moment) + ticks;
    uint64_t first = fz_slot_first(&world_gen->rules, 0, tick);
    uint64_t number;
    struct fz_grant grant = fz_grant_ring_look(&world_gen->shared->grants, &number);
    struct fz_anchor_view view = {.counter = COUNTS_A_TICK,
                                  .range = COUNTS_A_TICK,
                                  .first_slot = first,
                                  .first_id = fz_compose_slot(world_gen, first, grant.worker)};
    struct fz_anchor_lead lead = {.end = fz_slot_first(&world_gen->rules, 0, tick + ticks + 1), .grant_number = number};

    fz_anchor_publish(anchor, &view, &lead);
    model_share(&anchor->lead_end, sizeof anchor->lead_end);
}

void world_grant(uint32_t worker, uint64_t first_tick, uint64_t last_tick)
{
    if (grants_count == GRANTS_MAX)
        abort();
    grants[grants_count++] = (struct grant){.worker = worker, .first_tick = first_tick, .last_tick = last_tick};
}

/* ---- the oracle ------------------------------------------------------------------------ */

static void begin_call(unsigned thread)
{
    lowest_tick[thread] = highest_tick[thread] = tick_of(moment);
    issued_before[thread] = issued_count;
}

static bool is_granted(const struct issued *id)
{
    for (unsigned i = 0; i < grants_count; i++) {
        if (grants[i].worker == id->worker && grants[i].first_tick <= id->tick && id->tick <= grants[i].last_tick)
            return true;
    }
    return grants_count == 0;
}

/* Whether it lies below what had been taken on the first side before the run. */
static bool was_taken_before(const struct issued *id)
{
    uint64_t line = id->tick * world_gen->capacity + id->sequence;
    uint64_t tick = fz_slot_tick(&world_gen->rules, first_word);

    return id->side == 0 && line < tick * world_gen->capacity + fz_slot_place(&world_gen->rules, first_word);
}

static bool is_after(const struct issued *id, const struct issued *before)
{
    return id->tick > before->tick || (id->tick == before->tick && id->sequence > before->sequence);
}

static void hold_against_rules(const struct issued *id)
{
    model_expect(!was_taken_before(id), "I1: an id that was issued before the run");
    model_expect(is_granted(id), "I2: an id outside of what was granted");
    model_expect(id->tick <= highest_tick[id->thread] + world->max_lead, "I6: an id ahead of the clock");
    model_expect(id->tick + 1 >= lowest_tick[id->thread], "I6: an id more than a tick behind");
    for (unsigned i = 0; i < issued_count; i++) {
        const struct issued *other = &issued[i];
        if (other->side != id->side)
            continue;
        model_expect(other->tick != id->tick || other->sequence != id->sequence, "I1: an id that was issued twice");
        model_expect((other->thread != id->thread && i >= issued_before[id->thread]) || is_after(id, other),
                     "I3: an id that is not above those that were issued before its call");
    }
    if (issued_count == IDS_MAX)
        abort();
    issued[issued_count++] = *id;
}

static void issue(unsigned thread, uint64_t id)
{
    frazil_fields fields;

    model_expect(frazil_id_decompose(&world_gen->layout, id, &fields, NULL) == FRAZIL_OK,
                 "I8: an id that the layout does not have");
    const struct issued apart = {
        .thread = thread, .tick = (uint64_t)fields.unix_ms, .worker = fields.worker, .sequence = fields.sequence};
    hold_against_rules(&apart);
}

void world_next(unsigned thread)
{
    uint64_t id = 0;

    begin_call(thread);
    model_expect(frazil_next(world_gen, &id) == FRAZIL_OK, "I7: a call has failed");
    issue(thread, id);
}

void world_local_next(unsigned thread, frazil_local *handle)
{
    uint64_t id = 0;

    begin_call(thread);
    model_expect(frazil_local_next(handle, &id) == FRAZIL_OK, "I7: a call has failed");
    issue(thread, id);
}

void world_next_n(unsigned thread, size_t n)
{
    uint64_t ids[IDS_MAX] = {0};

    begin_call(thread);
    model_expect(frazil_take(world_gen, ids, n, FRAZIL_WAIT_DEFAULT, NULL) == FRAZIL_OK, "I7: a call has failed");
    for (size_t i = 0; i < n; i++)
        issue(thread, ids[i]);
}

void world_try_next(unsigned thread)
{
    uint64_t retry_ns;
    size_t taken;
    uint64_t id;

    begin_call(thread);
    if (frazil_try_take(world_gen, &id, 1, &taken, &retry_ns, NULL) == FRAZIL_OK)
        issue(thread, id);
}

void world_sno_next(unsigned thread)
{
    const frazil_layout *layout = &world_gen->layout;
    frazil_sno_fields fields;
    frazil_sno id = {.bytes = {0}};

    begin_call(thread);
    model_expect(frazil_sno_next(world_gen, 0, &id) == FRAZIL_OK, "I7: a call has failed");
    frazil_sno_decompose(&id, &fields);
    const struct issued apart = {.thread = thread,
                                 .side = fields.ticktock,
                                 .tick = (uint64_t)(fields.unix_ms - layout->epoch_unix_ms) / layout->tick_ms,
                                 .worker = fields.partition,
                                 .sequence = fields.sequence};
    hold_against_rules(&apart);
}

uint64_t world_slots_taken(void)
{
    return atomic_load_explicit(&world_gen->shared->word, memory_order_relaxed) - first_word;
}

uint64_t world_last_tick(void)
{
    uint64_t last = 0;

    for (unsigned i = 0; i < issued_count; i++)
        last = issued[i].tick > last ? issued[i].tick : last;
    return last;
}
