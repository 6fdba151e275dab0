/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "frazil/sno.h"
#include "sentence.h"
#include "word.h"

/*
 * Five bytes are 40 bits and eight characters: each half of a sno is one word of
 * 40 bits on one side and one word of eight characters on the other, and all
 * eight are made at once, without a branch or a table.
 */
#define HALF_LEN 8

/* ---- eight characters in one word, the first in the highest byte ---- */

/* Spreads 40 bits to eight bytes of five. */
static uint64_t spread(uint64_t bits)
{
    bits = (bits & UINT64_C(0xfffff00000)) << 12 | (bits & UINT64_C(0xfffff));
    bits = (bits & UINT64_C(0x000ffc00000ffc00)) << 6 | (bits & UINT64_C(0x000003ff000003ff));
    return (bits & UINT64_C(0x03e003e003e003e0)) << 3 | (bits & UINT64_C(0x001f001f001f001f));
}

/* The opposite of spread. */
static uint64_t gather(uint64_t fives)
{
    fives = (fives >> 3 & UINT64_C(0x03e003e003e003e0)) | (fives & UINT64_C(0x001f001f001f001f));
    fives = (fives >> 6 & UINT64_C(0x000ffc00000ffc00)) | (fives & UINT64_C(0x000003ff000003ff));
    return (fives >> 12 & UINT64_C(0xfffff00000)) | (fives & UINT64_C(0xfffff));
}

/* What lies between '9' and 'a', in each byte that is at least `least`; for bytes below 0x80, of which none carries. */
static uint64_t gap_from(uint64_t bytes, uint64_t least)
{
    uint64_t high = (bytes + FZ_EVERY_BYTE(0x80 - least)) & FZ_EVERY_BYTE(0x80);

    /* 0x80 becomes 0x7f, which keeps all bits of the gap. */
    return (high - (high >> 7)) & FZ_EVERY_BYTE((uint64_t)('a' - '9' - 1));
}

/* 0 to 7 become '2' to '9', 8 to 31 'a' to 'x'. */
static uint64_t characters_of(uint64_t fives)
{
    return fives + FZ_EVERY_BYTE((uint64_t)'2') + gap_from(fives, 8);
}

/* The opposite; what is made of other characters is not written as them. */
static uint64_t fives_of(uint64_t characters)
{
    return characters - FZ_EVERY_BYTE((uint64_t)'2') - gap_from(characters, (uint64_t)'a');
}

/* Whether these are eight values, and written as these characters: then the characters are of the alphabet. */
static bool are_written_as(uint64_t fives, uint64_t characters)
{
    return (fives & FZ_EVERY_BYTE(0xe0)) == 0 && characters_of(fives) == characters;
}

/* ---- text ---- */

void frazil_sno_encode(const frazil_sno *id, char text[FRAZIL_SNO_LEN])
{
    /* 8 and 2 bytes, as they are written when a sno is made: a read across both would wait for them. */
    uint64_t word = fz_load_be64(id->bytes);
    uint64_t tail = fz_load_be16(id->bytes + 8);

    fz_store_be64(text, characters_of(spread(word >> 24)));
    fz_store_be64(text + HALF_LEN, characters_of(spread((word & 0xffffff) << 16 | tail)));
}

frazil_err frazil_sno_decode(const char text[FRAZIL_SNO_LEN], frazil_sno *id)
{
    uint64_t first = fz_load_be64(text);
    uint64_t second = fz_load_be64(text + HALF_LEN);
    uint64_t first_fives = fives_of(first);
    uint64_t second_fives = fives_of(second);

    if (!are_written_as(first_fives, first) || !are_written_as(second_fives, second))
        return FRAZIL_EPARSE;
    uint64_t upper = gather(first_fives);
    uint64_t lower = gather(second_fives);
    fz_store_be64(id->bytes, upper << 24 | lower >> 16);
    fz_store_be16(id->bytes + 8, (uint16_t)(lower & 0xffff));
    return FRAZIL_OK;
}

/* Whether c is one of the 32 characters. */
static bool is_character(char c)
{
    return (c >= '2' && c <= '9') || (c >= 'a' && c <= 'x');
}

