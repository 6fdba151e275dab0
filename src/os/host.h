/* SPDX-License-Identifier: MIT */
/* What the host knows: its name, and randomness. */
#ifndef FZ_OS_HOST_H
#define FZ_OS_HOST_H

#include <stddef.h>
#include <stdint.h>

/* The host's name, terminated.  0 or an errno. */
int fz_host_name(char *buf, size_t size);

/* 64 bits from the kernel's generator.  0 or an errno. */
int fz_host_entropy(uint64_t *ret);

#endif
