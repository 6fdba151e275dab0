/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: each text form reads back exactly what it writes, and
 * refuses every other text with the position of what is wrong with it.
 */
#include <inttypes.h>

#include "core/text_internal.h"
#include "frazil/text.h"
#include "lib/near_miss.h"
#include "lib/test.h"

#define UNTOUCHED UINT64_C(0xdeadbeefdeadbeef)
#define ROUND_TRIPS 20000

static const uint64_t samples[] = {
    0,          1, 57, 58, 4095, UINT64_C(3571918209425408), UINT64_C(1541815603606036480), INT64_MAX, UINT64_MAX - 1,
    UINT64_MAX,
};
#define SAMPLES (sizeof samples / sizeof samples[0])

/* ---- a second opinion ------------------------------------------------------ */

/*
 * The rules of each form, said once more and in another way: the
 * alphabet, the value that a lower-case letter is read as, and the width.
 */
static const struct form {
    const char *name;
    const char *digits;
    const char *also; /* also[i] is read as digits[i + also_from] */
    size_t also_from;
    size_t width;       /* 0: no padding */
    const char *prefix; /* the text before the digits; NULL: none */
} forms[FZ_TEXT_COUNT] = {
    [FRAZIL_TEXT_DEC] = {"dec", "0123456789", "", 0, 0, NULL},
    [FRAZIL_TEXT_DEC_PADDED] = {"dec20", "0123456789", "", 0, 20, NULL},
    [FRAZIL_TEXT_HEX] = {"hex", "0123456789abcdef", "ABCDEF", 10, 16, NULL},
    [FRAZIL_TEXT_CROCKFORD] = {"crockford", "0123456789ABCDEFGHJKMNPQRSTVWXYZ", "abcdefghjkmnpqrstvwxyz", 10, 13, NULL},
    [FRAZIL_TEXT_BASE36] = {"base36", "0123456789abcdefghijklmnopqrstuvwxyz", "", 0, 0, NULL},
    [FRAZIL_TEXT_BASE58] = {"base58", "123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ", "", 0, 0, NULL},
    [FRAZIL_TEXT_BASE62] = {"base62", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "", 0, 11,
                            NULL},
    [FRAZIL_TEXT_BASE64URL] = {"base64url", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", "", 0,
                               11, NULL},
    [FRAZIL_TEXT_BIN] = {"bin", "01", "", 0, 79, NULL},
    [FRAZIL_TEXT_BYTES] = {"bytes", "0123456789abcdef", "", 0, 16, NULL},
    [FRAZIL_TEXT_HEX0X] = {"hex0x", "0123456789abcdef", "ABCDEF", 10, 0, "0x"},
    [FRAZIL_TEXT_HEX_SHORT] = {"hexshort", "0123456789abcdef", "ABCDEF", 10, 0, NULL},
    [FRAZIL_TEXT_SIGNED] = {"signed", "0123456789", "", 0, 0, NULL},
};

/* The forms that have one digit for each character, and no sign: all before that one. */
#define UNSIGNED_FORMS FRAZIL_TEXT_SIGNED

/* Characters before the digits. */
static size_t prefix_len(frazil_text form)
{
    return forms[form].prefix == NULL ? 0 : strlen(forms[form].prefix);
}

/* The value of a character; -1: none. */
static int value_of(const struct form *form, char c)
{
    const char *found = c == '\0' ? NULL : strchr(form->digits, c);

    if (found != NULL)
        return (int)(found - form->digits);
    if (form == &forms[FRAZIL_TEXT_CROCKFORD] && c != '\0' && strchr("IiLlOo", c) != NULL)
        return strchr("Oo", c) != NULL ? 0 : 1;
    found = c == '\0' ? NULL : strchr(form->also, c);
    return found == NULL ? -1 : (int)((size_t)(found - form->also) + form->also_from);
}

