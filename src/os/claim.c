/* SPDX-License-Identifier: MIT */
#include "claim_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "deadline.h"
#include "fail_errno.h"
#include "own_file.h"
#include "waits.h"

/* The content of a file. */
enum { CLAIM_FILE_SIZE = sizeof(struct fz_claim_page) };

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "the tick must be lock-free to be shared between processes");

/* A look takes less than a pause, unless it is stopped; a pause is longer each time. */
enum {
    CLAIM_WAIT_NS = 250000000,
    CLAIM_INSISTS_NS = 2000000000,
    CLAIM_PAUSE_NS = 1000000,
    CLAIM_PAUSE_NS_MAX = 16000000
};

/* How often a file may vanish between two calls before somebody seems to do that on purpose. */
enum { VANISHES_MOST = 100 };

enum { FOR_READERS = S_IRGRP | S_IROTH, BEGUN = S_IRUSR | S_IWUSR | FOR_READERS };

/* ---- the own file ---------------------------------------------------------------- */

/*
 * Opens the own file, or makes it.  Never with O_CREAT where there is one: where kernels protect such folders, that
 * fails for a file of another user with an errno that says less.  *ret_is_new: it is not finished yet.  0, EBADMSG (it
 * was cut short), an errno or a refusal.
 */
static int open_claim(struct fz_claim *claim, bool *ret_is_new)
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
    *ret_is_new = !fz_claim_is_finished(&status);
    if (!*ret_is_new)
        return status.st_size == CLAIM_FILE_SIZE ? 0 : EBADMSG;
    int fd = fz_kept_fd_known(&claim->file);
    /* The umask may have closed it to the other users, who have to look at it. */
    if ((status.st_mode & FOR_READERS) != FOR_READERS && fchmod(fd, BEGUN) != 0)
        return errno;
    /* Reserved, so that a full disk is an error here and no SIGBUS later. */
    return fz_file_reserve(fd, CLAIM_FILE_SIZE);
}

/* Says who has it, as far as there is room; the processes of a word say the same. */
static void say_holder(struct fz_claim_page *page, const char *holder)
{
    size_t len = strlen(holder);

    memcpy(page->holder, holder, len < sizeof page->holder ? len : sizeof page->holder - 1);
}

static void say_own_holder(struct fz_claim_other *other, const char *holder)
{
    size_t len = strlen(holder);

    memcpy(other->holder, holder, len < sizeof other->holder ? len : sizeof other->holder - 1);
}

/*
 * The first one that holds the claim says where the grants of its word are kept, while nobody else can read it; the
 * others compare.  Ticks that another folder has granted are somebody else's from then on.
 */
static int tell_state(struct fz_claim *claim, const char *state, bool is_first)
{
    struct fz_claim_page *page = claim->page;
    struct stat status;

    if (state == NULL)
        return 0;
    if (stat(state, &status) != 0)
        return errno;
    claim->state_differs = !is_first && (page->state_device != status.st_dev || page->state_inode != status.st_ino);
    if (!is_first)
        return 0;
    bool is_other =
        page->state_device != 0 && (page->state_device != status.st_dev || page->state_inode != status.st_ino);
    if (is_other) {
        fz_claim_raise_tick(&page->floor, fz_claim_end(atomic_load(&page->used), 0));
        atomic_store(&page->first, 0);
    }
    size_t len = strlen(state);
    memset(page->state, 0, sizeof page->state);
    memcpy(page->state, state, len < sizeof page->state ? len : sizeof page->state - 1);
    page->state_device = status.st_dev;
    page->state_inode = status.st_ino;
    return 0;
}

