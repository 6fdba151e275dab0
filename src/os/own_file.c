/* SPDX-License-Identifier: MIT */
#include "own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "fail_errno.h"

enum { FOR_OWNER = S_IRUSR | S_IWUSR, FOR_ALL = FOR_OWNER | S_IRGRP | S_IROTH };

static int open_above_standard(const char *path, int flags, mode_t mode, int *ret_fd)
{
    int fd;

    do
        fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, mode);
    while (fd < 0 && errno == EINTR);
    fd = fz_fd_above_standard(fd);
    if (fd < 0)
        return errno;
    *ret_fd = fd;
    return 0;
}

bool fz_own_file_is_trusted(const struct stat *status)
{
    return status->st_uid == 0 || status->st_uid == geteuid();
}

/* 0 if all users that may write to it may also change this process; else an errno or a refusal. */
static int check_owner(const struct stat *status)
{
    if (!S_ISREG(status->st_mode))
        return FZ_REFUSED_KIND;
    if (!fz_own_file_is_trusted(status))
        return FZ_REFUSED_OWNER;
    if ((status->st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return FZ_REFUSED_MODE;
    /* None: it was removed after it was opened, which is for the caller to find out. */
    return status->st_nlink <= 1 ? 0 : FZ_REFUSED_NAMES;
}

/* The refusal that an errno of open() stands for, or the errno. */
static int explain(int err, const char *path)
{
    struct stat status;

    if (err == ENXIO || err == EISDIR) /* a socket, a directory */
        return FZ_REFUSED_KIND;
    if (err == ELOOP && lstat(path, &status) == 0 && S_ISLNK(status.st_mode))
        return FZ_REFUSED_LINK;
    return err;
}

static int keep_with_mode(const char *path, int flags, mode_t mode, struct fz_kept_fd *ret, struct stat *ret_status)
{
    struct stat status;
    int fd = -1; /* gcc at -O3 does not see that it is set where it is used */

    int err = open_above_standard(path, flags, mode, &fd);
    if (err != 0)
        return explain(err, path);
    err = fstat(fd, &status) == 0 ? check_owner(&status) : errno;
    if (err != 0) {
        close(fd);
        return err;
    }
    fz_kept_fd_set_known(ret, fd, &status);
    if (ret_status != NULL)
        *ret_status = status;
    return 0;
}

int fz_own_file_keep(const char *path, int flags, struct fz_kept_fd *ret, struct stat *ret_status)
{
    return keep_with_mode(path, flags, FOR_OWNER, ret, ret_status);
}

int fz_own_file_keep_open_to_all(const char *path, int flags, struct fz_kept_fd *ret, struct stat *ret_status)
{
    return keep_with_mode(path, flags, FOR_ALL, ret, ret_status);
}

int fz_own_file_open_any(const char *path, int *ret_fd, struct stat *ret_status)
{
    int fd = -1;

    int err = open_above_standard(path, O_RDONLY, FOR_OWNER, &fd);
    if (err != 0)
        return explain(err, path);
    err = fstat(fd, ret_status) != 0 ? errno : S_ISREG(ret_status->st_mode) ? 0 : FZ_REFUSED_KIND;
    if (err != 0)
        close(fd);
    else
        *ret_fd = fd;
    return err;
}

int fz_own_file_open(const char *path, int flags, int *ret_fd)
{
    struct fz_kept_fd kept;

    int err = fz_own_file_keep(path, flags, &kept, NULL);
    if (err == 0)
        *ret_fd = fz_kept_fd_known(&kept);
    return err;
}

int fz_own_file_open_directory(const char *path, int *ret_fd)
{
    return open_above_standard(path, O_RDONLY | O_DIRECTORY, FOR_OWNER, ret_fd);
}

int fz_own_file_at(const struct fz_kept_fd *kept, const char *path)
{
    struct stat found;

    if (stat(path, &found) != 0)
        return errno == ENOENT ? ESTALE : errno;
    return found.st_ino == kept->mark.inode && found.st_dev == kept->mark.device ? 0 : ESTALE;
}

int fz_own_file_lock(int fd, int operation)
{
    while (flock(fd, operation | LOCK_NB) != 0) {
        if (errno != EINTR)
            return errno;
    }
    return 0;
}

void fz_own_file_unlock_and_close(struct fz_kept_fd *kept)
{
    int fd = fz_kept_fd_get(kept);

    if (fd < 0) {
        fz_kept_fd_close(kept);
        return;
    }
    (void)fz_own_file_lock(fd, LOCK_UN);
    fz_kept_fd_forget(kept);
    close(fd);
}

int fz_own_file_try(int fd)
{
    int err = fz_own_file_lock(fd, LOCK_EX);

    return err == 0 ? fz_own_file_lock(fd, LOCK_UN) : err;
}
