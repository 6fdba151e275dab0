/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the sno generator behaves as sno does, and mends sno's faults.
 * Tested are the tick-tock through whole histories of a clock, overflow notifications,
 * ids for a time of the caller's, introspection, and errors for the calls of the other
 * kind.  (Snapshots: test_sno_restore.c.)
 */

#include "lib/near_miss.h"
#include "lib/rig.h"
#include "lib/test.h"

#define SNO "layout=sno worker=fixed:4660 "

/* RIG_NOW is a multiple of 4 ms, and so is sno's epoch. */
#define UNIT(n) (RIG_NOW + INT64_C(4) * (n))

static frazil_info info_of(struct rig *rig)
{
    frazil_info info;

    frazil_get_info(rig->gen, &info, sizeof info);
    return info;
}

static void assert_sno(struct rig *rig, int64_t unix_ms, unsigned ticktock, unsigned sequence)
{
    const frazil_sno_fields parts = rig_sno_parts(rig);

    assert_int_equal(parts.unix_ms, unix_ms);
    assert_int_equal(parts.ticktock, ticktock);
    assert_int_equal(parts.sequence, sequence);
}

TEST("All fields of a sno come from where they should")
{
    struct rig rig = {.random_state = 1};
    frazil_sno ids[3];
    frazil_sno_fields parts;

    rig_open(&rig, SNO, RIG_NOW + 3);
    assert_int_equal(frazil_sno_next(rig.gen, 0xab, &ids[0]), FRAZIL_OK);
    assert_int_equal(frazil_sno_take(rig.gen, 0xff, &ids[1], 2, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
    for (size_t i = 0; i < 3; i++) {
        frazil_sno_decompose(&ids[i], &parts);
        assert_int_equal(parts.unix_ms, RIG_NOW);
        assert_int_equal(parts.meta, i == 0 ? 0xab : 0xff);
        assert_int_equal(parts.partition, 0x1234);
        assert_int_equal(parts.sequence, i);
        assert_int_equal(parts.ticktock, 0);
        assert_memory_not_equal(&ids[i], &(frazil_sno){{0}}, sizeof ids[i]);
    }
    rig_close(&rig);
}

TEST("The tick-tock, step by step")
{
    /* The first step back toggles at once; a second one into time that the other side has used waits until that is
     * over, in milliseconds and not 10^6 times shorter; and then toggles. */
    struct rig rig = {.random_state = 1};

    rig_open(&rig, SNO, UNIT(100));
    assert_sno(&rig, UNIT(100), 0, 0);
    frazil_manual_clock_set(rig.manual, UNIT(50));
    uint64_t started_ns = rig_monotonic_ns(&rig);
    assert_sno(&rig, UNIT(50), 1, 0); /* at once */
    assert_sno(&rig, UNIT(50), 1, 1);
    assert_int_equal(rig_monotonic_ns(&rig), started_ns);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_TICKTOCKS), 1);

    frazil_manual_clock_set(rig.manual, UNIT(60));
    assert_sno(&rig, UNIT(60), 1, 0); /* forward within the side */
    frazil_manual_clock_set(rig.manual, UNIT(40));
    started_ns = rig_monotonic_ns(&rig);
    assert_sno(&rig, UNIT(60), 1, 1); /* below 100 on side 0, below 60 on side 1: waits for the nearer */
    assert_int_equal(rig_monotonic_ns(&rig) - started_ns, 20 * 4 * RIG_MS);

    frazil_manual_clock_set(rig.manual, UNIT(300));
    assert_sno(&rig, UNIT(300), 1, 0);
    frazil_manual_clock_set(rig.manual, UNIT(90));
    started_ns = rig_monotonic_ns(&rig);
    assert_sno(&rig, UNIT(101), 0, 0); /* side 0 is free above 100: 11 units, not 210 */
    assert_int_equal(rig_monotonic_ns(&rig) - started_ns, 11 * 4 * RIG_MS);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_TICKTOCKS), 2);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_WAITS), 2);

    frazil_manual_clock_set(rig.manual, UNIT(250));
    assert_sno(&rig, UNIT(250), 0, 0);
    frazil_manual_clock_set(rig.manual, UNIT(249));
    started_ns = rig_monotonic_ns(&rig);
    assert_sno(&rig, UNIT(250), 0, 1); /* side 1 was used up to 300 */
    assert_int_equal(rig_monotonic_ns(&rig) - started_ns, 4 * RIG_MS);
    rig_close(&rig);
}

