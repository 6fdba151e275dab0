/* SPDX-License-Identifier: MIT */
/* A picture of the bit fields of a layout, or of an id in it. */
#ifndef PICTURE_H
#define PICTURE_H

#include "ids.h"

/*
 * Draws the fields from the highest bit to the lowest, at most 80 columns wide:
 * the bits of id, or letters when id is NULL, and the fields' names below.  In
 * colour where output_is_colored says so.
 */
void picture_draw(const frazil_layout *layout, const struct id *id);

/* Writes the same fields as a JSON array, the highest first: [{"name":"time","bits":41},...]. */
void picture_json(const frazil_layout *layout);

#endif
