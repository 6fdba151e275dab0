/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* madvise, MAP_ANONYMOUS */
#include "memory.h"

#include <stddef.h>
#include <sys/mman.h>

/* No kernel knows this advice; one that accepts it accepts anything and wipes nothing. */
#define UNKNOWN_ADVICE 0x7ffffff

static void *map(size_t size, int flags)
{
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

    return pages == MAP_FAILED ? NULL : pages;
}

void *fz_map_shared(size_t size)
{
    return map(size, MAP_SHARED);
}

static bool wipe_on_fork(void *pages, size_t size)
{
#ifdef MADV_WIPEONFORK
    return madvise(pages, size, UNKNOWN_ADVICE) != 0 && madvise(pages, size, MADV_WIPEONFORK) == 0;
#else
    (void)pages;
    (void)size;
    return false;
#endif
}

void *fz_map_wiped(size_t size, bool *ret_wiped)
{
    void *pages = map(size, MAP_PRIVATE);

    if (pages != NULL)
        *ret_wiped = wipe_on_fork(pages, size);
    return pages;
}

void fz_unmap(void *pages, size_t size)
{
    if (pages != NULL)
        munmap(pages, size);
}
