/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a claim keeps others from a worker number, and nothing that a user puts into the folder of claims
 * lets two have one number.  The users are children of root; each has a word of its own.
 */
#include <fcntl.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/bound.h"
#include "lib/claim_key.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "lib/users.h"
#include "os/dirs.h"

enum { ALICE = 12345, BOB = 65534, ROUNDS = 1000, NUMBER = 7, NOW = 1000 };

static const char *scratch;
static const char *claims; /* a folder as /dev/shm is one, of the test's own */

BEFORE_ALL
{
    test_need(geteuid() == 0);
}

BEFORE_EACH
{
    scratch = scratch_make();
    assert_int_equal(chmod(scratch, 0755), 0);
    claims = strdup(scratch_path(scratch, "claims"));
    assert_int_equal(mkdir(claims, 0700), 0);
    assert_int_equal(chmod(claims, 01777), 0);
}

AFTER_EACH
{
    free((void *)(uintptr_t)claims);
    scratch_remove(scratch);
}

/* For the word of a user. */
static struct fz_claim_key key_of(uint64_t word)
{
    struct fz_claim_key key = claim_key(claims, word, NOW);

    key.holder = "/run/frazil";
    return key;
}

static struct fz_claim_key key_here(void)
{
    return key_of(geteuid());
}

/* 0, or how a claim failed: 1 for FRAZIL_EWORKER, 2 for anything else.  The sentence is in *ctx, which is shared. */
static int claim(void *ctx)
{
    const struct fz_claim_key key = key_here();
    struct fz_claim claim;
    frazil_error why = {.message = ""};

    frazil_err err = claim_take(&claim, &key, NUMBER, &why);
    if (err == FRAZIL_OK)
        fz_claim_release(&claim);
    else if (ctx != NULL)
        fputs(why.message, ctx);
    if (ctx != NULL)
        fflush(ctx);
    return err == FRAZIL_OK ? 0 : err == FRAZIL_EWORKER ? 1 : 2;
}

static void assert_claim_says(uid_t uid, int result, const char *part)
{
    char text[1024] = "";
    FILE *file = tmpfile();

    assert_non_null(file);
    int found = as_user(uid, claim, file);
    rewind(file);
    size_t len = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[len] = '\0';
    if (found != result || strstr(text, part) == NULL)
        fail_msg("user %u, \"%s\": %d: %s", (unsigned)uid, part, found, text);
}

/* The path of a user's file for the number. */
static const char *path_of_claim(uid_t uid)
{
    static char path[FZ_CLAIM_PATH_SIZE + 16];
    const struct fz_claim_key key = key_here();
    struct fz_claim_other other;
    struct fz_claim claim;

    assert_int_equal(fz_claim_try(&claim, &key, NUMBER, &other), 0);
    memcpy(path, claim.path, sizeof claim.path);
    fz_claim_release(&claim);
    snprintf(strrchr(path, '-'), 16, "-%u.1.2", (unsigned)uid);
    return path;
}

