/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: what the library says about moving from one layout to
 * another is what comes out when every id that either can issue is listed.
 */

#include "core/layout_internal.h"
#include "lib/layouts.h"
#include "lib/test.h"

static frazil_overlap overlap_of(const char *before, const char *after, int64_t since)
{
    const frazil_layout old = parse_layout(before);
    const frazil_layout new = parse_layout(after);
    frazil_overlap overlap;
    frazil_error err;

    if (frazil_layout_overlap(&old, &new, since, &overlap, sizeof overlap, &err) != FRAZIL_OK)
        fail_msg("%s, %s: %s", before, after, err.message);
    return overlap;
}

static int64_t end_of(const frazil_layout *l)
{
    frazil_layout_info info;

    frazil_layout_get_info(l, &info, sizeof info);
    return info.last_unix_ms + l->tick_ms - 1;
}

/* ---- by brute force ------------------------------------------------------ */

#define IDS_MAX 128

/* Which ids a tiny layout issues at the instants from `from` to `to`, found by composing all of them. */
static size_t list_ids(const frazil_layout *l, int64_t from, int64_t to, bool issued[IDS_MAX])
{
    size_t count = 0;

    memset(issued, 0, IDS_MAX * sizeof issued[0]);
    for (int64_t ms = from; ms <= to; ms++) {
        for (uint32_t worker = 0; worker <= fz_layout_max_worker(l); worker++) {
            for (uint32_t sequence = 0; sequence <= fz_layout_max_sequence(l); sequence++) {
                frazil_fields fields = {.unix_ms = ms, .worker = worker, .sequence = sequence};
                uint64_t id;
                assert_int_equal(frazil_id_compose(l, &fields, &id, NULL), FRAZIL_OK);
                assert_true(id < IDS_MAX);
                count += !issued[id];
                issued[id] = true;
            }
        }
    }
    return count;
}

static uint64_t lowest(const bool issued[IDS_MAX])
{
    uint64_t id = 0;

    while (!issued[id])
        id++;
    return id;
}

/* The largest id issued; the caller knows that there is one. */
static uint64_t highest(const bool issued[IDS_MAX])
{
    uint64_t id = IDS_MAX - 1;

    while (!issued[id])
        id--;
    return id;
}

/* The answer, from nothing but the lists of ids. */
static frazil_overlap overlap_by_listing(const frazil_layout *before, const frazil_layout *after, int64_t since)
{
    bool old[IDS_MAX];
    bool new[IDS_MAX];
    frazil_overlap overlap = {.ever_safe = false};
    bool in_last_tick = since > end_of(before) - (int64_t)before->tick_ms && since > before->epoch_unix_ms;
    size_t old_count = list_ids(before, before->epoch_unix_ms, in_last_tick ? end_of(before) : since - 1, old);

    list_ids(after, since, end_of(after), new);
    overlap.new_first = lowest(new);
    overlap.old_last = old_count > 0 ? highest(old) : 0;
    for (uint64_t id = 0; id < IDS_MAX && old_count > 0; id++) {
        overlap.can_collide = overlap.can_collide || (old[id] && new[id]);
        overlap.can_missort = overlap.can_missort || (new[id] && id < overlap.old_last);
    }
    for (int64_t ms = since; ms <= end_of(after) && !overlap.ever_safe; ms++) {
        list_ids(after, ms, end_of(after), new);
        overlap.ever_safe = old_count == 0 || lowest(new) > overlap.old_last;
        overlap.safe_unix_ms = overlap.ever_safe ? ms : 0;
    }
    return overlap;
}

static void assert_same(const frazil_overlap *a, const frazil_overlap *b)
{
    assert_int_equal(a->can_collide, b->can_collide);
    assert_int_equal(a->can_missort, b->can_missort);
    assert_int_equal(a->old_last, b->old_last);
    assert_int_equal(a->new_first, b->new_first);
    assert_int_equal(a->ever_safe, b->ever_safe);
    assert_int_equal(a->safe_unix_ms, b->safe_unix_ms);
}

