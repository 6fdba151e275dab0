/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: I8, the life of a layout ends in an error.  Its last tick
 * is usable to the last number, afterwards every call of every kind is
 * FRAZIL_EEXHAUSTED for ever, and no id ever wraps into a field above.
 */

#include "lib/layouts.h"
#include "lib/rig.h"
#include "lib/test.h"

#define DAY_MS INT64_C(86400000)
#define SHORTEST_LIFE_MS (3652 * DAY_MS)

enum { SPEC_SIZE = 256 };

static void assert_exhausted(struct rig *rig)
{
    uint64_t id = RIG_UNTOUCHED;
    uint64_t retry_ns = RIG_UNTOUCHED;
    frazil_error err;

    assert_int_equal(frazil_next(rig->gen, &id), FRAZIL_EEXHAUSTED);
    assert_int_equal(frazil_take(rig->gen, &id, 1, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_EEXHAUSTED);
    assert_int_equal(try_one(rig->gen, &id, &retry_ns), FRAZIL_EEXHAUSTED);
    assert_int_equal(frazil_take(rig->gen, &id, 1, FRAZIL_WAIT_FOREVER, &err), FRAZIL_EEXHAUSTED);
    assert_int_equal(err.retry_ns, 0);
    assert_non_null(strstr(err.message, "no id will ever follow"));
    assert_int_equal(id, RIG_UNTOUCHED);
    assert_int_equal(retry_ns, 0);
    assert_int_equal(available_of(rig->gen), 0);
}

static void assert_exhausted_sno(struct rig *rig)
{
    frazil_sno id;
    uint64_t retry_ns = RIG_UNTOUCHED;

    assert_int_equal(frazil_sno_next(rig->gen, 0, &id), FRAZIL_EEXHAUSTED);
    assert_int_equal(frazil_sno_take(rig->gen, 0, &id, 1, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_EEXHAUSTED);
    assert_int_equal(try_one_sno(rig->gen, 0, &id, &retry_ns), FRAZIL_EEXHAUSTED);
    assert_int_equal(frazil_sno_take(rig->gen, 0, &id, 1, FRAZIL_WAIT_FOREVER, NULL), FRAZIL_EEXHAUSTED);
    assert_int_equal(retry_ns, 0);
    assert_int_equal(available_of(rig->gen), 0);
}

/* Uses up the last tick of a 64-bit layout.  How many ids it gave; *ret_last is the last one. */
static uint64_t use_up(struct rig *rig, int64_t last_unix_ms, uint64_t *ret_last)
{
    uint64_t count = 0;

    while (available_of(rig->gen) > 0) {
        const uint64_t id = rig_next(rig);
        assert_true(count == 0 || id > *ret_last);
        assert_int_equal(rig_parts(rig, id).unix_ms, last_unix_ms);
        *ret_last = id;
        count++;
    }
    return count;
}

static void check_last_tick(const frazil_layout *layout, const char *behaviour)
{
    const frazil_layout_info info = describe_layout(layout);
    struct rig rig = {.random_state = 5};
    char spec[SPEC_SIZE];
    uint64_t last = 0;

    /* The largest worker, so that the last id of all is the largest number. */
    snprintf(spec, sizeof spec, "layout=%s worker=fixed:%llu allow_short_life=yes start=zero behaviour=%s",
             layout->name, (unsigned long long)info.workers - 1, behaviour);
    rig_open_frozen(&rig, spec, info.last_unix_ms + layout->tick_ms - 1);
    const uint64_t count = use_up(&rig, info.last_unix_ms, &last);
    if (info.total_bits == 64 && layout->worker_bits == 0) {
        /* The word could not stand behind the very last number of its 64 bits. */
        assert_int_equal(count, info.ids_per_tick - 1);
        assert_int_equal(last, info.max_id - 1);
    } else {
        assert_int_equal(count, info.ids_per_tick);
        assert_int_equal(last, info.max_id);
    }
    assert_exhausted(&rig);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), count);
    for (int i = 0; i < 3; i++) {
        rig_step(&rig, i == 0 ? 1 : i == 1 ? 1000 * DAY_MS : -1001 * DAY_MS);
        assert_exhausted(&rig);
    }
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), count);
    rig_close(&rig);
}

