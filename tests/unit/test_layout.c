/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the presets are what they were published as, and ids and their
 * parts turn into each other without loss.  A value that does not fit a layout is an
 * error, up to the last millisecond of its life and not one further.
 */

#include "core/layout_internal.h"
#include "frazil/time.h"
#include "lib/layouts.h"
#include "lib/test.h"

#define UNTOUCHED UINT64_C(0xdeadbeef)

static void assert_instant(int64_t unix_ms, const char *expected)
{
    char text[FRAZIL_TIME_SIZE];

    assert_int_equal(frazil_time_format(unix_ms, text, sizeof text, NULL), FRAZIL_OK);
    assert_string_equal(text, expected);
}

/* ---- presets ------------------------------------------------------------- */

static const struct {
    const char *name;
    const char *fingerprint;
    const char *last;
    unsigned total_bits;
    const char *sign_bit; /* NULL where it is never reached */
} golden[] = {
    {"frazil", "41/10/12 epoch=1767225600000 tick=1ms", "2095-09-07T15:47:35.551Z", 63, NULL},
    {"konayuki", "41/10/12 epoch=1767225600000 tick=1ms", "2095-09-07T15:47:35.551Z", 63, NULL},
    {"sfid", "41/10/12 epoch=1766361600000 tick=1ms", "2095-08-28T15:47:35.551Z", 63, NULL},
    {"sno", "sno", "2079-09-07T15:47:35.548Z", 80, NULL},
    {"post", "41/10/12 epoch=0 tick=1ms", "2039-09-07T15:47:35.551Z", 63, NULL},
    {"flake", "42/5+5/12 epoch=0 tick=1ms", "2109-05-15T07:35:11.103Z", 64, "2039-09-07T15:47:35.552Z"},
    {"twitter", "41/5+5/12 epoch=1288834974657 tick=1ms", "2080-07-10T17:30:30.208Z", 63, NULL},
    {"discord", "42/5+5/12 epoch=1420070400000 tick=1ms", "2154-05-15T07:35:11.103Z", 64, "2084-09-06T15:47:35.552Z"},
    {"instagram", "41/13/10 epoch=1314220021721 tick=1ms", "2081-04-30T12:54:37.272Z", 64, "2046-06-27T17:00:49.497Z"},
    {"mastodon", "48/0/16 epoch=0 tick=1ms", "+10889-08-02T05:31:50.655Z", 64, "6429-10-17T02:45:55.328Z"},
    {"sonyflake", "39/8s/16w epoch=1409529600000 tick=10ms", "2188-11-16T03:28:58.870Z", 63, NULL},
    {"js53", "41/5/7 epoch=1767225600000 tick=1ms", "2095-09-07T15:47:35.551Z", 53, NULL},
};

#define PRESETS (sizeof golden / sizeof golden[0])

TEST("The presets are these, in this order, with these fields")
{
    char text[FRAZIL_FINGERPRINT_SIZE];

    assert_non_null(frazil_layout_preset(PRESETS - 1));
    assert_null(frazil_layout_preset(PRESETS));
    assert_null(frazil_layout_preset(SIZE_MAX));
    for (size_t i = 0; i < PRESETS; i++) {
        const frazil_layout *preset = frazil_layout_preset(i);
        assert_string_equal(preset->name, golden[i].name);
        assert_int_equal(preset->kind, strcmp(golden[i].name, "sno") == 0 ? FRAZIL_LAYOUT_SNO : FRAZIL_LAYOUT_64);
        assert_int_equal(frazil_layout_validate(preset, NULL), FRAZIL_OK);
        assert_int_equal(frazil_layout_fingerprint(preset, text, sizeof text, NULL), FRAZIL_OK);
        assert_string_equal(text, golden[i].fingerprint);
        assert_ptr_equal(fz_layout_preset_named(golden[i].name, strlen(golden[i].name)), preset);
        assert_non_null(strstr(fz_layout_preset_names(), golden[i].name));
    }
    assert_null(fz_layout_preset_named("", 0));
    assert_null(fz_layout_preset_named("twitte", 6));
    assert_null(fz_layout_preset_named("twitterx", 8));
}

