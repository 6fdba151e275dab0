/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: over whole courses of a faulty clock (saw-tooth, a repeated
 * second, standing still, stepped while a call waits, random walks) every
 * behaviour keeps the invariants: I1 unique, I3 increasing, I6 honest time,
 * I7 bounded.
 */

#include "core/now.h"
#include "lib/near_miss.h"
#include "lib/rig.h"
#include "lib/test.h"

enum { BATCH_MAX = 6000, KEYS_MAX = 4000000 };

struct behaviour {
    const char *spec;
    uint64_t lead_ms; /* the most that ids may be ahead */
    uint64_t wait_ms; /* the longest call */
    bool is_sno;
};

static const struct behaviour behaviours[] = {
    {"worker=fixed:1", 1000, 2000, false},
    {"worker=fixed:1 start=random", 1000, 2000, false},
    {"worker=fixed:1 behaviour=konayuki", 0, 10000, false},
    {"worker=fixed:1 behaviour=sfid", UINT64_MAX, 0, false},
    {"worker=fixed:1 layout=sno", 0, 2000, true},
    {"worker=fixed:1 layout=sno seq_min=100 seq_max=1099 start=spread", 0, 2000, true},
    {"worker=fixed:1 behaviour=post", 0, 2000, false},
    {"worker=fixed:1 behaviour=flake", 0, 0, false},
    {"worker=fixed:1 behaviour=flake-callback", 0, 0, false},
    {"worker=fixed:1 layout=sonyflake start=zero on_full=lead max_lead=50ms max_wait=30ms", 50, 30, false},
    {"worker=fixed:1 layout=41/10/4 start=zero on_full=lead on_backward=wait max_lead=5ms max_wait=7ms", 5, 7, false},
    {"worker=fixed:1 layout=41/10/6 start=zero seq_min=9 seq_max=40 max_lead=3ms max_wait=4ms", 3, 4, false},
};
enum { BEHAVIOURS = sizeof behaviours / sizeof behaviours[0] };

/* All ids of a course as numbers that sort by time, for I1, and the highest of each side, for I3. */
struct course {
    const struct behaviour *behaviour;
    struct rig rig;
    uint32_t tick_ms;
    uint64_t *keys;
    size_t count;
    uint64_t highest[2];
    uint64_t failures;
};

static void begin(struct course *course, const struct behaviour *behaviour, bool frozen)
{
    *course = (struct course){.behaviour = behaviour, .rig = {.random_state = 7}};
    (frozen ? rig_open_frozen : rig_open)(&course->rig, behaviour->spec, RIG_NOW);
    course->tick_ms = layout_of(course->rig.gen)->tick_ms;
    course->keys = malloc(KEYS_MAX * sizeof *course->keys);
    assert_non_null(course->keys);
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t *x = a;
    const uint64_t *y = b;

    return *x < *y ? -1 : *x > *y;
}

static void end(struct course *course)
{
    assert_int_equal(stat_of(course->rig.gen, FRAZIL_STAT_ISSUED), course->count);
    qsort(course->keys, course->count, sizeof *course->keys, compare_keys);
    for (size_t i = 1; i < course->count; i++) {
        if (course->keys[i - 1] == course->keys[i])
            fail_msg("I1: %s: an id came twice", course->behaviour->spec);
    }
    free(course->keys);
    rig_close(&course->rig);
}

/* I3 and I6 of one id; is_last: of its batch, whose earlier ones may be older by as long as the call waited. */
static void note(struct course *course, unsigned side, int64_t unix_ms, uint32_t sequence, bool is_last)
{
    const struct behaviour *b = course->behaviour;
    const int64_t now = rig_now_ms(&course->rig);
    const uint64_t key = (uint64_t)unix_ms << 17 | sequence << 1 | side;

    if (key <= course->highest[side])
        fail_msg("I3: %s: an id is not above the one before", b->spec);
    course->highest[side] = key;
    if (unix_ms > now && (uint64_t)(unix_ms - now) > b->lead_ms)
        fail_msg("I6: %s: an id is ahead by %lld ms", b->spec, (long long)(unix_ms - now));
    if (is_last && unix_ms + 2 * (int64_t)course->tick_ms <= now)
        fail_msg("I6: %s: an id is behind by %lld ms", b->spec, (long long)(now - unix_ms));
    assert_true(course->count < KEYS_MAX);
    course->keys[course->count++] = key;
}

