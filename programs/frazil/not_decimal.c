/* SPDX-License-Identifier: MIT */
/* Texts that are nearly the decimal text of an id, or an id of another system: what they are, and what to do. */
#include "ids.h"

#include <frazil.h>

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char byte_order_mark[3] = {'\xef', '\xbb', '\xbf'};

/* How many digits the text begins with. */
static size_t digits_in_front(const char *text, size_t len)
{
    size_t digits = 0;

    while (digits < len && text[digits] >= '0' && text[digits] <= '9')
        digits++;
    return digits;
}

static bool is_digits(const char *text, size_t len)
{
    return len > 0 && digits_in_front(text, len) == len;
}

/* The id that a negative number stands for. */
static bool is_negative(const char *text, size_t len, uint64_t *ret_id)
{
    return len > 1 && text[0] == '-' && frazil_id_parse(FRAZIL_TEXT_SIGNED, text, len, ret_id, NULL) == FRAZIL_OK;
}

/* 119525356527943741n, also of a negative one. */
static bool is_bigint(const char *text, size_t len)
{
    size_t sign = len > 1 && text[0] == '-' ? 1 : 0;

    return len > 1 && text[len - 1] == 'n' && is_digits(text + sign, len - sign - 1);
}

/* 1.19e+17, -1.19E17, 119525356527943741.0: a point, or a sign behind the e.  1e5 may as well be base 36. */
static bool is_rounded(const char *text, size_t len)
{
    size_t sign = len > 1 && text[0] == '-' ? 1 : 0;

    text += sign;
    len -= sign;
    size_t at = digits_in_front(text, len);
    bool has_point = at > 0 && at < len && text[at] == '.';

    if (at == 0)
        return false;
    if (has_point)
        at += 1 + digits_in_front(text + at + 1, len - at - 1);
    if (at == len)
        return has_point;
    if (text[at] != 'e' && text[at] != 'E')
        return false;
    bool has_sign = at + 1 < len && (text[at + 1] == '+' || text[at + 1] == '-');
    at += 1 + has_sign;
    return (has_point || has_sign) && is_digits(text + at, len - at);
}

/* UTF-16, or a line of it: it begins with one of its byte order marks, or half of the bytes of its digits are 0. */
static bool is_utf16(const char *text, size_t len)
{
    return (len >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0)) ||
           memchr(text, '\0', len) != NULL;
}

/* Digits with spaces before or behind them, as in a table. */
static bool is_padded(const char *text, size_t len)
{
    size_t start = 0, end = len;

    while (start < end && text[start] == ' ')
        start++;
    while (end > start && text[end - 1] == ' ')
        end--;
    return end - start < len && is_digits(text + start, end - start);
}

static bool is_quoted_text(const char *text, size_t len)
{
    return len > 2 && (text[0] == '"' || text[0] == '\'') && text[len - 1] == text[0];
}

bool not_decimal_because(const char *text, size_t len, char buf[NOT_DECIMAL_SIZE])
{
    const char *why = NULL;
    uint64_t id = 0;
    frazil_error err;

    if (frazil_id_parse(FRAZIL_TEXT_DEC, text, len, &id, &err) != FRAZIL_OK && err.position == FRAZIL_NO_POSITION)
        why = err.message;
    else if (len >= sizeof byte_order_mark && memcmp(text, byte_order_mark, sizeof byte_order_mark) == 0)
        why = "it begins with a byte order mark: cut that off with tail -c +4, or save the file as UTF-8 without one";
    else if (is_utf16(text, len))
        why = "it is UTF-16, as PowerShell's > writes it: convert it with iconv -f UTF-16 -t UTF-8";
    else if (is_padded(text, len))
        why = "it has spaces around it: remove them, with tr -d ' ' or psql -At";
    else if (is_quoted_text(text, len))
        why = text[0] == '"' ? "it is in quotes: remove them, with tr -d '\"' or jq -r"
                             : "it is in quotes: remove them, with tr -d \"'\"";
    else if (is_bigint(text, len))
        why = "it is a BigInt as JavaScript shows it: leave out the n, as String(id) does";
    else if (is_rounded(text, len))
        why = "it is a double, which has lost the last digits of an id: take the id from where it is still a whole "
              "number or a text; inspect --rounded says which ids a number can have been";
    else if (is_digits(text, len) && frazil_id_parse(FRAZIL_TEXT_DEC_PADDED, text, len, &id, NULL) != FRAZIL_OK &&
             len >= 20)
        why = "it is above 2^64 - 1, the largest id: it may be a UUID, a ULID or a sno as a number, or two ids without "
              "anything between them";
    if (why != NULL)
        (void)snprintf(buf, NOT_DECIMAL_SIZE, "%s", why);
    else if (is_negative(text, len, &id))
        (void)snprintf(
            buf, NOT_DECIMAL_SIZE,
            "it is an id of 64 bits as a signed number, of a BIGINT or a long: add 2^64, which makes %" PRIu64
            ", or use --form signed (convert: --from)",
            id);
    else
        return false;
    return true;
}
