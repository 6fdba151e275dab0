/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: processes that open a word's file share one word.  A file that
 * is not certainly this very word is replaced if its state may be old, and refused if
 * it is somebody else's.  Its loss is noticed.  Exactly the last process to leave is
 * told so, forked children counted.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frazil/layout.h"
#include "lib/callers.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "os/file.h"
#include "os/host.h"
#include "os/own_file.h"
#include "os/word_file.h"

enum { PAYLOAD_SIZE = 320, FILE_SIZE = FZ_WORD_FILE_HEADER_SIZE + PAYLOAD_SIZE };

/* Where the header's members lie: the files of one version look like this for ever. */
enum { AT_MAGIC = 0, AT_ORDER = 8, AT_VERSION = 16, AT_POINTER = 20, AT_PAYLOAD = 24, AT_INODE = 40, AT_BOOT = 56 };
enum { AT_BIRTH = AT_BOOT + FZ_BOOT_ID_SIZE + FRAZIL_FINGERPRINT_SIZE + 24 };

static const struct fz_word_identity identity = {.fingerprint = "41/10/12 epoch=0 tick=1ms", .worker = 7};
static const char *scratch;
static char path[512];

BEFORE_EACH
{
    scratch = scratch_make();
    snprintf(path, sizeof path, "%s/worker-7.word", scratch);
}

AFTER_EACH
{
    scratch_remove(scratch);
}

static struct fz_word_file open_ok(void)
{
    struct fz_word_file file;
    frazil_error err;