TEST("Every 64-bit preset under every behaviour")
{
    static const char *const names[] = {"frazil", "konayuki", "sfid", "post", "flake", "flake-callback"};

    for (size_t i = 0; frazil_layout_preset(i) != NULL; i++) {
        for (size_t b = 0; b < sizeof names / sizeof names[0]; b++) {
            if (frazil_layout_preset(i)->kind == FRAZIL_LAYOUT_64)
                check_last_tick(frazil_layout_preset(i), names[b]);
        }
    }
}

TEST("Both sides of sno have their own last unit")
{
    struct rig rig = {.random_state = 5};
    frazil_layout layout;

    assert_int_equal(frazil_layout_parse("sno", strlen("sno"), &layout, NULL), FRAZIL_OK);
    const int64_t last_unix_ms = describe_layout(&layout).last_unix_ms;
    rig_open_frozen(&rig, "layout=sno worker=fixed:65535 allow_short_life=yes", last_unix_ms + 3);
    for (uint32_t i = 0; i < 65536; i++) {
        const frazil_sno_fields fields = rig_sno_parts(&rig);
        assert_int_equal(fields.unix_ms, last_unix_ms);
        assert_int_equal(fields.sequence, i);
        assert_int_equal(fields.ticktock, 0);
        assert_int_equal(fields.partition, 65535);
    }
    assert_exhausted_sno(&rig);
    rig_step(&rig, 4);
    assert_exhausted_sno(&rig);
    rig_close(&rig);
}

TEST("Layouts that fill the word, or reach the end of 64-bit milliseconds, end as well as any other")
{
    static const struct {
        const char *layout;
        uint64_t usable;
    } rows[] = {
        {"63/0/1 epoch=1970-01-01T00:00:00Z", 1},
        {"62/0/2", 3},
        {"62/1/1", 2},
        {"61/0/3 epoch=0001-01-01T00:00:00Z", 7},
        {"63/0/1 epoch=1969-12-31T23:59:50Z", 1},
        {"62/0/1 tick=2ms epoch=1969-12-31T23:59:59.990Z", 2},
        {"32/0/32 epoch=1960-01-01T00:00:00Z", 0 /* too many to use up */},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rig rig = {.random_state = 5};
        frazil_layout layout;
        char spec[SPEC_SIZE];
        uint64_t last;

        if (frazil_layout_parse(rows[i].layout, strlen(rows[i].layout), &layout, NULL) != FRAZIL_OK)
            fail_msg("%s", rows[i].layout);
        snprintf(spec, sizeof spec, "layout='%s' worker=fixed:0 allow_short_life=yes start=zero", rows[i].layout);
        rig_open_frozen(&rig, spec, describe_layout(&layout).last_unix_ms);
        if (rows[i].usable == 0) {
            assert_int_equal(available_of(rig.gen), UINT32_MAX);
        } else {
            assert_int_equal(use_up(&rig, describe_layout(&layout).last_unix_ms, &last), rows[i].usable);
            assert_exhausted(&rig);
        }
        (void)stat_of(rig.gen, FRAZIL_STAT_ISSUED);
        rig_close(&rig);
    }
}