/* Whether a form has that character at that index. */
static bool may_stand(frazil_text form, char c, size_t index)
{
    if (form == FRAZIL_TEXT_BIN && index % 5 == 4)
        return c == ' ';
    if (index < prefix_len(form))
        return c == forms[form].prefix[index];
    return value_of(&forms[form], c) >= 0;
}

/* The canonical spelling of an accepted text. */
static void canonical(frazil_text form, const char *text, size_t len, char *ret)
{
    for (size_t i = 0; i < len; i++)
        ret[i] = text[i] == ' ' || i < prefix_len(form) ? text[i] : forms[form].digits[value_of(&forms[form], text[i])];
    ret[len] = '\0';
}

/* ---- helpers ---------------------------------------------------------------- */

static size_t format(frazil_text form, uint64_t id, char text[FRAZIL_TEXT_SIZE])
{
    size_t len;

    assert_int_equal(frazil_id_format(form, id, text, FRAZIL_TEXT_SIZE, &len), FRAZIL_OK);
    assert_int_equal(len, strlen(text));
    return len;
}

static void assert_reads(frazil_text form, const char *text, uint64_t expected)
{
    uint64_t id = UNTOUCHED;
    frazil_error err;

    if (frazil_id_parse(form, text, strlen(text), &id, &err) != FRAZIL_OK)
        fail_msg("'%s': %s", text, err.message);
    if (id != expected)
        fail_msg("%s '%s' is %" PRIu64 ", not %" PRIu64, forms[form].name, text, id, expected);
}

/* Refused, with the index of what is wrong, and nothing written. */
static void assert_refused_len(frazil_text form, const char *text, size_t len, size_t index)
{
    uint64_t id = UNTOUCHED;
    frazil_error err;

    if (frazil_id_parse(form, text, len, &id, &err) == FRAZIL_OK)
        fail_msg("%s accepts '%.*s' as %" PRIu64, forms[form].name, (int)len, text, id);
    assert_error_at(&err, FRAZIL_EPARSE, index);
    assert_true(id == UNTOUCHED);
    assert_int_equal(frazil_id_parse(form, text, len, &id, NULL), FRAZIL_EPARSE);
    assert_true(id == UNTOUCHED);
}

static void assert_refused(frazil_text form, const char *text, size_t index)
{
    assert_refused_len(form, text, strlen(text), index);
}

/* ---- names and numbers ------------------------------------------------------- */

TEST("Every form has its name, and that name leads back to it")
{
    for (unsigned i = 0; i < FZ_TEXT_COUNT; i++) {
        frazil_text form = (frazil_text)FZ_TEXT_COUNT;
        assert_string_equal(frazil_text_name((frazil_text)i), forms[i].name);
        assert_int_equal(frazil_text_by_name(forms[i].name, &form, NULL), FRAZIL_OK);
        assert_int_equal(form, i);
    }
}

TEST("A name is all of a name, in lower case")
{
    static const char *const wrong[] = {"",     "de",   "dec2",  "dec200",  "DEC", " dec",
                                        "dec ", "base", "base5", "base588", "sno"};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        frazil_text form = FRAZIL_TEXT_BIN;
        frazil_error err;
        assert_int_equal(frazil_text_by_name(wrong[i], &form, &err), FRAZIL_EINVAL);
        assert_int_equal(form, FRAZIL_TEXT_BIN);
        assert_int_equal(err.code, FRAZIL_EINVAL);
        assert_int_equal(frazil_text_by_name(wrong[i], &form, NULL), FRAZIL_EINVAL);
    }
}

