/* SPDX-License-Identifier: MIT */
/* Every system has these directories, though not each empties them at a boot; a word that nobody has is made anew. */
#include "os/dirs.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

FZ_PRIVATE const char fz_run_dir_of_root[FZ_RUN_DIR_SIZE] = "/var/run/frazil";
FZ_PRIVATE const char fz_run_dir_of_users[FZ_RUN_DIR_SIZE] = "/tmp/frazil-";

int fz_disk_look(const char *directory, struct fz_disk *ret)
{
    struct statvfs system;
    struct stat status;

    if (statvfs(directory, &system) != 0 || stat(directory, &status) != 0)
        return errno;
    *ret = (struct fz_disk){.kind = FZ_DISK_UNKNOWN,
                            .free_bytes = (uint64_t)system.f_bavail * (uint64_t)system.f_frsize,
                            .open_to_others = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0};
    return 0;
}
