/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: every behaviour does what its row of the design's table
 * says under every fault of the clock.  The ids, the waits, and the offsets in
 * the errors are exact, and a call that fails leaves no trace.
 */

#include "lib/rig.h"
#include "lib/test.h"

#define HOUR_MS INT64_C(3600000)
#define YEAR_MS (365 * 24 * HOUR_MS)
#define NEVER UINT64_MAX

/*
 * A behaviour and how far back a clock may step before a call waits, and before
 * it fails; ms.
 */
struct behaviour {
    const char *spec;
    uint64_t hold_ms;
    uint64_t max_wait_ms;
    bool is_sno;
};

/* So that a year back is still within the layout. */
#define EPOCH "epoch=2020-01-01T00:00:00Z "

/* The one that fails where others wait. */
#define FLAKE "worker=fixed:1 " EPOCH "behaviour=flake"

static const struct behaviour behaviours[] = {
    {"worker=fixed:1 " EPOCH "start=zero", 1000, 2000, false},
    {"worker=fixed:1 " EPOCH "behaviour=konayuki", 0, 10000, false},
    {"worker=fixed:1 " EPOCH "behaviour=sfid", NEVER, 0, false},
    {"worker=fixed:1 layout=sno", 0, 2000, true},
    {"worker=fixed:1 " EPOCH "behaviour=post", 0, 2000, false},
    {FLAKE, 0, 0, false},
    {"worker=fixed:1 " EPOCH "behaviour=flake-callback", 0, 0, false},
};
enum { BEHAVIOURS = sizeof behaviours / sizeof behaviours[0] };

static const int64_t steps_back_ms[] = {1, 5, 1000, 1001, 3000, 10000, 10001, 8 * HOUR_MS, YEAR_MS};

/* One id, whatever its kind, as its place. */
struct place {
    int64_t unix_ms;
    uint32_t sequence;
    unsigned side;
};

static frazil_err take(struct rig *rig, bool is_sno, uint64_t wait_ns, struct place *ret, frazil_error *reterr)
{
    if (is_sno) {
        frazil_sno id;
        frazil_err err = frazil_sno_take(rig->gen, 0, &id, 1, wait_ns, reterr);
        if (err == FRAZIL_OK) {
            frazil_sno_fields fields;
            frazil_sno_decompose(&id, &fields);
            *ret = (struct place){.unix_ms = fields.unix_ms, .sequence = fields.sequence, .side = fields.ticktock};
        }
        return err;
    }
    uint64_t id = RIG_UNTOUCHED;
    frazil_err err = frazil_take(rig->gen, &id, 1, wait_ns, reterr);
    if (err == FRAZIL_OK) {
        frazil_fields fields = rig_parts(rig, id);
        *ret = (struct place){.unix_ms = fields.unix_ms, .sequence = fields.sequence};
    } else {
        assert_int_equal(id, RIG_UNTOUCHED);
    }
    return err;
}

static struct place take_ok(struct rig *rig, bool is_sno)
{
    struct place place = {0};
    frazil_error err;

