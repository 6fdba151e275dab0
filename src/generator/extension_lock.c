/* SPDX-License-Identifier: MIT */
#include "extension_lock.h"

#include <pthread.h>
#include <time.h>

#include "core/duration.h"
#include "generator_internal.h"
#include "os/cancel.h"
#include "os/deadline.h"
#include "os/waits.h"

/*
 * How long a process has the lock: a part of a grant, so that after a death the next one is there before the grant
 * ends, but no less than a disk or a coordinator may take.
 */
enum { TURNS_IN_A_GRANT = 8 };
static const uint64_t shortest_hold_ns = 500000000;
static const uint64_t longest_hold_ns = 10000000000;

/*
 * Before the first grant it is not known how long one lasts, and several requests may need answers.  Processes that
 * open have as long again to go on after one that was stopped.
 */
static const uint64_t first_hold_ns = 5000000000;

/* Between two looks: 1 ms at first, then longer. */
static const uint64_t first_pause_ns = 1000000;
static const uint64_t longest_pause_ns = 16000000;

uint64_t fz_machine_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * FZ_NS_PER_S + (uint64_t)now.tv_nsec;
}

static uint64_t hold_ns(const frazil *gen)
{
    uint64_t ns = fz_horizon_ns(gen) / TURNS_IN_A_GRANT;

    if (ns == 0)
        return first_hold_ns;
    if (ns < shortest_hold_ns)
        return shortest_hold_ns;
    return ns < longest_hold_ns ? ns : longest_hold_ns;
}

/* The last bits of a time: it is never 0, which says that nobody has the lock, and how it was taken. */
enum { HOLD_TAKEN = 1, HOLD_BY_TIME = 2, HOLD_BITS = 3 };

static uint64_t now_ns(bool is_guarded)
{
    /* A little earlier, so that it never lies ahead. */
    uint64_t before_ns = (fz_machine_clock_ns() - (HOLD_BITS + 1)) & ~(uint64_t)HOLD_BITS;

    return before_ns | (uint64_t)(is_guarded ? HOLD_TAKEN : HOLD_TAKEN | HOLD_BY_TIME);
}

/* Whether only time tells when the lock is free again, because its holder has no guard. */
static bool is_by_time(uint64_t since_ns)
{
    return (since_ns & HOLD_BY_TIME) != 0;
}

/* A time that lies ahead, as a process of another time namespace leaves it, is over as well. */
static bool is_over(const frazil *gen, uint64_t since_ns, uint64_t at_ns)
{
    return since_ns == 0 || at_ns - since_ns >= hold_ns(gen);
}

bool fz_pause_longer(struct fz_deadline deadline, uint64_t *pause_ns)
{
    uint64_t left_ns = fz_deadline_left_ns(deadline);

    if (left_ns == 0)
        return false;
    if (*pause_ns == 0)
        *pause_ns = first_pause_ns;
    uint64_t ns = *pause_ns < left_ns ? *pause_ns : left_ns;
    struct timespec pause = {.tv_nsec = (long)ns};
    /* A signal may end it early, and then the caller looks once more: its time is counted by the clock. */
    clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
    if (*pause_ns < longest_pause_ns)
        *pause_ns *= 2;
    return true;
}

/* ---- threads ---------------------------------------------------------------------- */

/* The mark of a process that this one was forked from does not count: the thread that has set it is not here. */
static bool enter(frazil *gen)
{
    uint64_t process = fz_fork_mark_read(&gen->fork_mark);
    uint64_t inside = atomic_load_explicit(&gen->keeper.inside, memory_order_relaxed);

    return inside != process && atomic_compare_exchange_strong_explicit(&gen->keeper.inside, &inside, process,
                                                                        memory_order_acquire, memory_order_relaxed);
}

static void leave(frazil *gen)
{
    atomic_store_explicit(&gen->keeper.inside, 0, memory_order_release);
}

/* ---- processes -------------------------------------------------------------------- */

/* A wait for the lock; its deadline has passed if it is none. */
struct lock_wait {
    frazil *gen;
    struct fz_deadline deadline;
    bool (*is_needless)(frazil *gen);
};

/* Whether the program or the generator is about to end, or others have done what was to be done. */
static bool is_wait_over(const struct lock_wait *wait)
{
    return fz_waits_ended() || fz_is_stopped(wait->gen) || (wait->is_needless != NULL && wait->is_needless(wait->gen));
}

static uint64_t extension_since_ns(const frazil *gen)
{
    return atomic_load_explicit(&gen->shared->keeper.extension_since_ns, memory_order_relaxed);
}

/* A process that has the guard may be stopped, and then its time will be over.  0: it has just entered, or is about to
 * leave.
 */
static bool gives_up_guard(void *ctx)
{
    const struct lock_wait *wait = ctx;
    uint64_t since_ns = extension_since_ns(wait->gen);

    return is_wait_over(wait) || (since_ns != 0 && is_over(wait->gen, since_ns, fz_machine_clock_ns()));
}

