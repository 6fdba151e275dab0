/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the sentences of claims name what is really wrong, and a cure that works: for users whom a
 * namespace shows as one, for a process without descriptors, for a folder without room.
 */
#define _GNU_SOURCE /* setresuid, unshare */
#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frazil.h"
#include "lib/bound.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "lib/users.h"
#include "os/claim.h"

enum { ALICE = 12345, BOB = 54321, CANNOT = 77 };

static const char *scratch;

BEFORE_ALL
{
    unsetenv("FRAZIL_STATE");
    test_need(geteuid() == 0);
}

BEFORE_EACH
{
    scratch = scratch_make();
    assert_int_equal(chmod(scratch, 01777), 0);
    assert_true(mkdir(scratch_path(scratch, "host"), 0700) == 0 && chmod(scratch_path(scratch, "host"), 01777) == 0);
}

AFTER_EACH
{
    scratch_remove(scratch);
}

static frazil_err open_as(const char *name, const char *state, frazil **ret, frazil_error *reterr)
{
    char spec[1024];

    int len = snprintf(spec, sizeof spec, "worker=fixed:7 state=%s host_dir=%s/host", state, scratch);
    if (strcmp(state, "file") == 0)
        snprintf(spec + len, sizeof spec - (size_t)len, " run_dir=%s/%s-run state_dir=%s/%s-state", scratch, name,
                 scratch, name);
    return frazil_open(ret, spec, reterr);
}

static void enter_namespace_as(uid_t uid)
{
    if (setgroups(0, NULL) != 0 || setresgid(uid, uid, uid) != 0 || setresuid(uid, uid, uid) != 0)
        _exit(99);
    if (unshare(CLONE_NEWUSER) != 0)
        _exit(CANNOT);
}

/* A user of a namespace without a map has the number, until `end` is closed; then another one asks for it. */
static void ask_beside(const char *state, const int begun[2], const int end[2], frazil_error *ret)
{
    int status;
    char byte;

    pid_t alice = bound_fork();
    if (alice == 0) {
        frazil *gen;
        enter_namespace_as(ALICE);
        close(end[1]);
        if (open_as("alice", state, &gen, NULL) != FRAZIL_OK || write(begun[1], "", 1) != 1)
            _exit(98);
        _exit(read(end[0], &byte, 1) == 0 ? 0 : 97);
    }
    close(begun[1]);
    if (read(begun[0], &byte, 1) != 1) {
        assert_int_equal(waitpid(alice, &status, 0), alice);
        assert_int_equal(WEXITSTATUS(status), CANNOT);
        skip();
    }
    int said[2] = {-1, -1};
    assert_int_equal(pipe(said), 0);
    pid_t bob = bound_fork();
    if (bob == 0) {
        frazil_error why = {.message = ""};
        frazil *gen;
        enter_namespace_as(BOB);
        why.code = open_as("bob", state, &gen, &why);
        _exit(write(said[1], &why, sizeof why) == sizeof why ? 0 : 96);
    }
    assert_int_equal(read(said[0], ret, sizeof *ret), sizeof *ret);
    close(said[0]);
    close(said[1]);
    assert_int_equal(waitpid(bob, &status, 0), bob);
    close(end[1]);
    assert_int_equal(waitpid(alice, &status, 0), alice);
    assert_int_equal(status, 0);
    close(begun[0]);
    close(end[0]);
}

TEST("Two users whom a namespace without a map shows as one are told to take two worker ids, not one run directory")
{
    static const char *const states[] = {"file", "memory"};

    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        int begun[2] = {-1, -1};
        int end[2] = {-1, -1};
        frazil_error why;
        assert_true(pipe(begun) == 0 && pipe(end) == 0);
        ask_beside(states[i], begun, end, &why);
        if (why.code != FRAZIL_EWORKER ||
            strstr(why.message, "another user, of those whom this user namespace shows as uid 65534") == NULL ||
            strstr(why.message, "give each user a worker id of its own") == NULL)
            fail_msg("%d: %s", why.code, why.message);
    }
}

