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

/*
 * Lets another thread, which takes no signals, do run(gen, deadline), and waits for it until then.
 * True: it is done, *ret_err is its result, and *reterr, which may be NULL, is filled on failure.  False: it goes on.
 * If no thread can be created, the caller does the work.
 */
FZ_PRIVATE bool fz_background_run(frazil *gen, fz_background_fn run, struct fz_deadline deadline,
                                  struct fz_deadline until, frazil_err *ret_err, frazil_error *reterr);

#endif
