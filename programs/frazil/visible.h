/* SPDX-License-Identifier: MIT */
/*
 * Text of strangers (file names, input, what servers say) made harmless: what a
 * terminal obeys, what cannot be seen, what turns the direction of writing, and
 * bytes that are no UTF-8 appear as escapes.
 */
#ifndef VISIBLE_H
#define VISIBLE_H

#include <stddef.h>

/* Bytes that one character can become. */
#define VISIBLE_MAX 16

/* How an escape is written. */
enum visible_style {
    VISIBLE_TEXT, /* each byte as \xNN */
    VISIBLE_JSON  /* \" and \\, \u00NN or \uNNNN; \ufffd for each byte that is no UTF-8 */
};

/* How many bytes at the start of text can stay as they are: complete characters only.  At most len. */
size_t visible_plain(enum visible_style style, const char *text, size_t len);

/*
 * Escapes the character at the start of text, where visible_plain is 0 (len >= 1).
 * Writes at most VISIBLE_MAX bytes, without a terminator, and sets *ret_written;
 * returns how many bytes of the text that were.
 */
size_t visible_escape(enum visible_style style, const char *text, size_t len, char out[VISIBLE_MAX],
                      size_t *ret_written);

/* The longest start of text, of at most max bytes, that does not end within a character. */
size_t visible_cut(const char *text, size_t len, size_t max);

#endif
