/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700 /* S_ISVTX */
#include "dirs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/decimal.h"
#include "core/sentence.h"
#include "fail_errno.h"
#include "file.h"
#include "host.h"
#include "own_file.h"

static const char without_protection[] = "give up protection against repeated ids after a restart with state=memory";

#define RUN_DIR                                                                                                        \
    "run directory", "run_dir", "RUNTIME_DIRECTORY", fz_run_dir_of_root, "XDG_RUNTIME_DIR", NULL, NULL, 1, 1,          \
        fz_run_dir_of_users

/* The differences between the directories. */
static const struct dir_names {
    const char *what; /* for sentences */
    const char *key;
    const char *service; /* set by systemd */
    const char *of_root;
    const char *xdg;
    const char *of_user; /* when xdg is not set: root may have made it, with the user's number behind; NULL: nothing */
    const char *under_home; /* when that is not there; NULL: nothing */
    unsigned xdg_makes;     /* how many of the last components may be missing under xdg */
    unsigned wanted_makes;  /* the same of a path that the user named */
    const char *public;     /* the last resort: the user's number is appended; NULL: nothing */
    const char *without;    /* which setting does without it, and what that costs */
} names_of[] = {
    [FZ_DIR_RUN] = {RUN_DIR, without_protection},
    [FZ_DIR_LEASE] = {RUN_DIR, "give each process a lease of its own with share=process"},
    [FZ_DIR_STATE] = {"state directory", "state_dir", "STATE_DIRECTORY", "/var/lib/frazil", "XDG_STATE_HOME",
                      "/var/lib/frazil-", "/.local/state/frazil", 2, 1, NULL, without_protection},
    [FZ_DIR_URL] = {"folder", NULL, NULL, NULL, NULL, NULL, NULL, 0, 1, NULL, NULL},
    [FZ_DIR_TREE] = {"folder", NULL, NULL, NULL, NULL, NULL, NULL, 0, UINT_MAX, NULL, NULL},
};

enum { UNDER_HOME_MAKES = 3 };

/* A way to the directory: whose, and how much of it may be made. */
struct way {
    const char *named_by;
    char path[FZ_PATH_SIZE];
    unsigned makes;
    bool is_public; /* anybody could have made it */
    bool is_ours;   /* it belongs to this user, so files can be made in it unless the disk is read-only */
    uint64_t owner; /* its user, if it is there */
};

static const char *variable(const char *name)
{
    const char *value = fz_environment(name);

    return value == NULL || value[0] == '\0' ? NULL : value;
}

static frazil_err go(struct way *way, const char *named_by, const char *path, const char *rest, unsigned makes,
                     frazil_error *reterr)
{
    if (path[0] != '/')
        return fz_fail(reterr, FRAZIL_ESPEC, "%s is %q: must be an absolute path", named_by, path);
    if (fz_path_join(way->path, path, rest, "") != 0)
        return fz_fail(reterr, FRAZIL_ESPEC, "%s is longer than the %u bytes that a path may have", named_by,
                       (uint64_t)FZ_PATH_SIZE - 1);
    way->named_by = named_by;
    way->makes = makes;
    return FRAZIL_OK;
}

/* systemd separates several directories by colons. */
static frazil_err go_as_service(struct way *way, const struct dir_names *names, const char *list, frazil_error *reterr)
{
    char first[FZ_PATH_SIZE];
    size_t len = strcspn(list, ":");

    if (len >= sizeof first)
        return go(way, names->service, list, "", 1, reterr); /* which says that it is too long */
    memcpy(first, list, len);
    first[len] = '\0';
    return go(way, names->service, first, "", 1, reterr);
}

static frazil_err go_numbered(struct way *way, const char *begin, unsigned makes, frazil_error *reterr)
{
    char user[FZ_DECIMAL_MAX_LEN + 1];
    struct fz_sentence s = fz_sentence_in(user, sizeof user);

    fz_sentence_u64(&s, geteuid());
    return go(way, "the default", begin, user, makes, reterr);
}

/* A user without a session gets memory, too, but where everybody may make a name. */
static frazil_err go_public(struct way *way, const char *public, frazil_error *reterr)
{
    way->is_public = true;
    return go_numbered(way, public, 1, reterr);
}

/* Service users have no home, or may not write in it.  Only root can make a name in /var/lib. */
static bool root_has_made(const char *of_user)
{
    struct way way;
    struct stat status;

    return go_numbered(&way, of_user, 0, NULL) == FRAZIL_OK && lstat(way.path, &status) == 0;
}

