/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: only layouts whose arithmetic cannot overflow are valid,
 * all of these are, a fingerprint makes the same layout again, and layouts are
 * equal if equal fields make equal ids.
 */
#include "core/layout_internal.h"
#include "frazil/layout.h"
#include "lib/layouts.h"
#include "lib/test.h"

/* ---- validity ------------------------------------------------------------ */

static void assert_invalid(frazil_layout l, const char *why)
{
    frazil_error err;

    assert_int_equal(frazil_layout_validate(&l, NULL), FRAZIL_ELAYOUT);
    assert_int_equal(frazil_layout_validate(&l, &err), FRAZIL_ELAYOUT);
    if (strstr(err.message, why) == NULL)
        fail_msg("%s, not %s", err.message, why);
}

TEST("Each width is held to its bounds, and all of them together to 64 bits")
{
    const frazil_layout base = parse_layout("20/20/20 epoch=0");

    for (unsigned bits = 0; bits < 256; bits++) {
        frazil_layout l = base;
        l.time_bits = (uint8_t)bits;
        assert_int_equal(frazil_layout_validate(&l, NULL) == FRAZIL_OK, bits >= 1 && bits <= 24);
        l = base;
        l.worker_bits = (uint8_t)bits;
        assert_int_equal(frazil_layout_validate(&l, NULL) == FRAZIL_OK, bits <= 24);
        l = base;
        l.sequence_bits = (uint8_t)bits;
        assert_int_equal(frazil_layout_validate(&l, NULL) == FRAZIL_OK, bits >= 1 && bits <= 24);
        l = base;
        l.datacenter_bits = (uint8_t)bits;
        assert_int_equal(frazil_layout_validate(&l, NULL) == FRAZIL_OK, bits < 20);
    }
    assert_invalid((frazil_layout){.tick_ms = 1, .time_bits = 64, .sequence_bits = 1}, "64 bits of time");
    assert_invalid((frazil_layout){.tick_ms = 1, .time_bits = 1, .worker_bits = 33, .sequence_bits = 1},
                   "33 bits of worker in the layout: must be from 0 to 32");
    assert_invalid((frazil_layout){.tick_ms = 1, .time_bits = 1, .sequence_bits = 33}, "33 bits of sequence");
    assert_invalid((frazil_layout){.tick_ms = 1, .time_bits = 1},
                   "0 bits of sequence in the layout: must be from 1 to 32");
    assert_invalid((frazil_layout){.tick_ms = 1, .time_bits = 1, .sequence_bits = 1, .datacenter_bits = 1},
                   "1 of the 0 worker bits");
    assert_invalid((frazil_layout){.tick_ms = 1, .time_bits = 1, .worker_bits = 32, .sequence_bits = 32},
                   "1 + 32 + 32 bits are 65: an id has 64");
}

TEST("Tick and epoch are held to theirs")
{
    const frazil_layout base = parse_layout("20/10/10");
    frazil_layout l = base;

    l.tick_ms = 0;
    assert_invalid(l, "tick=0ms: must be from 1ms to 86400000ms");
    l.tick_ms = 86400001;
    assert_invalid(l, "tick=86400001ms");
    l.tick_ms = UINT32_MAX;
    assert_invalid(l, "tick=");
    l.tick_ms = 86400000;
    assert_int_equal(frazil_layout_validate(&l, NULL), FRAZIL_OK);
    l.epoch_unix_ms = 253402300799999;
    assert_int_equal(frazil_layout_validate(&l, NULL), FRAZIL_OK);
    l.epoch_unix_ms++;
    assert_invalid(l, "epoch");
    l.epoch_unix_ms = INT64_MAX;
    assert_invalid(l, "epoch");
    l.epoch_unix_ms = -62167219200000;
    assert_int_equal(frazil_layout_validate(&l, NULL), FRAZIL_OK);
    l.epoch_unix_ms--;
    assert_invalid(l, "epoch");
    l.epoch_unix_ms = INT64_MIN;
    assert_invalid(l, "epoch");
}

