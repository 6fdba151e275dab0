/* SPDX-License-Identifier: MIT */
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

/* The content of a file. */
enum { CLAIM_FILE_SIZE = sizeof(struct fz_claim_page) };

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "the tick must be lock-free to be shared between processes");

enum { CLAIM_PATIENCE_NS = 250000000, CLAIM_PAUSE_NS = 1000000 };

/* How often a file may vanish between two calls before somebody seems to do that on purpose. */
enum { VANISHES_MOST = 100 };

enum { FOR_READERS = S_IRGRP | S_IROTH };

/* ---- names ----------------------------------------------------------------- */

static void add_hash(struct fz_sentence *s, const char *text)
{
    static const char digits[] = "0123456789abcdef";
    uint32_t crc = fz_crc32(text, strlen(text));

    for (int shift = 28; shift >= 0; shift -= 4)
        fz_sentence_char(s, digits[crc >> shift & 15]);
}

/* FOLDER/frazil-claim-HASHES-WORKER-: so begin the paths of all files for the number. */
static void add_beginning(struct fz_sentence *s, const struct fz_claim_key *key, uint32_t worker)
{
    fz_sentence_str(s, key->folder);
    fz_sentence_str(s, "/frazil-claim-");
    add_hash(s, key->fingerprint);
    add_hash(s, key->name);
    fz_sentence_char(s, '-');
    fz_sentence_u64(s, worker);
    fz_sentence_char(s, '-');
}

static void add_word(struct fz_sentence *s, const struct fz_claim_word *word)
{
    fz_sentence_u64(s, word->nonce);
    fz_sentence_char(s, '.');
    fz_sentence_u64(s, word->device);
    fz_sentence_char(s, '.');
    fz_sentence_u64(s, word->inode);
}

/* The same with MIN-MAX-WORD.  *ret_beginning: how much of it all have in common.  0 or ENAMETOOLONG. */
static int path_of_own(char path[FZ_CLAIM_PATH_SIZE], const struct fz_claim_key *key, uint32_t worker,
                       size_t *ret_beginning)
{
    struct fz_sentence s = fz_sentence_in(path, FZ_CLAIM_PATH_SIZE);

    add_beginning(&s, key, worker);
    *ret_beginning = s.len;
    fz_sentence_u64(&s, key->bounds.min);
    fz_sentence_char(&s, '-');
    fz_sentence_u64(&s, key->bounds.max);
    fz_sentence_char(&s, '-');
    if (key->is_alone)
        add_word(&s, &(struct fz_claim_word){.nonce = geteuid(), .inode = 1});
    else
        add_word(&s, &key->word);
    return s.len + 1 < s.size ? 0 : ENAMETOOLONG; /* one that is full may have been cut */
}

/* False: this is no such rest of a path. */
static bool parse_rest(const char *rest, struct fz_bounds *ret)
{
    const char *max = strchr(rest, '-');
    const char *word = max == NULL ? NULL : strchr(max + 1, '-');

    return word != NULL && fz_decimal_parse(rest, (size_t)(max - rest), &ret->min) &&
           fz_decimal_parse(max + 1, (size_t)(word - max - 1), &ret->max);
}

/* ---- the others ------------------------------------------------------------------ */

/* The content of a file, as it was read. */
struct claim_said {
    uint64_t used;
    uint64_t floor;
    char holder[FZ_CLAIM_HOLDER_SIZE];
};

/* A look through the folder. */
struct claim_search {
    const struct fz_claim_key *key;
    const char *own_name;          /* behind the beginning */
    struct fz_claim_page *page;    /* of the own claim, which is held; NULL: this is only a look */
    struct fz_claim_other *other;  /* the one that is in the way; if several are, one below the own */
    struct fz_claim_other ahead;   /* the one that nobody holds, and that was used furthest beyond the present */
    char path[FZ_CLAIM_PATH_SIZE]; /* of the file that is looked at */
    size_t beginning;              /* how much of it all files have in common */
    size_t folder;                 /* how much of that is the folder's, with the slash */
    bool forgets;                  /* removes what the words of the same run directory have left */
    int found;                     /* 0, FZ_CLAIM_TAKEN or an errno */
    bool is_lower;                 /* the one that is in the way goes before the own */
    uint64_t floor;                /* the first tick that none of those that were looked at can have used */
};

