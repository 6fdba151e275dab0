/* SPDX-License-Identifier: MIT */
/* A timer of a thread that waits with epoll. */
#ifndef FRAZILD_ALARM_H
#define FRAZILD_ALARM_H

#include <stdbool.h>
#include <stdint.h>

struct alarm {
    int fd;          /* readable when the time has come */
    uint64_t due_ns; /* UINT64_MAX: never */
};

/* False: errno says why. */
bool alarm_open(struct alarm *alarm);

/* Sets the time; UINT64_MAX leaves it as it is, as a call too many does no harm. */
void alarm_set(struct alarm *alarm, uint64_t due_ns);

/* The time has come: takes note of it. */
void alarm_take(struct alarm *alarm);

/* Closes it. */
void alarm_close(const struct alarm *alarm);

#endif
