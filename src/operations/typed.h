/* SPDX-License-Identifier: MIT */
/* What a person typed, and what surrounds it: how it may be shown, what was meant by it, and the environment. */
#ifndef FZ_OPERATIONS_TYPED_H
#define FZ_OPERATIONS_TYPED_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes len characters into buf (size >= 1), cut if need be, as they are but with "..." in place of what may be a
 * password.  Nothing that a person typed is shown in another way.
 */
void fz_typed_show(char *buf, size_t size, const char *text, size_t len);

/* The word of a list, ended by NULL, that the text is a slip away from; NULL: of none. */
const char *fz_typed_nearest(const char *text, const char *const *words);

/* Whether a spec has such a key. */
bool fz_typed_is_key(const char *name, size_t len);

/* The value of an environment variable, as fz_environment gives it: NULL also in a set-user-ID program. */
const char *fz_typed_variable(const char *name);

/* Calls visit for each variable of the environment that is one slip away from a key's, with the key's. */
void fz_typed_find_slips(void (*visit)(void *ctx, const char *name, const char *meant), void *ctx);

#endif
