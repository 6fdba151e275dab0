/* SPDX-License-Identifier: MIT */
/*
 * Partitions of their own for sno generators that were given none.
 */
#ifndef FZ_GENERATOR_AUTO_PARTITION_H
#define FZ_GENERATOR_AUTO_PARTITION_H

#include "frazil/error.h"

/*
 * The next partition of this process: the first derives from the time of the
 * first call, each further one is the next number, so they are unique within the
 * process and its children, and only likely so beyond.  FRAZIL_EPOOL: the 65,537th;
 * FRAZIL_ENOMEM.  Any thread.
 *
 * The one thing in the library that all users of a process share, because
 * uniqueness within the process is what it is for.
 */
FZ_PRIVATE frazil_err fz_auto_partition(uint32_t *ret, frazil_error *reterr);

#endif
