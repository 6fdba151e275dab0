/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a user who may write to the run or the state directory can neither
 * write into a generator's process nor hang it.  Files and directories that are another
 * user's, open to others, linked, or of another kind are refused with the reason.
 * Nothing that a link leads to is touched.
 */
#define _GNU_SOURCE /* setresuid */
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frazil.h"
#include "lib/patience.h"
#include "lib/scratch.h"
#include "lib/test.h"

enum { NOBODY = 65534 };

static const char *scratch;
static const char treasure[] = "what a link leads to\n";

BEFORE_EACH
{
    scratch = scratch_make();
    assert_int_equal(chmod(scratch, 0755), 0);
    alarm(PATIENCE_S); /* a call that hangs ends the test */
}

AFTER_EACH
{
    alarm(0);
    scratch_remove(scratch);
}

static frazil_err open_once(const char *worker, frazil_error *ret_why)
{
    char spec[600];
    frazil *gen;
    uint64_t id;

    snprintf(spec, sizeof spec, "worker=%s namespace=orders state=file keeper=inline run_dir='%s' state_dir='%s'",
             worker, scratch_path(scratch, "run"), scratch_path(scratch, "state"));
    frazil_err err = frazil_open(&gen, spec, ret_why);
    if (err != FRAZIL_OK)
        return err;
    err = frazil_next(gen, &id);
    frazil_close(gen);
    return err;
}

static void open_well(const char *worker)
{
    frazil_error why = {.code = FRAZIL_OK};

    if (open_once(worker, &why) != FRAZIL_OK)
        fail_msg("%s", why.message);
}

static void assert_refused(const char *worker, const char *what, const char *part)
{
    frazil_error why = {.code = FRAZIL_OK};
    unsigned fds = scratch_open_fds();

    frazil_err err = open_once(worker, &why);
    if (err == FRAZIL_OK || strstr(why.message, part) == NULL)
        fail_msg("%s: %d, '%s' is not in '%s'", what, err, part, why.message);
    assert_int_equal(scratch_open_fds(), fds);
}

/* Removes what has that name, if there is something. */
static void clear(const char *name)
{
    const char *path = scratch_path(scratch, name);

    if (scratch_exists(path))
        scratch_delete(path);
}

static void wipe(void)
{
    clear("run");
    clear("state");
    clear("another-name");
}

static void assert_treasure(const char *path)
{
    char found[sizeof treasure + 1];

    assert_int_equal(scratch_read(path, found, sizeof found), sizeof treasure);
    assert_memory_equal(found, treasure, sizeof treasure);
}

/* ---- files --------------------------------------------------------------------- */

/* The files that a generator opens, and a worker that has it open them. */
static const struct {
    const char *name;
    const char *worker;
} files[] = {
    {"run/orders/worker-3.word", "fixed:3"},    {"run/orders/worker-3.word.lock", "fixed:3"},
    {"state/orders/worker-3.grant", "fixed:3"}, {"state/orders/worker-3.grant.lock", "fixed:3"},
    {"run/orders/worker-0.lock", "file-lock"},
};

static void belongs_to_another(const char *path)
{
    assert_int_equal(chown(path, NOBODY, NOBODY), 0);
}

static void is_open_to_others(const char *path)
{
    assert_int_equal(chmod(path, 0666), 0);
}

static void is_open_to_a_group(const char *path)
{
    assert_int_equal(chmod(path, 0660), 0);
}

static void has_another_name(const char *path)
{
    assert_int_equal(link(path, scratch_path(scratch, "another-name")), 0);
}

static void is_a_link(const char *path)
{
    const char *aim = scratch_path(scratch, "another-name");

    assert_int_equal(rename(path, aim), 0);
    assert_int_equal(symlink(aim, path), 0);
}

static void is_a_fifo(const char *path)
{
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
}

static void is_a_directory(const char *path)
{
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
}

TEST("Each of the files, in each of these states, is refused, and the sentence says why")
{
    static const struct {
        void (*spoil)(const char *path);
        const char *part;
        bool by_root;
    } deeds[] = {
        {belongs_to_another, "another user", true},
        {is_open_to_others, "other users may write", false},
        {is_open_to_a_group, "other users may write", false},
        {has_another_name, "second name", false},
        {is_a_link, "symbolic link", false},
        {is_a_fifo, "not a regular file", false},
        {is_a_directory, "not a regular file", false},
    };

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        for (size_t j = 0; j < sizeof deeds / sizeof deeds[0]; j++) {
            const char *path = scratch_path(scratch, files[i].name);
            if (deeds[j].by_root && geteuid() != 0)
                continue;
            open_well(files[i].worker);
            deeds[j].spoil(path);
            assert_refused(files[i].worker, files[i].name, deeds[j].part);
            wipe();
            open_well(files[i].worker);
            wipe();
        }
    }
}

