/* SPDX-License-Identifier: MIT */
/*
 * Durations as text: "250ms", "2s".  Pure; any thread.
 */
#ifndef FZ_CORE_DURATION_H
#define FZ_CORE_DURATION_H

#include "frazil/error.h"

#define FZ_NS_PER_MS UINT64_C(1000000)
#define FZ_NS_PER_S UINT64_C(1000000000)

/* "unlimited": no bound. */
#define FZ_DURATION_NONE UINT64_MAX

/*
 * Reads exactly len characters: a whole number and directly after it one of the
 * units ns us ms s m h; 0 alone; or "unlimited" (or "none", its former name), which
 * gives FZ_DURATION_NONE.
 * FRAZIL_EPARSE: anything else, a number without unit, or a duration of
 * 2^64 - 1 ns or more; reterr (may be NULL) says what would be right.
 */
FZ_PRIVATE frazil_err fz_duration_parse(const char *text, size_t len, uint64_t *ret_ns, frazil_error *reterr);

/* The largest unit of which a duration is a whole number.  *count is in ns, and becomes that number. */
FZ_PRIVATE const char *fz_duration_unit(uint64_t *count);

#endif
