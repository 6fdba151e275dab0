/* SPDX-License-Identifier: MIT */
/*
 * Writing replies of the Redis protocol, in version 2 or 3 of it.  Pure: bytes are added to an output.
 */
#ifndef FRAZILD_RESP_WRITE_H
#define FRAZILD_RESP_WRITE_H

#include "bytes.h"

/* +text */
void resp_status(struct bytes *out, const char *text);

/* -text: line breaks and other control characters in it become spaces, so that no foreign text can end the line. */
void resp_error(struct bytes *out, const char *text);

/* :number, up to 2^63 - 1, or n of them */
void resp_integer(struct bytes *out, uint64_t number);
void resp_integers(struct bytes *out, const uint64_t *numbers, size_t n);

/* (number: a big number of version 3 */
void resp_big(struct bytes *out, uint64_t number);

/* A bulk string of bytes or a text. */
void resp_bulk(struct bytes *out, const void *data, size_t len);
void resp_text(struct bytes *out, const char *text);

/* n bulk strings, each of the decimal digits of a number. */
void resp_digits(struct bytes *out, const uint64_t *numbers, size_t n);

/* Bytes as a bulk string, and frees them: where they have failed, so has out. */
void resp_bytes(struct bytes *out, struct bytes *text);

/* The head of a bulk string of len bytes, behind which its owner puts them and CR LF. */
void resp_bulk_head(struct bytes *out, size_t len);

/* The head of an array, or of a map: version 2 has an array of keys and values in its place. */
void resp_array(struct bytes *out, size_t count);
void resp_map(struct bytes *out, int version, size_t pairs);

/* Nothing. */
void resp_null(struct bytes *out, int version);

#endif
