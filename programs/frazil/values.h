/* SPDX-License-Identifier: MIT */
/*
 * Values from the arguments or, when there are none, one a line from standard
 * input.  A bad value is reported and the rest is still done.
 */
#ifndef VALUES_H
#define VALUES_H

#include "options.h"

#include <frazil/error.h>

#include <stddef.h>
#include <stdint.h>

struct value {
    const char *text; /* no terminator is promised */
    size_t len;
    const char *file;  /* NULL for an argument */
    uint64_t line;     /* from 1; 0 for an argument */
    const char *fault; /* for values_each_raw: what is wrong with the line, which is then not read; else NULL */
};

/* Handles one value, and returns the status that it gives. */
typedef int values_fn(void *ctx, const struct value *value);

/* Calls fn for each value and returns the largest status; stops early when nobody reads the output any more. */
int values_each(const struct arguments *args, values_fn *fn, void *ctx);

/* The same for each line of a file; "-" is standard input. */
int values_each_line(const char *path, values_fn *fn, void *ctx);

/* The same, but fn also gets the lines that are no values, with their fault. */
int values_each_raw(const char *path, values_fn *fn, void *ctx);

/* Reports a value as bad: where it stood, the value itself, and why.  Returns STATUS_BAD_VALUE. */
int values_complain(const struct value *value, const char *message);

/* The same with a library's error; what is worse than a bad value keeps its own status. */
int values_complain_error(const struct value *value, const frazil_error *err);

#endif
