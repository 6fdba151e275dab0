/* SPDX-License-Identifier: MIT */
#include "store.h"

#include <errno.h>
#include <string.h>

#include "core/layout_internal.h"
#include "core/now.h"
#include "core/sentence.h"
#include "grant_store.h"
#include "os/fail_errno.h"
#include "os/memory.h"
#include "shared_page.h"
#include "store_files.h"

#define LONGEST_WAIT_NS UINT64_C(3600000000000) /* an hour */

/* ---- the page ---------------------------------------------------------------- */

/*
 * Makes a new page ready.  The mark comes last: a process that is killed in
 * between leaves a page that the next one makes ready again.
 */
static void prepare_page(void *page)
{
    struct fz_shared *shared = page;

    if (atomic_load_explicit(&shared->is_ready, memory_order_acquire))
        return;
    atomic_init(&shared->high_us, INT64_MIN);
    atomic_init(&shared->seen_us, INT64_MIN);
    atomic_store_explicit(&shared->is_ready, true, memory_order_release);
}

/* Parent and children: the last of them gives a leased worker back. */
static frazil_err open_process_family(struct fz_store *store, frazil_error *reterr)
{
    int sys = fz_process_family_open(&store->processes);

    store->is_counted = sys == 0;
    return sys == 0 ? FRAZIL_OK
                    : fz_fail_errno(reterr, sys, "cannot create the memory that distinguishes parent and children",
                                    NULL, "");
}

static frazil_err open_in_memory(struct fz_store *store, const struct fz_decision *decision,
                                 struct fz_shared **ret_shared, frazil_error *reterr)
{
    if (decision->worker.is_granted) {
        frazil_err err = open_process_family(store, reterr);
        if (err != FRAZIL_OK)
            return err;
    }
    struct fz_shared *shared = fz_map_shared(sizeof *shared);
    if (shared == NULL)
        return fz_fail_errno(reterr, errno, "a page for the generator's state cannot be mapped", NULL, "");
    prepare_page(shared);
    store->kind = FZ_STORE_MEMORY;
    *ret_shared = shared;
    return FRAZIL_OK;
}

/* ---- the word of a lease ------------------------------------------------------------ */

/*
 * The numbers of its sequence are part of the lease's identity.  A generator with other numbers has another lease, and
 * with it another worker id, so that their words need not know of each other.
 */
struct fz_word_identity fz_store_lease_word(const struct fz_decision *decision)
{
    uint64_t top = decision->bounds.top;

    return (struct fz_word_identity){.fingerprint = decision->places.value,
                                     .worker = decision->lease.identity.check,
                                     .bounds = {.min = 0, .max = top, .top = top},
                                     .prepare = prepare_page};
}

/* The word of a lease that processes share. */
static frazil_err open_shared(struct fz_store *store, const struct fz_decision *decision, frazil_error *reterr)
{
    const struct fz_places *places = &decision->places;
    const struct fz_word_identity identity = fz_store_lease_word(decision);
    char folder[FZ_PATH_SIZE];
    char path[FZ_PATH_SIZE];

    frazil_err err = fz_dir_prepare_inside(folder, FZ_DIR_LEASE, places->run_dir, places->name, reterr);
    if (err == FRAZIL_OK)
        err = fz_store_lease_file(path, folder, decision->lease.identity.name, reterr);
    if (err == FRAZIL_OK)
        err = fz_word_file_open(&store->word, path, &identity, sizeof(struct fz_shared), store->deadline, reterr);
    if (err != FRAZIL_OK)
        return err;
    store->kind = FZ_STORE_LEASE;
    /* The number that the file was given when it was made: no other file, and so no other owner, has the same. */
    store->token = (struct fz_token){.high = store->word.nonce, .low = decision->lease.identity.check};
    return FRAZIL_OK;
}

/* ---- claims ----------------------------------------------------------------------- */

