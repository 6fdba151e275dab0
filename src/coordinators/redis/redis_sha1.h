/* SPDX-License-Identifier: MIT */
/* SHA-1 (FIPS 180-4), by which Redis names its scripts.  Nothing secret depends on it. */
#ifndef FZ_COORDINATORS_REDIS_SHA1_H
#define FZ_COORDINATORS_REDIS_SHA1_H

#include <stddef.h>

enum { FZ_REDIS_SHA1_LEN = 40 };

/* Writes the hash of a text as small hexadecimal digits, with a terminator. */
void fz_redis_sha1(const char *text, size_t len, char ret[FZ_REDIS_SHA1_LEN + 1]);

#endif
