/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* adjtimex, CLOCK_BOOTTIME */
#include "os/kernel_clock.h"

#include <errno.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>

#include "os/file.h"

#define CLOCKSOURCE_FILE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

/* How often both clocks are read: one of the readings will not have been interrupted. */
enum { READINGS = 8 };

int fz_kernel_clock_read(struct fz_kernel_clock *ret)
{
    struct timex kernel = {.modes = 0};

    int state = adjtimex(&kernel);
    if (state < 0)
        return errno;
    *ret = (struct fz_kernel_clock){.synchronised = state != TIME_ERROR && (kernel.status & STA_UNSYNC) == 0,
                                    .max_error_us = kernel.maxerror};
    return 0;
}

int fz_clock_source(char ret[FZ_CLOCK_SOURCE_SIZE])
{
    size_t len;
    int err = fz_file_read(CLOCKSOURCE_FILE, ret, FZ_CLOCK_SOURCE_SIZE, &len);

    if (err == 0)
        ret[strcspn(ret, "\n")] = '\0';
    return err;
}

static int64_t microseconds(clockid_t clock)
{
    struct timespec at;

    (void)clock_gettime(clock, &at); /* both exist since Linux 2.6.39 */
    return (int64_t)at.tv_sec * 1000000 + at.tv_nsec / 1000;
}

int64_t fz_clock_since_boot_us(void)
{
    int64_t best_us = INT64_MAX;
    int64_t offset_us = 0;

    for (int i = 0; i < READINGS; i++) {
        int64_t before_us = microseconds(CLOCK_BOOTTIME);
        int64_t real_us = microseconds(CLOCK_REALTIME);
        int64_t took_us = microseconds(CLOCK_BOOTTIME) - before_us;
        if (took_us < best_us) {
            best_us = took_us;
            offset_us = real_us - (before_us + took_us / 2);
        }
    }
    return offset_us;
}