/* A tick; 0 before the epoch.  It goes on after the layout's life, as grants do. */
static uint64_t tick_at(const frazil_layout *layout, int64_t unix_ms)
{
    if (unix_ms < layout->epoch_unix_ms)
        return 0;
    return ((uint64_t)unix_ms - (uint64_t)layout->epoch_unix_ms) / layout->tick_ms;
}

/*
 * How far beyond the present a number may have been used: by a process that was killed, or as far as ids may be waited
 * for, but not so far that nobody thinks of that any more.
 */
static uint64_t max_ahead_of(const struct fz_decision *decision)
{
    uint64_t tick_ns = decision->layout.tick_ms * UINT64_C(1000000);
    uint64_t longest = LONGEST_WAIT_NS / tick_ns;
    uint64_t allowed = decision->max_wait_ns / tick_ns;
    uint64_t killed = 2 * fz_grant_store_reserve(&decision->layout);

    if (allowed > longest)
        allowed = longest;
    return allowed > killed ? allowed : killed;
}

/*
 * How far beyond the present the ids of this decision may lead, and so those that the process before has made with
 * state in memory: the next one goes on above them at once.  Not beyond the life of the layout.
 */
static uint64_t max_lead_of(const struct fz_decision *decision, uint64_t now_tick)
{
    const struct fz_slot_rules *rules = &decision->rules;
    bool leads = rules->on_full == FZ_FULL_LEAD || rules->on_backward == FZ_BACKWARD_HOLD;
    uint64_t life = rules->last_tick > now_tick ? rules->last_tick - now_tick : 0;

    if (!leads)
        return 0;
    return rules->max_lead < life ? rules->max_lead : life;
}

/* A number of file-lock is for one process, whichever part of the sequence that uses. */
frazil_err fz_store_claim_key(struct fz_claim_key *ret, char folder[FZ_PATH_SIZE], const struct fz_decision *decision,
                              int64_t now_ms, frazil_error *reterr)
{
    const frazil_layout *layout = &decision->layout;
    uint64_t top = decision->bounds.top;

    *ret = (struct fz_claim_key){.folder = folder,
                                 .fingerprint = decision->places.value,
                                 .name = decision->places.name,
                                 .bounds = decision->bounds,
                                 .tick_ms = layout->tick_ms,
                                 .now_tick = tick_at(layout, now_ms),
                                 .max_ahead = max_ahead_of(decision),
                                 .holder = ""};
    if (decision->worker.lock)
        ret->bounds = (struct fz_bounds){.min = 0, .max = top, .top = top};
    return fz_claim_folder(folder, decision->places.host_dir, reterr);
}

/* ---- the word of a worker ----------------------------------------------------------- */

/* An opening needs these until it is done. */
struct file_opening {
    struct fz_claim *claim; /* of the number that is tried */
    uint32_t worker;        /* that number */
    const frazil_clock *clock;
    struct fz_claim_key key;
    struct fz_claim_patience patience;
    char host_dir[FZ_PATH_SIZE];
    char folder[FZ_PATH_SIZE]; /* of the words */
    char holder[FZ_PATH_SIZE]; /* the folder above, which is the run directory */
    char state[FZ_PATH_SIZE];  /* the folder of the grants */
    char word[FZ_PATH_SIZE];   /* of the number that is tried */
    struct fz_grant_memory memory;
    int sys;                     /* the last try for a claim returned this */
    struct fz_claim_other other; /* the last one that was in the way */
    uint32_t others;             /* how many numbers other processes have */
    uint32_t worker_of_other;
    bool prefers_fresh; /* passes over numbers that can be used in the future only */
    bool insists;       /* on a number that others try to get as well: there is no other one */
};

static struct fz_claim_word name_word(const struct fz_word_file *word)
{
    return (struct fz_claim_word){.nonce = word->nonce, .device = word->device, .inode = word->inode};
}