TEST("A sno's fields are those of its format")
{
    const frazil_layout sno = parse_layout("sno");

    assert_int_equal(sno.epoch_unix_ms, 1262304000000);
    assert_int_equal(sno.tick_ms, 4);
    assert_int_equal(sno.time_bits, 39);
    assert_int_equal(sno.worker_bits, 16);
    assert_int_equal(sno.sequence_bits, 16);
}

TEST("The capacity of each preset, and the instant from which its ids are negative as signed numbers")
{
    for (size_t i = 0; i < PRESETS; i++) {
        const frazil_layout *l = frazil_layout_preset(i);
        frazil_layout_info info = describe_layout(l);
        bool is_sno = l->kind == FRAZIL_LAYOUT_SNO;
        assert_int_equal(info.total_bits, golden[i].total_bits);
        assert_int_equal(info.workers, UINT64_C(1) << l->worker_bits);
        assert_int_equal(info.ids_per_tick, UINT64_C(1) << l->sequence_bits);
        assert_int_equal(info.ids_per_second, info.ids_per_tick * 1000 / l->tick_ms);
        assert_int_equal(info.first_unix_ms, l->epoch_unix_ms);
        assert_instant(info.last_unix_ms, golden[i].last);
        assert_int_equal(info.max_id, is_sno ? 0 : UINT64_MAX >> (64 - golden[i].total_bits));
        assert_int_equal(info.reaches_sign_bit, golden[i].sign_bit != NULL);
        if (golden[i].sign_bit != NULL)
            assert_instant(info.sign_bit_unix_ms, golden[i].sign_bit);
        else
            assert_int_equal(info.sign_bit_unix_ms, 0);
        assert_int_equal(info.fits_53_bits, strcmp(l->name, "js53") == 0);
    }
}

TEST("Where the sign bit is reached, it is set from the stated instant on, and not a millisecond earlier")
{
    for (size_t i = 0; i < PRESETS; i++) {
        const frazil_layout *l = frazil_layout_preset(i);
        frazil_layout_info info = describe_layout(l);
        uint64_t id;
        if (!info.reaches_sign_bit)
            continue;
        frazil_fields parts = {.unix_ms = info.sign_bit_unix_ms};
        assert_int_equal(frazil_id_compose(l, &parts, &id, NULL), FRAZIL_OK);
        assert_int_equal(id, UINT64_C(1) << 63);
        parts.unix_ms--;
        assert_int_equal(frazil_id_compose(l, &parts, &id, NULL), FRAZIL_OK);
        assert_true(id < UINT64_C(1) << 63);
    }
}

TEST("Each preset's last tick can be used, all of it; the millisecond after it cannot")
{
    for (size_t i = 0; i < PRESETS; i++) {
        const frazil_layout *l = frazil_layout_preset(i);
        frazil_layout_info info = describe_layout(l);
        frazil_fields parts = {.worker = (uint32_t)fz_layout_max_worker(l),
                               .sequence = (uint32_t)fz_layout_max_sequence(l)};
        uint64_t id = UNTOUCHED;
        frazil_fields back;
        if (l->kind == FRAZIL_LAYOUT_SNO)
            continue;
        for (uint32_t ms = 0; ms < l->tick_ms; ms++) {
            parts.unix_ms = info.last_unix_ms + ms;
            assert_int_equal(frazil_id_compose(l, &parts, &id, NULL), FRAZIL_OK);
            assert_int_equal(id, info.max_id);
        }
        assert_int_equal(frazil_id_decompose(l, id, &back, NULL), FRAZIL_OK);
        assert_int_equal(back.unix_ms, info.last_unix_ms);
        assert_int_equal(back.worker, parts.worker);
        assert_int_equal(back.sequence, parts.sequence);
        id = UNTOUCHED;
        parts.unix_ms = info.last_unix_ms + l->tick_ms;
        assert_int_equal(frazil_id_compose(l, &parts, &id, NULL), FRAZIL_ERANGE);
        assert_int_equal(id, UNTOUCHED);
    }
}

