/* SPDX-License-Identifier: MIT */
/* Errors on standard error, one line each, "frazil: ..." and what would be right. */
#ifndef COMPLAIN_H
#define COMPLAIN_H

#include "frazil/error.h"

#include <stddef.h>

/*
 * Writes one line.  Characters that could harm a terminal appear as \xNN, as visible.h
 * says: input must not reach the terminal as commands.
 */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Writes over the last line of standard error, which is a terminal, how far the
 * command has come; of our own words and numbers only.  "" ends it.
 */
void complain_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Text that a person typed, for a complaint: without anything that may be a password, the second in quotes.  Nothing
 * typed, read or named goes into a complaint without one of the two.  The text lies in one of a few buffers that are
 * used in turns: it is good until the same complaint has been written.
 */
const char *typed(const char *text, size_t len);
const char *quoted(const char *text);

/* " (did you mean WORD?)" if the text is a slip away from a word of the list, which NULL ends; else "".  As typed(). */
const char *meant(const char *text, const char *const *words);

/* The exit status that a library error gives when it ends a command. */
int complain_status(frazil_err err);

/* complain with the library's sentence; returns complain_status of its code. */
int complain_error(const frazil_error *err);

#endif