/* admit: claims the number for it; NULL: it is claimed. */
static frazil_err open_word(struct fz_store *store, struct file_opening *opening, const struct fz_decision *decision,
                            fz_word_admission *admit, frazil_error *reterr)
{
    const struct fz_word_identity identity = {.fingerprint = decision->places.value,
                                              .worker = opening->worker,
                                              .bounds = decision->bounds,
                                              .prepare = prepare_page,
                                              .admit = admit,
                                              .ctx = opening};

    frazil_err err = fz_store_prepare_shards(opening->word, &identity.bounds, FZ_DIR_RUN, reterr);
    if (err == FRAZIL_OK)
        err = fz_word_file_open(&store->word, opening->word, &identity, sizeof(struct fz_shared), store->deadline,
                                reterr);
    if (err == FRAZIL_OK)
        store->kind = FZ_STORE_FILE;
    return err;
}

/* Gives the word and its claim back; a word that was made for nothing is removed. */
static void leave_word(struct fz_store *store)
{
    struct fz_shared *shared;

    fz_claim_release(&store->claim);
    if (fz_store_leave(store, store->deadline, &shared))
        fz_store_undo(store);
    fz_word_file_close(&store->word);
    store->kind = FZ_STORE_NONE;
}

/* The last try for a claim as an error. */
static frazil_err judge_try(const struct file_opening *opening, frazil_error *reterr)
{
    if (opening->sys == FZ_CLAIM_TAKEN)
        return fz_claim_refuse(opening->worker, &opening->key, &opening->other, reterr);
    return opening->sys == 0 ? FRAZIL_OK : fz_claim_fail(opening->sys, opening->other.path, reterr);
}

/*
 * Claims the number for a word that is being opened.  A process that waits has no word open meanwhile: else the one
 * that uses the word would not know that it is the last, and would leave all ticks of its grant to others as used.
 */
static frazil_err claim_for_word(void *ctx, const struct fz_word_file *word, frazil_error *reterr)
{
    struct file_opening *opening = ctx;

    opening->key.word = name_word(word);
    opening->sys = fz_claim_try(opening->claim, &opening->key, opening->worker, &opening->other);
    return judge_try(opening, reterr);
}

static frazil_err open_and_claim(struct fz_store *store, struct file_opening *opening,
                                 const struct fz_decision *decision, frazil_error *reterr)
{
    frazil_err err =
        fz_store_pair(opening->word, opening->folder, store->grant_path, opening->state, opening->worker, reterr);
    if (err != FRAZIL_OK)
        return err;
    fz_grant_store_remember(&opening->memory, store->grant_path, &decision->bounds, store->deadline);
    opening->key.grants = &opening->memory.grants;
    opening->claim = &store->claim;
    opening->sys = 0;
    return open_word(store, opening, decision, claim_for_word, reterr);
}

/* Waits for a number that another process seems to have, and opens the word that the key names.  *ret_is_it: it did. */
static frazil_err insist_on_word(struct fz_store *store, struct file_opening *opening,
                                 const struct fz_decision *decision, bool *ret_is_it, frazil_error *reterr)
{
    const struct fz_claim_word name = opening->key.word;

    opening->sys = fz_claim_insist(&store->claim, &opening->key, opening->worker, &opening->patience, &opening->other);
    frazil_err err = judge_try(opening, reterr);
    if (err == FRAZIL_OK)
        err = open_word(store, opening, decision, NULL, reterr);
    if (err != FRAZIL_OK)
        return err;
    *ret_is_it =
        store->word.nonce == name.nonce && store->word.device == name.device && store->word.inode == name.inode;
    if (!*ret_is_it)
        leave_word(store);
    return FRAZIL_OK;
}