TEST("Ids of js53 are exact in a double")
{
    const frazil_layout js53 = parse_layout("js53");

    assert_int_equal(describe_layout(&js53).max_id, (UINT64_C(1) << 53) - 1);
    assert_true(describe_layout(&js53).fits_53_bits);
    const frazil_layout one_more = parse_layout("41/6/7");
    assert_false(describe_layout(&one_more).fits_53_bits);
}

/* ---- ids and parts ------------------------------------------------------- */

TEST("An instant counts for the tick that it lies in; before the epoch there is none, however short before")
{
    const frazil_layout l = parse_layout("8/2/3 tick=10ms epoch=-25");
    frazil_fields parts = {.worker = 2, .sequence = 5};
    uint64_t id;

    for (int64_t ms = 0; ms < 2560; ms++) {
        parts.unix_ms = ms - 25;
        assert_int_equal(frazil_id_compose(&l, &parts, &id, NULL), FRAZIL_OK);
        assert_int_equal(id, (uint64_t)(ms / 10) << 5 | 2 << 3 | 5);
    }
    const int64_t outside[] = {-26, -34, -35, -36, INT64_MIN, 2560 - 25, INT64_MAX};
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        parts.unix_ms = outside[i];
        id = UNTOUCHED;
        assert_int_equal(frazil_id_compose(&l, &parts, &id, NULL), FRAZIL_ERANGE);
        assert_int_equal(id, UNTOUCHED);
    }
}

TEST("A part that does not fit is refused, and the sentence names it and the largest that does")
{
    static const struct {
        frazil_fields parts;
        const char *why;
    } refused[] = {
        {{.unix_ms = 1288834974656}, "outside the life of the layout twitter"},
        {{.unix_ms = 1288834974656}, "2010-11-04T01:42:54.657Z to 2080-07-10T17:30:30.208Z"},
        {{.unix_ms = 1767225600000, .worker = 1024},
         "worker 1024 does not fit the layout twitter: must be from 0 to 1023"},
        {{.unix_ms = 1767225600000, .worker = UINT32_MAX}, "worker 4294967295"},
        {{.unix_ms = 1767225600000, .sequence = 4096},
         "sequence 4096 does not fit the layout twitter: must be from 0 to 4095"},
    };
    const frazil_layout l = parse_layout("twitter");

    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        uint64_t id = UNTOUCHED;
        frazil_error err;
        assert_int_equal(frazil_id_compose(&l, &refused[i].parts, &id, &err), FRAZIL_ERANGE);
        assert_int_equal(err.code, FRAZIL_ERANGE);
        if (strstr(err.message, refused[i].why) == NULL)
            fail_msg("%s", err.message);
        assert_int_equal(id, UNTOUCHED);
    }
}

TEST("Every bit above the fields makes a number no id of the layout")
{
    const frazil_layout layouts[] = {parse_layout("twitter"), parse_layout("js53"), parse_layout("3/1/2"),
                                     parse_layout("1/0/1")};

    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        frazil_layout_info info = describe_layout(&layouts[i]);
        frazil_fields parts;
        for (unsigned bit = 0; bit < 64; bit++) {
            memset(&parts, 0x5a, sizeof parts);
            frazil_err err = frazil_id_decompose(&layouts[i], UINT64_C(1) << bit, &parts, NULL);
            assert_int_equal(err, bit < info.total_bits ? FRAZIL_OK : FRAZIL_ERANGE);
            if (err != FRAZIL_OK)
                assert_int_equal(parts.worker, 0x5a5a5a5a);
        }
        assert_int_equal(frazil_id_decompose(&layouts[i], info.max_id, &parts, NULL), FRAZIL_OK);
        assert_int_equal(frazil_id_decompose(&layouts[i], info.max_id + 1, &parts, NULL), FRAZIL_ERANGE);
    }
}

