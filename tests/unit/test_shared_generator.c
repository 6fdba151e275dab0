/* SPDX-License-Identifier: MIT */
/* Goal of this test: openings that mean the same have one generator, which is closed by the last of them. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "frazil.h"
#include "lib/callers.h"
#include "lib/patience.h"
#include "lib/ports.h"
#include "lib/scratch.h"
#include "lib/test.h"

EACH_IN_SCRATCH

BEFORE_ALL
{
    scratch_prefer_memory(); /* files are opened hundreds of times */
}

static frazil_error why;

static frazil *open_shared(const char *spec)
{
    frazil *gen;

    if (frazil_open_shared(&gen, spec, &why) != FRAZIL_OK)
        fail_msg("%s: %s", spec, why.message);
    return gen;
}

TEST("Specs that mean the same have one generator, others have another, and frazil_open has its own")
{
    frazil *gen = open_shared("worker=fixed:1 state=memory");
    frazil *same = open_shared("state='memory' max_wait=2000ms layout=frazil worker=fixed:1");
    frazil *named = open_shared("worker=fixed:1 state=memory layout=konayuki");
    frazil *split = open_shared("worker=fixed:1 state=memory layout=41/5+5/12");
    frazil *other = open_shared("worker=fixed:2 state=memory");
    frazil *own;

    assert_int_equal(frazil_open(&own, "worker=fixed:1 state=memory", &why), FRAZIL_EWORKER);
    assert_int_equal(frazil_open(&own, "worker=fixed:3 state=memory", &why), FRAZIL_OK);
    assert_ptr_equal(gen, same);
    assert_ptr_equal(gen, named);
    assert_ptr_equal(gen, split);
    assert_ptr_not_equal(gen, other);
    assert_ptr_not_equal(gen, own);
    frazil_close(own);
    frazil_close(gen);
    frazil_close(named);
    frazil_close(split);
    uint64_t id;
    assert_int_equal(frazil_next(same, &id), FRAZIL_OK);
    assert_int_equal(frazil_next(other, &id), FRAZIL_OK);
    frazil_close(same);
    frazil_close(other);
}

static frazil_options *options_of(const char *spec)
{
    frazil_options *options;

    assert_int_equal(frazil_options_open(&options, &why), FRAZIL_OK);
    assert_int_equal(frazil_options_spec(options, spec, strlen(spec), &why), FRAZIL_OK);
    return options;
}

TEST("Options find the generator of a spec that means the same, by the environment that they name")
{
    frazil_options *options = options_of("worker=fixed:1 state=memory");
    frazil *gen = open_shared("worker=fixed:1 state=memory layout=41/8/14"), *same;

    assert_int_equal(setenv("FRAZIL_LAYOUT", "41/8/14", 1), 0);
    assert_int_equal(frazil_options_environment(options, FRAZIL_ENVIRONMENT_ALL, &why), FRAZIL_OK);
    frazil_err err = frazil_open_shared_with(&same, options, &why);
    assert_int_equal(unsetenv("FRAZIL_LAYOUT"), 0);
    assert_int_equal(err, FRAZIL_OK);
    assert_ptr_equal(same, gen);
    frazil_options_close(options);
    frazil_close(gen);
    frazil_close(same);
}

static uint64_t no_bits(void *ctx)
{
    (void)ctx;
    return 0;
}

static frazil_err set_clock(frazil_options *options)
{
    frazil_manual_clock *clock;
    frazil_clock port;

    assert_int_equal(frazil_manual_clock_open(&clock, 0, 0, &why), FRAZIL_OK);
    frazil_manual_clock_port(clock, &port, sizeof port);
    frazil_err err = frazil_options_clock(options, &port, &why);
    frazil_manual_clock_close(clock);
    return err;
}

static frazil_err set_random(frazil_options *options)
{
    const frazil_random random = {.size = sizeof random, .next = no_bits};

    return frazil_options_random(options, &random, &why);
}

