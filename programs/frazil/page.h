/* SPDX-License-Identifier: MIT */
/* Where the page lies that draws ids (web/), and the address of an id in it. */
#ifndef PAGE_H
#define PAGE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the page lies there, as `make install` leaves it; complains if not. */
bool page_is_there(const char *path);

/* Prints the address of the page at a path, with an id, a layout and a form in it; the last two may be NULL. */
void page_print(const char *path, const char *id, size_t len, const char *layout, const char *form);

#endif
