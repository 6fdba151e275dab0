/* SPDX-License-Identifier: MIT */
/* Numbers that are nearly the decimal text of an id: what they are, and what to do. */
#ifndef NOT_DECIMAL_H
#define NOT_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes that a sentence can need, terminator included. */
#define NOT_DECIMAL_SIZE 256

/*
 * Writes the sentence for a text that other programs write numbers like: with a sign, with an exponent or a point, in
 * quotes, with an n behind it, behind a byte order mark, or above 2^64 - 1.  False for all others; buf is then
 * untouched.
 */
bool not_decimal_because(const char *text, size_t len, char buf[NOT_DECIMAL_SIZE]);

#endif
