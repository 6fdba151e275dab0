/* SPDX-License-Identifier: MIT */
#include "sentence.h"

#include "decimal.h"

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

/* Where the credentials of a URL begin and end, if the text is one, however badly it may be written; else 0 and 0. */
static void find_credentials(const char *text, size_t len, size_t *ret_begin, size_t *ret_end)
{
    size_t begin = 0;
    size_t end = 0;
    bool has_slash = false;

    for (size_t i = 0; i < len; i++) {
        has_slash = has_slash || text[i] == '/';
        if (text[i] == '@')
            end = i;
    }
    while (begin < end && text[begin] != ':' && text[begin] != '/')
        begin++;
    if (begin == end) /* nothing there that could be a scheme */
        begin = 0;
    while (begin < end && (text[begin] == ':' || text[begin] == '/'))
        begin++;
    *ret_begin = has_slash ? begin : 0;
    *ret_end = has_slash ? end : 0;
}

void fz_sentence_quoted(struct fz_sentence *s, const char *text, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    size_t secret_begin;
    size_t secret_end;

    find_credentials(text, len, &secret_begin, &secret_end);
    fz_sentence_char(s, '\'');
    for (size_t i = 0; i < len; i++) {
        if (i == secret_begin && i < secret_end) {
            fz_sentence_str(s, "...");
            i = secret_end;
        }
        unsigned char c = (unsigned char)text[i];
        if (c >= 0x20 && c < 0x7f) {
            fz_sentence_char(s, (char)c);
        } else {
            fz_sentence_str(s, "\\x");
            fz_sentence_char(s, digits[c >> 4]);
            fz_sentence_char(s, digits[c & 15]);
        }
    }
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