TEST("A claim is a file that everybody can read, whatever the umask is")
{
    const struct fz_claim_key key = key_here();
    struct fz_claim_other other;
    struct fz_claim held;
    struct stat status;

    mode_t before = umask(0777);
    assert_int_equal(fz_claim_try(&held, &key, NUMBER, &other), 0);
    umask(before);
    assert_int_equal(stat(held.path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0744);
    assert_claim_says(BOB, 1, "uid 0 ");
    fz_claim_release(&held);
    assert_claim_says(BOB, 0, "");
}

/* Uses the number up to a tick, and ends.  The floor that it found is the result. */
static int use_up_to(void *ctx)
{
    const struct fz_claim_key key = key_here();
    const uint64_t *used = ctx;
    struct fz_claim_other other;
    struct fz_claim claim;

    if (fz_claim_try(&claim, &key, NUMBER, &other) != 0)
        return 255;
    if (used[0] != 0)
        fz_claim_raise(&claim, used[0]);
    if (used[1] != 0)
        fz_claim_lower(&claim, used[0], used[1]);
    return (int)claim.floor;
}

TEST("Another word of one user is refused, and says whose it is; the same word is not")
{
    const struct fz_claim_key key = key_of(0);
    struct fz_claim_key copy = key;
    struct fz_claim_other other;
    struct fz_claim held;
    struct fz_claim second;
    frazil_error why;

    assert_int_equal(fz_claim_try(&held, &key, NUMBER, &other), 0);
    assert_int_equal(fz_claim_try(&second, &key, NUMBER, &other), 0);
    fz_claim_release(&second);
    /* A copy of the word's file has the same number inside, and lies elsewhere. */
    copy.holder = "/run/other";
    copy.word.device++;
    assert_int_equal(claim_take(&second, &copy, NUMBER, &why), FRAZIL_EWORKER);
    assert_non_null(strstr(why.message, "uid 0 (root) with the run directory '/run/frazil'"));
    copy.word = (struct fz_claim_word){.nonce = 0, .device = 1, .inode = 3};
    assert_int_equal(claim_take(&second, &copy, NUMBER, &why), FRAZIL_EWORKER);
    fz_claim_release(&held);
    assert_int_equal(claim_take(&second, &copy, NUMBER, &why), FRAZIL_OK);
    fz_claim_release(&second);
}

static size_t count;

static void count_name(void *ctx, const char *name)
{
    (void)ctx;
    (void)name;
    count++;
}

static size_t count_claims(void)
{
    count = 0;
    assert_int_equal(fz_list_dir(claims, count_name, NULL), 0);
    return count;
}

TEST("A word that is refused leaves no file, unless that says something")
{
    const struct fz_claim_key key = key_of(0);
    const struct fz_claim_key used = key_of(1);
    struct fz_claim_other other;
    struct fz_claim held;
    struct fz_claim refused;

    assert_int_equal(fz_claim_try(&held, &used, NUMBER, &other), 0);
    fz_claim_raise(&held, NOW);
    fz_claim_release(&held);
    assert_int_equal(fz_claim_try(&held, &key, NUMBER, &other), 0);
    for (uint64_t word = 2; word <= 20; word++) {
        const struct fz_claim_key next = key_of(word);
        assert_int_equal(fz_claim_try(&refused, &next, NUMBER, &other), FZ_CLAIM_TAKEN);
    }
    assert_int_equal(fz_claim_try(&refused, &used, NUMBER, &other), FZ_CLAIM_TAKEN);
    assert_true(count_claims() <= 2);
    fz_claim_release(&held);
}

TEST("The next word of a user takes over what its dead words said, and nothing of other users")
{
    uint64_t floor = 0;

    assert_int_equal(as_user(ALICE, use_up_to, (uint64_t[]){50, 0}), 0);
    for (uint64_t word = 1; word <= 100; word++) {
        const struct fz_claim_key key = key_of(word);
        struct fz_claim_other other;
        struct fz_claim claim;
        assert_int_equal(fz_claim_try(&claim, &key, NUMBER, &other), 0);
        assert_true(claim.floor > floor);
        floor = claim.floor;
        fz_claim_raise(&claim, 100 + word);
        fz_claim_release(&claim);
    }
    assert_int_equal(floor, 200);
    assert_int_equal(count_claims(), 2);
    /* Killed before it used the number: what it took over is not forgotten. */
    const struct fz_claim_key key = key_of(777);
    struct fz_claim_other other;
    struct fz_claim claim;
    assert_int_equal(fz_claim_try(&claim, &key, NUMBER, &other), 0);
    fz_claim_release(&claim);
    assert_int_equal(fz_claim_try(&claim, &key, NUMBER, &other), 0);
    assert_int_equal(claim.floor, 201);
    fz_claim_release(&claim);
    assert_int_equal(as_user(BOB, use_up_to, (uint64_t[]){0, 0}), 201);
}

TEST("Other bounds are taken over only by those that hold them all")
{
    struct fz_claim_key parts[3] = {key_of(1), key_of(2), key_of(3)};
    struct fz_claim_other other;
    struct fz_claim claim;

    parts[0].bounds.max = 99;
    parts[1].bounds.min = 50;
    parts[1].bounds.max = 149;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(fz_claim_try(&claim, &parts[i], NUMBER, &other), 0);
        fz_claim_raise(&claim, 100 + i);
        fz_claim_release(&claim);
        assert_int_equal(count_claims(), i < 2 ? i + 1 : 1);
    }
}

TEST("A number that was used beyond the present is refused, with what to do, until the file is gone or the time comes")
{
    struct fz_claim_key key = key_of(0);
    struct fz_claim claim;
    frazil_error why;
    const char *path = path_of_claim(ALICE);

    assert_int_equal(as_user(ALICE, use_up_to, (uint64_t[]){3600000, 0}), 0);
    assert_int_equal(claim_take(&claim, &key, NUMBER, &why), FRAZIL_EWORKER);
    assert_non_null(strstr(why.message, "uid 12345 with the run directory '/run/frazil' has used it on this host up to "
                                        "1 h ahead of the clock"));
    assert_non_null(strstr(why.message, path));
    key.now_tick = 3600000;
    assert_int_equal(claim_take(&claim, &key, NUMBER, &why), FRAZIL_OK);
    assert_int_equal(claim.floor, 3600001);
    fz_claim_release(&claim);
    key.now_tick = NOW;
    assert_int_equal(remove(path), 0);
    assert_int_equal(claim_take(&claim, &key, NUMBER, &why), FRAZIL_OK);
    fz_claim_release(&claim);
}

