/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: each call keeps its time, over a coordinator that is silent, slow, late or dribbles, and over a
 * process that was stopped in every guard; for a generator alone, for one that shares a lease with a process that is
 * extending it, and for one that takes its slots from Redis.  It writes the table that docs/TRUST.md has, of the
 * longest that was seen; a call that took half a minute more than it may hangs.
 */
#define _XOPEN_SOURCE 700 /* nftw */
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "frazil/coordinators.h"
#include "lib/callers.h"
#include "lib/nemesis.h"
#include "lib/new_namespace.h"
#include "lib/patience.h"
#include "lib/ports.h"
#include "lib/proxy.h"
#include "lib/scratch.h"
#include "lib/test.h"

EACH_IN_SCRATCH

#define MAX_WAIT "300ms"
#define OPEN_WAIT "1s"
#define WAITS "keeper=inline max_wait=" MAX_WAIT " open_wait=" OPEN_WAIT

enum {
    WORKERS = 16,
    HORIZON_MS = 4000,
    RESERVE_MS = 6000,
    HANG_MS = 30000,
    ROUNDS = 2,
    LATE_ROUNDS = 24,
    BATCH = 8,
    MEMBER_IDS = 20000,
    GUARDS_MAX = 16
};

/* Of those that are arguments. */
static const uint64_t take_wait_ns = 200000000;
static const uint64_t keep_wait_ns = 100000000;
static const uint64_t close_wait_ns = 500000000;

/* The last is no call: how much later than they should sleeps end on this machine, in the same places. */
enum call { OPEN, NEXT, TAKE, TRY, KEEP, CLOSE, CLOSE_WITHIN, SLEEP, CALLS };

static const struct {
    const char *name;
    const char *promise;
    unsigned ms;
} calls[CALLS] = {[OPEN] = {"opening", "`open_wait=" OPEN_WAIT "`", 1000},
                  [NEXT] = {"`frazil_next`", "`max_wait=" MAX_WAIT "`", 300},
                  [TAKE] = {"`frazil_take`", "200 ms, its argument", 200},
                  [TRY] = {"`frazil_try_take`", "at once", 0},
                  [KEEP] = {"`frazil_keep`", "100 ms, its argument", 100},
                  [CLOSE] = {"`frazil_close`", "2 s", 2000},
                  [CLOSE_WITHIN] = {"`frazil_close_within`", "500 ms, its argument", 500},
                  [SLEEP] = {"a sleep, to compare", "100 ms", 100}};

/*
 * A generator alone, and one of share=host: the other process of its host goes on, so its close is no last one.  The
 * third has a request for each slot, whose URL would let it hang.  Its call that never waits has that time, and is left
 * out.
 */
enum who { ALONE, SHARED, SLOTS, WHOS };

static const char *const whose[WHOS] = {[ALONE] = "", [SHARED] = ", `share=host`", [SLOTS] = ", `state=redis://`"};

/* How a coordinator, or a process of the host, misbehaves. */
enum way { SILENT, SLOW, LATE, DRIBBLES, STOPPED, WAYS };

static const enum proxy_mode modes[] = {
    [SILENT] = PROXY_HOLD_REPLIES, [SLOW] = PROXY_SLOW, [LATE] = PROXY_LATE, [DRIBBLES] = PROXY_DRIBBLE};
static uint64_t longest_us[WHOS][CALLS][WAYS];
static uint64_t begun_us;

static uint64_t now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void begin(void)
{
    begun_us = now_us();
}

static void end(enum who who, enum call call, enum way way)
{
    uint64_t us = now_us() - begun_us;
    uint64_t *longest = &longest_us[who][call][way];

    *longest = us > *longest ? us : *longest;
    if (us / 1000 > calls[call].ms + HANG_MS)
        fail_msg("%s took %lu ms", calls[call].name, (unsigned long)(us / 1000));
}

static frazil_err open_spec(frazil **ret, const char *spec, frazil_error *reterr)
{
    const frazil_coordinator *coordinators[10] = {frazil_coordinator_file()};
    const struct ports ports = {.coordinators = coordinators};

    for (size_t i = 0; nemesis_coordinators()[i] != NULL; i++)
        coordinators[i + 1] = nemesis_coordinators()[i];
    return ports_open(ret, spec, &ports, reterr);
}

/* Before the fault.  A busy machine may need longer than one opening. */
static frazil *open_soon(const char *spec)
{
    frazil_error why;
    frazil *gen;
    frazil_err err;

    AWAIT((err = open_spec(&gen, spec, &why)) == FRAZIL_OK || frazil_err_classify(err) == FRAZIL_CLASS_USAGE, "%s",
          why.message);
    if (err != FRAZIL_OK)
        fail_msg("%s", why.message);
    return gen;
}

