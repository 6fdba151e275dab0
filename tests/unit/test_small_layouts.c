/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: with two sequence bits every sequence of calls and clock
 * movements up to a depth is run.  After each call the generator is compared with a
 * model that shares no code with it, and with the invariants:
 * I1 unique, I3 increasing, I6 honest time, I7 bounded and without a trace.
 * Where TEST_EVERY wants a sample, all sequences of three are run, and of those of five a part.
 */
#include <stdlib.h>

#include "generator/generator_internal.h"
#include "lib/near_miss.h"
#include "lib/rig.h"
#include "lib/slot_model.h"
#include "lib/test.h"

enum { DEPTH = 5, SAMPLED = 3, WALKS = 300, WALK_STEPS = 400, WINDOW = 16384, PLACES = 4, IDS_MAX = 9 };

struct policy {
    const char *spec;
    struct model_rules rules;
    uint64_t max_wait; /* ticks */
    uint32_t seq_min;
    bool is_random; /* where a tick starts is not foretold: the invariants alone are checked */
};

#define LAYOUT "layout=41/0/2 worker=fixed:0 "
#define SNO "layout=sno worker=fixed:7 seq_min=0 seq_max=3 "
static const struct policy policies[] = {
    {LAYOUT "start=zero max_lead=2ms max_wait=3ms", {MODEL_WAIT, MODEL_HOLD, 2, 4}, 3, 0, false},
    {LAYOUT "start=zero max_lead=1ms max_wait=none", {MODEL_WAIT, MODEL_HOLD, 1, 4}, 1000, 0, false},
    {LAYOUT "behaviour=konayuki", {MODEL_WAIT, MODEL_WAIT, 0, 4}, 10000, 0, false},
    {LAYOUT "behaviour=sfid", {MODEL_LEAD, MODEL_HOLD, 1000000, 4}, 0, 0, false},
    {LAYOUT "behaviour=post max_wait=1ms", {MODEL_WAIT, MODEL_WAIT, 0, 4}, 1, 0, false},
    {LAYOUT "behaviour=flake", {MODEL_ERROR, MODEL_ERROR, 0, 4}, 0, 0, false},
    {LAYOUT "behaviour=flake-callback", {MODEL_WAIT, MODEL_WAIT, 0, 4}, 0, 0, false},
    {LAYOUT "start=zero on_full=lead on_backward=error max_lead=1ms max_wait=1ms",
     {MODEL_LEAD, MODEL_ERROR, 1, 4},
     1,
     0,
     false},
    {LAYOUT "start=zero on_full=error max_lead=3ms max_wait=2ms", {MODEL_ERROR, MODEL_HOLD, 3, 4}, 2, 0, false},
    {LAYOUT "start=zero seq_min=3 seq_max=1 max_lead=2ms max_wait=3ms", {MODEL_WAIT, MODEL_HOLD, 2, 3}, 3, 1, false},
    {LAYOUT "behaviour=sfid seq_min=1 seq_max=2", {MODEL_LEAD, MODEL_HOLD, 1000000, 2}, 0, 1, false},
    {SNO "max_wait=12ms", {MODEL_WAIT, MODEL_TICKTOCK, 0, 4}, 3, 0, false},
    {SNO "max_wait=0", {MODEL_WAIT, MODEL_TICKTOCK, 0, 4}, 0, 0, false},
    {SNO "on_full=lead max_lead=8ms max_wait=4ms", {MODEL_LEAD, MODEL_TICKTOCK, 2, 4}, 1, 0, false},
    {LAYOUT "start=spread max_lead=2ms max_wait=3ms", {MODEL_WAIT, MODEL_HOLD, 2, 4}, 3, 0, true},
    {LAYOUT "start=random max_lead=2ms max_wait=3ms", {MODEL_WAIT, MODEL_HOLD, 2, 4}, 3, 0, true},
    {SNO "start=random max_wait=12ms", {MODEL_WAIT, MODEL_TICKTOCK, 0, 4}, 3, 0, true},
};

struct clock_state {
    int64_t unix_ms;
    uint64_t monotonic_ns;
};

