/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a reader of the ring sees one grant, never parts of two, however long readers and
 * writers are held up, and whenever a writer dies.
 */
#include <pthread.h>
#include <signal.h>

#include "lib/callers.h"
#include "lib/test.h"
#include "state/grant_ring.h"

enum { READERS = 2, WRITERS = 2, KICKS = 300, STEP = 1000 };

static void assert_stands(const struct fz_grant_ring *ring, const struct fz_grant *grant)
{
    struct fz_grant read = fz_grant_ring_read(ring);

    assert_int_equal(read.worker, grant->worker);
    assert_int_equal(read.floor, grant->floor);
    assert_int_equal(read.until, grant->until);
    assert_int_equal(read.version, grant->version);
}

/* Puts it in the place of whatever stands there. */
static void put(struct fz_grant_ring *ring, const struct fz_grant *grant)
{
    uint64_t number;

    (void)fz_grant_ring_look(ring, &number);
    assert_true(fz_grant_ring_put(ring, number, grant));
}

TEST("A grant that was put in force stands as a whole, also after the entries have been used in turns")
{
    struct fz_grant_ring ring;

    memset(&ring, 0, sizeof ring);
    for (uint32_t i = 0; i < 3 * FZ_GRANT_ENTRIES; i++) {
        struct fz_grant grant = {.worker = UINT32_MAX - i, .floor = i, .until = UINT64_MAX - 10, .version = 7 * i};
        put(&ring, &grant);
        assert_stands(&ring, &grant);
        grant.until = UINT64_MAX;
        grant.version = UINT64_MAX - i;
        put(&ring, &grant);
        assert_stands(&ring, &grant);
    }
}

TEST("A writer that looked before another one wrote, or only began to, puts nothing in force")
{
    const struct fz_grant first = {.worker = 1, .floor = 10, .until = 20, .version = 1};
    const struct fz_grant late = {.worker = 2, .floor = 30, .until = 40, .version = 2};
    const struct fz_grant next = {.worker = 3, .floor = 50, .until = 60, .version = 3};
    struct fz_grant_ring ring;
    uint64_t number;

    memset(&ring, 0, sizeof ring);
    put(&ring, &first);
    (void)fz_grant_ring_look(&ring, &number);
    put(&ring, &next);
    assert_false(fz_grant_ring_put(&ring, number, &late));
    assert_stands(&ring, &next);
    (void)fz_grant_ring_look(&ring, &number);
    ring.number += FZ_GRANT_ENTRIES; /* another one's claim */
    assert_false(fz_grant_ring_put(&ring, number, &late));
    assert_stands(&ring, &next);
}

TEST("A writer that dies before the number leaves the grant before it, and nothing that disturbs the next writer")
{
    const struct fz_grant old = {.worker = 1, .floor = 10, .until = 20, .version = 1};
    const struct fz_grant next = {.worker = 3, .floor = 50, .until = 60, .version = 3};
    struct fz_grant_ring ring;

    memset(&ring, 0, sizeof ring);
    put(&ring, &old);
    ring.number += FZ_GRANT_ENTRIES;
    unsigned i = (unsigned)((ring.number + 1) % FZ_GRANT_ENTRIES);
    for (unsigned part = 0; part < FZ_GRANT_PARTS; part++) {
        ring.entries[i].parts[part] = ring.number / FZ_GRANT_ENTRIES << 32 | 2;
        assert_stands(&ring, &old);
    }
    put(&ring, &next);
    assert_stands(&ring, &next);
}

TEST("A writer that was stopped in the middle, and goes on when its entry has been used again, gives way to the later "
     "claim: it is what the parts of that entry say")
{
    const struct fz_grant late = {.worker = 2, .floor = 30, .until = 40, .version = 2};
    struct fz_grant grant = {.worker = 1, .floor = 10, .until = 20, .version = 1};
    struct fz_grant_ring ring;

    memset(&ring, 0, sizeof ring);
    put(&ring, &grant);
    uint64_t number = ring.number; /* where the one that is stopped has looked and claimed */
    for (unsigned i = 0; i <= FZ_GRANT_ENTRIES; i++) {
        grant.version++;
        put(&ring, &grant);
    }
    uint64_t present = ring.number;
    ring.number = number; /* so that its claim succeeds now as it did then */
    assert_false(fz_grant_ring_put(&ring, number, &late));
    ring.number = present;
    assert_stands(&ring, &grant);
}

/* ---- readers and writers at once ----------------------------------------------- */

/* Grant k is of worker k, floor k * STEP, and ends k % STEP above; its version is its end. */
static struct fz_grant_ring ring;
static _Atomic bool stop;
static _Atomic uint64_t torn;
static _Atomic uint64_t backward;
static _Atomic uint64_t held_up;
static _Atomic uint64_t written;

static struct fz_grant grant_of(uint32_t k)
{
    uint64_t floor = k * (uint64_t)STEP;

    return (struct fz_grant){.worker = k, .floor = floor, .until = floor + k % STEP, .version = floor + k % STEP};
}

static void *write_grants(void *arg)
{
    (void)arg;
    while (!atomic_load(&stop)) {
        uint64_t number;
        struct fz_grant next = grant_of(fz_grant_ring_look(&ring, &number).worker + 1);
        atomic_fetch_add(&written, fz_grant_ring_put(&ring, number, &next));
    }
    return NULL;
}

static void *read_grants(void *arg)
{
    uint32_t last = 0;

    (void)arg;
    while (!atomic_load(&stop)) {
        struct fz_grant seen = fz_grant_ring_read(&ring);
        struct fz_grant whole = grant_of(seen.worker);
        atomic_fetch_add(&torn,
                         seen.floor != whole.floor || seen.until != whole.until || seen.version != whole.version);
        atomic_fetch_add(&backward, seen.worker < last);
        last = seen.worker;
    }
    return NULL;
}

/* Holds a thread up, wherever it is, until every entry has been written again. */
static void hold_up(int signal_number)
{
    uint64_t claims = atomic_load(&ring.number) / FZ_GRANT_ENTRIES;

    (void)signal_number;
    while (atomic_load(&ring.number) / FZ_GRANT_ENTRIES < claims + 2 * FZ_GRANT_ENTRIES && !atomic_load(&stop))
        ;
    atomic_fetch_add(&held_up, 1);
}

TEST("Threads that are held up in the middle for as long as it takes to write their entry anew: readers see one grant, "
     "and writers spoil none")
{
    const struct sigaction action = {.sa_handler = hold_up};
    pthread_t threads[READERS + WRITERS];

    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    for (unsigned i = 0; i < READERS + WRITERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, i < READERS ? read_grants : write_grants, NULL), 0);
    for (uint64_t kick = 0; kick < KICKS; kick++) {
        assert_int_equal(pthread_kill(threads[kick % (READERS + WRITERS)], SIGUSR1), 0);
        while (atomic_load(&held_up) <= kick)
            pause_ns(10000);
    }
    atomic_store(&stop, true);
    for (unsigned i = 0; i < READERS + WRITERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(torn, 0);
    assert_int_equal(backward, 0);
    assert_int_equal(fz_grant_ring_read(&ring).worker, (uint32_t)written);
}
