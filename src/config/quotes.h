/* SPDX-License-Identifier: MIT */
/* The quotes of a spec, around a value that would not need them.  Pure; any thread. */
#ifndef FZ_CONFIG_QUOTES_H
#define FZ_CONFIG_QUOTES_H

/*
 * A value that stands alone, as that of a variable, without the quotes that it has all the same: as in a spec, '...'
 * around all of it, with \' and \\ in it.  In a new allocation; NULL: out of memory.
 */
FZ_PRIVATE char *fz_unquoted(const char *value);

#endif
