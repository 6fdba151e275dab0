/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: frazil_open takes each key's valid values for what they
 * say, refuses every other with a sentence that says what would be right, and
 * leaves nothing behind when it fails.  (Worker ids: test_worker.c.)
 */

#include "generator/generator_internal.h"
#include "lib/rig.h"
#include "lib/test.h"

#define WORKER "worker=fixed:1 "

TEST("Values that are not understood, or do not fit, and what the sentence must say")
{
    static const struct {
        const char *spec;
        frazil_err code;
        const char *why;
    } rows[] = {
        {WORKER "layout=nosuch", FRAZIL_ELAYOUT, "nosuch"},
        {WORKER "layout=41/10/14", FRAZIL_ELAYOUT, "65"},
        {WORKER "epoch=yesterday", FRAZIL_ELAYOUT, "yesterday"},
        {WORKER "tick=0ms", FRAZIL_ELAYOUT, "tick"},
        {WORKER "layout=sno epoch=2020-01-01T00:00:00Z", FRAZIL_ELAYOUT, "sno"},
        {WORKER "behaviour=sonyflake", FRAZIL_ESPEC,
         "behaviour='sonyflake': must be one of frazil konayuki sfid sno post flake flake-callback"},
        {WORKER "on_full=hold", FRAZIL_ESPEC, "on_full='hold': must be one of wait lead error"},
        {WORKER "on_full=Wait", FRAZIL_ESPEC, "on_full='Wait': must be one of wait lead error"},
        {WORKER "on_backward=lead", FRAZIL_ESPEC, "on_backward='lead': must be one of hold wait error ticktock"},
        {WORKER "on_backward=ticktock", FRAZIL_ESPEC, "which only layout=sno has: use hold, wait or error"},
        {WORKER "behaviour=sno", FRAZIL_ESPEC, "which only layout=sno has: use hold, wait or error"},
        {WORKER "state=none", FRAZIL_ESPEC,
         "state='none': must be one of file memory, or a URL: redis://HOST/NAMESPACE, konayuki+redis://HOST or "
         "konayuki+file:///PATH"},
        {WORKER "start=one", FRAZIL_ESPEC, "start='one': must be one of zero random spread"},
        {WORKER "max_lead=1", FRAZIL_ESPEC, "max_lead='1': '1' is not a duration"},
        {WORKER "max_lead=-1s", FRAZIL_ESPEC, "units ns us ms s m h, such as 250ms; or unlimited"},
        {WORKER "max_wait=forever", FRAZIL_ESPEC, "max_wait='forever': 'forever' is not a duration"},
        {WORKER "max_wait=99999999999999h", FRAZIL_ESPEC, "is too long"},
        {WORKER "seq_min=4096", FRAZIL_ERANGE, "seq_min=4096: must be from 0 to 4095 for this layout"},
        {WORKER "seq_max=4096", FRAZIL_ERANGE, "seq_max=4096: must be from 0 to 4095 for this layout"},
        {WORKER "seq_min=-1", FRAZIL_ESPEC, "seq_min='-1': must be a whole number without sign or leading zero"},
        {WORKER "seq_min=01", FRAZIL_ESPEC, "seq_min='01': must be a whole number"},
        {WORKER "seq_min=4095", FRAZIL_ERANGE, "both bounds of the sequence are 4095: they must differ"},
        {WORKER "seq_min=7 seq_max=7", FRAZIL_ERANGE, "both bounds of the sequence are 7"},
        {WORKER "layout=sno seq_min=7 seq_max=9", FRAZIL_ERANGE,
         "the sequence bounds 7 and 9 leave 3 numbers: a sno generator needs 4"},
        {WORKER "clock=manual", FRAZIL_ESPEC, "must be real, or frozen:TIME"},
        {WORKER "clock=frozen", FRAZIL_ESPEC, "must be real, or frozen:TIME"},
        {WORKER "clock=frozen:", FRAZIL_ESPEC, "clock='frozen:':"},
        {WORKER "clock=frozen:noon", FRAZIL_ESPEC, "clock='frozen:noon':"},
        {WORKER "allow_short_life=1", FRAZIL_ESPEC, "allow_short_life='1': must be one of yes no"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_open_refused(rows[i].spec, NULL, rows[i].code, rows[i].why);
}

static void assert_check_says(const char *spec, const frazil_clock *clock, frazil_err code, const char *words)
{
    frazil_error err = {.message = ""};
    frazil_options *options;

    assert_int_equal(frazil_options_open(&options, NULL), FRAZIL_OK);
    assert_int_equal(frazil_options_spec(options, spec, strlen(spec), NULL), FRAZIL_OK);
    assert_int_equal(frazil_options_clock(options, clock, NULL), FRAZIL_OK);
    assert_int_equal(frazil_options_check(options, &err), code);
    if (strstr(err.message, words) == NULL)
        fail_msg("%s: %s", spec, err.message);
    frazil_options_close(options);
}

TEST("An epoch in the future and a layout that has ended are mistakes in the spec, and the sentence leads out of them")
{
    static const struct {
        const char *spec;
        frazil_err code;
        const char *why;
    } rows[] = {
        {WORKER "layout='41/10/12 epoch=2030-01-01' clock=frozen:2026-11-21", FRAZIL_ESPEC,
         "the layout's epoch 2030-01-01T00:00:00.000Z lies in the future (the clock shows 2026-11-21T00:00:00.000Z): "
         "choose an epoch that has passed"},
        {WORKER "epoch=9999-01-01", FRAZIL_ESPEC, "lies in the future"},
        {WORKER "layout=30/10/12 clock=frozen:2026-11-21", FRAZIL_ESHORTLIFE,
         "the layout ended at 2026-01-13T10:15:41.823Z, and it is 2026-11-21T00:00:00.000Z: use one that lasts longer, "
         "with more bits for the time, a longer tick or a later epoch"},
        {WORKER "layout=38/10/12 clock=frozen:2026-11-21", FRAZIL_ESHORTLIFE, "open it with allow_short_life=yes"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_open_refused(rows[i].spec, NULL, rows[i].code, rows[i].why);
        assert_check_says(rows[i].spec, NULL, rows[i].code, rows[i].why);
    }
    assert_int_equal(frazil_err_classify(FRAZIL_ESPEC), FRAZIL_CLASS_USAGE);
}

TEST("A check of options looks at the clock that the generator will have")
{
    frazil_manual_clock *manual;
    frazil_clock clock;

    assert_int_equal(frazil_manual_clock_open(&manual, INT64_C(1893456000000), 0, NULL), FRAZIL_OK); /* 2030 */
    frazil_manual_clock_port(manual, &clock, sizeof clock);
    assert_check_says(WORKER "state=memory layout='41/10/12 epoch=2029-12-31'", &clock, FRAZIL_OK, "");
    assert_check_says(WORKER "state=memory layout='41/10/12 epoch=2030-01-02'", &clock, FRAZIL_ESPEC,
                      "(the clock shows 2030-01-01T00:00:00.000Z)");
    frazil_manual_clock_close(manual);
}

static frazil *open_ok(const char *spec)
{
    frazil_error err;
    frazil *gen;

    if (frazil_open(&gen, spec, &err) != FRAZIL_OK)
        fail_msg("%s: %s", spec, err.message);
    return gen;
}

TEST("The cures that those sentences name work")
{
    static const char *const ways_out[] = {WORKER "layout='41/10/12 epoch=2026-11-21' clock=frozen:2026-11-21",
                                           WORKER "layout=38/10/12 allow_short_life=yes clock=frozen:2026-11-21",
                                           WORKER "layout='33/10/12 tick=1s' clock=frozen:2026-11-21",
                                           WORKER "layout=41/10/12 clock=frozen:2026-11-21"};
    frazil_error err;
    frazil *gen;
    uint64_t id;

    for (size_t i = 0; i < sizeof ways_out / sizeof ways_out[0]; i++) {
        gen = open_ok(ways_out[i]);
        assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
        frazil_close(gen);
    }

    /* A clock that shows a time before there was any frazil is wrong itself: ids wait until it is set. */
    gen = open_ok(WORKER "clock=frozen:1970-01-01T00:01:00Z");
    assert_int_equal(frazil_take(gen, &id, 1, 0, &err), FRAZIL_EAGAIN);
    assert_non_null(strstr(err.message, "set the clock, or choose an earlier epoch"));
    frazil_close(gen);
}

TEST("Where nothing will ever come, a call does not wait for ever: neither because of the spec nor of its own argument")
{
    static const char *const specs[] = {"max_wait=unlimited", "max_wait=none", "max_wait=unlimited max_lead=0",
                                        "max_wait=unlimited start=random", "behaviour=konayuki max_wait=unlimited"};

    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        char spec[256];
        uint64_t ids[257];
        frazil_error err;
        snprintf(spec, sizeof spec, "layout=41/10/8 worker=fixed:1 clock=frozen:2026-11-21 %s", specs[i]);
        frazil *gen = open_ok(spec);
        frazil_err code = FRAZIL_OK;
        for (int n = 0; n < 1000 && code == FRAZIL_OK; n++)
            code = frazil_take(gen, ids, 256, FRAZIL_WAIT_DEFAULT, &err);
        assert_int_equal(code, FRAZIL_EFULL);
        assert_non_null(strstr(err.message, "a frozen clock never comes to the next"));
        assert_int_equal(frazil_take(gen, ids, 257, FRAZIL_WAIT_FOREVER, &err), FRAZIL_EINVAL);
        for (int n = 0; n < 257 && code != FRAZIL_OK; n++)
            code = frazil_next(gen, ids) == FRAZIL_EFULL ? FRAZIL_OK : FRAZIL_EFULL; /* a few may be left */
        assert_int_equal(code, FRAZIL_OK);
        frazil_close(gen);
    }
}

TEST("The behaviours are the rows of the design's table, and each single key overrides its part of them")
{
    static const struct {
        const char *spec;
        enum fz_on_full on_full;
        enum fz_on_backward on_backward;
        enum fz_start start;
        uint64_t max_lead; /* ticks */
        uint64_t max_wait_ns;
    } rows[] = {
        {"", FZ_FULL_WAIT, FZ_BACKWARD_HOLD, FZ_START_SPREAD, 1000, 2 * RIG_S},
        {"behaviour=frazil", FZ_FULL_WAIT, FZ_BACKWARD_HOLD, FZ_START_SPREAD, 1000, 2 * RIG_S},
        {"behaviour=konayuki", FZ_FULL_WAIT, FZ_BACKWARD_WAIT, FZ_START_ZERO, 0, 10 * RIG_S},
        {"behaviour=sfid", FZ_FULL_LEAD, FZ_BACKWARD_HOLD, FZ_START_ZERO, FZ_NO_LIMIT, 0},
        {"behaviour=post", FZ_FULL_WAIT, FZ_BACKWARD_WAIT, FZ_START_ZERO, 0, 2 * RIG_S},
        {"behaviour=flake", FZ_FULL_ERROR, FZ_BACKWARD_ERROR, FZ_START_ZERO, 0, 0},
        {"behaviour=flake-callback", FZ_FULL_WAIT, FZ_BACKWARD_WAIT, FZ_START_ZERO, 0, 0},
        {"layout=sno", FZ_FULL_WAIT, FZ_BACKWARD_TICKTOCK, FZ_START_ZERO, 0, 2 * RIG_S},
        {"layout=sno behaviour=sno", FZ_FULL_WAIT, FZ_BACKWARD_TICKTOCK, FZ_START_ZERO, 0, 2 * RIG_S},
        {"layout=sno behaviour=frazil", FZ_FULL_WAIT, FZ_BACKWARD_HOLD, FZ_START_SPREAD, 250, 2 * RIG_S},
        {"behaviour=flake on_full=lead", FZ_FULL_LEAD, FZ_BACKWARD_ERROR, FZ_START_ZERO, 0, 0},
        {"behaviour=flake on_backward=hold", FZ_FULL_ERROR, FZ_BACKWARD_HOLD, FZ_START_ZERO, 0, 0},
        {"behaviour=flake start=random", FZ_FULL_ERROR, FZ_BACKWARD_ERROR, FZ_START_RANDOM, 0, 0},
        {"behaviour=flake max_lead=7ms", FZ_FULL_ERROR, FZ_BACKWARD_ERROR, FZ_START_ZERO, 7, 0},
        {"behaviour=flake max_wait=3us", FZ_FULL_ERROR, FZ_BACKWARD_ERROR, FZ_START_ZERO, 0, 3000},
        {"max_lead=unlimited max_wait=unlimited", FZ_FULL_WAIT, FZ_BACKWARD_HOLD, FZ_START_SPREAD, FZ_NO_LIMIT,
         FRAZIL_WAIT_FOREVER},
        {"max_lead=none max_wait=none", FZ_FULL_WAIT, FZ_BACKWARD_HOLD, FZ_START_SPREAD, FZ_NO_LIMIT,
         FRAZIL_WAIT_FOREVER},
        {"max_lead=1999us max_wait=0", FZ_FULL_WAIT, FZ_BACKWARD_HOLD, FZ_START_SPREAD, 1, 0},
        {"layout=sonyflake max_lead=19ms", FZ_FULL_WAIT, FZ_BACKWARD_HOLD, FZ_START_SPREAD, 1, 2 * RIG_S},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char spec[128];
        snprintf(spec, sizeof spec, WORKER "%s", rows[i].spec);
        frazil *gen = open_ok(spec);
        assert_int_equal(gen->rules.on_full, rows[i].on_full);
        assert_int_equal(gen->rules.on_backward, rows[i].on_backward);
        assert_int_equal(gen->rules.start, rows[i].start);
        assert_int_equal(gen->rules.max_lead, rows[i].max_lead);
        assert_int_equal(gen->fixed.max_wait_ns, rows[i].max_wait_ns);
        frazil_close(gen);
    }
}

TEST("Bounds in either order; both 0 are the whole range; the largest worker and bounds of 32 bits fit")
{
    static const struct {
        const char *spec;
        uint32_t min;
        uint32_t max;
        uint64_t capacity;
    } rows[] = {
        {"", 0, 4095, 4096},
        {"seq_min=0 seq_max=0", 0, 4095, 4096},
        {"seq_min=10 seq_max=20", 10, 20, 11},
        {"seq_min=20 seq_max=10", 10, 20, 11},
        {"seq_min=4094", 4094, 4095, 2},
        {"seq_max=1", 0, 1, 2},
        {"layout=sno", 0, 65535, 65536},
        {"layout=sno seq_min=65535 seq_max=65532", 65532, 65535, 4},
        {"layout=30/0/32 tick=1s worker=fixed:0", 0, UINT32_MAX, UINT64_C(1) << 32},
        {"layout=30/0/32 tick=1s worker=fixed:0 seq_min=4294967294", UINT32_MAX - 1, UINT32_MAX, 2},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char spec[128];
        frazil_info info;
        snprintf(spec, sizeof spec, "%s%s", strstr(rows[i].spec, "worker") == NULL ? WORKER : "", rows[i].spec);
        frazil *gen = open_ok(spec);
        frazil_get_info(gen, &info, sizeof info);
        assert_int_equal(info.sequence_min, rows[i].min);
        assert_int_equal(info.sequence_max, rows[i].max);
        assert_int_equal(info.capacity, rows[i].capacity);
        frazil_close(gen);
    }
}

TEST("epoch and tick override those of the layout, and are checked together with it")
{
    frazil_info info;
    frazil *gen = open_ok(WORKER "layout=twitter epoch=1700000000000 tick=10ms");

    frazil_get_info(gen, &info, sizeof info);
    assert_int_equal(layout_of(gen)->epoch_unix_ms, INT64_C(1700000000000));
    assert_int_equal(layout_of(gen)->tick_ms, 10);
    assert_string_equal(layout_of(gen)->name, "custom");
    frazil_close(gen);
    /* 63 bits of 1 ms do not fit after 1970; with an epoch in the year 1 they do. */
    assert_open_refused("worker=fixed:0 layout=63/0/1", NULL, FRAZIL_ELAYOUT, "do not fit 64-bit milliseconds");
    frazil_close(open_ok("worker=fixed:0 layout='63/0/1 epoch=0001-01-01T00:00:00Z'"));
}

TEST("A frozen clock shows its time for ever; a clock of the caller's wins over it")
{
    struct rig rig = {.random_state = 1};
    uint64_t id;
    frazil_fields fields;
    frazil_info info;
    frazil *gen = open_ok(WORKER "clock=frozen:2027-01-01T00:00:00Z");

    frazil_get_info(gen, &info, sizeof info);
    assert_false(info.counter_in_use);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
        assert_int_equal(frazil_id_decompose(layout_of(gen), id, &fields, NULL), FRAZIL_OK);
        assert_int_equal(fields.unix_ms, INT64_C(1798761600000));
    }
    frazil_close(gen);

    rig_open(&rig, WORKER "clock=frozen:2027-01-01T00:00:00Z", RIG_NOW);
    assert_int_equal(rig_parts(&rig, rig_next(&rig)).unix_ms, RIG_NOW);
    rig_close(&rig);

    gen = open_ok(WORKER "clock=real");
    assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
    frazil_close(gen);
}

TEST("Two generators of one spec are two: nothing is shared but the randomness of the world")
{
    frazil *a = open_ok(WORKER "clock=frozen:2027-01-01T00:00:00Z start=zero");
    frazil *b = open_ok(WORKER "clock=frozen:2027-01-01T00:00:00Z start=zero");
    uint64_t x;
    uint64_t y;

    assert_ptr_not_equal(a, b);
    assert_int_equal(frazil_next(a, &x), FRAZIL_OK);
    assert_int_equal(frazil_next(a, &x), FRAZIL_OK);
    frazil_close(a);
    assert_int_equal(frazil_next(b, &y), FRAZIL_OK);
    assert_int_equal(x, y + 1);
    frazil_close(b);
}

TEST("Closing nothing is allowed")
{
    frazil_close(NULL);
    frazil_local_close(NULL);
    frazil_manual_clock_close(NULL);
}

TEST("Random numbers come from the port where one is given, and only where a tick is entered at random")
{
    struct rig a = {.random_state = 99};
    struct rig b = {.random_state = 99};
    struct rig zero = {.random_state = 99};

    rig_open(&a, WORKER, RIG_NOW);
    rig_open(&b, WORKER, RIG_NOW);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(rig_next(&a), rig_next(&b));
        frazil_manual_clock_advance(a.manual, 5 * RIG_MS);
        frazil_manual_clock_advance(b.manual, 5 * RIG_MS);
    }
    assert_true(a.random_calls > 0);
    rig_close(&a);
    rig_close(&b);
    rig_open(&zero, WORKER "start=zero", RIG_NOW);
    rig_next(&zero);
    assert_int_equal(zero.random_calls, 0);
    rig_close(&zero);
}

TEST("Calls for no ids take none, and are no error")
{
    frazil *gen = open_ok(WORKER "clock=frozen:2027-01-01T00:00:00Z");
    uint64_t id = RIG_UNTOUCHED;
    frazil_error err;

    assert_int_equal(frazil_take(gen, &id, 0, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
    assert_int_equal(frazil_take(gen, &id, 0, 0, &err), FRAZIL_OK);
    assert_int_equal(id, RIG_UNTOUCHED);
    assert_int_equal(stat_of(gen, FRAZIL_STAT_ISSUED), 0);
    frazil_close(gen);
}

TEST("A name of a folder can lead to no other one, and is as long as files allow")
{
    static const char *const names[] = {".", "..", ".x", "a/b", "../x", "a b", "\xc3\xa4"};
    char spec[160];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(spec, sizeof spec, "worker=fixed:1 state=file run_dir=/nonexistent/a namespace='%s'", names[i]);
        assert_open_refused(spec, NULL, FRAZIL_ESPEC, "not begin with '.'");
    }
    snprintf(spec, sizeof spec, "worker=fixed:1 state=file namespace=%065d", 0);
    assert_open_refused(spec, NULL, FRAZIL_ESPEC, "must be 1 to 64 letters");
}