TEST("A life that int64_t milliseconds cannot count is refused; the longest that they can is whole")
{
    frazil_layout l = {.name = "custom", .tick_ms = 1, .time_bits = 63, .sequence_bits = 1};

    assert_int_equal(frazil_layout_validate(&l, NULL), FRAZIL_OK);
    assert_int_equal(describe_layout(&l).last_unix_ms, INT64_MAX);
    frazil_fields fields = {.unix_ms = INT64_MAX, .sequence = 1};
    uint64_t id;
    assert_int_equal(frazil_id_compose(&l, &fields, &id, NULL), FRAZIL_OK);
    assert_int_equal(id, UINT64_MAX);

    l.epoch_unix_ms = 1;
    assert_invalid(l, "63 bits of 1ms ticks since 1970-01-01T00:00:00.001Z do not fit");
    l.epoch_unix_ms = -62167219200000;
    assert_int_equal(frazil_layout_validate(&l, NULL), FRAZIL_OK);
    assert_int_equal(describe_layout(&l).last_unix_ms, INT64_MAX - 62167219200000);
    l.tick_ms = 2;
    assert_invalid(l, "do not fit");
    l.tick_ms = 86400000;
    assert_invalid(l, "do not fit");
    l.epoch_unix_ms = 0;
    for (unsigned bits = 1; bits <= 63; bits++) {
        l.time_bits = (uint8_t)bits;
        /* 2^36 days are 5.9e18 ms, 2^37 are more than 2^63 ms. */
        assert_int_equal(frazil_layout_validate(&l, NULL) == FRAZIL_OK, bits <= 36);
    }
}

TEST("The end of the last tick must fit as well as its start: one tick length tips it over")
{
    frazil_layout l = {.name = "custom", .tick_ms = 1u << 20, .time_bits = 43, .sequence_bits = 1};

    assert_int_equal(frazil_layout_validate(&l, NULL), FRAZIL_OK);
    assert_int_equal(describe_layout(&l).last_unix_ms, INT64_MAX - (1 << 20) + 1);
    l.epoch_unix_ms = 1;
    assert_invalid(l, "do not fit");
}

TEST("A layout of no known kind, a sno that is none, and a name without end are refused")
{
    frazil_layout l = parse_layout("frazil");

    l.kind = (frazil_layout_kind)2;
    assert_invalid(l, "unknown kind of layout 2");
    l = parse_layout("frazil");
    memset(l.name, 'x', sizeof l.name);
    assert_invalid(l, "terminator");

    for (int member = 0; member < 7; member++) {
        l = parse_layout("sno");
        l.epoch_unix_ms += member == 0;
        l.tick_ms += member == 1;
        l.time_bits = (uint8_t)(l.time_bits + (member == 2));
        l.worker_bits = (uint8_t)(l.worker_bits + (member == 3));
        l.datacenter_bits = (uint8_t)(l.datacenter_bits + (member == 4));
        l.sequence_bits = (uint8_t)(l.sequence_bits + (member == 5));
        l.sequence_above_worker = member == 6;
        assert_invalid(l, "of a sno are fixed");
    }
}

/* ---- fingerprints -------------------------------------------------------- */

TEST("A fingerprint is a text that gives the same layout, and fits the buffer or leaves it alone")
{
    char text[FRAZIL_FINGERPRINT_SIZE];
    char again[FRAZIL_FINGERPRINT_SIZE];

    for (size_t i = 0; frazil_layout_preset(i) != NULL; i++) {
        const frazil_layout *preset = frazil_layout_preset(i);
        assert_int_equal(frazil_layout_fingerprint(preset, text, sizeof text, NULL), FRAZIL_OK);
        size_t need = strlen(text) + 1;
        for (size_t size = 0; size < need; size++) {
            text[0] = '#';
            assert_int_equal(frazil_layout_fingerprint(preset, text, size, NULL), FRAZIL_EBUFFER);
            assert_int_equal(text[0], '#');
        }
        assert_int_equal(frazil_layout_fingerprint(preset, text, need, NULL), FRAZIL_OK);
        frazil_layout back = parse_layout(text);
        assert_int_equal(back.kind, preset->kind);
        assert_int_equal(frazil_layout_fingerprint(&back, again, sizeof again, NULL), FRAZIL_OK);
        assert_string_equal(again, text);
    }
}

TEST("The longest fingerprint fits the buffer that the header promises")
{
    const frazil_layout l = parse_layout("11/21s/16+16w epoch=-62167219200000 tick=86400000ms");
    char text[FRAZIL_FINGERPRINT_SIZE];

    assert_int_equal(frazil_layout_fingerprint(&l, text, sizeof text, NULL), FRAZIL_OK);
    assert_string_equal(text, "11/21s/16+16w epoch=-62167219200000 tick=86400000ms");
}

