/* SPDX-License-Identifier: MIT */
/*
 * Telling processes apart as POSIX does: it wipes no page in a child, but lets the
 * child count that it was forked.  Process ids alone repeat when a process has
 * ended; with the count, no process is called as one that it descends from, unless
 * it was made behind the back of fork().
 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "os/fork_mark.h"
#include "os/memory.h"

enum { PID_BITS = 32 };

/* How many forks lie between this process and the one that was started. */
static _Atomic uint64_t forks;

static void count_fork(void)
{
    atomic_fetch_add_explicit(&forks, 1, memory_order_relaxed);
}

/* No pthread_once: a child may be forked in the middle of it, and would wait for ever. */
static void begin_to_count(void)
{
    static atomic_bool begun;

    /* Without memory for it, process ids have to do. */
    if (!atomic_exchange_explicit(&begun, true, memory_order_relaxed))
        (void)pthread_atfork(NULL, NULL, count_fork);
}

bool fz_wipe_on_fork(void *pages, size_t size)
{
    (void)pages;
    (void)size;
    return false;
}

uint64_t fz_process_name(void)
{
    begin_to_count();
    return atomic_load_explicit(&forks, memory_order_relaxed) << PID_BITS | (uint32_t)getpid();
}
