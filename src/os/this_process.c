/* SPDX-License-Identifier: MIT */
#include "this_process.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "fork_mark.h"
#include "memory.h"

/* A child inherits it, and reads another number from it. */
static struct fz_fork_mark *_Atomic process_mark;
static void *_Atomic process_kept;

/* The mark after this thread has made one; NULL: there is no memory for it. */
static struct fz_fork_mark *make_process_mark(void)
{
    struct fz_fork_mark *mark = NULL;
    struct fz_fork_mark *own = malloc(sizeof *own);
    bool wiped;

    if (own == NULL)
        return NULL;
    _Atomic uint64_t *page = fz_map_wiped(sizeof *page, &wiped);
    fz_fork_mark_init(own, page != NULL && wiped ? page : NULL);
    if (atomic_compare_exchange_strong_explicit(&process_mark, &mark, own, memory_order_acq_rel, memory_order_acquire))
        return own;
    fz_unmap(page, sizeof *page); /* another thread was faster */
    free(own);
    return mark;
}

uint64_t fz_this_process(void)
{
    struct fz_fork_mark *mark = atomic_load_explicit(&process_mark, memory_order_acquire);

    if (mark == NULL)
        mark = make_process_mark();
    return mark == NULL ? 0 : fz_fork_mark_read(mark);
}

void *fz_process_kept(void)
{
    return atomic_load_explicit(&process_kept, memory_order_acquire);
}

bool fz_process_keep(void *before, void *after)
{
    return atomic_compare_exchange_strong_explicit(&process_kept, &before, after, memory_order_acq_rel,
                                                   memory_order_acquire);
}
