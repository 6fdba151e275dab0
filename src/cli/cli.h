/* SPDX-License-Identifier: MIT */
/* The insides that the command alone needs: typed text and the environment, help of tables, files with secrets. */
#ifndef FZ_CLI_CLI_H
#define FZ_CLI_CLI_H

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

/* A word that a spec may have, and what stands behind it: "=" of a key, ":" and "://" of what is not the whole value.
 */
typedef void fz_typed_word(void *ctx, const char *word, size_t len, const char *behind);

/* Calls put for each key of a spec. */
void fz_typed_keys(fz_typed_word *put, void *ctx);

/* Likewise for each value of a key, where it has a list: not for numbers, times and names. */
void fz_typed_values(const char *key, size_t len, fz_typed_word *put, void *ctx);

/* The value of an environment variable, as fz_environment gives it: NULL also in a set-user-ID program. */
const char *fz_typed_variable(const char *name);

/* A copy of a text that a person typed without the quotes that a spec would need; to be freed.  NULL: out of memory. */
char *fz_typed_unquoted(const char *text);

/* Whether an open file may hold a secret: not if others than its owner may use it, as os/file.h says. */
bool fz_secret_is_kept(int fd);

/* The text of `frazil help worker`: the sources and the URLs, as the tables of src/config have them.  Never freed. */
const char *fz_sources_help(void);

/*
 * Ends the waits of the generators of this process, for a command that was asked to stop.  From now on no call waits
 * for a tick or for another try to open: it fails as if max_wait had passed.  With false they wait again.  A request to
 * a coordinator keeps its own timeout.  Any thread; in a signal handler, too.
 */
void fz_cli_end_waits(bool end);

#endif
