/* SPDX-License-Identifier: MIT */
#include "kept_fd.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

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

bool fz_kept_fd_is_set(const struct fz_kept_fd *kept)
{
    return kept->fd >= 0;
}

/* 0: it is ours.  EBADF: it is not, or there is none.  Another errno: it cannot be known. */
static int look(const struct fz_kept_fd *kept)
{
    struct fz_fd_mark found = {.device = 0};

    int err = fz_fd_mark(kept->fd, &found);
    if (err == 0 && (found.device != kept->mark.device || found.inode != kept->mark.inode))
        err = EBADF;
    return err;
}

int fz_kept_fd_get(const struct fz_kept_fd *kept)
{
    int err = look(kept);

    if (err == 0)
        return kept->fd;
    errno = err;
    return -1;
}

void fz_kept_fd_close(struct fz_kept_fd *kept)
{
    if (kept->fd >= 0 && look(kept) != EBADF)
        close(kept->fd);
    fz_kept_fd_forget(kept);
}

void fz_kept_fd_forget(struct fz_kept_fd *kept)
{
    *kept = FZ_KEPT_NONE;
}
