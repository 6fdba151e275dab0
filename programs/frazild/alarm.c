/* SPDX-License-Identifier: MIT */
#include "alarm.h"

#include "clock.h"

#include <sys/timerfd.h>
#include <unistd.h>

bool alarm_open(struct alarm *alarm)
{
    *alarm = (struct alarm){.fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), .due_ns = UINT64_MAX};
    return alarm->fd >= 0;
}

void alarm_set(struct alarm *alarm, uint64_t due_ns)
{
    const uint64_t at_ns = due_ns == 0 ? 1 : due_ns; /* a time of 0 would disarm it */
    struct itimerspec when = {.it_value = {(time_t)(at_ns / NS_PER_S), (long)(at_ns % NS_PER_S)}};

    if (due_ns == alarm->due_ns || due_ns == UINT64_MAX)
        return;
    alarm->due_ns = due_ns;
    (void)timerfd_settime(alarm->fd, TFD_TIMER_ABSTIME, &when, NULL);
}

void alarm_take(struct alarm *alarm)
{
    uint64_t ignored;

    if (read(alarm->fd, &ignored, sizeof ignored) > 0)
        alarm->due_ns = UINT64_MAX;
}

void alarm_close(const struct alarm *alarm)
{
    (void)close(alarm->fd);
}