TEST("The next user begins above what all others have used; a user's own ticks are its own affair")
{
    assert_int_equal(as_user(ALICE, use_up_to, (uint64_t[]){100, 0}), 0);
    assert_int_equal(as_user(BOB, use_up_to, (uint64_t[]){120, 110}), 101);
    assert_int_equal(as_user(ALICE, use_up_to, (uint64_t[]){50, 0}), 111);
    assert_int_equal(as_user(0, use_up_to, (uint64_t[]){0, 0}), 111);
    assert_int_equal(as_user(BOB, use_up_to, (uint64_t[]){0, 0}), 101);
}

TEST("A use is taken back only if nobody has said a later one")
{
    assert_int_equal(as_user(ALICE, use_up_to, (uint64_t[]){200, 0}), 0);
    assert_int_equal(as_user(ALICE, use_up_to, (uint64_t[]){150, 140}), 0);
    assert_int_equal(as_user(BOB, use_up_to, (uint64_t[]){0, 0}), 201);
}

static int make_link(void *ctx)
{
    return symlink("/etc/passwd", ctx) == 0 ? 0 : 10;
}

static int make_fifo(void *ctx)
{
    return mkfifo(ctx, 0666) == 0 ? 0 : 10;
}

static int make_folder(void *ctx)
{
    return mkdir(ctx, 0777) == 0 ? 0 : 10;
}

static int make_closed_folder(void *ctx)
{
    return mkdir(ctx, 0) == 0 ? 0 : 10;
}

/* As it is for a moment before it is finished. */
static int make_file(void *ctx)
{
    int fd = open(ctx, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

    return fd >= 0 ? 0 : 10;
}

static int (*const obstacles[])(void *ctx) = {make_link, make_fifo, make_folder, make_closed_folder};

TEST("A link, a FIFO or a folder in the place of a user's own file refuses that user the number, and says "
     "whose it is")
{
    for (size_t i = 0; i < sizeof obstacles / sizeof obstacles[0]; i++) {
        const char *path = path_of_claim(BOB);
        assert_int_equal(as_user(ALICE, obstacles[i], (void *)(uintptr_t)path), 0);
        assert_claim_says(BOB, 1, "uid 12345");
        assert_claim_says(ALICE, 0, "");
        assert_claim_says(0, 0, "");
        assert_int_equal(remove(path), 0);
        assert_claim_says(BOB, 0, "");
        assert_int_equal(remove(path), 0);
    }
}

TEST("Such things under the name of a third user, or with a name that is no user's, harm nobody")
{
    static const char *const names[] = {"4711", "", "x", "-1", "18446744073709551616", "0-1", "4711.1.2"};

    for (size_t i = 0; i < sizeof obstacles / sizeof obstacles[0]; i++) {
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            char path[FZ_CLAIM_PATH_SIZE + 32];
            snprintf(path, sizeof path, "%s", path_of_claim(0));
            snprintf(strrchr(path, '-') + 1, 32, "%s", names[k]);
            assert_int_equal(as_user(ALICE, obstacles[i], path), 0);
            assert_claim_says(BOB, 0, "");
            assert_int_equal(remove(path), 0);
        }
    }
}

TEST("A file that cannot be read counts as held, and the sentence names it; its owner's next claim removes it")
{
    const char *path = path_of_claim(ALICE);

    assert_int_equal(as_user(ALICE, make_file, (void *)(uintptr_t)path), 0);
    assert_int_equal(chmod(path, 0600), 0);
    assert_claim_says(BOB, 2, path);
    assert_claim_says(ALICE, 0, "");
    assert_claim_says(BOB, 0, "");
}

TEST("A file whose maker was killed before it was finished says nothing")
{
    const char *path = path_of_claim(ALICE);

    assert_int_equal(as_user(ALICE, make_file, (void *)(uintptr_t)path), 0);
    assert_claim_says(BOB, 0, "");
    assert_claim_says(ALICE, 0, "");
}

