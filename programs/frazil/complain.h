/* SPDX-License-Identifier: MIT */
/* Errors on standard error, one line each, "frazil: ..." and what would be right. */
#ifndef COMPLAIN_H
#define COMPLAIN_H

#include "frazil/error.h"

/*
 * Writes one line.  What is not harmless in it appears as \xNN, as visible.h says:
 * input must not reach the terminal as commands.
 */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Writes over the last line of standard error, which is a terminal, how far the
 * command has come; of our own words and numbers only.  "" ends it.
 */
void complain_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The exit status that a library error gives when it ends a command. */
int complain_status(frazil_err err);

/* complain with the library's sentence; returns complain_status of its code. */
int complain_error(const frazil_error *err);

#endif
