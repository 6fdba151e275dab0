/* SPDX-License-Identifier: MIT */
#include "alphabets.h"
#include "assert.h"
#include "decimal.h"
#include "sentence.h"
#include "text_internal.h"

/* A number in some radix, as text.  Names are parts of it and no pointers, which would need relocations. */
struct numeral {
    const struct fz_alphabet *alphabet;
    size_t len_max; /* characters in all */
    unsigned radix;
    uint8_t len_min; /* as len_max */
    uint8_t prefix;  /* characters before the digits, already checked */
    uint8_t group;   /* digits between two spaces; 0: no spaces */
    bool no_padding; /* a leading zero is one too many */
    char name[18];
    char shown[20]; /* its digits, for sentences: "0-9a-f" */
};

/* The digits. */
#define BASE(n, all, list) .alphabet = &(all), .radix = (n), .shown = (list)
/* Without padding, what is too long is above 2^64 - 1. */
#define UNPADDED .len_min = 1, .len_max = SIZE_MAX, .no_padding = true
/* The lowest number whose sign bit is set. */
#define SIGN_BIT (UINT64_C(1) << 63)
#define FIXED_WIDTH(width) .len_min = (width), .len_max = (width)

/* ---- faults; index counts from 0, sentences count positions from 1 ---- */

static frazil_err fail_digit(const struct numeral *form, const char *text, size_t index, frazil_error *reterr)
{
    return fz_fail_at(reterr, index, FRAZIL_EPARSE, "%s: %Q at position %u is not one of the digits %s", form->name,
                      text + index, (size_t)1, (uint64_t)index + 1, form->shown);
}

static frazil_err fail_length(const struct numeral *form, size_t len, frazil_error *reterr)
{
    return fz_fail_length(reterr, form->name, 0, len, form->len_min, form->len_max);
}

static frazil_err fail_large(const struct numeral *form, size_t index, frazil_error *reterr)
{
    return fz_fail_at(reterr, index, FRAZIL_EPARSE, "%s: with the digit at position %u the number is above 2^64 - 1",
                      form->name, (uint64_t)index + 1);
}

/* ---- numbers in some radix ---- */

/* Takes one more digit into *value. */
static frazil_err read_digit(const struct numeral *form, const char *text, size_t index, uint64_t *value,
                             frazil_error *reterr)
{
    unsigned digit = fz_alphabet_value(form->alphabet, text[index]) - 1;
    uint64_t larger;

    if (digit >= form->radix)
        return fail_digit(form, text, index, reterr);
    if (__builtin_mul_overflow(*value, form->radix, &larger) || __builtin_add_overflow(larger, digit, &larger))
        return fail_large(form, index, reterr);
    *value = larger;
    return FRAZIL_OK;
}

static frazil_err expect_space(const struct numeral *form, const char *text, size_t index, frazil_error *reterr)
{
    if (text[index] == ' ')
        return FRAZIL_OK;
    return fz_fail_at(reterr, index, FRAZIL_EPARSE, "%s: expected a space at position %u, not %Q", form->name,
                      (uint64_t)index + 1, text + index, (size_t)1);
}

/*
 * The number of digits that all are right; false if something is wrong.  Two at
 * a time, of which the second does not wait for the numbers before them.
 */
static bool read_digits(const struct numeral *form, const char *text, size_t len, uint64_t *ret)
{
    unsigned radix = form->radix;
    uint64_t value = 0;
    size_t i = 0;

    if (len % 2 != 0) {
        value = fz_alphabet_value(form->alphabet, text[i++]) - 1;
        if (value >= radix)
            return false;
    }
    for (; i < len; i += 2) {
        unsigned high = fz_alphabet_value(form->alphabet, text[i]) - 1;
        unsigned low = fz_alphabet_value(form->alphabet, text[i + 1]) - 1;
        if (high >= radix || low >= radix || __builtin_mul_overflow(value, radix * radix, &value) ||
            __builtin_add_overflow(value, high * radix + low, &value))
            return false;
    }
    *ret = value;
    return true;
}

/* Reads what is right at once; what is not is looked at one character after the other, to say where. */
static frazil_err read_numeral(const struct numeral *form, const char *text, size_t len, uint64_t *ret_id,
                               frazil_error *reterr)
{
    uint64_t value = 0;
    size_t digits = 0; /* since the last space */

    if (form->group == 0 && len >= form->len_min && len <= form->len_max &&
        (!form->no_padding || text[form->prefix] != form->alphabet->digits[0]) &&
        read_digits(form, text + form->prefix, len - form->prefix, ret_id))
        return FRAZIL_OK;
    if (form->no_padding && len > (size_t)form->prefix + 1 && text[form->prefix] == form->alphabet->digits[0])
        return fz_fail_at(reterr, form->prefix, FRAZIL_EPARSE,
                          "%s: %Q at position %u is a leading zero, which this form does not have", form->name,
                          text + form->prefix, (size_t)1, (uint64_t)form->prefix + 1);
    for (size_t i = form->prefix; i < len; i++) {
        if (i == form->len_max)
            return fail_length(form, len, reterr);
        bool space = digits == form->group && form->group > 0;
        frazil_err err = space ? expect_space(form, text, i, reterr) : read_digit(form, text, i, &value, reterr);
        if (err != FRAZIL_OK)
            return err;
        digits = space ? 0 : digits + 1;
    }
    if (len < form->len_min)
        return fail_length(form, len, reterr);
    *ret_id = value;
    return FRAZIL_OK;
}

