/* SPDX-License-Identifier: MIT */
/* POSIX has no way to ask any of this: the doctor says so, and each id reads the clock. */
#include "os/kernel_clock.h"

#include <errno.h>

int fz_kernel_clock_read(struct fz_kernel_clock *ret)
{
    (void)ret;
    return ENOTSUP;
}

int fz_clock_source(char ret[FZ_CLOCK_SOURCE_SIZE])
{
    (void)ret;
    return ENOTSUP;
}

int64_t fz_clock_since_boot_us(void)
{
    return -1;
}
