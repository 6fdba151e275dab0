/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a sno's bytes, fields and text say the same; its text sorts
 * like its bytes; and every other text, time or part is refused.  That the
 * values are sno's is shown in test_vectors_text.c.
 */

#include "frazil/extras.h"
#include "lib/near_miss.h"
#include "lib/test.h"

#define FIRST_MS INT64_C(1262304000000) /* 2010-01-01T00:00:00.000Z */
#define LAST_MS INT64_C(3461327255551)  /* 2079-09-07T15:47:35.551Z, the last of its unit */
#define CHARACTERS "23456789abcdefghijklmnopqrstuvwx"
#define SNOS 20000

static const frazil_sno untouched = {{0xde, 0xad, 0xbe, 0xef, 0xde, 0xad, 0xbe, 0xef, 0xde, 0xad}};

static void assert_untouched(const frazil_sno *id)
{
    assert_memory_equal(id, &untouched, sizeof untouched);
}

static frazil_sno seeded_sno(uint64_t *seed)
{
    frazil_sno id;

    for (size_t i = 0; i < FRAZIL_SNO_SIZE; i++)
        id.bytes[i] = (uint8_t)(seeded_next(seed) & 0xff);
    return id;
}

static frazil_sno compose(frazil_sno_fields fields)
{
    frazil_sno id = untouched;

    assert_int_equal(frazil_sno_compose(&fields, &id, NULL), FRAZIL_OK);
    return id;
}

static void assert_bytes(frazil_sno id, const char *expected)
{
    assert_memory_equal(id.bytes, expected, FRAZIL_SNO_SIZE);
}

/* ---- fields ------------------------------------------------------------------- */

TEST("Each part alone fills its own bits")
{
    assert_bytes(compose((frazil_sno_fields){.unix_ms = FIRST_MS}), "\0\0\0\0\0\0\0\0\0\0");
    assert_bytes(compose((frazil_sno_fields){.unix_ms = LAST_MS}), "\xff\xff\xff\xff\xfe\0\0\0\0\0");
    assert_bytes(compose((frazil_sno_fields){.unix_ms = FIRST_MS + 4}), "\0\0\0\0\x02\0\0\0\0\0");
    assert_bytes(compose((frazil_sno_fields){.unix_ms = FIRST_MS, .ticktock = 1}), "\0\0\0\0\x01\0\0\0\0\0");
    assert_bytes(compose((frazil_sno_fields){.unix_ms = FIRST_MS, .meta = 255}), "\0\0\0\0\0\xff\0\0\0\0");
    assert_bytes(compose((frazil_sno_fields){.unix_ms = FIRST_MS, .partition = 0x1234}), "\0\0\0\0\0\0\x12\x34\0\0");
    assert_bytes(compose((frazil_sno_fields){.unix_ms = FIRST_MS, .sequence = 0x1234}), "\0\0\0\0\0\0\0\0\x12\x34");
}

TEST("Ten bytes taken apart and put together again are the same ten bytes; the time is the start of its unit")
{
    uint64_t seed = 8;

    for (int i = 0; i < SNOS; i++) {
        frazil_sno id = seeded_sno(&seed);
        frazil_sno_fields fields;
        frazil_sno_decompose(&id, &fields);
        assert_true(fields.unix_ms >= FIRST_MS && fields.unix_ms <= LAST_MS && (fields.unix_ms - FIRST_MS) % 4 == 0);
        frazil_sno back = compose(fields);
        assert_memory_equal(&back, &id, sizeof id);
    }
}

TEST("The milliseconds of a unit make the same sno")
{
    frazil_sno first = compose((frazil_sno_fields){.unix_ms = FIRST_MS + 4000});

    for (int64_t ms = 1; ms < 4; ms++) {
        frazil_sno same = compose((frazil_sno_fields){.unix_ms = FIRST_MS + 4000 + ms});
        assert_memory_equal(&same, &first, sizeof first);
    }
    frazil_sno next = compose((frazil_sno_fields){.unix_ms = FIRST_MS + 4004});
    assert_true(memcmp(next.bytes, first.bytes, FRAZIL_SNO_SIZE) > 0);
}

