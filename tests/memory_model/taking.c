/* SPDX-License-Identifier: MIT */
/* Ids are taken by several threads: within a tick, over its end, past its end, in batches, without waiting. */
#include <stdlib.h>

#include "scenarios.h"
#include "world.h"

/* Four ids a tick; whoever finds it full waits.  Of these, most scenarios need no more than the end. */
#define SPEC                                                                                                           \
    "layout=40t/4w/2s epoch=1970-01-01T00:00:00Z worker=fixed:1 state=memory start=zero on_full=wait max_wait=1s"
/* The same, but a call that finds it full fails. */
#define SPEC_ERROR "layout=40t/4w/2s epoch=1970-01-01T00:00:00Z worker=fixed:1 state=memory start=zero on_full=error"
/* Many ids a tick, so that handles take blocks. */
#define SPEC_WIDE                                                                                                      \
    "layout=40t/4w/6s epoch=1970-01-01T00:00:00Z worker=fixed:1 state=memory start=zero on_full=wait max_wait=1s"

/* Ids lead. */
#define SPEC_LEAD                                                                                                      \
    "layout=40t/4w/2s epoch=1970-01-01T00:00:00Z worker=fixed:1 state=memory start=zero on_full=lead max_lead=6ms "    \
    "max_wait=0s"

static const struct world one_tick = {.spec = SPEC, .has_counter = true, .moments = 1, .ticks = {0}};
static const struct world two_ticks = {.spec = SPEC, .has_counter = true, .moments = 2, .ticks = {0, 1}};
static const struct world a_jump = {.spec = SPEC, .has_counter = true, .moments = 2, .ticks = {0, 3}};
static const struct world never_waits = {.spec = SPEC_ERROR, .has_counter = true, .moments = 1, .ticks = {0}};
static const struct world leads = {.spec = SPEC_LEAD, .has_counter = true, .moments = 1, .ticks = {0}, .max_lead = 6};
static const struct world for_handles = {.spec = SPEC_WIDE, .has_counter = true, .moments = 1, .ticks = {0}};
static const struct world without_counter = {.spec = SPEC, .moments = 2, .ticks = {0, 1}};

static void next_0(void)
{
    world_next(0);
}

static void next_1(void)
{
    world_next(1);
}

static void next_2(void)
{
    world_next(2);
}

static void twice_0(void)
{
    world_next(0);
    world_next(0);
}

static void batch_0(void)
{
    world_next_n(0, 2);
}

static void try_0(void)
{
    world_try_next(0);
}

static void try_1(void)
{
    world_try_next(1);
}

static void begin_fast(void)
{
    world_begin(&one_tick);
    world_set_word(0, 1);
    world_anchor();
}

static void begin_slow(void)
{
    world_begin(&two_ticks);
    world_set_word(0, 1);
}

static void begin_bare(void)
{
    world_begin(&without_counter);
    world_set_word(0, 1);
}

static void begin_over(void)
{
    world_begin(&two_ticks);
    world_set_word(0, 1);
    world_anchor();
}

static void begin_full(void)
{
    world_begin(&one_tick);
    world_share_carried();
    world_set_word(0, 3);
    world_anchor();
}

/* One id is left of a tick ahead of the clock. */
static void begin_lead(void)
{
    world_begin(&leads);
    world_set_word(2, 3);
    world_anchor_lead(2);
}

/* The tick is used up, and whoever takes a ticket may find that its tick is long past. */
static void begin_stale(void)
{
    world_begin(&a_jump);
    world_set_word(0, 4);
    world_anchor();
}

static void begin_checked(void)
{
    world_begin(&never_waits);
    world_set_word(0, 3);
    world_anchor();
}

static void end_checked(void)
{
    model_expect(world_slots_taken() == 1, "I7: a call that failed has taken a slot");
}

static frazil_local *handle;

static void begin_handle(void)
{
    world_begin(&for_handles);
    world_set_word(0, 1);
    world_anchor();
    if (frazil_local_open(&handle, world_gen, NULL) != FRAZIL_OK)
        abort();
}

static void end_handle(void)
{
    frazil_local_close(handle);
}

static void next_of_handle(void)
{
    for (unsigned i = 0; i < 3; i++)
        world_local_next(0, handle);
}

const struct scenario taking_scenarios[] = {
    {.name = "fast",
     .rule = "two threads take ids of the anchored tick",
     .threads = 2,
     .begin = begin_fast,
     .run = {twice_0, next_1}},
    {.name = "slow",
     .rule = "two threads take ids, where there is no anchor",
     .threads = 2,
     .bound = 2,
     .begin = begin_slow,
     .run = {next_0, next_1}},
    {.name = "bare",
     .rule = "two threads take ids, where there is no counter",
     .threads = 2,
     .begin = begin_bare,
     .run = {next_0, next_1}},
    {.name = "bare-3",
     .rule = "three threads take ids, where there is no counter",
     .threads = 3,
     .bound = 2,
     .begin = begin_bare,
     .run = {next_0, next_1, next_2}},
    {.name = "over",
     .rule = "two threads take ids while the tick ends",
     .threads = 2,
     .bound = 2,
     .begin = begin_over,
     .run = {next_0, next_1}},
    {.name = "full",
     .rule = "three threads take ids, for one of which there is room in the tick",
     .threads = 3,
     .bound = 1,
     .begin = begin_full,
     .run = {next_0, next_1, next_2}},
    {.name = "lead",
     .rule = "two threads take ids of the tick that leads, and of the next one",
     .threads = 2,
     .bound = 2,
     .begin = begin_lead,
     .run = {twice_0, next_1}},
    {.name = "stale",
     .rule = "two threads find a used-up tick, and the clock far beyond it",
     .threads = 2,
     .bound = 1,
     .begin = begin_stale,
     .run = {next_0, next_1}},
    {.name = "batch",
     .rule = "a batch and an id are taken of the anchored tick",
     .threads = 2,
     .begin = begin_fast,
     .run = {batch_0, next_1}},
    {.name = "checked",
     .rule = "two calls that never wait want the last id of a tick",
     .threads = 2,
     .bound = 3,
     .begin = begin_checked,
     .run = {try_0, try_1},
     .end = end_checked},
    {.name = "handle",
     .rule = "a handle takes blocks of the anchored tick, and another thread ids",
     .threads = 2,
     .bound = 3,
     .begin = begin_handle,
     .run = {next_of_handle, next_1},
     .end = end_handle},
    {.name = NULL},
};
