/* SPDX-License-Identifier: MIT */
#include "folder.h"

#include <errno.h>
#include <string.h>

#include "fail_errno.h"
#include "file.h"

static bool is_marked(const struct stat *status, const struct fz_fd_mark *mark)
{
    return status->st_ino == mark->inode && status->st_dev == mark->device;
}

/* Cuts the last component off, and leaves the slash: the folder may be a link.  0 or ENAMETOOLONG. */
static int go_up(char ret[FZ_PATH_SIZE], const char *path, size_t len)
{
    while (len > 0 && path[len - 1] != '/')
        len--;
    if (len == 0 || len >= FZ_PATH_SIZE)
        return ENAMETOOLONG;
    memmove(ret, path, len);
    ret[len] = '\0';
    return 0;
}

static int look_at_folder(char ret[FZ_PATH_SIZE], const char *file, struct stat *status)
{
    int err = go_up(ret, file, strlen(file));

    if (err == 0 && stat(ret, status) != 0)
        err = errno;
    return err;
}

void fz_folder_note(struct fz_folder *ret, const char *file)
{
    char path[FZ_PATH_SIZE];
    struct stat root;
    struct stat status;

    *ret = (struct fz_folder){.is_noted = false};
    if (look_at_folder(path, file, &status) != 0 || stat("/", &root) != 0)
        return;
    *ret = (struct fz_folder){.is_noted = true,
                              .root = {.device = root.st_dev, .inode = root.st_ino},
                              .mark = {.device = status.st_dev, .inode = status.st_ino},
                              .mount = fz_mount_of(path)};
}

/*
 * Whether a folder of that path and status lies where the noted one lay: seen from the same root, and in the same
 * mount.  A mount namespace has mounts of its own, so what is made there is seen by all that have the same ones.
 */
static bool is_in_sight(const struct fz_folder *folder, const char *path, const struct stat *status)
{
    struct stat root;

    return status->st_dev == folder->mark.device && stat("/", &root) == 0 && is_marked(&root, &folder->root) &&
           fz_mount_of(path) == folder->mount;
}

int fz_folder_at(const struct fz_folder *folder, const char *file)
{
    char path[FZ_PATH_SIZE];
    struct stat status;

    if (!folder->is_noted)
        return 0;
    int err = look_at_folder(path, file, &status);
    if (err != 0)
        return err;
    return is_marked(&status, &folder->mark) || is_in_sight(folder, path, &status) ? 0 : FZ_REFUSED_ELSEWHERE;
}

bool fz_folder_can_return(const struct fz_folder *folder, const char *file)
{
    char path[FZ_PATH_SIZE];
    struct stat status;

    if (!folder->is_noted)
        return true;
    if (look_at_folder(path, file, &status) != ENOENT || go_up(path, path, strlen(path) - 1) != 0 ||
        stat(path, &status) != 0)
        return false;
    return is_in_sight(folder, path, &status);
}
