/* SPDX-License-Identifier: MIT */
/*
 * The birthday problem, in integers.
 */
#ifndef FZ_CORE_COLLISION_H
#define FZ_CORE_COLLISION_H

#include "frazil/error.h"

/* frazil_worker_collision, for the rooms that need no more of libfrazil-extras. */
FZ_PRIVATE frazil_err fz_collision_ppm(uint32_t hosts, uint64_t workers, uint32_t *ret_ppm);

#endif
