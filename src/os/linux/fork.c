/* SPDX-License-Identifier: MIT */
/* Telling processes apart as Linux does: pages that it wipes in a child, and namespaces of process ids. */
#define _DEFAULT_SOURCE /* madvise */
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/fork_mark.h"
#include "os/memory.h"

enum { PID_BITS = 32 };

/* No kernel knows this advice; one that accepts it accepts anything and wipes nothing. */
#define UNKNOWN_ADVICE 0x7ffffff

bool fz_wipe_on_fork(void *pages, size_t size)
{
#ifdef MADV_WIPEONFORK
    return madvise(pages, size, UNKNOWN_ADVICE) != 0 && madvise(pages, size, MADV_WIPEONFORK) == 0;
#else
    (void)pages;
    (void)size;
    return false;
#endif
}

/* Process ids repeat only in other namespaces, or when their process has ended. */
uint64_t fz_process_name(void)
{
    struct stat space;
    uint64_t inode = stat("/proc/self/ns/pid", &space) == 0 ? (uint64_t)space.st_ino : 0;

    return inode << PID_BITS | (uint32_t)getpid();
}
