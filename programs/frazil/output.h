/* SPDX-License-Identifier: MIT */
/*
 * Standard output, buffered.  A full buffer is written up to the end of its last
 * line, as other processes may write to the same file.  The first failed write
 * is remembered and what follows is dropped, so that callers need not look at
 * each write: loops without an end ask output_broken, and main looks at
 * output_failure.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Appends text of our own: what is not harmless in it is escaped nevertheless, except line ends. */
void output_string(const char *text);
/* As printf, likewise; what is longer than a screen line or two (512 bytes) is cut. */
void output_format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Appends a number in decimal. */
void output_u64(uint64_t value);
void output_i64(int64_t value);

/* Writes a number in decimal, at most OUTPUT_DIGITS digits without a terminator, and returns where they end. */
enum { OUTPUT_DIGITS = 20 };
char *output_digits(char *to, uint64_t value);

/*
 * Appends text of strangers: file names, input, owners, what servers say.  It
 * stays one line; what a terminal obeys, what cannot be seen and bytes that are
 * no UTF-8 appear as \xNN, and what may be a password as "...".
 */
void output_foreign(const char *text);
void output_foreign_n(const char *text, size_t len);

/* The same as a JSON string, quotes included; whatever the text is, it is valid: a byte that is no UTF-8 becomes
 * U+FFFD. */
void output_json_string(const char *text);
void output_json_string_n(const char *text, size_t len);

/*
 * Appends a sentence of the library, as text and as a JSON string.  It has no password, because the library left it out
 * where it knew what one was; in what an address is followed by here, nobody could tell one from a reason.
 */
void output_sentence(const char *text);
void output_json_sentence(const char *text);

/* Begins a colour of the terminal, by its number (SGR); 0 ends it.  Nothing else writes escapes. */
void output_color(unsigned sgr);

/* Writes out what is buffered. */
void output_flush(void);

/* Whether a write has failed: going on is of no use. */
bool output_broken(void);

/* The errno of the first write that failed; 0: none has. */
int output_failure(void);

#endif