/* Reads what a file says; one that had not begun has not said.  0 or an errno. */
static int read_said(int fd, struct claim_said *ret)
{
    struct claim_said said = {.used = 0};
    ssize_t len;

    do
        len = pread(fd, &said, sizeof said, 0);
    while (len < 0 && errno == EINTR);
    if (len < 0)
        return errno;
    if (len < (ssize_t)sizeof said)
        memset(&said, 0, sizeof said);
    said.holder[sizeof said.holder - 1] = '\0';
    *ret = said;
    return 0;
}

static void describe(const struct claim_search *search, struct fz_claim_other *ret, uint64_t uid,
                     const struct claim_said *said)
{
    ret->uid = uid;
    ret->until = 0;
    ret->sys_errno = 0;
    ret->is_own = false;
    memcpy(ret->holder, said->holder, sizeof ret->holder);
    memcpy(ret->path, search->path, sizeof ret->path);
}

static int take_note(struct claim_search *search, uint64_t uid, const struct claim_said *said, int sys_errno)
{
    describe(search, search->other, uid, said);
    search->other->sys_errno = sys_errno;
    search->is_lower = strcmp(search->path + search->beginning, search->own_name) < 0;
    return FZ_CLAIM_TAKEN;
}

/* The first tick that the file's word, and those whose claims it took over, cannot have used. */
static uint64_t claim_end_of(const struct claim_said *said)
{
    uint64_t end = said->used == 0 || said->used == UINT64_MAX ? said->used : said->used + 1;

    return end > said->floor ? end : said->floor;
}

static void raise_tick(_Atomic uint64_t *tick, uint64_t wanted)
{
    uint64_t found = atomic_load_explicit(tick, memory_order_relaxed);

    while (found < wanted &&
           !atomic_compare_exchange_weak_explicit(tick, &found, wanted, memory_order_acq_rel, memory_order_relaxed)) {
    }
}

/*
 * Removes a file of this user's that nobody has, once the own claim says as much: who makes many run directories, as a
 * service does that is started again and again, would fill the memory.  The file is locked, so nobody begins to use it.
 */
static void take_over(struct claim_search *search, const struct stat *status, uint64_t end)
{
    struct stat now;

    if (search->page == NULL || status->st_uid != geteuid() || end > search->key->now_tick + 1)
        return;
    raise_tick(&search->page->floor, end);
    if (lstat(search->path, &now) == 0 && now.st_ino == status->st_ino && now.st_dev == status->st_dev)
        (void)unlink(search->path);
}

/* A file that nobody holds, and that is locked. */
static void learn_from(struct claim_search *search, const struct stat *status, const struct fz_bounds *bounds,
                       const struct claim_said *said)
{
    const struct fz_claim_key *key = search->key;
    uint64_t end = claim_end_of(said);
    uint64_t limit = key->now_tick + key->patience;

    if (end > search->floor)
        search->floor = end;
    /* Of this run directory there is a grant file as well, which says it better. */
    bool is_near = status->st_uid == geteuid() && said->holder[0] == '/' && strcmp(said->holder, key->holder) == 0;
    if (search->forgets && is_near)
        (void)unlink(search->path);
    if (end > limit && end > search->ahead.until && !is_near) {
        describe(search, &search->ahead, status->st_uid, said);
        search->ahead.until = end;
    }
    if (bounds->min >= key->bounds.min && bounds->max <= key->bounds.max)
        take_over(search, status, end);
}

/*
 * 0, FZ_CLAIM_TAKEN or an errno.  The kernel says whose the file is: a name can be anybody's.  Something that is no
 * regular file was not made by frazil, and holds nothing.
 */
