/* SPDX-License-Identifier: MIT */
#include "new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "own_file.h"
#include "path.h"

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

/* A name is durable once its directory is. */
int fz_new_file_sync_name(const char *path)
{
    char directory[FZ_PATH_SIZE];
    int fd;

    int err = fz_path_join(directory, path, "", "");
    if (err != 0)
        return err;
    directory[strrchr(directory, '/') + 1 - directory] = '\0'; /* with the slash: the directory may be a link */
    err = fz_own_file_open_directory(directory, &fd);
    if (err != 0)
        return err;
    err = sync_fd(fd);
    close(fd);
    return err;
}

int fz_new_file_publish_durably(const char *path, int fd)
{
    int err = sync_fd(fd);

    if (err == 0)
        err = fz_new_file_publish(path);
    return err == 0 ? fz_new_file_sync_name(path) : err;
}
