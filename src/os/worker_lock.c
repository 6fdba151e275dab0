/* SPDX-License-Identifier: MIT */
#include "worker_lock.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/decimal.h"
#include "core/sentence.h"
#include "fail_errno.h"
#include "file.h"
#include "own_file.h"

/* Nobody ever looks into it: it is there to be held. */
enum { PAGE_SIZE_ASKED_FOR = 1 };

/* Bytes that the list of holders may take up of an error's sentence. */
enum { HOLDERS_SIZE = 320, ROOM_FOR_MORE = 40, PID_SIZE = FZ_DECIMAL_MAX_LEN + 2 };

static int path_of(char path[FZ_PATH_SIZE], const char *directory, uint32_t worker)
{
    char name[FZ_DECIMAL_MAX_LEN + 8 + sizeof ".lock"];
    struct fz_sentence s = fz_sentence_in(name, sizeof name);

    fz_sentence_str(&s, "/worker-");
    fz_sentence_u64(&s, worker);
    fz_sentence_str(&s, ".lock");
    return fz_path_join(path, directory, name, "");
}

/*
 * For the error message when all numbers are taken.  The lock itself does not depend on it, so a full disk is
 * no reason to fail.
 */
static void write_pid(int fd)
{
    char text[PID_SIZE];
    struct fz_sentence s = fz_sentence_in(text, sizeof text);

    fz_sentence_u64(&s, (uint64_t)getpid());
    fz_sentence_char(&s, '\n');
    int ignored = ftruncate(fd, 0) == 0 ? fz_file_write(fd, 0, text, s.len) : errno;
    (void)ignored;
}

/* Keeps the locked file for as long as the process has it in memory.  0 or an errno. */
static int hold(struct fz_worker_lock *lock, int fd)
{
    lock->page = mmap(NULL, PAGE_SIZE_ASKED_FOR, PROT_NONE, MAP_SHARED, fd, 0);
    if (lock->page == MAP_FAILED)
        return errno;
    return 0;
}

/* No errno, and above all refusals: another process has the lock. */
enum { TAKEN = -1 };

/* 0, TAKEN, an errno or a refusal. */
static int try_lock(const char *path, struct fz_worker_lock *ret)
{
    for (;;) {
        int err = fz_own_file_keep(path, O_RDWR | O_CREAT, &ret->file, NULL);
        if (err != 0)
            return err;
        int fd = fz_kept_fd_known(&ret->file);
        err = fz_own_file_lock(fd, LOCK_EX);
        if (err == EWOULDBLOCK)
            err = TAKEN;
        if (err == 0)
            err = fz_own_file_at(&ret->file, path);
        if (err == 0)
            err = hold(ret, fd);
        if (err == 0) {
            write_pid(fd);
            return 0;
        }
        if (err != TAKEN)
            (void)fz_own_file_lock(fd, LOCK_UN); /* a child that was forked meanwhile would keep it */
        close(fd);
        /* ESTALE: the file was removed between open and lock, so that the next one to come would make another. */
        if (err != ESTALE)
            return err;
    }
}

/* 0: it has not said yet, or cannot be read. */
static uint64_t read_pid(const char *path)
{
    char text[PID_SIZE + 1];
    size_t len;
    uint64_t pid;

    if (fz_file_read(path, text, sizeof text, &len) != 0 || len == 0 || text[len - 1] != '\n' ||
        !fz_decimal_parse(text, len - 1, &pid))
        return 0;
    return pid;
}

/* "17, 99, ? and 12 more" */
static void list_holders(struct fz_sentence *s, const char *directory, uint32_t base, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char path[FZ_PATH_SIZE];
        if (s->len + ROOM_FOR_MORE > s->size) {
            fz_sentence_str(s, " and ");
            fz_sentence_u64(s, count - i);
            fz_sentence_str(s, " more");
            return;
        }
        uint64_t pid = path_of(path, directory, base + i) == 0 ? read_pid(path) : 0;
        fz_sentence_str(s, i == 0 ? "" : ", ");
        if (pid == 0)
            fz_sentence_char(s, '?');
        else
            fz_sentence_u64(s, pid);
    }
}

static frazil_err all_taken(const char *directory, uint32_t base, uint32_t count, frazil_error *reterr)
{
    char holders[HOLDERS_SIZE];
    struct fz_sentence s = fz_sentence_in(holders, sizeof holders);

    if (reterr != NULL)
        list_holders(&s, directory, base, count);
    return fz_fail(reterr, FRAZIL_EPOOL,
                   "all worker ids from %u to %u are taken on this host; the lock files in %q are held by the "
                   "processes %s (or their children)",
                   (uint64_t)base, (uint64_t)base + count - 1, directory, holders);
}

frazil_err fz_worker_lock_take(struct fz_worker_lock *ret, const char *directory, uint32_t base, uint32_t count,
                               frazil_error *reterr)
{
    assert(count >= 1 && base <= UINT32_MAX - (count - 1));
    for (uint32_t i = 0; i < count; i++) {
        char path[FZ_PATH_SIZE];
        struct fz_worker_lock lock = {.file = FZ_KEPT_NONE, .worker = base + i};
        int err = path_of(path, directory, base + i);
        if (err == 0)
            err = try_lock(path, &lock);
        if (err == 0) {
            *ret = lock;
            return FRAZIL_OK;
        }
        if (err < TAKEN)
            return fz_fail_errno(reterr, err, "the lock file cannot be used:", path, "");
        if (err != TAKEN)
            return fz_fail_errno(reterr, err, "no worker id can be locked in the run directory", directory,
                                 "; it must be writable, or name another one with run_dir=");
    }
    return all_taken(directory, base, count, reterr);
}

void fz_worker_lock_release(struct fz_worker_lock *lock)
{
    /* This is not unlocking: a child that shares the word goes on holding the number. */
    munmap(lock->page, PAGE_SIZE_ASKED_FOR);
    lock->page = NULL;
    fz_kept_fd_close(&lock->file);
}
