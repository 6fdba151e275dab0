/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "coordinators/file/file_register.h"
#include "lib/asserts.h"
#include "lib/register_kinds.h"

static char folder[64];

static bool start(void)
{
    snprintf(folder, sizeof folder, "/tmp/frazil-register-XXXXXX");
    return mkdtemp(folder) != NULL;
}

static void wipe(void)
{
    char path[512];
    DIR *dir = opendir(folder);

    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    closedir(dir);
}

static void stop(void)
{
    wipe();
    rmdir(folder);
}

static struct fz_register open_register(void)
{
    struct fz_register reg;
    frazil_error err;

    if (fz_file_register_open(&reg, folder, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    return reg;
}

const struct register_kind kind_file = {
    .name = "file", .start = start, .stop = stop, .open = open_register, .wipe = wipe};
