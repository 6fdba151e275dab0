/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a generator whose state is in memory goes on without a claim where nobody can have one, and only
 * there; and the process itself keeps two of one number apart.  It needs a /dev/shm of its own, so root.
 */
#define _GNU_SOURCE /* unshare */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
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

/* A chroot may have no /dev/shm, and a host may have one for root alone.  /tmp is no second choice. */
static int refuse_without_shm(void)
{
    static const char spec[] = "worker=fixed:7 state=file run_dir=/dev/shm/run state_dir=/dev/shm/state";
    frazil_error err;
    frazil *gen;

    unsetenv("FRAZIL_HOST_DIR");
    if (!mount_own_shm())
        return NO_MOUNT;
    if (chmod("/dev/shm", 0755) != 0 || frazil_open(&gen, spec, &err) != FRAZIL_ESYS)
        return 2;
    if (strstr(err.message, "'/dev/shm' is not a folder of mode 1777") == NULL ||
        strstr(err.message, "host_dir=") == NULL)
        return 3;
    if (mount("none", "/dev", "tmpfs", 0, "mode=0755") != 0 ||
        frazil_open(&gen, "worker=file-lock state=file run_dir=/dev/run state_dir=/dev/state", &err) != FRAZIL_ESYS)
        return 4;
    if (strstr(err.message, "'/dev/shm' is not a folder of mode 1777") == NULL)
        return 5;
    return frazil_open(&gen, "worker=file-lock state=file run_dir=/dev/run state_dir=/dev/state host_dir=/dev/host",
                       &err) == FRAZIL_OK
               ? GOOD
               : 6;
}

/* ---- several of one process --------------------------------------------------------- */

/* With ticks of a minute, one that begins where it should not repeats an id at once.  Both are the same value. */
#define SLOW "layout='37/8/18 tick=60s' start=zero state=memory "
#define SPLIT "layout='37/4+4/18 tick=60s' start=zero state=memory "

enum { THREADS = 4, ROUNDS = 300 };

/* Whether one of this spec cannot be opened now. */
static bool is_refused(const char *spec)
{
    frazil_error err;
    frazil *gen = NULL;

    bool refused = frazil_open(&gen, spec, &err) == FRAZIL_EWORKER && strstr(err.message, "of this process") != NULL;
    frazil_close(gen);
    return refused;
}

static bool refused_in_a_child(const char *spec)
{
    int status;

    pid_t child = bound_fork();
    if (child == 0)
        _exit(is_refused(spec) ? GOOD : 1);
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == GOOD;
}

/* Opens, takes an id and closes, whenever no other thread has the number, and notes the ids. */
static void *open_by_turns(void *arg)
{
    uint64_t *ids = arg;

    for (size_t n = 0; n < ROUNDS;) {
        frazil *gen;
        if (open_in_memory(n % 2 == 0 ? SLOW "worker=fixed:8" : SPLIT "worker=fixed:8", &gen) != FRAZIL_OK)
            sched_yield();
        else if (frazil_next(gen, &ids[n++]) != FRAZIL_OK)
            ids[n - 1] = 0; /* which is twice there */
        frazil_close(gen);
    }
    return NULL;
}

static int compare(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

    return (a > b) - (a < b);
}

static bool go_on_by_turns(void)
{
    static uint64_t ids[THREADS * ROUNDS];
    pthread_t threads[THREADS];

    for (size_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, open_by_turns, &ids[i * ROUNDS]) != 0)
            return false;
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    qsort(ids, THREADS * ROUNDS, sizeof ids[0], compare);
    for (size_t i = 1; i < THREADS * ROUNDS; i++)
        if (ids[i] == ids[i - 1])
            return false;
    return true;
}

static int keep_apart(void)
{
    frazil *gen, *other;

    unsetenv("FRAZIL_HOST_DIR");
    if (!mount_own_shm() || !show_read_only())
        return NO_MOUNT;
    if (open_in_memory(SLOW "worker=fixed:7", &gen) != FRAZIL_OK)
        return 2;
    if (!is_refused(SLOW "worker=fixed:7") || !is_refused(SLOW "worker=fixed:7 seq_min=9") ||
        !is_refused(SLOW "worker=fixed:3 base=4") || !refused_in_a_child(SLOW "worker=fixed:7"))
        return 3;
    if (open_in_memory(SLOW "worker=fixed:8", &other) != FRAZIL_OK)
        return 4;
    frazil_close(other);
    frazil_stop(gen);
    if (!is_refused(SLOW "worker=fixed:7"))
        return 5;
    frazil_close(gen);
    if (open_in_memory(SLOW "worker=fixed:7 seq_max=99", &gen) != FRAZIL_OK ||
        open_in_memory(SLOW "worker=fixed:7 seq_min=100", &other) != FRAZIL_OK)
        return 6;
    frazil_close(other);
    frazil_close(gen);
    if (open_in_memory("layout=sno partition=7 state=memory", &gen) != FRAZIL_OK ||
        !is_refused("layout=sno partition=7 state=memory"))
        return 7;
    frazil_close(gen);
    return go_on_by_turns() ? GOOD : 8;
}

/* Runs it in a process of its own, which may mount what it likes. */
static void assert_good(int (*run)(void))
{
    int status;

    pid_t child = bound_fork();
    if (child == 0)
        _exit(run());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NO_MOUNT) {
        print_message("SKIPPED: nothing can be mounted here, as root could\n");
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), GOOD);
}

TEST("State in memory goes on in a read-only host directory where nobody has the number, and after no other failure")
{
    assert_good(go_on);
}

TEST("A number is refused where /dev/shm is missing or not for everybody, as others would claim elsewhere")
{
    assert_good(refuse_without_shm);
}

TEST("Without a folder for claims two of a process with one number are not open at once, and go on one after another")
{
    assert_good(keep_apart);
}
