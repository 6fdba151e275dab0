/* SPDX-License-Identifier: MIT */
/*
 * Background jobs: work that may block, done by a thread of its own while the caller waits for no longer than it wants
 * to.  An exchange with a coordinator is not cut off, because a swap whose answer is lost burns the grant: it goes on
 * behind the caller's back, until its own timeout.
 */
#ifndef FZ_GENERATOR_BACKGROUND_JOB_H
#define FZ_GENERATOR_BACKGROUND_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "core/deadline.h"
#include "frazil/generator.h"

/* The work.  If it fails, it says why in *reterr. */
typedef frazil_err (*fz_background_fn)(frazil *gen, struct fz_deadline deadline, frazil_error *reterr);

/* How the wait for a job ends. */
enum fz_background {
    FZ_BACKGROUND_ENDED,     /* it is done */
    FZ_BACKGROUND_GOES_ON,   /* it goes on in its thread */
    FZ_BACKGROUND_NO_THREAD, /* no thread could be created: nothing was done */
};

/* How long a caller waits for a job. */
struct fz_background_wait {
    struct fz_deadline until;
    bool (*is_over)(const frazil *gen); /* asked each 100 ms; NULL: gen may be freed meanwhile, and no cancellation */
};

/*
 * Lets another thread, which takes no signals, do run(gen, deadline), and waits for it.  FZ_BACKGROUND_ENDED: *ret_err
 * is its result, and *reterr, which may be NULL, is filled on failure.  With is_over the caller can be cancelled where
 * it waits, and the job goes on.
 */
FZ_PRIVATE enum fz_background fz_background_run(frazil *gen, fz_background_fn run, struct fz_deadline deadline,
                                                const struct fz_background_wait *wait, frazil_err *ret_err,
                                                frazil_error *reterr);

#endif