/* Damages a file: cuts it or makes it longer, or writes a byte over a part of it. */
struct damage {
    off_t size;
    size_t begin;
    size_t len; /* 0: only the size */
    int byte;
};

static int damage(const char *path, const struct damage *wanted)
{
    char bytes[sizeof(struct fz_claim_page)];
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    memset(bytes, wanted->byte, sizeof bytes);
    bool is_done = fd >= 0 && ftruncate(fd, wanted->size) == 0 &&
                   pwrite(fd, bytes, wanted->len, (off_t)wanted->begin) == (ssize_t)wanted->len;
    close(fd);
    return is_done ? 0 : -1;
}

#define PAGE sizeof(struct fz_claim_page)

TEST("A file that was cut short, or overwritten, refuses the number to all users until it is removed, also its owner")
{
    static const struct damage ways[] = {
        {.size = 0},
        {.size = PAGE - 1},
        {.size = PAGE + 1},
        {.size = PAGE, .len = PAGE, .byte = 'A'},
        {.size = PAGE, .len = PAGE, .byte = 0xff},
        {.size = PAGE, .begin = offsetof(struct fz_claim_page, end), .len = 8},
        {.size = PAGE, .begin = offsetof(struct fz_claim_page, holder), .len = FZ_CLAIM_HOLDER_SIZE, .byte = 'A'},
        {.size = PAGE, .begin = offsetof(struct fz_claim_page, state_inode), .len = 8, .byte = 1},
    };
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        const char *path = path_of_claim(ALICE);
        assert_int_equal(as_user(ALICE, use_up_to, (uint64_t[]){50, 0}), 0);
        assert_int_equal(damage(path, &ways[i]), 0);
        assert_claim_says(BOB, 2, "was cut short or overwritten: take another worker id");
        assert_claim_says(ALICE, 2, "uid 12345 or root may remove it");
        assert_claim_says(0, 2, path);
        assert_int_equal(remove(path), 0);
        assert_claim_says(ALICE, 0, "");
        assert_claim_says(BOB, 0, "");
    }
}

TEST("One that is overwritten while it is held tells nobody that its ticks are free, also where it is put back")
{
    const struct fz_claim_key key = key_of(0);
    const struct damage all = {.size = PAGE, .len = PAGE, .byte = 'A'};
    struct fz_claim_other other;
    struct fz_claim held;

    assert_int_equal(fz_claim_try(&held, &key, NUMBER, &other), 0);
    fz_claim_raise(&held, NOW);
    assert_int_equal(damage(held.path, &all), 0);
    fz_claim_raise(&held, NOW + 1);
    assert_claim_says(BOB, 1, "uid 0 (root)");
    assert_int_equal(remove(held.path), 0);
    assert_int_equal(fz_claim_keep(&held, NOW, FZ_DEADLINE_NONE, &other), 0);
    assert_in_range(held.floor, 0, NOW + 1);
    assert_claim_says(BOB, 1, "uid 0 (root)");
    fz_claim_release(&held);
    assert_claim_says(BOB, 2, "was cut short or overwritten");
}

TEST("A file that was cut short while it is held is held all the same")
{
    const struct fz_claim_key key = key_of(0);
    struct fz_claim_other other;
    struct fz_claim held;

    assert_int_equal(fz_claim_try(&held, &key, NUMBER, &other), 0);
    assert_int_equal(truncate(held.path, 8), 0);
    assert_claim_says(BOB, 1, "uid 0 (root)");
    fz_claim_release(&held);
    assert_claim_says(BOB, 2, "was cut short");
}

TEST("Another user who locks a user's own file can refuse the number, and nothing else")
{
    const char *path = path_of_claim(BOB);

    assert_int_equal(as_user(BOB, use_up_to, (uint64_t[]){0, 0}), 0);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    assert_claim_says(BOB, 1, "another process locks");
    assert_claim_says(BOB, 1, "try again, as it may only have looked");
    assert_claim_says(ALICE, 1, "uid 65534");
    close(fd);
    assert_claim_says(BOB, 0, "");
    assert_claim_says(ALICE, 0, "");
}

/* ---- the folder --------------------------------------------------------------------------------- */