TEST("Without worker bits nothing lies above anything: one layout, one fingerprint")
{
    frazil_layout l = parse_layout("41/0/22");
    char plain[FRAZIL_FINGERPRINT_SIZE];
    char above[FRAZIL_FINGERPRINT_SIZE];

    assert_int_equal(frazil_layout_fingerprint(&l, plain, sizeof plain, NULL), FRAZIL_OK);
    l.sequence_above_worker = true;
    assert_int_equal(frazil_layout_fingerprint(&l, above, sizeof above, NULL), FRAZIL_OK);
    assert_string_equal(plain, above);
}

TEST(
    "A layout has 64 bytes; a false name, a flag that is neither 0 nor 1 and a reserved byte that is not 0 are refused")
{
    const frazil_layout twitter = parse_layout("twitter");

    assert_int_equal(sizeof twitter, 64);
    frazil_layout l = twitter;
    memcpy(l.name, "discord", sizeof "discord");
    assert_invalid(l, "is called 'discord' but does not have the fields of that preset");
    memcpy(l.name, "orders", sizeof "orders");
    assert_invalid(l, "is called 'orders'");
    memcpy(l.name, "", 1);
    assert_invalid(l, "is called ''");
    memcpy(l.name, "custom", sizeof "custom");
    assert_int_equal(frazil_layout_validate(&l, NULL), FRAZIL_OK);
    for (unsigned flag = 2; flag < 256; flag++) {
        l = twitter;
        l.sequence_above_worker = (uint8_t)flag;
        assert_invalid(l, "sequence_above_worker is");
    }
    for (size_t i = 0; i < sizeof l.reserved; i++) {
        l = twitter;
        l.reserved[i] = 1;
        assert_invalid(l, "reserved bytes");
    }
    l = parse_layout("sno");
    l.reserved[0] = 1;
    assert_invalid(l, "reserved bytes");
}

/* ---- equality and numbers -------------------------------------------------- */

static frazil_layout made_of(const frazil_layout *l, int64_t epoch, unsigned tick, unsigned time, unsigned worker,
                             unsigned datacenter, unsigned sequence, bool above)
{
    const frazil_layout made = {.name = "custom",
                                .epoch_unix_ms = l->epoch_unix_ms + epoch,
                                .kind = FRAZIL_LAYOUT_64,
                                .tick_ms = l->tick_ms + tick,
                                .time_bits = (uint8_t)(l->time_bits + time),
                                .worker_bits = (uint8_t)(l->worker_bits + worker),
                                .datacenter_bits = (uint8_t)datacenter,
                                .sequence_bits = (uint8_t)(l->sequence_bits + sequence),
                                .sequence_above_worker = above};

    if (frazil_layout_validate(&made, NULL) != FRAZIL_OK)
        fail_msg("%s with other fields is no layout", l->name);
    return made;
}

/* Equal by the public function, by the value that names folders, and for a namespace but for the width of time. */
static void assert_alike(const frazil_layout *a, const frazil_layout *b, bool alike, bool same_life)
{
    char value[2][FRAZIL_FINGERPRINT_SIZE];
    char text[2][FRAZIL_FINGERPRINT_SIZE];
    char unsplit[2][FRAZIL_FINGERPRINT_SIZE];
    const frazil_layout *const both[] = {a, b};

    for (int i = 0; i < 2; i++) {
        const frazil_layout one = fz_layout_unsplit(both[i]);
        assert_int_equal(frazil_layout_validate(&one, NULL), FRAZIL_OK);
        assert_int_equal(frazil_layout_fingerprint(&one, unsplit[i], sizeof unsplit[i], NULL), FRAZIL_OK);
        assert_int_equal(frazil_layout_fingerprint(both[i], text[i], sizeof text[i], NULL), FRAZIL_OK);
        fz_layout_value(both[i], value[i]);
    }
    if (frazil_layout_equal(a, b) != alike || (strcmp(value[0], value[1]) == 0) != alike)
        fail_msg("%s and %s should be %s: %s, %s", text[0], text[1], alike ? "equal" : "different", value[0], value[1]);
    if (fz_layout_texts_agree(text[0], text[1]) != (alike && same_life) ||
        (strcmp(unsplit[0], unsplit[1]) == 0) != (alike && same_life))
        fail_msg("%s and %s in one namespace: %s, %s", text[0], text[1], unsplit[0], unsplit[1]);
}

