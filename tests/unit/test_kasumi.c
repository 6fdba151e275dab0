/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: kasumi undoes itself, and its texts are read exactly or
 * refused, with the place; with check digits, no altered text is ever read.
 * That the numbers are konayuki's is shown in test_vectors_text.c.
 */

#include "frazil/extras.h"
#include "lib/near_miss.h"
#include "lib/test.h"

#define SALT UINT64_C(1234567891)
#define UNTOUCHED UINT64_C(0xdeadbeefdeadbeef)
#define IDS 20000

static frazil_err unscramble(bool checked, const char *text, size_t len, uint64_t *ret_id, frazil_error *reterr)
{
    return frazil_unscramble(SALT, checked ? FRAZIL_KASUMI_CHECKED : 0, text, len, ret_id, reterr);
}

static void assert_refused(bool checked, const char *text, frazil_err code, size_t index)
{
    uint64_t id = UNTOUCHED;
    frazil_error err;

    assert_int_equal(unscramble(checked, text, strlen(text), &id, &err), code);
    assert_error_at(&err, code, index);
    assert_int_equal(unscramble(checked, text, strlen(text), &id, NULL), code);
    assert_true(id == UNTOUCHED);
}

/* ---- the scrambler ---- */

TEST("Twice is never")
{
    uint64_t seed = 4;

    for (int i = 0; i < IDS; i++) {
        uint64_t salt = seeded_next(&seed) | 1;
        uint64_t id = seeded_next(&seed) >> (i & 63);
        uint64_t once = 0;
        uint64_t twice = 0;
        assert_int_equal(frazil_kasumi(salt, id, &once), FRAZIL_OK);
        assert_int_equal(frazil_kasumi(salt, once, &twice), FRAZIL_OK);
        assert_true(twice == id);
        /* The low 32 bits of the salt are all of it. */
        assert_int_equal(frazil_kasumi(salt & UINT32_MAX, id, &twice), FRAZIL_OK);
        assert_true(twice == once);
    }
}

TEST("With the salt 1 what is left is the bits of each half, backwards")
{
    for (unsigned bit = 0; bit < 32; bit++) {
        uint64_t ret = 0;
        assert_int_equal(frazil_kasumi(1, UINT64_C(1) << bit, &ret), FRAZIL_OK);
        assert_true(ret == UINT64_C(1) << (31 - bit));
        assert_int_equal(frazil_kasumi(1, UINT64_C(1) << (32 + bit), &ret), FRAZIL_OK);
        assert_true(ret == UINT64_C(1) << (63 - bit));
    }
}

TEST("An even salt cannot be undone, so it is refused everywhere, and nothing is written")
{
    static const uint64_t even[] = {0, 2, UINT64_C(1) << 32, UINT64_MAX - 1};

    for (size_t i = 0; i < sizeof even / sizeof even[0]; i++) {
        uint64_t id = UNTOUCHED;
        char text[32] = "x";
        frazil_error err;
        assert_int_equal(frazil_kasumi(even[i], 1, &id), FRAZIL_EINVAL);
        assert_int_equal(frazil_scramble(even[i], 0, 1, text, sizeof text, NULL), FRAZIL_EINVAL);
        assert_int_equal(frazil_unscramble(even[i], 0, "00000000000000", 14, &id, &err), FRAZIL_EINVAL);
        assert_int_equal(err.code, FRAZIL_EINVAL);
        assert_true(id == UNTOUCHED);
        assert_string_equal(text, "x");
    }
}

/* ---- text ---- */

TEST("Another flag than that of check digits is refused")
{
    for (int bit = 1; bit < 32; bit++) {
        uint32_t flags = FRAZIL_KASUMI_CHECKED | UINT32_C(1) << bit;
        char text[FRAZIL_KASUMI_CHECKED_LEN + 1];
        frazil_error err;
        uint64_t id;
        assert_int_equal(frazil_scramble(SALT, flags, 1, text, sizeof text, NULL), FRAZIL_EINVAL);
        assert_int_equal(frazil_unscramble(SALT, flags, "0000000000000000000", 19, &id, &err), FRAZIL_EINVAL);
        assert_non_null(strstr(err.message, "FRAZIL_KASUMI_CHECKED"));
    }
}

