/* SPDX-License-Identifier: MIT */
/*
 * Instants as text: RFC 3339 in UTC, and Unix milliseconds.  Pure; any thread.
 */
#ifndef FRAZIL_TIME_H
#define FRAZIL_TIME_H

#include "error.h"

FRAZIL_BEGIN_DECLS

/* Bytes that frazil_time_format can need, terminator included. */
#define FRAZIL_TIME_SIZE 40

/*
 * Writes "2026-01-01T00:00:00.000Z": RFC 3339, UTC, always milliseconds.  RFC 3339 cannot express years above 9999.
 * They have a plus sign and as many digits as they need (ISO 8601's expanded form), up to the year 292278994, where
 * int64_t ends.  FRAZIL_EBUFFER: size is too small.  FRAZIL_ERANGE: before the year 0.  On failure nothing is written.
 * *ret_len counts no terminator; ret_len may be NULL.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_time_format(int64_t unix_ms, char *buf, size_t size, size_t *ret_len)
    FRAZIL_NONNULL(2);

/*
 * Reads an instant: RFC 3339, a date alone ("2026-01-01", midnight UTC), or a whole number of Unix milliseconds, which
 * may be negative.  RFC 3339 is "2026-01-01T00:00:00Z", with a fraction of up to three digits, "Z" or an offset such as
 * "+09:00", and "T" and "Z" in upper case.  FRAZIL_EPARSE with the position of the error; a day that does not exist, a
 * leap second and digits finer than a millisecond are rejected.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_time_parse(const char *text, size_t len, int64_t *ret_unix_ms,
                                                     frazil_error *reterr) FRAZIL_NONNULL(1, 3);

FRAZIL_END_DECLS

#endif