TEST("Layouts are equal if equal fields make equal ids, whatever they are called and however the worker is split")
{
    for (size_t i = 0; frazil_layout_preset(i) != NULL; i++) {
        const frazil_layout *a = frazil_layout_preset(i);
        const bool above = a->sequence_above_worker != 0;
        if (a->kind == FRAZIL_LAYOUT_SNO)
            continue;
        for (unsigned split = 0; split == 0 || split < a->worker_bits; split++) {
            const frazil_layout same = made_of(a, 0, 0, 0, 0, split, 0, above);
            assert_alike(a, &same, true, true);
        }
        const frazil_layout shorter = made_of(a, 0, 0, (unsigned)-1, 0, 0, 0, above);
        assert_alike(a, &shorter, true, false);
        const frazil_layout turned = made_of(a, 0, 0, 0, 0, 0, 0, !above);
        assert_alike(a, &turned, a->worker_bits == 0, true);
        const frazil_layout others[] = {
            made_of(a, 1, 0, 0, 0, 0, 0, above),
            made_of(a, 0, 1, 0, 0, 0, 0, above),
            made_of(a, 0, 0, (unsigned)-1, 1, 0, 0, above),
            made_of(a, 0, 0, (unsigned)-1, 0, 0, 1, above),
        };
        for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
            assert_alike(a, &others[k], false, true);
    }
}

TEST("Presets are equal as what they make is, and a sno is equal to itself alone")
{
    const frazil_fields fields = {.unix_ms = INT64_C(1780272000000), .worker = 19, .sequence = 23};

    for (size_t i = 0; frazil_layout_preset(i) != NULL; i++) {
        for (size_t k = 0; frazil_layout_preset(k) != NULL; k++) {
            const frazil_layout *a = frazil_layout_preset(i);
            const frazil_layout *b = frazil_layout_preset(k);
            uint64_t id[2] = {i, k};
            bool fits = a->worker_bits > 0 && b->worker_bits > 0;
            bool is_sno = a->kind == FRAZIL_LAYOUT_SNO || b->kind == FRAZIL_LAYOUT_SNO;
            if (!is_sno && fits) {
                assert_int_equal(frazil_id_compose(a, &fields, &id[0], NULL), FRAZIL_OK);
                assert_int_equal(frazil_id_compose(b, &fields, &id[1], NULL), FRAZIL_OK);
            }
            assert_alike(a, b, id[0] == id[1], a->time_bits == b->time_bits);
        }
    }
}

TEST("Without worker bits no order is told apart, and a text that says no layout agrees with none")
{
    frazil_layout l = parse_layout("41/0/22");
    frazil_layout above = l;

    above.sequence_above_worker = 1;
    assert_alike(&l, &above, true, true);
    assert_true(fz_layout_texts_agree("twitter", "41/10/12 epoch=1288834974657"));
    assert_false(fz_layout_texts_agree("twitter", "twiter"));
    assert_false(fz_layout_texts_agree("twiter", "twiter"));
}

TEST("A preset's name goes with all of its fields only: not with another split, nor with another width of time")
{
    frazil_layout l = parse_layout("twitter");

    l.datacenter_bits = 4;
    assert_int_equal(frazil_layout_validate(&l, NULL), FRAZIL_ELAYOUT);
    l = parse_layout("twitter");
    l.time_bits = 40;
    assert_int_equal(frazil_layout_validate(&l, NULL), FRAZIL_ELAYOUT);
}

TEST("A layout can be made from numbers, as from the text that has them; what a text could not say is refused")
{
    const frazil_layout text = parse_layout("41/5+5/12 epoch=1288834974657");
    frazil_layout made = {.name = "custom",
                          .epoch_unix_ms = 1288834974657,
                          .kind = FRAZIL_LAYOUT_64,
                          .tick_ms = 1,
                          .time_bits = 41,
                          .worker_bits = 10,
                          .datacenter_bits = 5,
                          .sequence_bits = 12};
    frazil_error err;

    assert_int_equal(frazil_layout_validate(&made, &err), FRAZIL_OK);
    assert_memory_equal(&made, &text, sizeof made);
    made.datacenter_bits = 10;
    assert_int_equal(frazil_layout_validate(&made, &err), FRAZIL_ELAYOUT);
    assert_non_null(strstr(err.message, "leave at least one to the worker"));
}