TEST("A name that is none is answered with the names that there are, and the one that may have been meant")
{
    static const struct {
        const char *name, *why;
    } rows[] = {
        {"roman", "there is no text form 'roman': must be one of dec, dec20, hex, crockford, base36, base58, base62, "
                  "base64url, bin, bytes, hex0x, hexshort, signed"},
        {"base59", "there is no text form 'base59': did you mean base58? The forms are dec, dec20, hex, crockford, "
                   "base36, base58, base62, base64url, bin, bytes, hex0x, hexshort, signed"},
        {"HEX", "there is no text form 'HEX': did you mean hex? The forms are dec, dec20, hex, crockford, base36, "
                "base58, base62, base64url, bin, bytes, hex0x, hexshort, signed"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        frazil_text form;
        frazil_error err;
        assert_int_equal(frazil_text_by_name(rows[i].name, &form, &err), FRAZIL_EINVAL);
        assert_string_equal(err.message, rows[i].why);
    }
}

TEST("A number that is no form is an error, and not a crash")
{
    static const int wrong[] = {FZ_TEXT_COUNT, -1, 1000000};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[FRAZIL_TEXT_SIZE] = "x";
        uint64_t id = UNTOUCHED;
        frazil_error err;
        assert_null(frazil_text_name((frazil_text)wrong[i]));
        assert_int_equal(frazil_id_format((frazil_text)wrong[i], 1, text, sizeof text, NULL), FRAZIL_EINVAL);
        assert_string_equal(text, "x");
        assert_int_equal(frazil_id_parse((frazil_text)wrong[i], "1", 1, &id, &err), FRAZIL_EINVAL);
        assert_int_equal(err.code, FRAZIL_EINVAL);
        assert_true(id == UNTOUCHED);
    }
}

/* ---- writing ------------------------------------------------------------------ */

TEST("The largest id in each form, and the forms that the golden vectors do not have")
{
    assert_reads(FRAZIL_TEXT_DEC, "18446744073709551615", UINT64_MAX);
    assert_reads(FRAZIL_TEXT_DEC_PADDED, "00000000000000000007", 7);
    assert_reads(FRAZIL_TEXT_HEX, "ffffffffffffffff", UINT64_MAX);
    assert_reads(FRAZIL_TEXT_CROCKFORD, "FZZZZZZZZZZZZ", UINT64_MAX);
    assert_reads(FRAZIL_TEXT_BASE36, "3w5e11264sgsf", UINT64_MAX);
    assert_reads(FRAZIL_TEXT_BASE58, "JPwcyDCgEup", UINT64_MAX);
    assert_reads(FRAZIL_TEXT_BASE62, "LygHa16AHYF", UINT64_MAX);
    assert_reads(FRAZIL_TEXT_BASE64URL, "__________8", UINT64_MAX);
    /* As flake-idgen's documentation shows it. */
    assert_reads(FRAZIL_TEXT_HEX0X, "0x5325a4db6000002", UINT64_C(374461008837607426));
    assert_reads(FRAZIL_TEXT_HEX_SHORT, "5325A4db6000002", UINT64_C(374461008837607426));
    assert_reads(FRAZIL_TEXT_BYTES, "0123456789abcdef", UINT64_C(0x0123456789abcdef));
    assert_reads(FRAZIL_TEXT_BIN, "0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1010 1011 1100 1101 1110 1111",
                 UINT64_C(0x0123456789abcdef));
}

TEST("A written text is read back, and all of it is of the form's alphabet and width")
{
    uint64_t seed = 1;

    for (unsigned i = 0; i < ROUND_TRIPS * UNSIGNED_FORMS; i++) {
        frazil_text form = (frazil_text)(i % UNSIGNED_FORMS);
        uint64_t id = seeded_next(&seed);
        char text[FRAZIL_TEXT_SIZE];
        id = i / UNSIGNED_FORMS < SAMPLES ? samples[i / UNSIGNED_FORMS] : id >> (id & 63);
        size_t len = format(form, id, text);
        for (size_t at = 0; at < len; at++)
            assert_true(may_stand(form, text[at], at));
        if (forms[form].width != 0)
            assert_int_equal(len, forms[form].width);
        assert_reads(form, text, id);
    }
}

