/* SPDX-License-Identifier: MIT */
#include "state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/decide.h"
#include "core/decimal.h"
#include "core/layout_internal.h"
#include "core/sentence.h"
#include "os/clock.h"
#include "os/dirs.h"
#include "os/fail_errno.h"
#include "os/file.h"
#include "os/guard.h"
#include "os/host.h"
#include "os/shards.h"
#include "os/word_file.h"
#include "state/grant_store.h"
#include "state/shared_page.h"
#include "state/store.h"
#include "state/store_files.h"

_Static_assert(FZ_KEPT_PATH_SIZE == FZ_PATH_SIZE, "what the command sees is what a path can be");

/* ---- where, and of whom -------------------------------------------------------- */

/* A spec that keeps something on this host, and the folders that it lies in. */
struct place {
    const struct fz_decision *decision;
    char run_folder[FZ_PATH_SIZE];
    char state_folder[FZ_PATH_SIZE];
};

static frazil_err check_kept(const struct fz_decision *decision, frazil_error *reterr)
{
    const struct fz_worker_choice *worker = &decision->worker;

    if (decision->state.kind == FZ_STATE_URL)
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "with state=URL nothing is kept on this host: the coordinator has the slots");
    if (worker->url != NULL && decision->state.kind != FZ_STATE_SHARED)
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "with a coordinator nothing is kept on this host: `frazil lease list` shows what it has");
    if (decision->state.kind == FZ_STATE_MEMORY && decision->is_claimed)
        return fz_fail(
            reterr, FRAZIL_ESPEC,
            "with state=memory there is no state file: only the claim in the host directory has the last tick; "
            "leave state=memory out to see the files");
    if (decision->state.kind == FZ_STATE_MEMORY)
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "nothing is kept with %s: there is nothing to see, and nothing that protects from repeated ids "
                       "after a restart",
                       worker->in_process ? "worker=auto" : "a frozen clock");
    return FRAZIL_OK;
}

static frazil_err find_place(struct place *ret, const struct fz_decision *decision, frazil_error *reterr)
{
    const struct fz_places *places = &decision->places;

    ret->decision = decision;
    frazil_err err = check_kept(decision, reterr);
    if (err == FRAZIL_OK)
        err = fz_store_find_folder(ret->run_folder, FZ_DIR_RUN, places->run_dir, places->name, reterr);
    if (err == FRAZIL_OK)
        err = fz_store_find_folder(ret->state_folder, FZ_DIR_STATE, places->state_dir, places->name, reterr);
    return err;
}

frazil_err fz_state_decide(struct fz_decision *ret, const char *spec, frazil_error *reterr)
{
    const struct fz_occasion occasion = {.opening = FZ_OPENING_FILES};

    return fz_decide(ret, spec, &occasion, reterr);
}

/* ---- which workers ------------------------------------------------------------- */

/* Numbers of workers, as they come. */
struct numbers {
    const struct fz_worker_choice *choice;
    uint32_t *number;
    size_t count;
    size_t room;
    bool out_of_memory;
};

static void add_number(struct numbers *numbers, uint32_t number)
{
    if (numbers->count == numbers->room) {
        size_t room = numbers->room == 0 ? 64 : 2 * numbers->room;
        uint32_t *larger = realloc(numbers->number, room * sizeof *larger);
        numbers->out_of_memory = numbers->out_of_memory || larger == NULL;
        if (larger == NULL)
            return;
        numbers->number = larger;
        numbers->room = room;
    }
    numbers->number[numbers->count++] = number;
}

/* The endings of a worker's files and folders, behind "worker-N". */
static bool is_suffix(const char *text)
{
    static const char *const suffixes[] = {FZ_STORE_WORD_SUFFIX, FZ_STORE_GRANT_SUFFIX};
    char folder[FZ_PATH_SIZE];

    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        if (strcmp(text, suffixes[i]) == 0 || (fz_shards_folder(folder, suffixes[i]) == 0 && strcmp(text, folder) == 0))
            return true;
    }
    return false;
}