TEST("A time outside the layout, and a tick-tock that is no bit, are errors, and nothing is written")
{
    static const frazil_sno_fields wrong[] = {
        {.unix_ms = FIRST_MS - 1},
        {.unix_ms = LAST_MS + 1},
        {.unix_ms = 0},
        {.unix_ms = INT64_MIN},
        {.unix_ms = INT64_MAX},
        {.unix_ms = FIRST_MS, .ticktock = 2},
        {.unix_ms = FIRST_MS, .ticktock = 255},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        frazil_sno id = untouched;
        frazil_error err;
        assert_int_equal(frazil_sno_compose(&wrong[i], &id, &err), FRAZIL_ERANGE);
        assert_int_equal(err.code, FRAZIL_ERANGE);
        assert_untouched(&id);
    }
}

TEST("A reserved byte of the fields that is not 0 is an error, and those that are read are 0")
{
    static const frazil_sno_fields good = {.unix_ms = FIRST_MS, .meta = 7};
    frazil_sno id = untouched;
    frazil_sno_fields read;

    for (size_t i = 0; i < sizeof good.reserved; i++) {
        frazil_sno_fields wrong = good;
        frazil_error err;
        wrong.reserved[i] = 1;
        assert_int_equal(frazil_sno_compose(&wrong, &id, &err), FRAZIL_EINVAL);
        assert_non_null(strstr(err.message, "reserved"));
        assert_untouched(&id);
    }
    id = compose(good);
    memset(&read, 0xff, sizeof read);
    frazil_sno_decompose(&id, &read);
    assert_memory_equal(&read, &good, sizeof read);
}

/* ---- ranges -------------------------------------------------------------------- */