/* The state that is put back after each branch. */
struct state {
    struct clock_state clock;
    struct model model;
    uint64_t issued;
    uint64_t highest[2]; /* place + 1 on each side */
};

struct world {
    const struct policy *policy;
    frazil *gen;
    bool is_sno;
    uint32_t tick_ms;
    uint64_t first_tick;      /* of the window */
    uint8_t taken[2][WINDOW]; /* one bit a sequence number */
    struct state at;
    struct frazil_random random;
    uint64_t random_state;
    char path[WALK_STEPS * 4 + 1]; /* the calls so far, for messages */
};

/* A place that was taken. */
struct place {
    unsigned side;
    uint64_t tick;
    uint64_t sequence;
};

/* ---- ports ---- */

static void clock_now(void *ctx, frazil_instant *ret)
{
    const struct clock_state *clock = ctx;

    *ret = (frazil_instant){.unix_ms = clock->unix_ms};
}

static uint64_t clock_monotonic(void *ctx)
{
    const struct clock_state *clock = ctx;

    return clock->monotonic_ns;
}

static void clock_sleep(void *ctx, uint64_t monotonic_ns)
{
    struct clock_state *clock = ctx;

    clock->unix_ms += (int64_t)((monotonic_ns - clock->monotonic_ns) / RIG_MS);
    clock->monotonic_ns = monotonic_ns;
}

static uint64_t random_next(void *ctx)
{
    return seeded_next(ctx);
}

/* ---- one call and what must be true of it ---- */

static void fail_in(const struct world *world, const char *what, uint64_t got, uint64_t expected)
{
    fail_msg("%s after%s: %s: %llu, must be %llu", world->policy->spec, world->path, what, (unsigned long long)got,
             (unsigned long long)expected);
}

static void expect(const struct world *world, const char *what, uint64_t got, uint64_t expected)
{
    if (got != expected)
        fail_in(world, what, got, expected);
}

/* Takes n ids; with never_waits by the call that is made for that.  Places are filled on success. */
static frazil_err take(struct world *world, uint64_t n, bool never_waits, struct place *places)
{
    frazil_sno snos[IDS_MAX];
    uint64_t ids[IDS_MAX];
    uint64_t retry;
    frazil_err err;

    if (world->is_sno)
        err = never_waits ? try_one_sno(world->gen, 1, snos, &retry)
                          : frazil_sno_take(world->gen, 1, snos, (size_t)n, FRAZIL_WAIT_DEFAULT, NULL);
    else
        err = never_waits ? try_one(world->gen, ids, &retry)
                          : frazil_take(world->gen, ids, (size_t)n, FRAZIL_WAIT_DEFAULT, NULL);
    for (uint64_t i = 0; err == FRAZIL_OK && i < n; i++) {
        if (!world->is_sno) {
            places[i] = (struct place){.tick = ids[i] >> 2, .sequence = ids[i] & 3};
            continue;
        }
        frazil_sno_fields fields;
        frazil_sno_decompose(&snos[i], &fields);
        places[i] = (struct place){.side = fields.ticktock,
                                   .tick = (uint64_t)(fields.unix_ms - world->gen->layout.epoch_unix_ms) / 4,
                                   .sequence = fields.sequence};
    }
    return err;
}

static uint64_t now_tick(const struct world *world)
{
    return (uint64_t)(world->at.clock.unix_ms - world->gen->layout.epoch_unix_ms) / world->tick_ms;
}

