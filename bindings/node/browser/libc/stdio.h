/* SPDX-License-Identifier: MIT */
#ifndef FRAZIL_BROWSER_STDIO_H
#define FRAZIL_BROWSER_STDIO_H

#include <stdarg.h>
#include <stddef.h>

/* JavaScript writes it, with the few conversions that the shims use. */
int vsnprintf(char *to, size_t size, const char *format, va_list list);

#endif
