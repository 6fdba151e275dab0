/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: ids that other generators made, and ids that the world has
 * seen, come out bit by bit, and come apart into what they were made of.
 */
#include <inttypes.h>

#include "core/layout_internal.h"
#include "frazil/time.h"
#include "lib/layouts.h"
#include "lib/test.h"
#include "lib/tsv.h"

/* id is that of the fields, and only of them. */
static void assert_id(const struct tsv *tsv, const frazil_layout *layout, frazil_fields fields, uint64_t expected)
{
    frazil_fields back;
    frazil_error err;
    uint64_t id = 0;

    if (frazil_id_compose(layout, &fields, &id, &err) != FRAZIL_OK)
        fail_msg("%s: %s", tsv_where(tsv), err.message);
    if (id != expected)
        fail_msg("%s: %" PRIu64 ", not %" PRIu64, tsv_where(tsv), id, expected);
    assert_int_equal(frazil_id_decompose(layout, expected, &back, NULL), FRAZIL_OK);
    assert_int_equal(back.unix_ms, fields.unix_ms);
    assert_int_equal(back.worker, fields.worker);
    assert_int_equal(back.sequence, fields.sequence);
}

/* The range of an id's own millisecond holds it, and that of a neighbouring one does not. */
static void assert_range_holds(const frazil_layout *layout, int64_t unix_ms, uint64_t id)
{
    frazil_layout_info info;
    uint64_t first;
    uint64_t last;

    frazil_layout_get_info(layout, &info, sizeof info);
    assert_int_equal(frazil_id_range(layout, unix_ms, unix_ms, &first, &last, NULL), FRAZIL_OK);
    assert_true(first <= id && id <= last);
    if (unix_ms > info.first_unix_ms) {
        assert_int_equal(frazil_id_range(layout, info.first_unix_ms, unix_ms - 1, &first, &last, NULL), FRAZIL_OK);
        assert_true(last < id);
    }
    if (unix_ms < info.last_unix_ms) {
        assert_int_equal(frazil_id_range(layout, unix_ms + 1, info.last_unix_ms, &first, &last, NULL), FRAZIL_OK);
        assert_true(id < first);
    }
}

TEST("konayuki: layouts of 63 bits of every split, from the columns")
{
    struct tsv *tsv = tsv_open("konayuki.tsv");

    while (tsv_next(tsv)) {
        char text[96];
        snprintf(text, sizeof text, "%s/%s/%s epoch=%s", tsv_text(tsv, "time_bits"), tsv_text(tsv, "worker_bits"),
                 tsv_text(tsv, "seq_bits"), tsv_text(tsv, "epoch_ms"));
        const frazil_layout layout = parse_layout(text);
        const frazil_fields fields = {.unix_ms = tsv_i64(tsv, "unix_ms"),
                                      .worker = (uint32_t)tsv_u64(tsv, "worker"),
                                      .sequence = (uint32_t)tsv_u64(tsv, "sequence")};
        assert_int_equal(fz_layout_tick_unix_ms(&layout, tsv_u64(tsv, "rel_ms")), fields.unix_ms);
        assert_id(tsv, &layout, fields, tsv_u64(tsv, "id"));
        assert_range_holds(&layout, fields.unix_ms, tsv_u64(tsv, "id"));
    }
    assert_int_equal(tsv_close(tsv), 120);
}

TEST("flake-idgen: the n-th call of a millisecond has sequence n - 1; as a number and as big-endian bytes")
{
    struct tsv *tsv = tsv_open("flake.tsv");

    while (tsv_next(tsv)) {
        char text[48];
        char hex[17];
        snprintf(text, sizeof text, "flake epoch=%s", tsv_text(tsv, "epoch_ms"));
        const frazil_layout layout = parse_layout(text);
        const uint32_t worker = (uint32_t)(tsv_u64(tsv, "datacenter") * 32 + tsv_u64(tsv, "worker"));
        const frazil_fields fields = {
            .unix_ms = tsv_i64(tsv, "unix_ms"), .worker = worker, .sequence = (uint32_t)tsv_u64(tsv, "calls") - 1};
        assert_id(tsv, &layout, fields, tsv_u64(tsv, "decimal"));
        snprintf(hex, sizeof hex, "%016" PRIx64, tsv_u64(tsv, "decimal"));
        assert_string_equal(hex, tsv_text(tsv, "hex"));
        frazil_fields read;
        assert_int_equal(frazil_id_decompose(&layout, tsv_u64(tsv, "decimal"), &read, NULL), FRAZIL_OK);
        assert_int_equal(read.datacenter, tsv_u64(tsv, "datacenter"));
        assert_int_equal(read.worker_in_datacenter, tsv_u64(tsv, "worker"));
        assert_range_holds(&layout, fields.unix_ms, tsv_u64(tsv, "decimal"));
    }
    assert_int_equal(tsv_close(tsv), 105);
}

TEST("Ids that have been published, by the presets")
{
    struct tsv *tsv = tsv_open("public.tsv");

    while (tsv_next(tsv)) {
        const char *time = tsv_text(tsv, "time");
        const frazil_layout layout = parse_layout(tsv_text(tsv, "layout"));
        char written[FRAZIL_TIME_SIZE];
        frazil_fields fields = {.worker = (uint32_t)tsv_u64(tsv, "worker"),
                                .sequence = (uint32_t)tsv_u64(tsv, "sequence")};
        assert_int_equal(frazil_time_parse(time, strlen(time), &fields.unix_ms, NULL), FRAZIL_OK);
        assert_int_equal(frazil_time_format(fields.unix_ms, written, sizeof written, NULL), FRAZIL_OK);
        assert_string_equal(written, time);
        assert_id(tsv, &layout, fields, tsv_u64(tsv, "id"));
        assert_range_holds(&layout, fields.unix_ms, tsv_u64(tsv, "id"));
    }
    assert_int_equal(tsv_close(tsv), 5);
}
