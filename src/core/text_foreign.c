/* SPDX-License-Identifier: MIT */
/* Ids of more than 64 bits that other systems make. */
#include <string.h>

#include "alphabets.h"
#include "sentence.h"
#include "text_internal.h"

enum { UUID_TEXT_LEN = 36, UUID_DIGITS = 32, ULID_LEN = 26, KSUID_LEN = 27, OBJECT_ID_LEN = 24 };

#define KSUID_EPOCH_S INT64_C(1400000000)
/* Of UUIDs with a time in ticks of 100 ns. */
#define GREGORIAN_EPOCH_MS (-INT64_C(12219292800000))

/* A number of 160 bits: the highest 32 come first. */
enum { WIDE_PARTS = 5 };
struct wide {
    uint32_t parts[WIDE_PARTS];
};

/* False: there is another character, or the number has more bits. */
static bool read_wide(const struct fz_alphabet *alphabet, unsigned radix, const char *text, size_t len,
                      struct wide *ret)
{
    *ret = (struct wide){{0}};
    for (size_t i = 0; i < len; i++) {
        unsigned digit = fz_alphabet_value(alphabet, text[i]) - 1;
        uint64_t carry = digit;
        if (digit >= radix)
            return false;
        for (size_t j = WIDE_PARTS; j-- > 0; carry >>= 32) {
            carry += (uint64_t)ret->parts[j] * radix;
            ret->parts[j] = (uint32_t)carry;
        }
        if (carry != 0)
            return false;
    }
    return true;
}

static bool fail_as(const char *what, int64_t unix_ms, frazil_error *reterr)
{
    (void)fz_fail(reterr, FRAZIL_EPARSE, "it is %s, made at %t, not a 64-bit id", what, unix_ms);
    return true;
}

/* The digits without the dashes; false: it is no UUID. */
static bool read_uuid_digits(const char *text, size_t len, char digits[UUID_DIGITS])
{
    size_t count = 0;

    for (size_t i = 0; i < len; i++) {
        bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (is_dash != (text[i] == '-') || count == UUID_DIGITS)
            return false;
        if (!is_dash)
            digits[count++] = text[i];
    }
    return len == UUID_TEXT_LEN;
}

static bool fail_uuid(const char *text, size_t len, frazil_error *reterr)
{
    char digits[UUID_DIGITS], what[] = "a UUID of version N";
    struct wide id;

    if (!read_uuid_digits(text, len, digits) || !read_wide(&fz_hex, 16, digits, UUID_DIGITS, &id))
        return false;
    uint64_t first = id.parts[1], second = id.parts[2] >> 16, third = id.parts[2] & 0xfff;
    what[sizeof what - 2] = digits[12];
    if (digits[12] == '7')
        return fail_as(what, (int64_t)(first << 16 | second), reterr);
    if (digits[12] == '1')
        return fail_as(what, (int64_t)((third << 48 | second << 32 | first) / 10000) + GREGORIAN_EPOCH_MS, reterr);
    if (digits[12] == '6')
        return fail_as(what, (int64_t)((first << 28 | second << 12 | third) / 10000) + GREGORIAN_EPOCH_MS, reterr);
    (void)fz_fail(reterr, FRAZIL_EPARSE, "it is %s, which has no time, not a 64-bit id", what);
    return true;
}

static bool has_letter(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] > '9')
            return true;
    }
    return false;
}

bool fz_text_fail_foreign(const char *text, size_t len, frazil_error *reterr)
{
    struct wide id;

    if (fail_uuid(text, len, reterr))
        return true;
    /* A decimal number that was mistyped is likelier than a foreign id without a letter. */
    if (!has_letter(text, len))
        return false;
    if (len == ULID_LEN && read_wide(&fz_crockford, 32, text, len, &id) && id.parts[0] == 0)
        return fail_as("a ULID", (int64_t)id.parts[1] << 16 | id.parts[2] >> 16, reterr);
    if (len == KSUID_LEN && read_wide(&fz_base62, 62, text, len, &id))
        return fail_as("a KSUID", (KSUID_EPOCH_S + id.parts[0]) * 1000, reterr);
    if (len == OBJECT_ID_LEN && read_wide(&fz_hex, 16, text, len, &id))
        return fail_as("an ObjectId of MongoDB", (int64_t)id.parts[2] * 1000, reterr);
    return false;
}
