/* SPDX-License-Identifier: MIT */
/*
 * The page that browsers get.  All replies share it: a client that does not read keeps no copy.
 */
#ifndef FRAZILD_PAGE_H
#define FRAZILD_PAGE_H

#include "bytes.h"

#include <stdatomic.h>

struct page {
    atomic_uint holders;
    struct bytes bytes;
};

/* Reads it.  NULL: *ret_why says why not. */
struct page *page_read(const char *path, const char **ret_why);

/* Holds it once more, or releases it; Releasing NULL does nothing.  Any thread. */
struct page *page_hold(struct page *page);
void page_release(struct page *page);

#endif