TEST("In a small layout every number is the id of exactly one set of parts, which lie where the description says")
{
    static const char *const texts[] = {"3/2/4", "3/4s/2w", "5/0/3", "1/1/1", "2/1+2/3", "4/3s/1+1w tick=7ms epoch=-3"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const frazil_layout l = parse_layout(texts[i]);
        uint64_t id = 0;
        for (uint64_t tick = 0; tick <= fz_layout_last_tick(&l); tick++) {
            uint64_t upper_max = l.sequence_above_worker ? fz_layout_max_sequence(&l) : fz_layout_max_worker(&l);
            uint64_t lower_max = l.sequence_above_worker ? fz_layout_max_worker(&l) : fz_layout_max_sequence(&l);
            for (uint64_t upper = 0; upper <= upper_max; upper++) {
                for (uint64_t lower = 0; lower <= lower_max; lower++, id++) {
                    frazil_fields parts;
                    uint64_t back;
                    assert_int_equal(frazil_id_decompose(&l, id, &parts, NULL), FRAZIL_OK);
                    assert_int_equal(parts.unix_ms, l.epoch_unix_ms + (int64_t)(tick * l.tick_ms));
                    assert_int_equal(parts.worker, l.sequence_above_worker ? lower : upper);
                    assert_int_equal(parts.sequence, l.sequence_above_worker ? upper : lower);
                    assert_int_equal(frazil_id_compose(&l, &parts, &back, NULL), FRAZIL_OK);
                    assert_int_equal(back, id);
                }
            }
        }
        assert_int_equal(id, describe_layout(&l).max_id + 1);
    }
}

static frazil_fields fields_of_worker(const frazil_layout *l, uint32_t worker)
{
    const frazil_fields given = {
        .unix_ms = l->epoch_unix_ms + 5 * (int64_t)l->tick_ms, .worker = worker, .sequence = 3};
    frazil_fields ret;
    uint64_t id = 0;

    assert_int_equal(frazil_id_compose(l, &given, &id, NULL), FRAZIL_OK);
    memset(&ret, 0xff, sizeof ret);
    assert_int_equal(frazil_id_decompose(l, id, &ret, NULL), FRAZIL_OK);
    return ret;
}

TEST("The worker splits into datacenter and rest, and is itself where it is not split")
{
    const frazil_layout split = parse_layout("41/3+7/12");
    const frazil_layout whole = parse_layout("41/10/12");

    for (uint32_t worker = 0; worker < 1024; worker++) {
        const frazil_fields in_split = fields_of_worker(&split, worker);
        const frazil_fields in_whole = fields_of_worker(&whole, worker);
        assert_int_equal(in_split.worker, worker);
        assert_int_equal(in_split.datacenter, worker / 128);
        assert_int_equal(in_split.worker_in_datacenter, worker % 128);
        assert_int_equal(in_whole.datacenter, 0);
        assert_int_equal(in_whole.worker_in_datacenter, worker);
    }
    assert_int_equal(describe_layout(&split).datacenters, 8);
    assert_int_equal(describe_layout(&split).workers_in_datacenter, 128);
    assert_int_equal(describe_layout(&whole).datacenters, 1);
    assert_int_equal(describe_layout(&whole).workers_in_datacenter, 1024);
}

TEST("The widest worker number is itself where it is not split, and halves where it is")
{
    const frazil_layout whole = parse_layout("30/32/2");
    const frazil_layout split = parse_layout("30/1+31/2");

    assert_int_equal(fields_of_worker(&whole, UINT32_MAX).worker_in_datacenter, UINT32_MAX);
    assert_int_equal(fields_of_worker(&whole, UINT32_MAX).datacenter, 0);
    assert_int_equal(describe_layout(&whole).workers_in_datacenter, UINT64_C(1) << 32);
    assert_int_equal(fields_of_worker(&split, UINT32_MAX).worker_in_datacenter, INT32_MAX);
    assert_int_equal(fields_of_worker(&split, UINT32_MAX).datacenter, 1);
}

