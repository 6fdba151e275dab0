/* SPDX-License-Identifier: MIT */
/*
 * A test is its sentence and its body:
 *
 *   TEST("A number that was given back is given first of all")
 *   {
 *       assert_int_equal(take(), 10);
 *   }
 *
 * A file of tests is a program.  Its main() is in test.c: it runs the tests in the order in which they stand in the
 * file, and fails where there is none.  What holds before and after is written likewise, once a file:
 *
 *   BEFORE_EACH
 *   {
 *       scratch = scratch_make();
 *   }
 *
 * TEST_ONLY=words in the environment runs those tests alone whose sentence holds the words.  TEST_LEFT_OUT, with
 * sentences between bars, skips those: ctest sets it from left-out.tsv.
 */
#ifndef FRAZIL_TESTS_LIB_TEST_H
#define FRAZIL_TESTS_LIB_TEST_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/asserts.h"

/* The body follows these.  A test that fails, or is skipped by skip(), ends there: AFTER_EACH is run. */
#define TEST(sentence) TEST_AT(sentence, __LINE__)
#define BEFORE_EACH TEST_HOOK(before_each)
#define AFTER_EACH TEST_HOOK(after_each)
#define BEFORE_ALL TEST_HOOK(before_all)
#define AFTER_ALL TEST_HOOK(after_all)

struct test {
    const char *sentence;
    void (*body)(void);
    int line;
    struct test *next;
};

/* A hook that is NULL does nothing. */
struct test_hooks {
    void (*before_each)(void);
    void (*after_each)(void);
    void (*before_all)(void);
    void (*after_all)(void);
};

extern struct test_hooks test_hooks;

/* Adds one, behind those of smaller lines: no compiler promises in which order constructors run. */
void test_add(struct test *test);

/* In BEFORE_ALL: ends the program as skipped unless its tests have all that they need; the caller has said what is not.
 */
void test_need(bool is_there);

/* In a test: from here on it is on another host, where nobody has a worker id. */
void test_change_host(void);

/* Runs all, and returns what main() returns.  For a program that has a main() of its own, in place of that of test.c.
 */
int test_run(void);

/* The line makes the names unique, and has to be a number before it becomes a part of them. */
#define TEST_AT(sentence, line) TEST_NAMED(sentence, line)
#define TEST_NAMED(sentence_, line_)                                                                                   \
    static void test_##line_(void);                                                                                    \
    __attribute__((constructor)) static void test_add_##line_(void)                                                    \
    {                                                                                                                  \
        static struct test test = {.sentence = sentence_, .body = test_##line_, .line = line_};                        \
        test_add(&test);                                                                                               \
    }                                                                                                                  \
    static void test_##line_(void)

#define TEST_HOOK(hook)                                                                                                \
    static void test_##hook(void);                                                                                     \
    __attribute__((constructor)) static void test_set_##hook(void)                                                     \
    {                                                                                                                  \
        test_hooks.hook = test_##hook;                                                                                 \
    }                                                                                                                  \
    static void test_##hook(void)

#endif
