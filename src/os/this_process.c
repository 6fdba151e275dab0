/* SPDX-License-Identifier: MIT */
#include "this_process.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "fork_mark.h"
#include "memory.h"

/* A child inherits it, and reads another number from it. */
static struct fz_fork_mark *_Atomic process_mark;
static void *_Atomic process_kept[FZ_KEPT_TOTAL];

/* Given out once, by and by. */
static alignas(max_align_t) unsigned char process_store[1024];
static _Atomic size_t process_store_used;

void *fz_process_alloc(size_t size)
{
    size_t rounded = (size + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
    size_t used = atomic_load_explicit(&process_store_used, memory_order_relaxed);

    while (rounded <= sizeof process_store - used) {
        if (atomic_compare_exchange_weak_explicit(&process_store_used, &used, used + rounded, memory_order_relaxed,
                                                  memory_order_relaxed))
            return process_store + used;
    }
    return calloc(1, size);
}

void fz_process_free(void *memory)
{
    uintptr_t at = (uintptr_t)memory;

    if (at < (uintptr_t)process_store || at >= (uintptr_t)(process_store + sizeof process_store))
        free(memory);
}

/* The mark after this thread has made one; NULL: there is no memory for it. */
static struct fz_fork_mark *make_process_mark(void)
{
    struct fz_fork_mark *mark = NULL;
    struct fz_fork_mark *own = fz_process_alloc(sizeof *own);
    bool wiped;

    if (own == NULL)
        return NULL;
    _Atomic uint64_t *page = fz_map_wiped(sizeof *page, &wiped);
    fz_fork_mark_init(own, page != NULL && wiped ? page : NULL);
    if (atomic_compare_exchange_strong_explicit(&process_mark, &mark, own, memory_order_acq_rel, memory_order_acquire))
        return own;
    fz_unmap(page, sizeof *page); /* another thread was faster */
    fz_process_free(own);
    return mark;
}

uint64_t fz_this_process(void)
{
    struct fz_fork_mark *mark = atomic_load_explicit(&process_mark, memory_order_acquire);

    if (mark == NULL)
        mark = make_process_mark();
    return mark == NULL ? 0 : fz_fork_mark_read(mark);
}

void *fz_process_kept(enum fz_kept kind)
{
    return atomic_load_explicit(&process_kept[kind], memory_order_acquire);
}

bool fz_process_keep(enum fz_kept kind, void *before, void *after)
{
    return atomic_compare_exchange_strong_explicit(&process_kept[kind], &before, after, memory_order_acq_rel,
                                                   memory_order_acquire);
}
