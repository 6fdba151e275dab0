/* SPDX-License-Identifier: MIT */
/* When a thread can be cancelled. */
#ifndef FZ_OS_CANCEL_H
#define FZ_OS_CANCEL_H

#include "frazil/base.h"

/* Keeps this thread from being cancelled, and returns how it was before, for fz_cancel_as. */
FZ_PRIVATE int fz_cancel_off(void);

/* Lets it be cancelled, or not, as it was when fz_cancel_off returned this. */
FZ_PRIVATE void fz_cancel_as(int before);

#endif
