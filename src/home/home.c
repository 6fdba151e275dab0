/* SPDX-License-Identifier: MIT */
#include "home.h"

#include <errno.h>
#include <string.h>

#include "core/layout_internal.h"
#include "core/sentence.h"
#include "grant_store.h"
#include "home_files.h"
#include "os/clock.h"
#include "os/fail_errno.h"
#include "os/memory.h"
#include "shared_page.h"

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
static frazil_err found_company(struct fz_home *home, frazil_error *reterr)
{
    int sys = fz_company_open(&home->company);

    home->in_company = sys == 0;
    return sys == 0
               ? FRAZIL_OK
               : fz_fail_errno(reterr, sys, "what tells parent and children of each other cannot be made", NULL, "");
}

static frazil_err open_in_memory(struct fz_home *home, const struct fz_decision *decision,
                                 struct fz_shared **ret_shared, frazil_error *reterr)
{
    if (fz_worker_is_granted(&decision->worker)) {
        frazil_err err = found_company(home, reterr);
        if (err != FRAZIL_OK)
            return err;
    }
    struct fz_shared *shared = fz_map_shared(sizeof *shared);
    if (shared == NULL)
        return fz_fail_errno(reterr, errno, "a page for the generator's state cannot be mapped", NULL, "");
    prepare_page(shared);
    home->kind = FZ_HOME_MEMORY;
    *ret_shared = shared;
    return FRAZIL_OK;
}

/* ---- opening and closing ------------------------------------------------------ */

static frazil_err open_word(struct fz_home *home, const char *folder, const struct fz_word_identity *identity,
                            struct fz_shared **ret_shared, frazil_error *reterr)
{
    char path[FZ_PATH_SIZE];

    frazil_err err = fz_home_file(path, folder, (uint32_t)identity->worker, FZ_HOME_WORD_SUFFIX, reterr);
    if (err == FRAZIL_OK && !fz_bounds_are_all(&identity->bounds))
        err = fz_home_prepare_shards(path, FZ_DIR_RUN, reterr);
    if (err == FRAZIL_OK)
        err = fz_word_file_open(&home->word, path, identity, sizeof(struct fz_shared), reterr);
    if (err != FRAZIL_OK)
        return err;
    home->kind = FZ_HOME_FILE;
    *ret_shared = home->word.payload;
    return FRAZIL_OK;
}

/*
 * The numbers of its sequence are part of the lease's identity: who has others has another lease, and with it another
 * worker id, so that their words need not know of each other.
 */
struct fz_word_identity fz_home_lease_word(const struct fz_decision *decision)
{
    uint64_t top = decision->bounds.top;

    return (struct fz_word_identity){.fingerprint = decision->places.value,
                                     .worker = decision->lease.identity.check,
                                     .bounds = {.min = 0, .max = top, .top = top},
                                     .prepare = prepare_page};
}

/* The word of a lease that processes share. */
static frazil_err open_shared(struct fz_home *home, const struct fz_decision *decision, struct fz_shared **ret_shared,
                              frazil_error *reterr)
{
    const struct fz_places *places = &decision->places;
    const struct fz_word_identity identity = fz_home_lease_word(decision);
    char folder[FZ_PATH_SIZE];
    char path[FZ_PATH_SIZE];

    frazil_err err = fz_home_prepare_folder(folder, FZ_DIR_LEASE, places->run_dir, places->name, reterr);
    if (err == FRAZIL_OK)
        err = fz_home_lease_file(path, folder, decision->lease.identity.name, reterr);
    if (err == FRAZIL_OK)
        err = fz_word_file_open(&home->word, path, &identity, sizeof(struct fz_shared), reterr);
    if (err != FRAZIL_OK)
        return err;
    home->kind = FZ_HOME_LEASE;
    /* The number that the file was given when it was made: no other file, and so no other owner, has the same. */
    home->token = (struct fz_token){.high = home->word.nonce, .low = decision->lease.identity.check};
    *ret_shared = home->word.payload;
    return FRAZIL_OK;
}

/* Where the grant of the word is kept: in the state directory, which outlives a boot. */
static frazil_err name_grant(struct fz_home *home, const struct fz_places *places,
                             const struct fz_word_identity *identity, frazil_error *reterr)
{
    char folder[FZ_PATH_SIZE];

    frazil_err err = fz_home_prepare_folder(folder, FZ_DIR_STATE, places->state_dir, places->name, reterr);
    if (err == FRAZIL_OK)
        err = fz_home_file(home->grant_path, folder, (uint32_t)identity->worker, FZ_HOME_GRANT_SUFFIX, reterr);
    if (err == FRAZIL_OK && !fz_bounds_are_all(&identity->bounds))
        err = fz_home_prepare_shards(home->grant_path, FZ_DIR_STATE, reterr);
    if (err != FRAZIL_OK)
        return err;
    home->owner = (struct fz_grant_owner){.worker = (uint32_t)identity->worker,
                                          .bounds = identity->bounds,
                                          .nonce = home->word.nonce,
                                          .place = fz_home_place(home->word.device, home->word.path)};
    memcpy(home->owner.fingerprint, identity->fingerprint, strlen(identity->fingerprint));
    return FRAZIL_OK;
}

/* The present tick; 0 before the epoch. */
static uint64_t present_tick(const frazil_layout *layout)
{
    uint64_t tick;

    return fz_layout_tick_of(layout, fz_real_now().unix_ms, &tick, NULL) == FRAZIL_OK ? tick : 0;
}

