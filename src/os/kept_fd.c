/* SPDX-License-Identifier: MIT */
#include "kept_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int fz_fd_above_standard(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int sys = errno;
    close(fd);
    errno = sys;
    return moved;
}

int fz_fd_mark(int fd, struct fz_fd_mark *ret)
{
    struct stat file;

    if (fstat(fd, &file) != 0)
        return errno;
    *ret = (struct fz_fd_mark){.device = file.st_dev, .inode = file.st_ino};
    return 0;
}

bool fz_fd_is_marked(int fd, const struct fz_fd_mark *mark)
{
    struct fz_fd_mark found = {.device = 0};

    return fd >= 0 && fz_fd_mark(fd, &found) == 0 && found.device == mark->device && found.inode == mark->inode;
}

int fz_kept_fd_set(struct fz_kept_fd *ret, int fd)
{
    struct fz_kept_fd kept = {.fd = fd};

    int err = fz_fd_mark(fd, &kept.mark);
    if (err == 0)
        *ret = kept;
    return err;
}

int fz_kept_fd_take(struct fz_kept_fd *ret, int fd)
{
    if (fd < 0)
        return errno;
    int err = fz_kept_fd_set(ret, fd);
    if (err != 0)
        close(fd);
    return err;
}

void fz_kept_fd_set_known(struct fz_kept_fd *ret, int fd, const struct stat *status)
{
    *ret = (struct fz_kept_fd){.fd = fd, .mark = {.device = status->st_dev, .inode = status->st_ino}};
}

bool fz_kept_fd_is_set(const struct fz_kept_fd *kept)
{
    return kept->fd >= 0;
}

int fz_kept_fd_stat(const struct fz_kept_fd *kept, struct stat *ret)
{
    errno = EBADF;
    if (kept->fd < 0 || fstat(kept->fd, ret) != 0)
        return -1;
    if (ret->st_dev == kept->mark.device && ret->st_ino == kept->mark.inode)
        return kept->fd;
    errno = EBADF;
    return -1;
}

int fz_kept_fd_get(const struct fz_kept_fd *kept)
{
    struct stat ignored;

    return fz_kept_fd_stat(kept, &ignored);
}

int fz_kept_fd_known(const struct fz_kept_fd *kept)
{
    return kept->fd;
}

void fz_kept_fd_close(struct fz_kept_fd *kept)
{
    if (kept->fd >= 0 && (fz_kept_fd_get(kept) >= 0 || errno != EBADF))
        close(kept->fd);
    fz_kept_fd_forget(kept);
}

void fz_kept_fd_forget(struct fz_kept_fd *kept)
{
    *kept = FZ_KEPT_NONE;
}
