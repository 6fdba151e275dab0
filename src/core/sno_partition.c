/* SPDX-License-Identifier: MIT */
/* The partition of a sno as text: its two bytes as the Go library writes them, or one number. */
#include <string.h>

#include "decimal.h"
#include "frazil/sno.h"
#include "sentence.h"

enum { BYTE_MAX = 255 };

#define FORMS "a number from 0 to 65535, or two bytes such as A,10 or {'A', 10}"

static bool is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* ---- writing -------------------------------------------------------------- */

/* A letter as it is, anything else as a number. */
static void put_byte(struct fz_sentence *sentence, unsigned byte)
{
    if (is_letter((char)byte))
        fz_sentence_char(sentence, (char)byte);
    else
        fz_sentence_u64(sentence, byte);
}

frazil_err frazil_sno_partition_format(uint16_t partition, char *buf, size_t size, size_t *ret_len)
{
    char text[FRAZIL_SNO_PARTITION_SIZE];
    struct fz_sentence sentence = fz_sentence_in(text, sizeof text);

    put_byte(&sentence, partition >> 8);
    fz_sentence_char(&sentence, ',');
    put_byte(&sentence, partition & BYTE_MAX);
    return fz_sentence_give(&sentence, buf, size, ret_len);
}

/* ---- reading -------------------------------------------------------------- */

/* The rest of a text. */
struct rest {
    const char *at;
    size_t len;
};

static bool take_if(struct rest *rest, char c)
{
    if (rest->len == 0 || rest->at[0] != c)
        return false;
    rest->at++;
    rest->len--;
    return true;
}

/* 'A', A or 65. */
static bool take_byte(struct rest *rest, unsigned *ret)
{
    uint64_t number = 0;
    size_t digits = 0;

    if (rest->len >= 3 && rest->at[0] == '\'' && rest->at[2] == '\'' && rest->at[1] >= ' ' && rest->at[1] <= '~' &&
        rest->at[1] != '\'' && rest->at[1] != '\\') {
        *ret = (unsigned char)rest->at[1];
        rest->at += 3;
        rest->len -= 3;
        return true;
    }
    if (rest->len > 0 && is_letter(rest->at[0])) {
        *ret = (unsigned char)rest->at[0];
        return take_if(rest, rest->at[0]);
    }
    while (digits < rest->len && rest->at[digits] >= '0' && rest->at[digits] <= '9')
        digits++;
    if (!fz_decimal_parse(rest->at, digits, &number) || number > BYTE_MAX)
        return false;
    *ret = (unsigned)number;
    rest->at += digits;
    rest->len -= digits;
    return true;
}

static bool take_pair(const char *text, size_t len, uint16_t *ret)
{
    struct rest rest = {.at = text, .len = len};
    unsigned high = 0;
    unsigned low = 0;

    bool braces = take_if(&rest, '{');
    if (!take_byte(&rest, &high) || !take_if(&rest, ','))
        return false;
    (void)take_if(&rest, ' ');
    if (!take_byte(&rest, &low) || (braces && !take_if(&rest, '}')) || rest.len > 0)
        return false;
    *ret = (uint16_t)(high << 8 | low);
    return true;
}

frazil_err frazil_sno_partition_parse(const char *text, size_t len, uint16_t *ret_partition, frazil_error *reterr)
{
    uint64_t number;

    if (fz_decimal_parse(text, len, &number)) {
        if (number > UINT16_MAX)
            return fz_fail(reterr, FRAZIL_ERANGE, "the partition %u is above 65535", number);
        *ret_partition = (uint16_t)number;
        return FRAZIL_OK;
    }
    if (take_pair(text, len, ret_partition))
        return FRAZIL_OK;
    return fz_fail(reterr, FRAZIL_EPARSE, "%Q is not a partition: write " FORMS, text, len);
}