static int look_at_claim(struct claim_search *search, const struct fz_bounds *bounds)
{
    struct claim_said said = {.used = 0};
    struct stat status;
    int fd = -1; /* gcc does not see that it is set where it is used */

    int err = fz_own_file_open_any(search->path, &fd, &status);
    /* It cannot be asked, so it counts as held: its owner (by mode or lease) or the system closed it to others. */
    if ((err == EACCES || err == EWOULDBLOCK) && lstat(search->path, &status) == 0)
        return S_ISREG(status.st_mode) ? take_note(search, status.st_uid, &said, err) : 0;
    if (err == ENOENT || err == FZ_REFUSED_LINK || err == FZ_REFUSED_KIND)
        return 0;
    if (err != 0)
        return err;
    int locked = fz_own_file_lock(fd, LOCK_EX);
    err = locked != 0 && locked != EWOULDBLOCK ? locked : read_said(fd, &said);
    if (err == 0 && locked == 0)
        learn_from(search, &status, bounds, &said);
    /* Closing alone would leave the lock to a child that was forked meanwhile. */
    if (locked == 0)
        (void)fz_own_file_lock(fd, LOCK_UN);
    close(fd);
    return err == 0 && locked != 0 ? take_note(search, status.st_uid, &said, 0) : err;
}

static void look_at_claim_name(void *ctx, const char *name)
{
    struct claim_search *search = ctx;
    size_t len = search->beginning - search->folder;
    struct fz_bounds bounds = {.top = search->key->bounds.top};
    bool is_over = search->found != 0 && (search->found != FZ_CLAIM_TAKEN || search->is_lower);

    if (is_over || strncmp(name, search->path + search->folder, len) != 0 ||
        strcmp(name + len, search->own_name) == 0 || !parse_rest(name + len, &bounds) ||
        !fz_bounds_overlap(&bounds, &search->key->bounds))
        return;
    size_t rest = strlen(name + len);
    if (search->beginning + rest >= sizeof search->path)
        return; /* none of frazil's names is so long */
    memcpy(search->path + search->beginning, name + len, rest + 1);
    int found = look_at_claim(search, &bounds);
    if (found != 0)
        search->found = found;
}

/* As fz_claim_try.  *ret_is_lower: the one that is in the way goes before the own.  page: of the own claim, or NULL. */
static int search_others(const struct fz_claim_key *key, const char *own_path, size_t beginning,
                         struct fz_claim_page *page, struct fz_claim_other *ret_other, uint64_t *ret_floor,
                         bool *ret_is_lower)
{
    struct claim_search search = {.key = key,
                                  .own_name = own_path + beginning,
                                  .page = page,
                                  .other = ret_other,
                                  .beginning = beginning,
                                  .folder = strlen(key->folder) + 1};

    memcpy(search.path, own_path, beginning);
    int sys = fz_list_dir(key->folder, look_at_claim_name, &search);
    *ret_is_lower = search.is_lower;
    *ret_floor = search.floor;
    if (search.found != 0 || sys != 0)
        return search.found != 0 ? search.found : sys;
    if (search.ahead.until == 0)
        return 0;
    *ret_other = search.ahead;
    return FZ_CLAIM_TAKEN;
}

int fz_claim_forget(const struct fz_claim_key *key, uint32_t worker)
{
    struct fz_claim_other other;
    struct claim_search search = {
        .key = key, .own_name = "", .other = &other, .folder = strlen(key->folder) + 1, .forgets = true};

    int sys = path_of_own(search.path, key, worker, &search.beginning);
    if (sys == 0)
        sys = fz_list_dir(key->folder, look_at_claim_name, &search);
    return sys != 0 || search.found == FZ_CLAIM_TAKEN ? sys : search.found;
}

