/* SPDX-License-Identifier: MIT */
#include "visible.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static const char digits[] = "0123456789abcdef";

/* One character of UTF-8, or one byte that is none. */
struct character {
    uint32_t code;
    unsigned bytes;
    bool is_valid;
};

/* The length that a first byte announces; 0: it begins no character. */
static unsigned length_of(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first < 0xe0)
        return 2;
    if (first >= 0xe0 && first < 0xf0)
        return 3;
    return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

static struct character read_character(const char *text, size_t len)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    static const struct character broken = {.code = 0xfffd, .bytes = 1, .is_valid = false};
    unsigned bytes = length_of((unsigned char)text[0]);

    if (bytes == 0 || bytes > len)
        return broken;
    uint32_t code = bytes == 1 ? (unsigned char)text[0] : (unsigned char)text[0] & (0x7fU >> bytes);
    for (unsigned i = 1; i < bytes; i++) {
        unsigned char next = (unsigned char)text[i];
        if ((next & 0xc0) != 0x80)
            return broken;
        code = code << 6 | (next & 0x3f);
    }
    /* Overlong forms, surrogates and what is beyond Unicode are no characters. */
    if (code < smallest[bytes] || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff)
        return broken;
    return (struct character){.code = code, .bytes = bytes, .is_valid = true};
}

/* Characters that a terminal obeys, that cannot be seen, or that turn the direction of the text around them. */
static bool is_hidden(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        {0x00, 0x1f},       {0x7f, 0x9f},     /* C0, DEL, C1 */
        {0xad, 0xad},       {0x61c, 0x61c},   /* soft hyphen; Arabic letter mark */
        {0x180e, 0x180e},   {0x200b, 0x200f}, /* zero width, left-to-right and right-to-left marks */
        {0x2028, 0x202e},                     /* line and paragraph separators, embeddings and overrides */
        {0x2060, 0x206f},                     /* word joiner, isolates */
        {0xfeff, 0xfeff},   {0xfff9, 0xfffb}, /* byte order mark, annotations */
        {0xe0000, 0xe007f},                   /* tags */
    };

    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    }
    return false;
}

static bool stays(enum visible_style style, const struct character *c)
{
    if (style == VISIBLE_JSON && (c->code == '"' || c->code == '\\'))
        return false;
    return c->is_valid && !is_hidden(c->code);
}

/* ASCII that can be seen and, in JSON, needs no backslash: nearly all there is. */
static bool is_plain(enum visible_style style, unsigned char byte)
{
    return byte >= 0x20 && byte < 0x7f && (style == VISIBLE_TEXT || (byte != '"' && byte != '\\'));
}

/* The same for eight bytes at once: a byte is below n, or zero, where a subtraction borrows from its top bit. */
static bool are_plain(enum visible_style style, const char *text)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = UINT64_C(0x8080808080808080);
    uint64_t x, special;

    memcpy(&x, text, sizeof x);
    special = x | (x - ones * 0x20) | ((x ^ ones * 0x7f) - ones);
    if (style == VISIBLE_JSON)
        special |= ((x ^ ones * '"') - ones) | ((x ^ ones * '\\') - ones);
    return (special & tops) == 0;
}

size_t visible_plain(enum visible_style style, const char *text, size_t len)
{
    size_t at = 0;

    while (at < len) {
        if (len - at >= 8 && are_plain(style, text + at)) {
            at += 8;
        } else if (at >= 8 && len - at < 8 && are_plain(style, text + len - 8)) {
            at = len; /* the last bytes, together with some that were looked at */
        } else if (is_plain(style, (unsigned char)text[at])) {
            at++;
        } else {
            struct character c = read_character(text + at, len - at);
            if (!stays(style, &c))
                break;
            at += c.bytes;
        }
    }
    return at;
}

static size_t write_unit(char *out, uint32_t unit)
{
    out[0] = '\\';
    out[1] = 'u';
    for (int i = 0; i < 4; i++)
        out[2 + i] = digits[unit >> (12 - 4 * i) & 15];
    return 6;
}

static size_t write_json(char *out, uint32_t code)
{
    if (code == '"' || code == '\\') {
        out[0] = '\\';
        out[1] = (char)code;
        return 2;
    }
    if (code < 0x10000)
        return write_unit(out, code);
    size_t high = write_unit(out, 0xd800 + ((code - 0x10000) >> 10));
    return high + write_unit(out + high, 0xdc00 + ((code - 0x10000) & 0x3ff));
}

static size_t write_bytes(char *out, const char *text, unsigned bytes)
{
    size_t written = 0;

    for (unsigned i = 0; i < bytes; i++) {
        out[written++] = '\\';
        out[written++] = 'x';
        out[written++] = digits[(unsigned char)text[i] >> 4];
        out[written++] = digits[(unsigned char)text[i] & 15];
    }
    return written;
}

size_t visible_escape(enum visible_style style, const char *text, size_t len, char out[VISIBLE_MAX],
                      size_t *ret_written)
{
    assert(len > 0);
    struct character c = read_character(text, len);

    *ret_written = style == VISIBLE_JSON ? write_json(out, c.code) : write_bytes(out, text, c.bytes);
    return c.bytes;
}

size_t visible_cut(const char *text, size_t len, size_t max)
{
    size_t at = 0;

    if (len <= max)
        return len;
    for (;;) {
        size_t next = at + read_character(text + at, len - at).bytes;
        if (next > max)
            return at;
        at = next;
    }
}
