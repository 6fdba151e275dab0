/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: taking without waiting gives as many ids as there are, says when to come back where there are
 * none, and never says "try later" of a batch that can never be had.
 */
#include "generator/generator_internal.h"
#include "lib/fake_slots.h"
#include "lib/rig.h"
#include "lib/test.h"
#include "os/deadline.h"

#define SMALL "layout=41/10/4 worker=fixed:1 start=zero "
enum { CAPACITY = 16, MANY = 100 };

static struct rig rig;
static uint64_t ids[MANY];
static size_t taken;
static uint64_t retry_ns;

static void open_small(const char *spec)
{
    rig = (struct rig){.random_state = 1};
    rig_open(&rig, spec, RIG_NOW);
    taken = 77;
    retry_ns = RIG_UNTOUCHED;
}

/* A call takes n ids, and says that the rest can follow in the next tick. */
static void assert_taken(size_t n)
{
    assert_int_equal(frazil_try_take(rig.gen, ids, MANY, &taken, &retry_ns, NULL), FRAZIL_OK);
    assert_int_equal(taken, n);
    assert_int_equal(retry_ns, RIG_MS);
    for (size_t i = 1; i < n; i++)
        assert_true(ids[i] > ids[i - 1]);
}

static void assert_none(frazil_err code, uint64_t retry)
{
    taken = 77;
    assert_int_equal(frazil_try_take(rig.gen, ids, MANY, &taken, &retry_ns, NULL), code);
    assert_int_equal(taken, 0);
    assert_int_equal(retry_ns, retry);
}

TEST("All that is left of a tick is given at once, and then the time of the next tick is told")
{
    open_small(SMALL "max_wait=1s");
    rig_next(&rig);
    assert_taken(CAPACITY - 1);
    assert_none(FRAZIL_EAGAIN, RIG_MS);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_FULL), 1);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), CAPACITY);
    frazil_manual_clock_advance(rig.manual, RIG_MS);
    assert_taken(CAPACITY);
    rig_close(&rig);
}

TEST("A call that fails says why in the same call, whatever n is, and its full tick counts once, whoever asks again")
{
    static const char *const specs[] = {SMALL "max_wait=1s", SMALL "on_full=error"};

    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        for (size_t n = 1; n <= MANY; n += MANY - 1) {
            frazil_error said = {.code = 0}, taken_for = {.code = 0};
            open_small(specs[i]);
            assert_int_equal(frazil_try_take(rig.gen, ids, CAPACITY, &taken, &retry_ns, &said), FRAZIL_OK);
            assert_int_equal(said.code, 0);
            frazil_err code = i == 0 ? FRAZIL_EAGAIN : FRAZIL_EFULL;
            assert_int_equal(frazil_try_take(rig.gen, ids, n, &taken, &retry_ns, &said), code);
            assert_int_equal(taken, 0);
            assert_int_equal(frazil_take(rig.gen, ids, 1, 0, &taken_for), code);
            assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_FULL), 1);
            assert_int_equal(said.code, code);
            assert_int_equal(said.err_class, taken_for.err_class);
            assert_string_equal(said.message, taken_for.message);
            rig_close(&rig);
        }
    }
}

TEST("With a lead the ids of the ticks ahead are given as well, and none beyond")
{
    open_small(SMALL "on_full=lead max_lead=2ms");
    assert_taken((size_t)3 * CAPACITY);
    assert_int_equal(rig_tick_of(&rig, ids[3 * CAPACITY - 1]), rig_now_tick(&rig) + 2);
    assert_none(FRAZIL_EAGAIN, RIG_MS);
    rig_close(&rig);
}