TEST("A wait that is longer than allowed is refused at once, and retry_ns says when: then, and not 1 ns sooner")
{
    struct rig rig = {.random_state = 1};
    frazil_sno id;
    frazil_error err;
    uint64_t retry_ns = RIG_UNTOUCHED;

    rig_open(&rig, SNO, UNIT(10000));
    assert_sno(&rig, UNIT(10000), 0, 0);
    frazil_manual_clock_set(rig.manual, UNIT(0));
    assert_sno(&rig, UNIT(0), 1, 0);
    frazil_manual_clock_set(rig.manual, UNIT(20000));
    assert_sno(&rig, UNIT(20000), 1, 0);
    frazil_manual_clock_set(rig.manual, UNIT(5000));
    const uint64_t wait_ns = 5001 * 4 * RIG_MS;
    assert_int_equal(frazil_sno_take(rig.gen, 0, &id, 1, FRAZIL_WAIT_DEFAULT, &err), FRAZIL_ECLOCK);
    assert_int_equal(err.behind_us, 15000 * 4000);
    assert_int_equal(err.retry_ns, wait_ns);
    assert_int_equal(try_one_sno(rig.gen, 0, &id, &retry_ns), FRAZIL_EAGAIN);
    assert_int_equal(retry_ns, wait_ns);
    assert_int_equal(frazil_sno_next(rig.gen, 0, &id), FRAZIL_ECLOCK);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 3);
    frazil_manual_clock_advance(rig.manual, wait_ns - 1);
    assert_int_equal(try_one_sno(rig.gen, 0, &id, &retry_ns), FRAZIL_EAGAIN);
    assert_int_equal(retry_ns, 1);
    frazil_manual_clock_advance(rig.manual, 1);
    assert_int_equal(try_one_sno(rig.gen, 0, &id, &retry_ns), FRAZIL_OK);
    rig_close(&rig);
}

TEST("A batch that does not fit into the unit of a clock that went back is waited for, not planned anew for ever")
{
    struct rig rig = {.random_state = 1};
    static frazil_sno ids[65537];
    frazil_sno_fields parts;

    rig_open(&rig, SNO "max_wait=none", UNIT(0));
    assert_sno(&rig, UNIT(0), 0, 0);
    rig_step(&rig, 40);
    (void)stat_of(rig.gen, FRAZIL_STAT_ISSUED);
    rig_step(&rig, -40);
    assert_int_equal(frazil_sno_take(rig.gen, 0, ids, 65536, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
    frazil_sno_decompose(&ids[65535], &parts);
    assert_int_equal(parts.unix_ms, UNIT(1));
    assert_int_equal(parts.sequence, 0);
    rig_step(&rig, -8);
    assert_int_equal(frazil_sno_take(rig.gen, 0, ids, 65537, FRAZIL_WAIT_DEFAULT, NULL),
                     FRAZIL_OK); /* toggles, and fills more than a unit */
    frazil_sno_decompose(&ids[0], &parts);
    assert_int_equal(parts.ticktock, 1);
    frazil_sno_decompose(&ids[65536], &parts);
    assert_int_equal(parts.ticktock, 1);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_TICKTOCKS), 1);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 1 + 65536 + 65537);
    rig_close(&rig);
}

static int compare_snos(const void *a, const void *b)
{
    return memcmp(a, b, FRAZIL_SNO_SIZE);
}

TEST("I1 and I3 over long histories of a clock that goes anywhere, with bounds so small that units overflow")
{
    enum { STEPS = 4000, IDS = 20 * STEPS };
    static frazil_sno ids[IDS];

    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct rig rig = {.random_state = seed};
        uint64_t random_state = seed;
        size_t count = 0;
        uint64_t highest[2] = {0, 0};

        rig_open(&rig, SNO "seq_min=65530 seq_max=65535 max_wait=400ms", RIG_NOW);
        for (int i = 0; i < STEPS; i++) {
            const uint64_t random = seeded_next(&random_state);
            const size_t n = 1 + random / 64 % 20;
            if (random % 4 == 0)
                rig_step(&rig, (int64_t)(random / 4 % 161) - 80);
            if (frazil_sno_take(rig.gen, (uint8_t)random, ids + count, n, FRAZIL_WAIT_DEFAULT, NULL) != FRAZIL_OK)
                continue;
            for (size_t k = count; k < count + n; k++) {
                frazil_sno_fields parts;
                frazil_sno_decompose(&ids[k], &parts);
                const uint64_t place = (uint64_t)parts.unix_ms << 16 | parts.sequence;
                assert_true(place > highest[parts.ticktock]); /* I3 within one side */
                assert_in_range(parts.sequence, 65530, 65535);
                highest[parts.ticktock] = place;
                parts.meta = 0; /* unique without it too */
                assert_int_equal(frazil_sno_compose(&parts, &ids[k], NULL), FRAZIL_OK);
            }
            count += n;
        }
        assert_true(stat_of(rig.gen, FRAZIL_STAT_TICKTOCKS) > 10);
        assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), count);
        assert_true(count > STEPS);
        qsort(ids, count, sizeof ids[0], compare_snos);
        for (size_t k = 1; k < count; k++)
            assert_true(memcmp(ids[k - 1].bytes, ids[k].bytes, FRAZIL_SNO_SIZE) < 0); /* I1 */
        rig_close(&rig);
    }
}

