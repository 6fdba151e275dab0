/* SPDX-License-Identifier: MIT */
/*
 * What only shows when the generators of one configuration are looked at together: two that can make the same ids, and
 * more worker ids than their source has.
 */
#ifndef FRAZILD_TWINS_H
#define FRAZILD_TWINS_H

#include "settings.h"

/* Looks at the generators of settings that are good otherwise.  It opens nothing. */
void twins_check(const struct settings *settings, struct bytes *errors);

#endif