TEST("Fields that were read are composed again, whatever the split says; a reserved member that is not 0 is refused")
{
    const frazil_layout l = parse_layout("twitter");
    frazil_fields fields = fields_of_worker(&l, 103);
    uint64_t id = 4711;
    uint64_t again = 4711;
    frazil_error err;

    assert_int_equal(fields.reserved[0] | fields.reserved[1], 0);
    assert_int_equal(frazil_id_compose(&l, &fields, &id, NULL), FRAZIL_OK);
    fields.datacenter = 0;
    fields.worker_in_datacenter = 31;
    assert_int_equal(frazil_id_compose(&l, &fields, &again, NULL), FRAZIL_OK);
    assert_int_equal(again, id);
    for (size_t i = 0; i < 2; i++) {
        frazil_fields wrong = fields;
        wrong.reserved[i] = 1;
        assert_int_equal(frazil_id_compose(&l, &wrong, &again, &err), FRAZIL_EINVAL);
        assert_non_null(strstr(err.message, "reserved"));
        assert_int_equal(again, id);
    }
}

TEST("No function on 64-bit ids takes a sno's layout")
{
    const frazil_layout sno = parse_layout("sno");
    const frazil_fields parts = {.unix_ms = 1767225600000};
    frazil_fields out;
    frazil_error err;
    uint64_t first = UNTOUCHED;
    uint64_t last = UNTOUCHED;

    assert_int_equal(frazil_id_compose(&sno, &parts, &first, NULL), FRAZIL_EKIND);
    assert_int_equal(frazil_id_compose(&sno, &parts, &first, &err), FRAZIL_EKIND);
    assert_int_equal(frazil_id_decompose(&sno, 0, &out, NULL), FRAZIL_EKIND);
    assert_int_equal(frazil_id_range(&sno, 1767225600000, 1767225600000, &first, &last, NULL), FRAZIL_EKIND);
    assert_int_equal(first, UNTOUCHED);
    assert_int_equal(last, UNTOUCHED);
}

/* ---- ranges -------------------------------------------------------------- */

/* Checks one range against all ids of the layout. */
static void assert_range(const frazil_layout *l, int64_t from, int64_t to)
{
    uint64_t first = UNTOUCHED;
    uint64_t last = UNTOUCHED;
    uint64_t expected_first = UNTOUCHED;
    uint64_t expected_last = UNTOUCHED;
    frazil_layout_info info = describe_layout(l);
    int64_t end = info.last_unix_ms + l->tick_ms;
    frazil_err expected = FRAZIL_OK;

    if (from > to)
        expected = FRAZIL_EINVAL;
    else if (from < l->epoch_unix_ms || to >= end)
        expected = FRAZIL_ERANGE;
    for (uint64_t id = 0; expected == FRAZIL_OK && id <= info.max_id; id++) {
        frazil_fields parts;
        assert_int_equal(frazil_id_decompose(l, id, &parts, NULL), FRAZIL_OK);
        /* The id's tick and the range have a millisecond in common. */
        if (parts.unix_ms + l->tick_ms <= from || parts.unix_ms > to)
            continue;
        expected_first = expected_first == UNTOUCHED ? id : expected_first;
        expected_last = id;
    }
    assert_int_equal(frazil_id_range(l, from, to, &first, &last, NULL), expected);
    assert_int_equal(first, expected_first);
    assert_int_equal(last, expected_last);
}

TEST("Over every pair of instants of small layouts, a range holds the ids of its ticks and no other")
{
    static const char *const texts[] = {"3/1/2 epoch=0", "3/2s/1w epoch=-4 tick=3ms", "2/0/1 epoch=5 tick=2ms"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const frazil_layout l = parse_layout(texts[i]);
        int64_t end = describe_layout(&l).last_unix_ms + l.tick_ms;
        for (int64_t from = l.epoch_unix_ms - 2; from < end + 2; from++) {
            for (int64_t to = l.epoch_unix_ms - 2; to < end + 2; to++)
                assert_range(&l, from, to);
        }
    }
}