/* Compares the two answers at every instant from before both lives to after them; tells how many were compared. */
static size_t compare_at_every_instant(const frazil_layout *before, const frazil_layout *after)
{
    size_t compared = 0;

    for (int64_t since = -8; since < 60; since++) {
        bool alive = since >= before->epoch_unix_ms && since >= after->epoch_unix_ms && since <= end_of(after);
        frazil_overlap found;
        memset(&found, 0x5a, sizeof found);
        frazil_err err = frazil_layout_overlap(before, after, since, &found, sizeof found, NULL);
        assert_int_equal(err, alive ? FRAZIL_OK : FRAZIL_ERANGE);
        if (!alive) {
            assert_int_equal(found.old_last, UINT64_C(0x5a5a5a5a5a5a5a5a));
            continue;
        }
        frazil_overlap expected = overlap_by_listing(before, after, since);
        assert_same(&found, &expected);
        compared++;
    }
    return compared;
}

TEST("For every pair of tiny layouts and every instant of change")
{
    static const char *const texts[] = {
        "3/1/2 epoch=0",          "3/1/2 epoch=-1",         "3/1/2 epoch=1",          "3/1/2 epoch=-5",
        "3/1/2 epoch=6",          "3/2s/1w epoch=0",        "2/0/1 epoch=0",          "4/0/1 epoch=0",
        "4/0/3 epoch=0",          "5/1/1 epoch=-3",         "1/1/1 epoch=2",          "3/1/2 epoch=0 tick=2ms",
        "3/1/2 epoch=1 tick=3ms", "2/2/3 epoch=0 tick=5ms", "4/1/1 epoch=0 tick=3ms", "2/0/1 epoch=-2 tick=7ms",
    };
    const size_t count = sizeof texts / sizeof texts[0];
    size_t compared = 0;

    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            const frazil_layout before = parse_layout(texts[i]);
            const frazil_layout after = parse_layout(texts[j]);
            compared += compare_at_every_instant(&before, &after);
        }
    }
    assert_true(compared > 1000);
}

/* ---- moves that people make ---------------------------------------------- */

#define Y2026 INT64_C(1767225600000)
#define Y2030 INT64_C(1893456000000)

TEST("The same layout with an earlier epoch gives larger ids at once; with a later one, smaller ids until time has "
     "caught up")
{
    frazil_overlap earlier = overlap_of("frazil", "41/10/12 epoch=2025-01-01", Y2030);
    frazil_overlap later = overlap_of("41/10/12 epoch=2025-01-01", "frazil", Y2030);

    assert_false(earlier.can_collide);
    assert_false(earlier.can_missort);
    assert_true(earlier.ever_safe);
    assert_int_equal(earlier.safe_unix_ms, Y2030);
    assert_true(later.can_collide);
    assert_true(later.can_missort);
    assert_true(later.ever_safe);
    assert_int_equal(later.safe_unix_ms, Y2030 + INT64_C(365) * 86400000);
}

TEST("The same layout goes on where it was: only inside the tick of the change could it repeat")
{
    frazil_overlap same = overlap_of("twitter", "twitter", Y2026);

    assert_false(same.can_collide);
    assert_int_equal(same.new_first, same.old_last + 1);
    same = overlap_of("sonyflake", "sonyflake", Y2026 + 5);
    assert_true(same.can_collide);
    assert_true(same.can_missort);
    assert_int_equal(same.safe_unix_ms, Y2026 + 10);
}

TEST("From twitter's epoch to that of 2026: every id of fifteen years lies in the way")
{
    frazil_overlap o = overlap_of("twitter", "frazil", Y2026);

    assert_true(o.can_collide);
    assert_true(o.can_missort);
    assert_int_equal(o.new_first, 0);
    assert_int_equal(o.old_last, ((uint64_t)(Y2026 - 1288834974657) << 22) - 1);
    assert_true(o.ever_safe);
    assert_int_equal(o.safe_unix_ms, Y2026 + (Y2026 - 1288834974657));
}

TEST("Ten times longer ticks make ids ten times smaller, however early the epoch")
{
    frazil_overlap o = overlap_of("41/10/12 epoch=0", "41/10/12 epoch=0 tick=10ms", Y2026);

    assert_true(o.can_missort);
    assert_true(o.ever_safe);
    assert_int_equal(o.safe_unix_ms, Y2026 * 10);
}

