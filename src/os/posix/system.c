/* SPDX-License-Identifier: MIT */
/* The small things of linux/system.c as every system has them, from POSIX alone. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "os/claim.h"
#include "os/clock.h"
#include "os/dirs.h"
#include "os/folder.h"
#include "os/fork_mark.h"
#include "os/host.h"
#include "os/memory.h"
#include "os/socket.h"

/* ---- os/host.h ------------------------------------------------------------- */

/* No part of POSIX, but everywhere. */
#define RANDOM_FILE "/dev/urandom"

static int read_fully(int fd, char *buf, size_t size)
{
    for (size_t len = 0; len < size;) {
        ssize_t got = read(fd, buf + len, size - len);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? errno : EIO;
        len += (size_t)got;
    }
    return 0;
}

int fz_host_entropy(uint64_t *ret)
{
    uint64_t bits;
    int fd;

    do
        fd = open(RANDOM_FILE, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return errno;
    int err = read_fully(fd, (char *)&bits, sizeof bits);
    close(fd);
    if (err == 0)
        *ret = bits;
    return err;
}

int fz_boot_id(char ret[FZ_BOOT_ID_SIZE])
{
    (void)ret;
    return ENOTSUP;
}

uint64_t fz_mount_space(void)
{
    return 0;
}

bool fz_machine_has_generation(void)
{
    return false;
}

bool fz_environment_is_foreign(void)
{
    return getuid() != geteuid() || getgid() != getegid();
}

/* ---- os/claim.h ------------------------------------------------------------ */

FZ_PRIVATE const char fz_default_host_dir[FZ_DEFAULT_HOST_DIR_SIZE] = "/tmp";

/* ---- os/clock.h ------------------------------------------------------------ */

/* POSIX has no way to ask any of this: the doctor says so, and each id reads the clock. */
int fz_kernel_clock_read(struct fz_kernel_clock *ret)
{
    (void)ret;
    return ENOTSUP;
}

int fz_clock_source(char ret[FZ_CLOCK_SOURCE_SIZE])
{
    (void)ret;
    return ENOTSUP;
}

int64_t fz_clock_since_boot_us(void)
{
    return -1;
}

/* ---- os/dirs.h ------------------------------------------------------------- */

/* Every system has these directories, though not each empties them at a boot; a word that nobody has is made anew. */
FZ_PRIVATE const char fz_run_dir_of_root[FZ_RUN_DIR_SIZE] = "/var/run/frazil";
FZ_PRIVATE const char fz_run_dir_of_users[FZ_RUN_DIR_SIZE] = "/tmp/frazil-";

int fz_disk_look(const char *path, struct fz_disk *ret)
{
    struct statvfs system;
    struct stat status;

    if (statvfs(path, &system) != 0 || stat(path, &status) != 0)
        return errno;
    *ret = (struct fz_disk){.kind = FZ_DISK_UNKNOWN,
                            .free_bytes = (uint64_t)system.f_bavail * (uint64_t)system.f_frsize,
                            .has_no_files = system.f_files != 0 && system.f_favail == 0,
                            .open_to_others = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0};
    return 0;
}

/* ---- os/memory.h and os/fork_mark.h ---------------------------------------- */

/*
 * Telling processes apart as POSIX does: it wipes no page in a child, but lets the
 * child count that it was forked.  Process ids alone repeat when a process has
 * ended; with the count, no process is called as one that it descends from, unless
 * it was made behind the back of fork().
 */
enum { PID_BITS = 32 };

/* How many forks lie between this process and the one that was started. */
static _Atomic uint64_t forks;

static void count_fork(void)
{
    atomic_fetch_add_explicit(&forks, 1, memory_order_relaxed);
}

/* No pthread_once: a child may be forked in the middle of it, and would wait for ever. */
static void begin_to_count(void)
{
    static atomic_bool begun;

    /* Without memory for it, process ids have to do. */
    if (!atomic_exchange_explicit(&begun, true, memory_order_relaxed))
        (void)pthread_atfork(NULL, NULL, count_fork);
}

bool fz_wipe_on_fork(void *pages, size_t size)
{
    (void)pages;
    (void)size;
    return false;
}

void fz_keep_loaded(const void *here)
{
    (void)here;
}

bool fz_program_is_static(void)
{
    return false;
}

uint64_t fz_process_name(void)
{
    begin_to_count();
    return atomic_load_explicit(&forks, memory_order_relaxed) << PID_BITS | (uint32_t)getpid();
}

/* ---- os/file.h ------------------------------------------------------------- */

uint64_t fz_file_birth(int fd)
{
    (void)fd;
    return 0;
}

/* ---- os/folder.h ----------------------------------------------------------- */

uint64_t fz_mount_of(const char *path)
{
    (void)path;
    return 0;
}

/* ---- os/socket.h; its fz_socket_received is in socket.c ---------------------- */

/* A program that is executed between the two calls has it, too. */
int fz_socket_open(int family, int type)
{
    int fd = socket(family, type, 0);

    if (fd >= 0 && fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) {
        int sys = errno;
        close(fd);
        errno = sys;
        return -1;
    }
    return fd;
}

/* Likewise. */
int fz_socket_pair(int ret_fds[2])
{
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ret_fds) != 0)
        return -1;
    if (fcntl(ret_fds[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(ret_fds[1], F_SETFD, FD_CLOEXEC) == 0)
        return 0;
    int sys = errno;
    close(ret_fds[0]);
    close(ret_fds[1]);
    errno = sys;
    return -1;
}