static frazil_err take_snos(struct course *course, size_t n)
{
    static frazil_sno ids[BATCH_MAX];
    const frazil_err err = frazil_sno_take(course->rig.gen, 3, ids, n, FRAZIL_WAIT_DEFAULT, NULL);

    for (size_t i = 0; err == FRAZIL_OK && i < n; i++) {
        frazil_sno_fields fields;
        frazil_sno_decompose(&ids[i], &fields);
        note(course, fields.ticktock, fields.unix_ms, fields.sequence, i == n - 1);
    }
    return err;
}

/* Takes n ids and checks I7 too.  Whether there were any. */
static bool take(struct course *course, size_t n)
{
    static uint64_t ids[BATCH_MAX];
    const uint64_t started_ns = rig_monotonic_ns(&course->rig);
    frazil_err err;

    if (course->behaviour->is_sno) {
        err = take_snos(course, n);
    } else {
        err = frazil_take(course->rig.gen, ids, n, FRAZIL_WAIT_DEFAULT, NULL);
        for (size_t i = 0; err == FRAZIL_OK && i < n; i++) {
            const frazil_fields fields = rig_parts(&course->rig, ids[i]);
            note(course, 0, fields.unix_ms, fields.sequence, i == n - 1);
        }
    }
    if (rig_monotonic_ns(&course->rig) - started_ns > course->behaviour->wait_ms * RIG_MS)
        fail_msg("I7: %s: a call took too long", course->behaviour->spec);
    course->failures += err != FRAZIL_OK;
    return err == FRAZIL_OK;
}

TEST("Up 10 ms, down 7 ms, again and again")
{
    for (size_t b = 0; b < BEHAVIOURS; b++) {
        struct course course;
        begin(&course, &behaviours[b], false);
        for (int i = 0; i < 300; i++) {
            rig_step(&course.rig, i % 2 == 0 ? 10 : -7);
            take(&course, 1);
            take(&course, 5);
        }
        assert_true(course.count >= 300);
        end(&course);
    }
}

TEST("A second that comes twice, as at a leap second that is stepped: ids are taken in each ms of both")
{
    for (size_t b = 0; b < BEHAVIOURS; b++) {
        struct course course;
        begin(&course, &behaviours[b], false);
        for (int round = 0; round < 3; round++) {
            frazil_manual_clock_set(course.rig.manual, RIG_NOW);
            for (int ms = 0; ms < 1000; ms++) {
                take(&course, 3);
                frazil_manual_clock_advance(course.rig.manual, RIG_MS);
            }
            assert_int_equal(stat_of(course.rig.gen, FRAZIL_STAT_BACKWARD_STEPS), round);
        }
        assert_true(course.count >= 3000);
        end(&course);
    }
}

TEST("A clock that stands: each behaviour gives what it may and then fails within its bound, for as long as it stands")
{
    static const struct {
        size_t behaviour;
        uint64_t ids;
        frazil_err then;
    } rows[] = {
        {0, 4096, FRAZIL_EFULL},    {2, 4096, FRAZIL_EFULL}, {4, 65536, FRAZIL_EFULL}, {5, 1000, FRAZIL_EFULL},
        {6, 4096, FRAZIL_EFULL},    {7, 4096, FRAZIL_EFULL}, {8, 4096, FRAZIL_EFULL},  {9, 6 * 256, FRAZIL_EFULL},
        {10, 6 * 16, FRAZIL_EFULL}, {11, 32, FRAZIL_EFULL},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct course course;
        begin(&course, &behaviours[rows[i].behaviour], true);
        if (rows[i].behaviour == 0 || rows[i].behaviour == 5) {
            /* Spread starts this tick somewhere: let the next one start at zero. */
            while (available_of(course.rig.gen) > 0)
                take(&course, 1);
            rig_step(&course.rig, course.tick_ms);
        }
        const size_t before = course.count;
        while (take(&course, 1))
            ;
        assert_int_equal(course.count - before, rows[i].ids);
        for (int again = 0; again < 3; again++)
            assert_false(take(&course, 1));
        assert_int_equal(available_of(course.rig.gen), 0);
        assert_int_equal(stat_of(course.rig.gen, FRAZIL_STAT_WAITED_US) %
                             (course.behaviour->wait_ms * 1000 + (course.behaviour->wait_ms == 0)),
                         0);
        rig_step(&course.rig, course.tick_ms);
        assert_true(take(&course, 1));
        end(&course);
    }
}

