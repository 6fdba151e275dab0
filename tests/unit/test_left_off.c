/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: generators with their state in memory that are opened one after the other in a process never make
 * the same id, whatever their bounds.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frazil.h"
#include "lib/ports.h"
#include "lib/scratch.h"
#include "lib/test.h"

EACH_IN_SCRATCH

enum { ROUNDS = 2000 };

static frazil_error why;
static uint64_t retry_ns;

/* An id of a generator that lives for this id alone. */
static uint64_t id_of(const char *spec)
{
    frazil *gen = open_or_fail(spec);
    uint64_t id;

    assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
    frazil_close(gen);
    return id;
}

static uint32_t sequence_of(uint64_t id)
{
    return (uint32_t)(id & 0xfff);
}

TEST("Each generator goes on where the one before it left off")
{
    static const char *const specs[] = {
        "worker=fixed:1 state=memory start=zero",
        "worker=fixed:1 state=memory",
        "worker=fixed:1 state=memory start=random on_full=lead max_lead=1h",
        "layout=41/5+5/12 worker=fixed:1 state=memory start=zero",
    };
    uint64_t last = 0;

    for (size_t i = 0; i < ROUNDS; i++) {
        uint64_t id = id_of(specs[i % 4]);
        if (id <= last)
            fail_msg("round %zu: %llu is not above %llu", i, (unsigned long long)id, (unsigned long long)last);
        last = id;
    }
}

TEST("A layout that splits its worker bits in another way is the same one, also within one long tick")
{
    static const char *const specs[] = {
        "layout='37/8/18 tick=60s' worker=fixed:8 state=memory on_full=lead max_lead=1h",
        "layout='37/4+4/18 tick=60s' worker=fixed:8 state=memory on_full=lead max_lead=1h",
    };
    uint64_t last = 0;

    for (size_t i = 0; i < 10; i++) {
        uint64_t id = id_of(specs[i % 2]);
        assert_true(id > last);
        last = id;
    }
}

TEST("Bounds that overlap leave each other whole ticks, and disjoint ones do not know of each other")
{
    uint64_t last = 0;

    for (size_t i = 0; i < 20; i++) {
        uint64_t low = id_of("worker=fixed:2 state=memory start=zero seq_min=0 seq_max=99 on_full=lead max_lead=1h");
        uint64_t mid = id_of("worker=fixed:2 state=memory start=zero seq_min=50 seq_max=149 on_full=lead max_lead=1h");
        assert_true(low >> 22 > last >> 22);
        assert_true(mid >> 22 > low >> 22);
        last = mid;
    }
    /* The others are ahead of the clock by now, which is none of its business. */
    frazil *gen = open_or_fail("worker=fixed:2 state=memory start=zero seq_min=200 seq_max=299 on_full=error");
    uint64_t id;
    assert_int_equal(try_one(gen, &id, &retry_ns), FRAZIL_OK);
    assert_int_equal(sequence_of(id), 200);
    frazil_close(gen);
}

TEST("Ids that were taken ahead of the clock do not come again, and statistics begin anew")
{
    static uint64_t many[50000];
    frazil *gen = open_or_fail("worker=fixed:3 state=memory on_full=lead max_lead=1h");

    assert_int_equal(frazil_take(gen, many, 50000, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
    frazil_close(gen);
    gen = open_or_fail("worker=fixed:3 state=memory on_full=lead max_lead=1h");
    assert_int_equal(frazil_next(gen, &many[0]), FRAZIL_OK);
    assert_true(many[0] > many[49999]);
    assert_int_equal(stat_of(gen, FRAZIL_STAT_ISSUED), 1);
    frazil_close(gen);
}

TEST("Snos, and ids for times of the caller's, go on as well")
{
    frazil_sno last = {{0}}, sno;
    uint64_t before = 0, id;

    for (size_t i = 0; i < ROUNDS; i++) {
        frazil *gen = open_or_fail("layout=sno partition=7 state=memory start=zero");
        assert_int_equal(frazil_sno_next(gen, 0, &sno), FRAZIL_OK);
        assert_true(memcmp(&last, &sno, sizeof sno) < 0);
        last = sno;
        frazil_close(gen);
    }
    for (size_t i = 0; i < 20; i++) {
        frazil *gen = open_or_fail("worker=fixed:4 state=memory");
        assert_int_equal(frazil_next_at(gen, 1780000000000, &id, &why), FRAZIL_OK);
        assert_true(id > before);
        before = id;
        frazil_close(gen);
    }
}

TEST("A child goes on where its parent left off before the fork")
{
    static const char spec[] = "worker=fixed:5 state=memory start=zero on_full=lead max_lead=1h";
    static uint64_t many[50000];
    frazil *gen = open_or_fail(spec);
    int status;

    assert_int_equal(frazil_take(gen, many, 50000, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
    frazil_close(gen);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(id_of(spec) > many[49999] ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

TEST("Another worker, another layout and a clock of the program's begin anew")
{
    static const char frozen[] = "worker=fixed:6 state=memory start=zero clock=frozen:2026-05-01";
    static uint64_t many[50000];
    frazil *gen = open_or_fail("worker=fixed:6 state=memory on_full=lead max_lead=1h");
    uint64_t id;

    assert_int_equal(frazil_take(gen, many, 50000, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
    frazil_close(gen);
    gen = open_or_fail("worker=fixed:7 state=memory on_full=error start=zero");
    assert_int_equal(try_one(gen, &id, &retry_ns), FRAZIL_OK);
    assert_int_equal(sequence_of(id), 0);
    frazil_close(gen);
    gen = open_or_fail("layout=twitter worker=fixed:6 state=memory on_full=error start=zero");
    assert_int_equal(try_one(gen, &id, &retry_ns), FRAZIL_OK);
    assert_int_equal(sequence_of(id), 0);
    frazil_close(gen);
    id = id_of(frozen);
    assert_int_equal(id_of(frozen), id);
}
