/* SPDX-License-Identifier: MIT */
/*
 * Children that do not outlive their test.  A test that fails, or is killed, waits
 * for nobody: a child that loops would go on for ever.
 */
#ifndef FRAZIL_TESTS_LIB_BOUND_H
#define FRAZIL_TESTS_LIB_BOUND_H

#include <sys/types.h>

/*
 * In a child that was just forked: from now on it is killed when the thread that
 * forked it ends.  parent: the process id of the one that forked, read before; 0 if
 * that is outside of the child's PID namespace.
 * Elsewhere than on Linux it does nothing but end if the parent is gone already.
 */
void bound_to(pid_t parent);

/* fork, with a child that is bound to its parent.  Call it in a thread that lives as long as the child is needed. */
pid_t bound_fork(void);

/* Carries it out in such a child, and returns the exit status that it gave; -1: a signal ended it, or there was none.
 */
int bound_run(int (*work)(void));

#endif
