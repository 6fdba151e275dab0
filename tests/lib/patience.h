/* SPDX-License-Identifier: MIT */
/*
 * How long a test waits for what must happen.  The limit is for hangs alone, which are told from a busy machine by
 * being longer than anybody's patience: no test has a limit of its own.  AWAIT needs cmocka's fail_msg (test.h,
 * asserts.h).
 */
#ifndef TESTS_LIB_PATIENCE_H
#define TESTS_LIB_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

enum { PATIENCE_S = 300, PATIENCE_MS = PATIENCE_S * 1000 };

/* The same for an answer of a coordinator that must come, by a URL's timeout: it can be no longer. */
enum { ANSWER_S = 60, ANSWER_MS = ANSWER_S * 1000 };

/* Waits until the condition holds, and looks again each few milliseconds.  What follows is said, as by printf, if it
 * hangs. */
#define AWAIT(condition, ...)                                                                                          \
    do {                                                                                                               \
        for (uint64_t end_ns_ = patience_end_ns(); !(condition); pause_shortly()) {                                    \
            if (patience_is_over(end_ns_))                                                                             \
                fail_msg(__VA_ARGS__);                                                                                 \
        }                                                                                                              \
    } while (0)

/* When a wait that begins now is a hang. */
uint64_t patience_end_ns(void);

/* Whether it is so late. */
bool patience_is_over(uint64_t end_ns);

/* Five milliseconds. */
void pause_shortly(void);

#endif
