/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700 /* S_ISVTX */
#include "claim.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/crc32.h"
#include "core/decimal.h"
#include "core/sentence.h"
#include "dirs.h"
#include "fail_errno.h"
#include "own_file.h"

/* The content of a file, in native byte order. */
enum { CLAIM_FILE_SIZE = sizeof(uint64_t) };

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "the tick must be lock-free to be shared between processes");

enum { CLAIM_PATIENCE_NS = 250000000, SHORT_PAUSE_NS = 1000000, LONG_PAUSE_NS = 7000000 };

/* How often a file may vanish between two calls before somebody seems to do that on purpose. */
enum { VANISHES_MOST = 100 };

enum { FOR_READERS = S_IRGRP | S_IROTH };

/* ---- the folder ------------------------------------------------------------ */

int fz_claim_folder(const char **ret)
{
    const mode_t wanted = S_ISVTX | S_IWOTH | S_IXOTH | S_IROTH;
    struct stat status;

    *ret = NULL;
    for (size_t i = 0; i < FZ_CLAIM_FOLDERS && *ret == NULL; i++) {
        const char *folder = fz_claim_folders[i];
        /* The folders above belong to root, so a symbolic link here is root's as well. */
        if (stat(folder, &status) == 0)
            *ret = S_ISDIR(status.st_mode) && (status.st_mode & wanted) == wanted ? folder : NULL;
        else if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
            return errno;
    }
    return 0;
}

/* ---- names ----------------------------------------------------------------- */

static void add_hash(struct fz_sentence *s, const char *text)
{
    static const char digits[] = "0123456789abcdef";
    uint32_t crc = fz_crc32(text, strlen(text));

    for (int shift = 28; shift >= 0; shift -= 4)
        fz_sentence_char(s, digits[crc >> shift & 15]);
}

/* FOLDER/frazil-claim-HASHES-WORKER-: so begin the paths of all users' files for the number.  Returns the length. */
static size_t begin_path(char path[FZ_CLAIM_PATH_SIZE], const struct fz_claim_key *key, uint32_t worker)
{
    struct fz_sentence s = fz_sentence_in(path, FZ_CLAIM_PATH_SIZE);

    fz_sentence_str(&s, key->folder);
    fz_sentence_str(&s, "/frazil-claim-");
    add_hash(&s, key->fingerprint);
    add_hash(&s, key->name);
    fz_sentence_char(&s, '-');
    fz_sentence_u64(&s, worker);
    fz_sentence_char(&s, '-');
    return s.len;
}

/* The same with MIN-MAX-UID.  0 or ENAMETOOLONG. */
static int path_of_own(char path[FZ_CLAIM_PATH_SIZE], const struct fz_claim_key *key, uint32_t worker)
{
    struct fz_sentence s = fz_sentence_in(path, FZ_CLAIM_PATH_SIZE);

    s.len = begin_path(path, key, worker);
    fz_sentence_u64(&s, key->bounds.min);
    fz_sentence_char(&s, '-');
    fz_sentence_u64(&s, key->bounds.max);
    fz_sentence_char(&s, '-');
    fz_sentence_u64(&s, geteuid());
    return s.len + 1 < s.size ? 0 : ENAMETOOLONG; /* one that is full may have been cut */
}

/* False: this is no such rest of a path. */
static bool parse_rest(const char *rest, struct fz_bounds *ret, uint64_t *ret_uid)
{
    const char *max = strchr(rest, '-');
    const char *uid = max == NULL ? NULL : strchr(max + 1, '-');

    return uid != NULL && fz_decimal_parse(rest, (size_t)(max - rest), &ret->min) &&
           fz_decimal_parse(max + 1, (size_t)(uid - max - 1), &ret->max) &&
           fz_decimal_parse(uid + 1, strlen(uid + 1), ret_uid);
}

/* ---- the other users ---------------------------------------------------------- */

/* A look through the folder. */
struct claim_search {
    const struct fz_claim_key *key;
    char path[FZ_CLAIM_PATH_SIZE]; /* of the file that is looked at */
    size_t beginning;              /* how much of it all files have in common */
    size_t folder;                 /* how much of that is the folder's, with the slash */
    int found;                     /* 0, FZ_CLAIM_TAKEN or an errno */
    uint64_t uid;                  /* whose it is */
    int sys_errno;                 /* why it cannot be asked */
    uint64_t floor;                /* the first tick that none of those that were looked at can have used */
};

/* Reads up to which tick a user who has ended may have used the number; one that had not begun has not said.  0 or an
 * errno. */
static int read_used(struct claim_search *search, int fd)
{
    uint64_t used;
    ssize_t len;

    do
        len = pread(fd, &used, sizeof used, 0);
    while (len < 0 && errno == EINTR);
    if (len < 0)
        return errno;
    if (len == sizeof used && used != 0 && used >= search->floor)
        search->floor = used < UINT64_MAX ? used + 1 : used;
    return 0;
}

