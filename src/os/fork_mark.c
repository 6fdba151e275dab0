/* SPDX-License-Identifier: MIT */
#include "fork_mark.h"

#include <stddef.h>

void fz_fork_mark_init(struct fz_fork_mark *mark, _Atomic uint64_t *wiped)
{
    mark->wiped = wiped;
    atomic_init(&mark->highest, 0);
    if (wiped == NULL)
        (void)fz_process_name();
}

uint64_t fz_fork_mark_read(struct fz_fork_mark *mark)
{
    if (mark->wiped == NULL)
        return fz_process_name();
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