/* Opens the word of a number, and claims the number for it. */
static frazil_err take_word(struct fz_store *store, struct file_opening *opening, const struct fz_decision *decision,
                            frazil_error *reterr)
{
    bool is_it = false;

    while (!is_it) {
        frazil_err err = open_and_claim(store, opening, decision, reterr);
        if (err == FRAZIL_OK || opening->sys != FZ_CLAIM_TAKEN || opening->other.until != 0)
            return err;
        /* Another word is there if it was made anew since it was closed. */
        err = insist_on_word(store, opening, decision, &is_it, reterr);
        if (err != FRAZIL_OK)
            return err;
    }
    return FRAZIL_OK;
}

/* The same for a number that is locked, FRAZIL_EPOOL: another process has it. */
static frazil_err try_word(struct fz_store *store, struct file_opening *opening, const struct fz_decision *decision,
                           frazil_error *reterr)
{
    frazil_err err = opening->insists ? take_word(store, opening, decision, reterr)
                                      : open_and_claim(store, opening, decision, reterr);

    if (err == FRAZIL_OK && (!opening->prefers_fresh || store->claim.floor <= opening->key.now_tick))
        return FRAZIL_OK;
    if (err == FRAZIL_OK) {
        leave_word(store);
        return FRAZIL_EPOOL;
    }
    if (opening->sys != FZ_CLAIM_TAKEN)
        return err;
    opening->others++;
    opening->worker_of_other = opening->worker;
    return FRAZIL_EPOOL;
}

/* The lowest number whose lock nobody has in this run directory, and that nobody else on this host has claimed. */
static frazil_err try_numbers(struct fz_store *store, struct file_opening *opening, const struct fz_decision *decision,
                              frazil_error *reterr)
{
    const struct fz_worker_choice *choice = &decision->worker;
    uint32_t first = choice->first;
    uint32_t end = choice->first + choice->count;
    frazil_err err = FRAZIL_EPOOL;

    opening->others = 0;
    while (err == FRAZIL_EPOOL) {
        err = fz_worker_lock_take(&store->lock, opening->folder, first, end - first, reterr);
        if (err != FRAZIL_OK)
            return err;
        opening->worker = store->lock.worker;
        err = try_word(store, opening, decision, reterr);
        store->locked = err == FRAZIL_OK;
        if (store->locked)
            return FRAZIL_OK;
        first = store->lock.worker + 1;
        fz_worker_lock_release(&store->lock);
        if (first == end)
            return err;
    }
    return err;
}

/* All are taken, some of them by others. */
static frazil_err all_claimed(const struct file_opening *opening, const struct fz_worker_choice *choice,
                              frazil_error *reterr)
{
    frazil_error why = {.message = ""};

    (void)fz_claim_refuse(opening->worker_of_other, &opening->key, &opening->other, &why);
    return fz_fail(reterr, FRAZIL_EPOOL,
                   "all worker ids from %u to %u are taken on this host, %u of them by other users or run "
                   "directories: %s",
                   (uint64_t)choice->first, (uint64_t)choice->first + choice->count - 1, (uint64_t)opening->others,
                   why.message);
}

static frazil_err take_free_word(struct fz_store *store, struct file_opening *opening,
                                 const struct fz_decision *decision, frazil_error *reterr)
{
    /* A number that can be used at once is better than a lower one. */
    opening->prefers_fresh = true;
    frazil_err err = try_numbers(store, opening, decision, reterr);
    opening->prefers_fresh = false;
    opening->insists = decision->worker.count == 1;
    if (err == FRAZIL_EPOOL)
        err = try_numbers(store, opening, decision, reterr);
    while (err == FRAZIL_EPOOL && fz_claim_pause(&opening->patience)) {
        opening->key.now_tick = tick_at(&decision->layout, fz_now(opening->clock).unix_ms);
        err = try_numbers(store, opening, decision, reterr);
    }
    return err == FRAZIL_EPOOL && opening->others > 0 ? all_claimed(opening, &decision->worker, reterr) : err;
}

/*
 * Settles the owner that asks for the word's grants, which are in the state directory, as that outlives a boot.  A
 * second state directory is refused: its grants would not tell after a boot what the word of the others was granted.
 * If a process has this grant file open, the folder was removed and made anew.
 */
