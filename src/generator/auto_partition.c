/* SPDX-License-Identifier: MIT */
#include "auto_partition.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "core/sentence.h"
#include "os/clock.h"
#include "os/memory.h"

enum { PARTITIONS = 65536, SNO_TICK_MS = 4 };

/* On a page that children share, so that a parent and its child never draw the same one. */
struct pool {
    _Atomic uint32_t drawn;
    uint32_t first;
};

static struct pool *pool;
static pthread_once_t pool_once = PTHREAD_ONCE_INIT;

static void open_pool(void)
{
    struct pool *page = fz_map_shared(sizeof *page);

    if (page == NULL)
        return;
    page->first = (uint32_t)(fz_real_now().unix_ms / SNO_TICK_MS) % PARTITIONS;
    pool = page;
}

frazil_err fz_auto_partition(uint32_t *ret, frazil_error *reterr)
{
    pthread_once(&pool_once, open_pool);
    if (pool == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");

    uint32_t drawn = atomic_load_explicit(&pool->drawn, memory_order_relaxed);
    do {
        if (drawn == PARTITIONS)
            return fz_fail(reterr, FRAZIL_EPOOL,
                           "worker=auto: all 65536 partitions of this process are taken: share generators, or give "
                           "each a worker of its own");
    } while (!atomic_compare_exchange_weak_explicit(&pool->drawn, &drawn, drawn + 1, memory_order_relaxed,
                                                    memory_order_relaxed));
    *ret = (pool->first + drawn) % PARTITIONS;
    return FRAZIL_OK;
}
