/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a program may fork in one thread while another one is in a call
 * of frazil.  The child has the descriptors of that moment, and with them each lock
 * that the call has just taken.  It keeps nobody from a worker that it does not use,
 * however long it lives and at whichever step of the call it was forked.
 *
 * Each lock goes through flock() below, which forks after the n-th one.
 */
#define _GNU_SOURCE /* syscall */
#include <signal.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "admin/state.h"
#include "frazil.h"
#include "lib/bound.h"
#include "lib/scratch.h"
#include "lib/state_repair.h"
#include "lib/test.h"

/* ---- forking inside -------------------------------------------------------------- */

static unsigned fork_at; /* 0: never */
static unsigned locks;
static pid_t child;

int flock(int fd, int operation)
{
    int result = (int)syscall(SYS_flock, fd, operation);

    if (fork_at != 0 && ++locks == fork_at && (child = bound_fork()) == 0) {
        for (;;)
            pause();
    }
    return result;
}

/* ---- open descriptors ----------------------------------------------------------------- */

/* Words of one worker: LOW and HIGH overlap with MIDDLE, and ALL with each of them. */
enum part { LOW, MIDDLE, HIGH, ALL, PARTS };

static const char *const bounds_of[PARTS] = {
    [LOW] = "seq_min=0 seq_max=19", [MIDDLE] = "seq_min=10 seq_max=29", [HIGH] = "seq_min=20 seq_max=39", [ALL] = ""};

static const char *scratch;

/* Rounds by the dozen make all files anew, and none has to outlive the host: a disk would be all that they wait for. */
BEFORE_ALL
{
    scratch_prefer_memory();
}

BEFORE_EACH
{
    unsetenv("FRAZIL_STATE");
}

static const char *spec_of(enum part part)
{
    static char spec[900];

    snprintf(
        spec, sizeof spec,
        "layout='41/10/6 epoch=2026-01-01' worker=fixed:7 state=file namespace=n run_dir=%s/run state_dir=%s/state "
        "keeper=inline allow_short_life=yes %s",
        scratch, scratch, bounds_of[part]);
    return spec;
}

static frazil *open_part(enum part part)
{
    frazil *gen = NULL;
    frazil_error why;

    if (frazil_open(&gen, spec_of(part), &why) != FRAZIL_OK)
        fail_msg("lock %u, %s: %s", fork_at, bounds_of[part], why.message);
    return gen;
}

static void open_and_close(enum part part)
{
    frazil_close(open_part(part));
}

/* ---- rounds ----------------------------------------------------------------------- */

/* Two steps: the call that forks at each of its locks, and the calls that must succeed while the child lives. */
struct course {
    frazil *(*begin)(void); /* without a fork; NULL: nothing */
    frazil *(*act)(frazil *gen);
    void (*check)(void);
};

/* False: there was no such lock. */
static bool run_once(const struct course *course, unsigned at)
{
    frazil *gen = NULL;

    test_change_host();
    scratch = scratch_make();
    for (enum part part = LOW; part < PARTS; part++)
        open_and_close(part);
    if (course->begin != NULL)
        gen = course->begin();
    child = 0;
    locks = 0;
    fork_at = at;
    gen = course->act(gen);
    bool forked = child != 0;
    if (forked)
        course->check();
    fork_at = 0;
    frazil_close(gen);
    if (forked) {
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
    }
    scratch_remove(scratch);
    return forked;
}

static void run(const struct course *course, unsigned locks_at_least)
{
    unsigned at = 1;

    while (run_once(course, at))
        at++;
    assert_true(at > locks_at_least);
}

static void check_all(void)
{
    for (enum part part = LOW; part < PARTS; part++)
        open_and_close(part);
}

/* ---- looking and repairing ---------------------------------------------------------- */

static frazil *look(frazil *gen)
{
    struct fz_state state;
    frazil_error why;

    if (state_look(spec_of(ALL), &state, &why) != FRAZIL_OK)
        fail_msg("%s", why.message);
    fz_state_free(&state);
    return gen;
}

TEST("An operator's look takes each lock for a moment, to see whether somebody has it")
{
    run(&(struct course){NULL, look, check_all}, 16);
}

static void ignore(void *ctx, const frazil_admin_kept *kept)
{
    (void)ctx;
    (void)kept;
}

static frazil *repair(frazil *gen)
{
    frazil_error why;

    if (state_repair(spec_of(LOW), true, ignore, NULL, &why) != FRAZIL_OK)
        fail_msg("%s", why.message);
    return gen;
}

TEST("A repair takes the locks of all words of the worker, and leaves none")
{
    run(&(struct course){NULL, repair, check_all}, 16);
}

/* ---- opening and closing -------------------------------------------------------------- */

static frazil *open_low(frazil *gen)
{
    (void)gen;
    return open_part(LOW);
}

static void check_high(void)
{
    open_and_close(HIGH);
}

TEST("An open looks whether anybody has the words with overlapping bounds: they stay free for those beside it")
{
    run(&(struct course){NULL, open_low, check_high}, 10);
}

static frazil *begin_low(void)
{
    return open_part(LOW);
}

static frazil *close_it(frazil *gen)
{
    frazil_close(gen);
    return NULL;
}

static void check_low(void)
{
    open_and_close(LOW);
}

TEST("A closing process looks whether it is the last one: the next one is not kept out")
{
    run(&(struct course){begin_low, close_it, check_low}, 4);
}
