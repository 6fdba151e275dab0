/* SPDX-License-Identifier: MIT */
/* What the kernel knows of its clock, for those who want to know how far it can be believed. */
#ifndef FZ_OS_KERNEL_CLOCK_H
#define FZ_OS_KERNEL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes of the name of a clock source, terminator included. */
#define FZ_CLOCK_SOURCE_SIZE 64

struct fz_kernel_clock {
    bool synchronised;    /* somebody (chronyd, ntpd, timesyncd) keeps it right */
    int64_t max_error_us; /* the kernel's own bound; grows by half a millisecond a second while nobody does */
};

/* 0 or an errno: a sandbox may forbid it; ENOTSUP in the portable build. */
FZ_PRIVATE int fz_kernel_clock_read(struct fz_kernel_clock *ret);

/* What the kernel counts time by: "tsc".  0 or an errno; ENOTSUP in the portable build. */
FZ_PRIVATE int fz_clock_source(char ret[FZ_CLOCK_SOURCE_SIZE]);

/*
 * The wall clock minus the time since the boot, in microseconds: both are slewed
 * alike, so this changes when the wall clock is stepped, and only then.  Exact to
 * a few microseconds unless the machine is very busy.  -1: not known, as in the
 * portable build.
 */
FZ_PRIVATE int64_t fz_clock_since_boot_us(void);

#endif
