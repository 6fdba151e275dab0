/* SPDX-License-Identifier: MIT */
/*
 * The file port: what the grant file asks of a disk and of the other processes
 * of its host.  The real one is in src/os; tests have one in memory that loses
 * power.
 *
 * Every function that can fail says why in *reterr (may be NULL); on failure it
 * is not known how much of it has happened.  One caller at a time.
 */
#ifndef FZ_LEASE_FILE_PORT_H
#define FZ_LEASE_FILE_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/bounds.h"
#include "core/deadline.h"
#include "frazil/error.h"

struct fz_file_port;

/* Looks at the file of other sequence numbers of the same worker. */
typedef frazil_err (*fz_file_visitor)(void *ctx, const struct fz_file_port *port, const struct fz_bounds *bounds,
                                      frazil_error *reterr);

struct fz_file_port {
    void *ctx;
    const char *name; /* the file's path, for sentences */

    /*
     * Waits, up to the deadline, until no other process is inside, and turns to
     * the file that has the name now: it may have been replaced since.  Everything
     * below is called inside only.
     */
    frazil_err (*enter)(void *ctx, struct fz_deadline deadline, frazil_error *reterr);
    void (*leave)(void *ctx);

    /* How long the file is.  *ret_exists: whether there is one. */
    frazil_err (*size)(void *ctx, bool *ret_exists, uint64_t *ret_size, frazil_error *reterr);

    /* Exactly len bytes, or none. */
    frazil_err (*read)(void *ctx, uint64_t offset, void *buf, size_t len, frazil_error *reterr);

    /* Not durable yet; a loss of power may keep all of it, nothing, or the first part of it. */
    frazil_err (*write)(void *ctx, uint64_t offset, const void *buf, size_t len, frazil_error *reterr);

    /*
     * Everything that was written is durable, and so is the file's name: its creator may have crashed before syncing
     * it.  After a failure nothing written since the last success can be trusted to be, although it may be read back,
     * and also if the next sync succeeds: it must be written again.
     */
    frazil_err (*sync)(void *ctx, frazil_error *reterr);

    /* Makes the file with that content, in place of any that is there: durably, and all of it or nothing. */
    frazil_err (*create)(void *ctx, const void *content, size_t len, frazil_error *reterr);

    /* Whether another process has the file open.  Children that have not used it since the fork do not count. */
    frazil_err (*has_others)(void *ctx, bool *ret, frazil_error *reterr);

    /*
     * Calls visit for each file of the same worker whose sequence bounds overlap those of this file and differ.
     * On the port that visit gets only size, read, write, sync, create and has_others can be called.  Ends when visit
     * fails, and returns its error.
     * The file for all sequence numbers is visited also if there is none.  NULL: there can be no other files.
     */
    frazil_err (*visit_neighbours)(void *ctx, fz_file_visitor visit, void *visitor_ctx, frazil_error *reterr);

    /* In a child process: what the kernel takes for the parent's is opened anew at the next use. */
    void (*after_fork)(void *ctx);

    void (*close)(void *ctx);
};

#endif
