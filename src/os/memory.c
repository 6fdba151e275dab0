/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "memory.h"

#include <stddef.h>
#include <sys/mman.h>

static void *map(size_t size, int flags)
{
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

    return pages == MAP_FAILED ? NULL : pages;
}

void *fz_map_shared(size_t size)
{
    return map(size, MAP_SHARED);
}

void *fz_map_wiped(size_t size, bool *ret_wiped)
{
    void *pages = map(size, MAP_PRIVATE);

    if (pages != NULL)
        *ret_wiped = fz_wipe_on_fork(pages, size);
    return pages;
}

void fz_unmap(void *pages, size_t size)
{
    if (pages != NULL)
        munmap(pages, size);
}