TEST("A range that reaches outside the layout's life is an error that names the end that does")
{
    const frazil_layout l = parse_layout("twitter");
    uint64_t first;
    uint64_t last;
    frazil_error err;

    assert_int_equal(frazil_id_range(&l, 0, 1767225600000, &first, &last, &err), FRAZIL_ERANGE);
    assert_non_null(strstr(err.message, "1970-01-01T00:00:00.000Z is outside"));
    assert_int_equal(frazil_id_range(&l, 1767225600000, 3487858230209, &first, &last, &err), FRAZIL_ERANGE);
    assert_non_null(strstr(err.message, "2080-07-10T17:30:30.209Z is outside"));
    assert_int_equal(frazil_id_range(&l, 1767225600001, 1767225600000, &first, &last, &err), FRAZIL_EINVAL);
    assert_non_null(strstr(err.message, "begins at 2026-01-01T00:00:00.001Z, after its end 2026-01-01T00:00:00.000Z"));
    assert_int_equal(frazil_id_range(&l, INT64_MAX, INT64_MIN, &first, &last, NULL), FRAZIL_EINVAL);
    assert_int_equal(frazil_id_range(&l, INT64_MIN, INT64_MAX, &first, &last, NULL), FRAZIL_ERANGE);
}

TEST("The first id of an instant begins the range of it, and is kept within the layout's life")
{
    const frazil_layout l = parse_layout("frazil");
    const frazil_layout full = parse_layout("42/10/12 epoch=1970-01-01");
    const frazil_layout sno = parse_layout("sno");
    const int64_t epoch = l.epoch_unix_ms;
    const int64_t end = epoch + (INT64_C(1) << 41);
    uint64_t first;
    uint64_t last;

    for (int64_t at = epoch; at < end; at += (end - epoch) / 1000) {
        assert_int_equal(frazil_id_range(&l, at, at, &first, &last, NULL), FRAZIL_OK);
        assert_true(frazil_id_first(&l, at) == first);
        assert_true(frazil_id_first(&l, at + 1) == last + 1);
    }
    assert_true(frazil_id_first(&l, epoch - 1) == 0);
    assert_true(frazil_id_first(&l, INT64_MIN) == 0);
    assert_true(frazil_id_first(&l, end) == UINT64_C(1) << 63);
    assert_true(frazil_id_first(&l, INT64_MAX) == UINT64_C(1) << 63);
    assert_true(frazil_id_first(&full, INT64_MAX) == UINT64_MAX);
    assert_true(frazil_id_first(&sno, 1767225600000) == 0);
}

TEST("A program that was compiled with a shorter struct gets the beginning of it, one with a longer one zeros behind")
{
    const frazil_layout l = parse_layout("frazil");
    const frazil_layout old = parse_layout("post");
    union {
        frazil_layout_info info;
        frazil_overlap overlap;
        unsigned char bytes[sizeof(frazil_layout_info) + 8];
    } wanted, got;

    for (size_t size = 0; size <= sizeof got; size++) {
        memset(&wanted, 0, sizeof wanted);
        frazil_layout_get_info(&l, &wanted.info, sizeof wanted.info);
        memset(&got, 0xff, sizeof got);
        frazil_layout_get_info(&l, &got.info, size);
        assert_memory_equal(&got, &wanted, size);
        for (size_t i = size; i < sizeof got; i++)
            assert_int_equal(got.bytes[i], 0xff);

        memset(&wanted, 0, sizeof wanted);
        assert_int_equal(frazil_layout_overlap(&old, &l, 1780000000000, &wanted.overlap, sizeof wanted.overlap, NULL),
                         FRAZIL_OK);
        memset(&got, 0xff, sizeof got);
        assert_int_equal(frazil_layout_overlap(&old, &l, 1780000000000, &got.overlap, size, NULL), FRAZIL_OK);
        assert_memory_equal(&got, &wanted, size);
        for (size_t i = size; i < sizeof got; i++)
            assert_int_equal(got.bytes[i], 0xff);
    }
}