TEST("Forms of fixed width sort like the numbers (all but base64url, whose alphabet is not in the order of ASCII)")
{
    uint64_t seed = 2;

    for (unsigned i = 0; i < ROUND_TRIPS * FZ_TEXT_COUNT; i++) {
        frazil_text form = (frazil_text)(i % FZ_TEXT_COUNT);
        char a_text[FRAZIL_TEXT_SIZE];
        char b_text[FRAZIL_TEXT_SIZE];
        uint64_t a = seeded_next(&seed) >> (seeded_next(&seed) & 63);
        uint64_t b = a ^ (UINT64_C(1) << (seeded_next(&seed) & 63));
        if (forms[form].width == 0 || form == FRAZIL_TEXT_BASE64URL)
            continue;
        format(form, a, a_text);
        format(form, b, b_text);
        assert_int_equal(strcmp(a_text, b_text) < 0, a < b);
    }
}

TEST("A buffer of exactly the size suffices; one byte less is an error, and nothing is written")
{
    for (unsigned i = 0; i < SAMPLES * FZ_TEXT_COUNT; i++) {
        frazil_text form = (frazil_text)(i % FZ_TEXT_COUNT);
        uint64_t id = samples[i / FZ_TEXT_COUNT];
        char expected[FRAZIL_TEXT_SIZE];
        char buf[FRAZIL_TEXT_SIZE];
        char before[FRAZIL_TEXT_SIZE];
        size_t len = format(form, id, expected);
        memset(buf, '#', sizeof buf);
        memset(before, '#', sizeof before);
        for (size_t size = 0; size <= len; size++)
            assert_int_equal(frazil_id_format(form, id, buf, size, NULL), FRAZIL_EBUFFER);
        assert_memory_equal(buf, before, sizeof buf);
        assert_int_equal(frazil_id_format(form, id, buf, len + 1, NULL), FRAZIL_OK);
        assert_string_equal(buf, expected);
        assert_memory_equal(buf + len + 1, before, sizeof buf - len - 1);
    }
}

TEST("A signed text is the number that BIGINT and a long show: from 2^63 on, the id less 2^64")
{
    uint64_t seed = 3;
    char text[FRAZIL_TEXT_SIZE];
    char expected[FRAZIL_TEXT_SIZE];

    for (unsigned i = 0; i < ROUND_TRIPS; i++) {
        uint64_t id = i < SAMPLES ? samples[i] : seeded_next(&seed);
        snprintf(expected, sizeof expected, "%" PRId64, (int64_t)id);
        format(FRAZIL_TEXT_SIGNED, id, text);
        assert_string_equal(text, expected);
        assert_reads(FRAZIL_TEXT_SIGNED, text, id);
    }
    assert_reads(FRAZIL_TEXT_SIGNED, "-1", UINT64_MAX);
    assert_reads(FRAZIL_TEXT_SIGNED, "-9223372036854775808", UINT64_C(1) << 63);
    assert_reads(FRAZIL_TEXT_SIGNED, "9223372036854775807", INT64_MAX);
}

TEST("A signed text has one spelling and 64 bits")
{
    assert_refused(FRAZIL_TEXT_SIGNED, "", 0);
    assert_refused(FRAZIL_TEXT_SIGNED, "-", 1);
    assert_refused(FRAZIL_TEXT_SIGNED, "-0", 0);
    assert_refused(FRAZIL_TEXT_SIGNED, "-01", 1);
    assert_refused(FRAZIL_TEXT_SIGNED, "01", 0);
    assert_refused(FRAZIL_TEXT_SIGNED, "+1", 0);
    assert_refused(FRAZIL_TEXT_SIGNED, "--1", 1);
    assert_refused(FRAZIL_TEXT_SIGNED, "-1x", 2);
    assert_refused(FRAZIL_TEXT_SIGNED, "-9223372036854775809", 0);
    assert_refused(FRAZIL_TEXT_SIGNED, "9223372036854775808", 18);
    assert_refused(FRAZIL_TEXT_SIGNED, "-18446744073709551616", 20);
}