TEST("A layout whose largest id is below what was issued never gets above it; one with more bits below time does at "
     "once")
{
    frazil_overlap narrow = overlap_of("frazil", "js53", Y2030);
    frazil_overlap wide = overlap_of("js53", "frazil", Y2030);

    assert_true(narrow.can_collide);
    assert_false(narrow.ever_safe);
    assert_int_equal(narrow.safe_unix_ms, 0);
    assert_false(wide.can_collide);
    assert_int_equal(wide.safe_unix_ms, Y2030);
}

TEST("Ids that fill all 64 bits are compared as they are")
{
    const frazil_layout mastodon = parse_layout("mastodon");
    frazil_overlap o = overlap_of("mastodon", "mastodon", end_of(&mastodon) - 1);

    assert_false(o.can_collide);
    assert_int_equal(o.old_last, UINT64_C(0xfffffffffffdffff));
    assert_int_equal(o.new_first, UINT64_C(0xfffffffffffe0000));
    o = overlap_of("63/0/1 epoch=0", "63/0/1 epoch=0", INT64_MAX - 1);
    assert_false(o.can_collide);
    o = overlap_of("63/0/1 epoch=0", "frazil", Y2026);
    assert_true(o.ever_safe);
    o = overlap_of("flake", "flake epoch=1", 4398046511102);
    assert_true(o.can_collide);
    assert_true(o.ever_safe);
    assert_int_equal(o.safe_unix_ms, 4398046511103);
}

/* ---- questions without an answer -------------------------------------------------- */

TEST("A layout that has ended has issued all of its ids, in its last tick and at any time after it")
{
    const frazil_layout old = parse_layout("39/10/12 epoch=2008-07-01");
    const uint64_t largest = (UINT64_C(1) << 61) - 1;

    for (int64_t after_last_tick = 0; after_last_tick < 3; after_last_tick++) {
        frazil_overlap o =
            overlap_of("39/10/12 epoch=2008-07-01", "41/10/12 epoch=2020-01-01", end_of(&old) + after_last_tick);
        assert_int_equal(o.old_last, largest);
        assert_true(o.can_collide);
    }
    assert_true(overlap_of("39/10/12 epoch=2008-07-01", "41/10/12 epoch=2020-01-01", end_of(&old) - 1).old_last <
                largest);
    assert_false(overlap_of("39/10/12 epoch=2008-07-01", "41/10/12 epoch=2000-01-01", Y2030).can_collide);
}

TEST("A change before the old layout or outside the new one is an error that says which of the two it is")
{
    const frazil_layout frazil = parse_layout("frazil");
    const frazil_layout twitter = parse_layout("twitter");
    frazil_overlap overlap;
    frazil_error err;

    assert_int_equal(frazil_layout_overlap(&twitter, &frazil, Y2026 - 1, &overlap, sizeof overlap, &err),
                     FRAZIL_ERANGE);
    assert_non_null(strstr(err.message, "2025-12-31T23:59:59.999Z is outside the life of the new layout frazil"));
    assert_int_equal(frazil_layout_overlap(&frazil, &twitter, 3487858230209, &overlap, sizeof overlap, &err),
                     FRAZIL_ERANGE);
    assert_non_null(strstr(err.message, "of the new layout twitter"));
    assert_int_equal(frazil_layout_overlap(&frazil, &twitter, Y2026 - 1, &overlap, sizeof overlap, &err),
                     FRAZIL_ERANGE);
    assert_non_null(strstr(err.message, "of the old layout frazil"));
}

TEST("A sno and a number cannot be compared; two snos never overlap")
{
    const frazil_layout sno = parse_layout("sno");
    const frazil_layout frazil = parse_layout("frazil");
    frazil_overlap overlap;

    assert_int_equal(frazil_layout_overlap(&sno, &frazil, Y2026, &overlap, sizeof overlap, NULL), FRAZIL_EKIND);
    assert_int_equal(frazil_layout_overlap(&frazil, &sno, Y2026, &overlap, sizeof overlap, NULL), FRAZIL_EKIND);
    assert_int_equal(frazil_layout_overlap(&sno, &sno, Y2026, &overlap, sizeof overlap, NULL), FRAZIL_OK);
    assert_same(&overlap, &(frazil_overlap){.ever_safe = true});
}
