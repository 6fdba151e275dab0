/* SPDX-License-Identifier: MIT */
/* The daemon's memory, from its own calls alone, where a test says which of them fails.  For one thread. */
#ifndef TESTS_FRAZILD_FAILING_MEMORY_H
#define TESTS_FRAZILD_FAILING_MEMORY_H

/* The at-th call from now on fails; 0: none. */
void memory_fails_at(unsigned at);

/* So do all behind it. */
void memory_fails_from(unsigned at);

/* How many calls there were since then. */
unsigned memory_calls(void);

#endif
