/* SPDX-License-Identifier: MIT */
/* Folders of simulated hosts: a path leads to the same one for ever. */
#include "os/folder.h"

void fz_folder_note(struct fz_folder *ret, const char *file)
{
    (void)file;
    *ret = (struct fz_folder){.is_noted = false};
}

int fz_folder_at(const struct fz_folder *folder, const char *file)
{
    (void)folder;
    (void)file;
    return 0;
}

bool fz_folder_is_seen_as_before(const struct fz_folder *folder)
{
    (void)folder;
    return true;
}