TEST("A written text is read back, and a buffer of the text and its terminator suffices")
{
    uint64_t seed = 5;

    for (int i = 0; i < IDS; i++) {
        bool checked = i % 2 == 1;
        size_t len = checked ? FRAZIL_KASUMI_CHECKED_LEN : FRAZIL_KASUMI_LEN;
        uint64_t id = seeded_next(&seed) >> (i & 63);
        uint64_t back = ~id;
        char text[FRAZIL_KASUMI_CHECKED_LEN + 1] = "x";
        assert_int_equal(frazil_scramble(SALT, checked ? FRAZIL_KASUMI_CHECKED : 0, id, text, len, NULL),
                         FRAZIL_EBUFFER);
        assert_string_equal(text, "x");
        size_t written;
        assert_int_equal(frazil_scramble(SALT, checked ? FRAZIL_KASUMI_CHECKED : 0, id, text, len + 1, &written),
                         FRAZIL_OK);
        assert_int_equal(written, len);
        assert_int_equal(strlen(text), len);
        assert_int_equal(unscramble(checked, text, len, &back, NULL), FRAZIL_OK);
        assert_true(back == id);
    }
}

/* Without check digits, a variant is an id's own text or refused. */
static void check_plain(void *ctx, const char *variant, size_t len, size_t index)
{
    uint64_t id = UNTOUCHED;
    frazil_error err;
    char text[FRAZIL_KASUMI_LEN + 1];
    char c = variant[index];

    (void)ctx;
    if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'))) {
        assert_int_equal(unscramble(false, variant, len, &id, &err), FRAZIL_EPARSE);
        assert_error_at(&err, FRAZIL_EPARSE, index);
        assert_true(id == UNTOUCHED);
    } else if (unscramble(false, variant, len, &id, &err) == FRAZIL_OK) {
        assert_int_equal(frazil_scramble(SALT, 0, id, text, sizeof text, NULL), FRAZIL_OK);
        assert_memory_equal(text, variant, len);
    } else {
        /* Nothing but the first digit of a half can make it too large here. */
        assert_error_at(&err, FRAZIL_EPARSE, index);
        assert_true(index % 7 == 0 && c != '0');
        assert_true(id == UNTOUCHED);
    }
}

/* With check digits every altered digit is noticed: 37 has an inverse modulo 36^5, so each of them moves the sum. */
static void check_checked(void *ctx, const char *variant, size_t len, size_t index)
{
    uint64_t id = UNTOUCHED;
    frazil_error err;
    const char *original = ctx;
    char c = variant[index];

    if (c == original[index]) {
        assert_int_equal(unscramble(true, variant, len, &id, &err), FRAZIL_OK);
        return;
    }
    frazil_err code = unscramble(true, variant, len, &id, &err);
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'))
        assert_int_equal(code, FRAZIL_ECHECKSUM);
    else
        assert_error_at(&err, FRAZIL_EPARSE, index);
    assert_true(id == UNTOUCHED);
}

TEST("With any byte in any place a text is read as exactly what it says, or refused")
{
    uint64_t seed = 6;

    for (int i = 0; i < 50; i++) {
        /* Found by scrambling twice: halves so small that one digit more does not pass 2^32, but in front. */
        uint64_t small = 0;
        char text[FRAZIL_KASUMI_CHECKED_LEN + 1];
        uint64_t id = seeded_next(&seed) & UINT64_C(0x00ffffff00ffffff);
        assert_int_equal(frazil_kasumi(SALT, id, &small), FRAZIL_OK);
        assert_int_equal(frazil_scramble(SALT, 0, small, text, sizeof text, NULL), FRAZIL_OK);
        near_miss_bytes(text, FRAZIL_KASUMI_LEN, check_plain, NULL);
        assert_int_equal(frazil_scramble(SALT, FRAZIL_KASUMI_CHECKED, seeded_next(&seed), text, sizeof text, NULL),
                         FRAZIL_OK);
        near_miss_bytes(text, FRAZIL_KASUMI_CHECKED_LEN, check_checked, text);
    }
}

