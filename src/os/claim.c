/* SPDX-License-Identifier: MIT */
#include "claim_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dirs.h"
#include "fail_errno.h"
#include "own_file.h"

enum { CLAIM_FILE_SIZE = sizeof(struct fz_claim_page) };

/* How often a file may vanish between two calls before that seems to be on purpose. */
enum { VANISHES_MOST = 100 };

enum { FOR_READERS = S_IRGRP | S_IROTH, BEGUN = S_IRUSR | S_IWUSR | FOR_READERS };

/* ---- the own file ---------------------------------------------------------------- */

/*
 * Opens the own file, or makes it.  Never with O_CREAT where there is one: where kernels protect such folders, that
 * fails for a file of another user with an errno that says less.  0, an errno or a refusal.
 */
static int open_claim(struct fz_claim *claim, struct stat *ret_status)
{
    int err = EEXIST;

    for (int i = 0; i < VANISHES_MOST && (err == EEXIST || err == ENOENT); i++) {
        err = fz_own_file_keep(claim->path, O_RDWR, &claim->file, ret_status);
        if (err == ENOENT)
            err = fz_own_file_keep_open_to_all(claim->path, O_RDWR | O_CREAT | O_EXCL, &claim->file, ret_status);
    }
    return err;
}

/*
 * Makes the own file ready, which is locked.  It writes in one call, so that a killed process leaves no half of it, and
 * a full disk is an error here and no SIGBUS later.  Then the file goes: the next try may be for another word, and one
 * file would be left for each.  0 or an errno.
 */
static int make_ready(const struct fz_claim *claim, int fd, const char *holder, struct fz_claim_page *ret)
{
    fz_claim_page_make(ret, holder);
    /* The umask may have closed it to other users, but they must read it. */
    int err = fchmod(fd, BEGUN) == 0 ? fz_file_write(fd, 0, ret, sizeof *ret) : errno;
    if (err != 0)
        (void)unlink(claim->path);
    return err;
}

/*
 * Learns what the own file says, which is locked, or makes it ready if it was never finished.  A file without a valid
 * page that other processes hold, too, is not for this process: one of them is about to make it ready, or only looks.
 * 0, EBADMSG, EWOULDBLOCK or an errno.
 */
static int learn_own(const struct fz_claim *claim, int fd, const struct fz_claim_key *key, bool is_first,
                     struct fz_claim_page *ret)
{
    int err = fz_claim_page_read(fd, ret);

    if (err != EBADMSG || claim->is_finished)
        return err;
    return is_first ? make_ready(claim, fd, key->holder, ret) : EWOULDBLOCK;
}

