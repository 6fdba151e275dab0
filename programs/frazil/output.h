/* SPDX-License-Identifier: MIT */
/*
 * Standard output, buffered.  The first failed write is remembered and what
 * follows is dropped, so that callers need not look at each write: loops without
 * an end ask output_broken, and main ends with output_finish.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Appends text, a terminated string, a number in decimal. */
void output_text(const char *text, size_t len);
void output_string(const char *text);
void output_u64(uint64_t value);
/* As printf; what is longer than a screen line or two (512 bytes) is cut. */
void output_format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* As a JSON string, quotes included. */
void output_json_string(const char *text);

/* Writes out what is buffered. */
void output_flush(void);

/* Whether a write has failed: going on is of no use. */
bool output_broken(void);

/*
 * Flushes, and turns the status of a subcommand into that of the program: a
 * reader that went away is a quiet success, any other failed write is reported
 * and is STATUS_FATAL.
 */
int output_finish(int status);

/* When to use colours and pictures: the values of --color. */
enum output_color { OUTPUT_COLOR_AUTO, OUTPUT_COLOR_ALWAYS, OUTPUT_COLOR_NEVER };

/* Reads "auto", "always" or "never"; NULL is auto.  Complains and returns false for anything else. */
bool output_color_choose(const char *when);

/* Whether to use colours: on a terminal that can show them, unless NO_COLOR is set, or when told to. */
bool output_is_colored(void);

#endif