/* By the guard.  False: there is none, or another process has it. */
static bool enter_lock_guard(struct lock_wait *wait, struct fz_extension_lock *lock)
{
    const struct fz_guard_wish wish = {.deadline = wait->deadline, .gives_up = gives_up_guard, .ctx = wait};
    char path[FZ_PATH_SIZE];

    return fz_store_extension_lock_file(&wait->gen->store, path) &&
           fz_guard_open_and_enter_wished(&lock->guard, path, &wish) == 0;
}

/*
 * With the guard the time of a process that was killed does not count.  A time that has been read and is no longer
 * there loses the exchange: another process was faster, and nothing was done yet that would have to be undone.
 */
static bool set_time(frazil *gen, struct fz_extension_lock *lock)
{
    uint64_t since_ns = extension_since_ns(gen);

    lock->since_ns = now_ns(lock->is_guarded);
    return ((lock->is_guarded && !is_by_time(since_ns)) || is_over(gen, since_ns, lock->since_ns)) &&
           atomic_compare_exchange_strong_explicit(&gen->shared->keeper.extension_since_ns, &since_ns, lock->since_ns,
                                                   memory_order_acquire, memory_order_relaxed);
}

/* By the guard if that is free, else by the time. */
static bool begin_hold(struct lock_wait *wait, struct fz_extension_lock *lock)
{
    uint64_t pause_ns = 0;

    lock->is_guarded = enter_lock_guard(wait, lock);
    while (!set_time(wait->gen, lock)) {
        if (is_wait_over(wait) || !fz_pause_longer(wait->deadline, &pause_ns)) {
            if (lock->is_guarded)
                fz_guard_leave_for_good(&lock->guard);
            return false;
        }
    }
    return true;
}

/* Another process may have taken the lock over: then it is left alone. */
static void end_hold(frazil *gen, uint64_t since_ns)
{
    (void)atomic_compare_exchange_strong_explicit(&gen->shared->keeper.extension_since_ns, &since_ns, 0,
                                                  memory_order_release, memory_order_relaxed);
}

/* ---- both ------------------------------------------------------------------------- */

/* The threads first: the time that processes share would let a second one in as soon as a hold is over. */
static bool take_lock(struct lock_wait *wait, struct fz_extension_lock *ret)
{
    struct fz_extension_lock lock = {.is_guarded = false};

    lock.cancel_state = fz_cancel_off();
    bool entered = enter(wait->gen);
    if (entered && begin_hold(wait, &lock)) {
        *ret = lock;
        return true;
    }
    if (entered)
        leave(wait->gen);
    fz_cancel_as(lock.cancel_state);
    return false;
}

bool fz_extension_lock_try(frazil *gen, struct fz_extension_lock *ret)
{
    struct lock_wait wait = {.gen = gen, .deadline = fz_deadline_in(0)};

    return take_lock(&wait, ret);
}

void fz_extension_lock_release(frazil *gen, const struct fz_extension_lock *lock)
{
    end_hold(gen, lock->since_ns);
    if (lock->is_guarded) {
        struct fz_guard guard = lock->guard;
        fz_guard_leave_for_good(&guard);
    }
    leave(gen);
    fz_cancel_as(lock->cancel_state);
}

/* Whether the process that set the time no longer holds the guard: it was killed. */
static bool is_abandoned(const frazil *gen, uint64_t since_ns)
{
    struct fz_guard guard;
    char path[FZ_PATH_SIZE];

    if (is_by_time(since_ns) || !fz_store_extension_lock_file(&gen->store, path) ||
        fz_guard_open_and_enter(&guard, path, fz_deadline_in(0)) != 0)
        return false;
    fz_guard_leave_for_good(&guard);
    return true;
}

/* Acquires: a thread that sees that it is over goes on with the grant that was put in force. */
bool fz_extension_lock_is_held(frazil *gen)
{
    uint64_t inside = atomic_load_explicit(&gen->keeper.inside, memory_order_acquire);
    uint64_t since_ns = atomic_load_explicit(&gen->shared->keeper.extension_since_ns, memory_order_acquire);

    return inside == fz_fork_mark_read(&gen->fork_mark) ||
           (!is_over(gen, since_ns, fz_machine_clock_ns()) && !is_abandoned(gen, since_ns));
}

bool fz_extension_lock_wait(frazil *gen, struct fz_deadline deadline, bool (*is_needless)(frazil *gen),
                            struct fz_extension_lock *ret)
{
    struct lock_wait wait = {.gen = gen, .deadline = deadline, .is_needless = is_needless};
    uint64_t pause_ns = 0;

    while (!take_lock(&wait, ret)) {
        if (is_wait_over(&wait) || !fz_pause_longer(deadline, &pause_ns))
            return false;
    }
    return true;
}

void fz_extension_lock_await(frazil *gen, struct fz_deadline deadline)
{
    struct lock_wait wait = {.gen = gen};
    uint64_t pause_ns = 0;

    while (fz_extension_lock_is_held(gen) && !is_wait_over(&wait) && fz_pause_longer(deadline, &pause_ns))
        ;
}