TEST("The host directory is made for everybody, and refused where anybody could remove another one's file")
{
    char found[FZ_PATH_SIZE];
    const char *wanted = scratch_path(scratch, "host");
    struct stat status;
    frazil_error why;

    mode_t before = umask(0777);
    assert_int_equal(fz_claim_folder(found, wanted, NULL), FRAZIL_OK);
    umask(before);
    assert_string_equal(found, wanted);
    assert_int_equal(stat(wanted, &status), 0);
    assert_int_equal(status.st_mode & 07777, 01777);
    assert_int_equal(chmod(wanted, 0777), 0);
    assert_int_equal(fz_claim_folder(found, wanted, &why), FRAZIL_ESYS);
    assert_non_null(strstr(why.message, "host_dir="));
    assert_int_equal(chmod(wanted, 0770), 0);
    assert_int_equal(fz_claim_folder(found, wanted, NULL), FRAZIL_ESYS);
    assert_int_equal(chmod(wanted, 0755), 0);
    assert_int_equal(fz_claim_folder(found, wanted, NULL), FRAZIL_OK);
    assert_int_equal(fz_claim_folder(found, "host", &why), FRAZIL_ESPEC);
    assert_non_null(strstr(why.message, "absolute"));
    assert_int_equal(fz_claim_folder(found, "/proc/none/here", NULL), FRAZIL_ESYS);
    assert_int_equal(fz_claim_folder(found, "/etc/passwd", NULL), FRAZIL_ESYS);
}

/* ---- two that begin at once ------------------------------------------------------------------ */

/* Claims again and again, and holds an exclusive lock meanwhile, which only one user can have. */
static int claim_often(void *ctx)
{
    const struct fz_claim_key key = key_here();
    struct fz_claim_other other;
    int fd = open(ctx, O_RDWR | O_CLOEXEC);
    int had = 0;

    for (int i = 0; i < ROUNDS; i++) {
        struct fz_claim claim;
        int err = fz_claim_try(&claim, &key, NUMBER, &other);
        if (err == FZ_CLAIM_TAKEN)
            continue;
        if (err != 0)
            return 10;
        if (flock(fd, LOCK_EX | LOCK_NB) != 0)
            return 11;
        had++;
        (void)fz_claim_find(&key, NUMBER, &other); /* the longer it has it, the sooner they meet */
        flock(fd, LOCK_UN);
        fz_claim_release(&claim);
    }
    return had > 0 ? 0 : 12;
}

TEST("Users who claim a number again and again at the same time never have it at the same time")
{
    enum { USERS = 4 };
    char *meeting = strdup(scratch_path(scratch, "meeting"));
    pid_t pids[USERS];
    int status;

    scratch_write(meeting, "", 0);
    assert_int_equal(chmod(meeting, 0666), 0);
    for (unsigned i = 0; i < USERS; i++) {
        pids[i] = bound_fork();
        if (pids[i] == 0) {
            become(ALICE + i);
            int result = claim_often(meeting);
            _exit(result == 12 ? 0 : result);
        }
    }
    for (unsigned i = 0; i < USERS; i++) {
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
    }
    free(meeting);
}

/* Waits for the start, insists, says what came of it, and holds what it got until the end. */
static int insist(int start, int says, int end)
{
    const struct fz_claim_key key = key_here();
    struct fz_claim_other other;
    struct fz_claim claim;
    char byte;

    if (read(start, &byte, 1) != 0)
        return 10;
    int err = claim_insist(&claim, &key, NUMBER, &other);
    char said = err == 0 ? 'y' : err == FZ_CLAIM_TAKEN ? 'n' : 'e';
    if (write(says, &said, 1) != 1 || read(end, &byte, 1) != 0)
        return 11;
    return 0;
}

TEST("Of many who want one number at once, one gets it")
{
    enum { USERS = 12, TIMES = 10 };
    int start[2] = {-1, -1};
    int says[2] = {-1, -1};
    int end[2] = {-1, -1};
    int status;

    for (int time = 0; time < TIMES; time++) {
        pid_t pids[USERS];
        assert_true(pipe(start) == 0 && pipe(says) == 0 && pipe(end) == 0);
        for (unsigned i = 0; i < USERS; i++) {
            pids[i] = bound_fork();
            if (pids[i] == 0) {
                become(ALICE + i);
                close(start[1]);
                close(end[1]);
                _exit(insist(start[0], says[1], end[0]));
            }
        }
        close(start[1]);
        int got = 0;
        for (unsigned i = 0; i < USERS; i++) {
            char said;
            assert_int_equal(read(says[0], &said, 1), 1);
            assert_int_not_equal(said, 'e');
            got += said == 'y';
        }
        assert_int_equal(got, 1);
        close(end[1]);
        for (unsigned i = 0; i < USERS; i++) {
            assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
            assert_int_equal(status, 0);
        }
        close(start[0]);
        close(says[0]);
        close(says[1]);
        close(end[0]);
    }
}