/* ---- overflow ---- */

struct told {
    frazil_overflow last;
    unsigned calls;
    unsigned ends;
    int64_t previous_ms;
};

static void on_overflow(void *ctx, const frazil_overflow *overflow)
{
    struct told *told = ctx;

    told->previous_ms = told->last.unix_ms;
    told->last = *overflow;
    told->calls++;
    told->ends += overflow->waiting == 0;
}

TEST("The callback is told once a tick while it lasts, with counts, and once when it has ended")
{
    struct rig rig = {.random_state = 1};
    struct told told = {.calls = 0};

    rig_open(&rig, SNO "seq_min=0 seq_max=9", UNIT(0));
    frazil_on_overflow(rig.gen, on_overflow, &told);
    for (unsigned i = 0; i < 10; i++)
        rig_sno(&rig);
    assert_int_equal(told.calls, 0); /* a full unit with nobody waiting is no overflow */
    for (unsigned tick = 0; tick < 5; tick++) {
        assert_sno(&rig, UNIT(tick + 1), 0, 0); /* waits for the next unit */
        assert_int_equal(told.calls, tick + 1);
        assert_int_equal(told.last.ticks, tick + 1);
        assert_int_equal(told.last.waiting, 1);
        assert_int_equal(told.last.unix_ms, UNIT(tick));
        for (unsigned i = 1; i < 10; i++)
            rig_sno(&rig);
        assert_int_equal(told.calls, tick + 1);
    }
    assert_int_equal(told.ends, 0); /* somebody waited in the unit before this one, UNIT(5) */
    rig_step(&rig, 4);
    rig_sno(&rig);
    assert_int_equal(told.calls, 6);
    assert_int_equal(told.ends, 1);
    assert_int_equal(told.last.ticks, 5);
    assert_int_equal(told.last.unix_ms, UNIT(6));
    rig_step(&rig, 4);
    rig_sno(&rig);
    assert_int_equal(told.calls, 6);
    rig_close(&rig);
    assert_int_equal(told.calls, 6);
}

