/* SPDX-License-Identifier: MIT */
/*
 * The lock that a process holds while it extends the grant.
 *
 * Two threads of a process must never be at it at once: they share the granter's
 * connection.  The process's fork mark in its own memory sees to that.
 *
 * Two processes may, but would do the work twice: the ring, the grant file and
 * the registers hold for any number of them, of which one is then told that the
 * others were faster.
 *
 * The holder has entered the guard of a file beside the
 * page, for which the others wait in order, and which the kernel takes from one that
 * is killed.  The page says since when a process is at it, and after a while any other
 * may take the lock: the one before is stopped, or waits for a coordinator that is
 * slow.  Where the page lies in no file, as among a parent and its children, that time
 * is all there is.  The page holds no pointer and no process id: nothing in it can lead
 * astray a process that maps it.
 */
#ifndef FZ_GENERATOR_EXTENSION_LOCK_H
#define FZ_GENERATOR_EXTENSION_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/deadline.h"
#include "frazil/generator.h"
#include "os/guard.h"

/* The lock, held. */
struct fz_extension_lock {
    uint64_t since_ns;     /* monotonic */
    int cancel_state;      /* of the thread, before */
    bool is_guarded;       /* it was taken by the guard, not by the time */
    struct fz_guard guard; /* entered, if it is */
};

/*
 * Takes the lock; false: another thread or process has it.  Until fz_extension_lock_release the
 * thread cannot be cancelled, which would leave the lock taken.
 */
FZ_PRIVATE bool fz_extension_lock_try(frazil *gen, struct fz_extension_lock *ret);

/*
 * The same; waits for it up to the deadline, in the order of arrival, or until there is no need any more
 * (is_needless; NULL: there always is).
 */
FZ_PRIVATE bool fz_extension_lock_wait(frazil *gen, struct fz_deadline deadline, bool (*is_needless)(frazil *gen),
                                       struct fz_extension_lock *ret);

/* Releases the lock that this thread took. */
FZ_PRIVATE void fz_extension_lock_release(frazil *gen, const struct fz_extension_lock *lock);

/* Whether a thread or a process has the lock. */
FZ_PRIVATE bool fz_extension_lock_is_held(frazil *gen);

/* Waits until nobody has it, up to the deadline: that process may be stopped. */
FZ_PRIVATE void fz_extension_lock_await(frazil *gen, struct fz_deadline deadline);

/* The monotonic clock of the machine. */
FZ_PRIVATE uint64_t fz_machine_clock_ns(void);

/*
 * Sleeps between two looks at something that others do: a millisecond if *pause_ns is 0, and from then on twice as long
 * each time, up to 16.  False: the deadline is over.  A point of cancellation.  Any thread.
 */
FZ_PRIVATE bool fz_pause_longer(struct fz_deadline deadline, uint64_t *pause_ns);

#endif
