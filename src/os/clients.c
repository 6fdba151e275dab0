/* SPDX-License-Identifier: MIT */
#include "clients.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "clock.h"
#include "core/sentence.h"
#include "deadline.h"
#include "fork_mark.h"
#include "memory.h"

/*
 * A word: the process that has written it, whether that one was forked in a bad moment or is about to end, and how many
 * of its threads are inside.  A child finds its parent's word, as it was when the child was born.
 */
#define CLIENTS_INSIDE UINT64_C(0x3fff)
#define CLIENTS_ENDED UINT64_C(0x4000)
#define CLIENTS_BARRED UINT64_C(0x8000)
#define CLIENTS_PROCESS (~UINT64_C(0xffff))

struct fz_clients {
    struct fz_fork_mark mark; /* not that of this_process.h, of which each copy has its own */
    _Atomic uint64_t word;
    pthread_key_t thread; /* what follows, of each thread: libraries that are loaded later make no thread-locals */
};

/* Of a thread: whether it was ever inside, whether it is ending, and above these two bits how deep it is inside. */
#define CLIENTS_KNOWN 1U
#define CLIENTS_ENDING 2U
#define CLIENTS_DEPTH_SHIFT 2

static struct fz_clients *_Atomic clients_shared;

/* How long the end of a process waits for those inside. */
static const uint64_t clients_end_ns = 1000000000;
static const uint64_t clients_look_ns = 1000000;

/* Which process calls, in the place that a word has for it.  A mark may have all 64 bits, so they are mixed. */
static uint64_t clients_process(struct fz_clients *clients)
{
    return fz_fork_mark_read(&clients->mark) * UINT64_C(0x9e3779b97f4a7c15) & CLIENTS_PROCESS;
}

/* The word of this process, where an ancestor may have written the last one. */
static uint64_t clients_own_word(uint64_t word, uint64_t process)
{
    if ((word & CLIENTS_PROCESS) == process)
        return word;
    return (word & ~CLIENTS_PROCESS) != 0 ? process | CLIENTS_BARRED : process;
}

/* Before anything in there is written, as a child may see it: the fence keeps the order.  False: the process ends. */
static bool clients_go_in(struct fz_clients *clients)
{
    uint64_t process = clients_process(clients);
    uint64_t word = atomic_load_explicit(&clients->word, memory_order_relaxed);
    uint64_t inside;

    do
        inside = clients_own_word(word, process) + 1;
    while (!atomic_compare_exchange_weak(&clients->word, &word, inside));
    atomic_thread_fence(memory_order_seq_cst);
    return (inside & CLIENTS_ENDED) == 0;
}

static void clients_go_out(struct fz_clients *clients)
{
    atomic_thread_fence(memory_order_seq_cst);
    atomic_fetch_sub(&clients->word, 1);
}

/*
 * For threads that cannot turn back.  The process may be ending when they return: they wait for its end outside, and
 * not for ever, as it may itself wait for them.
 */
static bool clients_come_back(struct fz_clients *clients)
{
    const struct timespec pause = {.tv_sec = 1};
    bool may_enter = clients_go_in(clients);

    if (!may_enter) {
        clients_go_out(clients);
        clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
        (void)clients_go_in(clients);
    }
    return may_enter;
}

/*
 * A thread ends that was once inside.  OpenSSL then clears up after it, under a lock of its own, in a destructor like
 * this one.  So the thread goes in, and out when the system calls the destructors once more, which it does for the
 * value that is left here.  OpenSSL's was made later than this one, and so is called later, unless the program itself
 * had used it before.
 */
static void clients_end_thread(void *value)
{
    struct fz_clients *clients = atomic_load_explicit(&clients_shared, memory_order_acquire);
    uintptr_t state = (uintptr_t)value;

    if (state >> CLIENTS_DEPTH_SHIFT > 0)
        return; /* it ends inside, where it was cancelled, and what it holds there stays held */
    if ((state & CLIENTS_ENDING) != 0) {
        clients_go_out(clients);
        return;
    }
    (void)clients_come_back(clients);
    if (pthread_setspecific(clients->thread, (const void *)(uintptr_t)(CLIENTS_KNOWN | CLIENTS_ENDING)) != 0)
        clients_go_out(clients);
}

static struct fz_clients *clients_make(void)
{
    struct fz_clients *clients = calloc(1, sizeof *clients);
    bool wiped = false;

    if (clients == NULL)
        return NULL;
    if (pthread_key_create(&clients->thread, clients_end_thread) != 0) {
        free(clients);
        return NULL;
    }
    _Atomic uint64_t *page = fz_map_wiped(sizeof *page, &wiped);
    if (page != NULL && !wiped) {
        fz_unmap(page, sizeof *page);
        page = NULL;
    }
    fz_fork_mark_init(&clients->mark, page);
    atomic_init(&clients->word, clients_process(clients));
    return clients;
}

