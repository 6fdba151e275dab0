/* SPDX-License-Identifier: MIT */
/* The grant is extended, or replaced by one for another worker, while ids are taken. */
#include "scenarios.h"
#include "world.h"

#define SPEC                                                                                                           \
    "layout=40t/4w/2s epoch=1970-01-01T00:00:00Z worker=fixed:1 state=memory start=zero on_full=wait "                 \
    "on_backward=wait max_wait=1s"

enum { HORIZON_TICKS = 4 };

static const struct world two_ticks = {.spec = SPEC, .has_counter = true, .moments = 2, .ticks = {0, 1}};

/* Whether what extends the grant has lost the worker, and gives another one. */
static bool is_lost;

static frazil_err extend(void *ctx, struct fz_deadline deadline, uint64_t now_tick, const struct fz_grant *held,
                         struct fz_grant *ret, frazil_error *reterr)
{
    (void)deadline;
    (void)ctx;
    (void)reterr;
    model_plain_write(0);
    *ret = *held;
    ret->until = now_tick + HORIZON_TICKS;
    ret->version++;
    if (is_lost) {
        ret->worker++;
        ret->floor = held->until + 1;
    }
    world_grant(ret->worker, ret->floor, ret->until);
    return FRAZIL_OK;
}

static void begin(bool lost)
{
    const struct fz_grant grant = {.worker = 1, .floor = 0, .until = FIRST_TICK, .version = 1};

    world_begin(&two_ticks);
    is_lost = lost;
    world_set_word(0, 1);
    world_set_grant(&grant);
    world_gen->keeper.granter = (struct fz_granter){.ctx = world_gen, .extend = extend};
    atomic_store_explicit(&world_gen->shared->keeper.horizon_ticks, HORIZON_TICKS, memory_order_relaxed);
    world_grant(1, 0, FIRST_TICK);
    world_share_grants();
    model_share(&world_gen->keeper.inside, sizeof world_gen->keeper.inside);
}

static void begin_extend(void)
{
    begin(false);
}

static void begin_replace(void)
{
    begin(true);
}

static void keep(void)
{
    frazil_err ignored = fz_keeper_extend(world_gen, FZ_DEADLINE_NONE, NULL);
    (void)ignored;
}

static void next_1(void)
{
    world_next(1);
}

/* ---- leaving ------------------------------------------------------------------------- */

#define SPEC_SNO "layout=sno worker=fixed:1 state=memory start=zero on_full=wait on_backward=ticktock max_wait=10s"

static const struct world a_step_back = {.spec = SPEC_SNO, .moments = 3, .ticks = {6, 8, 5}};

/* Tells the last process that it is the last: a lock of the kernel, held until the other process has left. */
static uint64_t processes;

static frazil_err release(void *ctx, struct fz_deadline deadline, const struct fz_grant *held, uint64_t used_tick)
{
    (void)deadline;
    (void)ctx;
    (void)held;
    model_expect(used_tick >= world_last_tick(), "I4: a tick is given back of which ids were issued");
    return FRAZIL_OK;
}

static void begin_leave(void)
{
    const struct fz_grant grant = {.worker = 1, .floor = 0, .until = FIRST_TICK + 1000, .version = 1};

    world_begin(&a_step_back);
    world_share_sides();
    world_set_word(6, 1);
    world_set_grant(&grant);
    world_gen->keeper.granter = (struct fz_granter){.ctx = world_gen, .release = release};
    processes = 1;
    model_share(&processes, sizeof processes);
}

static void next_twice_and_leave(void)
{
    world_sno_next(0);
    world_sno_next(0);
    model_unlock(&processes);
}

static void leave_last(void)
{
    model_lock(&processes);
    const struct fz_remnant remnant = fz_keeper_end(world_gen);
    fz_keeper_release(world_gen, FZ_DEADLINE_NONE, &remnant);
}

const struct scenario grants_scenarios[] = {
    {.name = "extend",
     .rule = "a thread takes an id while the keeper extends the grant",
     .threads = 2,
     .bound = 2,
     .begin = begin_extend,
     .run = {keep, next_1}},
    {.name = "replace",
     .rule = "a thread takes an id while the keeper replaces the grant by one of another worker",
     .threads = 2,
     .bound = 1,
     .begin = begin_replace,
     .run = {keep, next_1}},
    {.name = "leave",
     .rule = "who closes last gives back what no process has used",
     .threads = 2,
     .bound = 2,
     .begin = begin_leave,
     .run = {next_twice_and_leave, leave_last}},
    {.name = NULL},
};
