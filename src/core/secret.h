/* SPDX-License-Identifier: MIT */
/*
 * Finds the secrets in a text that a person typed: passwords, wherever they stand and however badly the URL around
 * them is written.  A text that only looks like one loses a few characters; that is the lesser harm.  Pure; any thread.
 */
#ifndef FZ_CORE_SECRET_H
#define FZ_CORE_SECRET_H

#include <stdbool.h>
#include <stddef.h>

/* The secrets of one text. */
struct fz_secrets {
    const char *text;
    size_t len;
    size_t begin; /* user and password, before the last '@', behind the scheme: from here ... */
    size_t end;   /* ... to here; equal: nothing */
    size_t open;  /* from here to the end: behind the ':' of a URL whose '@' was cut off; len: nothing */
    size_t query; /* where the '?' of a URL is; len: nowhere */
};

/* Looks for the secrets in len characters of text, which is not copied. */
FZ_PRIVATE struct fz_secrets fz_secrets_of(const char *text, size_t len);

/*
 * Where the part ends that begins at a place before the end of the text: a secret as a whole, or else one character.
 * It ends behind that place, whatever the place is, so that a caller that goes from part to part comes to an end. These
 * are secrets: the text before the '@' of a URL; the text behind its ':' if no '@' follows and it is no port.  Also the
 * value of each key behind its '?', and anywhere the value of a key that is called password, passwd, pwd, secret or
 * token.
 */
FZ_PRIVATE size_t fz_secrets_next(const struct fz_secrets *secrets, size_t at, bool *ret_is_secret);

#endif
