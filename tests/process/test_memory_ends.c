/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test (I2): with state=memory no id comes twice, however the processes end that had the number before.
 * The next generator would repeat them: it begins in the same tick, if ticks are long, or behind ids that lead.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frazil.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "os/memory.h"

EACH_IN_SCRATCH

#define LONG_TICKS "layout='37/8/18 tick=60s' worker=fixed:7 state=memory start=zero on_full=lead max_lead=1h"
#define SHORT_TICKS "layout='41/18/4' worker=fixed:7 state=memory start=zero on_full=lead max_lead=1h"
/* So few slots that none is taken by adding. */
#define FEW_SLOTS "layout='18/8/4 tick=3600s' worker=fixed:7 state=memory start=zero on_full=lead max_lead=100000h"

/* The last id, whichever process took it. */
static uint64_t *last;

BEFORE_ALL
{
    last = fz_map_shared(sizeof *last);
    assert_non_null(last);
}

static frazil *open_or_fail(const char *spec)
{
    frazil_error err;
    frazil *gen;

    if (frazil_open(&gen, spec, &err) != FRAZIL_OK)
        fail_msg("%s: %s", spec, err.message);
    return gen;
}

/* Whether the id is above the last one, which it is then. */
static bool is_next(uint64_t id)
{
    bool is_above = id > *last;

    *last = id;
    return is_above;
}

/* A way to take ids; whether there were any, all above the last one.  It runs in children, which must not assert. */
typedef bool way_to_take(frazil *gen);

static bool take_one(frazil *gen)
{
    uint64_t id;

    return frazil_next(gen, &id) == FRAZIL_OK && is_next(id);
}

/* Enough to know how fast the counter runs, and then to go on without the clock. */
static bool take_one_by_one(frazil *gen)
{
    for (int i = 0; i < 100000; i++) {
        if (!take_one(gen))
            return false;
    }
    return true;
}

static bool take_batch(frazil *gen)
{
    uint64_t ids[100];

    bool has_taken = frazil_take(gen, ids, 100, FRAZIL_WAIT_DEFAULT, NULL) == FRAZIL_OK && is_next(ids[0]);
    *last = ids[99];
    return has_taken;
}

static bool take_by_handle(frazil *gen)
{
    frazil_local *local;
    uint64_t id;

    if (frazil_local_open(&local, gen, NULL) != FRAZIL_OK)
        return false;
    for (int i = 0; i < 100; i++) {
        if (frazil_local_next(local, &id) != FRAZIL_OK || !is_next(id))
            return false;
    }
    return true;
}

/* In a child, which ends without closing. */
static void end_after(way_to_take *take, const char *spec, int sig)
{
    frazil *gen;
    int status;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        if (frazil_open(&gen, spec, NULL) != FRAZIL_OK || !take(gen))
            _exit(1);
        (void)kill(getpid(), sig);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, sig);
}

TEST("A process that is killed, or ends without closing, leaves its last tick to the next one")
{
    static way_to_take *const ways[] = {take_one, take_one_by_one, take_batch, take_by_handle};
    static const char *const specs[] = {LONG_TICKS, SHORT_TICKS, FEW_SLOTS};

    for (size_t i = 0; i < 12; i++) {
        *last = i % 4 == 0 ? 0 : *last;
        end_after(ways[i % 4], specs[i / 4], 0);
        end_after(ways[i % 4], specs[i / 4], SIGKILL);
        frazil *gen = open_or_fail(specs[i / 4]);
        assert_true(take_one(gen));
        frazil_close(gen);
    }
}

/* Takes ids in a child once the parent has closed the generator. */
static pid_t start_heir(frazil *gen, int go[2])
{
    char none;

    assert_int_equal(pipe(go), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(go[1]);
        bool has_closed = read(go[0], &none, 1) == 0;
        _exit(has_closed && take_batch(gen) ? 0 : 1);
    }
    close(go[0]);
    return child;
}

TEST("A child that goes on with a generator that its parent closed leaves its last tick to the parent")
{
    frazil *gen = open_or_fail(LONG_TICKS);

    *last = 0;
    assert_true(take_one(gen));
    for (int round = 0; round < 5; round++) {
        int go[2], status;
        pid_t child = start_heir(gen, go);

        frazil_close(gen);
        close(go[1]);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        gen = open_or_fail(LONG_TICKS);
        assert_true(take_one(gen));
    }
    frazil_close(gen);
}

static bool take_and_close_at_once(frazil *gen)
{
    return take_one(gen) && frazil_close_within(gen, 0) != FRAZIL_EINVAL;
}

TEST("So does a close that has no time left before the process ends")
{
    *last = 0;
    for (int round = 0; round < 5; round++)
        end_after(take_and_close_at_once, LONG_TICKS, 0);
}

TEST("Snos go on as well")
{
    frazil_sno before = {{0}};
    frazil_sno *shared = fz_map_shared(sizeof *shared);

    assert_non_null(shared);
    for (int round = 0; round < 50; round++) {
        pid_t child = fork();
        int status;

        assert_true(child >= 0);
        if (child == 0) {
            frazil *gen = open_or_fail("layout=sno partition=7 state=memory start=zero");
            _exit(frazil_sno_next(gen, 0, shared) == FRAZIL_OK ? 0 : 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        assert_true(memcmp(&before, shared, sizeof before) < 0);
        before = *shared;
    }
    fz_unmap(shared, sizeof *shared);
}