static frazil_err settle_grant(struct fz_store *store, struct file_opening *opening, const struct fz_decision *decision,
                               frazil_error *reterr)
{
    const struct fz_claim *claim = &store->claim;
    const struct fz_bounds *bounds = &decision->bounds;
    bool is_followed = false;

    frazil_err err = fz_store_prepare_shards(store->grant_path, bounds, FZ_DIR_STATE, reterr);
    if (err != FRAZIL_OK)
        return err;
    store->owner = (struct fz_grant_owner){.worker = opening->worker,
                                           .layout = decision->layout,
                                           .bounds = *bounds,
                                           .nonce = store->word.nonce,
                                           .place = fz_store_place(store->word.device, store->word.path)};
    memcpy(store->owner.fingerprint, decision->places.value, strlen(decision->places.value));
    if (claim->state_differs)
        err = fz_grant_store_in_use(store->grant_path, bounds, &is_followed, reterr);
    if (err != FRAZIL_OK || !claim->state_differs || is_followed)
        return err;
    return fz_store_refuse_state(opening->worker, claim->page->holder, claim->page->state, opening->state, reterr);
}

static void name_holder(struct file_opening *opening)
{
    memcpy(opening->holder, opening->folder, sizeof opening->holder);
    char *end = strrchr(opening->holder, '/');
    if (end != NULL)
        *end = '\0';
}

static frazil_err open_in_file(struct fz_store *store, const struct fz_decision *decision, const frazil_clock *clock,
                               frazil_error *reterr)
{
    const struct fz_places *places = &decision->places;
    const struct fz_worker_choice *choice = &decision->worker;
    struct file_opening opening = {.clock = clock};

    frazil_err err = fz_dir_prepare_inside(opening.folder, FZ_DIR_RUN, places->run_dir, places->name, reterr);
    if (err == FRAZIL_OK)
        err = fz_dir_prepare_inside(opening.state, FZ_DIR_STATE, places->state_dir, places->name, reterr);
    if (err == FRAZIL_OK)
        err = fz_store_claim_key(&opening.key, opening.host_dir, decision, fz_now(clock).unix_ms, reterr);
    if (err != FRAZIL_OK)
        return err;
    name_holder(&opening);
    opening.key.holder = opening.holder;
    opening.key.state = opening.state;
    opening.worker = choice->first;
    opening.patience = fz_claim_patience(store->deadline, choice->lock);
    err =
        choice->lock ? take_free_word(store, &opening, decision, reterr) : take_word(store, &opening, decision, reterr);
    if (err == FRAZIL_OK)
        err = settle_grant(store, &opening, decision, reterr);
    store->claim.key.grants = NULL; /* the granter sets its own */
    store->claimed_until = fz_claim_used(&store->claim);
    return err;
}

/* ---- a claim alone ------------------------------------------------------------------ */

/* A generator whose state is in memory alone has a claim alone. */
static frazil_err claim_in_memory(struct fz_store *store, const struct fz_decision *decision, int64_t now_ms,
                                  frazil_error *reterr)
{
    char host_dir[FZ_PATH_SIZE];
    struct fz_claim_key key;
    struct fz_claim_patience patience = fz_claim_patience(store->deadline, false);

    frazil_err err = fz_store_claim_key(&key, host_dir, decision, now_ms, reterr);
    if (err != FRAZIL_OK)
        return err;
    key.is_alone = true;
    key.max_lead = max_lead_of(decision, key.now_tick);
    key.holder = "state=memory";
    return fz_claim_take(&store->claim, &key, decision->worker.first, &patience, reterr);
}

/* ---- opening and closing ------------------------------------------------------ */

