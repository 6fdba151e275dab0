/* SPDX-License-Identifier: MIT */
/*
 * Telling a child from the process that it was forked from.  A process id does
 * not: the first process of a PID namespace has the number 1, and so has its child
 * if that is the first process of another namespace.  A page that the kernel wipes
 * in a child does, also where the child was made by a raw clone.
 */
#ifndef FZ_OS_FORK_MARK_H
#define FZ_OS_FORK_MARK_H

#include <stdatomic.h>
#include <stdint.h>

/*
 * The number of the process that calls, never 0, for systems where no page is wiped.
 * It holds the process id, and a number that tells the process from others of that
 * id: on Linux the namespace of ids; portable, the count of forks since the first
 * call.  Any thread.
 */
FZ_PRIVATE uint64_t fz_process_name(void);

/* Lies in memory that a child inherits as it is, beside what is compared with the mark. */
struct fz_fork_mark {
    _Atomic uint64_t *wiped;  /* this process's number; 0: none yet; NULL: the kernel wipes no page */
    _Atomic uint64_t highest; /* number of this process and of those that it was forked from */
};

/*
 * Prepares a mark.  `wiped` is 0 and lies on a page of fz_map_wiped that is
 * mapped for as long as the mark is read.  It is NULL where the kernel does not wipe
 * the page: then fz_process_name tells, which costs up to two system calls a reading.
 */
FZ_PRIVATE void fz_fork_mark_init(struct fz_fork_mark *mark, _Atomic uint64_t *wiped);

/*
 * The number of the process that calls: never 0, the same for all its threads, and
 * another one than that of any process that it was forked from.  Two children of
 * one process may have the same, so it means nothing in memory that processes
 * share.  Any thread, and right after a fork.
 */
FZ_PRIVATE uint64_t fz_fork_mark_read(struct fz_fork_mark *mark);

#endif
