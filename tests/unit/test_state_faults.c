/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: each system call of the files that hold a host's state
 * fails once, and then from there on.  After any of them the outcome is success
 * or FRAZIL_ESYS with its errno; nothing leaks; and the next process finds
 * files that it can use.
 *
 * The calls are counted in a clean run; then call 1, 2, 3 ... is failed in turn.
 * The functions of this file stand before libc's of the same name.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/claim_key.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "os/dirs.h"
#include "os/word_file.h"
#include "os/worker_lock.h"
#include "state/grant_store.h"

/* ---- the fault ----------------------------------------------------------- */

static struct {
    bool armed;
    unsigned calls;    /* so far */
    unsigned fails_at; /* the first one that fails, counted from 1; 0: none */
    bool for_good;     /* and all after it */
    int error;
    bool refused_lock; /* EAGAIN of flock is an answer: somebody else holds it */
    int maps;          /* mapped and not yet unmapped */
    char trace[64];    /* the calls on files: write, rename, sync, sync of a directory, a letter each */
} fault;

static void note(char what)
{
    size_t len = strlen(fault.trace);

    if (fault.armed && len < sizeof fault.trace - 1)
        fault.trace[len] = what;
}

/* Calls that no signal ever interrupts are spared that. */
static bool strikes(bool interruptible)
{
    if (!fault.armed)
        return false;
    fault.calls++;
    if (fault.error == EINTR && !interruptible)
        return false;
    if (fault.fails_at == 0 || fault.calls < fault.fails_at || (fault.calls > fault.fails_at && !fault.for_good))
        return false;
    errno = fault.error;
    return true;
}

/* libc's function behind the one of this file. */
#define REAL(name) ((__typeof__(&(name)))(uintptr_t)dlsym(RTLD_NEXT, #name))

#define FAULTY(interruptible, type, name, parameters, arguments)                                                       \
    type name parameters                                                                                               \
    {                                                                                                                  \
        return strikes(interruptible) ? -1 : REAL(name) arguments;                                                     \
    }

int open(const char *path, int flags, ...)
{
    va_list args;

    va_start(args, flags);
    mode_t mode = va_arg(args, mode_t);
    va_end(args);
    return strikes(true) ? -1 : REAL(open)(path, flags, mode);
}

int flock(int fd, int operation)
{
    if (!strikes(true))
        return REAL(flock)(fd, operation);
    fault.refused_lock = fault.refused_lock || fault.error == EAGAIN;
    return -1;
}

FAULTY(false, int, fstat, (int fd, struct stat *ret), (fd, ret))
FAULTY(false, int, stat, (const char *path, struct stat *ret), (path, ret))
FAULTY(false, int, lstat, (const char *path, struct stat *ret), (path, ret))
FAULTY(false, int, fchmod, (int fd, mode_t mode), (fd, mode))
FAULTY(false, int, mkdir, (const char *path, mode_t mode), (path, mode))
FAULTY(false, int, faccessat, (int dir, const char *path, int how, int flags), (dir, path, how, flags))
FAULTY(false, int, unlink, (const char *path), (path))
FAULTY(true, int, ftruncate, (int fd, off_t size), (fd, size))
FAULTY(false, int, getentropy, (void *buf, size_t size), (buf, size))
FAULTY(true, ssize_t, read, (int fd, void *buf, size_t size), (fd, buf, size))
FAULTY(true, ssize_t, pread, (int fd, void *buf, size_t size, off_t at), (fd, buf, size, at))

ssize_t pwrite(int fd, const void *buf, size_t size, off_t at)
{
    note('w');
    return strikes(true) ? -1 : REAL(pwrite)(fd, buf, size, at);
}

int rename(const char *from, const char *to)
{
    note('r');
    return strikes(false) ? -1 : REAL(rename)(from, to);
}

int fsync(int fd)
{
    struct stat status;

    note(REAL(fstat)(fd, &status) == 0 && S_ISDIR(status.st_mode) ? 'd' : 's');
    return strikes(true) ? -1 : REAL(fsync)(fd);
}

int fdatasync(int fd)
{
    note('s');
    return strikes(true) ? -1 : REAL(fdatasync)(fd);
}

int posix_fallocate(int fd, off_t at, off_t size)
{
    return strikes(true) ? errno : REAL(posix_fallocate)(fd, at, size);
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    if (!fault.armed)
        return REAL(mmap)(at, size, protection, flags, fd, offset);
    if (strikes(false))
        return MAP_FAILED;
    fault.maps++;
    return REAL(mmap)(at, size, protection, flags, fd, offset);
}

