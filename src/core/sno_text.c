/* SPDX-License-Identifier: MIT */
#include "frazil/sno.h"
#include "sentence.h"
#include "sno_internal.h"
#include "word.h"

/*
 * Five bytes are 40 bits and eight characters: each half of a sno is 40 bits in
 * one lane and eight characters in another, and both halves are made at once,
 * without a branch or a table.  Compilers make vector instructions of it where
 * the processor has them, and ordinary ones where not.
 */
#define HALF_LEN 8

typedef uint64_t halves __attribute__((vector_size(16)));
typedef uint8_t characters __attribute__((vector_size(16)));
typedef int8_t compared __attribute__((vector_size(16))); /* processors compare signed bytes */

/* The characters between '9' and 'a'. */
static const uint8_t gap = 'a' - '9' - 1;

/* ---- eight characters in each lane, the first in the lowest byte ---- */

/* Spreads 40 bits to eight bytes of five, the highest to the first. */
static halves spread(halves bits)
{
    bits = bits >> 20 | (bits & UINT64_C(0xfffff)) << 32;
    bits = (bits >> 10 & UINT64_C(0x000003ff000003ff)) | (bits & UINT64_C(0x000003ff000003ff)) << 16;
    return (bits >> 5 & UINT64_C(0x001f001f001f001f)) | (bits & UINT64_C(0x001f001f001f001f)) << 8;
}

/* The opposite of spread. */
static halves gather(halves fives)
{
    fives = (fives & UINT64_C(0x001f001f001f001f)) << 5 | (fives >> 8 & UINT64_C(0x001f001f001f001f));
    fives = (fives & UINT64_C(0x000003ff000003ff)) << 10 | (fives >> 16 & UINT64_C(0x000003ff000003ff));
    return (fives & UINT64_C(0xfffff)) << 20 | fives >> 32;
}

/* 0 to 7 become '2' to '9', 8 to 31 'a' to 'x'. */
static halves characters_of(halves fives)
{
    characters values = (characters)fives;

    return (halves)(values + '2' + ((characters)((compared)values > 7) & gap));
}

/* The opposite; false if there is another character among them. */
static bool fives_of(halves text, halves *ret)
{
    characters all = (characters)text;
    characters letters = (characters)((compared)all > '9');
    characters values = all - '2' - (letters & gap);
    /* Neither above 31 or below 0, nor a letter with the value of a digit. */
    halves wrong = (halves)((values & 0xe0) | (letters & (characters)((compared)values < 8)));

    *ret = (halves)values;
    return (wrong[0] | wrong[1]) == 0;
}

/* ---- text ---- */

void frazil_sno_encode(const frazil_sno *id, char text[FRAZIL_SNO_LEN])
{
    /* 8 and 2 bytes, as they are written when a sno is made: a read across both would wait for them. */
    uint64_t word = fz_load_be64(id->bytes);
    uint64_t tail = fz_load_be16(id->bytes + 8);
    halves all = characters_of(spread((halves){word >> 24, (word & 0xffffff) << 16 | tail}));

    fz_store_le64(text, all[0]);
    fz_store_le64(text + HALF_LEN, all[1]);
}

/* The sno of 16 characters; false if one of them is none, and then *ret is untouched. */
static bool decode_all(const char text[FRAZIL_SNO_LEN], frazil_sno *ret)
{
    halves fives;

    if (!fives_of((halves){fz_load_le64(text), fz_load_le64(text + HALF_LEN)}, &fives))
        return false;
    halves bits = gather(fives);
    fz_store_be64(ret->bytes, bits[0] << 24 | bits[1] >> 16);
    fz_store_be16(ret->bytes + 8, (uint16_t)(bits[1] & 0xffff));
    return true;
}

/* Whether c is one of the 32 characters. */
static bool is_character(char c)
{
    return (c >= '2' && c <= '9') || (c >= 'a' && c <= 'x');
}

frazil_err fz_sno_decode_at(const char *text, size_t len, size_t offset, frazil_sno *ret, frazil_error *reterr)
{
    if (len == FRAZIL_SNO_LEN && decode_all(text, ret))
        return FRAZIL_OK;
    for (size_t i = 0; i < len && i < FRAZIL_SNO_LEN; i++) {
        if (!is_character(text[i]))
            return fz_fail_at(reterr, offset + i, FRAZIL_EPARSE,
                              "sno: %Q at position %u is not one of the characters 2-9a-x", text + i, (size_t)1,
                              (uint64_t)(offset + i) + 1);
    }
    return fz_fail_length(reterr, "sno", offset, len, FRAZIL_SNO_LEN, FRAZIL_SNO_LEN);
}

frazil_err frazil_sno_decode(const char *text, size_t len, frazil_sno *ret, frazil_error *reterr)
{
    return fz_sno_decode_at(text, len, 0, ret, reterr);
}