/* The result of a call does not matter here. */
static void ignore(frazil_err err)
{
    (void)err;
}

/* The generators that are measured under one fault. */
struct subjects {
    char specs[WHOS][1024]; /* "": there is none */
    frazil *gens[WHOS];
    frazil *other; /* alone, too */
};

static void start(struct subjects *subjects)
{
    for (enum who who = ALONE; who < WHOS; who++)
        subjects->gens[who] = subjects->specs[who][0] == '\0' ? NULL : open_soon(subjects->specs[who]);
    subjects->other = open_soon(subjects->specs[ALONE]);
}

static void take_ids(frazil *gen, enum who who, enum way way)
{
    uint64_t ids[BATCH];
    uint64_t ns;

    begin();
    ignore(frazil_next(gen, ids));
    end(who, NEXT, way);
    begin();
    ignore(frazil_take(gen, ids, BATCH, take_wait_ns, NULL));
    end(who, TAKE, way);
    if (who != SLOTS) {
        begin();
        ignore(try_one(gen, ids, &ns));
        end(who, TRY, way);
    }
    begin();
    ignore(frazil_keep(gen, keep_wait_ns, &ns, NULL));
    end(who, KEEP, way);
    begin();
    pause_ns(keep_wait_ns);
    end(ALONE, SLEEP, way);
}

static void close_and_open(frazil *gen, const char *spec, enum who who, enum way way)
{
    begin();
    frazil_close(gen);
    end(who, CLOSE, way);
    begin();
    if (open_spec(&gen, spec, NULL) == FRAZIL_OK) {
        end(who, OPEN, way);
        frazil_close(gen);
    } else {
        end(who, OPEN, way);
    }
}

/* The calls of generators whose grants are about to end, and have ended.  Late answers come in the middle of any. */
static void measure(struct subjects *subjects, enum way way)
{
    int rounds = way == LATE ? LATE_ROUNDS : ROUNDS;

    for (int ended = 0; ended < rounds; ended++) {
        for (enum who who = ALONE; who < WHOS; who++) {
            if (subjects->gens[who] != NULL)
                take_ids(subjects->gens[who], who, way);
        }
        pause_ns(ended ? 0 : 1500000000);
    }
    begin();
    ignore(frazil_close_within(subjects->other, close_wait_ns));
    end(ALONE, CLOSE_WITHIN, way);
    for (enum who who = ALONE; who < WHOS; who++) {
        if (subjects->gens[who] != NULL)
            close_and_open(subjects->gens[who], subjects->specs[who], who, way);
    }
}

static void write_spec(struct subjects *subjects, enum who who, const char *spec)
{
    snprintf(subjects->specs[who], sizeof subjects->specs[who], "%s", spec);
}

/* Another process of the host takes ids all the time, so that it extends the lease when that is due. */
static void measure_over(const struct register_kind *kind, enum way way)
{
    struct subjects subjects = {.other = NULL};
    char more[600];
    struct herd herd;

    nemesis_start(kind, WORKERS, HORIZON_MS);
    struct proxy *proxy = proxy_start(kind->server->port);
    write_spec(&subjects, ALONE, nemesis_patient_spec(kind, proxy->port, WAITS));
    snprintf(more, sizeof more, WAITS " share=host run_dir='%s'", scratch);
    write_spec(&subjects, SHARED, nemesis_patient_spec(kind, proxy->port, more));
    if (strcmp(kind->name, "redis") == 0) {
        snprintf(more, sizeof more, "worker=fixed:7 batch=1 state=redis://127.0.0.1:%u/slots?timeout=60s " WAITS,
                 (unsigned)proxy->port);
        write_spec(&subjects, SLOTS, more);
    }
    snprintf(more, sizeof more, "keeper=inline max_wait=" MAX_WAIT " open_wait=5m share=host run_dir='%s'", scratch);
    herd_open(&herd, 1, MEMBER_IDS, nemesis_coordinators());
    size_t member = herd_start(&herd, nemesis_patient_spec(kind, proxy->port, more), MEMBER_IDS, 5000);
    assert_int_equal(herd_await_open(&herd, member), FRAZIL_OK);
    start(&subjects);
    proxy_set(proxy, modes[way]);
    pause_ns((HORIZON_MS - 800) * 1000000L);
    measure(&subjects, way);
    herd_close(&herd);
    proxy_set(proxy, PROXY_PASS);
    proxy_stop(proxy);
}

