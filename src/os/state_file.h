/* SPDX-License-Identifier: MIT */
/*
 * A file that must survive: what the file port (lease/file_port.h) asks for, from
 * a real disk.  The functions below have the shapes and the contracts of the
 * port's; ctx is a struct fz_state_file.
 *
 * The file's guard lets one process in at a time; a shared flock on the file
 * itself, held as long as it is open, says that a live process uses it.
 */
#ifndef FZ_OS_STATE_FILE_H
#define FZ_OS_STATE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/bounds.h"
#include "folder.h"
#include "frazil/error.h"
#include "guard.h"

struct fz_state_file {
    char path[FZ_PATH_SIZE];
    char worker_path[FZ_PATH_SIZE]; /* of the file for all sequence numbers: its guard is that of the worker */
    struct fz_bounds bounds;
    struct fz_folder folder; /* if noted, no file of another one is opened */
    struct fz_guard guard;
    struct fz_kept_fd file; /* none: not open, or there is none */
    uint64_t size;          /* as the last enter or look saw it; the guard keeps it so */
    bool name_is_durable;   /* this process has seen to it */
};

/*
 * Names the file of these bounds and opens nothing yet; path is absolute, and that of
 * the worker (shards.h).  FRAZIL_ESPEC: the path is too long.
 */
FZ_PRIVATE frazil_err fz_state_file_name(struct fz_state_file *ret, const char *path, const struct fz_bounds *bounds,
                                         frazil_error *reterr);

/* From now on the file lies in the folder to which its path leads now: enter refuses another one.  A missing one is
 * none. */
FZ_PRIVATE void fz_state_file_stay(struct fz_state_file *file);

/*
 * Opens the file without entering, for a caller that is inside a file of the same worker.
 * A missing file is no error.  0 or an errno.
 */
FZ_PRIVATE int fz_state_file_look(struct fz_state_file *file);

/* Closes it again; a child that was forked meanwhile does not count as a user of the file. */
FZ_PRIVATE void fz_state_file_look_away(struct fz_state_file *file);

/* As fz_file_port.enter and leave.  FRAZIL_ESYS; FRAZIL_EAGAIN: the guard was waited for in vain (guard.h). */
FZ_PRIVATE frazil_err fz_state_file_enter(void *ctx, struct fz_deadline deadline, frazil_error *reterr);
FZ_PRIVATE void fz_state_file_leave(void *ctx);

/* Leaves and closes at once, so that the next process to enter does not take this one for a user of the file. */
FZ_PRIVATE void fz_state_file_leave_for_good(void *ctx);

/*
 * As the port's functions of the same names.  FRAZIL_ESYS.  size and read follow
 * enter (or look) at once and rely on its look, as sync does on that of the write before it; all else looks again.
 */
FZ_PRIVATE frazil_err fz_state_file_size(void *ctx, bool *ret_exists, uint64_t *ret_size, frazil_error *reterr);
FZ_PRIVATE frazil_err fz_state_file_read(void *ctx, uint64_t offset, void *buf, size_t len, frazil_error *reterr);
FZ_PRIVATE frazil_err fz_state_file_write(void *ctx, uint64_t offset, const void *buf, size_t len,
                                          frazil_error *reterr);
FZ_PRIVATE frazil_err fz_state_file_sync(void *ctx, frazil_error *reterr);
FZ_PRIVATE frazil_err fz_state_file_create(void *ctx, const void *content, size_t len, frazil_error *reterr);
FZ_PRIVATE frazil_err fz_state_file_has_others(void *ctx, bool *ret, frazil_error *reterr);

/* As the port's.  Both close, the first one to open again at the next enter. */
FZ_PRIVATE void fz_state_file_after_fork(void *ctx);
FZ_PRIVATE void fz_state_file_close(void *ctx);

#endif