/*
 * 0, FZ_CLAIM_TAKEN or an errno.  The kernel says whose the file is: a name can be anybody's.  Something that is no
 * regular file was not made by frazil, and holds nothing.
 */
static int look_at_claim(struct claim_search *search, uint64_t named_uid)
{
    struct stat status;
    int fd = -1; /* gcc does not see that it is set where it is used */

    int err = fz_own_file_open_any(search->path, &fd, &status);
    if ((err == EACCES || err == EWOULDBLOCK) && lstat(search->path, &status) == 0) {
        /* It cannot be asked, so it counts as held: its owner (by mode or lease) or the system closed it to others. */
        search->uid = status.st_uid;
        search->sys_errno = err;
        return S_ISREG(status.st_mode) ? FZ_CLAIM_TAKEN : 0;
    }
    if (err == ENOENT || err == FZ_REFUSED_LINK || err == FZ_REFUSED_KIND)
        return 0;
    if (err != 0)
        return err;
    search->uid = status.st_uid;
    if (status.st_uid != geteuid() || named_uid != geteuid())
        err = fz_own_file_try(fd);
    if (err == 0 && status.st_uid != geteuid())
        err = read_used(search, fd);
    close(fd);
    return err == EWOULDBLOCK ? FZ_CLAIM_TAKEN : err;
}

static void look_at_claim_name(void *ctx, const char *name)
{
    struct claim_search *search = ctx;
    size_t len = search->beginning - search->folder;
    struct fz_bounds bounds = {.top = search->key->bounds.top};
    uint64_t uid;

    if (search->found != 0 || strncmp(name, search->path + search->folder, len) != 0 ||
        !parse_rest(name + len, &bounds, &uid) || !fz_bounds_overlap(&bounds, &search->key->bounds))
        return;
    size_t rest = strlen(name + len);
    if (search->beginning + rest >= sizeof search->path)
        return; /* none of frazil's names is so long */
    memcpy(search->path + search->beginning, name + len, rest + 1);
    search->found = look_at_claim(search, uid);
}

static int search_others(const struct fz_claim_key *key, uint32_t worker, struct fz_claim_other *ret_other,
                         uint64_t *ret_floor)
{
    struct claim_search search = {.key = key, .found = 0};

    search.folder = strlen(key->folder) + 1;
    search.beginning = begin_path(search.path, key, worker);
    int sys = fz_list_dir(key->folder, look_at_claim_name, &search);
    if (search.found == FZ_CLAIM_TAKEN) {
        ret_other->uid = search.uid;
        ret_other->sys_errno = search.sys_errno;
        memcpy(ret_other->path, search.path, sizeof ret_other->path);
    }
    *ret_floor = search.floor;
    return search.found != 0 ? search.found : sys;
}

int fz_claim_find(const struct fz_claim_key *key, uint32_t worker, struct fz_claim_other *ret_other)
{
    uint64_t ignored;

    return key->folder == NULL ? 0 : search_others(key, worker, ret_other, &ignored);
}

/* ---- the own file ---------------------------------------------------------------- */

/*
 * Opens the own file, or makes it.  Never with O_CREAT where there is one: where kernels protect such folders, that
 * fails for a file of another user with an errno that says less.  0, an errno or a refusal.
 */
static int open_claim(struct fz_claim *claim)
{
    struct stat status;
    int err = EEXIST;

    for (int i = 0; i < VANISHES_MOST && (err == EEXIST || err == ENOENT); i++) {
        err = fz_own_file_keep(claim->path, O_RDWR, &claim->file, &status);
        if (err == ENOENT)
            err = fz_own_file_keep_open_to_all(claim->path, O_RDWR | O_CREAT | O_EXCL, &claim->file, &status);
    }
    if (err != 0)
        return err;
    int fd = fz_kept_fd_known(&claim->file);
    /* The umask may have closed it to the other users, who have to look at it. */
    if ((status.st_mode & FOR_READERS) != FOR_READERS && fchmod(fd, S_IRUSR | S_IWUSR | FOR_READERS) != 0)
        return errno;
    /* Reserved, so that a full disk is an error here and no SIGBUS later. */
    return status.st_size >= CLAIM_FILE_SIZE ? 0 : fz_file_reserve(fd, CLAIM_FILE_SIZE);
}

/* Opens, locks and maps the own file.  0, FZ_CLAIM_TAKEN (somebody locks it), ESTALE, an errno or a refusal. */
static int hold_claim(struct fz_claim *claim)
{
    int err = open_claim(claim);

    if (err != 0)
        return err;
    int fd = fz_kept_fd_known(&claim->file);
    err = fz_own_file_lock(fd, LOCK_SH);
    if (err == 0)
        err = fz_own_file_at(&claim->file, claim->path);
    if (err != 0)
        return err == EWOULDBLOCK ? FZ_CLAIM_TAKEN : err;
    void *page = mmap(NULL, CLAIM_FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED)
        return errno;
    claim->used = page;
    return 0;
}

