/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: snapshots are written and read as sno's own JSON, and what
 * is not exactly such an object is refused with the place.
 */

#include "core/sno_internal.h"
#include "frazil/generator.h"
#include "lib/near_miss.h"
#include "lib/test.h"

/* A sno.GeneratorSnapshot, as Go's encoding/json writes it. */
static const char golden[] = "{\"partition\":[255,7],\"sequenceMin\":1024,\"sequenceMax\":65535,\"sequence\":1999,"
                             "\"now\":125829120000,\"wallHi\":125829119999,\"wallSafe\":125829110000,\"drifts\":3}";

static const struct fz_snapshot golden_snapshot = {
    .partition = {255, 7},
    .sequence_min = 1024,
    .sequence_max = 65535,
    .sequence = 1999,
    .now = INT64_C(125829120000),
    .wall_hi = INT64_C(125829119999),
    .wall_safe = INT64_C(125829110000),
    .drifts = 3,
};

static void assert_same(const struct fz_snapshot *a, const struct fz_snapshot *b)
{
    assert_memory_equal(a->partition, b->partition, 2);
    assert_int_equal(a->sequence_min, b->sequence_min);
    assert_int_equal(a->sequence_max, b->sequence_max);
    assert_int_equal(a->sequence, b->sequence);
    assert_int_equal(a->now, b->now);
    assert_int_equal(a->wall_hi, b->wall_hi);
    assert_int_equal(a->wall_safe, b->wall_safe);
    assert_int_equal(a->drifts, b->drifts);
}

static struct fz_snapshot parse(const char *text)
{
    struct fz_snapshot snapshot;
    frazil_error err;

    if (fz_snapshot_parse(text, strlen(text), &snapshot, &err) != FRAZIL_OK)
        fail_msg("%s: %s", text, err.message);
    return snapshot;
}

/* Refused at that index, and nothing written. */
static void assert_refused_len(const char *text, size_t len, size_t index)
{
    struct fz_snapshot snapshot = golden_snapshot;
    frazil_error err;

    if (fz_snapshot_parse(text, len, &snapshot, &err) == FRAZIL_OK)
        fail_msg("accepts %.*s", (int)len, text);
    assert_error_at(&err, FRAZIL_EPARSE, index);
    assert_same(&snapshot, &golden_snapshot);
    assert_int_equal(fz_snapshot_parse(text, len, &snapshot, NULL), FRAZIL_EPARSE);
}

static void assert_refused(const char *text, size_t index)
{
    assert_refused_len(text, strlen(text), index);
}

/* ---- there and back ------------------------------------------------------------ */

TEST("A snapshot is the same text as sno's, both ways")
{
    char json[FRAZIL_SNO_SNAPSHOT_SIZE];
    struct fz_snapshot snapshot = parse(golden);

    assert_same(&snapshot, &golden_snapshot);
    assert_int_equal(fz_snapshot_format(&golden_snapshot, json, sizeof json, NULL), FRAZIL_OK);
    assert_string_equal(json, golden);
}

TEST("A buffer of exactly the size suffices; one byte less is an error, and nothing is written")
{
    char json[sizeof golden] = "x";

    for (size_t size = 0; size < sizeof golden; size++)
        assert_int_equal(fz_snapshot_format(&golden_snapshot, json, size, NULL), FRAZIL_EBUFFER);
    assert_string_equal(json, "x");
    assert_int_equal(fz_snapshot_format(&golden_snapshot, json, sizeof golden, NULL), FRAZIL_OK);
    assert_string_equal(json, golden);
}

TEST("Nothing that a snapshot can hold is longer than FRAZIL_SNO_SNAPSHOT_SIZE says")
{
    const struct fz_snapshot longest = {{255, 255}, UINT16_MAX, UINT16_MAX, UINT32_MAX,
                                        INT64_MIN,  INT64_MIN,  INT64_MIN,  UINT32_MAX};
    char json[FRAZIL_SNO_SNAPSHOT_SIZE];

    assert_int_equal(fz_snapshot_format(&longest, json, sizeof json, NULL), FRAZIL_OK);
    assert_true(strlen(json) < FRAZIL_SNO_SNAPSHOT_SIZE - 1);
    assert_string_equal(json + strlen(json) - strlen(",\"drifts\":4294967295}"), ",\"drifts\":4294967295}");
}

