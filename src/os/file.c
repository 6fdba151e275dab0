/* SPDX-License-Identifier: MIT */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "fail_errno.h"

/* Reads until the end of the file or of buf. */
static int read_all(int fd, char *buf, size_t size, size_t *ret_len)
{
    size_t len = 0;

    while (len < size) {
        ssize_t got = read(fd, buf + len, size - len);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return errno;
        if (got == 0)
            break;
        len += (size_t)got;
    }
    *ret_len = len;
    return 0;
}

/* 0, an errno or a refusal.  A directory is refused by read(). */
static int check(int fd)
{
    struct stat status;

    if (fstat(fd, &status) != 0)
        return errno;
    return S_ISFIFO(status.st_mode) ? FZ_REFUSED_FIFO : 0;
}

int fz_file_check_secret(int fd)
{
    struct stat status;
    struct statvfs mounted;

    if (fstat(fd, &status) != 0)
        return errno;
    mode_t refused = status.st_uid == 0 ? S_IWGRP | S_IXGRP | S_IRWXO : S_IRWXG | S_IRWXO;
    if (!S_ISREG(status.st_mode) || (status.st_mode & refused) == 0)
        return 0;
    if (fstatvfs(fd, &mounted) != 0)
        return errno;
    return (mounted.f_flag & ST_RDONLY) != 0 ? 0 : FZ_REFUSED_SECRET;
}

static int check_secret(int fd)
{
    int err = check(fd);

    return err == 0 ? fz_file_check_secret(fd) : err;
}

static int read_checked(const char *path, int (*check_fd)(int fd), char *buf, size_t size, size_t *ret_len)
{
    size_t len = 0;
    int fd;

    do
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return errno;
    int err = check_fd(fd);
    if (err == 0)
        err = read_all(fd, buf, size, &len);
    close(fd);
    if (err != 0)
        return err;
    if (len == size)
        return EFBIG;
    buf[len] = '\0';
    *ret_len = len;
    return 0;
}

int fz_file_read(const char *path, char *buf, size_t size, size_t *ret_len)
{
    return read_checked(path, check, buf, size, ret_len);
}

int fz_file_read_secret(const char *path, char *buf, size_t size, size_t *ret_len)
{
    return read_checked(path, check_secret, buf, size, ret_len);
}

bool fz_file_exists(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0;
}