/* I1, I3, I6 for what was issued. */
static void check_places(struct world *world, const struct place *places, uint64_t n, bool waited)
{
    const struct model_rules *rules = &world->policy->rules;

    for (uint64_t i = 0; i < n; i++) {
        const struct place *p = &places[i];
        uint64_t at = p->tick * PLACES + p->sequence + 1;
        uint8_t *bits = &world->taken[p->side][p->tick - world->first_tick];
        expect(world, "I1: the place was taken before", *bits >> p->sequence & 1, 0);
        *bits |= (uint8_t)(1U << p->sequence);
        if (at <= world->at.highest[p->side])
            fail_in(world, "I3: the place is below", at, world->at.highest[p->side]);
        world->at.highest[p->side] = at;
        if (p->tick > now_tick(world) + rules->max_lead)
            fail_in(world, "I6: the tick is too far ahead", p->tick, now_tick(world) + rules->max_lead);
        if (p->tick + 1 < now_tick(world) && (i == n - 1 || !waited))
            fail_in(world, "I6: the tick is behind", p->tick, now_tick(world));
        if (p->sequence < world->policy->seq_min || p->sequence >= world->policy->seq_min + rules->capacity)
            fail_in(world, "the sequence is outside its bounds", p->sequence, world->policy->seq_min);
    }
    world->at.issued += n;
}

static void compare_with_model(struct world *world, const struct model_outcome *model, frazil_err code,
                               const struct place *places, uint64_t n)
{
    const uint64_t capacity = world->policy->rules.capacity;

    expect(world, "the code", (uint64_t)-code, (uint64_t)-model->code);
    for (uint64_t i = 0; code == FRAZIL_OK && i < n; i++) {
        expect(world, "the side", places[i].side, model->side);
        expect(world, "the tick", places[i].tick, (model->first + i) / capacity);
        expect(world, "the sequence", places[i].sequence, world->policy->seq_min + (model->first + i) % capacity);
    }
}

struct trace {
    uint64_t issued;
    uint64_t available;
    uint64_t sequence;
};

static struct trace trace_of(const struct world *world)
{
    frazil_info info;

    frazil_get_info(world->gen, &info, sizeof info);
    return (struct trace){
        .issued = stat_of(world->gen, FRAZIL_STAT_ISSUED), .available = info.available, .sequence = info.sequence};
}

/* The most ids that a call with that patience can ever be given. */
static uint64_t largest_batch(const struct policy *policy, uint64_t patience)
{
    uint64_t ticks = 1;

    if (policy->rules.on_full != MODEL_ERROR)
        ticks += patience;
    if (policy->rules.on_full == MODEL_LEAD)
        ticks += policy->rules.max_lead;
    return ticks * policy->rules.capacity;
}

static void run_take(struct world *world, uint64_t n, bool never_waits)
{
    const struct policy *policy = world->policy;
    const uint64_t patience = never_waits ? 0 : policy->max_wait;
    const uint64_t started_ns = world->at.clock.monotonic_ns;
    const struct trace before = trace_of(world);
    struct place places[IDS_MAX];

    const frazil_err code = take(world, n, never_waits, places);
    const uint64_t waited_ms = (world->at.clock.monotonic_ns - started_ns) / RIG_MS;
    if (waited_ms > patience * world->tick_ms)
        fail_in(world, "I7: the call waited too long", waited_ms, patience * world->tick_ms);
    if (code == FRAZIL_OK)
        check_places(world, places, n, waited_ms > 0);
    const struct trace after = trace_of(world);
    expect(world, "issued", after.issued, world->at.issued);
    if (code != FRAZIL_OK && waited_ms == 0) {
        expect(world, "I7: a failed call changed available", after.available, before.available);
        expect(world, "I7: a failed call changed the sequence", after.sequence, before.sequence);
    } else if (code == FRAZIL_OK && waited_ms == 0 && !policy->is_random && before.available >= n) {
        expect(world, "the sequence that was foretold", places[0].sequence, before.sequence);
    }
    if (policy->is_random)
        return;

    struct model_outcome expected = model_take(&world->at.model, &policy->rules, n, patience);
    if ((expected.code == FRAZIL_EFULL || expected.code == FRAZIL_ECLOCK) && n > largest_batch(policy, patience))
        expected.code = FRAZIL_EINVAL;
    if (never_waits && ((expected.code == FRAZIL_EFULL && policy->rules.on_full != MODEL_ERROR) ||
                        (expected.code == FRAZIL_ECLOCK && policy->rules.on_backward != MODEL_ERROR)))
        expected.code = FRAZIL_EAGAIN;
    compare_with_model(world, &expected, code, places, n);
    expect(world, "the wait", waited_ms, expected.waited * world->tick_ms);
}