TEST("A range holds every sno of its units, and the neighbours outside it are outside")
{
    frazil_sno first = untouched;
    frazil_sno last = untouched;

    assert_int_equal(frazil_sno_range(FIRST_MS + 9, FIRST_MS + 16, &first, &last, NULL), FRAZIL_OK);
    assert_bytes(first, "\0\0\0\0\x04\0\0\0\0\0");
    assert_bytes(last, "\0\0\0\0\x09\xff\xff\xff\xff\xff");
    assert_int_equal(frazil_sno_range(FIRST_MS, LAST_MS, &first, &last, NULL), FRAZIL_OK);
    assert_bytes(first, "\0\0\0\0\0\0\0\0\0\0");
    assert_bytes(last, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff");
    assert_int_equal(frazil_sno_range(FIRST_MS + 5, FIRST_MS + 5, &first, &last, NULL), FRAZIL_OK);
    assert_bytes(first, "\0\0\0\0\x02\0\0\0\0\0");
    assert_bytes(last, "\0\0\0\0\x03\xff\xff\xff\xff\xff");
}

TEST("A range that runs backwards or leaves the layout is an error, and nothing is written")
{
    static const struct {
        int64_t from, to;
        frazil_err code;
    } wrong[] = {
        {FIRST_MS + 1, FIRST_MS, FRAZIL_EINVAL},
        {FIRST_MS - 1, FIRST_MS, FRAZIL_ERANGE},
        {FIRST_MS, LAST_MS + 1, FRAZIL_ERANGE},
        {INT64_MIN, INT64_MAX, FRAZIL_ERANGE},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        frazil_sno first = untouched;
        frazil_sno last = untouched;
        frazil_error err;
        assert_int_equal(frazil_sno_range(wrong[i].from, wrong[i].to, &first, &last, &err), wrong[i].code);
        assert_int_equal(err.code, wrong[i].code);
        assert_untouched(&first);
        assert_untouched(&last);
    }
}

/* ---- text ------------------------------------------------------------------------ */

TEST("Each character of the text is five bits of the bytes, high bits first; each of the 32 at each of the 16 places")
{
    for (size_t at = 0; at < FRAZIL_SNO_LEN; at++) {
        for (unsigned value = 0; value < 32; value++) {
            frazil_sno id = {{0}};
            frazil_sno back = untouched;
            char text[FRAZIL_SNO_LEN];
            char expected[FRAZIL_SNO_LEN];
            for (size_t bit = 0; bit < 5; bit++) {
                size_t place = 5 * at + bit;
                id.bytes[place / 8] |= (uint8_t)((value >> (4 - bit) & 1) << (7 - place % 8));
            }
            memset(expected, '2', sizeof expected);
            expected[at] = CHARACTERS[value];
            frazil_sno_encode(&id, text);
            assert_memory_equal(text, expected, sizeof text);
            assert_int_equal(frazil_sno_decode(text, FRAZIL_SNO_LEN, &back, NULL), FRAZIL_OK);
            assert_memory_equal(&back, &id, sizeof id);
        }
    }
}

TEST("Text is read back, and two texts sort like their bytes")
{
    uint64_t seed = 9;

    for (int i = 0; i < SNOS; i++) {
        frazil_sno a = seeded_sno(&seed);
        frazil_sno b = a;
        frazil_sno back = untouched;
        char a_text[FRAZIL_SNO_LEN];
        char b_text[FRAZIL_SNO_LEN];
        b.bytes[seeded_next(&seed) % FRAZIL_SNO_SIZE] ^= (uint8_t)(1U << (seeded_next(&seed) & 7));
        frazil_sno_encode(&a, a_text);
        frazil_sno_encode(&b, b_text);
        assert_int_equal(frazil_sno_decode(a_text, sizeof a_text, &back, NULL), FRAZIL_OK);
        assert_memory_equal(&back, &a, sizeof a);
        assert_int_equal(memcmp(a.bytes, b.bytes, FRAZIL_SNO_SIZE) < 0, memcmp(a_text, b_text, sizeof a_text) < 0);
    }
}

/* Each byte at each place: one of the 32 characters, or refused at that place; both decoders agree. */
static void check_variant(void *ctx, const char *variant, size_t len, size_t index)
{
    frazil_sno id = untouched;
    frazil_sno explained = untouched;
    frazil_error err;
    char text[FRAZIL_SNO_LEN];
    bool right = variant[index] != '\0' && strchr(CHARACTERS, variant[index]) != NULL;
    frazil_err expected = right ? FRAZIL_OK : FRAZIL_EPARSE;

    (void)ctx;
    assert_int_equal(frazil_sno_decode(variant, FRAZIL_SNO_LEN, &id, NULL), expected);
    assert_int_equal(frazil_sno_decode(variant, len, &explained, &err), expected);
    assert_memory_equal(&id, &explained, sizeof id);
    if (right) {
        frazil_sno_encode(&id, text);
        assert_memory_equal(text, variant, len);
    } else {
        assert_error_at(&err, FRAZIL_EPARSE, index);
        assert_untouched(&id);
    }
}

TEST("With any byte in any place a text is decoded as exactly what it says, or refused at that place")
{
    near_miss_bytes("2222222222222222", FRAZIL_SNO_LEN, check_variant, NULL);
    near_miss_bytes("xxxxxxxxxxxxxxxx", FRAZIL_SNO_LEN, check_variant, NULL);
    near_miss_bytes("9a8b7c6d5e4f3g2h", FRAZIL_SNO_LEN, check_variant, NULL);
}

static void check_short(void *ctx, const char *prefix, size_t len, size_t index)
{
    frazil_sno id = untouched;
    frazil_error err;

    (void)ctx;
    assert_int_equal(frazil_sno_decode(prefix, len, &id, &err), FRAZIL_EPARSE);
    assert_error_at(&err, FRAZIL_EPARSE, index);
    assert_untouched(&id);
}

TEST("A text that is not 16 characters long is refused where it ends or goes on")
{
    frazil_sno id = untouched;
    frazil_error err;

    near_miss_prefixes("9a8b7c6d5e4f3g2h", FRAZIL_SNO_LEN, check_short, NULL);
    assert_int_equal(frazil_sno_decode("9a8b7c6d5e4f3g2h2", 17, &id, &err), FRAZIL_EPARSE);
    assert_error_at(&err, FRAZIL_EPARSE, 16);
    assert_untouched(&id);
}

/* ---- zero, JSON, columns ------------------------------------------------------------ */

TEST("Only ten zero bytes are the zero sno")
{
    frazil_sno id = {{0}};
    char json[FRAZIL_SNO_JSON_SIZE];

    assert_int_equal(frazil_sno_to_json(&id, json, sizeof json, NULL), FRAZIL_OK);
    assert_string_equal(json, "null");
    for (size_t i = 0; i < FRAZIL_SNO_SIZE; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            id.bytes[i] = (uint8_t)(1U << bit);
            assert_int_equal(frazil_sno_to_json(&id, json, sizeof json, NULL), FRAZIL_OK);
            assert_int_equal(json[0], '"');
        }
        id.bytes[i] = 0;
    }
}