/* ---- the forms ---- */

/* Decimal is read the fast way first; the general one knows what is wrong.  Texts of any system come here. */
static frazil_err read_dec(const char *text, size_t len, uint64_t *ret_id, frazil_error *reterr)
{
    static const struct numeral dec = {.name = "dec", BASE(10, fz_base36, "0-9"), UNPADDED};

    if (fz_decimal_parse(text, len, ret_id))
        return FRAZIL_OK;
    if (fz_text_fail_foreign(text, len, reterr))
        return FRAZIL_EPARSE;
    return read_numeral(&dec, text, len, ret_id, reterr);
}

static frazil_err read_dec_padded(const char *text, size_t len, uint64_t *ret_id, frazil_error *reterr)
{
    static const struct numeral dec_padded = {
        .name = "dec20", BASE(10, fz_base36, "0-9"), FIXED_WIDTH(FZ_DECIMAL_MAX_LEN)};

    if (len == FZ_DECIMAL_MAX_LEN && fz_decimal_parse_padded(text, len, ret_id))
        return FRAZIL_OK;
    return read_numeral(&dec_padded, text, len, ret_id, reterr);
}

/* A sign and the digits of a number that is not 0. */
static frazil_err read_negative(const char *text, size_t len, uint64_t *ret_id, frazil_error *reterr)
{
    static const struct numeral negative = {.name = "signed",
                                            BASE(10, fz_base36, "0-9"),
                                            .prefix = 1,
                                            .len_min = 2,
                                            .len_max = SIZE_MAX,
                                            .no_padding = true};
    uint64_t magnitude = 0;
    frazil_err err = read_numeral(&negative, text, len, &magnitude, reterr);

    if (err != FRAZIL_OK)
        return err;
    if (magnitude == 0)
        return fz_fail_at(reterr, 0, FRAZIL_EPARSE, "signed: the sign at position 1 stands before 0, which has none");
    if (magnitude > SIGN_BIT)
        return fz_fail_at(reterr, 0, FRAZIL_EPARSE, "signed: the number at position 1 is below -2^63");
    *ret_id = 0 - magnitude;
    return FRAZIL_OK;
}

static frazil_err read_signed(const char *text, size_t len, uint64_t *ret_id, frazil_error *reterr)
{
    static const struct numeral positive = {.name = "signed", BASE(10, fz_base36, "0-9"), UNPADDED};
    uint64_t id = 0;

    if (len > 0 && text[0] == '-')
        return read_negative(text, len, ret_id, reterr);
    frazil_err err = read_numeral(&positive, text, len, &id, reterr);
    if (err != FRAZIL_OK)
        return err;
    if (id >= SIGN_BIT)
        return fz_fail_at(
            reterr, len - 1, FRAZIL_EPARSE,
            "signed: with the digit at position %u the number is above 2^63 - 1; without a sign it has the form dec",
            (uint64_t)len);
    *ret_id = id;
    return FRAZIL_OK;
}

static frazil_err read_hex(const char *text, size_t len, uint64_t *ret_id, frazil_error *reterr)
{
    static const struct numeral hex = {.name = "hex", BASE(16, fz_hex, "0-9a-fA-F"), FIXED_WIDTH(16)};
    static const struct numeral prefixed_hex = {
        .name = "hex with 0x", BASE(16, fz_hex, "0-9a-fA-F"), .prefix = 2, .len_min = 3, .len_max = 18};
    bool prefixed = len >= 2 && text[0] == '0' && text[1] == 'x';

    return read_numeral(prefixed ? &prefixed_hex : &hex, text, len, ret_id, reterr);
}

/* 0x is not a digit's place: what stands there is told apart from a wrong digit. */
static frazil_err read_hex0x(const char *text, size_t len, uint64_t *ret_id, frazil_error *reterr)
{
    static const char prefix[2] = {'0', 'x'};
    static const struct numeral hex0x = {.name = "hex0x",
                                         BASE(16, fz_hex, "0-9a-fA-F"),
                                         .prefix = sizeof prefix,
                                         .len_min = 3,
                                         .len_max = SIZE_MAX,
                                         .no_padding = true};

    for (size_t i = 0; i < len && i < sizeof prefix; i++) {
        if (text[i] != prefix[i])
            return fz_fail_at(reterr, i, FRAZIL_EPARSE, "hex0x: %Q at position %u; the form begins with 0x", text + i,
                              (size_t)1, (uint64_t)i + 1);
    }
    return len < sizeof prefix ? fail_length(&hex0x, len, reterr) : read_numeral(&hex0x, text, len, ret_id, reterr);
}