frazil_err fz_store_open(struct fz_store *ret, const struct fz_decision *decision, const frazil_clock *clock,
                         struct fz_deadline deadline, struct fz_shared **ret_shared, uint32_t *ret_worker,
                         frazil_error *reterr)
{
    struct fz_store store = {.kind = FZ_STORE_NONE, .deadline = deadline, .claim = FZ_CLAIM_NONE};
    frazil_err err = FRAZIL_OK;

    if (decision->state.kind == FZ_STATE_FILES)
        err = open_in_file(&store, decision, clock, reterr);
    else if (decision->is_claimed)
        err = claim_in_memory(&store, decision, fz_now(clock).unix_ms, reterr);
    if (err == FRAZIL_OK && decision->state.kind == FZ_STATE_SHARED)
        err = open_shared(&store, decision, reterr);
    else if (err == FRAZIL_OK && decision->state.kind != FZ_STATE_FILES)
        err = open_in_memory(&store, decision, ret_shared, reterr);
    if (err != FRAZIL_OK) {
        fz_store_close(&store, NULL);
        return err;
    }
    if (store.kind != FZ_STORE_MEMORY)
        *ret_shared = store.word.payload;
    *ret_worker = store.kind == FZ_STORE_FILE ? store.owner.worker : decision->worker.first;
    *ret = store;
    return FRAZIL_OK;
}

frazil_err fz_store_granter(struct fz_store *store, uint64_t reserve_ticks, struct fz_granter *ret,
                            frazil_error *reterr)
{
    frazil_err err = fz_grant_store_open(ret, store->grant_path, &store->owner, reserve_ticks, reterr);

    if (err == FRAZIL_OK)
        fz_grant_store_claim(ret, &store->claim);
    return err;
}

static bool has_word_file(const struct fz_store *store)
{
    return store->kind == FZ_STORE_FILE || store->kind == FZ_STORE_LEASE;
}

bool fz_store_extension_lock_file(const struct fz_store *store, char ret[FZ_PATH_SIZE])
{
    /* Where the path leads to another word, or to none, the lock would not be that of the others. */
    return has_word_file(store) && fz_word_file_is_current(&store->word) &&
           fz_path_join(ret, store->word.path, ".turn", "") == 0;
}

bool fz_store_is_new(const struct fz_store *store)
{
    return !has_word_file(store) || store->word.created;
}

/*
 * On an overlay a mapping holds no lock: a program that has closed all its descriptors still uses the page, though it
 * seems to be gone.  There neither a lease nor the rest of a grant is given back, and both end by themselves.
 */
static bool lies_on_layer(const struct fz_store *store)
{
    struct fz_disk disk;

    return fz_disk_look(store->word.path, &disk) != 0 || disk.kind == FZ_DISK_LAYER;
}

bool fz_store_leave(struct fz_store *store, struct fz_deadline deadline, struct fz_shared **shared)
{
    if (store->is_counted) {
        store->is_counted = false;
        return fz_process_family_leave(&store->processes);
    }
    if (!has_word_file(store))
        return false;
    bool last = fz_word_file_leave(&store->word, deadline) && !lies_on_layer(store);
    *shared = last ? store->word.payload : NULL;
    return last;
}

void fz_store_undo(struct fz_store *store)
{
    /*
     * A lease's file stays: without it, what the open may have taken from the coordinator would be a stranger's.
     * A process that used the word in between is gone, and the next one begins above its grant.
     */
    if (store->kind == FZ_STORE_FILE && store->word.created)
        (void)fz_word_file_remove(&store->word);
}

void fz_store_close(struct fz_store *store, struct fz_shared *shared)
{
    if (has_word_file(store))
        fz_word_file_close(&store->word);
    else if (store->kind == FZ_STORE_MEMORY)
        fz_unmap(shared, sizeof *shared);
    if (store->is_counted)
        (void)fz_process_family_leave(&store->processes);
    if (store->locked)
        fz_worker_lock_release(&store->lock);
    fz_claim_release(&store->claim);
    store->is_counted = false;
    store->kind = FZ_STORE_NONE;
    store->locked = false;
}