TEST("Letters of crockford that look like digits are read as them, U and those of hex are not")
{
    assert_reads(FRAZIL_TEXT_CROCKFORD, "0000000000OoI", 1);
    assert_reads(FRAZIL_TEXT_CROCKFORD, "00000000000iL", 33);
    assert_reads(FRAZIL_TEXT_CROCKFORD, "00000000000l0", 32);
    assert_refused(FRAZIL_TEXT_CROCKFORD, "000000000000U", 12);
    assert_refused(FRAZIL_TEXT_HEX, "000000000000000l", 15);
    assert_refused(FRAZIL_TEXT_HEX_SHORT, "O", 0);
}

/* ---- reading what is nearly right ------------------------------------------------ */

/* One variant: either its canonical spelling is what the id is written as, or it is refused where it differs. */
static void check_variant(void *ctx, const char *variant, size_t len, size_t index)
{
    frazil_text form = *(const frazil_text *)ctx;
    uint64_t id = UNTOUCHED;
    frazil_error err;
    char written[FRAZIL_TEXT_SIZE];
    char expected[FRAZIL_TEXT_SIZE];

    if (form == FRAZIL_TEXT_HEX && index == 1 && variant[1] == 'x')
        return; /* another spelling, which has a test of its own */
    if (frazil_id_parse(form, variant, len, &id, &err) == FRAZIL_OK) {
        for (size_t i = 0; i < len; i++)
            assert_true(may_stand(form, variant[i], i));
        canonical(form, variant, len, expected);
        format(form, id, written);
        assert_string_equal(written, expected);
        return;
    }
    assert_int_equal(err.code, FRAZIL_EPARSE);
    assert_true(id == UNTOUCHED);
    /* A space behind the first byte begins the other spelling, which then misses its spaces elsewhere. */
    bool spaced = form == FRAZIL_TEXT_BYTES && index == 2 && variant[2] == ' ';
    size_t first = prefix_len(form);
    bool leading_zero = forms[form].width == 0 && variant[first] == forms[form].digits[0] && index >= first;
    if (leading_zero)
        assert_error_at(&err, FRAZIL_EPARSE, first);
    else if (!may_stand(form, variant[index], index) && !spaced)
        assert_error_at(&err, FRAZIL_EPARSE, index);
}

TEST("Each byte at each place: accepted exactly or refused at that place")
{
    for (unsigned i = 0; i < SAMPLES * UNSIGNED_FORMS; i++) {
        frazil_text form = (frazil_text)(i % UNSIGNED_FORMS);
        char text[FRAZIL_TEXT_SIZE];
        size_t len = format(form, samples[i / UNSIGNED_FORMS], text);
        near_miss_bytes(text, len, check_variant, &form);
    }
}

/* How many of the characters at each place of a text are accepted. */
struct census {
    frazil_text form;
    unsigned accepted;
};

static void count_variant(void *ctx, const char *variant, size_t len, size_t index)
{
    struct census *census = ctx;
    uint64_t id;

    (void)index;
    census->accepted += frazil_id_parse(census->form, variant, len, &id, NULL) == FRAZIL_OK;
}

