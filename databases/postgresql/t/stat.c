/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into a server: its directory TEST_DIRECTORY is on another device, as after a boot, by the number in
 * TEST_DEVICE, and does not say when it was made if TEST_BORN is "unknown".
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_meant(const char *path)
{
    const char *directory = getenv("TEST_DIRECTORY");

    return directory != NULL && strcmp(path, directory) == 0;
}

int stat(const char *restrict path, struct stat *restrict ret)
{
    const char *device = getenv("TEST_DEVICE");
    int result = fstatat(AT_FDCWD, path, ret, 0);

    if (result == 0 && device != NULL && is_meant(path))
        ret->st_dev += strtoul(device, NULL, 10);
    return result;
}

int statx(int dir, const char *restrict path, int flags, unsigned mask, struct statx *restrict ret)
{
    int result = (int)syscall(SYS_statx, dir, path, flags, mask, ret);
    const char *born = getenv("TEST_BORN");

    if (result == 0 && born != NULL && strcmp(born, "unknown") == 0 && is_meant(path))
        ret->stx_mask &= ~(unsigned)STATX_BTIME;
    return result;
}
