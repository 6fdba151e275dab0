/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the same as test_fork.c, where the kernel wipes no page in
 * a child.  src/os/memory.c is replaced by what is written here.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "os/memory.h"

#include <sys/mman.h>

#include "lib/forks.h"

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
    *ret_wiped = false;
    return map(size, MAP_PRIVATE);
}

void fz_unmap(void *pages, size_t size)
{
    if (pages != NULL)
        munmap(pages, size);
}

int main(void)
{
    return forks_run(false);
}
