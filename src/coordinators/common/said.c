/* SPDX-License-Identifier: MIT */
#include "said.h"

#include <stdbool.h>
#include <string.h>

static bool is_there(const char *text, size_t len, const char *word, size_t word_len)
{
    return word_len > 0 && word_len <= len && memcmp(text, word, word_len) == 0;
}

const char *fz_said(const char *text, size_t len, const char *password, char ret[FZ_SAID_SIZE])
{
    struct fz_sentence s = fz_sentence_in(ret, FZ_SAID_SIZE);
    size_t password_len = password == NULL ? 0 : strlen(password);

    for (size_t at = 0; at < len && text[at] != '\0';) {
        bool hidden = is_there(text + at, len - at, password, password_len);
        if (hidden)
            fz_sentence_str(&s, "...");
        else
            fz_sentence_char(&s, text[at]);
        at += hidden ? password_len : 1;
    }
    return ret;
}