/* Moves the clock, and lets the generator see it. */
static void run_step(struct world *world, int64_t ticks)
{
    world->at.clock.unix_ms += ticks * world->tick_ms;
    world->at.model.now = now_tick(world);
    if (world->at.model.now > world->at.model.high)
        world->at.model.high = world->at.model.now;
    trace_of(world);
}

enum { OPS = 15 };

static void run_op(struct world *world, unsigned op, size_t depth)
{
    static const char *const names[OPS] = {" +1", " +2", " -1", " -2", " -3", " n1", " t1", " n2",
                                           " n3", " n4", " n5", " n6", " n7", " n8", " n9"};
    static const int64_t steps[] = {1, 2, -1, -2, -3};

    memcpy(world->path + depth * 3, names[op], 4);
    if (op < 5)
        run_step(world, steps[op]);
    else if (op < 7)
        run_take(world, 1, op == 6);
    else
        run_take(world, op - 5, false);
}

/* ---- all sequences ---- */

/* Whether a sequence so long is gone on with: all are, or of those of three each TEST_EVERY-th, whichever it is.
 */
static bool goes_on(size_t length)
{
    static uint64_t state = 1;
    const char *every = getenv("TEST_EVERY");

    return length != SAMPLED || every == NULL || seeded_next(&state) % strtoull(every, NULL, 10) == 0;
}

static void explore(struct world *world, size_t depth)
{
    struct fz_shared shared;
    uint8_t taken[2][64];
    const struct state saved = world->at;
    const uint64_t random_state = world->random_state;

    memcpy(&shared, world->gen->shared, sizeof shared);
    for (int side = 0; side < 2; side++)
        memcpy(taken[side], world->taken[side] + WINDOW / 2 - 24, sizeof taken[side]);
    for (unsigned op = 0; op < OPS; op++) {
        run_op(world, op, depth);
        if (depth + 1 < DEPTH && goes_on(depth + 1))
            explore(world, depth + 1);
        memcpy(world->gen->shared, &shared, sizeof shared);
        for (int side = 0; side < 2; side++)
            memcpy(world->taken[side] + WINDOW / 2 - 24, taken[side], sizeof taken[side]);
        world->at = saved;
        world->random_state = random_state;
        world->path[depth * 3] = '\0';
    }
}

static void open_world(struct world *world, const struct policy *policy)
{
    const frazil_clock clock = {.size = sizeof(frazil_clock),
                                .ctx = &world->at.clock,
                                .now = clock_now,
                                .monotonic_ns = clock_monotonic,
                                .sleep_until = clock_sleep};
    const frazil_random random = {.size = sizeof(frazil_random), .ctx = &world->random_state, .next = random_next};
    const struct ports ports = {.clock = &clock, .random = &random};
    frazil_error err;

    memset(world, 0, sizeof *world);
    world->policy = policy;
    world->at.clock = (struct clock_state){.unix_ms = RIG_NOW, .monotonic_ns = 1};
    if (ports_open(&world->gen, policy->spec, &ports, &err) != FRAZIL_OK)
        fail_msg("%s: %s", policy->spec, err.message);
    world->is_sno = world->gen->layout.kind == FRAZIL_LAYOUT_SNO;
    world->tick_ms = world->gen->layout.tick_ms;
    world->first_tick = now_tick(world) - WINDOW / 2;
    run_step(world, 0);
}

TEST("Every sequence of five calls and steps")
{
    static struct world world;

    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        open_world(&world, &policies[i]);
        explore(&world, 0);
        frazil_close(world.gen);
    }
}

TEST("Long random walks, of which the seed is the number")
{
    static struct world world;

    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        for (uint64_t walk = 0; walk < WALKS; walk++) {
            uint64_t seed = walk;
            open_world(&world, &policies[i]);
            for (size_t step = 0; step < WALK_STEPS; step++)
                run_op(&world, (unsigned)(seeded_next(&seed) % OPS), step);
            frazil_close(world.gen);
        }
    }
}