/* Of "worker-N.word" and the like. */
static void add_name(void *ctx, const char *name)
{
    struct numbers *numbers = ctx;
    size_t prefix = strlen(FZ_STORE_FILE_PREFIX);
    uint64_t number;

    if (strncmp(name, FZ_STORE_FILE_PREFIX, prefix) != 0)
        return;
    const char *suffix = strchr(name, '.');
    if (suffix == NULL || !is_suffix(suffix))
        return;
    if (!fz_decimal_parse(name + prefix, (size_t)(suffix - name) - prefix, &number))
        return;
    if (number >= numbers->choice->first && number - numbers->choice->first < numbers->choice->count)
        add_number(numbers, (uint32_t)number);
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *left = a;
    const uint32_t *right = b;

    return (*left > *right) - (*left < *right);
}

static void sort_out(struct numbers *numbers)
{
    size_t kept = 0;

    if (numbers->count > 0)
        qsort(numbers->number, numbers->count, sizeof numbers->number[0], by_number);
    for (size_t i = 0; i < numbers->count; i++) {
        if (kept == 0 || numbers->number[kept - 1] != numbers->number[i])
            numbers->number[kept++] = numbers->number[i];
    }
    numbers->count = kept;
}

static frazil_err find_workers(const struct place *place, struct numbers *ret, frazil_error *reterr)
{
    const char *folders[] = {place->run_folder, place->state_folder};
    struct numbers numbers = {.choice = &place->decision->worker};
    int sys = 0;

    for (size_t i = 0; place->decision->worker.lock && i < 2 && (sys == 0 || sys == ENOENT); i++)
        sys = fz_list_dir(folders[i], add_name, &numbers);
    if (!place->decision->worker.lock)
        add_number(&numbers, place->decision->worker.first);
    if (sys == 0 || sys == ENOENT) {
        sort_out(&numbers);
        *ret = numbers;
        if (!numbers.out_of_memory)
            return FRAZIL_OK;
    }
    free(numbers.number);
    if (numbers.out_of_memory)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    return fz_fail_errno(reterr, sys, "a folder cannot be listed, of", place->run_folder, "");
}

/* ---- which words of a worker --------------------------------------------------- */

static struct fz_bounds bounds_of(const struct place *place, const struct fz_kept *kept)
{
    return (struct fz_bounds){
        .min = kept->seq_min, .max = kept->seq_max, .top = fz_layout_max_sequence(&place->decision->layout)};
}

/* The workers that were found so far. */
struct words {
    struct fz_kept *kept;
    size_t count;
    size_t room;
    uint32_t worker; /* whose words are being looked through */
    bool out_of_memory;
};

static bool add_word(struct words *words, const struct fz_bounds *bounds)
{
    for (size_t i = words->count; i > 0 && words->kept[i - 1].worker == words->worker; i--) {
        if (words->kept[i - 1].seq_min == bounds->min && words->kept[i - 1].seq_max == bounds->max)
            return true;
    }
    if (words->count == words->room) {
        size_t room = words->room == 0 ? 64 : 2 * words->room;
        struct fz_kept *larger = realloc(words->kept, room * sizeof *larger);
        words->out_of_memory = larger == NULL;
        if (larger == NULL)
            return false;
        words->kept = larger;
        words->room = room;
    }
    words->kept[words->count++] = (struct fz_kept){
        .worker = words->worker, .seq_min = bounds->min, .seq_max = bounds->max, .is_part = !fz_bounds_are_all(bounds)};
    return true;
}

static bool add_if_there(void *ctx, const char *path, const struct fz_bounds *bounds)
{
    return fz_file_exists(path) ? add_word(ctx, bounds) : true;
}

/* All sequence numbers first; else in order. */
static int by_bounds(const void *a, const void *b)
{
    const struct fz_kept *left = a;
    const struct fz_kept *right = b;

    if (left->seq_min != right->seq_min)
        return left->seq_min < right->seq_min ? -1 : 1;
    return (left->seq_max < right->seq_max) - (left->seq_max > right->seq_max);
}

/* The worker's words that matter to the spec: those whose bounds overlap the spec's. */
static frazil_err add_words(const struct place *place, uint32_t worker, struct words *words, frazil_error *reterr)
{
    const struct fz_bounds bounds = place->decision->bounds;
    char word_path[FZ_PATH_SIZE];
    char grant_path[FZ_PATH_SIZE];
    size_t before = words->count;

    words->worker = worker;
    frazil_err err = fz_store_pair(word_path, place->run_folder, grant_path, place->state_folder, worker, reterr);
    if (err != FRAZIL_OK)
        return err;
    if (!place->decision->worker.lock)
        (void)add_word(words, &bounds); /* whether anything is kept of it or not */
    int sys = fz_shards_visit(word_path, &bounds, add_if_there, words);
    if (sys == 0)
        sys = fz_shards_visit(grant_path, &bounds, add_if_there, words);
    if (words->out_of_memory)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    if (sys != 0)
        return fz_fail_errno(reterr, sys, "a folder cannot be listed, of", word_path, "");
    if (words->count > before)
        qsort(words->kept + before, words->count - before, sizeof words->kept[0], by_bounds);
    return FRAZIL_OK;
}