/* Maps it, and finishes one that is new.  0, EBADMSG (one that was finished says nobody) or an errno. */
static int map_claim(struct fz_claim *claim, int fd, const char *holder, bool is_new)
{
    void *at = mmap(NULL, CLAIM_FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    struct fz_claim_page *page = at;

    if (at == MAP_FAILED)
        return errno;
    if (is_new && page->holder[0] == '\0')
        say_holder(page, holder);
    if (page->holder[0] == '\0') {
        munmap(page, CLAIM_FILE_SIZE);
        return EBADMSG;
    }
    claim->page = page;
    return is_new && fchmod(fd, BEGUN | FZ_CLAIM_FINISHED) != 0 ? errno : 0;
}

/*
 * Opens, locks and maps the own file.  0, FZ_CLAIM_TAKEN (somebody locks it), ESTALE, EBADMSG (it was cut short or
 * overwritten), an errno or a refusal.
 */
static int hold_claim(struct fz_claim *claim, const struct fz_claim_key *key)
{
    bool is_new = false;
    int err = open_claim(claim, &is_new);

    if (err != 0)
        return err;
    int fd = fz_kept_fd_known(&claim->file);
    err = fz_own_file_lock(fd, LOCK_EX);
    bool is_first = err == 0;
    if (err == EWOULDBLOCK && !key->is_alone)
        err = fz_own_file_lock(fd, LOCK_SH);
    if (err == 0)
        err = fz_own_file_at(&claim->file, claim->path);
    if (err != 0)
        return err == EWOULDBLOCK ? FZ_CLAIM_TAKEN : err;
    err = map_claim(claim, fd, key->holder, is_new);
    if (err == 0)
        err = tell_state(claim, key->state, is_first);
    if (err == 0 && is_first && !key->is_alone)
        err = fz_own_file_lock(fd, LOCK_SH);
    return err == EWOULDBLOCK ? FZ_CLAIM_TAKEN : err;
}

/*
 * Whether something of another user's has the own file's name; then *ret_other says whose.  A file that its own user
 * may not open is another's, too: a user namespace without a map shows all users as one.
 */
static bool is_occupied(const struct fz_claim *claim, int err, struct fz_claim_other *ret_other)
{
    struct stat status;

    if (lstat(claim->path, &status) != 0 || (status.st_uid == geteuid() && err != EACCES))
        return false;
    ret_other->uid = status.st_uid;
    ret_other->is_own = false;
    return true;
}

/* Removes a file that says nothing, unless somebody else has it: who is refused again and again would fill the memory.
 */
static void remove_empty(const struct fz_claim *claim)
{
    bool says_nothing = atomic_load(&claim->page->used) == 0 && atomic_load(&claim->page->floor) == 0;

    if (says_nothing && fz_own_file_lock(fz_kept_fd_known(&claim->file), LOCK_EX) == 0 &&
        fz_own_file_at(&claim->file, claim->path) == 0)
        (void)unlink(claim->path);
}

/* Unlocked first: a child that was forked meanwhile would keep it. */
static void withdraw(struct fz_claim *claim)
{
    if (claim->page != NULL) {
        remove_empty(claim);
        munmap(claim->page, CLAIM_FILE_SIZE);
    }
    claim->page = NULL;
    if (fz_kept_fd_is_set(&claim->file))
        fz_own_file_unlock_and_close(&claim->file);
}

/* Locks the own file.  As fz_claim_try; on failure it is not held. */
static int hold_own(struct fz_claim *claim, const struct fz_claim_key *key, struct fz_claim_other *ret_other)
{
    int err = ESTALE;

    for (int i = 0; i < VANISHES_MOST && err == ESTALE; i++) {
        err = hold_claim(claim, key);
        if (err == ESTALE)
            fz_own_file_unlock_and_close(&claim->file);
    }
    if (err == 0)
        return 0;
    withdraw(claim);
    *ret_other = (struct fz_claim_other){.uid = geteuid(), .is_own = !key->is_alone};
    if (key->is_alone)
        say_own_holder(ret_other, key->holder);
    memcpy(ret_other->path, claim->path, sizeof ret_other->path);
    if (err == EBADMSG) {
        ret_other->is_own = false;
        ret_other->until = FZ_CLAIM_UNKNOWN;
        return FZ_CLAIM_TAKEN;
    }
    if ((err == EACCES || err < FZ_CLAIM_TAKEN) && is_occupied(claim, err, ret_other))
        return FZ_CLAIM_TAKEN;
    return err;
}

/* An attempt: the own claim, held or not. */
struct claim_attempt {
    struct fz_claim claim;
    const struct fz_claim_page *former; /* of the claim that was removed, whose place it takes; NULL: of none */
    bool gives_way;                     /* to the other one, which goes first */
};

static int begin_attempt(struct claim_attempt *attempt, const struct fz_claim_key *key, uint32_t worker,
                         struct fz_claim_other *ret_other)
{
    attempt->claim = FZ_CLAIM_NONE;
    attempt->claim.key = *key;
    attempt->former = NULL;
    int sys = fz_claim_path(attempt->claim.path, key, worker, &attempt->claim.beginning);
    memcpy(ret_other->path, attempt->claim.path, sizeof ret_other->path);
    return sys;
}

/* Others learn the same from the new file as from the one that was removed. */
static void say_again(struct fz_claim_page *page, const struct fz_claim_page *former)
{
    fz_claim_raise_tick(&page->used, atomic_load_explicit(&former->used, memory_order_acquire));
    fz_claim_raise_tick(&page->floor, atomic_load_explicit(&former->floor, memory_order_acquire));
    atomic_store_explicit(&page->first, atomic_load_explicit(&former->first, memory_order_acquire),
                          memory_order_release);
    memcpy(page->state, former->state, sizeof page->state);
    page->state_device = former->state_device;
    page->state_inode = former->state_inode;
}

/* As fz_claim_try; after FZ_CLAIM_TAKEN the own claim may still be held. */
static int attempt_once(struct claim_attempt *attempt, const struct fz_claim_key *key, struct fz_claim_other *ret_other)
{
    struct fz_claim *claim = &attempt->claim;
    bool is_lower;
    uint64_t floor;

    attempt->gives_way = true;
    int err = claim->page == NULL ? hold_own(claim, key, ret_other) : 0;
    if (err != 0)
        return err;
    if (attempt->former != NULL)
        say_again(claim->page, attempt->former);
    err = fz_claim_search(key, claim->path, claim->beginning, claim->page, ret_other, &floor, &is_lower);
    attempt->gives_way = is_lower;
    uint64_t own_end =
        fz_claim_end(key->is_alone ? atomic_load(&claim->page->used) : 0, atomic_load(&claim->page->floor));
    claim->floor = floor > own_end ? floor : own_end;
    return err;
}

int fz_claim_try(struct fz_claim *ret, const struct fz_claim_key *key, uint32_t worker,
                 struct fz_claim_other *ret_other)
{
    struct claim_attempt attempt;

    int err = begin_attempt(&attempt, key, worker, ret_other);
    if (err == 0)
        err = attempt_once(&attempt, key, ret_other);
    if (err == 0)
        *ret = attempt.claim;
    else
        withdraw(&attempt.claim);
    return err;
}

struct fz_claim_patience fz_claim_patience(struct fz_deadline deadline, bool insists)
{
    return (struct fz_claim_patience){
        .deadline = deadline, .left_ns = insists ? CLAIM_INSISTS_NS : CLAIM_WAIT_NS, .next_ns = CLAIM_PAUSE_NS};
}

static uint64_t lesser_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

bool fz_claim_pause(struct fz_claim_patience *patience)
{
    const uint64_t pause_ns =
        lesser_of(lesser_of(patience->next_ns, patience->left_ns), fz_deadline_left_ns(patience->deadline));
    const struct timespec pause = {.tv_nsec = (long)pause_ns};

    if (pause_ns == 0 || fz_waits_ended())
        return false;
    clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
    patience->left_ns -= pause_ns;
    patience->next_ns = lesser_of(2 * pause_ns, CLAIM_PAUSE_NS_MAX);
    return true;
}

/*
 * The one that goes first keeps its claim while it waits, so the others step back; it waits for those that have begun.
 * On failure the own claim is not held.
 */
static int attempt_often(struct claim_attempt *attempt, const struct fz_claim_key *key,
                         struct fz_claim_patience *patience, struct fz_claim_other *ret_other)
{
    int err;

    do {
        err = attempt_once(attempt, key, ret_other);
        if (err == FZ_CLAIM_TAKEN && attempt->gives_way)
            withdraw(&attempt->claim);
    } while (err == FZ_CLAIM_TAKEN && ret_other->until == 0 && fz_claim_pause(patience));
    if (err != 0)
        withdraw(&attempt->claim);
    return err;
}

int fz_claim_insist(struct fz_claim *ret, const struct fz_claim_key *key, uint32_t worker,
                    struct fz_claim_patience *patience, struct fz_claim_other *ret_other)
{
    struct claim_attempt attempt;

    int err = begin_attempt(&attempt, key, worker, ret_other);
    if (err == 0)
        err = attempt_often(&attempt, key, patience, ret_other);
    if (err == 0)
        *ret = attempt.claim;
    return err;
}

frazil_err fz_claim_take(struct fz_claim *ret, const struct fz_claim_key *key, uint32_t worker,
                         struct fz_claim_patience *patience, frazil_error *reterr)
{
    struct fz_claim_other other;

    int err = fz_claim_insist(ret, key, worker, patience, &other);
    if (err == FZ_CLAIM_TAKEN)
        return fz_claim_refuse(worker, key, &other, reterr);
    return err == 0 ? FRAZIL_OK : fz_claim_fail(err, other.path, reterr);
}

/* ---- after it was taken -------------------------------------------------------------- */

/* How it was claimed, as seen in another present.  folder and holder hold the texts. */
static struct fz_claim_key key_again(const struct fz_claim *claim, uint64_t now_tick, char folder[FZ_CLAIM_PATH_SIZE],
                                     char holder[FZ_CLAIM_HOLDER_SIZE])
{
    struct fz_claim_key key = claim->key;

    memcpy(folder, claim->path, sizeof claim->path);
    folder[claim->beginning] = '\0'; /* the namesakes' part has no slash */
    *strrchr(folder, '/') = '\0';
    memcpy(holder, claim->page->holder, FZ_CLAIM_HOLDER_SIZE);
    key.folder = folder;
    key.holder = holder;
    key.state = NULL; /* say_again says it */
    key.now_tick = now_tick;
    return key;
}

int fz_claim_keep(struct fz_claim *claim, uint64_t now_tick, struct fz_deadline deadline,
                  struct fz_claim_other *ret_other)
{
    struct fz_claim_patience patience = fz_claim_patience(deadline, false);
    struct claim_attempt attempt = {.claim = FZ_CLAIM_NONE, .former = claim->page};
    char folder[FZ_CLAIM_PATH_SIZE];
    char holder[FZ_CLAIM_HOLDER_SIZE];

    if (claim->page == NULL)
        return 0;
    memcpy(ret_other->path, claim->path, sizeof claim->path);
    /* The mapping keeps the file, so that no other one can have its inode's number. */
    int err = fz_own_file_at(&claim->file, claim->path);
    if (err != ESTALE)
        return err;
    const struct fz_claim_key key = key_again(claim, now_tick, folder, holder);
    memcpy(attempt.claim.path, claim->path, sizeof claim->path);
    attempt.claim.beginning = claim->beginning;
    attempt.claim.key = claim->key;
    err = attempt_often(&attempt, &key, &patience, ret_other);
    if (err != 0)
        return err;
    fz_claim_release(claim);
    *claim = attempt.claim;
    return 0;
}

void fz_claim_begin(const struct fz_claim *claim, uint64_t first)
{
    uint64_t none = 0;

    if (claim->page != NULL)
        (void)atomic_compare_exchange_strong(&claim->page->first, &none, first);
}

void fz_claim_raise(const struct fz_claim *claim, uint64_t until)
{
    if (claim->page != NULL)
        fz_claim_raise_tick(&claim->page->used, until);
}

void fz_claim_lower(const struct fz_claim *claim, uint64_t until, uint64_t used)
{
    if (claim->page != NULL && used < until)
        (void)atomic_compare_exchange_strong_explicit(&claim->page->used, &until, used, memory_order_acq_rel,
                                                      memory_order_relaxed);
}

void fz_claim_release(struct fz_claim *claim)
{
    if (claim->page == NULL)
        return;
    /* This is not unlocking: a child goes on holding the number. */
    munmap(claim->page, CLAIM_FILE_SIZE);
    claim->page = NULL;
    fz_kept_fd_close(&claim->file);
}

void fz_claim_leave(struct fz_claim *claim)
{
    munmap(claim->page, CLAIM_FILE_SIZE);
    claim->page = NULL;
    fz_own_file_unlock_and_close(&claim->file);
}
