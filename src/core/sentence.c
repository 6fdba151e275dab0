/* SPDX-License-Identifier: MIT */
#include "sentence.h"

#include <string.h>

#include "decimal.h"
#include "secret.h"

size_t fz_text_len(const char *text)
{
    size_t len = 0;

    while (text[len] != '\0')
        len++;
    return len;
}

struct fz_sentence fz_sentence_in(char *buf, size_t size)
{
    buf[0] = '\0';
    return (struct fz_sentence){.text = buf, .size = size, .len = 0};
}

void fz_sentence_char(struct fz_sentence *s, char c)
{
    if (s->len + 1 >= s->size)
        return;
    s->text[s->len++] = c;
    s->text[s->len] = '\0';
}

void fz_sentence_str(struct fz_sentence *s, const char *text)
{
    while (*text != '\0')
        fz_sentence_char(s, *text++);
}

frazil_err fz_sentence_give(const struct fz_sentence *s, char *buf, size_t size, size_t *ret_len)
{
    if (size <= s->len)
        return FRAZIL_EBUFFER;
    memcpy(buf, s->text, s->len + 1);
    if (ret_len != NULL)
        *ret_len = s->len;
    return FRAZIL_OK;
}

/* One character, escaped if it cannot be printed. */
static void sentence_visible(struct fz_sentence *s, char c)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char byte = (unsigned char)c;

    if (byte >= 0x20 && byte < 0x7f) {
        fz_sentence_char(s, c);
        return;
    }
    fz_sentence_str(s, "\\x");
    fz_sentence_char(s, digits[byte >> 4]);
    fz_sentence_char(s, digits[byte & 15]);
}

/*
 * A piece of a text, from first up to end, with the secrets of the text left out, each character written by put.  The
 * secrets are those of the whole: a part of a password is not known for one by itself.
 */
static void sentence_without_secrets(struct fz_sentence *s, const char *text, size_t len, size_t first, size_t end,
                                     void (*put)(struct fz_sentence *s, char c))
{
    struct fz_secrets secrets = fz_secrets_of(text, len);
    size_t next;

    FZ_ASSERT(first <= end && end <= len);
    for (size_t at = 0; at < end; at = next) {
        bool is_secret;
        next = fz_secrets_next(&secrets, at, &is_secret);
        if (next <= first)
            continue;
        if (is_secret)
            fz_sentence_str(s, "...");
        else
            put(s, text[at]);
    }
}

void fz_sentence_typed(struct fz_sentence *s, const char *text, size_t len)
{
    sentence_without_secrets(s, text, len, 0, len, fz_sentence_char);
}

void fz_sentence_shown(struct fz_sentence *s, const char *text, size_t len)
{
    sentence_without_secrets(s, text, len, 0, len, sentence_visible);
}

void fz_sentence_quoted_piece(struct fz_sentence *s, const char *text, size_t before, size_t len, size_t behind)
{
    fz_sentence_char(s, '\'');
    sentence_without_secrets(s, text, before + len + behind, before, before + len, sentence_visible);
    fz_sentence_char(s, '\'');
}

void fz_sentence_quoted(struct fz_sentence *s, const char *text, size_t len)
{
    fz_sentence_char(s, '\'');
    fz_sentence_shown(s, text, len);
    fz_sentence_char(s, '\'');
}

void fz_sentence_u64(struct fz_sentence *s, uint64_t value)
{
    char digits[FZ_DECIMAL_MAX_LEN];
    size_t len = fz_decimal_format(value, digits);

    for (size_t i = 0; i < len; i++)
        fz_sentence_char(s, digits[i]);
}

void fz_sentence_i64(struct fz_sentence *s, int64_t value)
{
    if (value < 0)
        fz_sentence_char(s, '-');
    fz_sentence_u64(s, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}