/* The one word of a lease that the processes of this host share. */
static bool add_lease(const struct place *place, struct words *words)
{
    struct fz_bounds all = fz_store_lease_word(place->decision).bounds;

    bool added = add_word(words, &all);
    if (added)
        words->kept[0].is_lease = true;
    return added;
}

/* ---- looking ------------------------------------------------------------------- */

static struct fz_word_identity identity_of(const struct place *place, const struct fz_kept *kept)
{
    if (kept->is_lease)
        return fz_store_lease_word(place->decision);
    return (struct fz_word_identity){
        .fingerprint = place->decision->places.value, .worker = kept->worker, .bounds = bounds_of(place, kept)};
}

static struct fz_grant_owner owner_of(const struct place *place, const struct fz_kept *kept)
{
    struct fz_grant_owner owner = {
        .worker = kept->worker, .bounds = bounds_of(place, kept), .nonce = 1, .layout = place->decision->layout};

    memcpy(owner.fingerprint, place->decision->places.value, sizeof owner.fingerprint);
    return owner;
}

/* A file that cannot be read is wrong, too; its folder is there, or there would be no file. */
static void look_at_word(const struct place *place, const char *path, struct fz_kept *kept)
{
    struct fz_word_identity identity = identity_of(place, kept);
    struct fz_word_file_status status = {.exists = true};

    if (fz_word_file_inspect(&status, path, &identity, sizeof(struct fz_shared), &kept->word.wrong) == FRAZIL_OK)
        kept->word.wrong = status.wrong;
    kept->word.exists = status.exists;
    kept->word.in_use = status.in_use;
    kept->word.stale = status.stale;
}

/* A tick beyond the layout's end is none that ids have. */
static int64_t time_of(const struct place *place, uint64_t tick)
{
    uint64_t last = fz_layout_last_tick(&place->decision->layout);

    return fz_layout_tick_unix_ms(&place->decision->layout, tick < last ? tick : last);
}

static void look_at_grant(const struct place *place, const char *path, struct fz_kept *kept)
{
    const struct fz_grant_owner owner = owner_of(place, kept);
    struct fz_grant_record record = {.worker = 0};
    frazil_error *wrong = &kept->grant.wrong;

    kept->grant.exists = true;
    (void)fz_grant_store_in_use(path, &owner.bounds, &kept->grant.in_use, NULL);
    frazil_err err = fz_grant_store_inspect(path, &owner.bounds, &kept->grant.exists, &record, wrong);
    if (err == FRAZIL_OK && kept->grant.exists)
        err = fz_grant_file_check(&owner, &record, kept->grant.path, wrong);
    if (err != FRAZIL_OK || !kept->grant.exists)
        return;
    kept->pid = record.pid;
    kept->from_unix_ms = time_of(place, record.floor);
    kept->until_unix_ms = time_of(place, record.until);
    kept->highest_unix_ms =
        record.used.count == 0 ? kept->until_unix_ms : time_of(place, record.used.range[record.used.count - 1].last);
}

static frazil_err too_long(const char *path, frazil_error *reterr)
{
    return fz_fail(reterr, FRAZIL_ESPEC, "the path of a file beside %q is too long", path);
}

static frazil_err look_at_lease(const struct place *place, struct fz_kept *kept, frazil_error *reterr)
{
    uint64_t number = place->decision->lease.identity.name;

    frazil_err err = fz_store_lease_file(kept->word.path, place->run_folder, number, reterr);
    if (err == FRAZIL_OK && fz_file_exists(kept->word.path))
        look_at_word(place, kept->word.path, kept);
    return err;
}

