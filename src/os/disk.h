/* SPDX-License-Identifier: MIT */
/* What a directory lies on, and whether locks in it hold. */
#ifndef FZ_OS_DISK_H
#define FZ_OS_DISK_H

#include <stdbool.h>
#include <stdint.h>

enum fz_disk_kind {
    FZ_DISK_LASTING, /* a disk of this host, as far as can be seen */
    FZ_DISK_MEMORY,  /* gone after a boot */
    FZ_DISK_LAYER,   /* a container's own: gone with it */
    FZ_DISK_REMOTE   /* other hosts may have it, too */
};

struct fz_disk {
    enum fz_disk_kind kind;
    uint64_t free_bytes; /* for this user */
    bool open_to_others; /* others than its owner may make files in it */
};

/* 0 or an errno. */
FZ_PRIVATE int fz_disk_look(const char *directory, struct fz_disk *ret);

/*
 * Whether an flock that one process holds keeps another one out: tried, with a
 * file doctor.lock in the directory and a child process.  0 or an errno.  Not for
 * programs with a handler for the end of a child.
 */
FZ_PRIVATE int fz_disk_try_flock(const char *directory, bool *ret_works);

#endif