    if (fz_word_file_open(&file, path, &identity, PAYLOAD_SIZE, FZ_DEADLINE_NONE, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    return file;
}

static void open_and_close(void)
{
    struct fz_word_file file = open_ok();

    fz_word_file_close(&file);
}

/* How often the payload was made ready, and whether others could have done so meanwhile. */
static unsigned prepared;
static bool prepared_unguarded;

static void prepare(void *payload)
{
    char guard[FZ_PATH_SIZE + 8];
    int fd;

    snprintf(guard, sizeof guard, "%s.lock", path);
    assert_int_equal(fz_own_file_open(guard, O_RDWR, &fd), 0);
    prepared_unguarded = prepared_unguarded || flock(fd, LOCK_EX | LOCK_NB) == 0;
    close(fd);
    *(_Atomic uint64_t *)payload += 1;
    prepared++;
}

TEST("Each opening makes the payload ready, within the guard that it has anyway")
{
    const struct fz_word_identity prepares = {
        .fingerprint = identity.fingerprint, .worker = identity.worker, .bounds = identity.bounds, .prepare = prepare};
    struct fz_word_file first, second;

    prepared = 0;
    assert_int_equal(fz_word_file_open(&first, path, &prepares, PAYLOAD_SIZE, FZ_DEADLINE_NONE, NULL), FRAZIL_OK);
    assert_true(first.created);
    assert_int_equal(fz_word_file_open(&second, path, &prepares, PAYLOAD_SIZE, FZ_DEADLINE_NONE, NULL), FRAZIL_OK);
    assert_false(second.created);
    assert_int_equal(prepared, 2);
    assert_false(prepared_unguarded);
    assert_int_equal(*(_Atomic uint64_t *)second.payload, 2);
    fz_word_file_close(&first);
    fz_word_file_close(&second);
}

static _Atomic uint64_t *word_of(const struct fz_word_file *file)
{
    return file->payload;
}

static void assert_refused(const struct fz_word_identity *who, size_t payload_size, frazil_err code,
                           const char *const *parts)
{
    struct fz_word_file file = {.nonce = 4242};
    frazil_error err;
    unsigned fds = scratch_open_fds();

    assert_int_equal(fz_word_file_open(&file, path, who, payload_size, FZ_DEADLINE_NONE, &err), code);
    assert_int_equal(file.nonce, 4242);
    for (; *parts != NULL; parts++) {
        if (strstr(err.message, *parts) == NULL)
            fail_msg("'%s' is not in '%s'", *parts, err.message);
    }
    assert_int_equal(fz_word_file_open(&file, path, who, payload_size, FZ_DEADLINE_NONE, NULL), code);
    assert_int_equal(scratch_open_fds(), fds);
}

/* Makes a file and changes len bytes at an offset. */
static void make_with(size_t offset, const void *bytes, size_t len)
{
    char content[FILE_SIZE];

    open_and_close();
    assert_int_equal(scratch_read(path, content, sizeof content), sizeof content);
    memcpy(content + offset, bytes, len);
    scratch_write(path, content, sizeof content);
}

/* ---- sharing ------------------------------------------------------------- */

TEST("The first one makes a word of zeros, the second one finds it: the same memory, the same nonce")
{
    struct fz_word_file first = open_ok();
    struct fz_word_file second = open_ok();
    char zeros[PAYLOAD_SIZE] = {0};

    assert_true(first.created);
    assert_false(second.created);
    assert_int_equal(first.nonce, second.nonce);
    assert_int_equal(first.device, second.device);
    assert_memory_equal(first.payload, zeros, sizeof zeros);
    assert_int_equal((uintptr_t)first.payload % FZ_WORD_FILE_HEADER_SIZE, 0);
    atomic_store(word_of(&first), 17);
    assert_int_equal(atomic_load(word_of(&second)), 17);
    fz_word_file_close(&first);
    fz_word_file_close(&second);
}

TEST("A word outlives its processes; only the boot ends it")
{
    struct fz_word_file file;

    file = open_ok();
    uint64_t nonce = file.nonce;
    atomic_store(word_of(&file), 17);
    fz_word_file_close(&file);
    file = open_ok();
    assert_false(file.created);
    assert_int_equal(file.nonce, nonce);
    assert_int_equal(atomic_load(word_of(&file)), 17);
    fz_word_file_close(&file);
}

TEST("No descriptor and no half of a file is left over")
{
    char name[520];
    unsigned fds = scratch_open_fds();

    open_and_close();
    assert_int_equal(scratch_open_fds(), fds);
    snprintf(name, sizeof name, "%s.new", path);
    assert_false(scratch_exists(name));
}

TEST("A maker that was killed half way is no hindrance, whatever it had written")
{
    char name[520];
    char rest[2 * FILE_SIZE];

    memset(rest, 'x', sizeof rest);
    snprintf(name, sizeof name, "%s.new", path);
    for (size_t len = FILE_SIZE / 3; len <= sizeof rest; len += FILE_SIZE / 3) {
        scratch_write(name, rest, len);
        struct fz_word_file file = open_ok();
        assert_true(file.created);
        assert_int_equal(atomic_load(word_of(&file)), 0);
        fz_word_file_close(&file);
        open_and_close();
        assert_int_equal(unlink(path), 0);
    }
}

TEST("Its place on the disk is reserved, so that a full one is an error of open, not a signal later")
{
    enum { LARGE = 64 * 1024 };
    struct fz_word_file file;
    struct stat status;

    assert_int_equal(fz_word_file_open(&file, path, &identity, LARGE, FZ_DEADLINE_NONE, NULL), FRAZIL_OK);
    assert_int_equal(stat(path, &status), 0);
    assert_true(status.st_blocks * 512 >= LARGE);
    fz_word_file_close(&file);
}

/* ---- somebody else's, or an old one -------------------------------------- */

TEST("A file of another layout, worker or payload is refused with both values and the way out")
{
    const struct fz_word_identity layout = {.fingerprint = "41/5+5/12 epoch=0 tick=1ms", .worker = 7};
    const struct fz_word_identity alike = {.fingerprint = "41/10/12 epoch=1 tick=1ms", .worker = 7};
    const struct fz_word_identity longer = {.fingerprint = "41/10/12 epoch=0 tick=1ms2", .worker = 7};
    const struct fz_word_identity worker = {.fingerprint = "41/10/12 epoch=0 tick=1ms", .worker = 8};

    open_and_close();
    assert_refused(&layout, PAYLOAD_SIZE, FRAZIL_ESTATE,
                   (const char *[]){path, "41/10/12 epoch", "41/5+5/12 epoch", "run_dir=", NULL});
    assert_refused(&alike, PAYLOAD_SIZE, FRAZIL_ESTATE, (const char *[]){"epoch=0", "epoch=1", NULL});
    assert_refused(&longer, PAYLOAD_SIZE, FRAZIL_ESTATE, (const char *[]){"tick=1ms2", NULL});
    assert_refused(&worker, PAYLOAD_SIZE, FRAZIL_ESTATE, (const char *[]){path, "worker 7", "8", "run_dir=", NULL});
    assert_refused(&identity, PAYLOAD_SIZE + 8, FRAZIL_ESTATE, (const char *[]){path, "320", "328", NULL});
    open_and_close();
}

TEST("So is one of another machine or program, and one of a newer or an older frazil")
{
    make_with(AT_MAGIC, "F", 1);
    assert_refused(&identity, PAYLOAD_SIZE, FRAZIL_ESTATE, (const char *[]){path, "is not a word file", NULL});
    unlink(path);
    make_with(AT_ORDER, "\1\2\3\4\5\6\7\10", 8);
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
        assert_refused(&identity, PAYLOAD_SIZE, FRAZIL_ESTATE, (const char *[]){path, "byte order", NULL});
    unlink(path);
    make_with(AT_VERSION, &(uint32_t){3}, 4);
    assert_refused(&identity, PAYLOAD_SIZE, FRAZIL_ESTATE, (const char *[]){path, "version 3", "version 1", NULL});
    unlink(path);
    make_with(AT_VERSION, &(uint32_t){0}, 4);
    assert_refused(&identity, PAYLOAD_SIZE, FRAZIL_ESTATE, (const char *[]){path, "version 0", NULL});
    unlink(path);
    make_with(AT_POINTER, &(uint32_t){16}, 4);
    assert_refused(&identity, PAYLOAD_SIZE, FRAZIL_ESTATE, (const char *[]){path, "16", NULL});
}

TEST("A file that was cut, anywhere, or has grown, is refused")
{
    static const off_t sizes[] = {
        0, 1, 100, FZ_WORD_FILE_HEADER_SIZE - 1, FZ_WORD_FILE_HEADER_SIZE, FILE_SIZE - 1, FILE_SIZE + 1};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        open_and_close();
        assert_int_equal(truncate(path, sizes[i]), 0);
        assert_refused(&identity, PAYLOAD_SIZE, FRAZIL_ESTATE, (const char *[]){path, "`frazil state init`", NULL});
        assert_int_equal(unlink(path), 0);
    }
}

TEST(
    "A word from before the boot may be an old state that a disk kept: it is replaced, also if it was another layout's")
{
    const struct fz_word_identity layout = {.fingerprint = "41/5+5/12 epoch=0 tick=1ms", .worker = 9};
    struct fz_word_file file = open_ok();
    uint64_t nonce = file.nonce;

    atomic_store(word_of(&file), 17);
    fz_word_file_close(&file);
    make_with(AT_BOOT, "0123", 4);
    file = open_ok();
    assert_true(file.created);
    assert_int_not_equal(file.nonce, nonce);
    assert_int_equal(atomic_load(word_of(&file)), 0);
    fz_word_file_close(&file);

    make_with(AT_BOOT, "0123", 4);
    assert_int_equal(fz_word_file_open(&file, path, &layout, PAYLOAD_SIZE, FZ_DEADLINE_NONE, NULL), FRAZIL_OK);
    assert_true(file.created);
    fz_word_file_close(&file);
}

TEST("Where a boot has no id, a process that has the file has lived through none: the word is shared with it, and "
     "otherwise "
     "replaced")
{
    static const char no_id[40];
    struct fz_word_file first = open_ok();
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    assert_int_equal(pwrite(fd, no_id, sizeof no_id, AT_BOOT), sizeof no_id);
    close(fd);
    atomic_store(word_of(&first), 17);
    struct fz_word_file second = open_ok();
    assert_false(second.created);
    assert_int_equal(second.nonce, first.nonce);
    fz_word_file_close(&first);
    first = open_ok();
    assert_false(first.created);
    assert_int_equal(atomic_load(word_of(&first)), 17);
    fz_word_file_close(&first);
    fz_word_file_close(&second);
    first = open_ok();
    assert_true(first.created);
    assert_int_not_equal(first.nonce, second.nonce);
    assert_int_equal(atomic_load(word_of(&first)), 0);
    fz_word_file_close(&first);
}

TEST("So is a copy, for its original may have gone on")
{
    char content[FILE_SIZE];
    char copy[520];
    struct fz_word_file file = open_ok();
    uint64_t nonce = file.nonce;

    fz_word_file_close(&file);
    scratch_read(path, content, sizeof content);
    snprintf(copy, sizeof copy, "%s.copy", path);
    scratch_write(copy, content, sizeof content);
    assert_int_equal(rename(copy, path), 0);
    unsigned fds = scratch_open_fds();
    file = open_ok();
    assert_true(file.created);
    assert_int_not_equal(file.nonce, nonce);
    fz_word_file_close(&file);
    assert_int_equal(scratch_open_fds(), fds);
}

TEST("So is a copy that has the inode's number and the device's, as that of an image's file in a container")
{
    char none[8] = "";

    open_and_close();
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    uint64_t birth = fz_file_birth(fd);
    close(fd);
    if (birth == 0)
        skip(); /* the file system does not tell */
    make_with(AT_BIRTH, none, sizeof none);
    struct fz_word_file file = open_ok();
    assert_true(file.created);
    fz_word_file_close(&file);
}

TEST("A word that somebody has is no old one, whatever its boot and its numbers say: containers of one kernel may see "
     "others")
{
    static const size_t places[] = {AT_INODE, AT_BOOT, AT_BIRTH};
    struct fz_word_file first = open_ok();

    atomic_store(word_of(&first), 17);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        int fd = open(path, O_WRONLY | O_CLOEXEC);
        assert_int_equal(pwrite(fd, "0123", 4, (off_t)places[i]), 4);
        close(fd);
        struct fz_word_file second = open_ok();
        assert_false(second.created);
        assert_int_equal(second.nonce, first.nonce);
        assert_int_equal(atomic_load(word_of(&second)), 17);
        fz_word_file_close(&second);
    }
    fz_word_file_close(&first);
    first = open_ok();
    assert_true(first.created);
    fz_word_file_close(&first);
}

