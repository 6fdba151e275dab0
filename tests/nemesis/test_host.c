/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: on one host, without a coordinator, processes that are killed
 * at any instruction never repeat an id (I1, I4), wherever the clock stands when the
 * next one starts.  They never leave a worker id behind that nobody can take.
 */
#include <sys/wait.h>

#include "lib/callers.h"
#include "lib/herd.h"
#include "lib/nemesis.h"
#include "lib/scratch.h"
#include "lib/test.h"

EACH_IN_SCRATCH

static const char *spec_of(const char *more)
{
    static char spec[512];

    snprintf(spec, sizeof spec, "state=file run_dir='%s/run' state_dir='%s/state' %s", scratch, scratch, more);
    return spec;
}

/* ---- worker=file-lock ------------------------------------------------------------ */

enum { PLACES = 64, AT_ONCE = 16 };

/* Waits until those that were just started are open: each has a worker id that no other living one has. */
static void check_places(struct herd *herd, const size_t *member, size_t n)
{
    bool taken[PLACES] = {false};

    for (size_t i = 0; i < n; i++) {
        frazil_err opened = herd_await_open(herd, member[i]);
        if (opened != FRAZIL_OK)
            fail_msg("%s", herd->members[member[i]].error.message);
        uint32_t worker = herd->members[member[i]].worker;
        assert_true(worker < PLACES);
        assert_false(taken[worker]);
        taken[worker] = true;
    }
}

TEST("Starts and kill -9s, 10,000 of them: never two holders of one number, and a number is free at once")
{
    size_t starts = 10000 * (size_t)nemesis_scale();
    size_t member[PLACES];
    uint64_t random = 3;
    size_t alive = 0;
    struct herd herd;

    herd_open(&herd, starts, 8 * starts, NULL);
    while (herd.count < starts) {
        while (alive < PLACES && herd.count < starts)
            member[alive++] = herd_start(&herd, spec_of("worker=file-lock count=64 keeper=inline"), 8, 200);
        check_places(&herd, member, alive);
        for (size_t killed = 0; killed < AT_ONCE && alive > 0; killed++) {
            size_t i = caller_random(&random) % alive;
            herd_kill(&herd, member[i]);
            member[i] = member[--alive];
        }
    }
    herd_assert_unique(&herd);
    herd_close(&herd);
}

/* ---- the clock set back ------------------------------------------------------------ */

enum { LOADED = 3, IDS_EACH = 30000 };

static void start_loaded(struct herd *herd, size_t member[LOADED])
{
    for (size_t i = 0; i < LOADED; i++)
        member[i] = herd_start(herd, spec_of("worker=fixed:5 max_lead=none"), IDS_EACH, 0);
    for (size_t i = 0; i < LOADED; i++)
        herd_await_ids(herd, member[i], 20);
}

TEST("500 times: three processes that share a worker's word are killed under load.  The next ones start with the clock "
     "set back by up to ten seconds; one time in eight as after a boot, with only the grant file left")
{
    unsigned rounds = 500 / LOADED + 1;
    size_t member[LOADED];
    uint64_t random = 7;
    struct herd herd;

    if (nemesis_scale() > 1)
        rounds *= 4;
    herd_open(&herd, (size_t)rounds * LOADED, (uint64_t)rounds * LOADED * IDS_EACH, NULL);
    herd_use_clock(&herd);
    for (unsigned round = 0; round < rounds; round++) {
        herd_set_clock(&herd, -(int64_t)(caller_random(&random) % 10000));
        start_loaded(&herd, member);
        pause_ns(caller_random(&random) % 3000000);
        for (size_t i = 0; i < LOADED; i++)
            herd_kill(&herd, member[i]);
        if (caller_random(&random) % 8 == 0) {
            scratch_delete(scratch_path(scratch, "run"));
            test_change_host(); /* a boot empties the host directory, too */
        }
    }
    herd_assert_unique(&herd);
    herd_close(&herd);
}
