/* SPDX-License-Identifier: MIT */
/*
 * Standard output, buffered.  The first failed write is remembered and what
 * follows is dropped, so that callers need not look at each write: loops without
 * an end ask output_broken, and main looks at output_failure.
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

/* The errno of the first write that failed; 0: none has. */
int output_failure(void);

#endif
