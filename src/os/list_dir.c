/* SPDX-License-Identifier: MIT */
#include "list_dir.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

int fz_list_dir(const char *path, fz_name_visitor visit, void *ctx)
{
    DIR *dir = opendir(path);
    int err = 0;

    if (dir == NULL)
        return errno;
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (entry == NULL) {
            err = errno;
            break;
        }
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            visit(ctx, entry->d_name);
    }
    closedir(dir);
    return err;
}
