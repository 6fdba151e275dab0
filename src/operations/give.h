/* SPDX-License-Identifier: MIT */
/* How a struct that grows is given to a program of an older or a newer header. */
#ifndef FZ_OPERATIONS_GIVE_H
#define FZ_OPERATIONS_GIVE_H

#include <stddef.h>

/* Fills size bytes of *ret with what there is, and with zeros behind it. */
void fz_give(void *ret, size_t size, const void *from, size_t from_size);

#endif
