/* SPDX-License-Identifier: MIT */
/* The ids that were the same double. */
#ifndef ROUNDED_H
#define ROUNDED_H

#include "ids.h"

/* The lowest and the highest number that a double has as the same one. */
void rounded_range(uint64_t id, uint64_t *ret_first, uint64_t *ret_last);

/* Prints that range with its times, as two lines or as one JSON object; a sno is STATUS_BAD_VALUE. */
int rounded_print(const frazil_layout *layout, const struct id *id, bool json);

#endif