static frazil_err no_default(const struct dir_names *names, frazil_error *reterr)
{
    const bool is_foreign = fz_environment_is_foreign();

    return fz_fail(reterr, FRAZIL_ESPEC,
                   "HOME, %s and %s are not %s%s, so there is no default for the %s: name one with %s=, have root make "
                   "%s%u for this user, or %s",
                   names->xdg, names->service, is_foreign ? "read by a program that " : "set",
                   is_foreign ? fz_more_rights : "", names->what, names->key, names->of_user, (uint64_t)geteuid(),
                   names->without);
}

static frazil_err find_path(struct way *way, const struct dir_names *names, const char *wanted, frazil_error *reterr)
{
    const char *path;

    if (wanted != NULL && wanted[0] != '\0')
        return go(way, names->key == NULL ? "the URL" : names->key, wanted, "", names->wanted_makes, reterr);
    if ((path = variable(names->service)) != NULL)
        return go_as_service(way, names, path, reterr);
    if (geteuid() == 0)
        return go(way, "the default", names->of_root, "", 1, reterr);
    if ((path = variable(names->xdg)) != NULL)
        return go(way, names->xdg, path, "/frazil", names->xdg_makes, reterr);
    if (names->of_user != NULL && root_has_made(names->of_user))
        return go_numbered(way, names->of_user, 0, reterr);
    if (names->under_home != NULL && (path = variable("HOME")) != NULL)
        return go(way, "HOME", path, names->under_home, UNDER_HOME_MAKES, reterr);
    if (names->public != NULL)
        return go_public(way, names->public, reterr);
    return no_default(names, reterr);
}

frazil_err fz_dir_find(char ret_path[FZ_PATH_SIZE], enum fz_dir which, const char *wanted, frazil_error *reterr)
{
    struct way way = {.is_public = false};

    frazil_err err = find_path(&way, &names_of[which], wanted, reterr);
    if (err == FRAZIL_OK)
        memcpy(ret_path, way.path, strlen(way.path) + 1);
    return err;
}

/* Where the last `makes` components of a path begin. */
static size_t start_of_last(const char *path, unsigned makes)
{
    size_t at = strlen(path);

    for (; makes > 0 && at > 0; makes--) {
        while (at > 0 && path[at - 1] == '/')
            at--;
        while (at > 0 && path[at - 1] != '/')
            at--;
    }
    return at + strspn(path + at, "/"); /* the root is there */
}

/* Does something to each of the last components of a path.  0 or an errno; *path is as it was again. */
static int each_of_last(char *path, unsigned makes, int (*act)(const char *path))
{
    for (size_t at = start_of_last(path, makes); path[at] != '\0'; at += strspn(path + at, "/")) {
        at += strcspn(path + at, "/");
        char end = path[at];
        path[at] = '\0';
        int err = act(path);
        path[at] = end;
        if (err != 0)
            return err;
    }
    return 0;
}

static int make_directory(const char *path)
{
    return mkdir(path, S_IRWXU) == 0 || errno == EEXIST ? 0 : errno;
}

/*
 * Makes a directory's name durable: its creator may have crashed before that.
 * Where the directory above cannot be read, or is of a kind that cannot be synced,
 * it was not made here.
 */
static int settle(const char *path)
{
    int err = fz_new_file_sync_name(path);

    return err == EACCES || err == EINVAL ? 0 : err;
}

