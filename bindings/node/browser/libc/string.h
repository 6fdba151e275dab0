/* SPDX-License-Identifier: MIT */
/* The core and the shims need this much of a C library, which bridge.c has. */
#ifndef FRAZIL_BROWSER_STRING_H
#define FRAZIL_BROWSER_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int byte, size_t n);
int memcmp(const void *a, const void *b, size_t n);
void *memchr(const void *in, int byte, size_t n);
size_t strlen(const char *text);

#endif