static frazil_error closed;

static bool chmod_claims(mode_t mode)
{
    DIR *folder = opendir(scratch_path(scratch, "host"));
    bool changed = false;

    if (folder == NULL)
        return false;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (strncmp(entry->d_name, "frazil-claim-", 13) == 0)
            changed = fchmodat(dirfd(folder), entry->d_name, mode, 0) == 0;
    }
    closedir(folder);
    return changed;
}

static int close_own_claim(void *ctx)
{
    frazil *gen;

    (void)ctx;
    if (open_as("alice", "memory", &gen, NULL) != FRAZIL_OK)
        return 1;
    frazil_close(gen);
    if (!chmod_claims(0))
        return 2;
    if (open_as("alice", "memory", &gen, &closed) != FRAZIL_ESYS)
        return 3;
    if (strstr(closed.message, "may not open its own file") == NULL || strstr(closed.message, "another user") != NULL)
        return 4;
    if (!chmod_claims(0744) || open_as("alice", "memory", &gen, NULL) != FRAZIL_OK)
        return 5;
    frazil_close(gen);
    return 0;
}

TEST("A user whose own claim has lost its mode is told so, and the mode that it needs")
{
    assert_int_equal(as_user(ALICE, close_own_claim, NULL), 0);
}

TEST("The thing that a process or a system lacks is named, and no other folder")
{
    static const int lacks[] = {EMFILE, ENFILE, ENOSPC, ENOMEM, EDQUOT, EFBIG};
    frazil_error why;

    for (size_t i = 0; i < sizeof lacks / sizeof lacks[0]; i++) {
        assert_int_equal(fz_claim_fail(lacks[i], "/dev/shm/x", &why), FRAZIL_ESYS);
        assert_int_equal(why.sys_errno, lacks[i]);
        assert_null(strstr(why.message, "host_dir"));
    }
    (void)fz_claim_fail(EMFILE, "/dev/shm/x", &why);
    assert_non_null(strstr(why.message, "ulimit -n"));
    (void)fz_claim_fail(ENFILE, "/dev/shm/x", &why);
    assert_non_null(strstr(why.message, "fs.file-max"));
    (void)fz_claim_fail(EROFS, "/dev/shm/x", &why);
    assert_non_null(strstr(why.message, "host_dir="));
}

TEST("After a program was killed, the next one is told to wait, and that its clock may be right")
{
    int status;

    pid_t pid = bound_fork();
    if (pid == 0) {
        frazil *gen;
        _exit(open_as("alice", "file", &gen, NULL) == FRAZIL_OK ? 0 : 1); /* ends without closing */
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    frazil_error why;
    frazil *gen;
    uint64_t id;
    assert_int_equal(open_as("bob", "file", &gen, &why), FRAZIL_OK);
    if (frazil_take(gen, &id, 1, 1, &why) != FRAZIL_ECLOCK)
        fail_msg("%d: %s", why.code, why.message);
    assert_non_null(strstr(why.message, "by a process that was killed or another owner of the worker id"));
    assert_non_null(strstr(why.message, "wait for that long"));
    frazil_close(gen);
}

TEST("After a claim was removed, one that was used ahead of the clock is not said to be held")
{
    struct fz_claim claim = FZ_CLAIM_NONE;
    struct fz_claim_other other = {.until = FZ_CLAIM_UNKNOWN};
    frazil_error why;

    snprintf(claim.path, sizeof claim.path, "/dev/shm/own");
    snprintf(other.path, sizeof other.path, "/dev/shm/dead");
    assert_int_equal(fz_claim_lost(&claim, &other, &why), FRAZIL_ELEASE);
    assert_null(strstr(why.message, "has the worker id now"));
    assert_non_null(strstr(why.message, "'/dev/shm/dead', which nobody holds"));
    assert_non_null(strstr(why.message, "open the generator again"));
}