int munmap(void *at, size_t size)
{
    if (fault.armed)
        fault.maps--;
    return REAL(munmap)(at, size);
}

/* Nobody waits here. */
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted, struct timespec *rest)
{
    (void)clock;
    (void)flags;
    (void)wanted;
    (void)rest;
    return 0;
}

/* ---- scenarios ----------------------------------------------------------- */

static const char *scratch;

/* Opens something and closes it again if that went well. */
typedef frazil_err (*scenario)(frazil_error *reterr);

static frazil_err prepare_dir(frazil_error *reterr)
{
    char path[FZ_PATH_SIZE];

    return fz_dir_prepare(path, FZ_DIR_STATE, scratch_path(scratch, "state"), reterr);
}

static frazil_err use_word(frazil_error *reterr)
{
    const struct fz_word_identity identity = {.fingerprint = "41/10/12 epoch=0 tick=1ms", .worker = 7};
    struct fz_word_file file;

    frazil_err err = fz_word_file_open(&file, scratch_path(scratch, "word"), &identity, 64, fz_deadline_in(0), reterr);
    if (err != FRAZIL_OK)
        return err;
    /* A process that is told that it is the last one has shut the door behind it. */
    assert_true(!fz_word_file_leave(&file, fz_deadline_in(0)) || fz_kept_fd_is_set(&file.guard.file));
    fz_word_file_close(&file);
    return FRAZIL_OK;
}

/* Two words one after the other; the second one extends what it has. */
static frazil_err use_grants(frazil_error *reterr)
{
    struct fz_grant_owner owner = {.fingerprint = "41/10/12 epoch=0 tick=1ms", .worker = 7};
    frazil_err err = FRAZIL_OK;

    for (owner.nonce = 1; owner.nonce <= 2 && err == FRAZIL_OK; owner.nonce++) {
        struct fz_granter granter;
        struct fz_grant grant;
        err = fz_grant_store_open(&granter, scratch_path(scratch, "grant"), &owner, 100, reterr);
        if (err != FRAZIL_OK)
            return err;
        err = granter.acquire(granter.ctx, fz_deadline_in(0), 1000 * owner.nonce, &grant, reterr);
        if (err == FRAZIL_OK && owner.nonce == 2)
            err = granter.extend(granter.ctx, fz_deadline_in(0), grant.until, &grant, &grant, reterr);
        if (err == FRAZIL_OK)
            granter.release(granter.ctx, fz_deadline_in(0), &grant, grant.floor);
        granter.close(granter.ctx);
    }
    return err;
}

static frazil_err use_lock(frazil_error *reterr)
{
    struct fz_worker_lock lock;

    frazil_err err = fz_worker_lock_take(&lock, scratch, 0, 1, reterr);
    if (err == FRAZIL_OK)
        fz_worker_lock_release(&lock);
    return err;
}

/* The file of another user who has ended, as far as this user may make one. */
static void leave_claim_of_another(const struct fz_claim_key *key)
{
    struct fz_claim_key another = *key;
    struct fz_claim claim;
    struct fz_claim_other other;
    char path[FZ_CLAIM_PATH_SIZE];

    another.word.inode++;
    fault.armed = false;
    assert_int_equal(fz_claim_try(&claim, &another, 7, &other), 0);
    memcpy(path, claim.path, sizeof path);
    fz_claim_release(&claim);
    if (geteuid() == 0)
        assert_int_equal(chown(path, 65534, 65534), 0);
    snprintf(strrchr(path, '.') + 1, 8, "65534");
    assert_int_equal(REAL(rename)(claim.path, path), 0);
    fault.armed = true;
}

static frazil_err use_claim(frazil_error *reterr)
{
    const struct fz_claim_key key = {.folder = scratch,
                                     .fingerprint = "f",
                                     .name = "n",
                                     .holder = "/run/a",
                                     .bounds = {0, 4095, 4095},
                                     .word = {7, 8, 9}};
    const bool armed = fault.armed;
    struct fz_claim claim;

    leave_claim_of_another(&key);
    fault.armed = armed;
    frazil_err err = claim_take(&claim, &key, 7, reterr);
    if (err == FRAZIL_OK)
        fz_claim_release(&claim);
    return err;
}