static int map_claim(struct fz_claim *claim, int fd)
{
    void *at = mmap(NULL, CLAIM_FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (at == MAP_FAILED)
        return errno;
    claim->page = at;
    return 0;
}

/*
 * The first one that holds the claim says where the grants of its word are kept; the others compare.  Ticks that
 * another folder has granted are another owner's from then on.  learned is what the file said, and becomes what it is
 * to say.  0 or an errno.
 */
static int tell_state(struct fz_claim *claim, const char *state, bool is_first, struct fz_claim_page *learned)
{
    struct stat status;

    if (stat(state, &status) != 0)
        return errno;
    bool is_other = learned->state_device != status.st_dev || learned->state_inode != status.st_ino;
    claim->state_differs = is_other && !is_first;
    if (!is_first)
        return 0;
    if (is_other && learned->state_device != 0) {
        fz_claim_raise_tick(&claim->page->floor, fz_claim_tick_of(&claim->page->end));
        fz_claim_swap_tick(&claim->page->granted, fz_claim_tick_of(&claim->page->granted), 0);
    }
    fz_claim_page_say_state(learned, state, status.st_dev, status.st_ino);
    return 0;
}

/* Says where its grants are kept.  former: the claim that was removed, which said where. */
static int say_own(struct fz_claim *claim, int fd, const struct fz_claim_key *key, const struct fz_claim_page *former,
                   bool is_first, struct fz_claim_page *learned)
{
    const size_t begin = offsetof(struct fz_claim_page, check);
    int err = 0;

    if (former != NULL)
        fz_claim_page_say_state(learned, former->state, former->state_device, former->state_inode);
    else if (key->state != NULL)
        err = tell_state(claim, key->state, is_first, learned);
    if (err != 0 || !is_first || memcmp(&learned->check, &claim->page->check, sizeof *learned - begin) == 0)
        return err;
    return fz_file_write(fd, begin, &learned->check, sizeof *learned - begin);
}

/*
 * Opens, locks and maps the own file.  0, FZ_CLAIM_TAKEN (a process locks it), ESTALE, EBADMSG (it was cut short or
 * overwritten), an errno or a refusal.
 */
static int hold_claim(struct fz_claim *claim, const struct fz_claim_key *key, const struct fz_claim_page *former)
{
    struct fz_claim_page learned;
    struct stat status;
    int err = open_claim(claim, &status);

    if (err != 0)
        return err;
    int fd = fz_kept_fd_known(&claim->file);
    err = fz_own_file_lock(fd, LOCK_EX);
    bool is_first = err == 0;
    if (err == EWOULDBLOCK && !key->is_alone)
        err = fz_own_file_lock(fd, LOCK_SH);
    if (err == 0)
        err = fz_own_file_at(&claim->file, claim->path);
    claim->is_finished = fz_claim_is_finished(&status);
    if (err == 0)
        err = learn_own(claim, fd, key, is_first, &learned);
    if (err == 0)
        err = map_claim(claim, fd);
    if (err == 0)
        err = say_own(claim, fd, key, former, is_first, &learned);
    if (err == 0 && is_first && !key->is_alone)
        err = fz_own_file_lock(fd, LOCK_SH);
    return err == EWOULDBLOCK ? FZ_CLAIM_TAKEN : err;
}

/*
 * Marks the file of a number that this process has got.  On a disk its content comes first, or a loss of power could
 * leave only the mark.  This costs one sync for each file that is won, and none for others.  0 or an errno.
 */
static int finish_claim(struct fz_claim *claim)
{
    struct fz_disk disk;

    if (claim->is_finished)
        return 0;
    int fd = fz_kept_fd_get(&claim->file);
    if (fd < 0)
        return errno;
    bool is_lasting = fz_disk_look(claim->path, &disk) != 0 || disk.kind != FZ_DISK_MEMORY;
    int err = is_lasting ? fz_file_sync(fd) : 0;
    if (err != 0)
        return err;
    claim->is_finished = fchmod(fd, BEGUN | FZ_CLAIM_FINISHED) == 0;
    return claim->is_finished ? 0 : errno;
}

/*
 * Whether the own file's name is taken by a file that cannot be used; then *ret_other says whose.  A file that its own
 * user may not open is another's: a user namespace without a map shows all users as one.  Unless its mode says so.
 */
static bool is_occupied(const struct fz_claim *claim, int err, struct fz_claim_other *ret_other)
{
    struct stat status;

    if (lstat(claim->path, &status) != 0 || (status.st_uid == geteuid() && err != EACCES))
        return false;
    ret_other->uid = status.st_uid;
    ret_other->is_own = status.st_uid == geteuid() && fz_claim_is_closed(&status);
    ret_other->sys_errno = ret_other->is_own ? err : 0;
    return true;
}

static bool records_nothing(const struct fz_claim_page *page)
{
    return fz_claim_tick_of(&page->end) == 0 && fz_claim_tick_of(&page->floor) == 0;
}

/*
 * Removes a file that records no tick, unless another process has it: a process that is refused repeatedly would fill
 * the memory.  It looks once more under the lock: until then another process of the word may use the number, and end.
 */
static void remove_empty(const struct fz_claim *claim)
{
    if (records_nothing(claim->page) && fz_own_file_lock(fz_kept_fd_known(&claim->file), LOCK_EX) == 0 &&
        records_nothing(claim->page) && fz_own_file_at(&claim->file, claim->path) == 0)
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
static int hold_own(struct fz_claim *claim, const struct fz_claim_key *key, const struct fz_claim_page *former,
                    struct fz_claim_other *ret_other)
{
    int err = ESTALE;

    for (int i = 0; i < VANISHES_MOST && err == ESTALE; i++) {
        err = hold_claim(claim, key, former);
        if (err != 0)
            withdraw(claim);
    }
    if (err == 0)
        return 0;
    *ret_other = (struct fz_claim_other){.uid = geteuid(), .is_own = !key->is_alone};
    if (key->is_alone)
        fz_claim_say_text(ret_other->holder, key->holder);
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
    uint64_t former_floor;              /* of that one, as its process knows it */
    bool gives_way;                     /* to the other one, which goes first */
    struct fz_claim_found found;        /* by the last search */
};

static int begin_attempt(struct claim_attempt *attempt, const struct fz_claim_key *key, uint32_t worker,
                         struct fz_claim_other *ret_other)
{
    attempt->claim = FZ_CLAIM_NONE;
    attempt->claim.key = *key;
    attempt->former = NULL;
    attempt->found = (struct fz_claim_found){.floor = 0};
    int sys = fz_claim_path(attempt->claim.path, key, worker, &attempt->claim.beginning);
    memcpy(ret_other->path, attempt->claim.path, sizeof ret_other->path);
    return sys;
}

/* Others learn the same from the new file as from the one that was removed. */
static void say_again(struct fz_claim_page *page, const struct fz_claim_page *former)
{
    fz_claim_raise_tick(&page->end, fz_claim_tick_of(&former->end));
    fz_claim_raise_tick(&page->floor, fz_claim_tick_of(&former->floor));
    fz_claim_swap_tick(&page->granted, fz_claim_tick_of(&page->granted), fz_claim_tick_of(&former->granted));
}

/*
 * The first tick that neither those whose claims the own one took over, nor, where there are no grants, the number's
 * own processes can have used.
 */
static uint64_t own_end(const struct claim_attempt *attempt, const struct fz_claim_key *key)
{
    const struct fz_claim_page *page = attempt->claim.page;
    uint64_t end = fz_claim_later(key->is_alone ? fz_claim_tick_of(&page->end) : 0, fz_claim_tick_of(&page->floor));

    /* It was overwritten before it was removed. */
    return attempt->former != NULL && end == FZ_CLAIM_UNKNOWN ? attempt->former_floor : end;
}

/*
 * Whether the one in the way, which nobody holds, says nothing new to the claim that was removed: that one began above
 * it.  It seems far ahead because the clock was set back since.
 */
static bool is_old_news(const struct fz_claim_other *other, uint64_t former_floor)
{
    return other->until != 0 && other->until <= former_floor;
}

/*
 * Whether the number's own ticks end too far beyond the present.  The processes of a claim that was removed have begun
 * above them, whatever the clock shows now.
 */
static bool is_far_ahead(const struct claim_attempt *attempt, const struct fz_claim_key *key, uint64_t end)
{
    uint64_t most = key->max_ahead > key->max_lead ? key->max_ahead : key->max_lead;

    return attempt->former == NULL && end > key->now_tick + most;
}

/* As fz_claim_try; after FZ_CLAIM_TAKEN the own claim may still be held. */
static int attempt_once(struct claim_attempt *attempt, const struct fz_claim_key *key, struct fz_claim_other *ret_other)
{
    struct fz_claim *claim = &attempt->claim;

    attempt->gives_way = true;
    int err = claim->page == NULL ? hold_own(claim, key, attempt->former, ret_other) : 0;
    if (err != 0)
        return err;
    if (attempt->former != NULL)
        say_again(claim->page, attempt->former);
    err = fz_claim_search(key, claim->path, claim->beginning, claim->page, ret_other, &attempt->found);
    attempt->gives_way = attempt->found.is_lower;
    if (err == FZ_CLAIM_TAKEN && attempt->former != NULL && is_old_news(ret_other, attempt->former_floor))
        err = 0;
    uint64_t end = own_end(attempt, key);
    claim->floor = fz_claim_later(attempt->found.floor, end);
    if (err != 0 || !is_far_ahead(attempt, key, end))
        return err;
    *ret_other = (struct fz_claim_other){.uid = geteuid(), .until = end};
    memcpy(ret_other->holder, claim->page->holder, sizeof ret_other->holder - 1);
    memcpy(ret_other->path, claim->path, sizeof ret_other->path);
    return FZ_CLAIM_TAKEN;
}

/* The number is this process's.  Before that, nothing is taken over: who looks at the same time needs what is there. */
static void give_claim(struct fz_claim *ret, const struct claim_attempt *attempt)
{
    *ret = attempt->claim;
    if (attempt->found.has_leftovers)
        fz_claim_take_over(&ret->key, ret->path, ret->beginning, ret->page);
    fz_folder_note(&ret->folder, ret->path);
}

int fz_claim_try(struct fz_claim *ret, const struct fz_claim_key *key, uint32_t worker,
                 struct fz_claim_other *ret_other)
{
    struct claim_attempt attempt;

    int err = begin_attempt(&attempt, key, worker, ret_other);
    if (err == 0)
        err = attempt_once(&attempt, key, ret_other);
    if (err == 0)
        err = finish_claim(&attempt.claim);
    if (err == 0)
        give_claim(ret, &attempt);
    else
        withdraw(&attempt.claim);
    return err;
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
    if (err == 0)
        err = finish_claim(&attempt->claim);
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
        give_claim(ret, &attempt);
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
    holder[FZ_CLAIM_HOLDER_SIZE - 1] = '\0'; /* it may have been overwritten meanwhile */
    key.folder = folder;
    key.holder = holder;
    key.state = NULL; /* the former one says it */
    key.now_tick = now_tick;
    return key;
}

/* 0: all who looked for it where it lay will look where its path leads now.  Or an errno or FZ_REFUSED_ELSEWHERE. */
static int look_at_place(const struct fz_claim *claim)
{
    int err = fz_folder_at(&claim->folder, claim->path);

    return err == FZ_REFUSED_ELSEWHERE && fz_folder_is_seen_as_before(&claim->folder) ? 0 : err;
}

/*
 * Makes the folder anew if it was removed as a whole; if that fails, the attempt says why.  0, or FZ_REFUSED_ELSEWHERE:
 * the claim is not to be made there.
 */
static int return_to_folder(const struct fz_claim *claim, const char *folder)
{
    int err = look_at_place(claim);

    if (err == ENOENT && !fz_folder_is_seen_as_before(&claim->folder))
        err = FZ_REFUSED_ELSEWHERE;
    if (err == ENOENT && strcmp(folder, fz_default_host_dir) != 0) /* which the system makes */
        (void)fz_claim_folder_make(folder);
    return err == FZ_REFUSED_ELSEWHERE ? err : 0;
}

/*
 * The path leads to another folder for this process.  The others look where the claim lies, and a claim that has a name
 * was not removed.  Nobody can tell for whom a mount of another namespace was made, so who has come there counts, too.
 */
static int stay(struct fz_claim *claim, const struct fz_claim_key *key, struct fz_claim_other *ret_other)
{
    struct stat status;
    struct fz_claim_found seen;

    if (fz_kept_fd_stat(&claim->file, &status) < 0 || status.st_nlink == 0)
        return FZ_REFUSED_ELSEWHERE;
    int found = fz_claim_search(key, claim->path, claim->beginning, NULL, ret_other, &seen);
    if (found == FZ_CLAIM_TAKEN && is_old_news(ret_other, claim->floor))
        found = 0;
    if (found != 0 && found != ENOENT && found != ENOTDIR && found != EACCES) /* without a folder nobody is there */
        return found;
    if (seen.floor > claim->floor) /* one has come and gone */
        claim->floor = seen.floor;
    return 0;
}

/* Lets a claim go as far as this process is concerned.  This is not unlocking: a child goes on holding the number. */
static void drop_file(struct fz_claim_page **page, struct fz_kept_fd *file)
{
    if (*page == NULL)
        return;
    munmap(*page, CLAIM_FILE_SIZE);
    *page = NULL;
    fz_kept_fd_close(file);
}

/* Keeps the first one unless it was removed, and no later one: a mount may have covered it, and hides no lock. */
static void drop_former(struct fz_claim *claim)
{
    struct stat status;
    bool is_removed = fz_kept_fd_stat(&claim->file, &status) >= 0 && status.st_nlink == 0;

    if (claim->covered == NULL && !is_removed) {
        claim->covered = claim->page;
        claim->covered_file = claim->file;
    } else {
        drop_file(&claim->page, &claim->file);
    }
}

/* Puts it back.  As fz_claim_keep. */
static int put_back(struct fz_claim *claim, const struct fz_claim_key *key, struct fz_deadline deadline,
                    struct fz_claim_other *ret_other)
{
    struct fz_claim_patience patience = fz_claim_patience(deadline, false);
    struct claim_attempt attempt = {.claim = FZ_CLAIM_NONE, .former = claim->page, .former_floor = claim->floor};

    memcpy(attempt.claim.path, claim->path, sizeof claim->path);
    attempt.claim.beginning = claim->beginning;
    attempt.claim.key = claim->key;
    int err = attempt_often(&attempt, key, &patience, ret_other);
    if (err != 0)
        return err;
    err = look_at_place(claim); /* again, as another thread may have called chroot() in the middle of it */
    if (err != 0) {
        withdraw(&attempt.claim);
        return err;
    }
    drop_former(claim);
    /* Not the path, which other threads may read, and which is the same. */
    claim->page = attempt.claim.page;
    claim->floor = attempt.claim.floor;
    claim->file = attempt.claim.file;
    claim->is_finished = attempt.claim.is_finished;
    return 0;
}

int fz_claim_keep(struct fz_claim *claim, uint64_t now_tick, struct fz_deadline deadline,
                  struct fz_claim_other *ret_other)
{
    char folder[FZ_CLAIM_PATH_SIZE];
    char holder[FZ_CLAIM_HOLDER_SIZE];

    if (claim->page == NULL)
        return 0;
    memcpy(ret_other->path, claim->path, sizeof claim->path);
    /* The mapping keeps the file, so that no other one can have its inode's number. */
    int err = fz_own_file_at(&claim->file, claim->path);
    /* A program that closes all descriptors: on an overlay the lock went with the file's, as a mapping holds none. */
    if (err != ESTALE && (err != 0 || fz_kept_fd_get(&claim->file) >= 0))
        return err;
    const struct fz_claim_key key = key_again(claim, now_tick, folder, holder);
    if (err == ESTALE && return_to_folder(claim, folder) != 0)
        return stay(claim, &key, ret_other);
    return put_back(claim, &key, deadline, ret_other);
}

uint64_t fz_claim_used(const struct fz_claim *claim)
{
    uint64_t end = claim->page == NULL ? 0 : fz_claim_tick_of(&claim->page->end);

    return end == 0 ? 0 : end - 1;
}

void fz_claim_begin(const struct fz_claim *claim, uint64_t first)
{
    if (claim->page != NULL)
        fz_claim_swap_tick(&claim->page->granted, 0, first + 1);
}

void fz_claim_raise(const struct fz_claim *claim, uint64_t until)
{
    if (claim->page != NULL)
        fz_claim_raise_tick(&claim->page->end, until + 1);
    if (claim->covered != NULL)
        fz_claim_raise_tick(&claim->covered->end, until + 1);
}

void fz_claim_lower(const struct fz_claim *claim, uint64_t until, uint64_t used)
{
    if (claim->page != NULL && used < until)
        fz_claim_swap_tick(&claim->page->end, until + 1, used + 1);
    if (claim->covered != NULL && used < until)
        fz_claim_swap_tick(&claim->covered->end, until + 1, used + 1);
}

void fz_claim_release(struct fz_claim *claim)
{
    drop_file(&claim->page, &claim->file);
    drop_file(&claim->covered, &claim->covered_file);
}

void fz_claim_leave(struct fz_claim *claim)
{
    munmap(claim->page, CLAIM_FILE_SIZE);
    claim->page = NULL;
    fz_own_file_unlock_and_close(&claim->file);
}
