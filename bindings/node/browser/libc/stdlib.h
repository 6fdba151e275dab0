/* SPDX-License-Identifier: MIT */
#ifndef FRAZIL_BROWSER_STDLIB_H
#define FRAZIL_BROWSER_STDLIB_H

#include <stddef.h>

void *malloc(size_t n);
void free(void *memory);

#endif
