/* SPDX-License-Identifier: MIT */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "fail_errno.h"
#include "own_file.h"
#include "quiet_signal.h"

/* ---- paths ----------------------------------------------------------------- */

int fz_path_join(char buf[FZ_PATH_SIZE], const char *a, const char *b, const char *c)
{
    size_t a_len = strlen(a);
    size_t b_len = strlen(b);
    size_t c_len = strlen(c);

    if (a_len >= FZ_PATH_SIZE || b_len >= FZ_PATH_SIZE || c_len >= FZ_PATH_SIZE ||
        a_len + b_len + c_len >= FZ_PATH_SIZE)
        return ENAMETOOLONG;
    memmove(buf, a, a_len);
    memcpy(buf + a_len, b, b_len);
    memcpy(buf + a_len + b_len, c, c_len + 1);
    return 0;
}

/* ---- reading --------------------------------------------------------------- */

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
static int refuse_fifo(int fd)
{
    struct stat status;

    if (fstat(fd, &status) != 0)
        return errno;
    return S_ISFIFO(status.st_mode) ? FZ_REFUSED_FIFO : 0;
}

int fz_file_read_first(int fd, void *buf, size_t size, size_t *ret_len)
{
    ssize_t len;

    do
        len = pread(fd, buf, size, 0);
    while (len < 0 && errno == EINTR);
    *ret_len = len < 0 ? 0 : (size_t)len;
    return len < 0 ? errno : 0;
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
    int err = refuse_fifo(fd);

    return err == 0 ? fz_file_check_secret(fd) : err;
}

/* 0, and then a file is open; an errno, or a refusal. */
static int open_checked(const char *path, int (*check_fd)(int fd), int *ret_fd)
{
    do
        *ret_fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    while (*ret_fd < 0 && errno == EINTR);
    if (*ret_fd < 0)
        return errno;
    int err = check_fd(*ret_fd);
    if (err != 0)
        close(*ret_fd);
    return err;
}

static int read_checked(const char *path, int (*check_fd)(int fd), char *buf, size_t size, size_t *ret_len)
{
    size_t len = 0;
    int fd, err = open_checked(path, check_fd, &fd);

    if (err != 0)
        return err;
    err = read_all(fd, buf, size, &len);
    close(fd);
    if (err != 0)
        return err;
    if (len == size)
        return FZ_REFUSED_LENGTH;
    buf[len] = '\0';
    *ret_len = len;
    return 0;
}

int fz_file_read(const char *path, char *buf, size_t size, size_t *ret_len)
{
    return read_checked(path, refuse_fifo, buf, size, ret_len);
}

int fz_file_read_secret(const char *path, char *buf, size_t size, size_t *ret_len)
{
    return read_checked(path, check_secret, buf, size, ret_len);
}

int fz_file_check(const char *path)
{
    char first;
    size_t len;
    int fd, err = open_checked(path, refuse_fifo, &fd);

    if (err != 0)
        return err;
    err = fz_file_read_first(fd, &first, sizeof first, &len);
    close(fd);
    return err;
}

bool fz_file_exists(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0;
}

/* ---- writing --------------------------------------------------------------- */

static int write_all(int fd, uint64_t offset, const char *bytes, size_t len)
{
    for (size_t done = 0; done < len;) {
        ssize_t put = pwrite(fd, bytes + done, len - done, (off_t)(offset + done));
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return put < 0 ? errno : EIO;
        done += (size_t)put;
    }
    return 0;
}

/* The kernel raises SIGXFSZ where it gives EFBIG, and nowhere else. */
static void end_quiet(const struct fz_quiet_signal *quiet, int sys)
{
    if (sys == EFBIG)
        fz_quiet_signal_end(quiet);
    else
        fz_quiet_signal_end_unraised(quiet);
}

int fz_file_write(int fd, uint64_t offset, const void *buf, size_t len)
{
    struct fz_quiet_signal quiet;

    fz_quiet_signal_begin(&quiet, SIGXFSZ);
    int sys = write_all(fd, offset, buf, len);
    end_quiet(&quiet, sys);
    return sys;
}

int fz_file_reserve(int fd, uint64_t size)
{
    struct fz_quiet_signal quiet;
    int sys;

    fz_quiet_signal_begin(&quiet, SIGXFSZ);
    do
        sys = posix_fallocate(fd, 0, (off_t)size);
    while (sys == EINTR);
    end_quiet(&quiet, sys);
    return sys;
}

int fz_file_sync(int fd)
{
    while (fdatasync(fd) != 0) {
        if (errno != EINTR)
            return errno;
    }
    return 0;
}

/* ---- new files ------------------------------------------------------------- */

int fz_new_file_begin(const char *path, int *ret_fd)
{
    char name[FZ_PATH_SIZE];

    int err = fz_path_join(name, path, ".new", "");
    if (err != 0)
        return err;
    if (unlink(name) != 0 && errno != ENOENT)
        return errno;
    return fz_own_file_open(name, O_RDWR | O_CREAT | O_EXCL, ret_fd);
}

void fz_new_file_abandon(const char *path, int fd)
{
    char name[FZ_PATH_SIZE];

    close(fd);
    if (fz_path_join(name, path, ".new", "") == 0)
        (void)unlink(name); /* or the next one does */
}

int fz_new_file_publish(const char *path)
{
    char name[FZ_PATH_SIZE];

    int err = fz_path_join(name, path, ".new", "");
    if (err == 0 && rename(name, path) != 0)
        err = errno;
    return err;
}

static int sync_fd(int fd)
{
    while (fsync(fd) != 0) {
        if (errno != EINTR)
            return errno;
    }
    return 0;
}

static int open_directory_of(const char *path, int *ret_fd)
{
    char directory[FZ_PATH_SIZE];

    int err = fz_path_join(directory, path, "", "");
    if (err != 0)
        return err;
    directory[strrchr(directory, '/') + 1 - directory] = '\0'; /* with the slash: the directory may be a link */
    return fz_own_file_open_directory(directory, ret_fd);
}

/* A name is durable once its directory is. */
int fz_new_file_sync_name(const char *path)
{
    int fd;

    int err = open_directory_of(path, &fd);
    if (err != 0)
        return err;
    err = sync_fd(fd);
    close(fd);
    return err;
}

/* The directory is opened first: where that fails, as at a limit on open files, nothing has changed. */
int fz_new_file_publish_durably(const char *path, int fd)
{
    int directory;

    int err = sync_fd(fd);
    if (err == 0)
        err = open_directory_of(path, &directory);
    if (err != 0)
        return err;
    err = fz_new_file_publish(path);
    if (err == 0)
        err = sync_fd(directory);
    close(directory);
    return err;
}
