/* SPDX-License-Identifier: MIT */
/* Preloaded into a server: each fsync and fdatasync adds a line with the process id to the file TEST_SYNC. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void note(void)
{
    const char *path = getenv("TEST_SYNC");
    int fd = path != NULL ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;

    if (fd < 0)
        return;
    (void)!dprintf(fd, "%ld\n", (long)getpid());
    close(fd);
}

int fsync(int fd)
{
    note();
    return (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
    note();
    return (int)syscall(SYS_fdatasync, fd);
}
