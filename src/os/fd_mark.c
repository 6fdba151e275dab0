/* SPDX-License-Identifier: MIT */
#include "fd_mark.h"

#include <errno.h>
#include <sys/stat.h>

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
