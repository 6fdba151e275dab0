/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: as many ids as one likes, by processes that are killed, stopped and started again all the time
 * while their clock is set to and fro, over files, over a lease that a host shares and over each coordinator, and no id
 * twice (I1).  TEST_IDS in the environment tells how many each of these is to issue, an eighth of it where all have one
 * number, which is slower; `make ids` asks for 1e11 in all.
 *
 * The processes write runs of ids down: the ids of a batch are consecutive, but for the ends of ticks.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/bound.h"
#include "lib/callers.h"
#include "lib/nemesis.h"
#include "lib/patience.h"
#include "lib/ports.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "os/clock.h"
#include "os/memory.h"

EACH_IN_SCRATCH

enum { PLACES = 6, WORKERS = 64, HORIZON_MS = 2000, BATCH = 8192, STEP_MS = 200 };

/* Consecutive ids that one process took.  A process that was killed in between leaves a count of 0. */
struct run {
    uint64_t first;
    _Atomic uint64_t count;
};

/* Shared by the test and its processes. */
struct band {
    _Atomic uint64_t ids;
    _Atomic uint64_t runs_used;
    _Atomic int64_t offset_ms; /* how far their clock is ahead of the real one */
    _Atomic bool is_broken;    /* one of them has met what no fault explains: */
    frazil_error error;
    uint64_t room; /* for runs */
    struct run runs[];
};

struct campaign {
    const frazil_coordinator *const *coordinators;
    const char *spec;
    bool steps_clock; /* not where the ids of a host follow one clock, which is the system's */
    struct band *band;
    pid_t place[PLACES];
    unsigned stopped[PLACES]; /* for how many more steps; 0: it runs */
    uint64_t random;
    unsigned kills, stops, steps;
};

/* ---- a process --------------------------------------------------------------------- */

static void shifted_now(void *ctx, frazil_instant *ret)
{
    const struct band *band = ctx;
    frazil_instant now = fz_real_now();

    now.unix_ms += band->offset_ms;
    *ret = now;
}

static void write_run(struct band *band, uint64_t first, uint64_t count)
{
    uint64_t at = band->runs_used++;

    if (at >= band->room)
        return; /* which the test looks at */
    band->runs[at].first = first;
    band->runs[at].count = count;
}

static void write_ids(struct band *band, const uint64_t *ids, size_t n)
{
    size_t begin = 0;

    for (size_t i = 1; i <= n; i++) {
        if (i < n && ids[i] == ids[i - 1] + 1)
            continue;
        write_run(band, ids[begin], i - begin);
        begin = i;
    }
    band->ids += n;
}

static _Noreturn void break_off(struct band *band, const frazil_error *err)
{
    band->error = *err;
    band->is_broken = true;
    _exit(2);
}

/* Whether a fault of the test explains the error: the next call may have ids again. */
static bool is_explained(frazil_err err)
{
    return err == FRAZIL_EFULL || err == FRAZIL_EAGAIN || err == FRAZIL_ECLOCK || err == FRAZIL_ELEASE ||
           err == FRAZIL_EPOOL;
}

/* Up to BATCH ids in one call or in many. */
static frazil_err take_some(frazil *gen, uint64_t *random, uint64_t *ids, size_t *ret_n, frazil_error *reterr)
{
    size_t n = 1 + caller_random(random) % BATCH;
    frazil_err err = FRAZIL_OK;

    *ret_n = 0;
    if (caller_random(random) % 64 != 0) {
        err = frazil_take(gen, ids, n, FRAZIL_WAIT_DEFAULT, reterr);
        *ret_n = err == FRAZIL_OK ? n : 0;
        return err;
    }
    for (; *ret_n < n && err == FRAZIL_OK; *ret_n += err == FRAZIL_OK)
        err = frazil_take(gen, &ids[*ret_n], 1, FRAZIL_WAIT_DEFAULT, reterr);
    return err;
}

static _Noreturn void live(const struct campaign *campaign, uint64_t random)
{
    static uint64_t ids[BATCH];
    struct band *band = campaign->band;
    frazil_clock clock = fz_real_clock();
    const struct ports ports = {.coordinators = campaign->coordinators, .clock = campaign->steps_clock ? &clock : NULL};
    frazil_error err;
    frazil *gen;
    size_t n;

    clock.now = shifted_now;
    clock.ctx = band;
    for (;;) {
        frazil_err opened = ports_open(&gen, campaign->spec, &ports, &err);
        if (opened == FRAZIL_OK)
            break;
        if (!is_explained(opened))
            break_off(band, &err);
        pause_shortly();
    }
    for (;;) {
        frazil_err taken = take_some(gen, &random, ids, &n, &err);
        write_ids(band, ids, n);
        if (taken == FRAZIL_OK)
            continue;
        if (!is_explained(taken))
            break_off(band, &err);
        pause_shortly();
    }
}

/* ---- faults ------------------------------------------------------------------------ */

static void start(struct campaign *campaign, size_t i)
{
    uint64_t random = caller_random(&campaign->random) | 1;

    campaign->place[i] = bound_fork();
    assert_true(campaign->place[i] >= 0);
    if (campaign->place[i] == 0)
        live(campaign, random);
    campaign->stopped[i] = 0;
}

static void end(struct campaign *campaign, size_t i)
{
    kill(campaign->place[i], SIGKILL);
    assert_int_equal(waitpid(campaign->place[i], NULL, 0), campaign->place[i]);
}

static void resume_due(struct campaign *campaign)
{
    for (size_t i = 0; i < PLACES; i++) {
        if (campaign->stopped[i] > 0 && --campaign->stopped[i] == 0)
            kill(campaign->place[i], SIGCONT);
    }
}

