/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: 16 processes with four threads each, on every kind of
 * coordinator, as fast as they can: no id twice (I1), every one of them checked
 * while it is made.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/callers.h"
#include "lib/nemesis.h"
#include "lib/ports.h"
#include "lib/stream_checker.h"
#include "lib/test.h"
#include "os/memory.h"

enum { PROCESSES = STREAM_WORKERS, THREADS = 4, RING = 1024, BATCH_MAX = 4096, SECONDS = 6 };

/* Runs of ids on their way from a thread to the checker. */
struct ring {
    struct {
        uint64_t first_id;
        uint64_t n;
    } runs[RING];
    _Atomic uint64_t written;
    _Atomic uint64_t read;
};

struct shared {
    struct ring rings[PROCESSES * THREADS];
    _Atomic bool stop;
    _Atomic int failed;    /* the first frazil_err of any of them that a coordinator under load does not explain */
    _Atomic unsigned lost; /* calls that said FRAZIL_ELEASE: it was away for as long as a grant lasts */
};

struct maker {
    frazil *gen;
    struct shared *shared;
    struct ring *ring;
    uint64_t seed;
    pid_t parent;
    pthread_t thread;
};

static void push(struct maker *maker, uint64_t first_id, uint64_t n)
{
    struct ring *ring = maker->ring;

    while (ring->written - ring->read == RING && getppid() == maker->parent)
        pause_ns(50000);
    ring->runs[ring->written % RING].first_id = first_id;
    ring->runs[ring->written % RING].n = n;
    ring->written++;
}

/* Ids in a row are one run; those of the next tick are not in a row with it, as the worker lies in between. */
static void push_batch(struct maker *maker, const uint64_t *ids, size_t n)
{
    size_t start = 0;

    for (size_t i = 1; i <= n; i++) {
        if (i < n && ids[i] == ids[i - 1] + 1)
            continue;
        push(maker, ids[start], i - start);
        start = i;
    }
}

/*
 * Servers may be slow on a loaded machine: then a grant ends, and comes back.  Nothing else may go wrong; no call that
 * may wait for ten seconds finds everything taken.
 */
static bool goes_on_after(struct maker *maker, frazil_err err)
{
    int none = FRAZIL_OK;

    if (err == FRAZIL_ELEASE) {
        maker->shared->lost++;
        pause_ns(10000000);
        return true;
    }
    atomic_compare_exchange_strong(&maker->shared->failed, &none, (int)err);
    return false;
}

static void *make(void *arg)
{
    struct maker *maker = arg;
    static _Thread_local uint64_t ids[BATCH_MAX];

    while (!maker->shared->stop && getppid() == maker->parent) { /* a test that failed is gone */
        size_t n = 1 + caller_random(&maker->seed) % BATCH_MAX;
        frazil_err err =
            n % 8 == 0 ? frazil_next(maker->gen, ids) : frazil_take(maker->gen, ids, n, FRAZIL_WAIT_DEFAULT, NULL);
        if (err == FRAZIL_OK)
            push_batch(maker, ids, n % 8 == 0 ? 1 : n);
        else if (!goes_on_after(maker, err))
            break;
    }
    return NULL;
}

static void run_process(struct shared *shared, size_t number, const char *spec)
{
    const struct ports ports = {.coordinators = nemesis_coordinators()};
    struct maker makers[THREADS];
    frazil_error err;
    frazil *gen;

    if (ports_open(&gen, spec, &ports, &err) != FRAZIL_OK) {
        fprintf(stderr, "%s\n", err.message);
        shared->failed = err.code;
        _exit(1);
    }
    for (size_t i = 0; i < THREADS; i++) {
        makers[i] = (struct maker){.gen = gen,
                                   .shared = shared,
                                   .ring = &shared->rings[number * THREADS + i],
                                   .parent = getppid(),
                                   .seed = 1 + number * THREADS + i};
        if (pthread_create(&makers[i].thread, NULL, make, &makers[i]) != 0)
            _exit(1);
    }
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(makers[i].thread, NULL);
    frazil_close(gen);
    _exit(0);
}

/* Checks what has come; returns whether anything had. */
static bool drain(struct shared *shared, struct stream_checker *checker)
{
    bool any = false;

    for (size_t i = 0; i < PROCESSES * THREADS; i++) {
        struct ring *ring = &shared->rings[i];
        for (uint64_t written = ring->written; ring->read < written; ring->read++) {
            stream_checker_add(checker, ring->runs[ring->read % RING].first_id, ring->runs[ring->read % RING].n);
            any = true;
        }
    }
    return any;
}

TEST_OF_KINDS(for_each_server, "Of millions of ids by several processes no two are the same")
{
    struct stream_checker *checker = stream_checker_new();
    struct shared *shared = fz_map_shared(sizeof *shared);
    uint64_t seconds = SECONDS * nemesis_scale();
    pid_t pids[PROCESSES];

    assert_non_null(shared);
    nemesis_start(kind, PROCESSES, 3000);
    for (size_t i = 0; i < PROCESSES; i++) {
        pids[i] = fork();
        assert_true(pids[i] >= 0);
        if (pids[i] == 0)
            run_process(shared, i, nemesis_spec(kind, 0, "max_wait=10s"));
    }
    time_t until = time(NULL) + (time_t)seconds;
    while (time(NULL) < until) {
        if (!drain(shared, checker))
            pause_ns(100000);
    }
    shared->stop = true;
    for (size_t ended = 0; ended < PROCESSES;) {
        int status;
        (void)drain(shared, checker);
        if (waitpid(pids[ended], &status, WNOHANG) == 0) {
            pause_ns(100000);
            continue;
        }
        assert_int_equal(status, 0);
        ended++;
    }
    (void)drain(shared, checker);
    assert_int_equal(shared->failed, FRAZIL_OK);
    print_message("%s: %" PRIu64 " ids in %" PRIu64 " s, no two the same; %u calls had no grant\n", kind->name,
                  stream_checker_count(checker), seconds, shared->lost);
    assert_true(stream_checker_count(checker) > 1000 * seconds);
    fz_unmap(shared, sizeof *shared);
    stream_checker_free(checker);
}
