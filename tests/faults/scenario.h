/* SPDX-License-Identifier: MIT */
/*
 * Something that a program does with frazil, in which each call of the system or
 * of libc fails in turn, with each error that it can have, once or from there on.
 *
 * Whatever call fails, these rules hold:
 * - The outcome is success, or a failure with the code and the sentence that belong to it.
 *   A failure leaves the outputs untouched.
 * - No id comes twice, or without a grant that is certain to survive a loss of power.
 * - No descriptor, memory or mapping is left, and no signal is blocked.
 * - A second try without a fault succeeds, once the things that could not be given back
 *   have passed.
 *
 * A signal that comes in is no failure at all.
 */
#ifndef TESTS_FAULTS_SCENARIO_H
#define TESTS_FAULTS_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>

#include "frazil.h"

#define SCENARIO_S UINT64_C(1000000000)

/* How far a grant file reaches ahead. */
#define SCENARIO_GRANT_S 6

struct scenario {
    const char *name;
    const char *spec;      /* @ stands for the scenario's folder */
    void (*prepare)(void); /* in an empty folder, without a fault; NULL: nothing to do */
    void (*run)(void);     /* with it */
    void (*finish)(void);  /* without it again; NULL: nothing to do */
};

/* Fails everything in it.  At least so many calls are made. */
void scenario_try(const struct scenario *scenario, unsigned calls_at_least);

/* How often the last scenario that was tried looks at files (fstat, stat, lstat) if nothing fails. */
unsigned scenario_looks(void);

/* ---- the parts of scenarios ------------------------------------------------- */

/* A text with the folder for each @, in one of two buffers. */
const char *scenario_text(const char *text);

/* The generator that is open; NULL: none is. */
extern frazil *scenario_gen;

/* Each of these checks what comes out.  False: it failed, as it may. */
bool scenario_open(const char *spec);
bool scenario_take(void);
bool scenario_keep(void);
void scenario_close(void);

/* Checks how something else came out. */
bool scenario_check(frazil_err err, const frazil_error *why);

/* A child process does that, with the fault; its failure is the test's. */
void scenario_in_child(void (*run)(void));

/* The test has failed, whichever process this is. */
_Noreturn void scenario_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
