/* SPDX-License-Identifier: MIT */
/*
 * Worker numbers of one host: the lowest one whose lock file, worker-N.lock in
 * the run directory, nobody holds.  The lock is an flock and lasts until the
 * process ends, however it ends.  A forked child holds it together with its
 * parent, with whom it shares the generator's word, until both have ended; a
 * program that it executes does not.
 */
#ifndef FZ_OS_WORKER_LOCK_H
#define FZ_OS_WORKER_LOCK_H

#include <stdint.h>

#include "frazil/error.h"
#include "kept_fd.h"

struct fz_worker_lock {
    void *page; /* of the lock file: keeps the lock when the program closes all descriptors, as daemons do */
    struct fz_kept_fd file; /* keeps it on an overlay, where a mapping does not */
    uint32_t worker;
};

/*
 * Takes the lowest free number from base to base + count - 1 (count >= 1, no
 * overflow).  FRAZIL_EPOOL: all are taken; the sentence names the directory and
 * the processes that hold them.  FRAZIL_ESYS: a lock file cannot be made, opened
 * or locked.  Any thread; the same process can take several.
 */
FZ_PRIVATE frazil_err fz_worker_lock_take(struct fz_worker_lock *ret, const char *directory, uint32_t base,
                                          uint32_t count, frazil_error *reterr);

/* Gives the number back, as far as this process is concerned. */
FZ_PRIVATE void fz_worker_lock_release(struct fz_worker_lock *lock);

#endif
