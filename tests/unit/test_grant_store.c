/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the grant file on a real disk keeps what was granted, finds
 * out that its file was removed or replaced, and tells the living from the dead.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/scratch.h"
#include "lib/test.h"
#include "os/file.h"
#include "os/state_file.h"
#include "state/grant_store.h"

enum { RESERVE = 100, NOW = 10000 };

static const char *scratch;
static char path[512];
static const struct fz_bounds all; /* sequence numbers, as far as these tests know */

BEFORE_EACH
{
    scratch = scratch_make();
    snprintf(path, sizeof path, "%s/worker-7.grant", scratch);
}

AFTER_EACH
{
    scratch_remove(scratch);
}

static struct fz_grant_owner owner_of(uint64_t nonce)
{
    return (struct fz_grant_owner){
        .fingerprint = "41/10/12 epoch=0 tick=1ms", .worker = 7, .nonce = nonce, .place = 25};
}

static struct fz_granter open_ok(uint64_t nonce)
{
    struct fz_grant_owner owner = owner_of(nonce);
    struct fz_granter granter;

    assert_int_equal(fz_grant_store_open(&granter, path, &owner, RESERVE, NULL), FRAZIL_OK);
    return granter;
}

static struct fz_grant acquire_ok(struct fz_granter granter, uint64_t now)
{
    struct fz_grant grant;
    frazil_error err;