TEST("A link is not followed: it could lead anywhere")
{
    scratch_write(scratch_path(scratch, "elsewhere"), "", 0);
    assert_int_equal(symlink(scratch_path(scratch, "elsewhere"), path), 0);
    assert_refused(&identity, PAYLOAD_SIZE, FRAZIL_ESYS, (const char *[]){path, NULL});
}

TEST("A path that does not fit, with or without what is added to it, is refused and not cut")
{
    char longest[FZ_PATH_SIZE + 1];
    struct fz_word_file file;

    memset(longest, '/', sizeof longest);
    longest[FZ_PATH_SIZE] = '\0';
    assert_int_equal(fz_word_file_open(&file, longest, &identity, PAYLOAD_SIZE, FZ_DEADLINE_NONE, NULL), FRAZIL_ESPEC);
    longest[FZ_PATH_SIZE - 1] = '\0';
    assert_int_equal(fz_word_file_open(&file, longest, &identity, PAYLOAD_SIZE, FZ_DEADLINE_NONE, NULL), FRAZIL_ESYS);
}

/* ---- noticing its loss --------------------------------------------------- */

TEST("A file that was removed, replaced or cut is noticed by those who have it")
{
    struct fz_word_file file = open_ok();

    assert_true(fz_word_file_is_current(&file));
    assert_int_equal(truncate(path, FZ_WORD_FILE_HEADER_SIZE), 0);
    assert_false(fz_word_file_is_current(&file));
    assert_int_equal(unlink(path), 0);
    assert_false(fz_word_file_is_current(&file));
    struct fz_word_file other = open_ok();
    assert_true(other.created);
    assert_false(fz_word_file_is_current(&file));
    assert_true(fz_word_file_is_current(&other));
    assert_int_not_equal(file.nonce, other.nonce);
    fz_word_file_close(&other);
    assert_false(fz_word_file_leave(&file, FZ_DEADLINE_NONE)); /* although nobody has the other one */
    fz_word_file_close(&file);
}

