/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* chroot */
#include "lib/jail.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/test.h"

static char jail[512];
static int root_outside;

void jail_make_folders(const char *path, mode_t mode)
{
    char copy[1024];

    snprintf(copy, sizeof copy, "%s", path);
    for (char *at = strchr(copy + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        (void)mkdir(copy, 0755);
        *at = '/';
    }
    assert_int_equal(mkdir(copy, mode), 0);
    assert_int_equal(chmod(copy, mode), 0);
}

const char *jailed(const char *path)
{
    static char text[2][1024];
    static unsigned next;
    char *buf = text[next++ % 2];

    snprintf(buf, sizeof text[0], "%s%s", jail, path);
    return buf;
}

void jail_make(const char *dir)
{
    snprintf(jail, sizeof jail, "%s/jail", dir);
    jail_make_folders(jail, 0755);
    jail_make_folders(jailed(dir), 0755);
}

void jail_enter(void)
{
    root_outside = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(root_outside >= 0 && chroot(jail) == 0 && chdir("/") == 0);
}

void jail_leave(void)
{
    assert_true(fchdir(root_outside) == 0 && chroot(".") == 0);
    assert_int_equal(close(root_outside), 0);
}
