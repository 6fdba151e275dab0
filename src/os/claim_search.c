/* SPDX-License-Identifier: MIT */
/* The folder of claims: how they are called, and a look at those of others. */
#include "claim_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/crc32.h"
#include "core/decimal.h"
#include "core/sentence.h"
#include "dirs.h"
#include "fail_errno.h"
#include "own_file.h"

/* ---- names ----------------------------------------------------------------- */

static void add_hash(struct fz_sentence *s, const char *text)
{
    static const char digits[] = "0123456789abcdef";
    uint32_t crc = fz_crc32(text, strlen(text));

    for (int shift = 28; shift >= 0; shift -= 4)
        fz_sentence_char(s, digits[crc >> shift & 15]);
}

/* FOLDER/frazil-claim-HASH: so begin the paths of all files for the layout. */
static void add_layout(struct fz_sentence *s, const struct fz_claim_key *key)
{
    fz_sentence_str(s, key->folder);
    fz_sentence_str(s, "/frazil-claim-");
    add_hash(s, key->fingerprint);
}

/* FOLDER/frazil-claim-HASHES-WORKER-: so begin the paths of all files for the number. */
static void add_beginning(struct fz_sentence *s, const struct fz_claim_key *key, uint32_t worker)
{
    add_layout(s, key);
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

int fz_claim_path(char path[FZ_CLAIM_PATH_SIZE], const struct fz_claim_key *key, uint32_t worker, size_t *ret_beginning)
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
    uint64_t state_device;         /* the folder of the own grants; 0: there is none */
    uint64_t state_inode;
    int found;       /* 0, FZ_CLAIM_TAKEN or an errno */
    bool takes_over; /* the search is over, and the number is this process's */
    struct fz_claim_found so_far;
};

bool fz_claim_is_finished(const struct stat *status)
{
    return (status->st_mode & FZ_CLAIM_FINISHED) != 0;
}

/* A file as it was read. */
struct claim_said {
    uint64_t end; /* as the page has them; FZ_CLAIM_UNKNOWN: it was cut short or overwritten */
    uint64_t floor;
    uint64_t granted;
    struct fz_claim_page page;
};

/* Reads what a file says.  An unfinished one that is not whole says nothing.  0 or an errno. */
static int read_said(int fd, const struct stat *status, struct claim_said *ret)
{
    *ret = (struct claim_said){.end = fz_claim_is_finished(status) ? FZ_CLAIM_UNKNOWN : 0};
    int err = fz_claim_page_read(fd, &ret->page);
    if (err != 0)
        return err == EBADMSG ? 0 : err;
    ret->end = fz_claim_tick_of(&ret->page.end);
    ret->floor = fz_claim_tick_of(&ret->page.floor);
    ret->granted = fz_claim_tick_of(&ret->page.granted);
    return 0;
}

static void describe(const struct claim_search *search, struct fz_claim_other *ret, uint64_t uid,
                     const struct claim_said *said)
{
    ret->uid = uid;
    ret->until = 0;
    ret->sys_errno = 0;
    ret->is_own = false;
    memcpy(ret->holder, said->page.holder, sizeof ret->holder);
    memcpy(ret->path, search->path, sizeof ret->path);
}

static int take_note(struct claim_search *search, uint64_t uid, const struct claim_said *said, int sys_errno)
{
    describe(search, search->other, uid, said);
    search->other->sys_errno = sys_errno;
    search->so_far.is_lower = strcmp(search->path + search->beginning, search->own_name) < 0;
    return FZ_CLAIM_TAKEN;
}

uint64_t fz_claim_later(uint64_t end, uint64_t floor)
{
    return end > floor ? end : floor;
}

/*
 * Removes an unused file of this user's, once the own claim says as much: a user that makes many run directories, as a
 * service does that is often restarted, would fill the memory.  The file is locked, so no process begins to use it.
 * Nor has one read its name that will get the number: it would hold a claim, and this search would have met it.
 */
static void take_over(struct claim_search *search, const struct stat *status, uint64_t end)
{
    struct stat now;

    if (search->page == NULL || status->st_uid != geteuid() || end > search->key->now_tick + 1)
        return;
    search->so_far.has_leftovers = true;
    if (!search->takes_over)
        return;
    fz_claim_raise_tick(&search->page->floor, end);
    if (lstat(search->path, &now) == 0 && now.st_ino == status->st_ino && now.st_dev == status->st_dev)
        (void)unlink(search->path);
}