/* Whether something of another user's has the own file's name; then *ret_other says whose. */
static bool is_occupied(const struct fz_claim *claim, struct fz_claim_other *ret_other)
{
    struct stat status;

    if (lstat(claim->path, &status) != 0 || status.st_uid == geteuid())
        return false;
    ret_other->uid = status.st_uid;
    return true;
}

/* Unlocked first: a child that was forked meanwhile would keep it. */
static void withdraw(struct fz_claim *claim)
{
    if (claim->used != NULL)
        munmap(claim->used, CLAIM_FILE_SIZE);
    claim->used = NULL;
    if (fz_kept_fd_is_set(&claim->file))
        fz_own_file_unlock_and_close(&claim->file);
}

int fz_claim_try(struct fz_claim *ret, const struct fz_claim_key *key, uint32_t worker,
                 struct fz_claim_other *ret_other)
{
    struct fz_claim claim = FZ_CLAIM_NONE;
    int err = ESTALE;

    if (key->folder == NULL) {
        *ret = claim;
        return 0;
    }
    int sys = path_of_own(claim.path, key, worker);
    memcpy(ret_other->path, claim.path, sizeof ret_other->path);
    if (sys != 0)
        return sys;
    for (int i = 0; i < VANISHES_MOST && err == ESTALE; i++) {
        err = hold_claim(&claim);
        if (err == ESTALE)
            fz_own_file_unlock_and_close(&claim.file);
    }
    ret_other->uid = geteuid();
    ret_other->sys_errno = 0;
    if (err == 0)
        err = search_others(key, worker, ret_other, &claim.floor);
    else if ((err == EACCES || err == EISDIR || err < FZ_CLAIM_TAKEN) && is_occupied(&claim, ret_other))
        err = FZ_CLAIM_TAKEN;
    if (err != 0)
        withdraw(&claim);
    else
        *ret = claim;
    return err;
}

bool fz_claim_pause(uint64_t *waited_ns, const struct fz_claim_other *other)
{
    struct timespec pause = {.tv_nsec = other->uid >= geteuid() ? SHORT_PAUSE_NS : LONG_PAUSE_NS};

    if (*waited_ns >= CLAIM_PATIENCE_NS)
        return false;
    clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
    *waited_ns += (uint64_t)pause.tv_nsec;
    return true;
}

frazil_err fz_claim_fail(int sys, const char *path, frazil_error *reterr)
{
    return fz_fail_errno(reterr, sys,
                         path == NULL ? "it is not known where the users of this host tell each other of worker ids"
                                      : "the other users of this host cannot be told of the worker id by the file",
                         path, "");
}

static frazil_err refuse_worker(uint32_t worker, const struct fz_claim_other *other, frazil_error *reterr)
{
    if (other->sys_errno != 0)
        return fz_fail_errno(reterr, other->sys_errno, "it cannot be told whether another user has the worker id, by",
                             other->path, ": its owner must let everybody read it, or remove it");
    if (other->uid == geteuid())
        return fz_fail(reterr, FRAZIL_EWORKER,
                       "worker id %u cannot be claimed, because another user locks %q, which is this user's own file: "
                       "end the process that has it open (fuser names it)",
                       (uint64_t)worker, other->path);
    return fz_fail(reterr, FRAZIL_EWORKER,
                   "worker id %u is in use by uid %u on this host, as %q shows: give each user another worker id, or "
                   "run both programs as one user",
                   (uint64_t)worker, other->uid, other->path);
}

frazil_err fz_claim_take(struct fz_claim *ret, const struct fz_claim_key *key, uint32_t worker, frazil_error *reterr)
{
    struct fz_claim_other other;
    uint64_t waited_ns = 0;
    int err;

    do
        err = fz_claim_try(ret, key, worker, &other);
    while (err == FZ_CLAIM_TAKEN && fz_claim_pause(&waited_ns, &other));
    if (err == FZ_CLAIM_TAKEN)
        return refuse_worker(worker, &other, reterr);
    return err == 0 ? FRAZIL_OK : fz_claim_fail(err, other.path, reterr);
}

void fz_claim_raise(const struct fz_claim *claim, uint64_t until)
{
    if (claim->used == NULL)
        return;
    uint64_t used = atomic_load_explicit(claim->used, memory_order_relaxed);
    while (used < until && !atomic_compare_exchange_weak_explicit(claim->used, &used, until, memory_order_acq_rel,
                                                                  memory_order_relaxed)) {
    }
}

void fz_claim_lower(const struct fz_claim *claim, uint64_t until, uint64_t used)
{
    if (claim->used != NULL && used < until)
        (void)atomic_compare_exchange_strong_explicit(claim->used, &until, used, memory_order_acq_rel,
                                                      memory_order_relaxed);
}

void fz_claim_release(struct fz_claim *claim)
{
    if (claim->used == NULL)
        return;
    /* This is not unlocking: a child goes on holding the number. */
    munmap(claim->used, CLAIM_FILE_SIZE);
    claim->used = NULL;
    fz_kept_fd_close(&claim->file);
}