TEST("A sno is a JSON string, the zero sno is null, and both are read back")
{
    frazil_sno id = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}};
    frazil_sno zero = {{0}};
    frazil_sno back = untouched;
    char text[FRAZIL_SNO_LEN];
    char json[FRAZIL_SNO_JSON_SIZE] = "x";

    for (size_t size = 0; size < FRAZIL_SNO_JSON_SIZE; size++)
        assert_int_equal(frazil_sno_to_json(&id, json, size, NULL), FRAZIL_EBUFFER);
    for (size_t size = 0; size < sizeof "null"; size++)
        assert_int_equal(frazil_sno_to_json(&zero, json, size, NULL), FRAZIL_EBUFFER);
    assert_string_equal(json, "x");

    frazil_sno_encode(&id, text);
    size_t len;
    assert_int_equal(frazil_sno_to_json(&id, json, sizeof json, &len), FRAZIL_OK);
    assert_int_equal(len, FRAZIL_SNO_JSON_SIZE - 1);
    assert_int_equal(strlen(json), len);
    assert_true(json[0] == '"' && json[17] == '"');
    assert_memory_equal(json + 1, text, sizeof text);
    assert_int_equal(frazil_sno_from_json(json, strlen(json), &back, NULL), FRAZIL_OK);
    assert_memory_equal(&back, &id, sizeof id);

    assert_int_equal(frazil_sno_to_json(&zero, json, sizeof "null", &len), FRAZIL_OK);
    assert_int_equal(len, strlen("null"));
    assert_string_equal(json, "null");
    assert_int_equal(frazil_sno_from_json(json, strlen(json), &back, NULL), FRAZIL_OK);
    assert_memory_equal(&back, &(frazil_sno){{0}}, sizeof back);
}

TEST("No other JSON value is a sno")
{
    static const struct {
        const char *json;
        size_t index;
    } wrong[] = {
        {"", 0},
        {"\"", 0},
        {"\"\"", 1},
        {"nul", 3},
        {"nulll", 4},
        {"NULL", 0},
        {"null ", 4},
        {" null", 0},
        {"0", 0},
        {"true", 0},
        {"2222222222222222", 0},
        {"\"2222222222222222", 0},
        {"\"222222222222222\"", 16},
        {"\"22222222222222222\"", 17},
        {"\"222222222222222z\"", 16},
        {"\"1222222222222222\"", 1},
        {"\"2222222222222222\" ", 0},
        {"[\"2222222222222222\"]", 0},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        frazil_sno id = untouched;
        frazil_error err;
        assert_int_equal(frazil_sno_from_json(wrong[i].json, strlen(wrong[i].json), &id, &err), FRAZIL_EPARSE);
        assert_error_at(&err, FRAZIL_EPARSE, wrong[i].index);
        assert_untouched(&id);
    }
}

TEST("A column holds ten bytes, sixteen characters or nothing; each other length is an error")
{
    frazil_sno id = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}};
    frazil_sno back = untouched;
    frazil_error err;
    char text[32] = "";

    frazil_sno_encode(&id, text);
    assert_int_equal(frazil_sno_from_column(id.bytes, 10, &back, NULL), FRAZIL_OK);
    assert_memory_equal(&back, &id, sizeof id);
    back = untouched;
    assert_int_equal(frazil_sno_from_column(text, 16, &back, NULL), FRAZIL_OK);
    assert_memory_equal(&back, &id, sizeof id);
    assert_int_equal(frazil_sno_from_column(NULL, 0, &back, NULL), FRAZIL_OK);
    assert_memory_equal(&back, &(frazil_sno){{0}}, sizeof back);

    back = untouched;
    for (size_t len = 1; len < sizeof text; len++) {
        if (len != 10 && len != 16)
            assert_int_equal(frazil_sno_from_column(text, len, &back, &err), FRAZIL_EPARSE);
    }
    text[15] = 'y';
    assert_int_equal(frazil_sno_from_column(text, 16, &back, &err), FRAZIL_EPARSE);
    assert_error_at(&err, FRAZIL_EPARSE, 15);
    assert_untouched(&back);
}