TEST("Any snapshot is read back as it was")
{
    uint64_t seed = 10;

    for (int i = 0; i < 5000; i++) {
        uint64_t bits = seeded_next(&seed);
        const struct fz_snapshot snapshot = {
            .partition = {(uint8_t)(bits & 0xff), (uint8_t)(bits >> 8 & 0xff)},
            .sequence_min = (uint16_t)(bits >> 16 & 0xffff),
            .sequence_max = (uint16_t)(bits >> 32 & 0xffff),
            .sequence = (uint32_t)(seeded_next(&seed) >> 32),
            .now = (int64_t)(seeded_next(&seed) >> 25),
            .wall_hi = (int64_t)(seeded_next(&seed) >> 25),
            .wall_safe = (int64_t)(seeded_next(&seed) >> 25),
            .drifts = (uint32_t)(seeded_next(&seed) >> 32),
        };
        char json[FRAZIL_SNO_SNAPSHOT_SIZE];
        assert_int_equal(fz_snapshot_format(&snapshot, json, sizeof json, NULL), FRAZIL_OK);
        struct fz_snapshot back = parse(json);
        assert_same(&back, &snapshot);
    }
}

TEST("Members in any order, absent ones are zero, and JSON's white space wherever it may stand")
{
    const struct fz_snapshot none = {{0, 0}, 0, 0, 0, 0, 0, 0, 0};
    const struct fz_snapshot few = {.partition = {1, 2}, .now = 4};
    struct fz_snapshot snapshot = parse("{}");

    assert_same(&snapshot, &none);
    snapshot = parse(" {\t\r\n} ");
    assert_same(&snapshot, &none);
    snapshot = parse("{\"now\":4,\"partition\":[1,2]}");
    assert_same(&snapshot, &few);
    snapshot = parse("\n{ \"now\" :\t4 ,\r\n \"partition\" : [ 1 , 2 ] }\n");
    assert_same(&snapshot, &few);
}

/* ---- refusals ------------------------------------------------------------- */

TEST("The object's grammar")
{
    assert_refused("", 0);
    assert_refused("  ", 2);
    assert_refused("null", 0);
    assert_refused("[]", 0);
    assert_refused("{", 1);
    assert_refused("{,}", 1);
    assert_refused("{\"now\":1,}", 9);
    assert_refused("{\"now\":1 \"drifts\":2}", 9);
    assert_refused("{\"now\" 1}", 7);
    assert_refused("{now:1}", 1);
    assert_refused("{'now':1}", 1);
    assert_refused("{\"now\":}", 7);
    assert_refused("{}}", 2);
    assert_refused("{} {}", 3);
    assert_refused("{}\v", 2);
    assert_refused("{\f}", 1);
    assert_refused_len("{}", 3, 2); /* the terminator is no white space */
    assert_refused("\xef\xbb\xbf{}", 0);
}

TEST("Only the eight members, each once, by their exact names")
{
    assert_refused("{\"\":1}", 2);
    assert_refused("{\"Now\":1}", 2);
    assert_refused("{\"no\":1}", 2);
    assert_refused("{\"nows\":1}", 2);
    assert_refused("{\"now\\u0000\":1}", 2);
    assert_refused("{\"no\\u0077\":1}", 2);
    assert_refused("{\"sequenceMi\":1}", 2);
    assert_refused("{\"drift\":1}", 2);
    assert_refused("{\"now", 2);
    assert_refused("{\"now\":1,\"now\":1}", 10);
    assert_refused("{\"sequence\":1,\"sequenceMin\":1,\"sequence\":1}", 31);
    assert_refused("{\"partition\":[1,2],\"partition\":[1,2]}", 20);
}