/* One step of the test: most do nothing, so that there are ids in between. */
static void strike(struct campaign *campaign)
{
    uint64_t what = caller_random(&campaign->random) % 100, i = caller_random(&campaign->random) % PLACES;

    resume_due(campaign);
    if (what < 3) {
        end(campaign, i);
        start(campaign, i);
        campaign->kills++;
    } else if (what < 6 && campaign->stopped[i] == 0) {
        kill(campaign->place[i], SIGSTOP);
        campaign->stopped[i] = 1 + (unsigned)(caller_random(&campaign->random) % 150); /* up to more than a horizon */
        campaign->stops++;
    } else if (what < 8 && campaign->steps_clock) {
        campaign->band->offset_ms = (int64_t)(caller_random(&campaign->random) % (2 * STEP_MS)) - STEP_MS;
        campaign->steps++;
    }
}

/* ---- the count --------------------------------------------------------------------- */

static int by_first(const void *one, const void *other)
{
    const struct run *a = one, *b = other;

    return (a->first > b->first) - (a->first < b->first);
}

/* Sorts n runs.  Returns the first one that has an id of the one before, NULL if none has. */
static const struct run *find_repeated(struct run *runs, size_t n)
{
    qsort(runs, n, sizeof *runs, by_first);
    for (size_t i = 1; i < n; i++) {
        const struct run *before = &runs[i - 1];
        if (before->count > 0 && runs[i].count > 0 && runs[i].first - before->first < before->count)
            return &runs[i];
    }
    return NULL;
}

TEST("A run that has an id of another one is found, and neighbours are not")
{
    struct run apart[] = {{20, 5}, {10, 10}, {25, 1}, {30, 0}, {30, 1}};
    struct run inside[] = {{20, 5}, {10, 15}, {40, 1}};
    struct run equal[] = {{7, 1}, {9, 1}, {7, 1}};

    assert_null(find_repeated(apart, 5));
    assert_int_equal(find_repeated(inside, 3)->first, 20);
    assert_int_equal(find_repeated(equal, 3)->first, 7);
}

/* A run that was not written to its end has no ids that anybody saw. */
static size_t drop_empty(struct run *runs, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        if (runs[i].count == 0)
            continue;
        runs[kept].first = runs[i].first;
        runs[kept++].count = runs[i].count;
    }
    return kept;
}

static void check_unique(struct band *band)
{
    uint64_t used = band->runs_used;

    assert_true(used <= band->room);
    size_t n = drop_empty(band->runs, used);
    const struct run *repeated = find_repeated(band->runs, n);
    if (repeated != NULL)
        fail_msg("%ju and the %ju ids from there on were taken twice, or some of them", (uintmax_t)repeated->first,
                 (uintmax_t)repeated->count);
}

/* ---- the test ---------------------------------------------------------------------- */

static uint64_t ids_wanted(bool is_one_number)
{
    const char *text = getenv("TEST_IDS");
    uint64_t ids = text == NULL ? UINT64_C(60000000) : (uint64_t)strtod(text, NULL);

    return is_one_number ? ids / 8 : ids;
}

/* Runs until all have taken so many ids, and looks for one that was taken twice. */
static void issue(const char *name, const char *spec, bool is_one_number, const frazil_coordinator *const *coordinators)
{
    uint64_t wanted = ids_wanted(is_one_number), room = wanted / 64 + 1000000;
    size_t size = sizeof(struct band) + room * sizeof(struct run);
    struct campaign campaign = {.coordinators = coordinators,
                                .spec = spec,
                                .steps_clock = strstr(spec, "share=host") == NULL,
                                .random = 5,
                                .band = fz_map_shared(size)};
    time_t began = time(NULL);

    assert_non_null(campaign.band);
    campaign.band->room = room;
    for (size_t i = 0; i < PLACES; i++)
        start(&campaign, i);
    while (campaign.band->ids < wanted && !campaign.band->is_broken) {
        pause_ns(20000000);
        strike(&campaign);
    }
    for (size_t i = 0; i < PLACES; i++)
        end(&campaign, i);
    if (campaign.band->is_broken)
        fail_msg("%s: %s", name, campaign.band->error.message);
    print_message("%s: %ju ids in %ju runs and %ju s, %u kills, %u stops, %u steps of the clock\n", name,
                  (uintmax_t)campaign.band->ids, (uintmax_t)campaign.band->runs_used, (uintmax_t)(time(NULL) - began),
                  campaign.kills, campaign.stops, campaign.steps);
    check_unique(campaign.band);
    fz_unmap(campaign.band, size);
}

TEST("Over files, of a number that all have and of numbers of their own: no id twice")
{
    static const char *const workers[] = {"worker=fixed:5", "worker=file-lock count=64"};
    char spec[512];

    for (size_t i = 0; i < sizeof workers / sizeof workers[0]; i++) {
        snprintf(spec, sizeof spec, "layout=frazil state=file run_dir='%s/run' state_dir='%s/state' %s", scratch,
                 scratch, workers[i]);
        issue(workers[i], spec, i == 0, NULL);
    }
}

TEST_OF_KINDS(for_each_server, "Over each coordinator, with leases of their own and with one for the host: no id twice")
{
    static const char *const shares[] = {"share=process", "share=host"};
    char spec[1024], name[64];

    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        nemesis_start(kind, WORKERS, HORIZON_MS);
        snprintf(spec, sizeof spec, "%s run_dir='%s/%s-run' %s", shares[i], scratch, kind->name,
                 nemesis_patient_spec(kind, 0, ""));
        snprintf(name, sizeof name, "%s, %s", kind->name, shares[i]);
        issue(name, spec, i == 1, nemesis_coordinators());
    }
}