static frazil_err look_at(const struct place *place, struct fz_kept *kept, frazil_error *reterr)
{
    char word_path[FZ_PATH_SIZE];
    char grant_path[FZ_PATH_SIZE];

    if (kept->is_lease)
        return look_at_lease(place, kept, reterr);
    frazil_err err = fz_store_pair(word_path, place->run_folder, grant_path, place->state_folder, kept->worker, reterr);
    if (err != FRAZIL_OK)
        return err;
    const struct fz_bounds bounds = bounds_of(place, kept);
    if (fz_shards_file(kept->word.path, word_path, &bounds) != 0 ||
        fz_shards_file(kept->grant.path, grant_path, &bounds) != 0)
        return too_long(word_path, reterr);
    if (fz_file_exists(kept->word.path))
        look_at_word(place, word_path, kept);
    if (fz_file_exists(kept->grant.path))
        look_at_grant(place, grant_path, kept);
    return FRAZIL_OK;
}

static frazil_err look_at_all(const struct place *place, const struct numbers *numbers, struct words *words,
                              frazil_error *reterr)
{
    frazil_err err = FRAZIL_OK;

    for (size_t i = 0; err == FRAZIL_OK && i < numbers->count; i++)
        err = add_words(place, numbers->number[i], words, reterr);
    for (size_t i = 0; err == FRAZIL_OK && i < words->count; i++)
        err = look_at(place, &words->kept[i], reterr);
    return err;
}

static frazil_err look(const struct place *place, struct fz_state *ret, frazil_error *reterr)
{
    struct numbers numbers = {.count = 0};
    struct words words = {.count = 0};
    char layout[sizeof ret->layout];
    frazil_err err = frazil_layout_fingerprint(&place->decision->layout, layout, sizeof layout, NULL);

    if (err != FRAZIL_OK)
        return err;
    if (place->decision->state.kind != FZ_STATE_SHARED)
        err = find_workers(place, &numbers, reterr);
    else if (!add_lease(place, &words))
        err = fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    if (err != FRAZIL_OK)
        return err;
    err = look_at_all(place, &numbers, &words, reterr);
    free(numbers.number);
    if (err != FRAZIL_OK) {
        free(words.kept);
        return err;
    }
    memcpy(ret->layout, layout, sizeof ret->layout);
    memcpy(ret->run_folder, place->run_folder, sizeof ret->run_folder);
    memcpy(ret->state_folder, place->state_folder, sizeof ret->state_folder);
    ret->count = words.count;
    ret->workers = words.kept;
    return FRAZIL_OK;
}

frazil_err fz_state_look(const struct fz_decision *decision, struct fz_state *ret, frazil_error *reterr)
{
    struct place place;

    frazil_err err = find_place(&place, decision, reterr);
    return err == FRAZIL_OK ? look(&place, ret, reterr) : err;
}

void fz_state_free(struct fz_state *state)
{
    free(state->workers);
    *state = (struct fz_state){.count = 0};
}

bool fz_kept_is_wrong(const struct fz_kept *kept)
{
    return kept->word.wrong.code != FRAZIL_OK || kept->grant.wrong.code != FRAZIL_OK;
}

/* ---- repairing ------------------------------------------------------------------- */

/* The lease's grant is the coordinator's: later processes have a new word, and so are another owner. */
static frazil_err renew_lease(const struct place *place, const struct fz_kept *kept, frazil_error *reterr)
{
    const struct fz_word_identity identity = identity_of(place, kept);

    return kept->word.exists ? fz_word_file_discard(kept->word.path, &identity, reterr) : FRAZIL_OK;
}

/*
 * The word goes first: that it goes proves that nobody has it; and until there
 * is a grant again, a start fails as it did.
 */
static frazil_err renew(struct place *place, const struct fz_kept *kept, bool all, frazil_error *reterr)
{
    struct fz_grant_owner owner = owner_of(place, kept);
    const struct fz_word_identity identity = identity_of(place, kept);
    const frazil_layout *layout = &place->decision->layout;
    const char *wanted = place->decision->places.state_dir;
    char path[FZ_PATH_SIZE];
    uint64_t now_tick = 0;

    frazil_err err = fz_layout_tick_of(layout, fz_real_now().unix_ms, &now_tick, reterr);
    if (err == FRAZIL_OK)
        err = fz_store_file(path, place->run_folder, kept->worker, FZ_STORE_WORD_SUFFIX, reterr);
    if (err == FRAZIL_OK && kept->word.exists)
        err = fz_word_file_discard(path, &identity, reterr);
    if (err != FRAZIL_OK || (!all && kept->grant.wrong.code == FRAZIL_OK))
        return err;
    err = fz_dir_prepare_inside(place->state_folder, FZ_DIR_STATE, wanted, place->decision->places.name, reterr);
    if (err == FRAZIL_OK)
        err = fz_store_file(path, place->state_folder, kept->worker, FZ_STORE_GRANT_SUFFIX, reterr);
    if (err == FRAZIL_OK)
        err = fz_store_prepare_shards(path, &owner.bounds, FZ_DIR_STATE, reterr);
    if (err == FRAZIL_OK)
        err = fz_grant_store_init(path, &owner, fz_grant_store_reserve(layout), now_tick, reterr);
    return err;
}