TEST("Whole numbers without sign, fraction, exponent or leading zero; a partition is two of them")
{
    assert_refused("{\"now\":-1}", 7);
    assert_refused("{\"now\":+1}", 7);
    assert_refused("{\"now\":01}", 7);
    assert_refused("{\"now\":00}", 7);
    assert_refused("{\"now\":1.0}", 8);
    assert_refused("{\"now\":1e3}", 8);
    assert_refused("{\"now\":0x1}", 8);
    assert_refused("{\"now\":\"1\"}", 7);
    assert_refused("{\"now\":null}", 7);
    assert_refused("{\"now\":[1]}", 7);
    assert_refused("{\"now\":{}}", 7);
    assert_refused("{\"partition\":1}", 13);
    assert_refused("{\"partition\":\"ab\"}", 13);
    assert_refused("{\"partition\":[]}", 14);
    assert_refused("{\"partition\":[1]}", 15);
    assert_refused("{\"partition\":[1,]}", 16);
    assert_refused("{\"partition\":[1,2,3]}", 17);
    assert_refused("{\"partition\":[1,2}", 17);
}

TEST("The largest value of each member is read; one more is refused, and so is 2^64, which is not 0")
{
    static const struct {
        const char *before, *max, *above, *after;
    } limits[] = {
        {"{\"partition\":[", "255", "256", ",0]}"},
        {"{\"partition\":[0,", "255", "256", "]}"},
        {"{\"sequenceMin\":", "65535", "65536", "}"},
        {"{\"sequenceMax\":", "65535", "65536", "}"},
        {"{\"sequence\":", "4294967295", "4294967296", "}"},
        {"{\"now\":", "549755813887", "549755813888", "}"},
        {"{\"wallHi\":", "549755813887", "549755813888", "}"},
        {"{\"wallSafe\":", "549755813887", "549755813888", "}"},
        {"{\"drifts\":", "4294967295", "4294967296", "}"},
    };
    char text[128];

    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        size_t index = strlen(limits[i].before);
        snprintf(text, sizeof text, "%s%s%s", limits[i].before, limits[i].max, limits[i].after);
        parse(text);
        snprintf(text, sizeof text, "%s%s%s", limits[i].before, limits[i].above, limits[i].after);
        assert_refused(text, index);
        snprintf(text, sizeof text, "%s%s%s", limits[i].before, "18446744073709551616", limits[i].after);
        assert_refused(text, index);
        snprintf(text, sizeof text, "%s%s%s", limits[i].before, "100000000000000000000000000", limits[i].after);
        assert_refused(text, index);
    }
}

static void check_prefix(void *ctx, const char *prefix, size_t len, size_t index)
{
    struct fz_snapshot snapshot = golden_snapshot;
    frazil_error err;

    (void)ctx;
    (void)index;
    assert_int_equal(fz_snapshot_parse(prefix, len, &snapshot, &err), FRAZIL_EPARSE);
    assert_int_equal(err.code, FRAZIL_EPARSE);
    assert_same(&snapshot, &golden_snapshot);
}

TEST("A snapshot that was cut off is refused, wherever it was cut")
{
    near_miss_prefixes(golden, strlen(golden), check_prefix, NULL);
}

/* Each byte at each place: what is accepted differs in a digit or in nothing, and is written back just so. */
static void check_variant(void *ctx, const char *variant, size_t len, size_t index)
{
    struct fz_snapshot snapshot = golden_snapshot;
    frazil_error err;
    char json[FRAZIL_SNO_SNAPSHOT_SIZE];

    (void)ctx;
    if (fz_snapshot_parse(variant, len, &snapshot, &err) != FRAZIL_OK) {
        assert_int_equal(err.code, FRAZIL_EPARSE);
        assert_same(&snapshot, &golden_snapshot);
        return;
    }
    assert_int_equal(fz_snapshot_format(&snapshot, json, sizeof json, NULL), FRAZIL_OK);
    if (variant[index] != ' ' && variant[index] != '\t' && variant[index] != '\r' && variant[index] != '\n') {
        assert_int_equal(strlen(json), len);
        assert_memory_equal(json, variant, len);
    } else {
        /* White space in the place of a number's first or last digit leaves a shorter number. */
        assert_true(golden[index] >= '0' && golden[index] <= '9');
        assert_int_equal(strlen(json), len - 1);
    }
}

TEST("With any byte in any place a snapshot is read as exactly what it says, or refused")
{
    near_miss_bytes(golden, strlen(golden), check_variant, NULL);
}
