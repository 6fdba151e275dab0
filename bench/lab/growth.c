/* SPDX-License-Identifier: MIT */
/* More generators, more worker ids held and a longer run must not make an id dearer: these rows show it. */
#include "lab.h"

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

static bool run_crowd(struct bench_rig *rig, const struct bench_case *self, uint64_t count, double *ret_ns)
{
    return take_in_turns(lab_of(rig)->crowd, self->number, count, ret_ns);
}

static bool run_hasty(struct bench_rig *rig, const struct bench_case *self, uint64_t count, double *ret_ns)
{
    return take_in_turns(lab_of(rig)->hasty, self->number, count, ret_ns);
}

/* The time that memory takes for the same number of words, the same distance apart. */
static bool run_words(struct bench_rig *rig, const struct bench_case *self, uint64_t count, double *ret_ns)
{
    struct lab_page *pages = lab_of(rig)->pages;
    const unsigned words = self->number;
    unsigned which = 0;

    for (unsigned i = 0; i < words; i++)
        atomic_store_explicit(&pages[i].word, 0, memory_order_relaxed);
    double start = bench_worked_ns();
    for (uint64_t i = 0; i < count; i++) {
        BENCH_KEEP(bench_counter());
        BENCH_KEEP(atomic_fetch_add_explicit(&pages[which].word, 1, memory_order_relaxed));
        which = which + 1 == words ? 0 : which + 1;
    }
    *ret_ns = bench_worked_ns() - start;
    return true;
}

/* clang-format off */
#define TAKES(name, generator)                                                                                         \
    BENCH_RUN(name, frazil *gen = generator; uint64_t id,                                                              \
        err = frazil_next(gen, &id);                                                                                   \
        BENCH_KEEP(&id))

TAKES(run_aged, rig->gen)
TAKES(run_far, lab_of(rig)->far)
TAKES(run_held, lab_of(rig)->held[LAB_HELD - 1])
TAKES(run_leased, lab_of(rig)->leased[LAB_HELD - 1])
/* Both ask a clock of their own for each id, which stands still. */
TAKES(run_new, lab_of(rig)->timed[0].gen)
TAKES(run_old, lab_of(rig)->timed[1].gen)
/* clang-format on */

#define GROWTH(key, name) BENCH_LABEL("Costs that do not grow, per id", key, name, "ns")
#define AT_MOST(...)                                                                                                   \
    {                                                                                                                  \
        BENCH_AT_MOST, __VA_ARGS__                                                                                     \
    }
#define NO_MORE AT_MOST(1.1, "aged")

const struct bench_case lab_growth[] = {
    {GROWTH("aged", "one generator"), .run = run_aged},
    {GROWTH("crowd_1", "1 of 1000 open generators"), .label.targets = {NO_MORE}, .run = run_crowd, .number = 1},
    {GROWTH("words_10", "10 words in turns: read + add"), .run = run_words, .number = 10},
    {GROWTH("crowd_10", "10 generators in turns"), .label.targets = {NO_MORE, AT_MOST(1.25, "words_10")},
     .run = run_crowd, .number = 10},
    {GROWTH("words_100", "100 words in turns: read + add"), .run = run_words, .number = 100},
    {GROWTH("crowd_100", "100 generators in turns"), .label.targets = {AT_MOST(1.25, "words_100")}, .run = run_crowd,
     .number = 100},
    {GROWTH("words_1000", "1000 words in turns: read + add"), .run = run_words, .number = LAB_CROWD},
    {GROWTH("crowd_1000", "1000 generators in turns"), .label.targets = {AT_MOST(1.25, "words_1000")}, .run = run_crowd,
     .number = LAB_CROWD},
    {GROWTH("hasty_1000", "1000 in turns, a tick every few ids"), .label.targets = {{BENCH_TIMES, 0, "crowd_1000"}},
     .run = run_hasty, .number = LAB_CROWD},
    {GROWTH("held", "file-lock, 100 worker ids held"), .label.targets = {NO_MORE}, .run = run_held},
    {GROWTH("leased", "leased from a folder, 100 held"), .label.targets = {NO_MORE}, .run = run_leased},
    {GROWTH("far", "epoch=1970-01-01"), .label.targets = {NO_MORE}, .run = run_far},
    {GROWTH("new", "manual clock, new"), .run = run_new},
    {GROWTH("old", "manual clock, after 1000 hours"), .label.targets = {AT_MOST(1.1, "new")}, .run = run_old},
    {.run = NULL},
};
