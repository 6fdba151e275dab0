/* SPDX-License-Identifier: MIT */
/* Parts of frazil that are libraries of their own, loaded when they are first needed. */
#ifndef FZ_OS_PART_H
#define FZ_OS_PART_H

#include <stdbool.h>

#include "frazil/error.h"

/*
 * Loads libfrazil-PART.so.N, of the same N as this library, and calls its
 * frazil_coordinator_PART().  It stays loaded.  FRAZIL_ENOTBUILT: why it cannot be loaded.  Also as fz_clients_enter.
 * Any thread.
 */
FZ_PRIVATE frazil_err fz_part_load(const char *part, const void **ret, frazil_error *reterr);

#endif