TEST("Where a policy is an error, it is that error, and both outputs tell the same time")
{
    frazil_error why;

    open_small(SMALL "behaviour=flake");
    assert_taken(CAPACITY);
    assert_none(FRAZIL_EFULL, RIG_MS);
    rig_step(&rig, -5);
    assert_none(FRAZIL_ECLOCK, 6 * RIG_MS);
    assert_int_equal(frazil_try_take(rig.gen, ids, MANY, &taken, &retry_ns, &why), FRAZIL_ECLOCK);
    assert_int_equal(retry_ns, why.retry_ns);
    frazil_manual_clock_advance(rig.manual, retry_ns);
    assert_taken(CAPACITY);
    rig_close(&rig);
}

TEST("Before the epoch there are none; 0 of them are always there")
{
    rig = (struct rig){.random_state = 1};
    rig_open(&rig, SMALL, -5000);
    assert_none(FRAZIL_EAGAIN, (uint64_t)(layout_of(rig.gen)->epoch_unix_ms + 5000) * RIG_MS);
    assert_int_equal(frazil_try_take(rig.gen, ids, 0, &taken, &retry_ns, NULL), FRAZIL_OK);
    assert_int_equal(taken, 0);
    assert_int_equal(retry_ns, 0);
    rig_close(&rig);
}

TEST("In the layout's last tick it gives what is left, and then it is over for ever")
{
    open_small(SMALL "allow_short_life=yes max_wait=0");
    const struct fz_slot_rules *rules = &rig.gen->rules;
    uint64_t life_ms = rules->last_tick - rig_now_tick(&rig);
    rig_step(&rig, (int64_t)life_ms);
    assert_true(frazil_try_take(rig.gen, ids, MANY, &taken, &retry_ns, NULL) == FRAZIL_OK);
    assert_in_range(taken, 1, CAPACITY);
    while (frazil_try_take(rig.gen, ids, MANY, &taken, &retry_ns, NULL) == FRAZIL_OK)
        assert_in_range(taken, 1, CAPACITY);
    assert_none(FRAZIL_EEXHAUSTED, 0);
    rig_close(&rig);
}

TEST("Snos likewise; each kind has its own function")
{
    frazil_sno snos[MANY];

    open_small("layout=sno worker=fixed:1 seq_min=0 seq_max=15 max_wait=1s");
    assert_int_equal(frazil_sno_try_take(rig.gen, 7, snos, MANY, &taken, &retry_ns, NULL), FRAZIL_OK);
    assert_int_equal(taken, CAPACITY);
    assert_int_equal(snos[15].bytes[5], 7);
    assert_int_equal(frazil_sno_try_take(rig.gen, 7, snos, MANY, &taken, &retry_ns, NULL), FRAZIL_EAGAIN);
    assert_int_equal(taken, 0);
    assert_in_range(retry_ns, 1, 4 * RIG_MS);
    assert_none(FRAZIL_EKIND, 0);
    rig_close(&rig);
    open_small(SMALL);
    assert_int_equal(frazil_sno_try_take(rig.gen, 7, snos, MANY, &taken, &retry_ns, NULL), FRAZIL_EKIND);
    assert_int_equal(taken, 0);
    assert_int_equal(retry_ns, 0);
    rig_close(&rig);
}

TEST("A handle gives what its block holds, and then what the generator has")
{
    frazil_local *local;
    uint64_t before = 0;
    uint64_t id;

    open_small(SMALL);
    assert_int_equal(frazil_local_open(&local, rig.gen, NULL), FRAZIL_OK);
    for (unsigned i = 0; i < CAPACITY; i++) {
        assert_int_equal(frazil_local_try_take(local, &id, 1, &taken, &retry_ns, NULL), FRAZIL_OK);
        assert_true(id > before);
        before = id;
    }
    assert_int_equal(retry_ns, 0);
    assert_int_equal(frazil_local_try_take(local, &id, 1, &taken, &retry_ns, NULL), FRAZIL_EAGAIN);
    assert_int_equal(retry_ns, RIG_MS);
    assert_int_equal(id, before);
    frazil_local_close(local);
    rig_close(&rig);
}

