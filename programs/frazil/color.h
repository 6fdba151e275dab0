/* SPDX-License-Identifier: MIT */
/* Whether standard output gets colours and pictures. */
#ifndef COLOR_H
#define COLOR_H

#include <stdbool.h>

/* Reads the value of --color, "auto", "always" or "never"; NULL is auto.  Complains and returns false for anything
 * else. */
bool color_choose(const char *when);

/* On a terminal that can show them, unless NO_COLOR is set, or when told to. */
bool color_in_use(void);

#endif