/* One run in a directory of its own.  The number of calls that were made. */
static unsigned run(scenario once, unsigned fails_at, bool for_good, int error, frazil_err *ret, frazil_error *reterr)
{
    scratch = scratch_make();
    unsigned fds = scratch_open_fds();
    fault.calls = 0;
    fault.maps = 0;
    memset(fault.trace, 0, sizeof fault.trace);
    fault.refused_lock = false;
    fault.fails_at = fails_at;
    fault.for_good = for_good;
    fault.error = error;
    fault.armed = true;
    *ret = once(reterr);
    fault.armed = false;
    if (scratch_open_fds() != fds || fault.maps != 0)
        fail_msg("call %u with errno %d leaves something open", fails_at, error);

    frazil_error again;
    if (once(&again) != FRAZIL_OK)
        fail_msg("after call %u with errno %d: %s", fails_at, error, again.message);
    scratch_remove(scratch);
    return fault.calls;
}

static void run_with(scenario once, unsigned calls, bool for_good, int error, unsigned *failures)
{
    for (unsigned at = 1; at <= calls; at++) {
        frazil_error why = {.code = FRAZIL_OK};
        frazil_err err;

        run(once, at, for_good, error, &err, &why);
        if (err == FRAZIL_OK)
            continue;
        ++*failures;
        /* A lock that is refused with EAGAIN is somebody else's: that is the answer, and no fault. */
        bool is_in_vain = err == FRAZIL_EAGAIN && why.sys_errno == 0;
        if (fault.refused_lock && (err == FRAZIL_EPOOL || err == FRAZIL_EWORKER || is_in_vain))
            continue;
        if (err == FRAZIL_EAGAIN) /* of an extension: the grant stands */
            err = why.code == err ? FRAZIL_ESYS : FRAZIL_OK;
        why.code = err;
        if (err != FRAZIL_ESYS || why.code != FRAZIL_ESYS || why.sys_errno != error)
            fail_msg("call %u with errno %d: %d, errno %d: %s", at, error, err, why.sys_errno, why.message);
        if (error == EINTR)
            fail_msg("call %u was interrupted, and that came out: %s", at, why.message);
    }
}

/* Fails each call of a scenario with each errno, once and for good; EINTR once only, as it is no fault at all. */
static void fail_everything(const char *name, scenario once, unsigned calls_at_least)
{
    static const int errors[] = {EIO, ENOSPC, EAGAIN, EMFILE, ENOMEM, EACCES, EROFS};
    unsigned failures = 0;
    frazil_error why;
    frazil_err err;

    unsigned calls = run(once, 0, false, 0, &err, &why);
    assert_int_equal(err, FRAZIL_OK);
    run_with(once, calls, false, EINTR, &failures);
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        run_with(once, calls, false, errors[i], &failures);
        run_with(once, calls, true, errors[i], &failures);
    }
    print_message("%s: %u calls, %u failures came out\n", name, calls, failures);
    assert_true(calls >= calls_at_least);
    assert_true(failures > calls);
}

BEFORE_ALL
{
    scratch_prefer_memory(); /* thousands of syncs */
}

TEST("Each call of preparing a directory")
{
    fail_everything("directory", prepare_dir, 4);
}

TEST("Each call of making a word's file, mapping it and leaving it")
{
    fail_everything("word", use_word, 22);
}

TEST("Each call of acquiring, extending and releasing grants of a file")
{
    fail_everything("grants", use_grants, 60);
}

TEST("Each call of taking a worker's lock; that the process's id cannot be written is no failure")
{
    fail_everything("lock", use_lock, 6);
}

TEST("Each call of claiming a number among the users of the host, one of whom had it before")
{
    fail_everything("claim", use_claim, 12);
}

TEST("Bytes that must be durable are synced before others rely on them")
{
    /* A file is written, synced, named, and its name synced.  The next process makes sure of the newest record and of
     * the name before it writes its own; after that a write and a sync are enough: here for an extension and for giving
     * back. */
    static const char first_acquires[] = "wsrd", writes[] = "ws", second_makes_sure[] = "wsd";
    char expected[64];
    frazil_err err;

    run(use_grants, 0, false, 0, &err, NULL);
    assert_int_equal(err, FRAZIL_OK);
    snprintf(expected, sizeof expected, "%s%s%s%s%s%s", first_acquires, writes, second_makes_sure, writes, writes,
             writes);
    assert_string_equal(fault.trace, expected);
}