/* Whether the claim is of a word of the same user, run directory and state directory, whose grants are kept there. */
static bool is_near(const struct claim_search *search, uint64_t uid, const struct claim_said *said)
{
    const struct fz_claim_page *page = &said->page;

    return search->state_device != 0 && uid == geteuid() && page->holder[0] == '/' &&
           strcmp(page->holder, search->key->holder) == 0 && page->state_device == search->state_device &&
           page->state_inode == search->state_inode;
}

/*
 * Whether the grants of the process that looks cover all that the claim says.  The first and the last tick of its word
 * stand for those between, as all of them were granted by the same folder.  Those below the floor were granted by
 * others, so each is asked for.  A folder that was made anew does not know the first one, even if it has the former
 * one's inode.
 */
static bool is_known(const struct fz_claim_grants *grants, const struct claim_said *said)
{
    if (grants == NULL || (said->end != 0 && said->granted == 0))
        return false;
    return (said->end == 0 || (grants->knows(grants->ctx, said->granted - 1, said->granted - 1) &&
                               grants->knows(grants->ctx, said->end - 1, said->end - 1))) &&
           (said->floor == 0 || grants->knows(grants->ctx, 0, said->floor - 1));
}

/* A file that nobody holds, and that is locked. */
static void learn_from(struct claim_search *search, const struct stat *status, const struct fz_bounds *bounds,
                       const struct claim_said *said)
{
    const struct fz_claim_key *key = search->key;
    uint64_t end = fz_claim_later(said->end, said->floor);
    uint64_t limit = key->now_tick + key->max_ahead;

    bool is_news = end > search->so_far.floor || end > limit;
    if (is_news && is_near(search, status->st_uid, said) && is_known(key->grants, said))
        is_news = false;
    if (is_news && end > search->so_far.floor)
        search->so_far.floor = end;
    if (is_news && end > limit && end > search->ahead.until) {
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
    struct claim_said said = {.end = 0};
    struct stat status;
    int fd = -1; /* gcc does not see that it is set where it is used */

    int err = fz_own_file_open_any(search->path, &fd, &status);
    /* It cannot be asked, so it counts as held: its owner (by mode or lease) or the system closed it to others. */
    if (err == EACCES || err == EWOULDBLOCK) {
        if (lstat(search->path, &status) != 0)
            return errno == ENOENT ? 0 : err; /* it was removed meanwhile */
        return S_ISREG(status.st_mode) ? take_note(search, status.st_uid, &said, err) : 0;
    }
    if (err == ENOENT || err == FZ_REFUSED_LINK || err == FZ_REFUSED_KIND)
        return 0;
    if (err != 0)
        return err;
    int locked = fz_own_file_lock(fd, LOCK_EX);
    err = locked != 0 && locked != EWOULDBLOCK ? locked : read_said(fd, &status, &said);
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
    bool is_over = search->found != 0 && (search->found != FZ_CLAIM_TAKEN || search->so_far.is_lower);

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

/* The first process that held the own claim has written it; a process that only looks names the folder. */
static void find_own_state(struct claim_search *search)
{
    const char *state = search->key->state;
    struct stat status;

    if (search->page != NULL) {
        search->state_device = search->page->state_device;
        search->state_inode = search->page->state_inode;
    } else if (state != NULL && stat(state, &status) == 0) {
        search->state_device = status.st_dev;
        search->state_inode = status.st_ino;
    }
}

static struct claim_search search_of(const struct fz_claim_key *key, const char *own_path, size_t beginning,
                                     struct fz_claim_page *page, struct fz_claim_other *ret_other)
{
    struct claim_search search = {.key = key,
                                  .own_name = own_path + beginning,
                                  .page = page,
                                  .other = ret_other,
                                  .beginning = beginning,
                                  .folder = strlen(key->folder) + 1};

    memcpy(search.path, own_path, beginning);
    find_own_state(&search);
    return search;
}

int fz_claim_search(const struct fz_claim_key *key, const char *own_path, size_t beginning, struct fz_claim_page *page,
                    struct fz_claim_other *ret_other, struct fz_claim_found *ret)
{
    struct claim_search search = search_of(key, own_path, beginning, page, ret_other);

    int sys = fz_list_dir(key->folder, look_at_claim_name, &search);
    *ret = search.so_far;
    if (search.found != 0 || sys != 0)
        return search.found != 0 ? search.found : sys;
    if (search.ahead.until == 0)
        return 0;
    *ret_other = search.ahead;
    return FZ_CLAIM_TAKEN;
}

void fz_claim_take_over(const struct fz_claim_key *key, const char *own_path, size_t beginning,
                        struct fz_claim_page *page)
{
    struct fz_claim_other ignored;
    struct claim_search search = search_of(key, own_path, beginning, page, &ignored);

    search.takes_over = true;
    (void)fz_list_dir(key->folder, look_at_claim_name, &search);
}

bool fz_claim_state_differs(const struct fz_claim_key *key, uint32_t worker, char ret_state[FZ_CLAIM_HOLDER_SIZE])
{
    struct fz_claim_page page;
    char path[FZ_CLAIM_PATH_SIZE];
    struct stat status;
    size_t len = 0;
    int fd = -1;

    if (fz_claim_path(path, key, worker, &len) != 0 || fz_own_file_open_any(path, &fd, &status) != 0)
        return false;
    bool is_held = fz_own_file_lock(fd, LOCK_EX) == EWOULDBLOCK;
    if (!is_held)
        (void)fz_own_file_lock(fd, LOCK_UN);
    bool is_told = is_held && fz_claim_page_read(fd, &page) == 0 && page.state_device != 0;
    close(fd);
    if (!is_told ||
        (stat(key->state, &status) == 0 && status.st_dev == page.state_device && status.st_ino == page.state_inode))
        return false;
    memcpy(ret_state, page.state, sizeof page.state);
    return true;
}

int fz_claim_find(const struct fz_claim_key *key, uint32_t worker, struct fz_claim_other *ret_other)
{
    char own[FZ_CLAIM_PATH_SIZE];
    struct fz_claim_found ignored;
    size_t beginning;

    int sys = fz_claim_path(own, key, worker, &beginning);
    memcpy(ret_other->path, own, sizeof own);
    return sys == 0 ? fz_claim_search(key, own, beginning, NULL, ret_other, &ignored) : sys;
}

/* ---- all of a layout ---------------------------------------------------------------- */

/* A look through the folder for the claims of a layout that are held. */
struct claim_census {
    struct claim_search search; /* of the file that is looked at */
    uint64_t first;
    uint64_t last;
    struct fz_claim_other other; /* who has that file */
    struct fz_claims_held *found;
};

/* HASH-WORKER-MIN-MAX-WORD: behind the layout's hash comes that of the namespace, and any will do. */
static bool parse_number(const char *rest, uint64_t *ret_worker, struct fz_bounds *ret_bounds)
{
    const char *number = strchr(rest, '-');
    const char *end = number == NULL ? NULL : strchr(number + 1, '-');

    return end != NULL && fz_decimal_parse(number + 1, (size_t)(end - number - 1), ret_worker) &&
           parse_rest(end + 1, ret_bounds);
}

static void count_claim(struct claim_census *census, uint32_t worker)
{
    struct fz_claims_held *found = census->found;

    if (found->count == 0 || worker < found->first) {
        found->first = worker;
        found->other = census->other;
    }
    if (found->count == 0 || worker > found->last)
        found->last = worker;
    found->count++;
}

static void look_at_any_name(void *ctx, const char *name)
{
    struct claim_census *census = ctx;
    struct claim_search *search = &census->search;
    struct fz_bounds bounds = {.top = search->key->bounds.top};
    size_t len = search->beginning - search->folder, size = strlen(name) + 1;
    uint64_t worker;

    if (strncmp(name, search->path + search->folder, len) != 0 || search->folder + size > sizeof search->path ||
        !parse_number(name + len, &worker, &bounds) || worker < census->first || worker > census->last ||
        !fz_bounds_overlap(&bounds, &search->key->bounds))
        return;
    memcpy(search->path + search->folder, name, size);
    if (look_at_claim(search, &bounds) == FZ_CLAIM_TAKEN)
        count_claim(census, (uint32_t)worker);
}

int fz_claim_find_held(const struct fz_claim_key *key, uint32_t first, uint32_t last, struct fz_claims_held *ret)
{
    struct claim_census census = {.first = first, .last = last, .found = ret};
    struct claim_search *search = &census.search;
    struct fz_sentence s = fz_sentence_in(search->path, sizeof search->path);

    *ret = (struct fz_claims_held){.count = 0};
    add_layout(&s, key);
    if (s.len + 1 >= s.size)
        return ENAMETOOLONG;
    search->key = key;
    search->own_name = "";
    search->other = &census.other;
    search->folder = strlen(key->folder) + 1;
    search->beginning = s.len;
    return fz_list_dir(key->folder, look_at_any_name, &census);
}