struct fz_clients *fz_clients_share(struct fz_clients *given)
{
    struct fz_clients *shared = atomic_load_explicit(&clients_shared, memory_order_acquire);

    if (shared != NULL)
        return shared;
    struct fz_clients *own = given != NULL ? given : clients_make();
    if (own == NULL || atomic_compare_exchange_strong_explicit(&clients_shared, &shared, own, memory_order_acq_rel,
                                                               memory_order_acquire))
        return own;
    if (given == NULL) { /* another thread was faster */
        fz_unmap(own->mark.wiped, sizeof *own->mark.wiped);
        (void)pthread_key_delete(own->thread);
        free(own);
    }
    return shared;
}

frazil_err fz_clients_check(struct fz_clients *clients, frazil_error *reterr)
{
    uint64_t word = atomic_load_explicit(&clients->word, memory_order_relaxed);

    word = clients_own_word(word, clients_process(clients));
    if ((word & CLIENTS_ENDED) != 0)
        return fz_fail(reterr, FRAZIL_ESYS, "this process is about to end (exit): close generators before it does");
    if ((word & CLIENTS_BARRED) == 0)
        return FRAZIL_OK;
    return fz_fail(reterr, FRAZIL_ESYS,
                   "this process was forked while another thread was inside a client library, or was loading one, so "
                   "that its locks are held here for ever: open generators before you fork, or let the child execute a "
                   "program");
}

static uintptr_t clients_thread(const struct fz_clients *clients)
{
    return clients == NULL ? 0 : (uintptr_t)pthread_getspecific(clients->thread);
}

/* How deep this thread is inside. */
static uintptr_t clients_depth(const struct fz_clients *clients)
{
    return clients_thread(clients) >> CLIENTS_DEPTH_SHIFT;
}

/* False: out of memory, which is so at the first time in a thread alone. */
static bool clients_set_depth(const struct fz_clients *clients, uintptr_t depth)
{
    uintptr_t state = depth << CLIENTS_DEPTH_SHIFT | (clients_thread(clients) & CLIENTS_ENDING) | CLIENTS_KNOWN;

    return pthread_setspecific(clients->thread, (const void *)state) == 0;
}

frazil_err fz_clients_enter(frazil_error *reterr)
{
    struct fz_clients *clients = fz_clients_share(NULL);
    uintptr_t depth = clients_depth(clients);

    frazil_err err = clients != NULL ? fz_clients_check(clients, reterr) : FRAZIL_OK;
    if (err != FRAZIL_OK)
        return err;
    if (clients == NULL || !clients_set_depth(clients, depth + 1))
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    if (depth > 0 || clients_go_in(clients))
        return FRAZIL_OK;
    fz_clients_leave(); /* it has come too late */
    return fz_clients_check(clients, reterr);
}

void fz_clients_leave(void)
{
    struct fz_clients *clients = fz_clients_share(NULL);
    uintptr_t depth = clients_depth(clients);

    (void)clients_set_depth(clients, depth - 1);
    if (depth == 1)
        clients_go_out(clients);
}

/* Most threads that wait are in no client library, and many processes have none: the count is not made for them. */
void fz_clients_pause(void)
{
    struct fz_clients *clients = atomic_load_explicit(&clients_shared, memory_order_acquire);

    if (clients_depth(clients) > 0)
        clients_go_out(clients);
}

bool fz_clients_resume(void)
{
    struct fz_clients *clients = atomic_load_explicit(&clients_shared, memory_order_acquire);

    return clients_depth(clients) == 0 || clients_come_back(clients);
}

/* ---- the end of the process ------------------------------------------------------- */

/*
 * Each part registers it, some twice: the first call waits for all.  The thread that ends the process may be inside
 * itself, and does not wait for that.
 */
static void clients_end(void)
{
    struct fz_clients *clients = fz_clients_share(NULL);
    struct fz_deadline deadline = fz_deadline_in(clients_end_ns);
    frazil_clock clock = fz_real_clock();

    if (clients == NULL)
        return;
    uint64_t process = clients_process(clients);
    uint64_t own = clients_depth(clients) > 0 ? 1 : 0;
    uint64_t word = atomic_load_explicit(&clients->word, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(&clients->word, &word, clients_own_word(word, process) | CLIENTS_ENDED))
        ;
    if ((clients_own_word(word, process) & CLIENTS_ENDED) != 0)
        return;
    while ((atomic_load(&clients->word) & CLIENTS_INSIDE) > own && fz_deadline_left_ns(deadline) > 0)
        clock.sleep_until(clock.ctx, fz_deadline_in(clients_look_ns).at_ns);
}

/* Out of memory: then it is as if nobody had asked for it. */
void fz_clients_end_at_exit(void)
{
    (void)atexit(clients_end);
}
