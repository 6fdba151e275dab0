/* SPDX-License-Identifier: MIT */
#include "said.h"

#include <stdbool.h>
#include <string.h>

#include "core/lower.h"
#include "core/sentence.h"

/* A shorter password is a part of many words, and a sentence without those says nothing. */
enum { LONG_ENOUGH = 4 };

static bool is_of_word(char c)
{
    char lower = fz_lower(c);

    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9');
}

/* Whether the password stands at a place: a short one as a word of its own, as servers quote it. */
static bool is_there(const char *text, size_t len, size_t at, const char *password, size_t password_len)
{
    size_t end = at + password_len;

    if (password_len == 0 || password_len > len - at || memcmp(text + at, password, password_len) != 0)
        return false;
    return password_len >= LONG_ENOUGH ||
           ((at == 0 || !is_of_word(text[at - 1])) && (end == len || !is_of_word(text[end])));
}

const char *fz_said(const char *text, size_t len, const char *password, char ret[FZ_SAID_SIZE])
{
    struct fz_sentence s = fz_sentence_in(ret, FZ_SAID_SIZE);
    size_t password_len = password == NULL ? 0 : strlen(password);

    for (size_t at = 0; at < len && text[at] != '\0';) {
        bool hidden = is_there(text, len, at, password, password_len);
        if (hidden)
            fz_sentence_str(&s, "...");
        else
            fz_sentence_char(&s, text[at]);
        at += hidden ? password_len : 1;
    }
    return ret;
}
