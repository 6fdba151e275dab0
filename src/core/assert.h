/* SPDX-License-Identifier: MIT */
/*
 * Assertions of the core, which may not call libc's: a trap in a debug build,
 * nothing in a release.
 */
#ifndef FZ_CORE_ASSERT_H
#define FZ_CORE_ASSERT_H

#ifdef NDEBUG
#define FZ_ASSERT(condition) ((void)sizeof(condition))
#else
#define FZ_ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())
#endif

#endif
