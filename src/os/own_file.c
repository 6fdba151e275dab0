/* SPDX-License-Identifier: MIT */
#include "own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

int fz_own_file_open(const char *path, int flags, int *ret_fd)
{
    int fd;

    do
        fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return errno;
    *ret_fd = fd;
    return 0;
}

int fz_own_file_at(int fd, const char *path)
{
    struct stat mine;
    struct stat theirs;

    if (fstat(fd, &mine) != 0)
        return errno;
    if (stat(path, &theirs) != 0)
        return errno == ENOENT ? ESTALE : errno;
    return mine.st_ino == theirs.st_ino && mine.st_dev == theirs.st_dev ? 0 : ESTALE;
}

int fz_own_file_lock(int fd, int operation)
{
    while (flock(fd, operation | LOCK_NB) != 0) {
        if (errno != EINTR)
            return errno;
    }
    return 0;
}
