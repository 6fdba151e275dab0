/* SPDX-License-Identifier: MIT */
/*
 * Decimal text of 64-bit numbers, exact both ways, and several times faster than
 * a loop over digits: eight of them are handled at once.
 */
#ifndef FZ_CORE_DECIMAL_H
#define FZ_CORE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FZ_DECIMAL_MAX_LEN 20 /* digits of 2^64 - 1 */

/*
 * Reads exactly len characters: 1 to 20 digits, no sign, no leading zero but in
 * "0" itself, at most 2^64 - 1.  False for anything else; *ret is then untouched.
 */
FZ_PRIVATE bool fz_decimal_parse(const char *text, size_t len, uint64_t *ret);

/* The same with leading zeros allowed. */
FZ_PRIVATE bool fz_decimal_parse_padded(const char *text, size_t len, uint64_t *ret);

/*
 * Writes value without leading zeros and without a terminator and returns how
 * many digits that are.  The rest of buf may be overwritten, too.
 */
FZ_PRIVATE size_t fz_decimal_format(uint64_t value, char buf[FZ_DECIMAL_MAX_LEN]);

/* Writes value as exactly 20 digits, no terminator. */
FZ_PRIVATE void fz_decimal_format_padded(uint64_t value, char buf[FZ_DECIMAL_MAX_LEN]);

#endif
