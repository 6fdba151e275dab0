/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a call that is refused may name the claim of its worker id at any moment, also while the keeper
 * puts a claim back that somebody has removed, and maps its page anew.  ThreadSanitizer is the judge; without it the
 * test shows that each sentence is whole.
 */
#include <glob.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frazil.h"
#include "lib/ports.h"
#include "lib/rig.h"
#include "lib/scratch.h"
#include "lib/test.h"

enum { AHEAD_MS = 600000, ROUND_MS = 25000, ROUNDS = 16, CALLERS = 2 };

EACH_IN_SCRATCH

static frazil *gen;
static char advice[512]; /* the claim's path in it */
static atomic_bool is_over;
static _Atomic uint64_t sentences;

static void open_it(const frazil_clock *port)
{
    const struct ports ports = {.clock = port};
    char spec[1024];
    frazil_error why;

    snprintf(spec, sizeof spec,
             "worker=fixed:7 namespace=n state=file keeper=hook max_wait=0 run_dir=%s/run state_dir=%s/state "
             "host_dir=%s/host",
             scratch, scratch, scratch);
    if (ports_open(&gen, spec, &ports, &why) != FRAZIL_OK)
        fail_msg("%s", why.message);
}

/* The claim's path, which is there. */
static void find_claim(char ret[256])
{
    char pattern[256];
    glob_t found;

    snprintf(pattern, sizeof pattern, "%s/host/frazil-claim-*", scratch);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 1);
    snprintf(ret, 256, "%s", found.gl_pathv[0]);
    globfree(&found);
}

/* Fails as long as the clock is far below the ids that were made ahead of it. */
static void *ask_why(void *arg)
{
    const char **wrong = arg;
    frazil_error why;
    uint64_t id;

    while (!atomic_load(&is_over)) {
        if (frazil_take(gen, &id, 1, 0, &why) == FRAZIL_OK)
            *wrong = "a call has an id, below those that were made ahead of the clock";
        const char *at = strstr(why.message, "after removing ");
        if (at == NULL)
            continue; /* the grant has ended, and is about to be extended */
        if (strncmp(at, advice, strlen(advice)) != 0)
            *wrong = "a sentence names another path than the claim's";
        atomic_fetch_add(&sentences, 1);
    }
    return NULL;
}

TEST("Sentences name the claim while it is removed and put back again and again")
{
    const char *wrong[CALLERS] = {NULL};
    pthread_t callers[CALLERS];
    frazil_manual_clock *manual;
    uint64_t next_ns;
    char path[256];
    uint64_t id;

    assert_int_equal(mkdir(scratch_path(scratch, "host"), 0700), 0);
    assert_int_equal(chmod(scratch_path(scratch, "host"), 01777), 0);
    assert_int_equal(frazil_manual_clock_open(&manual, RIG_NOW + AHEAD_MS, 0, NULL), FRAZIL_OK);
    const frazil_clock port = port_of(manual);
    open_it(&port);
    assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
    frazil_close(gen);
    assert_int_equal(unlink(scratch_path(scratch, "state/n/worker-7.grant")), 0);
    frazil_manual_clock_set(manual, RIG_NOW);
    open_it(&port);
    find_claim(path);
    snprintf(advice, sizeof advice, "after removing '%s'", path);

    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&callers[i], NULL, ask_why, &wrong[i]), 0);
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t before = atomic_load(&sentences);
        while (atomic_load(&sentences) < before + CALLERS)
            sched_yield();
        assert_int_equal(unlink(path), 0);
        frazil_manual_clock_advance(manual, ROUND_MS * RIG_MS);
        assert_int_equal(frazil_keep(gen, FRAZIL_WAIT_FOREVER, &next_ns, NULL), FRAZIL_OK);
        find_claim(path);
    }
    atomic_store(&is_over, true);
    for (int i = 0; i < CALLERS; i++) {
        assert_int_equal(pthread_join(callers[i], NULL), 0);
        if (wrong[i] != NULL)
            fail_msg("%s", wrong[i]);
    }
    frazil_close(gen);
    frazil_manual_clock_close(manual);
}