    if (take(rig, is_sno, FRAZIL_WAIT_DEFAULT, &place, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    return place;
}

static void assert_place(struct place place, int64_t unix_ms, uint32_t sequence, unsigned side)
{
    assert_int_equal(place.unix_ms, unix_ms);
    assert_int_equal(place.sequence, sequence);
    assert_int_equal(place.side, side);
}

/* All that a user can see of a generator without taking an id. */
struct trace {
    uint64_t issued;
    uint64_t available;
    uint32_t sequence;
};

static void assert_same_trace(const struct trace *a, const struct trace *b)
{
    assert_int_equal(a->issued, b->issued);
    assert_int_equal(a->available, b->available);
    assert_int_equal(a->sequence, b->sequence);
}

static struct trace trace_of(struct rig *rig)
{
    frazil_info info;

    frazil_get_info(rig->gen, &info, sizeof info);
    return (struct trace){
        .issued = stat_of(rig->gen, FRAZIL_STAT_ISSUED), .available = info.available, .sequence = info.sequence};
}

/* The result of a call that never waits, while the clock is behind. */
static frazil_err code_without_waiting(const struct behaviour *b)
{
    return strcmp(b->spec, FLAKE) == 0 ? FRAZIL_ECLOCK : FRAZIL_EAGAIN;
}

/* The call fails at once, says so exactly, changes nothing, and succeeds when it said that it would, not 1 ns sooner.
 */
static void check_refusal(struct rig *rig, const struct behaviour *b, int64_t behind_us, uint64_t retry_ns)
{
    const struct trace before = trace_of(rig);
    const uint64_t monotonic_ns = rig_monotonic_ns(rig);
    struct place place;
    frazil_error err;

    assert_int_equal(take(rig, b->is_sno, FRAZIL_WAIT_DEFAULT, &place, &err), FRAZIL_ECLOCK);
    assert_int_equal(err.code, FRAZIL_ECLOCK);
    assert_int_equal(err.behind_us, behind_us);
    assert_int_equal(err.retry_ns, retry_ns);
    assert_int_equal(rig_monotonic_ns(rig), monotonic_ns);
    const struct trace after = trace_of(rig);
    assert_same_trace(&before, &after);

    frazil_manual_clock_advance(rig->manual, retry_ns - 1);
    assert_int_equal(take(rig, b->is_sno, 0, &place, &err), code_without_waiting(b));
    assert_int_equal(err.retry_ns, 1);
    frazil_manual_clock_advance(rig->manual, 1);
}

/*
 * One step back after three ids were taken, 250 us into their tick: held, waited
 * for, refused, or answered by the tick-tock.
 */
static void check_step_back(const struct behaviour *b, int64_t step_ms)
{
    struct rig rig = {.random_state = 1};
    const uint64_t wait_ms = (uint64_t)step_ms > b->hold_ms ? (uint64_t)step_ms - b->hold_ms : 0;

    rig_open(&rig, b->spec, RIG_NOW);
    frazil_manual_clock_advance(rig.manual, RIG_MS / 4);
    for (uint32_t i = 0; i < 3; i++)
        assert_place(take_ok(&rig, b->is_sno), RIG_NOW, i, 0);
    rig_step(&rig, -step_ms);

    const uint64_t started_ns = rig_monotonic_ns(&rig);
    if (b->is_sno) {
        assert_place(take_ok(&rig, true), RIG_NOW - (step_ms + 3) / 4 * 4, 0, 1); /* I3 holds for each side alone */
        assert_int_equal(rig_monotonic_ns(&rig), started_ns);
    } else if (wait_ms > b->max_wait_ms) {
        check_refusal(&rig, b, step_ms * 1000 + 250, wait_ms * RIG_MS);
        assert_place(take_ok(&rig, false), RIG_NOW, 3, 0);
    } else {
        assert_place(take_ok(&rig, false), RIG_NOW, 3, 0);
        assert_int_equal(rig_monotonic_ns(&rig) - started_ns, wait_ms * RIG_MS); /* I7 */
        assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_WAITS), wait_ms > 0 ? 1 : 0);
        assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_WAITED_US), wait_ms * 1000);
    }
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 4);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_BACKWARD_STEPS), 1);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_BACKWARD_MAX_US), step_ms * 1000 + 250);
    assert_true(stat_of(rig.gen, FRAZIL_STAT_LEAD_MAX_US) <= b->hold_ms * 1000 || b->hold_ms == NEVER); /* I6 */
    rig_close(&rig);
}

TEST("Every behaviour under every step back")
{
    for (size_t b = 0; b < BEHAVIOURS; b++) {
        for (size_t i = 0; i < sizeof steps_back_ms / sizeof steps_back_ms[0]; i++)
            check_step_back(&behaviours[b], steps_back_ms[i]);
    }
}

