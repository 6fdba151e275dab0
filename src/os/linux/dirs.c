/* SPDX-License-Identifier: MIT */
/* Where Linux keeps what is gone after a boot, and how it tells file systems apart. */
#include "os/dirs.h"

#include <errno.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/statfs.h>

FZ_PRIVATE const char fz_run_dir_of_root[FZ_RUN_DIR_SIZE] = "/run/frazil";
FZ_PRIVATE const char fz_run_dir_of_users[FZ_RUN_DIR_SIZE] = "/dev/shm/frazil-";

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