TEST("No right character is refused: of the bytes at each place of this id, as many are accepted as the form has")
{
    /* Nearly full width in each form, and far from the maximum in all but the first digit. */
    const uint64_t id = UINT64_C(1) << 58;
    const unsigned expected[FZ_TEXT_COUNT] = {
        [FRAZIL_TEXT_DEC] = 17 * 10 + 9,        /* no leading zero */
        [FRAZIL_TEXT_DEC_PADDED] = 19 * 10 + 2, /* 0 and 1 in front */
        [FRAZIL_TEXT_HEX] = 16 * 22 + 1,        /* either case; and 0x with 14 digits */
        [FRAZIL_TEXT_CROCKFORD] = 12 * 60 + 28, /* either case, IiLlOo; 0 to F in front */
        [FRAZIL_TEXT_BASE36] = 11 * 36 + 35,    /* no leading zero */
        [FRAZIL_TEXT_BASE58] = 9 * 58 + 57,     /* no leading zero */
        [FRAZIL_TEXT_BASE62] = 10 * 62 + 22,    /* 0 to L in front */
        [FRAZIL_TEXT_BASE64URL] = 10 * 64 + 16, /* two bits of zero at the end */
        [FRAZIL_TEXT_BIN] = 64 * 2 + 15,        [FRAZIL_TEXT_BYTES] = 16 * 16,
        [FRAZIL_TEXT_HEX0X] = 2 + 14 * 22 + 21, /* one prefix, no leading zero, either case */
        [FRAZIL_TEXT_HEX_SHORT] = 14 * 22 + 21, /* no leading zero, either case */
    };

    for (unsigned i = 0; i < UNSIGNED_FORMS; i++) {
        struct census census = {(frazil_text)i, 0};
        char text[FRAZIL_TEXT_SIZE];
        near_miss_bytes(text, format((frazil_text)i, id, text), count_variant, &census);
        if (census.accepted != expected[i])
            fail_msg("%s accepts %u variants, not %u", forms[i].name, census.accepted, expected[i]);
    }
}

static void check_prefix(void *ctx, const char *prefix, size_t len, size_t index)
{
    frazil_text form = *(const frazil_text *)ctx;
    uint64_t id = UNTOUCHED;

    if (forms[form].width == 0 && len > prefix_len(form)) {
        assert_int_equal(frazil_id_parse(form, prefix, len, &id, NULL), FRAZIL_OK);
        assert_true(id != UNTOUCHED);
    } else {
        assert_refused_len(form, prefix, len, index);
    }
}

TEST("A form of fixed width refuses what is shorter, one without padding the empty text only; the end is named")
{
    for (unsigned i = 0; i < FZ_TEXT_COUNT; i++) {
        frazil_text form = (frazil_text)i;
        char text[FRAZIL_TEXT_SIZE];
        near_miss_prefixes(text, format(form, UINT64_C(3571918209425408), text), check_prefix, &form);
    }
}

TEST("A form of fixed width refuses what is longer, at the first place that is too many")
{
    for (unsigned i = 0; i < FZ_TEXT_COUNT; i++) {
        frazil_text form = (frazil_text)i;
        char text[2 * FRAZIL_TEXT_SIZE];
        size_t len = format(form, 7, text);
        if (forms[form].width == 0)
            continue;
        text[len] = form == FRAZIL_TEXT_BIN ? ' ' : forms[form].digits[0];
        assert_refused_len(form, text, len + 1, len);
        memset(text + len, forms[form].digits[0], FRAZIL_TEXT_SIZE);
        assert_refused_len(form, text, len + FRAZIL_TEXT_SIZE, len);
    }
}

TEST("Forms without padding have no leading zero; zero itself is one")
{
    assert_reads(FRAZIL_TEXT_DEC, "0", 0);
    assert_refused(FRAZIL_TEXT_DEC, "00", 0);
    assert_refused(FRAZIL_TEXT_DEC, "07", 0);
    assert_refused(FRAZIL_TEXT_DEC, "00000000000000000000000000000007", 0);
    assert_reads(FRAZIL_TEXT_BASE36, "0", 0);
    assert_refused(FRAZIL_TEXT_BASE36, "0z", 0);
    assert_reads(FRAZIL_TEXT_BASE58, "1", 0);
    assert_refused(FRAZIL_TEXT_BASE58, "12", 0);
    assert_reads(FRAZIL_TEXT_HEX0X, "0x0", 0);
    assert_refused(FRAZIL_TEXT_HEX0X, "0x00", 2);
    assert_refused(FRAZIL_TEXT_HEX0X, "0X7", 1);
    assert_refused(FRAZIL_TEXT_HEX0X, "7", 0);
    assert_refused(FRAZIL_TEXT_HEX0X, "0x", 2);
    assert_refused(FRAZIL_TEXT_HEX0X, "", 0);
    assert_reads(FRAZIL_TEXT_HEX_SHORT, "0", 0);
    assert_refused(FRAZIL_TEXT_HEX_SHORT, "0f", 0);
    assert_refused(FRAZIL_TEXT_HEX_SHORT, "0xf", 0);
    assert_refused(FRAZIL_TEXT_DEC, "+7", 0);
    assert_refused(FRAZIL_TEXT_DEC, "-7", 0);
    assert_refused(FRAZIL_TEXT_DEC, " 7", 0);
    assert_refused(FRAZIL_TEXT_DEC, "7 ", 1);
    assert_refused(FRAZIL_TEXT_DEC, "7\n", 1);
}

