/* SPDX-License-Identifier: MIT */
/*
 * The promises of generators over a fork, as a group of tests that runs
 * over the real memory of src/os and over one that no kernel wipes.
 */
#ifndef FRAZIL_TESTS_LIB_FORKS_H
#define FRAZIL_TESTS_LIB_FORKS_H

#include <stdbool.h>

/* Runs the tests.  wiped: whether pages of fz_map_wiped are wiped, so that handles hold blocks.  Returns the value for
 * main. */
int forks_run(bool wiped);

#endif
