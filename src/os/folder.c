/* SPDX-License-Identifier: MIT */
#include "folder.h"

#include <errno.h>
#include <string.h>

#include "fail_errno.h"
#include "file.h"
#include "host.h"

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

static bool look_around(struct fz_view *ret)
{
    struct stat root;

    if (stat("/", &root) != 0)
        return false;
    *ret = (struct fz_view){.root = {.device = root.st_dev, .inode = root.st_ino},
                            .root_mount = fz_mount_of("/"),
                            .space = fz_mount_space()};
    return true;
}

void fz_folder_note(struct fz_folder *ret, const char *file)
{
    char path[FZ_PATH_SIZE];
    struct fz_view view;
    struct stat status;

    *ret = (struct fz_folder){.is_noted = false};
    if (look_at_folder(path, file, &status) != 0 || !look_around(&view))
        return;
    *ret = (struct fz_folder){.is_noted = true,
                              .view = view,
                              .mark = {.device = status.st_dev, .inode = status.st_ino},
                              .mount = fz_mount_of(path)};
}

/* A filter of system calls that came since the note may hide a mount. */
static bool is_mount(uint64_t mount, uint64_t noted)
{
    return mount == noted || mount == 0 || noted == 0;
}

bool fz_folder_is_seen_as_before(const struct fz_folder *folder)
{
    const struct fz_view *noted = &folder->view;
    struct fz_view view;

    return !folder->is_noted ||
           (look_around(&view) && view.root.inode == noted->root.inode && view.root.device == noted->root.device &&
            is_mount(view.root_mount, noted->root_mount) && view.space == noted->space);
}

/* Whether a folder of that path and status lies where the noted one lay: in the same mount, which all see there. */
static bool is_in_sight(const struct fz_folder *folder, const char *path, const struct stat *status)
{
    return status->st_dev == folder->mark.device && is_mount(fz_mount_of(path), folder->mount) &&
           fz_folder_is_seen_as_before(folder);
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
