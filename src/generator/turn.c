/* SPDX-License-Identifier: MIT */
#include "turn.h"

#include <pthread.h>
#include <time.h>

#include "core/duration.h"
#include "generator_internal.h"
#include "os/deadline.h"
#include "waits.h"

/*
 * How long a process has its turn: a part of a grant, so that after a death the next one is there before the grant
 * ends, but no less than a disk or a coordinator may take.
 */
enum { TURNS_IN_A_GRANT = 8 };
static const uint64_t shortest_turn_ns = 500000000;
static const uint64_t longest_turn_ns = 10000000000;

/* Between two looks: 1 ms at first, then longer. */
static const uint64_t first_pause_ns = 1000000;
static const uint64_t longest_pause_ns = 16000000;

uint64_t fz_turn_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * FZ_NS_PER_S + (uint64_t)now.tv_nsec;
}

static uint64_t turn_ns(const frazil *gen)
{
    uint64_t ns = fz_horizon_ns(gen) / TURNS_IN_A_GRANT;

    if (ns < shortest_turn_ns)
        return shortest_turn_ns;
    return ns < longest_turn_ns ? ns : longest_turn_ns;
}

/* Never 0, which says that it is nobody's turn. */
static uint64_t now_ns(void)
{
    return fz_turn_clock_ns() | 1;
}

/* A time that lies ahead, as a process of another time namespace leaves it, is over as well. */
static bool is_over(const frazil *gen, uint64_t since_ns, uint64_t at_ns)
{
    return since_ns == 0 || at_ns - since_ns >= turn_ns(gen);
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

/*
 * *ret_since: since when it is this process's turn.  A time that has been read and is no longer there loses the
 * exchange: another process was faster, and nothing was done yet that would have to be undone.
 */
static bool begin_turn(frazil *gen, uint64_t *ret_since)
{
    _Atomic uint64_t *turn_since_ns = &gen->shared->keeper.turn_since_ns;
    uint64_t since_ns = atomic_load_explicit(turn_since_ns, memory_order_relaxed);

    *ret_since = now_ns();
    return is_over(gen, since_ns, *ret_since) &&
           atomic_compare_exchange_strong_explicit(turn_since_ns, &since_ns, *ret_since, memory_order_acquire,
                                                   memory_order_relaxed);
}

/* Another process may have taken the turn over: then it is left alone. */
static void end_turn(frazil *gen, uint64_t since_ns)
{
    (void)atomic_compare_exchange_strong_explicit(&gen->shared->keeper.turn_since_ns, &since_ns, 0,
                                                  memory_order_release, memory_order_relaxed);
}

/* ---- both ------------------------------------------------------------------------- */

bool fz_turn_try(frazil *gen, struct fz_turn *ret)
{
    struct fz_turn turn;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &turn.cancel_state);
    /* The threads first: the time that processes share would let a second one in as soon as a turn is over. */
    bool entered = enter(gen);
    if (entered && begin_turn(gen, &turn.since_ns)) {
        *ret = turn;
        return true;
    }
    if (entered)
        leave(gen);
    pthread_setcancelstate(turn.cancel_state, &(int){0});
    return false;
}

void fz_turn_end(frazil *gen, const struct fz_turn *turn)
{
    end_turn(gen, turn->since_ns);
    leave(gen);
    pthread_setcancelstate(turn->cancel_state, &(int){0});
}

/* Acquires: whoever sees that it is over goes on with what was put in force. */
bool fz_turn_is_taken(frazil *gen)
{
    uint64_t inside = atomic_load_explicit(&gen->keeper.inside, memory_order_acquire);
    uint64_t since_ns = atomic_load_explicit(&gen->shared->keeper.turn_since_ns, memory_order_acquire);

    return inside == fz_fork_mark_read(&gen->fork_mark) || !is_over(gen, since_ns, now_ns());
}

/* Sleeps, twice as long as before.  False: the time is over, or the program or the generator is about to end. */
static bool pause_until(const frazil *gen, struct fz_deadline deadline, uint64_t *pause_ns)
{
    uint64_t left_ns = fz_deadline_left_ns(deadline);

    if (left_ns == 0 || fz_waits_ended() || fz_is_stopped(gen))
        return false;
    uint64_t ns = *pause_ns < left_ns ? *pause_ns : left_ns;
    struct timespec pause = {.tv_nsec = (long)ns};
    /* A signal may end it early, and then the caller looks once more: its time is counted by the clock. */
    clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
    if (*pause_ns < longest_pause_ns)
        *pause_ns *= 2;
    return true;
}

bool fz_turn_wait(frazil *gen, struct fz_deadline deadline, struct fz_turn *ret)
{
    uint64_t pause_ns = first_pause_ns;

    while (!fz_turn_try(gen, ret)) {
        if (!pause_until(gen, deadline, &pause_ns))
            return false;
    }
    return true;
}

void fz_turn_await(frazil *gen, struct fz_deadline deadline)
{
    uint64_t pause_ns = first_pause_ns;

    while (fz_turn_is_taken(gen) && pause_until(gen, deadline, &pause_ns))
        ;
}
