/* SPDX-License-Identifier: MIT */
#include "fork_mark.h"

#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PID_BITS = 32 };

/* Without a page that is wiped: process ids repeat only in other namespaces, or when their process has ended. */
static uint64_t name_process(void)
{
    struct stat space;
    uint64_t inode = stat("/proc/self/ns/pid", &space) == 0 ? (uint64_t)space.st_ino : 0;

    return inode << PID_BITS | (uint32_t)getpid();
}

void fz_fork_mark_init(struct fz_fork_mark *mark, _Atomic uint64_t *wiped)
{
    mark->wiped = wiped;
    atomic_init(&mark->highest, 0);
}

uint64_t fz_fork_mark_read(struct fz_fork_mark *mark)
{
    if (mark->wiped == NULL)
        return name_process();
    uint64_t number = atomic_load_explicit(mark->wiped, memory_order_acquire);
    if (number != 0)
        return number;
    /* Raised first: a child that is forked in between must not take the same number. */
    uint64_t own = atomic_fetch_add_explicit(&mark->highest, 1, memory_order_acq_rel) + 1;
    /* Another thread may have been faster; its number counts. */
    return atomic_compare_exchange_strong_explicit(mark->wiped, &number, own, memory_order_acq_rel,
                                                   memory_order_acquire)
               ? own
               : number;
}
