/* SPDX-License-Identifier: MIT */
#include "state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/sentence.h"
#include "fail_errno.h"
#include "file.h"
#include "own_file.h"
#include "shards.h"

static frazil_err fail_state(const struct fz_state_file *file, int sys, const char *what, frazil_error *reterr)
{
    return fz_fail_errno(reterr, sys, what, file->path, "");
}

frazil_err fz_state_file_name(struct fz_state_file *ret, const char *path, const struct fz_bounds *bounds,
                              frazil_error *reterr)
{
    struct fz_state_file file = {.guard = {.file = FZ_KEPT_NONE}, .file = FZ_KEPT_NONE};

    if (fz_path_join(file.worker_path, path, "", "") != 0 || fz_shards_file(file.path, path, bounds) != 0)
        return fz_fail(reterr, FRAZIL_ESPEC, "the path of the state file is too long: %q", path);
    file.bounds = *bounds;
    *ret = file;
    return FRAZIL_OK;
}

void fz_state_file_stay(struct fz_state_file *file)
{
    fz_folder_note(&file->folder, file->worker_path);
}

/* Says that the file, which was opened and kept just now, is in use.  0 or an errno; then it is closed. */
static int adopt(struct fz_state_file *file, uint64_t size, bool name_is_durable)
{
    int err = fz_own_file_lock(fz_kept_fd_known(&file->file), LOCK_SH);

    file->size = size;
    file->name_is_durable = name_is_durable;
    if (err != 0)
        fz_kept_fd_close(&file->file);
    return err;
}

/* Turns to a file that was just made.  0 or an errno; then it is closed. */
static int turn_to_new(struct fz_state_file *file, int fd, uint64_t size)
{
    fz_kept_fd_close(&file->file);
    int err = fz_kept_fd_take(&file->file, fd);
    return err == 0 ? adopt(file, size, true) : err;
}

/* Turns to the file that has the name now, and notes its size.  0 or an errno. */
static int turn(struct fz_state_file *file)
{
    struct stat status;
    int fd = fz_kept_fd_stat(&file->file, &status);
    int err = fd < 0 ? errno : fz_own_file_at(&file->file, file->path);

    if (err != ESTALE && err != EBADF) {
        file->size = err == 0 ? (uint64_t)status.st_size : 0;
        return err;
    }
    fz_kept_fd_close(&file->file);
    err = fz_own_file_keep(file->path, O_RDWR, &file->file, &status);
    if (err == ENOENT)
        return 0;
    return err == 0 ? adopt(file, (uint64_t)status.st_size, false) : err;
}

int fz_state_file_look(struct fz_state_file *file)
{
    return turn(file);
}

void fz_state_file_look_away(struct fz_state_file *file)
{
    fz_own_file_unlock_and_close(&file->file);
}

/* Enters by the guard that is kept, or by a new one if the program has closed it.  0 or an errno. */
static int enter_guard_of(struct fz_state_file *file, struct fz_deadline deadline)
{
    int err = fz_kept_fd_is_set(&file->guard.file) ? fz_guard_enter(&file->guard, deadline) : EBADF;

    if (err != EBADF)
        return err;
    fz_guard_close(&file->guard);
    return fz_guard_open_and_enter(&file->guard, file->worker_path, deadline);
}

/* Only that: what is wrong with a folder otherwise is said of the file that cannot be opened. */
static bool is_elsewhere(const struct fz_state_file *file)
{
    return fz_folder_at(&file->folder, file->worker_path) == FZ_REFUSED_ELSEWHERE;
}

frazil_err fz_state_file_enter(void *ctx, struct fz_deadline deadline, frazil_error *reterr)
{
    struct fz_state_file *file = ctx;

    /* No lock is made elsewhere, either. */
    int err = is_elsewhere(file) ? FZ_REFUSED_ELSEWHERE : enter_guard_of(file, deadline);
    if (err != 0)
        return fz_guard_fail(err, "the lock of the state file cannot be opened:", file->worker_path, reterr);
    err = turn(file);
    if (err == 0 && is_elsewhere(file)) /* another thread may have called chroot() in the middle of it */
        err = FZ_REFUSED_ELSEWHERE;
    if (err == 0)
        return FRAZIL_OK;
    fz_guard_leave(&file->guard);
    if (err == FZ_REFUSED_KIND) /* a directory, as container runtimes make for a file that they miss, or worse */
        return fz_fail(
            reterr, FRAZIL_ESTATE,
            "the state file %q is not a regular file, so it is not known what was granted: stop the "
            "processes that use it, remove it (rm, or rmdir), and run `frazil state init --all` with their spec",
            file->path);
    return fail_state(file, err, "the state file cannot be opened:", reterr);
}

