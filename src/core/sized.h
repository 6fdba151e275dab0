/* SPDX-License-Identifier: MIT */
/* Structs that grow: a program says how long the one is that it was compiled with. */
#ifndef FZ_CORE_SIZED_H
#define FZ_CORE_SIZED_H

#include "frazil/base.h"

/* Fills ret, of size bytes, with the length bytes at `what`: cut, or with zeros behind them. */
FZ_PRIVATE void fz_give_sized(void *ret, size_t size, const void *what, size_t length);

/* Whether all of these bytes are 0, as those of a reserved member have to be. */
FZ_PRIVATE bool fz_is_zeroed(const void *bytes, size_t size);

#endif
