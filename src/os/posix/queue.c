/* SPDX-License-Identifier: MIT */
/* POSIX.1-2008 has no locks on bytes that belong to an open file: those of a process would end with any close. */
#include "os/queue.h"

uint64_t fz_queue_join(int fd)
{
    (void)fd;
    return 0;
}

uint64_t fz_queue_ahead(int fd, uint64_t from, uint64_t place)
{
    (void)fd;
    (void)from;
    (void)place;
    return 0;
}

bool fz_queue_is_empty(int fd)
{
    (void)fd;
    return true;
}

void fz_queue_enter(int fd, uint64_t place)
{
    (void)fd;
    (void)place;
}

uint64_t fz_queue_inside(int fd)
{
    (void)fd;
    return 0;
}

void fz_queue_leave(int fd)
{
    (void)fd;
}