TEST("A batch that the last tick cannot hold is refused whole, and what is left of the tick stays usable")
{
    struct rig rig = {.random_state = 5};
    frazil_layout layout;
    uint64_t ids[20] = {RIG_UNTOUCHED};

    assert_int_equal(frazil_layout_parse("41/10/4", strlen("41/10/4"), &layout, NULL), FRAZIL_OK);
    rig_open(&rig, "layout=41/10/4 worker=fixed:0 allow_short_life=yes start=zero max_wait=none",
             describe_layout(&layout).last_unix_ms - 1);
    assert_int_equal(frazil_take(rig.gen, ids, 20, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
    assert_int_equal(rig_now_ms(&rig), describe_layout(&layout).last_unix_ms);
    ids[0] = RIG_UNTOUCHED;
    assert_int_equal(frazil_take(rig.gen, ids, 13, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_EINVAL);
    assert_int_equal(ids[0], RIG_UNTOUCHED);
    assert_int_equal(frazil_take(rig.gen, ids, SIZE_MAX, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_EINVAL);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 20);
    assert_int_equal(frazil_take(rig.gen, ids, 12, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
    assert_exhausted(&rig);
    rig_close(&rig);
}

TEST("A random start does not make the last tick end early, nor exhaustion come and go")
{
    static const char *const layouts[] = {"41/10/4", "48/0/16"};

    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        for (uint64_t seed = 0; seed < 20; seed++) {
            struct rig rig = {.random_state = seed};
            frazil_layout layout;
            char spec[SPEC_SIZE];
            uint64_t last;

            assert_int_equal(frazil_layout_parse(layouts[i], strlen(layouts[i]), &layout, NULL), FRAZIL_OK);
            snprintf(spec, sizeof spec, "layout=%s worker=fixed:0 allow_short_life=yes start=random", layouts[i]);
            rig_open_frozen(&rig, spec, describe_layout(&layout).last_unix_ms);
            assert_int_equal(use_up(&rig, describe_layout(&layout).last_unix_ms, &last), i == 0 ? 16 : 65535);
            assert_exhausted(&rig);
            rig_close(&rig);
        }
    }
}

TEST("After the last tick's end nothing can be issued at all")
{
    struct rig rig = {.random_state = 5};
    frazil_layout layout;

    assert_int_equal(frazil_layout_parse("sonyflake", strlen("sonyflake"), &layout, NULL), FRAZIL_OK);
    rig_open(&rig, "layout=sonyflake worker=fixed:0 allow_short_life=yes", describe_layout(&layout).last_unix_ms + 10);
    assert_exhausted(&rig);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 0);
    rig_close(&rig);
}

TEST("Leading ids stop at the last tick too, however far the lead may go")
{
    struct rig rig = {.random_state = 5};
    frazil_layout layout;
    uint64_t ids[5 * 16];

    assert_int_equal(frazil_layout_parse("41/10/4", strlen("41/10/4"), &layout, NULL), FRAZIL_OK);
    rig_open(&rig, "layout=41/10/4 worker=fixed:1023 allow_short_life=yes behaviour=sfid",
             describe_layout(&layout).last_unix_ms - 4);
    assert_int_equal(frazil_take(rig.gen, ids, 5 * 16 + 1, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_EINVAL);
    assert_int_equal(frazil_take(rig.gen, ids, 5 * 16, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
    assert_int_equal(ids[5 * 16 - 1], describe_layout(&layout).max_id);
    assert_exhausted(&rig);
    rig_close(&rig);
}

static frazil_err open_at(const char *layout, const char *more, int64_t unix_ms)
{
    char spec[SPEC_SIZE];
    frazil *gen = NULL;

    snprintf(spec, sizeof spec, "layout=%s worker=fixed:0 %s clock=frozen:%lld", layout, more, (long long)unix_ms);
    const frazil_err err = frazil_open(&gen, spec, NULL);
    frazil_close(gen);
    return err;
}

TEST("Less than ten years before its end a layout opens only on demand; the limit is exact")
{
    for (size_t i = 0; frazil_layout_preset(i) != NULL; i++) {
        const frazil_layout *layout = frazil_layout_preset(i);
        const int64_t limit = describe_layout(layout).last_unix_ms - SHORTEST_LIFE_MS;
        assert_int_equal(open_at(layout->name, "", limit - 1), FRAZIL_OK);
        assert_int_equal(open_at(layout->name, "", limit), FRAZIL_ESHORTLIFE);
        assert_int_equal(open_at(layout->name, "allow_short_life=no", limit), FRAZIL_ESHORTLIFE);
        assert_int_equal(open_at(layout->name, "allow_short_life=yes", limit), FRAZIL_OK);
        assert_int_equal(open_at(layout->name, "", limit + SHORTEST_LIFE_MS), FRAZIL_ESHORTLIFE);
    }
    assert_open_refused("layout=post worker=fixed:0 clock=frozen:2031-01-01T00:00:00Z", NULL, FRAZIL_ESHORTLIFE,
                        "the layout ends at 2039-09-07T15:47:35.551Z, less than ten years from now "
                        "(2031-01-01T00:00:00.000Z): use one that lasts longer, or open it with allow_short_life=yes");
}

TEST("The post's layout, which ends in 2039, opens in 2026 without being asked for")
{
    assert_int_equal(open_at("post", "", RIG_NOW), FRAZIL_OK);
    assert_int_equal(open_at("post", "behaviour=post", RIG_NOW), FRAZIL_OK);
}