TEST("sfid never waits and never fails: on a clock that stands it runs ahead")
{
    struct course course;

    begin(&course, &behaviours[3], true);
    for (int i = 0; i < 50; i++)
        assert_true(take(&course, 5000));
    assert_int_equal(course.count, 250000);
    assert_int_equal(stat_of(course.rig.gen, FRAZIL_STAT_WAITS), 0);
    assert_int_equal(stat_of(course.rig.gen, FRAZIL_STAT_LEAD_US), 250000 / 4096 * 1000);
    end(&course);
}

TEST("Seeded random walks of the clock with calls of all sizes")
{
    static const int64_t steps[] = {-1, -1, -2, -5, -40, -1000, -3600000, 1, 1, 2, 3, 5, 8, 50, 1000, 3600000};

    for (size_t b = 0; b < BEHAVIOURS; b++) {
        for (uint64_t seed = 1; seed <= 4; seed++) {
            uint64_t random_state = seed;
            struct course course;
            begin(&course, &behaviours[b], false);
            for (int i = 0; i < 1500; i++) {
                const uint64_t random = seeded_next(&random_state);
                if (random % 3 == 0)
                    rig_step(&course.rig, steps[random / 3 % (sizeof steps / sizeof steps[0])]);
                else if (random % 3 == 1)
                    frazil_manual_clock_advance(course.rig.manual, random / 3 % (3 * RIG_MS));
                else
                    take(&course, (random & 1024) != 0 ? 1 + (size_t)(random / 3 % 50) : 1 + random % 1500);
            }
            assert_true(course.count > 30 && course.failures < 1000);
            end(&course);
        }
    }
}

/* ---- a clock that is stepped while a call sleeps ---- */

struct stepping {
    frazil_clock inner;
    frazil_manual_clock *manual;
    int64_t step_ms;   /* taken off or put on in the middle of the first sleep */
    uint64_t early_ns; /* how much too early each sleep returns */
    uint64_t late_ns;  /* how much too late each sleep returns */
    unsigned sleeps;
};

static void stepping_now(void *ctx, frazil_instant *ret)
{
    struct stepping *s = ctx;

    *ret = fz_now(&s->inner);
}

static uint64_t stepping_monotonic(void *ctx)
{
    struct stepping *s = ctx;

    return s->inner.monotonic_ns(s->inner.ctx);
}

static void stepping_sleep(void *ctx, uint64_t monotonic_ns)
{
    struct stepping *s = ctx;
    const uint64_t now_ns = s->inner.monotonic_ns(s->inner.ctx);
    const uint64_t early_ns = monotonic_ns - now_ns > s->early_ns ? s->early_ns : 0;

    s->inner.sleep_until(s->inner.ctx, monotonic_ns - early_ns + s->late_ns);
    if (s->sleeps++ == 0 && s->step_ms != 0)
        frazil_manual_clock_set(s->manual, fz_now(&s->inner).unix_ms + s->step_ms);
}

static frazil *open_stepping(struct stepping *s, const char *spec)
{
    const frazil_clock clock = {.size = sizeof(frazil_clock),
                                .ctx = s,
                                .now = stepping_now,
                                .monotonic_ns = stepping_monotonic,
                                .sleep_until = stepping_sleep};
    const struct ports ports = {.clock = &clock};
    frazil *gen;

    assert_int_equal(frazil_manual_clock_open(&s->manual, RIG_NOW, 0, NULL), FRAZIL_OK);
    s->inner = port_of(s->manual);
    assert_int_equal(ports_open(&gen, spec, &ports, NULL), FRAZIL_OK);
    return gen;
}

