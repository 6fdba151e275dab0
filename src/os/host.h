/* SPDX-License-Identifier: MIT */
/* What the host knows: its name, its address, and randomness. */
#ifndef FZ_OS_HOST_H
#define FZ_OS_HOST_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that the name of any host fits into, terminator included. */
#define FZ_HOST_NAME_SIZE 256

/* The host's name, terminated.  0 or an errno. */
int fz_host_name(char *buf, size_t size);

/* Characters of an address, terminator included. */
#define FZ_ADDRESS_SIZE 46

/*
 * The host's primary address as text: the one that it would use outward, over
 * IPv4, or over IPv6 where that is all there is.  The routing table is asked, and
 * nothing is sent.  0 or an errno: ENETUNREACH and the like where no route leads
 * outward; then buf is untouched.
 */
int fz_host_address(char buf[FZ_ADDRESS_SIZE]);

/* Which IP an address in text is of: 4, 6, or 0 for a text that is no address. */
int fz_address_version(const char *text);

/* 64 bits from the kernel's generator.  0 or an errno. */
int fz_host_entropy(uint64_t *ret);

#endif