TEST("A year forward is believed: it cannot be told from a suspended machine")
{
    /* Going back from there is a step of a year. */
    for (size_t i = 0; i < BEHAVIOURS; i++) {
        const struct behaviour *b = &behaviours[i];
        struct rig rig = {.random_state = 1};
        struct place place;
        frazil_error err;

        rig_open(&rig, b->spec, RIG_NOW);
        assert_place(take_ok(&rig, b->is_sno), RIG_NOW, 0, 0);
        rig_step(&rig, YEAR_MS);
        assert_place(take_ok(&rig, b->is_sno), RIG_NOW + YEAR_MS, 0, 0);
        rig_step(&rig, -YEAR_MS);
        if (b->is_sno) {
            assert_place(take_ok(&rig, true), RIG_NOW, 0, 1);
        } else if (b->hold_ms == NEVER) {
            assert_place(take_ok(&rig, false), RIG_NOW + YEAR_MS, 1, 0);
        } else {
            assert_int_equal(take(&rig, false, FRAZIL_WAIT_DEFAULT, &place, &err), FRAZIL_ECLOCK);
            assert_int_equal(err.behind_us, YEAR_MS * 1000);
            assert_int_equal(err.retry_ns, ((uint64_t)YEAR_MS - b->hold_ms) * RIG_MS);
            assert_non_null(strstr(err.message, "went back by 365 d "));
        }
        rig_close(&rig);
    }
}

TEST("Without waiting: FRAZIL_EAGAIN and when to come back, or the error that the policy is")
{
    for (size_t i = 0; i < BEHAVIOURS; i++) {
        const struct behaviour *b = &behaviours[i];
        struct rig rig = {.random_state = 1};
        uint64_t retry_ns = RIG_UNTOUCHED;
        uint64_t id = RIG_UNTOUCHED;

        if (b->is_sno)
            continue;
        rig_open(&rig, b->spec, RIG_NOW);
        rig_next(&rig);
        rig_step(&rig, -5000);
        const frazil_err err = try_one(rig.gen, &id, &retry_ns);
        if (b->hold_ms == NEVER) {
            assert_int_equal(err, FRAZIL_OK);
            assert_int_equal(retry_ns, 0);
        } else {
            const bool is_error = strstr(b->spec, "=flake") != NULL && strstr(b->spec, "callback") == NULL;
            assert_int_equal(err, is_error ? FRAZIL_ECLOCK : FRAZIL_EAGAIN);
            assert_int_equal(retry_ns, (5000 - b->hold_ms) * RIG_MS);
            assert_int_equal(id, RIG_UNTOUCHED);
            assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 1);
        }
        rig_close(&rig);
    }
}

TEST(
    "frazil_take's own bound: a call waits when its wait is as long as it has to be, and does not even begin otherwise")
{
    for (size_t i = 0; i < BEHAVIOURS; i++) {
        const struct behaviour *b = &behaviours[i];
        struct rig rig = {.random_state = 1};
        struct place place;
        frazil_error err;

        if (b->is_sno || b->hold_ms == NEVER || strstr(b->spec, "behaviour=flake") != NULL)
            continue;
        const uint64_t wait_ns = (3600000 - b->hold_ms) * RIG_MS;
        rig_open(&rig, b->spec, RIG_NOW);
        rig_next(&rig);
        rig_step(&rig, -HOUR_MS);
        const uint64_t started_ns = rig_monotonic_ns(&rig);
        assert_int_equal(take(&rig, false, wait_ns - 1, &place, &err), FRAZIL_ECLOCK);
        assert_int_equal(rig_monotonic_ns(&rig), started_ns);
        assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_WAITS), 0);
        assert_int_equal(take(&rig, false, wait_ns, &place, &err), FRAZIL_OK);
        assert_place(place, RIG_NOW, 1, 0);
        assert_int_equal(rig_monotonic_ns(&rig) - started_ns, wait_ns);
        assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_WAITS), 1);

        rig_step(&rig, -HOUR_MS);
        assert_int_equal(take(&rig, false, FRAZIL_WAIT_FOREVER, &place, &err), FRAZIL_OK);
        assert_place(place, RIG_NOW, 2, 0);
        rig_close(&rig);
    }
}