/*
 * The claims stay, for other processes.  One more claim, with a unique name, tells them what the new grant gives up, as
 * a boot may have removed the claim that did.  If a process has the number, its claim tells enough.  A claim that keeps
 * openers from the number is named, as it makes the new files useless.  If claims cannot be read, generators report it.
 */
static frazil_err claim_given_up(const struct place *place, const struct fz_kept *kept, frazil_error *reterr)
{
    const struct fz_grant_owner owner = owner_of(place, kept);
    struct fz_claim_patience patience = fz_claim_patience(fz_guard_deadline(), false);
    struct fz_grant_record record = {.worker = 0};
    struct fz_grant_memory memory;
    frazil_error why = {.code = FRAZIL_OK};
    char folder[FZ_PATH_SIZE];
    char run_dir[FZ_PATH_SIZE];
    char path[FZ_PATH_SIZE];
    bool exists = false;
    struct fz_claim claim;
    struct fz_claim_other other = {.until = 0};
    struct fz_claim_key key;

    frazil_err err = fz_store_file(path, place->state_folder, kept->worker, FZ_STORE_GRANT_SUFFIX, reterr);
    if (err == FRAZIL_OK)
        err = fz_grant_store_inspect(path, &owner.bounds, &exists, &record, reterr);
    if (err == FRAZIL_OK)
        err = fz_dir_find(run_dir, FZ_DIR_RUN, place->decision->places.run_dir, reterr);
    if (err != FRAZIL_OK || !exists)
        return err;
    if (fz_store_claim_key(&key, folder, place->decision, fz_real_now().unix_ms, NULL) != FRAZIL_OK)
        return FRAZIL_OK;
    key.holder = run_dir;
    key.state = place->state_folder;
    key.bounds = identity_of(place, kept).bounds;
    fz_grant_store_remember(&memory, path, &owner.bounds, patience.deadline);
    key.grants = &memory.grants;
    int sys = fz_host_entropy(&key.word.nonce);
    if (sys == 0)
        sys = fz_claim_insist(&claim, &key, kept->worker, &patience, &other);
    if (sys == 0) {
        fz_claim_begin(&claim, record.until);
        fz_claim_raise(&claim, record.until);
        fz_claim_leave(&claim);
    }
    if (sys == FZ_CLAIM_TAKEN && other.until != 0) {
        (void)fz_claim_refuse(kept->worker, &key, &other, &why);
        return fz_fail(reterr, why.code, "the files were recreated, but %s", why.message);
    }
    return sys == 0 || sys == FZ_CLAIM_TAKEN
               ? FRAZIL_OK
               : fz_fail_errno(
                     reterr, sys,
                     "the files were recreated, but others on this host cannot be notified; run it again when "
                     "that is fixed.  No claim can be made in the host directory",
                     folder, "");
}

frazil_err fz_state_renew(const struct fz_decision *decision, struct fz_kept *kept, bool all, frazil_error *reterr)
{
    const struct fz_kept unknown = {.is_lease = kept->is_lease,
                                    .worker = kept->worker,
                                    .seq_min = kept->seq_min,
                                    .seq_max = kept->seq_max,
                                    .is_part = kept->is_part};
    struct fz_kept found = unknown; /* the caller may have looked long ago */
    struct place place;

    frazil_err err = find_place(&place, decision, reterr);
    if (err == FRAZIL_OK)
        err = look_at(&place, &found, reterr);
    bool is_renewed = all || fz_kept_is_wrong(&found);
    if (err == FRAZIL_OK && is_renewed)
        err = found.is_lease ? renew_lease(&place, &found, reterr) : renew(&place, &found, all, reterr);
    if (err == FRAZIL_OK && is_renewed && !found.is_lease)
        err = claim_given_up(&place, &found, reterr);
    if (err != FRAZIL_OK)
        return err;
    found = unknown;
    err = look_at(&place, &found, reterr);
    if (err == FRAZIL_OK)
        *kept = found;
    return err;
}
