/* SPDX-License-Identifier: MIT */
/* Finding a layout from ids whose times are known. */
#ifndef FIT_H
#define FIT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Takes pairs ID=TIME and prints how many bits lie below the time, how long a tick is, and the epoch.  STATUS_OK,
 * STATUS_USAGE for pairs that are none, STATUS_BAD_VALUE if no layout fits or several do.
 */
int fit_print(char *const *pairs, size_t count, bool json);

#endif