TEST("frazil_take that may not wait says what frazil_try_take says of one id")
{
    static const char *const specs[] = {SMALL "max_wait=1s", SMALL "behaviour=flake",
                                        SMALL "behaviour=sfid max_lead=0"};
    frazil_error why;
    uint64_t id;

    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        open_small(specs[i]);
        assert_taken(CAPACITY);
        frazil_err code = try_one(rig.gen, &id, &retry_ns);
        assert_int_not_equal(code, FRAZIL_OK);
        assert_int_equal(frazil_take(rig.gen, &id, 1, 0, &why), code);
        assert_int_equal(why.code, code);
        assert_int_equal(why.err_class, frazil_err_classify(code));
        assert_int_equal(why.retry_ns, RIG_MS);
        assert_int_equal(frazil_take(rig.gen, &id, 1, 0, NULL), code);
        rig_close(&rig);
    }
}

TEST("A batch that is too large is a wrong request; the error names the largest one, which is possible")
{
    static const struct {
        const char *spec;
        uint64_t wait_ns;
        size_t largest;
    } cases[] = {
        {SMALL "max_wait=1s", 0, CAPACITY},
        {SMALL "max_wait=2ms", FRAZIL_WAIT_DEFAULT, (size_t)3 * CAPACITY},
        {SMALL "max_wait=1s", RIG_MS + 1, (size_t)3 * CAPACITY},
        {SMALL "on_full=lead max_lead=3ms", 0, (size_t)4 * CAPACITY},
        {SMALL "on_full=lead max_lead=3ms", RIG_MS, (size_t)5 * CAPACITY},
        {SMALL "behaviour=flake max_wait=1s", FRAZIL_WAIT_FOREVER, CAPACITY},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char largest[40];
        frazil_error why;
        open_small(cases[i].spec);
        frazil_manual_clock_advance(rig.manual, RIG_MS - 1); /* the end of a tick of which none is taken */
        ids[0] = RIG_UNTOUCHED;
        assert_int_equal(frazil_take(rig.gen, ids, cases[i].largest + 1, cases[i].wait_ns, &why), FRAZIL_EINVAL);
        assert_int_equal(why.err_class, FRAZIL_CLASS_USAGE);
        assert_int_equal(why.retry_ns, 0);
        snprintf(largest, sizeof largest, "can take at most %zu ids", cases[i].largest);
        assert_non_null(strstr(why.message, largest));
        assert_true(ids[0] == RIG_UNTOUCHED);
        assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 0);
        assert_int_equal(frazil_take(rig.gen, ids, cases[i].largest, cases[i].wait_ns, &why), FRAZIL_OK);
        rig_close(&rig);
    }
}

/* Takes n ids in a call that may wait so long, and that was refused before; false: it is once more. */
static bool can_take_after(uint64_t pause, size_t n, uint64_t wait_ns)
{
    frazil_manual_clock_advance(rig.manual, pause);
    return frazil_take(rig.gen, ids, n, wait_ns, NULL) == FRAZIL_OK;
}

TEST("Who comes back after the time that is told is given the ids, also more than a tick has")
{
    static const char *const specs[] = {SMALL "max_wait=1s", SMALL "on_full=lead max_lead=1ms",
                                        "layout=41/10/4 worker=fixed:1 max_wait=1s"};
    static const uint64_t waits[] = {RIG_MS / 4, RIG_MS, RIG_MS + 1, 5 * RIG_MS / 2};
    enum { SPECS = sizeof specs / sizeof specs[0], WAITS = sizeof waits / sizeof waits[0], STEPS = 8 };
    unsigned refused = 0;

    for (unsigned i = 0; i < SPECS * WAITS * STEPS * STEPS; i++) {
        uint64_t wait_ns = waits[i / SPECS % WAITS];
        frazil_error why;
        open_small(specs[i % SPECS]);
        frazil_manual_clock_advance(rig.manual, i / (SPECS * WAITS) % STEPS * RIG_MS / STEPS);
        for (unsigned used = 3 * (i / (SPECS * WAITS * STEPS)); used > 0; used--)
            rig_next(&rig);
        for (size_t n = 1; n <= MANY; n += 3) {
            frazil_err err = frazil_take(rig.gen, ids, n, wait_ns, &why);
            if (err == FRAZIL_OK || err == FRAZIL_EINVAL)
                continue;
            assert_int_equal(err, FRAZIL_EFULL);
            if (!can_take_after(why.retry_ns, n, wait_ns))
                fail_msg("%s: %zu ids, wait %llu, again after %llu", specs[i % SPECS], n, (unsigned long long)wait_ns,
                         (unsigned long long)why.retry_ns);
            refused++;
        }
        rig_close(&rig);
    }
    assert_true(refused > 100);
}