int fz_claim_find(const struct fz_claim_key *key, uint32_t worker, struct fz_claim_other *ret_other)
{
    char own[FZ_CLAIM_PATH_SIZE];
    size_t beginning;
    uint64_t ignored;
    bool is_lower;

    int sys = path_of_own(own, key, worker, &beginning);
    memcpy(ret_other->path, own, sizeof own);
    return sys == 0 ? search_others(key, own, beginning, NULL, ret_other, &ignored, &is_lower) : sys;
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

/* Opens, locks and maps the own file.  0, FZ_CLAIM_TAKEN (somebody locks it), ESTALE, an errno or a refusal. */
static int hold_claim(struct fz_claim *claim, const struct fz_claim_key *key)
{
    int err = open_claim(claim);

    if (err != 0)
        return err;
    int fd = fz_kept_fd_known(&claim->file);
    err = fz_own_file_lock(fd, key->is_alone ? LOCK_EX : LOCK_SH);
    if (err == 0)
        err = fz_own_file_at(&claim->file, claim->path);
    if (err != 0)
        return err == EWOULDBLOCK ? FZ_CLAIM_TAKEN : err;
    void *page = mmap(NULL, CLAIM_FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED)
        return errno;
    claim->page = page;
    if (claim->page->holder[0] == '\0')
        say_holder(claim->page, key->holder);
    return 0;
}

/* Whether something of another user's has the own file's name; then *ret_other says whose. */
static bool is_occupied(const struct fz_claim *claim, struct fz_claim_other *ret_other)
{
    struct stat status;

    if (lstat(claim->path, &status) != 0 || status.st_uid == geteuid())
        return false;
    ret_other->uid = status.st_uid;
    ret_other->is_own = false;
    return true;
}

/* Unlocked first: a child that was forked meanwhile would keep it. */
static void withdraw(struct fz_claim *claim)
{
    if (claim->page != NULL)
        munmap(claim->page, CLAIM_FILE_SIZE);
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
    if ((err == EACCES || err == EISDIR || err < FZ_CLAIM_TAKEN) && is_occupied(claim, ret_other))
        return FZ_CLAIM_TAKEN;
    return err;
}

/* An attempt: the own claim, held or not, and where the part of its path begins that is its own. */
struct claim_attempt {
    struct fz_claim claim;
    size_t beginning;
    bool gives_way; /* to the other one, which goes first */
};

static int begin_attempt(struct claim_attempt *attempt, const struct fz_claim_key *key, uint32_t worker,
                         struct fz_claim_other *ret_other)
{
    attempt->claim = FZ_CLAIM_NONE;
    int sys = path_of_own(attempt->claim.path, key, worker, &attempt->beginning);
    memcpy(ret_other->path, attempt->claim.path, sizeof ret_other->path);
    return sys;
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
    err = search_others(key, claim->path, attempt->beginning, claim->page, ret_other, &floor, &is_lower);
    attempt->gives_way = is_lower;
    const struct claim_said own = {.used = key->is_alone ? atomic_load(&claim->page->used) : 0,
                                   .floor = atomic_load(&claim->page->floor)};
    claim->floor = floor > claim_end_of(&own) ? floor : claim_end_of(&own);
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

bool fz_claim_pause(uint64_t *waited_ns)
{
    const struct timespec pause = {.tv_nsec = CLAIM_PAUSE_NS};

    if (*waited_ns >= CLAIM_PATIENCE_NS)
        return false;
    clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
    *waited_ns += CLAIM_PAUSE_NS;
    return true;
}

/*
 * The one that goes first keeps its claim while it waits, so the others step back; it waits for those that have begun.
 */
int fz_claim_insist(struct fz_claim *ret, const struct fz_claim_key *key, uint32_t worker,
                    struct fz_claim_other *ret_other)
{
    struct claim_attempt attempt;
    uint64_t waited_ns = 0;

    int err = begin_attempt(&attempt, key, worker, ret_other);
    if (err != 0)
        return err;
    do {
        err = attempt_once(&attempt, key, ret_other);
        if (err == FZ_CLAIM_TAKEN && attempt.gives_way)
            withdraw(&attempt.claim);
    } while (err == FZ_CLAIM_TAKEN && ret_other->until == 0 && fz_claim_pause(&waited_ns));
    if (err == 0)
        *ret = attempt.claim;
    else
        withdraw(&attempt.claim);
    return err;
}

frazil_err fz_claim_take(struct fz_claim *ret, const struct fz_claim_key *key, uint32_t worker, frazil_error *reterr)
{
    struct fz_claim_other other;

    int err = fz_claim_insist(ret, key, worker, &other);
    if (err == FZ_CLAIM_TAKEN)
        return fz_claim_refuse(worker, key, &other, reterr);
    return err == 0 ? FRAZIL_OK : fz_claim_fail(err, other.path, reterr);
}

/* ---- after it was taken -------------------------------------------------------------- */

void fz_claim_raise(const struct fz_claim *claim, uint64_t until)
{
    if (claim->page != NULL)
        raise_tick(&claim->page->used, until);
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