TEST("A file that was never finished is removed, not written to: it may be another name of any file")
{
    static const char *const names[] = {"run/orders/worker-3.word", "state/orders/worker-3.grant"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (unsigned symbolic = 0; symbolic < 2; symbolic++) {
            char half[300];
            char aim[300];
            snprintf(aim, sizeof aim, "%s/treasure", scratch);
            open_well("fixed:3");
            scratch_write(aim, treasure, sizeof treasure);
            snprintf(half, sizeof half, "%s/%s.new", scratch, names[i]);
            assert_int_equal(symbolic ? symlink(aim, half) : link(aim, half), 0);
            assert_int_equal(unlink(scratch_path(scratch, names[i])), 0);
            open_well("fixed:3");
            assert_treasure(aim);
            assert_false(scratch_exists(half));
            wipe();
            clear("treasure");
        }
    }
}

TEST("A config file and a password file that are FIFOs are refused: nobody may ever write into them")
{
    char path[300];
    char specs[2][600];

    snprintf(path, sizeof path, "%s/fifo", scratch);
    assert_int_equal(mkfifo(path, 0600), 0);
    snprintf(specs[0], sizeof specs[0], "worker=fixed:3 config='%s'", path);
    snprintf(specs[1], sizeof specs[1], "worker='redis://127.0.0.1:1/orders?password_file=%s'", path);
    for (size_t i = 0; i < 2; i++) {
        frazil_error why = {.code = FRAZIL_OK};
        frazil *gen;
        frazil_err err = frazil_open(&gen, specs[i], &why);
        if (err == FRAZIL_ENOTBUILT)
            continue;
        if (err != FRAZIL_ESYS || strstr(why.message, "not a regular file") == NULL)
            fail_msg("%s: %d, %s", specs[i], err, why.message);
    }
}

TEST("A word that was cut off is no word, wherever it was cut")
{
    char path[300];
    struct stat status;

    snprintf(path, sizeof path, "%s/run/orders/worker-3.word", scratch);
    open_well("fixed:3");
    assert_int_equal(stat(path, &status), 0);
    for (off_t size = status.st_size - 1; size >= 0; size -= 61) {
        assert_int_equal(truncate(path, size), 0);
        assert_refused("fixed:3", "cut", "word file");
    }
}

/* ---- directories --------------------------------------------------------------- */

/* Carries something out as another user. */
static void as_nobody(void (*act)(void))
{
    int status;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        if (setresgid(NOBODY, NOBODY, NOBODY) != 0 || setresuid(NOBODY, NOBODY, NOBODY) != 0)
            _exit(99);
        act();
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void plant_folder(void)
{
    if (mkdir(scratch_path(scratch, "run/orders"), 0777) != 0)
        _exit(1);
}

static void plant_link(void)
{
    if (symlink(scratch_path(scratch, "elsewhere"), scratch_path(scratch, "run/orders")) != 0)
        _exit(1);
}

TEST("In a directory where everybody makes names, such as /tmp, another user's folder or link of our name is refused")
{
    if (geteuid() != 0)
        skip();
    for (unsigned linked = 0; linked < 2; linked++) {
        assert_int_equal(mkdir(scratch_path(scratch, "run"), 0700), 0);
        assert_int_equal(chmod(scratch_path(scratch, "run"), 01777), 0);
        assert_int_equal(mkdir(scratch_path(scratch, "elsewhere"), 0700), 0);
        as_nobody(linked ? plant_link : plant_folder);
        assert_refused("fixed:3", "planted",
                       linked ? "symbolic link that another user made" : "belongs to another user");
        assert_false(scratch_exists(scratch_path(scratch, "elsewhere/worker-3.word")));
        scratch_delete(scratch_path(scratch, "elsewhere"));
        wipe();
    }
    assert_int_equal(mkdir(scratch_path(scratch, "run"), 0700), 0);
    assert_int_equal(chmod(scratch_path(scratch, "run"), 01777), 0);
    open_well("fixed:3");
}

TEST("Either directory is refused if it is another user's, or everybody may rename what is in it")
{
    static const char *const names[] = {"run", "state", "run/orders", "state/orders"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[300];
        snprintf(path, sizeof path, "%s/%s", scratch, names[i]);
        open_well("fixed:3");
        assert_int_equal(chmod(path, 0777), 0);
        assert_refused("fixed:3", names[i], "other users may write to it");
        assert_int_equal(chmod(path, 0755), 0);
        open_well("fixed:3");
        if (geteuid() == 0) {
            assert_int_equal(chown(path, NOBODY, NOBODY), 0);
            assert_refused("fixed:3", names[i], "belongs to another user");
            assert_refused("fixed:3", names[i], "run as its owner, uid 65534, name another with ");
            assert_refused("fixed:3", names[i], "_dir= and take another worker id, or ");
        }
        wipe();
    }
}

TEST("A link that this user, or root, has made is followed")
{
    assert_int_equal(mkdir(scratch_path(scratch, "elsewhere"), 0700), 0);
    assert_int_equal(symlink("elsewhere", scratch_path(scratch, "run")), 0);
    open_well("fixed:3");
    assert_true(scratch_exists(scratch_path(scratch, "elsewhere/orders/worker-3.word")));
}
