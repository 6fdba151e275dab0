/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the checker of the other tests can see a duplicate.  It is
 * given a generator with a known defect: time and sequence in two atomic words,
 * as in sno's original.  With the clock moving on steadily, that generator must
 * be caught issuing an id twice.
 */
#include <stdatomic.h>

#include <sched.h>

#include "lib/callers.h"
#include "lib/test.h"

enum { THREADS = 8, IDS_EACH = 2000, TRIES_MAX = 50, SEQUENCE_MAX = 65535, READINGS_PER_TICK = 100 };

/* The two words, and a clock that shows the next tick after so many readings. */
struct two_words {
    _Atomic uint64_t time;
    _Atomic uint64_t sequence;
    _Atomic uint64_t readings;
};

static uint64_t now(struct two_words *gen)
{
    return 1 + atomic_fetch_add(&gen->readings, 1) / READINGS_PER_TICK;
}

static uint64_t compose(uint64_t tick, uint64_t sequence)
{
    return tick << 16 | sequence;
}

/*
 * The same tick: the next sequence number.  A new one: enter it by compare and
 * swap, then begin the sequence anew.  A thread that is held up between the two words
 * takes a number of the new tick's sequence for the old tick, where it has been
 * issued before.
 */
static uint64_t two_words_next(struct two_words *gen)
{
    for (;;) {
        uint64_t highest = atomic_load(&gen->time);
        uint64_t tick = now(gen);
        if (tick == highest) {
            if (tick % 7 == 0)
                sched_yield(); /* where one is preempted on a bad day */
            uint64_t sequence = atomic_fetch_add(&gen->sequence, 1) + 1;
            if (sequence <= SEQUENCE_MAX)
                return compose(tick, sequence);
        } else if (tick > highest && atomic_compare_exchange_strong(&gen->time, &highest, tick)) {
            atomic_store(&gen->sequence, 0);
            return compose(tick, 0);
        }
    }
}

/* One word, same clock, same checker. */
static uint64_t one_word_next(struct two_words *gen)
{
    uint64_t word = atomic_load(&gen->time);

    for (;;) {
        uint64_t tick = now(gen), slot = tick << 16;
        if (tick % 70 == 0)
            sched_yield();
        slot = slot > word ? slot : word;
        if (atomic_compare_exchange_strong(&gen->time, &word, slot + 1))
            return slot;
    }
}

struct two_words_caller {
    struct two_words *gen;
    uint64_t (*next)(struct two_words *gen);
    struct idset *set;
    pthread_t thread;
};

static void *take_all(void *arg)
{
    struct two_words_caller *caller = arg;

    for (int i = 0; i < IDS_EACH; i++)
        idset_add(caller->set, caller->next(caller->gen));
    return NULL;
}

static size_t duplicates_of(uint64_t (*next)(struct two_words *gen))
{
    struct two_words_caller callers[THREADS];
    struct two_words gen = {.time = 0};
    struct idset *sets = idsets_open(THREADS, IDS_EACH);
    uint64_t id;

    for (size_t i = 0; i < THREADS; i++) {
        callers[i] = (struct two_words_caller){.gen = &gen, .next = next, .set = &sets[i]};
        assert_int_equal(pthread_create(&callers[i].thread, NULL, take_all, &callers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(callers[i].thread, NULL);
    size_t duplicates = idsets_duplicates(sets, THREADS, &id);
    idsets_close(sets, THREADS);
    return duplicates;
}

TEST("Two words: caught within a bounded number of runs")
{
    for (int i = 0; i < TRIES_MAX; i++) {
        if (duplicates_of(two_words_next) > 0)
            return;
    }
    fail_msg("%d runs, and no duplicate was seen", TRIES_MAX);
}

TEST("One word: never")
{
    for (int i = 0; i < 3; i++)
        assert_int_equal(duplicates_of(one_word_next), 0);
}

TEST("The checker by itself: duplicates within a set and across, in every digit of the sort; disorder")
{
    struct idset *sets = idsets_open(2, 100);
    uint64_t id = 0;
    size_t at = 0;

    assert_int_equal(idsets_duplicates(sets, 2, &id), 0);
    for (unsigned bit = 0; bit < 64; bit++)
        idset_add(&sets[bit & 1], UINT64_C(1) << bit);
    assert_int_equal(idsets_duplicates(sets, 2, &id), 0);
    assert_true(idset_increases(&sets[0], &at));
    idset_add(&sets[0], UINT64_C(1) << 33);
    assert_int_equal(idsets_duplicates(sets, 2, &id), 1);
    assert_int_equal(id, UINT64_C(1) << 33);
    assert_false(idset_increases(&sets[0], &at));
    assert_int_equal(at, 32);
    idset_add(&sets[1], UINT64_C(1) << 63);
    assert_int_equal(idsets_duplicates(sets, 2, &id), 2);
    assert_false(idset_increases(&sets[1], &at));
    idsets_close(sets, 2);
}
