/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into a server: each fsync and fdatasync adds a line with the process id to the file TEST_SYNC.
 * Other processes of the same user may trace each backend (calls.c), where Ubuntu's kernel only lets a parent do that.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
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

/* Each process has to say so for itself; a kernel without such rules refuses it. */
static void allow_tracing(void)
{
    (void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
}

__attribute__((constructor)) static void begin(void)
{
    (void)pthread_atfork(NULL, NULL, allow_tracing);
}
