/* SPDX-License-Identifier: MIT */
/* A namespace for the tests of real generators, by the clock of this machine. */
#ifndef TESTS_LIB_NEW_NAMESPACE_H
#define TESTS_LIB_NEW_NAMESPACE_H

#include "lease/coordinator.h"

/*
 * Creates the namespace of that URL, never used before, for `workers` ids (0: all that the layout has).  Fails the
 * test, with the sentence, if that does not succeed.  Clocks may differ by half a minute: where a machine is
 * busy, an answer that is late looks like a clock that is wrong.
 */
void new_namespace(const frazil_coordinator *coordinator, const char *url, const char *layout, uint64_t workers,
                   uint64_t horizon_ms);

#endif
