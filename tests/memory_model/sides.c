/* SPDX-License-Identifier: MIT */
/* sno's tick-tock: the clock steps back, and back again, while ids are taken. */
#include "scenarios.h"
#include "world.h"

#define SPEC "layout=sno worker=fixed:1 state=memory start=zero on_full=wait on_backward=ticktock max_wait=10s"

static const struct world two_steps_back = {.spec = SPEC, .moments = 2, .ticks = {5, 4}};

static const struct world four_steps = {.spec = SPEC, .moments = 5, .ticks = {5, 8, 4, 9, 7}};

/* The word stands above both. */
static void begin_toggle(void)
{
    world_begin(&two_steps_back);
    world_share_sides();
    world_set_word(6, 1);
}

/* A thread that is held up while it closes a side, which others meanwhile go on with, close themselves and come back
 * to. */
static void begin_steps(void)
{
    world_begin(&four_steps);
    world_share_sides();
    world_set_word(6, 1);
}

static void next_0(void)
{
    world_sno_next(0);
}

static void next_1(void)
{
    world_sno_next(1);
}

static void twice_0(void)
{
    world_sno_next(0);
    world_sno_next(0);
}

static void three_times_1(void)
{
    for (unsigned i = 0; i < 3; i++)
        world_sno_next(1);
}

static void next_2(void)
{
    world_sno_next(2);
}

static const struct world one_tick = {.spec = SPEC, .has_counter = true, .moments = 1, .ticks = {5}};

static void begin_fast(void)
{
    world_begin(&one_tick);
    world_set_word(5, 1);
    world_anchor();
}

const struct scenario sides_scenarios[] = {
    {.name = "toggle",
     .rule = "two threads take snos while the clock steps back twice",
     .threads = 2,
     .bound = 3,
     .begin = begin_toggle,
     .run = {next_0, next_1}},
    {.name = "toggle-3",
     .rule = "three threads take snos while the clock steps back twice",
     .threads = 3,
     .bound = 2,
     .begin = begin_toggle,
     .run = {next_0, next_1, next_2}},
    {.name = "toggle-often",
     .rule = "a thread takes snos while the clock steps back and forth, and another one is held up",
     .threads = 2,
     .bound = 1,
     .begin = begin_steps,
     .run = {twice_0, three_times_1}},
    {.name = "sno",
     .rule = "two threads take snos of the anchored tick",
     .threads = 2,
     .begin = begin_fast,
     .run = {next_0, next_1}},
    {.name = NULL},
};
