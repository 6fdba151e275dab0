/* SPDX-License-Identifier: MIT */
/* Base64 (RFC 4648, with padding), in which the gateway has keys and values.  Any thread. */
#ifndef FZ_COORDINATORS_ETCD_BASE64_H
#define FZ_COORDINATORS_ETCD_BASE64_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes that n bytes need, terminator included. */
#define FZ_BASE64_SIZE(n) (((n) + 2) / 3 * 4 + 1)

/* Encodes len bytes as a string into ret, of FZ_BASE64_SIZE(len) bytes. */
void fz_base64_encode(const char *bytes, size_t len, char *ret);

/* Decodes a text; false if it is none, or would need more than size bytes. */
bool fz_base64_decode(const char *text, size_t len, char *ret, size_t size, size_t *ret_len);

#endif