/* ---- the last one -------------------------------------------------------- */

TEST("Of two that leave the second is the last; it still sees the word, and none can come meanwhile")
{
    struct fz_word_file first = open_ok();
    struct fz_word_file second = open_ok();
    int fd;

    atomic_store(word_of(&first), 17);
    assert_false(fz_word_file_leave(&first, FZ_DEADLINE_NONE));
    assert_null(first.payload);
    fz_word_file_close(&first);
    assert_true(fz_word_file_leave(&second, FZ_DEADLINE_NONE));
    assert_int_equal(atomic_load(word_of(&second)), 17);
    assert_int_equal(fz_own_file_open(second.guard.path, O_RDWR, &fd), 0);
    assert_int_equal(fz_own_file_lock(fd, LOCK_EX), EWOULDBLOCK);
    fz_word_file_close(&second);
    assert_int_equal(fz_own_file_lock(fd, LOCK_EX), 0);
    close(fd);
    open_and_close();
}

/* Runs in a child that has inherited the word: holds it until the pipe ends, and says at the end whether it was last.
 */
static pid_t fork_holder(struct fz_word_file *file, int keep_fd[2], bool close_fds)
{
    char byte;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid > 0)
        return pid;
    close(keep_fd[1]);
    if (close_fds)
        close(file->file.fd);
    if (read(keep_fd[0], &byte, 1) != 0)
        _exit(99);
    if (close_fds)
        _exit(2);
    bool last = fz_word_file_leave(file, FZ_DEADLINE_NONE);
    fz_word_file_close(file);
    _exit(last ? 1 : 0);
}

