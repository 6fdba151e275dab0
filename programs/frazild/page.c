/* SPDX-License-Identifier: MIT */
#include "page.h"

#include "files.h"

#include <stdlib.h>

#define PAGE_BYTES_MAX ((size_t)4 << 20)

struct page *page_read(const char *path, const char **ret_why)
{
    struct page *page = calloc(1, sizeof *page);

    *ret_why = page != NULL ? file_read(path, PAGE_BYTES_MAX, &page->bytes, NULL) : "out of memory";
    if (*ret_why != NULL) {
        free(page);
        return NULL;
    }
    atomic_init(&page->holders, 1);
    return page;
}

struct page *page_hold(struct page *page)
{
    (void)atomic_fetch_add(&page->holders, 1);
    return page;
}

void page_release(struct page *page)
{
    if (page == NULL || atomic_fetch_sub(&page->holders, 1) != 1)
        return;
    bytes_free(&page->bytes);
    free(page);
}
