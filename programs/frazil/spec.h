/* SPDX-License-Identifier: MIT */
/* The spec of a generator, out of arguments. */
#ifndef SPEC_H
#define SPEC_H

#include "options.h"

/* The arguments, which together are the spec, with spaces between them.  The caller frees it; NULL: out of memory. */
char *spec_join(const struct arguments *args);

/* A subcommand carries this out over a spec; it returns the exit status. */
typedef int spec_fn(const char *spec, const void *options);

/* Runs a function over the spec that the arguments are. */
int spec_run(const struct arguments *args, spec_fn *fn, const void *options);

#endif
