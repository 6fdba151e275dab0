/* SPDX-License-Identifier: MIT */
/*
 * Shows a server's words without the password that it was sent.  Servers quote what they do not understand: a Redis
 * whose AUTH has another name answers "unknown command 'AUTH', with args beginning with: 'the password'".
 */
#ifndef FZ_COMMON_SAID_H
#define FZ_COMMON_SAID_H

#include <stddef.h>

/* Bytes, terminator included: as much of a server's text as a sentence has use for. */
#define FZ_SAID_SIZE 512

/*
 * The beginning of the server's text, with "..." wherever the password stands in it; one of up to three characters
 * only where it is a word of its own.  NULL or an empty password: there is none.  Returns ret.  Any thread.
 */
FZ_PRIVATE const char *fz_said(const char *text, size_t len, const char *password, char ret[FZ_SAID_SIZE]);

#endif
