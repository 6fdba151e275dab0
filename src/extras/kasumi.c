/* SPDX-License-Identifier: MIT */
#include "core/alphabets.h"
#include "core/sentence.h"
#include "frazil/extras.h"

#define HALF_LEN 7
#define CHECK_LEN 5
#define CHECK_MODULUS 60466176 /* 36^5 */

/* Where the digits of the id and the check digits stand in a text, without and with check digits. */
static const size_t plain_at[FRAZIL_KASUMI_LEN] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
static const size_t checked_at[FRAZIL_KASUMI_LEN] = {2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 16, 17, 18};
static const size_t check_at[CHECK_LEN] = {0, 1, 4, 8, 12};

/* ---- the scrambler ---- */

static uint32_t reverse_bits(uint32_t x)
{
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(x);
}

/* The inverse of an odd number modulo 2^32: Newton's step doubles the low bits that are right, from 3 to 48. */
static uint32_t inverse(uint32_t odd)
{
    uint32_t x = odd;

    for (int step = 0; step < 4; step++)
        x *= 2 - odd * x;
    return x;
}

static uint64_t scrambled(uint32_t salt, uint64_t id)
{
    uint32_t inv = inverse(salt);
    uint64_t upper = inv * reverse_bits(salt * (uint32_t)(id >> 32));

    return upper << 32 | inv * reverse_bits(salt * (uint32_t)id);
}

frazil_err frazil_kasumi(uint64_t salt, uint64_t id, uint64_t *ret)
{
    if (salt % 2 == 0)
        return FRAZIL_EINVAL;
    *ret = scrambled((uint32_t)salt, id);
    return FRAZIL_OK;
}

/* ---- text ---- */

/* Whether flags has a bit that has no name. */
static bool has_unknown(uint32_t flags)
{
    return (flags & ~FRAZIL_KASUMI_CHECKED) != 0;
}

/* The check digits of the 14 digits of an id. */
static void compute_check(const char digits[FRAZIL_KASUMI_LEN], char ret[CHECK_LEN])
{
    uint64_t hash = 0;

    for (size_t i = 0; i < FRAZIL_KASUMI_LEN; i++)
        hash = (hash * 37 + (unsigned char)digits[i]) % CHECK_MODULUS;
    fz_digits_put(ret, CHECK_LEN, hash, &fz_base36, 36);
}

frazil_err frazil_scramble(uint64_t salt, uint32_t flags, uint64_t id, char *buf, size_t size, size_t *ret_len)
{
    bool checked = (flags & FRAZIL_KASUMI_CHECKED) != 0;
    const size_t *at = checked ? checked_at : plain_at;
    size_t len = checked ? FRAZIL_KASUMI_CHECKED_LEN : FRAZIL_KASUMI_LEN;
    char digits[FRAZIL_KASUMI_LEN];
    char check[CHECK_LEN];

    if (salt % 2 == 0 || has_unknown(flags))
        return FRAZIL_EINVAL;
    if (size <= len)
        return FRAZIL_EBUFFER;
    uint64_t value = scrambled((uint32_t)salt, id);
    fz_digits_put(digits, HALF_LEN, value >> 32, &fz_base36, 36);
    fz_digits_put(digits + HALF_LEN, HALF_LEN, value & UINT32_MAX, &fz_base36, 36);
    for (size_t i = 0; i < FRAZIL_KASUMI_LEN; i++)
        buf[at[i]] = digits[i];
    if (checked) {
        compute_check(digits, check);
        for (size_t i = 0; i < CHECK_LEN; i++)
            buf[check_at[i]] = check[i];
    }
    buf[len] = '\0';
    if (ret_len != NULL)
        *ret_len = len;
    return FRAZIL_OK;
}

/* Whether the text has the right length and only base-36 digits. */
static frazil_err check_characters(const char *text, size_t len, size_t len_right, frazil_error *reterr)
{
    for (size_t i = 0; i < len && i < len_right; i++) {
        if (fz_alphabet_value(&fz_base36, text[i]) == 0)
            return fz_fail_at(reterr, i, FRAZIL_EPARSE,
                              "scrambled id: %Q at position %u is not one of the digits 0-9a-z", text + i, (size_t)1,
                              (uint64_t)i + 1);
    }
    if (len != len_right)
        return fz_fail_length(reterr, "scrambled id", 0, len, len_right, len_right);
    return FRAZIL_OK;
}

/* The half of which the digits stand at the given places of the text. */
static frazil_err read_half(const char *text, const size_t at[HALF_LEN], uint64_t *ret, frazil_error *reterr)
{
    uint64_t half = 0;

    for (size_t i = 0; i < HALF_LEN; i++)
        half = half * 36 + fz_alphabet_value(&fz_base36, text[at[i]]) - 1;
    if (half > UINT32_MAX)
        return fz_fail_at(reterr, at[0], FRAZIL_EPARSE,
                          "scrambled id: the half from position %u to %u is above 2^32 - 1", (uint64_t)at[0] + 1,
                          (uint64_t)at[HALF_LEN - 1] + 1);
    *ret = half;
    return FRAZIL_OK;
}

/* Whether the check digits of a checked text are those of its other digits. */
static frazil_err verify_check(const char *text, frazil_error *reterr)
{
    char digits[FRAZIL_KASUMI_LEN];
    char check[CHECK_LEN];

    for (size_t i = 0; i < FRAZIL_KASUMI_LEN; i++)
        digits[i] = text[checked_at[i]];
    compute_check(digits, check);
    for (size_t i = 0; i < CHECK_LEN; i++) {
        if (text[check_at[i]] != check[i])
            return fz_fail_at(reterr, check_at[i], FRAZIL_ECHECKSUM,
                              "scrambled id: the check digit at position %u is %Q, but the other digits make it %Q",
                              (uint64_t)check_at[i] + 1, text + check_at[i], (size_t)1, check + i, (size_t)1);
    }
    return FRAZIL_OK;
}

frazil_err frazil_unscramble(uint64_t salt, uint32_t flags, const char *text, size_t len, uint64_t *ret_id,
                             frazil_error *reterr)
{
    bool checked = (flags & FRAZIL_KASUMI_CHECKED) != 0;
    const size_t *at = checked ? checked_at : plain_at;
    uint64_t upper = 0;
    uint64_t lower = 0;

    if (salt % 2 == 0)
        return fz_fail(reterr, FRAZIL_EINVAL, "the salt %u is even; only an odd one can be undone", salt);
    if (has_unknown(flags))
        return fz_fail(reterr, FRAZIL_EINVAL, "flags %u: must be 0 or FRAZIL_KASUMI_CHECKED (%u)", (uint64_t)flags,
                       (uint64_t)FRAZIL_KASUMI_CHECKED);
    frazil_err err = check_characters(text, len, checked ? FRAZIL_KASUMI_CHECKED_LEN : FRAZIL_KASUMI_LEN, reterr);
    if (err == FRAZIL_OK && checked)
        err = verify_check(text, reterr);
    if (err == FRAZIL_OK)
        err = read_half(text, at, &upper, reterr);
    if (err == FRAZIL_OK)
        err = read_half(text, at + HALF_LEN, &lower, reterr);
    if (err == FRAZIL_OK)
        *ret_id = scrambled((uint32_t)salt, upper << 32 | lower);
    return err;
}
