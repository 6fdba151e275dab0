/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* F_OFD_SETLK: locks of an open file, whichever process has it */
#include "os/queue.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Bytes of the file, which need not be there: the places of waiters, and above them the place of the one inside. */
enum { FIRST_PLACE = 1, PLACES_END = 1 << 30 };

/* 0 or an errno. */
static int lock_bytes(int fd, int type, uint64_t first, uint64_t count)
{
    struct flock lock = {
        .l_type = (short)type, .l_whence = SEEK_SET, .l_start = (off_t)first, .l_len = (off_t)count, .l_pid = 0};

    while (fcntl(fd, F_OFD_SETLK, &lock) != 0) {
        if (errno != EINTR)
            return errno;
    }
    return 0;
}

/* Finds another process's lock on the bytes from `first` to before `end`, as a rule the oldest one. */
static bool find_lock(int fd, uint64_t first, uint64_t end, struct flock *ret)
{
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)first, .l_len = (off_t)(end - first), .l_pid = 0};

    if (first >= end || fcntl(fd, F_OFD_GETLK, &lock) != 0 || lock.l_type == F_UNLCK)
        return false;
    *ret = lock;
    /* One without an end stands for a lock on the whole file, as a network's file system makes it of an flock. */
    return lock.l_len != 0;
}

/* Whether another process has that byte, and all that come after it: then no place is free. */
static bool is_locked_for_good(int fd, uint64_t place)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)place, .l_len = 1, .l_pid = 0};

    return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_len == 0;
}

uint64_t fz_queue_join(int fd)
{
    uint64_t place = FIRST_PLACE;
    struct flock other;
    int err = EAGAIN;

    /* Others may be faster, and have the place when it is to be locked. */
    while (place < PLACES_END && (err == EAGAIN || err == EACCES)) {
        while (find_lock(fd, place, PLACES_END, &other))
            place = (uint64_t)(other.l_start + other.l_len);
        err = place < PLACES_END ? lock_bytes(fd, F_WRLCK, place, 1) : EAGAIN;
        if (err == 0)
            return place;
        if (is_locked_for_good(fd, place))
            return 0;
        place++;
    }
    return 0;
}

uint64_t fz_queue_ahead(int fd, uint64_t from, uint64_t place)
{
    struct flock other;

    return find_lock(fd, from + 1, place, &other) ? (uint64_t)other.l_start : 0;
}

bool fz_queue_is_empty(int fd)
{
    return fz_queue_ahead(fd, 0, PLACES_END) == 0;
}

/* In this order, so that nobody sees neither. */
void fz_queue_enter(int fd, uint64_t place)
{
    (void)lock_bytes(fd, F_WRLCK, PLACES_END + place, 1);
    (void)lock_bytes(fd, F_UNLCK, place, 1);
}

uint64_t fz_queue_inside(int fd)
{
    struct flock other;

    return find_lock(fd, PLACES_END, UINT64_C(2) * PLACES_END, &other) ? (uint64_t)other.l_start - PLACES_END : 0;
}

void fz_queue_leave(int fd)
{
    (void)lock_bytes(fd, F_UNLCK, 0, 0);
}
