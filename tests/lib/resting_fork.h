/* SPDX-License-Identifier: MIT */
/*
 * The allocator of gcc's address sanitizer has locks that a fork leaves locked in the child, if another thread held
 * them just then; a thread holds them while it starts, too.  The child's next malloc would wait for ever.
 */
#ifndef FRAZIL_TESTS_LIB_RESTING_FORK_H
#define FRAZIL_TESTS_LIB_RESTING_FORK_H

/*
 * From now on, a fork of a program with the address sanitizer first waits until the other threads sleep; a tenth of a
 * second at most, as some tests fork beside threads that never do.  Does nothing without the sanitizer.
 */
void resting_fork_enable(void);

#endif