void fz_state_file_leave(void *ctx)
{
    struct fz_state_file *file = ctx;

    fz_guard_leave(&file->guard);
}

void fz_state_file_leave_for_good(void *ctx)
{
    struct fz_state_file *file = ctx;

    fz_state_file_look_away(file);
    fz_guard_leave(&file->guard);
}

frazil_err fz_state_file_size(void *ctx, bool *ret_exists, uint64_t *ret_size, frazil_error *reterr)
{
    const struct fz_state_file *file = ctx;

    (void)reterr;
    *ret_exists = fz_kept_fd_is_set(&file->file);
    *ret_size = *ret_exists ? file->size : 0;
    return FRAZIL_OK;
}

frazil_err fz_state_file_read(void *ctx, uint64_t offset, void *buf, size_t len, frazil_error *reterr)
{
    struct fz_state_file *file = ctx;
    int fd = fz_kept_fd_known(&file->file); /* enter has just looked at it */
    char *bytes = buf;

    for (size_t done = 0; done < len;) {
        ssize_t got = pread(fd, bytes + done, len - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return fail_state(file, got < 0 ? errno : EIO, "the state file cannot be read:", reterr);
        done += (size_t)got;
    }
    return FRAZIL_OK;
}

frazil_err fz_state_file_write(void *ctx, uint64_t offset, const void *buf, size_t len, frazil_error *reterr)
{
    struct fz_state_file *file = ctx;

    int fd = fz_kept_fd_get(&file->file);
    int err = fd < 0 ? errno : fz_file_write(fd, offset, buf, len);
    return err == 0 ? FRAZIL_OK : fail_state(file, err, "the state file cannot be written:", reterr);
}

frazil_err fz_state_file_sync(void *ctx, frazil_error *reterr)
{
    struct fz_state_file *file = ctx;
    int err = fz_file_sync(fz_kept_fd_known(&file->file)); /* it was written to just now */

    if (err == 0 && !file->name_is_durable)
        err = fz_new_file_sync_name(file->path);
    if (err != 0)
        return fail_state(file, err, "the state file cannot be made durable:", reterr);
    file->name_is_durable = true;
    return FRAZIL_OK;
}

frazil_err fz_state_file_create(void *ctx, const void *content, size_t len, frazil_error *reterr)
{
    struct fz_state_file *file = ctx;
    int fd;

    int err = fz_new_file_begin(file->path, &fd);
    if (err != 0)
        return fail_state(file, err, "the state file cannot be made:", reterr);
    err = fz_file_write(fd, 0, content, len);
    if (err == 0)
        err = fz_new_file_publish_durably(file->path, fd);
    if (err == 0)
        err = turn_to_new(file, fd, len);
    else
        fz_new_file_abandon(file->path, fd);
    return err == 0 ? FRAZIL_OK : fail_state(file, err, "the state file cannot be made:", reterr);
}

frazil_err fz_state_file_has_others(void *ctx, bool *ret, frazil_error *reterr)
{
    struct fz_state_file *file = ctx;
    if (!fz_kept_fd_is_set(&file->file)) {
        *ret = false;
        return FRAZIL_OK;
    }
    int fd = fz_kept_fd_get(&file->file);
    if (fd < 0)
        return fail_state(file, errno, "cannot determine whether a process uses", reterr);
    /* The guard keeps everybody else from looking while this lock is not a shared one. */
    int exclusive = fz_own_file_lock(fd, LOCK_EX);
    int shared = fz_own_file_lock(fd, LOCK_SH);
    int err = exclusive != 0 && exclusive != EWOULDBLOCK ? exclusive : shared;
    if (err != 0)
        return fail_state(file, err, "cannot determine whether a process uses", reterr);
    *ret = exclusive == EWOULDBLOCK;
    return FRAZIL_OK;
}

void fz_state_file_after_fork(void *ctx)
{
    fz_state_file_close(ctx);
}

void fz_state_file_close(void *ctx)
{
    struct fz_state_file *file = ctx;

    fz_kept_fd_close(&file->file);
    fz_guard_close(&file->guard);
}