/* 0 if it is there and nobody else can put other files in the place of ours; or an errno or a refusal. */
static int check_way(struct way *way)
{
    struct stat status;

    if (lstat(way->path, &status) != 0)
        return errno;
    if (S_ISLNK(status.st_mode) && (way->is_public || !fz_own_file_is_trusted(&status)))
        return FZ_REFUSED_DIR_LINK;
    if (S_ISLNK(status.st_mode) && stat(way->path, &status) != 0)
        return errno;
    if (!S_ISDIR(status.st_mode))
        return ENOTDIR;
    way->owner = status.st_uid;
    if (!fz_own_file_is_trusted(&status) || (way->is_public && status.st_uid != geteuid()))
        return FZ_REFUSED_DIR_OWNER;
    if ((status.st_mode & S_IWOTH) != 0 && (status.st_mode & S_ISVTX) == 0)
        return FZ_REFUSED_DIR_MODE;
    if (way->is_public && (status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        return FZ_REFUSED_DIR_MODE;
    way->is_ours = status.st_uid == geteuid() && (status.st_mode & (S_IWUSR | S_IXUSR)) == (S_IWUSR | S_IXUSR);
    return 0;
}

/*
 * 0 if files can be made in it; or an errno.  The kernel is asked, because root may write, and a read-only disk may not
 * be written to.
 */
static int check_writable(const struct way *way)
{
    return faccessat(AT_FDCWD, way->path, W_OK | X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

/* The remedy; a refusal names it itself. */
static const char *first_step(int sys)
{
    if (sys == ENOENT)
        return ": create the directory above it,";
    if (sys == ENOTDIR)
        return ": replace it with a directory,";
    return sys == EACCES || sys == EROFS || sys == EPERM ? ": make it writable," : sys < 0 ? "," : ":";
}

static frazil_err cannot_use(const struct dir_names *names, const struct way *way, int sys, frazil_error *reterr)
{
    char advice[FRAZIL_ERROR_MESSAGE_SIZE];
    char what[64];
    struct fz_sentence s = fz_sentence_in(what, sizeof what);

    fz_sentence_str(&s, "the ");
    fz_sentence_str(&s, names->what);
    s = fz_sentence_in(advice, sizeof advice);
    fz_sentence_str(&s, " (from ");
    fz_sentence_str(&s, way->named_by);
    fz_sentence_str(&s, ")");
    if (sys == FZ_REFUSED_DIR_OWNER) {
        fz_sentence_str(&s, ": run as its owner, uid ");
        fz_sentence_u64(&s, way->owner);
        fz_sentence_char(&s, ',');
    } else {
        fz_sentence_str(&s, first_step(sys));
    }
    if (names->key == NULL) {
        fz_sentence_str(&s, " or name another folder in the URL");
        return fz_fail_errno(reterr, sys, what, way->path, advice);
    }
    fz_sentence_str(&s, " name another with ");
    fz_sentence_str(&s, names->key);
    fz_sentence_char(&s, '=');
    /* The owner's processes claim their worker ids on the host, so another directory alone would be refused. */
    if (sys == FZ_REFUSED_DIR_OWNER) {
        fz_sentence_str(&s, " and take another worker id");
    } else if (names->of_user != NULL && strcmp(way->named_by, "HOME") == 0) {
        fz_sentence_str(&s, ", have root make ");
        fz_sentence_str(&s, names->of_user);
        fz_sentence_u64(&s, geteuid());
        fz_sentence_str(&s, " for this user");
    }
    fz_sentence_str(&s, ", or ");
    fz_sentence_str(&s, names->without);
    return fz_fail_errno(reterr, sys, what, way->path, advice);
}

/* ---- looking at it, and making nothing ------------------------------------------- */

/* A dangling link occupies the name: no folder can be made in its place. */
static int check_absent(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0 ? ENOENT : 0;
}

int fz_dir_can_make(const char *path, unsigned makes)
{
    char above[FZ_PATH_SIZE], missing[FZ_PATH_SIZE];
    unsigned count = 0;
    struct stat status;
    int sys = fz_path_join(above, path, "", "");

    if (sys != 0)
        return sys;
    do {
        if (count++ == makes)
            return ENOENT;
        above[start_of_last(above, 1)] = '\0';
        sys = stat(above, &status) == 0 ? 0 : errno;
    } while (sys == ENOENT);
    if (sys != 0)
        return sys;
    if (!S_ISDIR(status.st_mode))
        return ENOTDIR;
    if (faccessat(AT_FDCWD, above, W_OK | X_OK, AT_EACCESS) != 0)
        return errno;
    (void)fz_path_join(missing, path, "", ""); /* it fitted before */
    return each_of_last(missing, count, check_absent);
}

/* The folder of that name in a directory that is there; *ret_failed is the one that sentences are about. */
static int look_inside(struct way *inside, const struct way *above, const char *name, const struct way **ret_failed)
{
    int sys = fz_path_join(inside->path, above->path, "/", name);

    *ret_failed = inside;
    if (sys == 0)
        sys = check_way(inside);
    if (sys != ENOENT)
        return sys == 0 ? check_writable(inside) : sys;
    *ret_failed = above;
    return check_writable(above);
}

frazil_err fz_dir_look(enum fz_dir which, const char *wanted, const char *name, frazil_error *reterr)
{
    const struct dir_names *names = &names_of[which];
    struct way way = {.is_public = false};
    const struct way *failed = &way;

    frazil_err err = find_path(&way, names, wanted, reterr);
    if (err != FRAZIL_OK)
        return err;
    struct way inside = {.named_by = way.named_by};
    int sys = check_way(&way);
    if (sys == ENOENT)
        sys = fz_dir_can_make(way.path, way.makes);
    else if (sys == 0)
        sys = name == NULL ? check_writable(&way) : look_inside(&inside, &way, name, &failed);
    return sys == 0 ? FRAZIL_OK : cannot_use(names, failed, sys, reterr);
}

/* ---- making it ---------------------------------------------------------------------- */

/* Makes it if it is not there, and checks it.  0, an errno or a refusal. */
static int make_way(struct way *way)
{
    int sys = check_way(way);

    if (sys != ENOENT)
        return sys;
    sys = each_of_last(way->path, way->makes, make_directory);
    return sys == 0 ? check_way(way) : sys;
}

/* See to it that it is still there after a loss of power, if it must be.  0 or an errno. */
static int settle_way(struct way *way, enum fz_dir which)
{
    return which == FZ_DIR_RUN || which == FZ_DIR_LEASE ? 0 : each_of_last(way->path, way->makes, settle);
}

frazil_err fz_dir_prepare(char ret_path[FZ_PATH_SIZE], enum fz_dir which, const char *wanted, frazil_error *reterr)
{
    const struct dir_names *names = &names_of[which];
    struct way way = {.is_public = false};

    frazil_err err = find_path(&way, names, wanted, reterr);
    if (err != FRAZIL_OK)
        return err;
    int sys = make_way(&way);
    if (sys == 0)
        sys = check_writable(&way);
    if (sys == 0)
        sys = settle_way(&way, which);
    if (sys != 0)
        return cannot_use(names, &way, sys, reterr);
    memcpy(ret_path, way.path, strlen(way.path) + 1);
    return FRAZIL_OK;
}

/* A folder that is there needs no writing in the directory above it. */
static int make_inside(struct way *inside, const struct way *above, const struct way **ret_failed)
{
    int sys = check_way(inside);

    *ret_failed = inside;
    if (sys != ENOENT)
        return sys;
    sys = check_writable(above);
    if (sys != 0)
        *ret_failed = above;
    return sys == 0 ? make_way(inside) : sys;
}

frazil_err fz_dir_prepare_inside(char ret_path[FZ_PATH_SIZE], enum fz_dir which, const char *wanted, const char *name,
                                 frazil_error *reterr)
{
    const struct dir_names *names = &names_of[which];
    struct way way = {.is_public = false};
    const struct way *failed = &way;

    frazil_err err = find_path(&way, names, wanted, reterr);
    if (err != FRAZIL_OK)
        return err;
    struct way inside = {.named_by = way.named_by, .makes = 1};
    int sys = fz_path_join(inside.path, way.path, "/", name);
    if (sys == 0)
        sys = make_way(&way);
    if (sys == 0)
        sys = settle_way(&way, which);
    if (sys == 0)
        sys = make_inside(&inside, &way, &failed);
    if (sys == 0 && !inside.is_ours) /* that a disk is read-only is said when the first file is opened */
        sys = check_writable(&inside);
    if (sys == 0)
        sys = settle_way(&inside, which);
    if (sys != 0)
        return cannot_use(names, failed, sys, reterr);
    memcpy(ret_path, inside.path, strlen(inside.path) + 1);
    return FRAZIL_OK;
}

/* ---- names in a directory -------------------------------------------------- */

int fz_list_dir(const char *path, fz_name_visitor visit, void *ctx)
{
    struct stat status;
    int err = 0;

    /* Mostly there is none, and to ask is cheaper than to try to open it. */
    DIR *dir = stat(path, &status) == 0 ? opendir(path) : NULL;
    if (dir == NULL)
        return errno;
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (entry == NULL) {
            err = errno;
            break;
        }
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            visit(ctx, entry->d_name);
    }
    closedir(dir);
    return err;
}

/* ---- the disk of a directory ---------------------------------------------------- */

/* The ends of the child, each with its meaning. */
enum { KEPT_OUT = 0, LET_IN = 1, FAILED = 2 };

static int try_as_another(const char *path)
{
    int fd;

    if (fz_own_file_open(path, O_RDWR, &fd) != 0)
        return FAILED;
    int err = fz_own_file_lock(fd, LOCK_EX);
    return err == EWOULDBLOCK ? KEPT_OUT : err == 0 ? LET_IN : FAILED;
}

static int try_in_child(const char *path, bool *ret_works)
{
    int status;
    pid_t child = fork();

    if (child < 0)
        return errno;
    if (child == 0)
        _Exit(try_as_another(path)); /* the child's end, and nobody else's */
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return errno;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) == FAILED)
        return EIO;
    *ret_works = WEXITSTATUS(status) == KEPT_OUT;
    return 0;
}

int fz_disk_try_flock(const char *directory, bool *ret_works)
{
    char path[FZ_PATH_SIZE];
    int fd;

    int err = fz_path_join(path, directory, "/doctor.lock", "");
    if (err == 0)
        err = fz_own_file_open(path, O_RDWR | O_CREAT, &fd);
    if (err != 0)
        return fz_errno_of(err);
    err = fz_own_file_lock(fd, LOCK_EX);
    if (err == 0)
        err = try_in_child(path, ret_works);
    close(fd);
    (void)unlink(path);
    return err;
}