TEST_OF_KINDS(for_each_server, "Each call keeps its time over a coordinator that is silent, slow, late or dribbles")
{
    for (enum way way = SILENT; way <= DRIBBLES; way++)
        measure_over(kind, way);
}

/* ---- a process that was stopped in every guard ----------------------------------------------- */

static char guards[GUARDS_MAX][512];
static size_t guard_count;

static int note_guard(const char *path, const struct stat *status, int type, struct FTW *where)
{
    size_t len = strlen(path);

    (void)status;
    (void)type;
    (void)where;
    if (len > 5 && len < sizeof guards[0] && guard_count < GUARDS_MAX && strcmp(path + len - 5, ".lock") == 0)
        memcpy(guards[guard_count++], path, len + 1);
    return 0;
}

/* Holds all guards below a folder, at least that many, and is stopped. */
static pid_t stop_in_guards(const char *folder, size_t least)
{
    int status;

    guard_count = 0;
    assert_int_equal(nftw(folder, note_guard, 8, FTW_PHYS), 0);
    assert_true(guard_count >= least);
    pid_t child = fork();
    if (child == 0) {
        for (size_t i = 0; i < guard_count; i++) {
            int fd = open(guards[i], O_RDWR | O_CLOEXEC);
            if (fd < 0 || flock(fd, LOCK_EX) != 0)
                _exit(1);
        }
        raise(SIGSTOP);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, WUNTRACED), child);
    assert_true(WIFSTOPPED(status));
    return child;
}

static void measure_stopped(struct subjects *subjects, int grant_ms, size_t least_guards)
{
    uint64_t id;

    start(subjects);
    ignore(frazil_next(subjects->other, &id)); /* the first one makes the guard of a count */
    pause_ns((uint64_t)(grant_ms - 800) * 1000000);
    pid_t stopped = stop_in_guards(scratch, least_guards);
    measure(subjects, STOPPED);
    kill(stopped, SIGKILL);
    assert_int_equal(waitpid(stopped, &(int){0}, 0), stopped);
}

TEST("Each call keeps its time over a process that was stopped in the guards of the host")
{
    struct subjects subjects = {.other = NULL};

    snprintf(subjects.specs[ALONE], sizeof subjects.specs[ALONE],
             "worker=fixed:7 state=file " WAITS " run_dir='%s/run' state_dir='%s/state' host_dir='%s'", scratch,
             scratch, scratch);
    measure_stopped(&subjects, RESERVE_MS, 2); /* of the word and of the grant */
}

TEST("The same in the guards of a namespace in a folder, and of those who share its lease")
{
    struct subjects subjects = {.other = NULL};
    char url[300];

    snprintf(url, sizeof url, "file://%s/orders", scratch);
    new_namespace(frazil_coordinator_file(), url, "frazil", WORKERS, HORIZON_MS);
    snprintf(subjects.specs[ALONE], sizeof subjects.specs[ALONE], "worker=%s " WAITS, url);
    snprintf(subjects.specs[SHARED], sizeof subjects.specs[SHARED], "worker=%s share=host run_dir='%s/run' " WAITS, url,
             scratch);
    measure_stopped(&subjects, HORIZON_MS, 2); /* of the records and of the extension */
}

TEST("The same in the guard of konayuki's count")
{
    struct subjects subjects = {.other = NULL};

    snprintf(subjects.specs[ALONE], sizeof subjects.specs[ALONE],
             "worker=fixed:7 state=konayuki+file://%s/counters host_dir='%s' " WAITS, scratch, scratch);
    measure_stopped(&subjects, 1000, 1);
}

TEST("The table for docs/TRUST.md")
{
    printf("| call | may take | silent | slow | answers late | dribbles | stopped with a lock "
           "|\n|---|---|---:|---:|---:|---:|---:|\n");
    for (int row = 0; row < CALLS * WHOS; row++) {
        enum call call = (enum call)(row / WHOS);
        enum who who = (enum who)(row % WHOS);
        if ((who != ALONE && call >= CLOSE_WITHIN) || (who == SLOTS && call == TRY))
            continue;
        printf("| %s%s | %s |", calls[call].name, whose[who], calls[call].promise);
        for (int way = 0; way < WAYS; way++) {
            if (who == SLOTS && way == STOPPED) {
                printf(" |"); /* it has no guard */
                continue;
            }
            uint64_t us = longest_us[who][call][way];
            printf(" %lu.%lu ms |", (unsigned long)(us / 1000), (unsigned long)(us / 100 % 10));
        }
        printf("\n");
    }
}