/* Ends the holder's pipe: it says this. */
static void assert_holder_says(pid_t pid, const int keep_fd[2], int wanted)
{
    int status;

    close(keep_fd[0]);
    close(keep_fd[1]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(WEXITSTATUS(status), wanted);
}

TEST("A child has the word although it has never called anything since the fork, so its parent is not the last; when "
     "the parent has gone, the child is")
{
    struct fz_word_file file = open_ok();
    int keep_fd[2];

    assert_int_equal(pipe(keep_fd), 0);
    pid_t pid = fork_holder(&file, keep_fd, false);
    assert_false(fz_word_file_leave(&file, FZ_DEADLINE_NONE));
    fz_word_file_close(&file);
    assert_holder_says(pid, keep_fd, 1);
}

TEST("A daemon that closes all descriptors still has the word, because it still has the memory")
{
    struct fz_word_file file = open_ok();
    struct fz_word_file other = open_ok();
    int keep_fd[2];

    assert_int_equal(pipe(keep_fd), 0);
    pid_t pid = fork_holder(&file, keep_fd, true);
    fz_word_file_close(&file);
    assert_false(fz_word_file_leave(&other, FZ_DEADLINE_NONE));
    fz_word_file_close(&other);
    assert_holder_says(pid, keep_fd, 2);
    other = open_ok();
    assert_true(fz_word_file_leave(&other, FZ_DEADLINE_NONE));
    fz_word_file_close(&other);
}

TEST("The last one may throw the word away; the next one makes another")
{
    struct fz_word_file file = open_ok();
    uint64_t nonce = file.nonce;

    assert_true(fz_word_file_leave(&file, FZ_DEADLINE_NONE));
    assert_int_equal(fz_word_file_remove(&file), 0);
    assert_int_equal(fz_word_file_remove(&file), ENOENT);
    fz_word_file_close(&file);
    file = open_ok();
    assert_true(file.created);
    assert_int_not_equal(file.nonce, nonce);
    fz_word_file_close(&file);
}

TEST("Seen from outside: whether there is one, whether it is used, whether it is old, and what is wrong with it")
{
    struct fz_word_file_status status;
    struct fz_word_identity other = {.fingerprint = identity.fingerprint, .worker = 8};

    assert_int_equal(fz_word_file_inspect(&status, path, &identity, PAYLOAD_SIZE, NULL), FRAZIL_OK);
    assert_false(status.exists || status.in_use || status.stale);
    struct fz_word_file file = open_ok();
    assert_int_equal(fz_word_file_inspect(&status, path, &identity, PAYLOAD_SIZE, NULL), FRAZIL_OK);
    assert_true(status.exists && status.in_use && !status.stale);
    assert_int_equal(status.wrong.code, FRAZIL_OK);
    assert_int_equal(fz_word_file_inspect(&status, path, &other, PAYLOAD_SIZE, NULL), FRAZIL_OK);
    assert_int_equal(status.wrong.code, FRAZIL_ESTATE);
    fz_word_file_close(&file);
    assert_int_equal(fz_word_file_inspect(&status, path, &identity, PAYLOAD_SIZE, NULL), FRAZIL_OK);
    assert_true(status.exists && !status.in_use);
    char bytes[FILE_SIZE];
    size_t len = scratch_read(path, bytes, sizeof bytes);
    const char *copy = scratch_path(scratch, "copy"); /* made before the original goes, so it has another inode */
    scratch_write(copy, bytes, len);
    assert_int_equal(rename(copy, path), 0);
    assert_int_equal(fz_word_file_inspect(&status, path, &identity, PAYLOAD_SIZE, NULL), FRAZIL_OK);
    assert_true(status.exists && status.stale);
}

/* Looks until it is killed.  On a busy machine others may have the guard for as long as it waits for that. */
static pid_t start_looking(void)
{
    pid_t pid = fork();

    assert_true(pid >= 0);
    while (pid == 0) {
        struct fz_word_file_status status;
        frazil_err err = fz_word_file_inspect(&status, path, &identity, PAYLOAD_SIZE, NULL);
        if (err != FRAZIL_OK && err != FRAZIL_EAGAIN)
            _exit(1);
    }
    return pid;
}

TEST("Who looks keeps nobody out")
{
    enum { OPENINGS = 12000 / INSTRUMENT_SLOWDOWN }; /* fewer seldom meet a looker who leaves */
    int status;

    open_and_close();
    pid_t pid = start_looking();
    for (int i = 0; i < OPENINGS; i++)
        open_and_close();
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
}

TEST("To discard is the way out of whatever the file is, but never under the hands of who uses it")
{
    frazil_error err;

    assert_int_equal(fz_word_file_discard(path, &identity, NULL), FRAZIL_OK);
    struct fz_word_file file = open_ok();
    assert_int_equal(fz_word_file_discard(path, &identity, &err), FRAZIL_EWORKER);
    assert_true(fz_word_file_is_current(&file));
    fz_word_file_close(&file);
    scratch_write(path, "GIF89a", 6);
    assert_int_equal(fz_word_file_discard(path, &identity, NULL), FRAZIL_OK);
    assert_false(scratch_exists(path));
    assert_int_equal(symlink("/nowhere", path), 0);
    assert_int_equal(fz_word_file_discard(path, &identity, &err), FRAZIL_ESYS);
}