TEST("Ticks of 10 ms: a step inside a tick is none; offsets and times to retry are to the tick's start, to the ns")
{
    struct rig rig = {.random_state = 1};
    uint64_t id = RIG_UNTOUCHED;
    frazil_error err;

    rig_open(&rig, "layout=sonyflake worker=fixed:1 start=zero on_backward=wait max_wait=0", RIG_NOW);
    frazil_manual_clock_advance(rig.manual, 9 * RIG_MS + 123456);
    rig_next(&rig);
    rig_step(&rig, -9);
    assert_int_equal(rig_parts(&rig, rig_next(&rig)).sequence, 1);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_BACKWARD_STEPS), 0);
    rig_step(&rig, -1);
    frazil_manual_clock_advance(rig.manual, 300000);
    assert_int_equal(frazil_take(rig.gen, &id, 1, 0, &err), FRAZIL_EAGAIN);
    assert_int_equal(err.behind_us, 9123 + 700);
    assert_int_equal(err.retry_ns, 700000);
    assert_int_equal(id, RIG_UNTOUCHED);
    frazil_manual_clock_advance(rig.manual, 700000);
    assert_int_equal(rig_parts(&rig, rig_next(&rig)).sequence, 2);
    rig_close(&rig);
}

TEST("A full tick is a full tick, also when the clock has gone back inside of it: nothing is said about the clock")
{
    struct rig rig = {.random_state = 1};
    uint64_t ids[256];
    frazil_error err;

    rig_open(&rig, "layout=sonyflake worker=fixed:1 start=zero max_wait=0", RIG_NOW);
    frazil_manual_clock_advance(rig.manual, 9 * RIG_MS);
    assert_int_equal(frazil_take(rig.gen, ids, 256, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
    rig_step(&rig, -6);
    assert_int_equal(frazil_take(rig.gen, ids, 1, 0, &err), FRAZIL_EAGAIN);
    assert_int_equal(err.behind_us, 0);
    assert_int_equal(err.retry_ns, 7 * RIG_MS);
    assert_non_null(strstr(err.message, "all 256 ids of this tick are taken and the next are free in 7 ms,"));
    rig_close(&rig);
}

TEST("Before the epoch there is nothing to hold or to toggle: an error that says when the epoch comes")
{
    for (size_t i = 0; i < BEHAVIOURS; i++) {
        const struct behaviour *b = &behaviours[i];
        struct rig rig = {.random_state = 1};
        struct place place;
        frazil_error err;

        rig_open(&rig, b->spec, -5000);
        const int64_t epoch = layout_of(rig.gen)->epoch_unix_ms;
        assert_int_equal(available_of(rig.gen), 0);
        assert_int_equal(take(&rig, b->is_sno, FRAZIL_WAIT_DEFAULT, &place, &err), FRAZIL_ECLOCK);
        assert_int_equal(err.behind_us, 0);
        assert_int_equal(err.retry_ns, (uint64_t)(epoch + 5000) * RIG_MS);
        assert_non_null(strstr(err.message, "before the layout's epoch"));
        assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 0);
        frazil_manual_clock_set(rig.manual, epoch);
        assert_place(take_ok(&rig, b->is_sno), epoch, 0, 0);
        frazil_manual_clock_set(rig.manual, epoch - 1);
        assert_int_equal(take(&rig, b->is_sno, 0, &place, &err), code_without_waiting(b));
        assert_int_equal(err.behind_us, 1000);
        rig_close(&rig);
    }
}

TEST("Absurd times are errors, and arithmetic on them does not overflow (the sanitizers look)")
{
    static const int64_t times[] = {INT64_MIN, INT64_MIN / 1000, INT64_MIN / 1000 - 1,
                                    INT64_MAX, INT64_MAX / 1000, INT64_MAX / 1000 + 1};

    for (size_t i = 0; i < BEHAVIOURS; i++) {
        for (size_t t = 0; t < sizeof times / sizeof times[0]; t++) {
            const struct behaviour *b = &behaviours[i];
            struct rig rig = {.random_state = 1};
            struct place place;
            frazil_error err;

            rig_open(&rig, b->spec, RIG_NOW);
            take_ok(&rig, b->is_sno);
            frazil_manual_clock_set(rig.manual, times[t]);
            assert_int_equal(take(&rig, b->is_sno, FRAZIL_WAIT_DEFAULT, &place, &err),
                             times[t] < 0 ? FRAZIL_ECLOCK : FRAZIL_EEXHAUSTED);
            assert_true(times[t] < 0 ? err.behind_us > 0 : err.behind_us == 0);
            assert_int_equal(err.retry_ns, times[t] < 0 ? UINT64_MAX : 0); /* more nanoseconds than there are */
            assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 1);
            assert_int_equal(available_of(rig.gen), 0);
            rig_close(&rig);
        }
    }
}