TEST("Two neighbours that changed places are noticed, too")
{
    uint64_t seed = 7;

    for (int i = 0; i < 1000; i++) {
        char text[FRAZIL_KASUMI_CHECKED_LEN + 1];
        assert_int_equal(frazil_scramble(SALT, FRAZIL_KASUMI_CHECKED, seeded_next(&seed), text, sizeof text, NULL),
                         FRAZIL_OK);
        for (size_t at = 0; at + 1 < FRAZIL_KASUMI_CHECKED_LEN; at++) {
            uint64_t id = UNTOUCHED;
            char c = text[at];
            text[at] = text[at + 1];
            text[at + 1] = c;
            assert_int_equal(unscramble(true, text, FRAZIL_KASUMI_CHECKED_LEN, &id, NULL),
                             c == text[at] ? FRAZIL_OK : FRAZIL_ECHECKSUM);
            text[at + 1] = text[at];
            text[at] = c;
        }
    }
}

TEST("The largest half is read, one more is refused, in either half and in either text")
{
    uint64_t id = UNTOUCHED;
    uint64_t expected = 0;

    assert_int_equal(frazil_kasumi(SALT, UINT64_MAX, &expected), FRAZIL_OK);
    assert_int_equal(unscramble(false, "1z141z31z141z3", 14, &id, NULL), FRAZIL_OK);
    assert_true(id == expected);
    assert_refused(false, "1z141z40000000", FRAZIL_EPARSE, 0);
    assert_refused(false, "zzzzzzz0000000", FRAZIL_EPARSE, 0);
    assert_refused(false, "00000001z141z4", FRAZIL_EPARSE, 7);
    assert_refused(false, "0000000zzzzzzz", FRAZIL_EPARSE, 7);
}

static void check_short(void *ctx, const char *prefix, size_t len, size_t index)
{
    uint64_t id = UNTOUCHED;
    frazil_error err;
    bool checked = *(const bool *)ctx;

    assert_int_equal(unscramble(checked, prefix, len, &id, &err), FRAZIL_EPARSE);
    assert_error_at(&err, FRAZIL_EPARSE, index);
    assert_true(id == UNTOUCHED);
}

TEST("Another length is refused at the place where the text ends or goes on")
{
    bool plain = false;
    bool checked = true;

    near_miss_prefixes("00000001x73riz", 14, check_short, &plain);
    near_miss_prefixes("0b00u000i001gx73riz", 19, check_short, &checked);
    assert_refused(false, "00000001x73riz0", FRAZIL_EPARSE, 14);
    assert_refused(false, "0b00u000i001gx73riz", FRAZIL_EPARSE, 14);
    assert_refused(true, "00000001x73riz", FRAZIL_EPARSE, 14);
    assert_refused(true, "0b00u000i001gx73riz0", FRAZIL_EPARSE, 19);
}

/* ---- salts ---------------------------------------------------------------------- */

static uint64_t fixed_bits(void *ctx)
{
    return *(const uint64_t *)ctx;
}

TEST("A salt is what the random numbers say, made odd, and below 2^32; so it can be used")
{
    static const struct {
        uint64_t bits;
        uint64_t salt;
    } cases[] = {{0, 1}, {2, 3}, {UINT64_MAX, UINT32_MAX}, {UINT64_C(0x0123456789abcdee), 0x89abcdef}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t bits = cases[i].bits;
        const frazil_random random = {.size = sizeof(frazil_random), .ctx = &bits, .next = fixed_bits};
        uint64_t salt = 0;
        uint64_t id;
        assert_int_equal(frazil_salt_new(&random, &salt, NULL), FRAZIL_OK);
        assert_true(salt == cases[i].salt);
        assert_int_equal(frazil_kasumi(salt, 7, &id), FRAZIL_OK);
    }
}

TEST("Without a port the kernel is asked: of 64 salts all are odd, and no two in a row are alike (chance: 64 in 2^31)")
{
    uint64_t before = 0;

    for (unsigned i = 0; i < 64; i++) {
        uint64_t salt = 0;
        frazil_error err;
        assert_int_equal(frazil_salt_new(NULL, &salt, &err), FRAZIL_OK);
        assert_true(salt % 2 == 1 && salt <= UINT32_MAX && salt != before);
        before = salt;
    }
}
