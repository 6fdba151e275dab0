/* SPDX-License-Identifier: MIT */
/* Which process this is, and what it keeps, for what belongs to the process as a whole and not to one generator. */
#ifndef FZ_OS_THIS_PROCESS_H
#define FZ_OS_THIS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The mark of the process that calls (see fork_mark.h): another one than that of any process that it was forked from.
 * 0: there is no memory for it.  Any thread, and right after a fork.
 */
FZ_PRIVATE uint64_t fz_this_process(void);

/*
 * Zeroed memory for what the process keeps until it ends.  A program that counts what malloc gave would take it for
 * lost: so the first few bytes are the library's own, and only children of children need others.  NULL: there is none.
 */
FZ_PRIVATE void *fz_process_alloc(size_t size);

/* Gives such memory back, which nobody has used. */
FZ_PRIVATE void fz_process_free(void *memory);

/* The kinds of things that a process keeps; keeper_pool.c and open_shared.c make them. */
enum fz_kept { FZ_KEPT_KEEPER_POOL, FZ_KEPT_SHARED_GENERATORS, FZ_KEPT_TOTAL };

/* The thing of this kind that the process keeps; NULL at first, and in a child what its parent kept.  Any thread. */
FZ_PRIVATE void *fz_process_kept(enum fz_kept kind);

/* Keeps another thing from now on, unless another thread was faster: it is not `before` any more that is kept. */
FZ_PRIVATE bool fz_process_keep(enum fz_kept kind, void *before, void *after);

#endif
