/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the run and state directories are those that a user of
 * systemd, of root and of XDG expects, in this order.  They are made for one user
 * alone; where that cannot be, the sentence says what, why and what to do.
 */
#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/scratch.h"
#include "lib/test.h"
#include "os/dirs.h"

static const char *scratch;

static const char *const variables[] = {"RUNTIME_DIRECTORY", "STATE_DIRECTORY", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
                                        "HOME"};

/* The directory that root makes for a user.  The number is of no account, and of no other run of this test. */
static uid_t service;
static char service_dir[64];

BEFORE_EACH
{
    service = UINT32_C(1) << 30 | (uid_t)getpid();
    snprintf(service_dir, sizeof service_dir, "/var/lib/frazil-%lu", (unsigned long)service);
    scratch = scratch_make();
    assert_int_equal(chmod(scratch, 0755), 0); /* for the tests that become somebody else */
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        unsetenv(variables[i]);
}

AFTER_EACH
{
    (void)rmdir(service_dir);
    scratch_remove(scratch);
}

static void assert_found(enum fz_dir which, const char *wanted, const char *expected)
{
    char path[FZ_PATH_SIZE];
    frazil_error err;

    if (fz_dir_find(path, which, wanted, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    assert_string_equal(path, expected);
}

/* A look has said so before; it has made nothing. */
static void assert_looked(enum fz_dir which, const char *wanted, const char *name, frazil_err code, const char *message)
{
    frazil_error err = {.message = ""};

    assert_int_equal(fz_dir_look(which, wanted, name, &err), code);
    assert_string_equal(err.message, message);
}

/* Each part is in the sentence, and the output is untouched. */
static void assert_refused(bool prepare, enum fz_dir which, const char *wanted, frazil_err code, int sys,
                           const char *const *parts)
{
    char path[FZ_PATH_SIZE] = "untouched";
    frazil_error err;
    frazil_err result = prepare ? fz_dir_prepare(path, which, wanted, &err) : fz_dir_find(path, which, wanted, &err);

    assert_int_equal(result, code);
    assert_int_equal(err.code, code);
    assert_int_equal(err.sys_errno, sys);
    assert_string_equal(path, "untouched");
    if (prepare)
        assert_looked(which, wanted, NULL, code, err.message);
    for (; *parts != NULL; parts++) {
        if (strstr(err.message, *parts) == NULL)
            fail_msg("'%s' is not in '%s'", *parts, err.message);
    }
    assert_int_equal(prepare ? fz_dir_prepare(path, which, wanted, NULL) : fz_dir_find(path, which, wanted, NULL),
                     code);
}

enum { NOBODY = 65534 };

/* Runs a test as that user, in a child process.  A failure in the child ends in another exit status than 0. */
static void as_user(unsigned user, void (*run)(void))
{
    int status;

    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (setgid(user) != 0 || setuid(user) != 0)
            _exit(99);
        run();
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

/* Runs a test as this user if root runs the tests; otherwise in this process, as the user who runs them. */
static void unless_root(unsigned user, void (*run)(void))
{
    if (geteuid() != 0)
        run();
    else
        as_user(user, run);
}

/* Runs a test as a user that is not root. */
static void as_nobody(void (*run)(void))
{
    unless_root(NOBODY, run);
}

/* ---- which it is --------------------------------------------------------- */

TEST("A name of the caller's wins over every variable; an empty name is none")
{
    setenv("RUNTIME_DIRECTORY", "/run/unit", 1);
    setenv("STATE_DIRECTORY", "/var/lib/unit", 1);
    assert_found(FZ_DIR_RUN, "/a/b", "/a/b");
    assert_found(FZ_DIR_STATE, "/a/c", "/a/c");
    assert_found(FZ_DIR_RUN, "", "/run/unit");
}

TEST("A service of systemd uses its own directories, the first where there are several, also when it runs as root")
{
    setenv("XDG_RUNTIME_DIR", "/run/user/1", 1);
    setenv("XDG_STATE_HOME", "/users/me/state", 1);
    setenv("RUNTIME_DIRECTORY", "/run/unit", 1);
    setenv("STATE_DIRECTORY", "/var/lib/unit:/var/lib/second", 1);
    assert_found(FZ_DIR_RUN, NULL, "/run/unit");
    assert_found(FZ_DIR_STATE, NULL, "/var/lib/unit");
}

TEST("root has the places of the system, from any session")
{
    if (geteuid() != 0)
        skip();
    setenv("XDG_RUNTIME_DIR", "/run/user/1", 1);
    setenv("XDG_STATE_HOME", "/users/me/state", 1);
    setenv("HOME", "/root", 1);
    assert_found(FZ_DIR_RUN, NULL, fz_run_dir_of_root);
    assert_found(FZ_DIR_STATE, NULL, "/var/lib/frazil");
}

static void find_as_user(void)
{
    setenv("HOME", "/users/me", 1);
    assert_found(FZ_DIR_STATE, NULL, "/users/me/.local/state/frazil");
    setenv("XDG_RUNTIME_DIR", "/run/user/1", 1);
    setenv("XDG_STATE_HOME", "/users/me/state", 1);
    assert_found(FZ_DIR_RUN, NULL, "/run/user/1/frazil");
    assert_found(FZ_DIR_STATE, NULL, "/users/me/state/frazil");
    setenv("XDG_STATE_HOME", "", 1);
    assert_found(FZ_DIR_STATE, NULL, "/users/me/.local/state/frazil");
}

TEST("Others have those of XDG; an empty variable is none")
{
    as_nobody(find_as_user);
}

static void find_nothing(void)
{
    assert_refused(true, FZ_DIR_STATE, NULL, FRAZIL_ESPEC, 0,
                   (const char *[]){"state directory", "STATE_DIRECTORY", "XDG_STATE_HOME", "HOME",
                                    "state_dir=", "have root make /var/lib/frazil-", "state=memory", NULL});
}

TEST("Where there is no default, none is made up")
{
    as_nobody(find_nothing);
}

static void find_service_dir(void)
{
    assert_found(FZ_DIR_STATE, NULL, service_dir);
    setenv("HOME", "/nonexistent", 1);
    assert_found(FZ_DIR_STATE, NULL, service_dir);
    setenv("XDG_STATE_HOME", "/users/me/state", 1);
    assert_found(FZ_DIR_STATE, NULL, "/users/me/state/frazil");
}

static void find_no_service_dir(void)
{
    setenv("HOME", "/users/me", 1);
    assert_found(FZ_DIR_STATE, NULL, "/users/me/.local/state/frazil");
    assert_refused(true, FZ_DIR_STATE, NULL, FRAZIL_ESYS, ENOENT,
                   (const char *[]){"HOME", "state_dir=, have root make ", service_dir, NULL});
}

static void use_others_dir(void)
{
    assert_refused(true, FZ_DIR_STATE, NULL, FRAZIL_ESYS, EPERM, (const char *[]){service_dir, "65534", NULL});
}

TEST("A user has the directory that root has made for it, with or without a home; XDG's alone comes before")
{
    if (geteuid() != 0)
        skip();
    as_user(service, find_no_service_dir);
    assert_int_equal(mkdir(service_dir, 0700), 0);
    assert_int_equal(chown(service_dir, service, service), 0);
    as_user(service, find_service_dir);
    assert_int_equal(chown(service_dir, NOBODY, NOBODY), 0);
    as_user(service, use_others_dir);
}

TEST("A relative path would be another one after a chdir")
{
    assert_refused(false, FZ_DIR_RUN, "run", FRAZIL_ESPEC, 0, (const char *[]){"run_dir", "run", "absolute", NULL});
    setenv("STATE_DIRECTORY", "lib:/var/lib/x", 1);
    assert_refused(false, FZ_DIR_STATE, NULL, FRAZIL_ESPEC, 0,
                   (const char *[]){"STATE_DIRECTORY", "lib", "absolute", NULL});
}

TEST("A path that does not fit is refused, not cut, wherever it comes from; the longest one that fits is taken")
{
    char path[FZ_PATH_SIZE + 1];

    memset(path, '/', sizeof path);
    path[FZ_PATH_SIZE] = '\0';
    assert_refused(false, FZ_DIR_RUN, path, FRAZIL_ESPEC, 0, (const char *[]){"run_dir", "1023", NULL});
    setenv("RUNTIME_DIRECTORY", path, 1);
    assert_refused(false, FZ_DIR_RUN, NULL, FRAZIL_ESPEC, 0, (const char *[]){"RUNTIME_DIRECTORY", "1023", NULL});
    path[FZ_PATH_SIZE - 1] = '\0';
    setenv("RUNTIME_DIRECTORY", path, 1);
    assert_found(FZ_DIR_STATE, path, path);
    assert_found(FZ_DIR_RUN, NULL, path);
}

/* ---- making it ----------------------------------------------------------- */

static mode_t mode_of(const char *path)
{
    struct stat status;

    assert_int_equal(stat(path, &status), 0);
    assert_true(S_ISDIR(status.st_mode));
    return status.st_mode & 0777;
}

static void assert_prepared(enum fz_dir which, const char *wanted, const char *expected)
{
    char path[FZ_PATH_SIZE];
    frazil_error err;

    bool was_there = scratch_exists(expected);
    assert_looked(which, wanted, NULL, FRAZIL_OK, "");
    assert_int_equal(scratch_exists(expected), was_there);
    if (fz_dir_prepare(path, which, wanted, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    assert_string_equal(path, expected);
    assert_true(scratch_exists(path));
}

TEST("It is made for one user alone, and what is there is left as it is")
{
    const char *path = scratch_path(scratch, "run");
    const char *slashes = scratch_path(scratch, "state//");

    umask(0);
    assert_prepared(FZ_DIR_RUN, path, path);
    assert_int_equal(mode_of(path), 0700);
    assert_prepared(FZ_DIR_STATE, slashes, slashes);
    assert_int_equal(chmod(path, 0750), 0);
    assert_prepared(FZ_DIR_RUN, path, path);
    assert_int_equal(mode_of(path), 0750);
}

TEST("Looking for it makes nothing")
{
    const char *path = scratch_path(scratch, "run");

    assert_found(FZ_DIR_RUN, path, path);
    assert_false(scratch_exists(path));
}

TEST("Only the last component of a path that somebody named is made: a slip of the pen grows no tree")
{
    const char *path = scratch_path(scratch, "no/tree");

    assert_refused(true, FZ_DIR_RUN, path, FRAZIL_ESYS, ENOENT,
                   (const char *[]){path, "run directory", "run_dir", "errno 2", "state=memory", NULL});
    assert_false(scratch_exists(scratch_path(scratch, "no")));
    setenv("STATE_DIRECTORY", path, 1);
    assert_refused(true, FZ_DIR_STATE, NULL, FRAZIL_ESYS, ENOENT, (const char *[]){path, "STATE_DIRECTORY", NULL});
}

static void prepare_without_session(void)
{
    char path[FZ_PATH_SIZE];
    char other[FZ_PATH_SIZE + 8];

    snprintf(path, sizeof path, "%s%u", fz_run_dir_of_users, (unsigned)geteuid());
    snprintf(other, sizeof other, "%s.not-now", path);
    bool was_there = rename(path, other) == 0;
    assert_found(FZ_DIR_RUN, NULL, path);
    assert_prepared(FZ_DIR_RUN, NULL, path);
    assert_prepared(FZ_DIR_RUN, NULL, path);
    assert_int_equal(chmod(path, 0777), 0);
    assert_refused(true, FZ_DIR_RUN, NULL, FRAZIL_ESYS, EPERM, (const char *[]){path, "run directory", NULL});
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(symlink("/tmp", path), 0);
    assert_refused(true, FZ_DIR_RUN, NULL, FRAZIL_ESYS, ELOOP, (const char *[]){path, "run_dir=", NULL});
    assert_int_equal(unlink(path), 0);
    if (was_there)
        assert_int_equal(rename(other, path), 0);
}

TEST("A user without a session has a directory in memory; one that others may use is refused")
{
    if (geteuid() == 0 && access("/dev/shm", W_OK) != 0)
        skip();
    /* Anybody can make a folder there in the name of `nobody`, so the number is that of this process. */
    unless_root(60000 + (unsigned)getpid() % 5000, prepare_without_session);
}

static void prepare_in_store(void)
{
    char home[FZ_PATH_SIZE];
    char xdg[FZ_PATH_SIZE];

    snprintf(home, sizeof home, "%s", scratch_path(scratch, "home"));
    snprintf(xdg, sizeof xdg, "%s", scratch_path(home, "xdg"));
    setenv("HOME", home, 1);
    assert_prepared(FZ_DIR_STATE, NULL, scratch_path(home, ".local/state/frazil"));
    assert_int_equal(mode_of(scratch_path(home, ".local")), 0700);
    setenv("XDG_STATE_HOME", xdg, 1);
    assert_prepared(FZ_DIR_STATE, NULL, scratch_path(xdg, "frazil"));
    snprintf(xdg, sizeof xdg, "%s//", scratch_path(home, "slashes"));
    setenv("XDG_STATE_HOME", xdg, 1);
    assert_prepared(FZ_DIR_STATE, NULL, scratch_path(xdg, "frazil"));
    setenv("XDG_RUNTIME_DIR", home, 1);
    assert_prepared(FZ_DIR_RUN, NULL, scratch_path(home, "frazil"));

    /* The session makes XDG_RUNTIME_DIR, nobody makes a HOME. */
    snprintf(xdg, sizeof xdg, "%s", scratch_path(home, "gone"));
    setenv("XDG_RUNTIME_DIR", xdg, 1);
    assert_refused(true, FZ_DIR_RUN, NULL, FRAZIL_ESYS, ENOENT, (const char *[]){"XDG_RUNTIME_DIR", NULL});
    unsetenv("XDG_STATE_HOME");
    setenv("HOME", xdg, 1);
    assert_refused(true, FZ_DIR_STATE, NULL, FRAZIL_ESYS, ENOENT, (const char *[]){"HOME", NULL});
    assert_false(scratch_exists(xdg));
}

TEST("Of a home's default all that is frazil's or XDG's is made, and no more")
{
    assert_int_equal(mkdir(scratch_path(scratch, "home"), 0777), 0);
    assert_int_equal(chmod(scratch_path(scratch, "home"), 0777), 0);
    as_nobody(prepare_in_store);
}

static void prepare_unwritable(void)
{
    const char *path = scratch_path(scratch, "locked");
    const char *below = scratch_path(scratch, "locked/run");

    assert_refused(true, FZ_DIR_STATE, path, FRAZIL_ESYS, EACCES,
                   (const char *[]){path, "state directory", "state_dir", "errno 13", "state=memory", NULL});
    assert_refused(true, FZ_DIR_RUN, below, FRAZIL_ESYS, EACCES, (const char *[]){below, "run_dir", NULL});
}

TEST("One in which nothing can be written is refused at once, before any file is tried")
{
    assert_int_equal(mkdir(scratch_path(scratch, "locked"), 0555), 0);
    as_nobody(prepare_unwritable);
}

/* Prepares a folder inside, of which a look says the same before. */
static frazil_err prepare_inside(char ret_path[FZ_PATH_SIZE], enum fz_dir which, const char *wanted, const char *name,
                                 frazil_error *err)
{
    frazil_error looked = {.message = ""};
    const frazil_err code = fz_dir_look(which, wanted, name, &looked);

    *err = (frazil_error){.message = ""};
    assert_int_equal(fz_dir_prepare_inside(ret_path, which, wanted, name, err), code);
    assert_string_equal(err->message, looked.message);
    return code;
}

static void prepare_inside_unwritable(void)
{
    const char *above = scratch_path(scratch, "above");
    char path[FZ_PATH_SIZE] = "untouched";
    frazil_error err;

    assert_int_equal(prepare_inside(path, FZ_DIR_RUN, above, "absent", &err), FRAZIL_ESYS);
    assert_int_equal(err.sys_errno, EACCES);
    assert_non_null(strstr(err.message, "above'"));
    assert_int_equal(prepare_inside(path, FZ_DIR_STATE, above, "locked", &err), FRAZIL_ESYS);
    assert_int_equal(err.sys_errno, EACCES);
    assert_non_null(strstr(err.message, "above/locked'"));
    assert_string_equal(path, "untouched");
    assert_int_equal(prepare_inside(path, FZ_DIR_STATE, above, "orders", &err), FRAZIL_OK);
    assert_string_equal(path, scratch_path(scratch, "above/orders"));
}

TEST("A folder inside is made with its directory; where it is there, nothing need be writable above it")
{
    const char *above = scratch_path(scratch, "above");
    char path[FZ_PATH_SIZE];
    frazil_error err;

    assert_int_equal(prepare_inside(path, FZ_DIR_STATE, above, "orders", &err), FRAZIL_OK);
    assert_string_equal(path, scratch_path(scratch, "above/orders"));
    assert_int_equal(mode_of(path), 0700);
    assert_int_equal(prepare_inside(path, FZ_DIR_RUN, above, "orders", &err), FRAZIL_OK);
    if (geteuid() != 0)
        skip();
    assert_int_equal(mkdir(scratch_path(scratch, "above/locked"), 0555), 0);
    assert_int_equal(chown(path, NOBODY, NOBODY), 0);
    assert_int_equal(chmod(above, 0555), 0);
    as_nobody(prepare_inside_unwritable);
}

TEST("In a folder that others may rename, or that is a file, nothing is kept")
{
    const char *above = scratch_path(scratch, "above");
    char path[FZ_PATH_SIZE];
    frazil_error err;

    assert_int_equal(mkdir(above, 0700), 0);
    assert_int_equal(mkdir(scratch_path(scratch, "above/open"), 0700), 0);
    assert_int_equal(chmod(scratch_path(scratch, "above/open"), 0777), 0);
    scratch_write(scratch_path(scratch, "above/file"), "", 0);
    assert_int_equal(prepare_inside(path, FZ_DIR_RUN, above, "open", &err), FRAZIL_ESYS);
    assert_int_equal(err.sys_errno, EPERM);
    assert_int_equal(prepare_inside(path, FZ_DIR_RUN, above, "file", &err), FRAZIL_ESYS);
    assert_int_equal(err.sys_errno, ENOTDIR);
}

TEST("A file is no directory")
{
    const char *path = scratch_path(scratch, "file");

    scratch_write(path, "", 0);
    assert_refused(true, FZ_DIR_RUN, path, FRAZIL_ESYS, ENOTDIR, (const char *[]){path, "run directory", NULL});
}

TEST("Of a tree all that is missing can be made, if the lowest folder that is there can be written in")
{
    const char *tree = scratch_path(scratch, "a/b/c");

    assert_looked(FZ_DIR_TREE, tree, NULL, FRAZIL_OK, "");
    assert_false(scratch_exists(scratch_path(scratch, "a")));
    scratch_write(scratch_path(scratch, "a"), "", 0);
    assert_refused(true, FZ_DIR_TREE, tree, FRAZIL_ESYS, ENOTDIR, (const char *[]){tree, "the URL", NULL});
    assert_int_equal(fz_dir_can_make(scratch_path(scratch, "new"), 1), 0);
    assert_int_equal(fz_dir_can_make(scratch_path(scratch, "new/deep"), 1), ENOENT);
    assert_int_equal(fz_dir_can_make(scratch_path(scratch, "new/deep/"), 2), 0);
}

TEST("Nothing can be made in the place of a link to nothing")
{
    assert_int_equal(symlink("none", scratch_path(scratch, "link")), 0);
    assert_int_equal(fz_dir_can_make(scratch_path(scratch, "link"), 1), ENOENT);
    assert_int_equal(fz_dir_can_make(scratch_path(scratch, "link/"), 1), ENOENT);
    assert_int_equal(fz_dir_can_make(scratch_path(scratch, "link/deep"), 2), ENOENT);
}