TEST("2^64 and what follows it is refused in each radix, where the number becomes too large")
{
    static const struct {
        frazil_text form;
        const char *text;
        size_t index;
    } larger[] = {
        {FRAZIL_TEXT_DEC, "18446744073709551616", 19},
        {FRAZIL_TEXT_DEC, "18446744073709551617", 19},
        {FRAZIL_TEXT_DEC, "18446744073709551620", 19},
        {FRAZIL_TEXT_DEC, "18446744073809551615", 19},
        {FRAZIL_TEXT_DEC, "20000000000000000000", 19},
        {FRAZIL_TEXT_DEC, "99999999999999999999", 19},
        {FRAZIL_TEXT_DEC, "100000000000000000000", 20},
        {FRAZIL_TEXT_DEC, "184467440737095516150", 20},
        {FRAZIL_TEXT_DEC_PADDED, "18446744073709551616", 19},
        {FRAZIL_TEXT_DEC_PADDED, "18446744073709551617", 19},
        {FRAZIL_TEXT_DEC_PADDED, "99999999999999999999", 19},
        {FRAZIL_TEXT_HEX, "10000000000000000", 16},
        {FRAZIL_TEXT_HEX0X, "0x10000000000000000", 18},
        {FRAZIL_TEXT_HEX_SHORT, "10000000000000000", 16},
        {FRAZIL_TEXT_HEX, "0x10000000000000000", 18},
        {FRAZIL_TEXT_CROCKFORD, "G000000000000", 12},
        {FRAZIL_TEXT_CROCKFORD, "g000000000001", 12},
        {FRAZIL_TEXT_CROCKFORD, "ZZZZZZZZZZZZZ", 12},
        {FRAZIL_TEXT_BASE36, "3w5e11264sgsg", 12},
        {FRAZIL_TEXT_BASE36, "3w5e11264sgsh", 12},
        {FRAZIL_TEXT_BASE36, "zzzzzzzzzzzzz", 12},
        {FRAZIL_TEXT_BASE36, "10000000000000", 13},
        {FRAZIL_TEXT_BASE58, "JPwcyDCgEuq", 10},
        {FRAZIL_TEXT_BASE58, "JPwcyDCgEur", 10},
        {FRAZIL_TEXT_BASE58, "ZZZZZZZZZZZ", 10},
        {FRAZIL_TEXT_BASE58, "211111111111", 11},
        {FRAZIL_TEXT_BASE62, "LygHa16AHYG", 10},
        {FRAZIL_TEXT_BASE62, "LygHa16AHYH", 10},
        {FRAZIL_TEXT_BASE62, "zzzzzzzzzzz", 10},
        {FRAZIL_TEXT_BASE64URL, "__________9", 10},
        {FRAZIL_TEXT_BASE64URL, "AAAAAAAAAAB", 10},
        {FRAZIL_TEXT_BASE64URL, "AAAAAAAAAAC", 10},
    };

    for (size_t i = 0; i < sizeof larger / sizeof larger[0]; i++)
        assert_refused(larger[i].form, larger[i].text, larger[i].index);
}

/* ---- other spellings ---------------------------------------------------------------- */

