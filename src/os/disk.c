/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* _Exit beside POSIX, statfs */
#include "disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fail_errno.h"
#include "file.h"
#include "own_file.h"

/* The numbers by which Linux tells file systems apart. */
static const struct {
    uint32_t magic;
    enum fz_disk_kind kind;
} kinds[] = {
    {0x01021994, FZ_DISK_MEMORY}, /* tmpfs */
    {0x858458f6, FZ_DISK_MEMORY}, /* ramfs */
    {0x794c7630, FZ_DISK_LAYER},  /* overlayfs */
    {0x00006969, FZ_DISK_REMOTE}, /* nfs */
    {0xff534d42, FZ_DISK_REMOTE}, /* cifs */
    {0xfe534d42, FZ_DISK_REMOTE}, /* smb2 */
    {0x00c36400, FZ_DISK_REMOTE}, /* ceph */
    {0x5346414f, FZ_DISK_REMOTE}, /* afs */
    {0x0bd00bd0, FZ_DISK_REMOTE}, /* lustre */
};

int fz_disk_look(const char *directory, struct fz_disk *ret)
{
    struct statfs system;
    struct stat status;
    enum fz_disk_kind kind = FZ_DISK_LASTING;

    if (statfs(directory, &system) != 0 || stat(directory, &status) != 0)
        return errno;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].magic == (uint32_t)system.f_type)
            kind = kinds[i].kind;
    }
    *ret = (struct fz_disk){.kind = kind,
                            .free_bytes = (uint64_t)system.f_bavail * (uint64_t)system.f_bsize,
                            .open_to_others = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0};
    return 0;
}

/* What the child says by how it ends. */
enum { KEPT_OUT = 0, LET_IN = 1, FAILED = 2 };

static int try_as_another(const char *path)
{
    int fd;

    if (fz_own_file_open(path, O_RDWR, &fd) != 0)
        return FAILED;
    int err = fz_own_file_lock(fd, LOCK_EX);
    return err == EWOULDBLOCK ? KEPT_OUT : err == 0 ? LET_IN : FAILED;
}

static int try_in_child(const char *path, bool *ret_works)
{
    int status;
    pid_t child = fork();

    if (child < 0)
        return errno;
    if (child == 0)
        _Exit(try_as_another(path)); /* the child's end, and nobody else's */
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return errno;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) == FAILED)
        return EIO;
    *ret_works = WEXITSTATUS(status) == KEPT_OUT;
    return 0;
}

int fz_disk_try_flock(const char *directory, bool *ret_works)
{
    char path[FZ_PATH_SIZE];
    int fd;

    int err = fz_path_join(path, directory, "/doctor.lock", "");
    if (err == 0)
        err = fz_own_file_open(path, O_RDWR | O_CREAT, &fd);
    if (err != 0)
        return fz_errno_of(err);
    err = fz_own_file_lock(fd, LOCK_EX);
    if (err == 0)
        err = try_in_child(path, ret_works);
    close(fd);
    (void)unlink(path);
    return err;
}