static void close_stepping(struct stepping *s, frazil *gen)
{
    frazil_close(gen);
    frazil_manual_clock_close(s->manual);
}

#define SMALL "layout=41/10/4 worker=fixed:0 start=zero "

TEST("Fills the tick and takes one more while the clock is stepped: what comes out, when, and what is left behind")
{
    static const struct {
        const char *spec;
        int64_t step_ms;
        frazil_err code;
        int64_t id_ms;      /* relative to the start */
        uint64_t waited_ms; /* in all */
    } rows[] = {
        {SMALL "behaviour=konayuki", 0, FRAZIL_OK, 1, 1},
        {SMALL "behaviour=konayuki", -5, FRAZIL_OK, 1, 6},
        {SMALL "behaviour=konayuki", -9998, FRAZIL_OK, 1, 9999},
        {SMALL "behaviour=konayuki", -9999, FRAZIL_OK, 1, 10000},
        {SMALL "behaviour=konayuki", -10000, FRAZIL_ECLOCK, 0, 1},
        {SMALL "behaviour=konayuki", -3600000, FRAZIL_ECLOCK, 0, 1},
        {SMALL "behaviour=konayuki", 1, FRAZIL_OK, 1, 1},
        {SMALL "behaviour=konayuki", 2, FRAZIL_OK, 3, 1},
        {SMALL "behaviour=konayuki", 3600000, FRAZIL_OK, 3600001, 1},
        {SMALL "max_wait=2s", -500, FRAZIL_OK, 1, 1},
        {SMALL "max_wait=2s", -1500, FRAZIL_OK, 1, 501},
        {SMALL "max_wait=2s", -3600000, FRAZIL_ECLOCK, 0, 1},
        {SMALL "on_backward=error", -1, FRAZIL_OK, 1, 2},
        {SMALL "on_backward=error", -2, FRAZIL_ECLOCK, 0, 1},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct stepping s = {.step_ms = rows[i].step_ms};
        frazil *gen = open_stepping(&s, rows[i].spec);
        frazil_error err = {.behind_us = 0};
        uint64_t ids[16];
        uint64_t id = RIG_UNTOUCHED;

        assert_int_equal(frazil_take(gen, ids, 16, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
        if (frazil_take(gen, &id, 1, FRAZIL_WAIT_DEFAULT, &err) != rows[i].code)
            fail_msg("%s step %lld: %s", rows[i].spec, (long long)rows[i].step_ms, err.message);
        assert_int_equal(stat_of(gen, FRAZIL_STAT_WAITS), 1);
        assert_int_equal(stat_of(gen, FRAZIL_STAT_WAITED_US), rows[i].waited_ms * 1000);
        assert_int_equal(stat_of(gen, FRAZIL_STAT_FULL), 1);
        assert_int_equal(stat_of(gen, FRAZIL_STAT_BACKWARD_STEPS), rows[i].step_ms < -1);
        if (rows[i].code == FRAZIL_OK) {
            assert_int_equal((int64_t)(id >> 14) - (int64_t)(ids[0] >> 14), rows[i].id_ms);
            assert_int_equal(stat_of(gen, FRAZIL_STAT_ISSUED), 17);
        } else {
            /* I7: no trace.  The first id of the next tick is still there. */
            assert_int_equal(id, RIG_UNTOUCHED);
            assert_int_equal(err.behind_us, (-rows[i].step_ms - 1) * 1000); /* the ms slept was not seen */
            assert_int_equal(stat_of(gen, FRAZIL_STAT_ISSUED), 16);
            frazil_manual_clock_set(s.manual, RIG_NOW + 1);
            assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
            assert_int_equal(id, ((ids[0] >> 14) + 1) << 14);
        }
        close_stepping(&s, gen);
    }
}

TEST("A long wait ends soon after the clock has been set right, not when it would have ended otherwise")
{
    struct stepping s = {.step_ms = 9000};
    frazil *gen = open_stepping(&s, SMALL "behaviour=konayuki");
    uint64_t id;

    assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
    frazil_manual_clock_set(s.manual, RIG_NOW - 9000);
    assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
    assert_int_equal(stat_of(gen, FRAZIL_STAT_WAITS), 1);
    assert_true(stat_of(gen, FRAZIL_STAT_WAITED_US) <= 100000);
    close_stepping(&s, gen);
}

TEST("A batch that fails while it waits gives everything back, also the jump that it made to the tick of the clock")
{
    static const char *const specs[] = {SMALL "behaviour=konayuki max_wait=20ms",
                                        "layout=41/10/4 worker=fixed:0 on_backward=wait max_wait=20ms start=random"};

    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        struct stepping s = {.step_ms = -100};
        frazil *gen = open_stepping(&s, specs[i]);
        uint64_t ids[40];
        uint64_t id = 0;

        assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
        frazil_manual_clock_set(s.manual, RIG_NOW + 50);
        assert_int_equal(available_of(gen), 16);
        assert_int_equal(frazil_take(gen, ids, 40, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_ECLOCK);
        assert_int_equal(stat_of(gen, FRAZIL_STAT_ISSUED), 1);
        assert_int_equal(stat_of(gen, FRAZIL_STAT_WAITS), 1);
        frazil_manual_clock_set(s.manual, RIG_NOW + 50);
        assert_int_equal(available_of(gen), 16);
        close_stepping(&s, gen);
    }
}

/* Takes n ids; the last one's time is so long after the start. */
static void assert_takes(frazil *gen, size_t n, uint64_t wait_ns, int64_t last_ms)
{
    enum { MOST = 80 };
    uint64_t ids[MOST];
    frazil_fields fields;
    frazil_error err;

    assert_true(n <= MOST);
    if (frazil_take(gen, ids, n, wait_ns, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    assert_int_equal(frazil_id_decompose(layout_of(gen), ids[n - 1], &fields, NULL), FRAZIL_OK);
    assert_int_equal(fields.unix_ms, RIG_NOW + last_ms);
}

TEST("A thread that wakes late has what it has waited for, as its time may not allow to wait once more")
{
    const uint64_t late_ms[] = {1, 2, 20, 3000};

    for (size_t i = 0; i < sizeof late_ms / sizeof late_ms[0]; i++) {
        struct stepping s = {.late_ns = late_ms[i] * RIG_MS};
        frazil *gen = open_stepping(&s, SMALL);
        assert_takes(gen, 80, 4 * RIG_MS, 4);
        assert_int_equal(s.sleeps, 1);
        assert_takes(gen, 16, 0, 4 + (int64_t)late_ms[i]); /* the next call is in the present again */
        close_stepping(&s, gen);
    }
}

TEST("If the clock was set forward meanwhile, ids follow it, however late the thread wakes")
{
    struct stepping s = {.step_ms = 5000, .late_ns = 20 * RIG_MS};
    frazil *gen = open_stepping(&s, SMALL);

    assert_takes(gen, 80, 60 * RIG_MS, 4 + 20 + 5000 + 4);
    assert_int_equal(s.sleeps, 2);
    close_stepping(&s, gen);
}

TEST("Sleeps that return early are slept on: the id never comes before its tick, and the wait is counted once")
{
    struct stepping s = {.early_ns = 300000};
    frazil *gen = open_stepping(&s, SMALL "behaviour=konayuki");
    uint64_t ids[16];
    uint64_t id;

    assert_int_equal(frazil_take(gen, ids, 16, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
    assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
    assert_int_equal(fz_now(&s.inner).unix_ms, RIG_NOW + 1);
    assert_int_equal(id >> 14, (ids[0] >> 14) + 1);
    assert_true(s.sleeps > 1);
    assert_int_equal(stat_of(gen, FRAZIL_STAT_WAITS), 1);
    assert_int_equal(stat_of(gen, FRAZIL_STAT_WAITED_US), 1000);
    assert_int_equal(stat_of(gen, FRAZIL_STAT_FULL), 1);
    close_stepping(&s, gen);
}