static frazil_err set_granter(frazil_options *options)
{
    static const frazil_err none = FRAZIL_EAGAIN;
    const frazil_granter granter = granter_without(&none);

    return frazil_options_granter(options, &granter, &why);
}

static frazil_err set_snapshot(frazil_options *options)
{
    return frazil_options_snapshot(options, "{}", 2, &why);
}

TEST("What no text says makes no shared generator")
{
    static const struct {
        frazil_err (*set)(frazil_options *options);
        const char *sentence;
    } cases[] = {{set_clock, "a clock of the program's"},
                 {set_random, "random numbers of the program's"},
                 {set_granter, "a granter of the program's"},
                 {set_snapshot, "a snapshot"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        frazil *gen = NULL;
        frazil_options *options = options_of("state=memory");
        assert_int_equal(cases[i].set(options), FRAZIL_OK);
        assert_int_equal(frazil_open_shared_with(&gen, options, &why), FRAZIL_EINVAL);
        assert_memory_equal(why.message, cases[i].sentence, strlen(cases[i].sentence));
        assert_null(gen);
        frazil_options_close(options);
    }
}

TEST("Seventy thousand openings are one generator, also where each would draw a partition of its own")
{
    enum { OPENINGS = 70000 };
    frazil *first = open_shared("layout=sno worker=auto state=memory");

    for (int i = 1; i < OPENINGS; i++) {
        frazil *gen = open_shared("layout=sno worker=auto state=memory");
        assert_ptr_equal(gen, first);
    }
    for (int i = 0; i < OPENINGS; i++)
        frazil_close(first);
}

/* KiB of this process in memory.  0 with sanitizers, which keep what was freed. */
static unsigned long resident_kib(void)
{
    static const char label[] = "VmRSS:";
    char status[4096];
    size_t len = scratch_read("/proc/self/status", status, sizeof status - 1);

    status[len] = '\0';
    const char *line = strstr(status, label);
    assert_non_null(line);
    return INSTRUMENT_SLOWDOWN > 1 ? 0 : strtoul(line + strlen(label), NULL, 10);
}

/* Opens and closes in turns: after the first few neither memory nor descriptors grow. */
static void assert_nothing_grows(const char *spec, int turns)
{
    enum { WARM_UP = 100, SLACK_KIB = 512 };
    unsigned long before = 0;
    unsigned fds = 0;

    for (int i = 0; i < turns + WARM_UP; i++) {
        frazil_close(open_shared(spec));
        if (i + 1 != WARM_UP)
            continue;
        before = resident_kib();
        fds = scratch_open_fds();
    }
    unsigned long after = resident_kib();
    if (after > before + SLACK_KIB)
        fail_msg("%s: %lu KiB before, %lu KiB after", spec, before, after);
    assert_int_equal(scratch_open_fds(), fds);
}

TEST("Seventy thousand openings and closings in turns leave neither memory nor a descriptor behind")
{
    enum { TURNS = 70000 / INSTRUMENT_SLOWDOWN, TURNS_OF_FILES = 300 };
    char spec[900];

    /* Nobody else has it: each turn opens and closes the generator. */
    assert_nothing_grows("worker=fixed:1 state=memory", TURNS);
    frazil *held = open_shared("worker=fixed:1 state=memory");
    assert_nothing_grows("worker=fixed:1 state=memory", TURNS);
    frazil_close(held);
    snprintf(spec, sizeof spec, "worker=fixed:1 state=file run_dir=%s/run state_dir=%s/state", scratch, scratch);
    assert_nothing_grows(spec, TURNS_OF_FILES);
}

TEST("The last one closes: what the generator held is free again, and the next opening begins anew")
{
    char spec[900];
    frazil *gen;

    snprintf(spec, sizeof spec,
             "worker=file-lock count=1 open_wait=0s state=file run_dir=%s/run state_dir=%s/state keeper=inline",
             scratch, scratch);
    frazil *first = open_shared(spec);
    frazil *second = open_shared(spec);
    assert_int_equal(frazil_open(&gen, spec, &why), FRAZIL_EPOOL);
    frazil_close(first);
    assert_int_equal(frazil_open(&gen, spec, &why), FRAZIL_EPOOL);
    frazil_close(second);
    assert_int_equal(frazil_open(&gen, spec, &why), FRAZIL_OK);
    /* One that cannot be opened leaves nothing behind. */
    assert_int_equal(frazil_open_shared(&second, spec, &why), FRAZIL_EPOOL);
    frazil_close(gen);
    frazil_close(open_shared(spec));
}

TEST("The close of one who is not the last has nothing to wait for: it is FRAZIL_OK at once")
{
    for (unsigned i = 0; i < 100; i++) {
        frazil *gen = open_shared("worker=fixed:1 state=memory"), *same = open_shared("worker=fixed:1 state=memory");
        assert_int_equal(frazil_close_within(gen, 0), FRAZIL_OK);
        frazil_close(same);
    }
}

TEST("One that was stopped stays with those who opened it, and later openings have a new one together")
{
    char spec[900];
    snprintf(spec, sizeof spec, "worker=fixed:1 state=file run_dir=%s/run state_dir=%s/state", scratch, scratch);
    frazil *stopped = open_shared(spec);
    frazil *also = open_shared(spec);
    uint64_t id;

    frazil_stop(stopped);
    assert_ptr_equal(also, stopped);
    assert_int_equal(frazil_next(also, &id), FRAZIL_ESTOPPED);
    frazil *gen = open_shared(spec);
    frazil *same = open_shared(spec);
    assert_ptr_not_equal(gen, stopped);
    assert_ptr_equal(same, gen);
    assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
    frazil_close(stopped);
    frazil_close(same);
    assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
    assert_int_equal(frazil_next(also, &id), FRAZIL_ESTOPPED);
    frazil_close(also);
    frazil_close(gen);
}

/* Opens, takes an id, and stops it now and then. */
struct stopper {
    pthread_t thread;
    char spec[900];
    struct idset *ids;
    unsigned stop_every;
    unsigned stopped; /* calls that found it stopped */
    frazil_err err;
};

enum { STOPPERS = 3, STOPPER_ROUNDS = 2000 / INSTRUMENT_SLOWDOWN };

static void *open_and_stop(void *arg)
{
    struct stopper *own = arg;
    frazil *gen;
    uint64_t id;

    for (unsigned i = 0; i < STOPPER_ROUNDS && own->err == FRAZIL_OK; i++) {
        own->err = frazil_open_shared(&gen, own->spec, NULL);
        if (own->err != FRAZIL_OK)
            break;
        frazil_err err = frazil_next(gen, &id);
        if (err == FRAZIL_OK)
            idset_add(own->ids, id);
        else if (err == FRAZIL_ESTOPPED)
            own->stopped++;
        else
            own->err = err;
        if (i % own->stop_every == 0)
            frazil_stop(gen);
        frazil_close(gen);
    }
    return NULL;
}

TEST("Threads open, stop and close at once: each has a generator, and no id comes twice from the old and the new")
{
    struct stopper stoppers[STOPPERS];
    struct idset *ids = idsets_open(STOPPERS, STOPPER_ROUNDS);
    unsigned fds = scratch_open_fds();

    for (unsigned i = 0; i < STOPPERS; i++) {
        stoppers[i] = (struct stopper){.ids = &ids[i], .stop_every = 2 + i};
        snprintf(stoppers[i].spec, sizeof stoppers[i].spec,
                 "worker=fixed:1 state=file keeper=inline run_dir=%s/run state_dir=%s/state", scratch, scratch);
        assert_int_equal(pthread_create(&stoppers[i].thread, NULL, open_and_stop, &stoppers[i]), 0);
    }
    for (unsigned i = 0; i < STOPPERS; i++) {
        assert_int_equal(pthread_join(stoppers[i].thread, NULL), 0);
        assert_int_equal(stoppers[i].err, FRAZIL_OK);
        assert_int_equal(ids[i].count + stoppers[i].stopped, STOPPER_ROUNDS);
    }
    idsets_assert_unique_and_increasing(ids, STOPPERS);
    assert_int_equal(scratch_open_fds(), fds);
    idsets_close(ids, STOPPERS);
}

TEST("A spec that is wrong is refused as frazil_open refuses it, and one of any length is found again")
{
    char spec[3000] = "worker=fixed:1 state=file keeper=inline namespace=n state_dir=/nowhere run_dir=/";
    frazil *gen;

    assert_int_equal(frazil_open_shared(&gen, "worker=fixed:9999", &why), FRAZIL_EWORKER);
    assert_int_equal(frazil_open_shared(&gen, "wroker=fixed:1", &why), FRAZIL_ESPEC);
    memset(spec + strlen(spec), 'x', 2000);
    assert_int_not_equal(frazil_open_shared(&gen, spec, &why), FRAZIL_OK);
}

TEST("Several are found among others, whichever goes first")
{
    enum { COUNT = 5 };
    frazil *gens[COUNT];
    char spec[64];

    for (int round = 0; round < COUNT; round++) {
        for (int i = 0; i < COUNT; i++) {
            snprintf(spec, sizeof spec, "worker=fixed:%d state=memory", i);
            gens[i] = open_shared(spec);
        }
        frazil_close(gens[round]);
        for (int i = 0; i < COUNT; i++) {
            snprintf(spec, sizeof spec, "worker=fixed:%d state=memory", i);
            frazil *again = open_shared(spec);
            if (i != round)
                assert_ptr_equal(again, gens[i]);
            frazil_close(again);
        }
        for (int i = 0; i < COUNT; i++) {
            if (i != round)
                frazil_close(gens[i]);
        }
    }
}

/* ---- while another thread opens ------------------------------------------------------------ */

enum { OPENERS = 8 };

static char held_spec[512];

/* An opening of a thread. */
struct opener {
    pthread_t thread;
    frazil_err err;
    frazil_error why;
};

static void *open_held(void *arg)
{
    struct opener *opener = arg;
    frazil *gen;

    opener->err = frazil_open_shared(&gen, held_spec, &opener->why);
    return NULL;
}

/* Several at once, all in vain.  Returns whether one had no time left for a try of its own. */
static bool has_only_waited(void)
{
    struct opener openers[OPENERS];
    bool found = false;

    for (size_t i = 0; i < OPENERS; i++)
        assert_int_equal(pthread_create(&openers[i].thread, NULL, open_held, &openers[i]), 0);
    for (size_t i = 0; i < OPENERS; i++) {
        assert_int_equal(pthread_join(openers[i].thread, NULL), 0);
        assert_int_equal(openers[i].err, FRAZIL_EAGAIN);
        found = found || strstr(openers[i].why.message, "another thread of this process") != NULL;
    }
    return found;
}

TEST("An opening has one open_wait, which goes by also while other threads open the same one in vain")
{
    snprintf(held_spec, sizeof held_spec,
             "worker=fixed:1 namespace=n open_wait=200ms state=file run_dir=%s/run state_dir=%s/state", scratch,
             scratch);
    frazil_close(open_shared(held_spec));
    int fd = open(scratch_path(scratch, "run/n/worker-1.word.lock"), O_RDWR);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    AWAIT(has_only_waited(), "each thread has an open_wait of its own");
    assert_int_equal(close(fd), 0);
    frazil *gen = open_shared(held_spec), *same = open_shared(held_spec);
    assert_ptr_equal(gen, same);
    frazil_close(same);
    frazil_close(gen);
}