/* A number of file-lock is for one process, whichever part of the sequence that uses. */
int fz_home_claim_key(struct fz_claim_key *ret, const struct fz_decision *decision)
{
    uint64_t top = decision->bounds.top;
    struct fz_claim_key key = {.fingerprint = decision->places.value,
                               .name = decision->places.name,
                               .bounds = decision->bounds,
                               .now_tick = present_tick(&decision->layout)};

    if (decision->worker.lock)
        key.bounds = (struct fz_bounds){.min = 0, .max = top, .top = top};
    int sys = fz_claim_folder(&key.folder);
    *ret = key;
    return sys;
}

/*
 * Takes the number: a free one, or the one that was chosen.  Two users of this host have no files in common but the
 * claims.
 */
static frazil_err take_worker(struct fz_home *home, const struct fz_decision *decision, const char *folder,
                              uint32_t *ret_worker, frazil_error *reterr)
{
    const struct fz_worker_choice *choice = &decision->worker;
    struct fz_claim_key key;

    int sys = fz_home_claim_key(&key, decision);
    if (sys != 0)
        return fz_claim_fail(sys, NULL, reterr);
    *ret_worker = choice->first;
    if (!choice->lock)
        return fz_claim_take(&home->claim, &key, choice->first, reterr);
    frazil_err err = fz_worker_lock_take(&home->lock, folder, choice->first, choice->count, &key, reterr);
    home->locked = err == FRAZIL_OK;
    if (home->locked)
        *ret_worker = home->lock.worker;
    return err;
}

static frazil_err open_in_file(struct fz_home *home, const struct fz_decision *decision, struct fz_shared **ret_shared,
                               uint32_t *ret_worker, frazil_error *reterr)
{
    const struct fz_places *places = &decision->places;
    char folder[FZ_PATH_SIZE];
    uint32_t worker = 0; /* gcc does not see that it is set where it is used */
    struct fz_word_identity identity = {
        .fingerprint = places->value, .bounds = decision->bounds, .prepare = prepare_page};

    frazil_err err = fz_home_prepare_folder(folder, FZ_DIR_RUN, places->run_dir, places->name, reterr);
    if (err == FRAZIL_OK)
        err = take_worker(home, decision, folder, &worker, reterr);
    if (err != FRAZIL_OK)
        return err;
    identity.worker = worker;
    err = open_word(home, folder, &identity, ret_shared, reterr);
    if (err == FRAZIL_OK)
        err = name_grant(home, places, &identity, reterr);
    if (err == FRAZIL_OK)
        *ret_worker = worker;
    return err;
}

frazil_err fz_home_open(struct fz_home *ret, const struct fz_decision *decision, struct fz_shared **ret_shared,
                        uint32_t *ret_worker, frazil_error *reterr)
{
    struct fz_home home = {.kind = FZ_HOME_NONE, .claim = FZ_CLAIM_NONE};
    frazil_err err;

    if (decision->state.kind == FZ_STATE_FILES) {
        err = open_in_file(&home, decision, ret_shared, ret_worker, reterr);
    } else {
        err = decision->state.kind == FZ_STATE_SHARED ? open_shared(&home, decision, ret_shared, reterr)
                                                      : open_in_memory(&home, decision, ret_shared, reterr);
        *ret_worker = decision->worker.first;
    }
    if (err != FRAZIL_OK) {
        fz_home_close(&home, NULL);
        return err;
    }
    *ret = home;
    return FRAZIL_OK;
}

frazil_err fz_home_granter(const struct fz_home *home, uint64_t reserve_ticks, struct fz_granter *ret,
                           frazil_error *reterr)
{
    frazil_err err = fz_grant_store_open(ret, home->grant_path, &home->owner, reserve_ticks, reterr);

    if (err == FRAZIL_OK)
        fz_grant_store_claim(ret, home->locked ? &home->lock.claim : &home->claim);
    return err;
}

static bool has_word_file(const struct fz_home *home)
{
    return home->kind == FZ_HOME_FILE || home->kind == FZ_HOME_LEASE;
}

bool fz_home_is_new(const struct fz_home *home)
{
    return !has_word_file(home) || home->word.created;
}

/*
 * On an overlay a mapping holds no lock: a program that has closed all its descriptors still uses the page, though it
 * seems to be gone.  There neither a lease nor the rest of a grant is given back, and both end by themselves.
 */
static bool lies_on_layer(const struct fz_home *home)
{
    struct fz_disk disk;

    return fz_disk_look(home->word.path, &disk) != 0 || disk.kind == FZ_DISK_LAYER;
}

bool fz_home_leave(struct fz_home *home, struct fz_shared **shared)
{
    if (home->in_company) {
        home->in_company = false;
        return fz_company_leave(&home->company);
    }
    if (!has_word_file(home))
        return false;
    bool last = fz_word_file_leave(&home->word) && !lies_on_layer(home);
    *shared = last ? home->word.payload : NULL;
    return last;
}

void fz_home_undo(struct fz_home *home)
{
    /*
     * A lease's file stays: without it, what the open may have taken from the coordinator would be a stranger's.
     * A process that used the word in between is gone, and the next one begins above its grant.
     */
    if (home->kind == FZ_HOME_FILE && home->word.created)
        (void)fz_word_file_remove(&home->word);
}

void fz_home_close(struct fz_home *home, struct fz_shared *shared)
{
    if (has_word_file(home))
        fz_word_file_close(&home->word);
    else if (home->kind == FZ_HOME_MEMORY)
        fz_unmap(shared, sizeof *shared);
    if (home->in_company)
        (void)fz_company_leave(&home->company);
    if (home->locked)
        fz_worker_lock_release(&home->lock);
    fz_claim_release(&home->claim);
    home->in_company = false;
    home->kind = FZ_HOME_NONE;
    home->locked = false;
}
