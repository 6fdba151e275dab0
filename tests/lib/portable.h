/* SPDX-License-Identifier: MIT */
/*
 * What the portable build (FRAZIL_PORTABLE=ON) does not promise, test by test: `git grep NOT_PORTABLE` lists it with
 * the reasons.  docs/guarantees.md says what follows for users.
 */
#ifndef TESTS_LIB_PORTABLE_H
#define TESTS_LIB_PORTABLE_H

#include "lib/test.h"

/* Leaves the test out of the portable build. */
#if defined(FRAZIL_PORTABLE)
#define NOT_PORTABLE(why)                                                                                              \
    do {                                                                                                               \
        print_message("not in the portable build: %s\n", why);                                                         \
        skip();                                                                                                        \
    } while (0)
#else
#define NOT_PORTABLE(why) ((void)0)
#endif

#endif