TEST("More ids than the layout has left are a wrong request, and the error names how many it has")
{
    static const uint64_t waits[] = {0, RIG_MS, FRAZIL_WAIT_FOREVER};
    static uint64_t many[3 * CAPACITY];
    frazil_error why;

    open_small(SMALL "max_wait=1s");
    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
        assert_int_equal(frazil_take(rig.gen, ids, (UINT64_C(1) << 53) - 1, waits[i], &why), FRAZIL_EINVAL);
        assert_int_equal(why.err_class, FRAZIL_CLASS_USAGE);
        assert_int_equal(frazil_take(rig.gen, ids, SIZE_MAX, waits[i], &why), FRAZIL_EINVAL);
    }
    rig_close(&rig);
    open_small(SMALL "allow_short_life=yes max_wait=1s");
    rig_step(&rig, (int64_t)(rig.gen->rules.last_tick - rig_now_tick(&rig) - 2));
    rig_next(&rig);
    assert_int_equal(frazil_take(rig.gen, many, 3 * CAPACITY, FRAZIL_WAIT_FOREVER, &why), FRAZIL_EINVAL);
    assert_non_null(strstr(why.message, "can take at most 47 ids"));
    assert_int_equal(frazil_take(rig.gen, many, 3 * CAPACITY - 1, FRAZIL_WAIT_FOREVER, NULL), FRAZIL_OK);
    assert_int_equal(frazil_take(rig.gen, many, 2, FRAZIL_WAIT_FOREVER, &why), FRAZIL_EEXHAUSTED);
    assert_int_equal(frazil_take(rig.gen, many, SIZE_MAX, 0, &why), FRAZIL_EEXHAUSTED);
    rig_close(&rig);
}

TEST("One id after the other by the real clock: each is one, later than the one before, and says to come back now")
{
    frazil *gen = open_or_fail("worker=fixed:1 state=memory on_full=lead max_lead=1h");
    uint64_t last = 0;

    for (int i = 0; i < 10000; i++) {
        uint64_t id = 0;
        taken = 77;
        retry_ns = RIG_UNTOUCHED;
        assert_int_equal(frazil_try_take(gen, &id, 1, &taken, &retry_ns, NULL), FRAZIL_OK);
        assert_int_equal(taken, 1);
        assert_int_equal(retry_ns, 0);
        assert_true(id > last);
        last = id;
    }
    assert_int_equal(stat_of(gen, FRAZIL_STAT_ISSUED), 10000);
    frazil_close(gen);
}

TEST("Slots from elsewhere: a server is asked within the time of its URL, and the guard of a folder is not waited for")
{
    for (int is_folder = 0; is_folder < 2; is_folder++) {
        fake_slots = (struct fake_slots){.is_folder = is_folder};
        rig = (struct rig){.random_state = 1, .coordinators = fake_slots_coordinators};
        rig_open(&rig, SMALL "state=fake://slots", RIG_NOW);
        assert_int_equal(frazil_try_take(rig.gen, ids, 1, &taken, &retry_ns, NULL), FRAZIL_OK);
        assert_int_equal(fz_deadline_left_ns(fake_slots.deadline), is_folder ? 0 : UINT64_MAX);
        rig_close(&rig);
    }
}
