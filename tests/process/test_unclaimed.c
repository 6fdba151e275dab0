/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: no number of its own without a claim, wherever its state is; what is said names the way on, which
 * works.  It needs a /dev/shm of its own, so root.
 */
#define _GNU_SOURCE /* unshare */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frazil.h"
#include "lib/bound.h"
#include "lib/test.h"

enum { GOOD, NO_MOUNT };

/* As a container has it: in memory, for everybody. */
static bool mount_own_shm(void)
{
    return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("shm", "/dev/shm", "tmpfs", 0, "mode=1777") == 0;
}

static bool is_refused(const char *spec, const char *why)
{
    frazil_error err;
    frazil *gen = NULL;

    bool refused = frazil_open(&gen, spec, &err) == FRAZIL_ESYS && strstr(err.message, why) != NULL &&
                   strstr(err.message, "host_dir=") != NULL;
    frazil_close(gen);
    return refused;
}

static bool opens(const char *spec)
{
    frazil *gen = NULL;

    bool opened = frazil_open(&gen, spec, NULL) == FRAZIL_OK;
    frazil_close(gen);
    return opened;
}

/* The number of the step that went wrong, from 2. */
static int refuse_read_only(void)
{
    unsetenv("FRAZIL_HOST_DIR");
    if (!mount_own_shm() || mkdir("/dev/shm/other", 0755) != 0 ||
        mount("other", "/dev/shm/other", "tmpfs", 0, "mode=0755") != 0 ||
        mount(NULL, "/dev/shm", NULL, MS_REMOUNT | MS_RDONLY, NULL) != 0)
        return NO_MOUNT;
    if (!is_refused("worker=fixed:7 state=memory", "Read-only file system"))
        return 2;
    if (!is_refused("worker=fixed:7 state=file run_dir=/dev/shm/other/run state_dir=/dev/shm/other/state",
                    "Read-only file system"))
        return 3;
    return opens("worker=fixed:7 state=memory host_dir=/dev/shm/other/host") ? GOOD : 4;
}

/* A chroot may have no /dev/shm, and a host may have one for root alone.  /tmp is no second choice. */
static int refuse_without_shm(void)
{
    static const char why[] = "'/dev/shm' is not a folder of mode 1777";

    unsetenv("FRAZIL_HOST_DIR");
    if (!mount_own_shm())
        return NO_MOUNT;
    if (chmod("/dev/shm", 0755) != 0 || !is_refused("worker=fixed:7 state=memory", why) ||
        !is_refused("worker=fixed:7 state=file run_dir=/dev/shm/run state_dir=/dev/shm/state", why))
        return 2;
    if (mount("none", "/dev", "tmpfs", 0, "mode=0755") != 0 ||
        !is_refused("worker=file-lock state=file run_dir=/dev/run state_dir=/dev/state", why) ||
        !is_refused("layout=sno partition=7 state=memory", why))
        return 3;
    return opens("worker=file-lock state=file run_dir=/dev/run state_dir=/dev/state host_dir=/dev/host") &&
                   opens("worker=fixed:7 state=memory host_dir=/dev/host")
               ? GOOD
               : 4;
}

/* Runs it in a process of its own, which may mount what it likes. */
static void assert_good(int (*run)(void))
{
    int status = bound_run(run);

    if (status == NO_MOUNT) {
        print_message("SKIPPED: nothing can be mounted here, as root could\n");
        skip();
    }
    assert_int_equal(status, GOOD);
}

TEST("A number is refused where /dev/shm is read-only, also with state in memory")
{
    assert_good(refuse_read_only);
}

TEST("A number is refused where /dev/shm is missing or not for everybody, as others would claim elsewhere")
{
    assert_good(refuse_without_shm);
}