    if (granter.acquire(granter.ctx, FZ_DEADLINE_NONE, now, &grant, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    return grant;
}

static void extend_ok(struct fz_granter granter, uint64_t now, struct fz_grant *grant)
{
    frazil_error err;

    if (granter.extend(granter.ctx, FZ_DEADLINE_NONE, now, grant, grant, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
}

TEST("The grant is in the file when all have gone; nothing else is left but the guard, for its owner alone")
{
    unsigned fds = scratch_open_fds();
    struct fz_granter granter = open_ok(1);
    struct fz_grant grant = acquire_ok(granter, NOW);
    struct stat status;
    char name[520];

    extend_ok(granter, NOW + 50, &grant);
    granter.close(granter.ctx);
    assert_int_equal(scratch_open_fds(), fds);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, FZ_GRANT_FILE_SIZE);
    assert_int_equal(status.st_mode & 0777, 0600);
    snprintf(name, sizeof name, "%s.new", path);
    assert_false(scratch_exists(name));

    granter = open_ok(2);
    grant = acquire_ok(granter, NOW);
    assert_int_equal(grant.floor, NOW + 50 + RESERVE + 1);
    granter.close(granter.ctx);
}

TEST("Opening touches no file: the first grant does")
{
    struct fz_granter granter = open_ok(1);

    assert_false(scratch_exists(path));
    granter.close(granter.ctx);
}

TEST("A file that was removed, or replaced by an older copy, under its owner's hands is not written on unseen")
{
    unsigned char content[FZ_GRANT_FILE_SIZE];
    struct fz_granter granter = open_ok(1);
    struct fz_grant grant = acquire_ok(granter, NOW);
    char copy[520];

    assert_int_equal(scratch_read(path, content, sizeof content), sizeof content);
    extend_ok(granter, NOW + 50, &grant);
    snprintf(copy, sizeof copy, "%s.copy", path);
    scratch_write(copy, content, sizeof content);
    assert_int_equal(rename(copy, path), 0);
    extend_ok(granter, NOW + 60, &grant);
    assert_int_equal(grant.floor, NOW + 60 + RESERVE + 1);
    assert_int_equal(unlink(path), 0);
    extend_ok(granter, NOW + 70, &grant);
    assert_int_equal(grant.floor, NOW + 70 + RESERVE + 1);
    assert_true(scratch_exists(path));
    granter.close(granter.ctx);
}

TEST("The guard is met at the file that has its name, also if somebody removed it")
{
    struct fz_granter granter = open_ok(1);
    struct fz_grant grant = acquire_ok(granter, NOW);
    char guard[520];

    unsigned fds = scratch_open_fds();
    snprintf(guard, sizeof guard, "%s.lock", path);
    assert_int_equal(unlink(guard), 0);
    extend_ok(granter, NOW + 50, &grant);
    assert_int_equal(scratch_open_fds(), fds);
    assert_true(scratch_exists(guard));
    granter.close(granter.ctx);
}

TEST("Somebody who stays inside is waited for, but not for ever; the present grant stands meanwhile")
{
    struct fz_granter granter = open_ok(1);
    struct fz_grant grant = acquire_ok(granter, NOW);
    frazil_error err;
    char guard[520];

    snprintf(guard, sizeof guard, "%s.lock", path);
    int fd = open(guard, O_RDWR);
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    const struct fz_deadline deadline = fz_deadline_in(50000000);
    assert_int_equal(granter.extend(granter.ctx, deadline, NOW + 50, &grant, &grant, &err), FRAZIL_EAGAIN);
    assert_int_equal(fz_deadline_left_ns(deadline), 0);
    assert_int_equal(err.code, FRAZIL_EAGAIN);
    assert_non_null(strstr(err.message, "has held the lock"));
    assert_non_null(strstr(err.message, path));
    close(fd);
    extend_ok(granter, NOW + 50, &grant);
    granter.close(granter.ctx);
}

TEST("A living owner elsewhere is seen, a dead one is not; one's own word never is in the way")
{
    struct fz_grant_owner elsewhere = owner_of(2);
    struct fz_granter first = open_ok(1);
    struct fz_granter relative = open_ok(1);
    struct fz_granter other;
    struct fz_grant grant = acquire_ok(first, NOW);
    frazil_error err;

    acquire_ok(relative, NOW);
    elsewhere.place = 26;
    assert_int_equal(fz_grant_store_open(&other, path, &elsewhere, RESERVE, NULL), FRAZIL_OK);
    assert_int_equal(other.acquire(other.ctx, FZ_DEADLINE_NONE, NOW, &grant, &err), FRAZIL_EWORKER);
    char pid[32];
    snprintf(pid, sizeof pid, "process %d ", (int)getpid());
    assert_non_null(strstr(err.message, pid));
    first.close(first.ctx);
    assert_int_equal(other.acquire(other.ctx, FZ_DEADLINE_NONE, NOW, &grant, NULL), FRAZIL_EWORKER);
    relative.close(relative.ctx);
    acquire_ok(other, NOW);
    /* A process that looks lets others in afterwards, */
    assert_int_equal(fz_grant_store_open(&first, path, &elsewhere, RESERVE, NULL), FRAZIL_OK);
    acquire_ok(first, NOW);
    relative = open_ok(3); /* and is seen itself */
    assert_int_equal(relative.acquire(relative.ctx, FZ_DEADLINE_NONE, NOW, &grant, NULL), FRAZIL_EWORKER);
    first.close(first.ctx);
    assert_int_equal(relative.acquire(relative.ctx, FZ_DEADLINE_NONE, NOW, &grant, NULL), FRAZIL_EWORKER);
    relative.close(relative.ctx);
    other.close(other.ctx);
}

TEST("A child opens what is its own, says its own name, and goes on with the grant beside its parent")
{
    struct fz_granter granter = open_ok(1);
    struct fz_grant grant = acquire_ok(granter, NOW);
    struct fz_grant_record record;
    bool exists;
    int status;

    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        granter.after_fork(granter.ctx);
        frazil_err err = granter.extend(granter.ctx, FZ_DEADLINE_NONE, NOW + 50, &grant, &grant, NULL);
        _exit(err == FRAZIL_OK && grant.floor == NOW ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(fz_grant_store_inspect(path, &all, &exists, &record, NULL), FRAZIL_OK);
    assert_true(exists);
    assert_int_equal(record.pid, pid);
    extend_ok(granter, NOW + 60, &grant);
    assert_int_equal(grant.floor, NOW);
    assert_int_equal(grant.until, NOW + 60 + RESERVE);
    granter.close(granter.ctx);
}

TEST("A child is another process: while its parent is inside, it waits")
{
    struct fz_state_file file;
    frazil_error err;
    int status;

    assert_int_equal(fz_state_file_name(&file, path, &all, NULL), FRAZIL_OK);
    assert_int_equal(fz_state_file_enter(&file, fz_deadline_in(0), NULL), FRAZIL_OK);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        fz_state_file_after_fork(&file);
        bool excluded = fz_state_file_enter(&file, fz_deadline_in(0), &err) == FRAZIL_EAGAIN;
        fz_state_file_close(&file);
        _exit(excluded ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    fz_state_file_leave(&file);
    fz_state_file_close(&file);
}

TEST("A child that has not run yet holds what it inherited, and keeps nobody out by that")
{
    struct fz_granter granter = open_ok(1);
    struct fz_grant grant = acquire_ok(granter, NOW);
    int ready[2];
    int status;

    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        char byte;
        close(ready[1]);
        _exit(read(ready[0], &byte, 1) == 0 ? 0 : 1); /* holds all that it inherited until then */
    }
    extend_ok(granter, NOW + 50, &grant);
    struct fz_granter other = open_ok(1);
    acquire_ok(other, NOW + 50);
    other.close(other.ctx);
    close(ready[0]);
    close(ready[1]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    granter.close(granter.ctx);
}

TEST("A damaged file can be made anew, if nobody uses it")
{
    struct fz_grant_owner owner = owner_of(0);
    struct fz_grant_record record;
    struct fz_granter granter = open_ok(1);
    frazil_error err;
    bool exists;

    acquire_ok(granter, NOW);
    assert_int_equal(fz_grant_store_init(path, &owner, RESERVE, NOW, &err), FRAZIL_EWORKER);
    granter.close(granter.ctx);
    unsigned fds = scratch_open_fds();
    assert_int_equal(fz_grant_store_init(path, &owner, RESERVE, NOW, &err), FRAZIL_OK);
    assert_int_equal(scratch_open_fds(), fds);
    scratch_write(path, "", 0);
    assert_int_equal(fz_grant_store_inspect(path, &all, &exists, &record, &err), FRAZIL_ESTATE);
    assert_non_null(strstr(err.message, path));
    assert_int_equal(fz_grant_store_init(path, &owner, RESERVE, NOW + 500, NULL), FRAZIL_OK);
    granter = open_ok(2);
    assert_int_equal(acquire_ok(granter, NOW).floor, NOW + 500 + RESERVE + 1);
    granter.close(granter.ctx);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(fz_grant_store_inspect(path, &all, &exists, &record, NULL), FRAZIL_OK);
    assert_false(exists);
}

TEST("A directory that is not there, and a path that is too long, are said to be that")
{
    char longest[FZ_PATH_SIZE + 1];
    struct fz_grant_owner owner = owner_of(1);
    struct fz_grant_record record;
    struct fz_granter granter;
    struct fz_grant grant;
    frazil_error err;
    bool exists;

    snprintf(path, sizeof path, "%s/no/worker-7.grant", scratch);
    granter = open_ok(1);
    assert_int_equal(granter.acquire(granter.ctx, FZ_DEADLINE_NONE, NOW, &grant, &err), FRAZIL_ESYS);
    assert_int_equal(err.sys_errno, ENOENT);
    assert_non_null(strstr(err.message, path));
    granter.close(granter.ctx);

    /* A process that could not open the file has left its guard. */
    snprintf(path, sizeof path, "%s/worker-7.grant", scratch);
    assert_int_equal(symlink("elsewhere", path), 0);
    granter = open_ok(1);
    struct fz_granter other = open_ok(1);
    assert_int_equal(granter.acquire(granter.ctx, FZ_DEADLINE_NONE, NOW, &grant, &err), FRAZIL_ESYS);
    assert_int_equal(other.acquire(other.ctx, FZ_DEADLINE_NONE, NOW, &grant, &err), FRAZIL_ESYS);
    assert_int_equal(err.sys_errno, ELOOP);
    granter.close(granter.ctx);
    other.close(other.ctx);
    memset(longest, '/', sizeof longest);
    longest[FZ_PATH_SIZE] = '\0';
    assert_int_equal(fz_grant_store_open(&granter, longest, &owner, RESERVE, &err), FRAZIL_ESPEC);
    assert_int_equal(fz_grant_store_inspect(longest, &all, &exists, &record, &err), FRAZIL_ESPEC);
    assert_int_equal(fz_grant_store_init(longest, &owner, RESERVE, NOW, &err), FRAZIL_ESPEC);
}
