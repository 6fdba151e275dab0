/* SPDX-License-Identifier: MIT */
/*
 * The time scale of snos.
 */
#ifndef FZ_CORE_SNO_INTERNAL_H
#define FZ_CORE_SNO_INTERNAL_H

#include <stdint.h>

#define FZ_SNO_UNIT_MS 4
#define FZ_SNO_UNITS (INT64_C(1) << 39)        /* how many there are */
#define FZ_SNO_EPOCH_MS INT64_C(1262304000000) /* 2010-01-01T00:00:00Z */
#define FZ_SNO_LAST_MS (FZ_SNO_EPOCH_MS + FZ_SNO_UNITS * FZ_SNO_UNIT_MS - 1)

#endif