/* Eleven digits hold 66 bits: the two that are over come last and must be zero. */
static frazil_err read_base64url(const char *text, size_t len, uint64_t *ret_id, frazil_error *reterr)
{
    static const struct numeral base64url = {
        .name = "base64url", BASE(64, fz_base64url, "A-Za-z0-9-_"), FIXED_WIDTH(11)};
    uint64_t first;
    uint64_t last;

    if (len == 11 && read_digits(&base64url, text, 10, &first) && read_digits(&base64url, text + 10, 1, &last) &&
        last % 4 == 0) {
        *ret_id = first << 4 | last >> 2;
        return FRAZIL_OK;
    }
    for (size_t i = 0; i < len && i < 11; i++) {
        if (fz_alphabet_value(&fz_base64url, text[i]) == 0)
            return fail_digit(&base64url, text, i, reterr);
    }
    if (len != 11)
        return fail_length(&base64url, len, reterr);
    return fz_fail(reterr, FRAZIL_EPARSE,
                   "base64url: %Q at position 11 holds bits beyond the id's 64; it must be one of AEIMQUYcgkosw048",
                   text + 10, (size_t)1);
}

static frazil_err read_bytes(const char *text, size_t len, uint64_t *ret_id, frazil_error *reterr)
{
    static const struct numeral bytes = {.name = "bytes", BASE(16, fz_base36, "0-9a-f"), FIXED_WIDTH(16)};
    static const struct numeral spaced_bytes = {
        .name = "bytes with spaces", BASE(16, fz_base36, "0-9a-f"), FIXED_WIDTH(23), .group = 2};
    bool spaced = len > 2 && text[2] == ' ';

    return read_numeral(spaced ? &spaced_bytes : &bytes, text, len, ret_id, reterr);
}

frazil_err fz_text_read(frazil_text form, const char *text, size_t len, uint64_t *ret_id, frazil_error *reterr)
{
    static const struct numeral crockford = {
        .name = "crockford", BASE(32, fz_crockford, "0-9A-HJKMNP-TV-Z"), FIXED_WIDTH(13)};
    static const struct numeral base36 = {.name = "base36", BASE(36, fz_base36, "0-9a-z"), UNPADDED};
    static const struct numeral base58 = {.name = "base58", BASE(58, fz_base58, "1-9a-km-zA-HJ-NP-Z"), UNPADDED};
    static const struct numeral base62 = {.name = "base62", BASE(62, fz_base62, "0-9A-Za-z"), FIXED_WIDTH(11)};
    static const struct numeral hex_short = {.name = "hexshort", BASE(16, fz_hex, "0-9a-fA-F"), UNPADDED};
    static const struct numeral bin = {.name = "bin", BASE(2, fz_base36, "0 and 1"), FIXED_WIDTH(79), .group = 4};

    switch (form) {
    case FRAZIL_TEXT_DEC:
        return read_dec(text, len, ret_id, reterr);
    case FRAZIL_TEXT_DEC_PADDED:
        return read_dec_padded(text, len, ret_id, reterr);
    case FRAZIL_TEXT_HEX:
        return read_hex(text, len, ret_id, reterr);
    case FRAZIL_TEXT_CROCKFORD:
        return read_numeral(&crockford, text, len, ret_id, reterr);
    case FRAZIL_TEXT_BASE36:
        return read_numeral(&base36, text, len, ret_id, reterr);
    case FRAZIL_TEXT_BASE58:
        return read_numeral(&base58, text, len, ret_id, reterr);
    case FRAZIL_TEXT_BASE62:
        return read_numeral(&base62, text, len, ret_id, reterr);
    case FRAZIL_TEXT_BASE64URL:
        return read_base64url(text, len, ret_id, reterr);
    case FRAZIL_TEXT_BIN:
        return read_numeral(&bin, text, len, ret_id, reterr);
    case FRAZIL_TEXT_BYTES:
        return read_bytes(text, len, ret_id, reterr);
    case FRAZIL_TEXT_HEX0X:
        return read_hex0x(text, len, ret_id, reterr);
    case FRAZIL_TEXT_HEX_SHORT:
        return read_numeral(&hex_short, text, len, ret_id, reterr);
    case FRAZIL_TEXT_SIGNED:
        return read_signed(text, len, ret_id, reterr);
    case FRAZIL_TEXT_FORCE_INT: /* not reached */
        break;                  /* not reached */
    }
    FZ_ASSERT(false);
    return FRAZIL_EINVAL; /* not reached */
}
