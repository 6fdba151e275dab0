/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: three hundred threads want an id at once, of a layout that has four a tick, and each gets one
 * within the default max_wait.  The clock is the test's: it goes on when all threads sleep, to the time that the first
 * of them waits for, so nothing depends on the machine.
 */
#include <pthread.h>

#include "lib/idset.h"
#include "lib/ports.h"
#include "lib/rig.h"
#include "lib/test.h"

enum { THREADS = 300, IDS_A_TICK = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
static _Atomic uint64_t now_ns;
static uint64_t next_ns = UINT64_MAX; /* the earliest that one of those who sleep waits for */
static unsigned living = THREADS;
static unsigned awake = THREADS;
static unsigned rounds;

static struct taker {
    pthread_t thread;
    frazil *gen;
    frazil_err err;
    uint64_t id;
} takers[THREADS];

/* The caller holds the lock. */
static void go_on_if_all_sleep(void)
{
    if (awake > 0 || living == 0)
        return;
    now_ns = next_ns;
    next_ns = UINT64_MAX;
    awake = living;
    rounds++;
    pthread_cond_broadcast(&woken);
}

static void read_now(void *ctx, frazil_instant *ret)
{
    uint64_t ns = now_ns;

    (void)ctx;
    ret->unix_ms = RIG_NOW + (int64_t)(ns / RIG_MS);
    ret->ns = (uint32_t)(ns % RIG_MS);
}

static uint64_t read_monotonic_ns(void *ctx)
{
    (void)ctx;
    return now_ns;
}

static void sleep_until(void *ctx, uint64_t until_ns)
{
    (void)ctx;
    pthread_mutex_lock(&lock);
    while (now_ns < until_ns) {
        unsigned round = rounds;
        next_ns = until_ns < next_ns ? until_ns : next_ns;
        awake--;
        go_on_if_all_sleep();
        while (rounds == round)
            pthread_cond_wait(&woken, &lock);
    }
    pthread_mutex_unlock(&lock);
}

static void *take_one(void *ctx)
{
    struct taker *taker = ctx;

    taker->err = frazil_next(taker->gen, &taker->id);
    pthread_mutex_lock(&lock);
    living--;
    awake--;
    go_on_if_all_sleep();
    pthread_mutex_unlock(&lock);
    return NULL;
}

TEST("Each of three hundred threads gets an id of a layout with four a tick, and no tick passes unused")
{
    const frazil_clock clock = {
        .size = sizeof clock, .now = read_now, .monotonic_ns = read_monotonic_ns, .sleep_until = sleep_until};
    const struct ports ports = {.clock = &clock};
    struct idset *ids = idsets_open(1, THREADS);
    frazil_error why;
    frazil *gen;

    if (ports_open(&gen, "layout=41/20/2 worker=fixed:1 start=zero state=memory", &ports, &why) != FRAZIL_OK)
        fail_msg("%s", why.message);
    uint64_t begun_ns = now_ns;
    for (size_t i = 0; i < THREADS; i++) {
        takers[i].gen = gen;
        assert_int_equal(pthread_create(&takers[i].thread, NULL, take_one, &takers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(takers[i].thread, NULL), 0);
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(takers[i].err, FRAZIL_OK);
        idset_add(ids, takers[i].id);
    }
    assert_int_equal(idsets_duplicates(ids, 1, &(uint64_t){0}), 0);
    assert_int_equal((now_ns - begun_ns) / RIG_MS, THREADS / IDS_A_TICK - 1);
    idsets_close(ids, 1);
    frazil_close(gen);
}
