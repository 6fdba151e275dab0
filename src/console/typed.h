/* SPDX-License-Identifier: MIT */
/* Text that a person typed, and the environment: how to show it, and which word was meant. */
#ifndef FZ_CONSOLE_TYPED_H
#define FZ_CONSOLE_TYPED_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes len characters into buf (size >= 1), cut if need be, as they are but with "..." in place of what may be a
 * password.  Nothing that a person typed is shown in another way.
 */
void fz_typed_show(char *buf, size_t size, const char *text, size_t len);

/*
 * The same without a buffer: calls put for each part of the text that may be shown, and with "..." for each that may
 * not.
 */
void fz_typed_show_parts(const char *text, size_t len, void (*put)(void *ctx, const char *part, size_t len), void *ctx);

/* The word of a list, ended by NULL, that the text is a slip away from; NULL: of none. */
const char *fz_typed_nearest(const char *text, const char *const *words);

/* Whether a spec has such a key. */
bool fz_typed_is_key(const char *name, size_t len);

/* The value of an environment variable, as fz_environment gives it: NULL also in a set-user-ID program. */
const char *fz_typed_variable(const char *name);

/* Calls visit for each variable of the environment that is one slip away from a key's, with the key's. */
void fz_typed_find_slips(void (*visit)(void *ctx, const char *name, const char *meant), void *ctx);

#endif