TEST("Hex is also read as 0x with 1 to 16 digits, zeros in front or not, in either case")
{
    assert_reads(FRAZIL_TEXT_HEX, "0x0", 0);
    assert_reads(FRAZIL_TEXT_HEX, "0xF", 15);
    assert_reads(FRAZIL_TEXT_HEX, "0x00ff", 255);
    assert_reads(FRAZIL_TEXT_HEX, "0x0123456789ABCDEF", UINT64_C(0x0123456789abcdef));
    assert_reads(FRAZIL_TEXT_HEX, "0xffffffffffffffff", UINT64_MAX);
    assert_reads(FRAZIL_TEXT_HEX, "FEDCBA9876543210", UINT64_C(0xfedcba9876543210));
    assert_refused(FRAZIL_TEXT_HEX, "0x", 2);
    assert_refused(FRAZIL_TEXT_HEX, "0X1", 1);
    assert_refused(FRAZIL_TEXT_HEX, "0x00000000000000000", 18);
    assert_refused(FRAZIL_TEXT_HEX, "0xg", 2);
    assert_refused(FRAZIL_TEXT_HEX, "0x0x1", 3);
    assert_refused(FRAZIL_TEXT_HEX, "00x1", 2);
}

TEST("Bytes are also read with a space between each two of them, and with spaces nowhere else")
{
    assert_reads(FRAZIL_TEXT_BYTES, "01 23 45 67 89 ab cd ef", UINT64_C(0x0123456789abcdef));
    assert_refused(FRAZIL_TEXT_BYTES, "01 23 45 67 89 ab cd e", 22);
    assert_refused(FRAZIL_TEXT_BYTES, "01 23 45 67 89 ab cd ef ", 23);
    assert_refused(FRAZIL_TEXT_BYTES, "01 2345 67 89 ab cd ef", 5);
    assert_refused(FRAZIL_TEXT_BYTES, "01  23 45 67 89 ab cd ef", 3);
    assert_refused(FRAZIL_TEXT_BYTES, "0123 45 67 89 ab cd ef", 4);
    assert_refused(FRAZIL_TEXT_BYTES, "0x23456789abcdef", 1);
    assert_refused(FRAZIL_TEXT_BYTES, "0123456789ABCDEF", 10);
}

TEST("Binary has its spaces, even where the digits between them are zeros")
{
    char text[FRAZIL_TEXT_SIZE];
    size_t len = format(FRAZIL_TEXT_BIN, 0, text);

    assert_reads(FRAZIL_TEXT_BIN, text, 0);
    memset(text, '0', len);
    assert_refused(FRAZIL_TEXT_BIN, text, 4);
}

/* The digits of a value, said once more: the lowest first, and then turned round. */
static void plain_write(const struct form *form, uint64_t id, char *ret)
{
    size_t radix = strlen(form->digits);
    size_t len = 0;

    for (; len < form->width || id > 0 || len == 0; id /= radix)
        ret[len++] = form->digits[id % radix];
    for (size_t i = 0; i < len / 2; i++) {
        char c = ret[i];
        ret[i] = ret[len - 1 - i];
        ret[len - 1 - i] = c;
    }
    ret[len] = '\0';
}

TEST("Numbers of every length are written as a loop over digits writes them")
{
    uint64_t seed = 6;

    for (unsigned i = 0; i < ROUND_TRIPS * UNSIGNED_FORMS; i++) {
        frazil_text form = (frazil_text)(i % UNSIGNED_FORMS);
        uint64_t id = seeded_next(&seed) >> (seeded_next(&seed) & 63);
        char text[FRAZIL_TEXT_SIZE];
        char expected[FRAZIL_TEXT_SIZE];
        if (form == FRAZIL_TEXT_BASE64URL || form == FRAZIL_TEXT_BIN)
            continue; /* not the digits of the number alone */
        format(form, id, text);
        plain_write(&forms[form], id, expected);
        assert_memory_equal(text, forms[form].prefix == NULL ? "" : forms[form].prefix, prefix_len(form));
        assert_string_equal(text + prefix_len(form), expected);
    }
}