TEST("A batch over several units is told of in each of them")
{
    struct rig rig = {.random_state = 1};
    struct told told = {.calls = 0};
    frazil_sno ids[45];

    rig_open(&rig, SNO "seq_min=0 seq_max=9", UNIT(0));
    frazil_on_overflow(rig.gen, on_overflow, &told);
    assert_int_equal(frazil_sno_take(rig.gen, 0, ids, 45, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
    assert_int_equal(rig_now_ms(&rig), UNIT(4));
    assert_int_equal(told.calls, 4);
    assert_int_equal(told.last.ticks, 4);
    rig_close(&rig);
    assert_int_equal(told.calls, 5); /* closing ends it */
    assert_int_equal(told.ends, 1);
}

TEST("However many callers wait in a unit, and however often they wake in it, it is told of once")
{
    struct rig rig = {.random_state = 1};
    struct told told = {.calls = 0};
    frazil_sno id;

    rig_open_frozen(&rig, SNO "seq_min=0 seq_max=9", UNIT(0));
    frazil_on_overflow(rig.gen, on_overflow, &told);
    for (unsigned i = 0; i < 10; i++)
        rig_sno(&rig);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(frazil_sno_next(rig.gen, 0, &id), FRAZIL_EFULL);
        assert_int_equal(told.calls, 1);
    }
    rig_close(&rig);
    assert_int_equal(told.calls, 2);
    assert_int_equal(told.last.ticks, 1);
}

TEST("Calls that fail, lead or wait for the clock to catch up are no overflow; NULL switches it off")
{
    static const char *const specs[] = {"worker=fixed:1 layout=41/10/4 start=zero max_wait=0",
                                        "worker=fixed:1 layout=41/10/4 behaviour=sfid",
                                        "worker=fixed:1 layout=41/10/4 behaviour=konayuki"};

    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        struct rig rig = {.random_state = 1};
        struct told told = {.calls = 0};
        uint64_t ids[16];
        uint64_t id;

        rig_open(&rig, specs[i], RIG_NOW);
        frazil_on_overflow(rig.gen, on_overflow, &told);
        assert_int_equal(frazil_take(rig.gen, ids, 16, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
        if (i == 2)
            rig_step(&rig, -3); /* the word stands in the next tick, but the clock is behind: ECLOCK, not full */
        (void)!frazil_next(rig.gen, &id);
        assert_int_equal(told.calls, i == 2 ? 1 : 0); /* 3 ms for the clock, then 1 ms for a free tick */
        frazil_on_overflow(rig.gen, NULL, NULL);
        rig_close(&rig);
        assert_int_equal(told.calls, i == 2 ? 1 : 0);
    }
}

/* ---- a time of the caller's ---- */

TEST("Its own sequence from the lower bound, rolling over silently; tick-tock 0; the live state is untouched")
{
    static const int64_t outside[] = {INT64_C(1262303999999), INT64_C(3461327255552), INT64_MIN, INT64_MAX};
    struct rig rig = {.random_state = 1};
    frazil_sno id;
    frazil_sno_fields parts;

    rig_open(&rig, SNO "seq_min=7 seq_max=10", UNIT(0));
    assert_sno(&rig, UNIT(0), 0, 7);
    rig_step(&rig, -400);
    assert_sno(&rig, UNIT(-100), 1, 7);
    for (unsigned i = 0; i < 11; i++) {
        const int64_t unix_ms = i % 2 == 0 ? INT64_C(1262304000000) : INT64_C(3461327255551);
        assert_int_equal(frazil_sno_next_at(rig.gen, unix_ms, 0x42, &id, NULL), FRAZIL_OK);
        frazil_sno_decompose(&id, &parts);
        assert_int_equal(parts.unix_ms, unix_ms / 4 * 4);
        assert_int_equal(parts.sequence, 7 + i % 4);
        assert_int_equal(parts.ticktock, 0);
        assert_int_equal(parts.meta, 0x42);
        assert_int_equal(parts.partition, 4660);
    }
    assert_sno(&rig, UNIT(-100), 1, 8);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 3);

    /* A time outside the layout is an error and uses no sequence number: the next call has the next one. */
    for (unsigned i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        memset(&id, 0x5a, sizeof id);
        assert_int_equal(frazil_sno_next_at(rig.gen, outside[i], 0, &id, NULL), FRAZIL_ERANGE);
        assert_int_equal(id.bytes[0], 0x5a);
        assert_int_equal(frazil_sno_next_at(rig.gen, RIG_NOW, 0, &id, NULL), FRAZIL_OK);
        frazil_sno_decompose(&id, &parts);
        assert_int_equal(parts.sequence, 7 + (11 + i) % 4);
    }
    rig_close(&rig);
}

TEST("The same for 64-bit ids")
{
    struct rig rig = {.random_state = 1};
    uint64_t id;

    rig_open(&rig, "layout=41/10/2 worker=fixed:9 start=zero", RIG_NOW);
    for (unsigned i = 0; i < 9; i++) {
        assert_int_equal(frazil_next_at(rig.gen, RIG_NOW - 5, &id, NULL), FRAZIL_OK);
        const frazil_fields parts = rig_parts(&rig, id);
        assert_int_equal(parts.unix_ms, RIG_NOW - 5);
        assert_int_equal(parts.sequence, i % 4);
        assert_int_equal(parts.worker, 9);
    }
    id = RIG_UNTOUCHED;
    assert_int_equal(frazil_next_at(rig.gen, 0, &id, NULL), FRAZIL_ERANGE);
    assert_int_equal(id, RIG_UNTOUCHED);
    assert_int_equal(frazil_next_at(rig.gen, RIG_NOW, &id, NULL), FRAZIL_OK);
    assert_int_equal(rig_parts(&rig, id).sequence, 1);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 0);
    rig_close(&rig);
}

/* ---- looking at it ---- */

