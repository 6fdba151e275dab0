/* SPDX-License-Identifier: MIT */
/* What an id must not cost more for: more generators, more worker ids held, and the time for which they have run. */
#include "cases.h"
#include "clock.h"

/* One id of each of so many generators in turns; their memory is near when that is measured. */
static bool take_in_turns(frazil *const *crowd, unsigned generators, uint64_t count, double *ret_ns)
{
    frazil_err err = FRAZIL_OK;
    unsigned which = 0;
    uint64_t id;

    for (unsigned i = 0; i < generators && err == FRAZIL_OK; i++)
        err = frazil_next(crowd[i], &id);
    double start = bench_worked_ns();
    for (uint64_t i = 0; i < count && err == FRAZIL_OK; i++) {
        err = frazil_next(crowd[which], &id);
        BENCH_KEEP(&id);
        which = which + 1 == generators ? 0 : which + 1;
    }
    *ret_ns = bench_worked_ns() - start;
    return bench_went_well(err);
}

static bool run_crowd_1(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return take_in_turns(rig->crowd, 1, count, ret_ns);
}

static bool run_crowd_10(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return take_in_turns(rig->crowd, 10, count, ret_ns);
}

static bool run_crowd_100(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return take_in_turns(rig->crowd, 100, count, ret_ns);
}

static bool run_crowd_1000(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return take_in_turns(rig->crowd, BENCH_CROWD, count, ret_ns);
}

static bool run_hasty_1000(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return take_in_turns(rig->hasty, BENCH_CROWD, count, ret_ns);
}

/* What memory takes for as many words that lie as far apart. */
static bool read_and_add_in_turns(struct bench_rig *rig, unsigned words, uint64_t count, double *ret_ns)
{
    unsigned which = 0;

    for (unsigned i = 0; i < words; i++)
        atomic_store_explicit(&rig->pages[i].word, 0, memory_order_relaxed);
    double start = bench_worked_ns();
    for (uint64_t i = 0; i < count; i++) {
        BENCH_KEEP(bench_counter());
        BENCH_KEEP(atomic_fetch_add_explicit(&rig->pages[which].word, 1, memory_order_relaxed));
        which = which + 1 == words ? 0 : which + 1;
    }
    *ret_ns = bench_worked_ns() - start;
    return true;
}

static bool run_words_10(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return read_and_add_in_turns(rig, 10, count, ret_ns);
}

static bool run_words_100(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return read_and_add_in_turns(rig, 100, count, ret_ns);
}

static bool run_words_1000(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return read_and_add_in_turns(rig, BENCH_CROWD, count, ret_ns);
}

static bool run_aged(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return bench_take(rig->gen, count, ret_ns);
}

static bool run_far(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return bench_take(rig->far, count, ret_ns);
}

static bool run_held(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return bench_take(rig->held[BENCH_HELD - 1], count, ret_ns);
}

static bool run_leased(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return bench_take(rig->leased[BENCH_HELD - 1], count, ret_ns);
}

/* Both ask a clock of their own for each id, which stands still. */
static bool run_new(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return bench_take(rig->timed[0].gen, count, ret_ns);
}

static bool run_old(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return bench_take(rig->timed[1].gen, count, ret_ns);
}

/* ---- opening one more ------------------------------------------------------------ */

/* In a folder in which nobody holds anything. */
static bool run_open_lock_none(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return bench_open_often(rig, "worker=file-lock namespace=spare keeper=inline", true, count, ret_ns);
}

static bool run_open_lock(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return bench_open_often(rig, "worker=file-lock keeper=inline", true, count, ret_ns);
}

/* Begins to look above those that are held. */
static bool run_open_lock_base(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return bench_open_often(rig, "worker=file-lock base=100 keeper=inline", true, count, ret_ns);
}

static bool run_open_lease_none(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return bench_open_leased(rig, rig->spare_url, count, ret_ns);
}

static bool run_open_lease(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return bench_open_leased(rig, rig->lease_url, count, ret_ns);
}

#define GROWTH "What does not grow, an id"
#define OPENING "Opening one more"
#define NO_MORE BENCH_AT_MOST, 1.1, "aged"
#define NEAR_WORDS(words) BENCH_AT_MOST, 1.25, words
#define US .unit_ns = 1000

const struct bench_case bench_growth[] = {
    {.row = BENCH_ROW(GROWTH, "aged", "the generator of all rows above", "ns"), .run = run_aged},
    {.row = BENCH_ROW_HELD_TO(GROWTH, "crowd_1", "1 of 1000 open generators", "ns", {NO_MORE}), .run = run_crowd_1},
    {.row = BENCH_ROW(GROWTH, "words_10", "10 words in turns: read + add", "ns"), .run = run_words_10},
    {.row = BENCH_ROW_HELD_TO(GROWTH, "crowd_10", "10 of them in turns", "ns", {NO_MORE}, {NEAR_WORDS("words_10")}),
     .run = run_crowd_10},
    {.row = BENCH_ROW(GROWTH, "words_100", "100 words in turns: read + add", "ns"), .run = run_words_100},
    {.row = BENCH_ROW_HELD_TO(GROWTH, "crowd_100", "100 of them in turns", "ns", {NEAR_WORDS("words_100")}),
     .run = run_crowd_100},
    {.row = BENCH_ROW(GROWTH, "words_1000", "1000 words in turns: read + add", "ns"), .run = run_words_1000},
    {.row = BENCH_ROW_HELD_TO(GROWTH, "crowd_1000", "all 1000 in turns", "ns", {NEAR_WORDS("words_1000")}),
     .run = run_crowd_1000},
    {.row = BENCH_ROW_HELD_TO(GROWTH, "hasty_1000", "the same, a tick every few ids", "ns",
                              {BENCH_TIMES, 0, "crowd_1000"}),
     .run = run_hasty_1000},
    {.row = BENCH_ROW_HELD_TO(GROWTH, "held", "worker 99 of 100 held by file-lock", "ns", {NO_MORE}), .run = run_held},
    {.row = BENCH_ROW_HELD_TO(GROWTH, "leased", "lease 99 of 100 from a folder", "ns", {NO_MORE}), .run = run_leased},
    {.row = BENCH_ROW_HELD_TO(GROWTH, "far", "ticks that count from 1970", "ns", {NO_MORE}), .run = run_far},
    {.row = BENCH_ROW(GROWTH, "new", "on a clock of its own, new", "ns"), .run = run_new},
    {.row = BENCH_ROW_HELD_TO(GROWTH, "old", "the same, 1000 hours and grants old", "ns", {BENCH_AT_MOST, 1.1, "new"}),
     .run = run_old},
    {.row = BENCH_ROW(OPENING, "open_lock_none", "file-lock, none held", "us"), .run = run_open_lock_none, US},
    {.row =
         BENCH_ROW_HELD_TO(OPENING, "open_lock_held", "file-lock, 100 held", "us", {BENCH_TIMES, 0, "open_lock_none"}),
     .run = run_open_lock,
     US},
    {.row = BENCH_ROW_HELD_TO(OPENING, "open_lock_base", "file-lock, 100 held, base=100", "us",
                              {BENCH_TIMES, 0, "open_lock_none"}),
     .run = run_open_lock_base,
     US},
    {.row = BENCH_ROW(OPENING, "open_lease_none", "leased from a folder, none held", "us"),
     .run = run_open_lease_none,
     US},
    {.row = BENCH_ROW_HELD_TO(OPENING, "open_lease_held", "leased from a folder, 100 held", "us",
                              {BENCH_TIMES, 0, "open_lease_none"}),
     .run = run_open_lease,
     US},
    {.run = NULL},
};