/* Reads the sno of text, which stands `offset` characters into what the user gave. */
static frazil_err decode_at(const char *text, size_t len, size_t offset, frazil_sno *ret, frazil_error *reterr)
{
    for (size_t i = 0; i < len && i < FRAZIL_SNO_LEN; i++) {
        if (!is_character(text[i]))
            return fz_fail(reterr, FRAZIL_EPARSE, "sno: %Q at position %u is not one of the characters 2-9a-x",
                           text + i, (size_t)1, (uint64_t)(offset + i) + 1);
    }
    if (len < FRAZIL_SNO_LEN)
        return fz_fail(reterr, FRAZIL_EPARSE, "sno: nothing at position %u; it has %u characters",
                       (uint64_t)(offset + len) + 1, (uint64_t)FRAZIL_SNO_LEN);
    if (len > FRAZIL_SNO_LEN)
        return fz_fail(reterr, FRAZIL_EPARSE, "sno: the text goes on at position %u; it has %u characters",
                       (uint64_t)(offset + FRAZIL_SNO_LEN) + 1, (uint64_t)FRAZIL_SNO_LEN);
    return frazil_sno_decode(text, ret);
}

frazil_err frazil_sno_decode_explain(const char *text, size_t len, frazil_sno *ret, frazil_error *reterr)
{
    return decode_at(text, len, 0, ret, reterr);
}

/* ---- JSON and database columns ---- */

static const char json_null[] = "null";
#define NULL_LEN (sizeof json_null - 1)

frazil_err frazil_sno_to_json(const frazil_sno *id, char *buf, size_t size)
{
    if (frazil_sno_is_zero(id)) {
        if (size < sizeof json_null)
            return FRAZIL_EBUFFER;
        memcpy(buf, json_null, sizeof json_null);
        return FRAZIL_OK;
    }
    if (size < FRAZIL_SNO_JSON_SIZE)
        return FRAZIL_EBUFFER;
    buf[0] = '"';
    frazil_sno_encode(id, buf + 1);
    buf[1 + FRAZIL_SNO_LEN] = '"';
    buf[2 + FRAZIL_SNO_LEN] = '\0';
    return FRAZIL_OK;
}

frazil_err frazil_sno_from_json(const char *text, size_t len, frazil_sno *ret, frazil_error *reterr)
{
    if (len > 0 && text[0] == '"') {
        if (len == 1 || text[len - 1] != '"')
            return fz_fail(reterr, FRAZIL_EPARSE, "sno: the string that begins at position 1 has no end");
        return decode_at(text + 1, len - 2, 1, ret, reterr);
    }
    for (size_t i = 0; i < NULL_LEN; i++) {
        if (i == len || text[i] != json_null[i])
            return fz_fail(reterr, FRAZIL_EPARSE,
                           "sno: position %u is neither that of a string of %u characters nor that of null",
                           (uint64_t)i + 1, (uint64_t)FRAZIL_SNO_LEN);
    }
    if (len > NULL_LEN)
        return fz_fail(reterr, FRAZIL_EPARSE, "sno: the text goes on at position %u, after null",
                       (uint64_t)NULL_LEN + 1);
    *ret = (frazil_sno){{0}};
    return FRAZIL_OK;
}

frazil_err frazil_sno_from_column(const void *data, size_t len, frazil_sno *ret, frazil_error *reterr)
{
    switch (len) {
    case 0:
        *ret = (frazil_sno){{0}};
        return FRAZIL_OK;
    case FRAZIL_SNO_SIZE:
        memcpy(ret->bytes, data, FRAZIL_SNO_SIZE);
        return FRAZIL_OK;
    case FRAZIL_SNO_LEN:
        return decode_at(data, len, 0, ret, reterr);
    default:
        return fz_fail(reterr, FRAZIL_EPARSE,
                       "sno: the column holds %u bytes, which is neither %u bytes, nor %u characters, nor empty",
                       (uint64_t)len, (uint64_t)FRAZIL_SNO_SIZE, (uint64_t)FRAZIL_SNO_LEN);
    }
}
