/* SPDX-License-Identifier: MIT */
/*
 * The descriptor that becomes readable when an event is told.  A process makes it when it is first asked for it, and a
 * child makes another one: which process it is for stands beside it.
 *
 * One that a thread may be using is closed by frazil_close alone.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/sentence.h"
#include "generator_internal.h"
#include "os/fail_errno.h"
#include "os/notice.h"

struct fz_event_wake {
    struct fz_notice notice;
    uint64_t process;             /* by its mark */
    struct fz_event_wake *former; /* which this one has replaced; NULL: none */
};

static bool is_own(frazil *gen, const struct fz_event_wake *wake)
{
    return wake != NULL && wake->process == fz_fork_mark_read(&gen->fork_mark);
}

/*
 * The wake of this process; NULL: no thread has asked for it.  Read by an exchange: of a thread that has told an event
 * and one that has just asked for the descriptor, at least one sees what the other has done.
 */
static struct fz_event_wake *current_wake(frazil *gen)
{
    struct fz_event_wake *wake = atomic_load_explicit(&gen->events.wake, memory_order_relaxed);

    while (!atomic_compare_exchange_weak_explicit(&gen->events.wake, &wake, wake, memory_order_acq_rel,
                                                  memory_order_acquire))
        ;
    return is_own(gen, wake) ? wake : NULL;
}

void fz_events_signal(frazil *gen)
{
    const struct fz_event_wake *wake = current_wake(gen);

    if (wake != NULL)
        fz_notice_signal(&wake->notice);
}

bool fz_events_drain(frazil *gen)
{
    const struct fz_event_wake *wake = current_wake(gen);

    return wake != NULL && fz_notice_drain(&wake->notice);
}

void fz_events_close(frazil *gen)
{
    struct fz_event_wake *wake = atomic_load_explicit(&gen->events.wake, memory_order_acquire);

    while (wake != NULL) {
        struct fz_event_wake *former = wake->former;
        fz_notice_close(&wake->notice);
        free(wake);
        wake = former;
    }
}

/* Puts a new one in place of that one, unless another thread has: in either case there is another one now. */
static frazil_err replace_wake(frazil *gen, struct fz_event_wake *former, frazil_error *reterr)
{
    bool is_inherited = former != NULL && !is_own(gen, former);
    struct fz_event_wake *wake = calloc(1, sizeof *wake);

    if (wake == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    int sys = fz_notice_open(&wake->notice);
    if (sys != 0) {
        free(wake);
        return fz_fail_errno(reterr, sys, "the system cannot create a descriptor for events", NULL, "");
    }
    wake->process = fz_fork_mark_read(&gen->fork_mark);
    wake->former = former;
    fz_notice_signal(&wake->notice); /* there may be events already */
    if (atomic_compare_exchange_strong_explicit(&gen->events.wake, &former, wake, memory_order_acq_rel,
                                                memory_order_acquire)) {
        if (is_inherited)
            fz_notice_close(&wake->former->notice); /* no thread of this process uses it */
        return FRAZIL_OK;
    }
    fz_notice_close(&wake->notice);
    free(wake);
    return FRAZIL_OK;
}

frazil_err frazil_event_fd(frazil *gen, int *ret_fd, frazil_error *reterr)
{
    for (;;) {
        struct fz_event_wake *wake = atomic_load_explicit(&gen->events.wake, memory_order_acquire);
        int fd = is_own(gen, wake) ? fz_notice_fd(&wake->notice) : -1;
        if (fd >= 0) {
            *ret_fd = fd;
            return FRAZIL_OK;
        }
        frazil_err err = replace_wake(gen, wake, reterr);
        if (err != FRAZIL_OK)
            return err;
    }
}
