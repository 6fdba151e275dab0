/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a generator whose state is in memory goes on without a claim where nobody can have one, and only
 * there.  It needs a /dev/shm of its own, so root.
 */
#define _GNU_SOURCE /* unshare */
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frazil.h"
#include "lib/bound.h"
#include "lib/test.h"

enum { GOOD, NO_MOUNT };

static frazil_err open_in_memory(const char *spec, frazil **ret)
{
    *ret = NULL;
    return frazil_open(ret, spec, NULL);
}

/* As a container has it: in memory, for everybody. */
static bool mount_own_shm(void)
{
    return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("shm", "/dev/shm", "tmpfs", 0, "mode=1777") == 0;
}

/* A second view of it: the first one has a file that is open for writing. */
static bool show_read_only(void)
{
    return mount("/dev/shm", "/dev/shm", NULL, MS_BIND, NULL) == 0 &&
           mount(NULL, "/dev/shm", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) == 0;
}

/* The number of the step that went wrong, from 2. */
static int go_on(void)
{
    struct rlimit before;
    frazil *gen, *other;

    unsetenv("FRAZIL_HOST_DIR");
    if (!mount_own_shm())
        return NO_MOUNT;
    if (open_in_memory("worker=fixed:7 state=memory", &gen) != FRAZIL_OK)
        return 2;
    if (getrlimit(RLIMIT_NOFILE, &before) != 0)
        return 3;
    const struct rlimit nothing = {.rlim_cur = 0, .rlim_max = before.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &nothing) != 0)
        return 3;
    if (open_in_memory("worker=fixed:7 state=memory", &other) != FRAZIL_ESYS)
        return 4; /* a shortage passes, so it is no reason to go on */
    if (setrlimit(RLIMIT_NOFILE, &before) != 0 || !show_read_only())
        return 5;
    if (open_in_memory("worker=fixed:7 state=memory", &other) != FRAZIL_EWORKER)
        return 6; /* the claim of the first one can be read */
    if (open_in_memory("worker=fixed:8 state=memory", &other) != FRAZIL_OK)
        return 7;
    frazil_close(other);
    frazil_close(gen);
    return GOOD;
}

TEST("State in memory goes on in a read-only host directory where nobody has the number, and after no other failure")
{
    int status;

    pid_t child = bound_fork();
    if (child == 0)
        _exit(go_on());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NO_MOUNT) {
        print_message("SKIPPED: nothing can be mounted here, as root could\n");
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), GOOD);
}
