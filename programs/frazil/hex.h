/* SPDX-License-Identifier: MIT */
/* Bytes as hex digits. */
#ifndef HEX_H
#define HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes two lower-case digits a byte, and a terminator. */
void hex_write(const uint8_t *bytes, size_t size, char *text);

/*
 * Reads exactly size bytes from text, 2 * size digits in either case.  False,
 * with *ret_position counted from 1 and nothing else of use, at what is no digit.
 */
bool hex_read(const char *text, size_t size, uint8_t *bytes, size_t *ret_position);

#endif