TEST("The next sequence number, what is used of the unit, and what is left, wherever word and clock stand")
{
    struct rig rig = {.random_state = 1};

    rig_open(&rig, SNO "seq_min=200 seq_max=100", UNIT(0));
    frazil_info info = info_of(&rig);
    assert_int_equal(info.worker, 4660);
    assert_int_equal(info.sequence_min, 100);
    assert_int_equal(info.sequence_max, 200);
    assert_int_equal(info.capacity, 101);
    assert_int_equal(info.layout->kind, FRAZIL_LAYOUT_SNO);
    assert_int_equal(info.id_size, FRAZIL_SNO_SIZE);
    assert_false(info.counter_in_use);
    for (unsigned taken = 0; taken < 101; taken++) {
        info = info_of(&rig);
        assert_int_equal(info.sequence, 100 + taken);
        assert_int_equal(info.available, 101 - taken);
        rig_sno(&rig);
    }
    info = info_of(&rig);
    assert_int_equal(info.sequence, 100);
    assert_int_equal(info.available, 0);
    rig_step(&rig, 4);
    assert_int_equal(info_of(&rig).available, 101);
    rig_sno(&rig);
    assert_int_equal(info_of(&rig).sequence, 101);

    rig_step(&rig, -40); /* the next call toggles: the lower bound, and a whole unit to come */
    assert_int_equal(info_of(&rig).sequence, 100);
    assert_int_equal(info_of(&rig).available, 101);
    rig_sno(&rig);
    assert_int_equal(info_of(&rig).sequence, 101);
    rig_step(&rig, -40); /* the next call waits */
    assert_int_equal(available_of(rig.gen), 0);
    rig_close(&rig);
}

TEST("Calls of the other kind are FRAZIL_EKIND and do nothing")
{
    struct rig sno = {.random_state = 1};
    struct rig plain = {.random_state = 1};
    frazil_local *local = NULL;
    char snapshot[FRAZIL_SNO_SNAPSHOT_SIZE];
    frazil_sno id;
    uint64_t number = RIG_UNTOUCHED;
    uint64_t retry_ns;
    frazil_error err;

    memset(&id, 0x5a, sizeof id);
    rig_open(&sno, SNO, RIG_NOW);
    rig_open(&plain, "worker=fixed:1", RIG_NOW);
    assert_int_equal(frazil_next(sno.gen, &number), FRAZIL_EKIND);
    assert_int_equal(frazil_take(sno.gen, &number, 1, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_EKIND);
    assert_int_equal(try_one(sno.gen, &number, &retry_ns), FRAZIL_EKIND);
    assert_int_equal(frazil_take(sno.gen, &number, 1, 0, &err), FRAZIL_EKIND);
    assert_non_null(strstr(err.message, "take snos from it"));
    assert_int_equal(frazil_next_at(sno.gen, RIG_NOW, &number, NULL), FRAZIL_EKIND);
    assert_int_equal(frazil_local_open(&local, sno.gen, NULL), FRAZIL_EKIND);
    assert_null(local);
    assert_int_equal(frazil_sno_next(plain.gen, 0, &id), FRAZIL_EKIND);
    assert_int_equal(frazil_sno_take(plain.gen, 0, &id, 1, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_EKIND);
    assert_int_equal(try_one_sno(plain.gen, 0, &id, &retry_ns), FRAZIL_EKIND);
    assert_int_equal(frazil_sno_take(plain.gen, 0, &id, 1, 0, &err), FRAZIL_EKIND);
    assert_non_null(strstr(err.message, "take 64-bit ids from it"));
    assert_int_equal(frazil_sno_next_at(plain.gen, RIG_NOW, 0, &id, NULL), FRAZIL_EKIND);
    assert_int_equal(frazil_sno_snapshot(plain.gen, snapshot, sizeof snapshot, NULL), FRAZIL_EKIND);
    assert_int_equal(frazil_sno_take(sno.gen, 0, &id, 0, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
    assert_int_equal(frazil_sno_take(sno.gen, 0, &id, 0, 0, NULL), FRAZIL_OK);
    assert_int_equal(number, RIG_UNTOUCHED);
    assert_int_equal(id.bytes[9], 0x5a);
    assert_int_equal(stat_of(sno.gen, FRAZIL_STAT_ISSUED) + stat_of(plain.gen, FRAZIL_STAT_ISSUED), 0);
    rig_close(&sno);
    rig_close(&plain);
}
