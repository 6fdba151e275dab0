/* SPDX-License-Identifier: MIT */
/* The simulated hosts behind the headers of src/os: pages and files; os_clock.c has clock and counter,
 * os_guard.c the locks. */
#include <errno.h>
#include <string.h>

#include "core/sentence.h"
#include "faults.h"
#include "host.h"
#include "os/dirs.h"
#include "os/fail_errno.h"
#include "os/fork_mark.h"
#include "os/guard.h"
#include "os/memory.h"
#include "os/process_family.h"
#include "os/shards.h"
#include "os/state_file.h"
#include "os/word_file.h"
#include "plan.h"
#include "process.h"
#include "shared_memory.h"
#include "state/shared_page.h"
#include "story.h"
#include "world.h"

/* ---- memory ------------------------------------------------------------------------- */

void *fz_map_shared(size_t size)
{
    struct page *page = size <= PAGE_SIZE_MAX ? page_new(size) : NULL;
    void *at = page == NULL ? NULL : page_map(page);

    if (page != NULL)
        page_drop(page);
    if (at == NULL)
        errno = ENOMEM;
    return at;
}

void *fz_map_wiped(size_t size, bool *ret_wiped)
{
    void *at = self_alloc(size);

    if (at == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    memset(at, 0, size);
    self_wipe_in_child(at, size);
    *ret_wiped = true;
    return at;
}

void fz_unmap(void *pages, size_t size)
{
    (void)size;
    if (pages == NULL)
        return;
    if (page_is_mapped(pages)) {
        page_unmap(pages);
        return;
    }
    self_keep_in_child(pages);
    self_free(pages);
}

/* Asked only where there was no memory for a page that is wiped. */
uint64_t fz_process_name(void)
{
    return (uint64_t)self()->pid + 1;
}

/* ---- the host ------------------------------------------------------------------------- */

frazil_err fz_dir_find(char ret_path[FZ_PATH_SIZE], enum fz_dir which, const char *wanted, frazil_error *reterr)
{
    const char *path = wanted != NULL ? wanted : which == FZ_DIR_STATE ? "/var/lib/frazil" : "/run/frazil";
    int err = fz_path_join(ret_path, path, "", "");

    return err == 0 ? FRAZIL_OK : fz_fail_errno(reterr, err, "the directory has too long a name", NULL, "");
}

frazil_err fz_dir_prepare(char ret_path[FZ_PATH_SIZE], enum fz_dir which, const char *wanted, frazil_error *reterr)
{
    return fz_dir_find(ret_path, which, wanted, reterr);
}

frazil_err fz_dir_prepare_inside(char ret_path[FZ_PATH_SIZE], enum fz_dir which, const char *wanted, const char *name,
                                 frazil_error *reterr)
{
    frazil_err err = fz_dir_find(ret_path, which, wanted, reterr);

    return err == FRAZIL_OK && fz_path_join(ret_path, ret_path, "/", name) != 0
               ? fz_fail_errno(reterr, ENAMETOOLONG, "the folder has too long a name", NULL, "")
               : err;
}

int fz_dir_can_make(const char *path, unsigned makes)
{
    (void)path;
    (void)makes;
    return 0; /* nobody only looks here */
}

/* The run directory of a simulated host lies in memory. */
int fz_disk_look(const char *directory, struct fz_disk *ret)
{
    (void)directory;
    *ret = (struct fz_disk){.kind = FZ_DISK_MEMORY};
    return 0;
}

static void list_claims(const char *path, fz_name_visitor visit, void *ctx)
{
    for (size_t i = 0; i < CLAIM_FILES_MAX; i++) {
        const char *name = claims_name_in(&self()->host->claims[i], path);
        if (name != NULL)
            visit(ctx, name);
    }
}

/* The names that begin with PATH/, in the run directory, on the disk and in the host directory. */
int fz_list_dir(const char *path, fz_name_visitor visit, void *ctx)
{
    size_t len = strlen(path);

    faults_call(5 * US);
    if (plan.of_users)
        list_claims(path, visit, ctx);
    for (size_t i = 0; i < RUN_FILES_MAX + DISK_FILES_MAX; i++) {
        const struct host *host = self()->host; /* time may pass in a visit */
        bool runs = i < RUN_FILES_MAX;
        const struct disk_file *kept = runs ? NULL : &host->disk.files[i - RUN_FILES_MAX];
        const char *name = runs ? host->run[i].path : kept->path;
        if ((runs ? host->run[i].exists : kept->exists) && strncmp(name, path, len) == 0 && name[len] == '/')
            visit(ctx, name + len + 1);
    }
    return 0;
}

/* ---- process counts ---------------------------------------------------------------------------- */

int fz_process_family_open(struct fz_process_family *ret)
{
    faults_call(5 * US);
    *ret = (struct fz_process_family){.held = {.fd = (int)file_open()}, .probe = FZ_KEPT_NONE};
    return 0;
}

bool fz_process_family_leave(struct fz_process_family *processes)
{
    uint64_t file = (uint64_t)processes->held.fd;

    faults_call(5 * US);
    file_close(file);
    processes->held.fd = -1;
    return !file_is_open(self()->host, file);
}

/* ---- the word's file ------------------------------------------------------------------------ */

static frazil_err find_word(struct fz_word_file *file, const struct fz_word_identity *identity, frazil_error *reterr)
{
    struct run_file *found = host_run_file(self()->host, file->path);

    if (found == NULL) {
        struct page *page = page_new(file->payload_size);
        found = host_make_run_file(self()->host, file->path);
        if (found == NULL)
            return fz_fail_errno(reterr, ENOSPC, "the word file cannot be made:", file->path, "");
        found->page = page;
        found->worker = identity->worker;
        found->bounds = identity->bounds;
        found->nonce = any_number() | 1;
        memcpy(found->fingerprint, identity->fingerprint, strlen(identity->fingerprint) + 1);
        file->created = true;
    } else if (found->worker != identity->worker || !fz_bounds_are_equal(&found->bounds, &identity->bounds) ||
               strcmp(found->fingerprint, identity->fingerprint) != 0) {
        return fz_fail(reterr, FRAZIL_ESTATE, "the word file %q is of another layout, worker or bounds", file->path);
    }
    file->nonce = found->nonce;
    file->inode = found->inode;
    file->device = self()->host->device;
    file->payload = page_map(found->page);
    return file->payload != NULL ? FRAZIL_OK
                                 : fz_fail_errno(reterr, ENOMEM, "the word file cannot be mapped:", file->path, "");
}

struct neighbours {
    const struct fz_bounds *own;
    struct fz_bounds other;
    bool in_use;
};

static bool check_neighbour(void *ctx, const char *path, const struct fz_bounds *bounds)
{
    struct neighbours *neighbours = ctx;

    faults_call(2 * US);
    const struct run_file *found = host_run_file(self()->host, path);
    if (found == NULL || fz_bounds_are_equal(bounds, neighbours->own) || page_users(self()->host, found->page) == 0)
        return true;
    neighbours->other = *bounds;
    neighbours->in_use = true;
    return false;
}

/* A word that somebody has, and whose bounds overlap, keeps this one out. */
static frazil_err check_neighbours(const char *path, const struct fz_word_identity *identity, frazil_error *reterr)
{
    struct neighbours neighbours = {.own = &identity->bounds, .in_use = false};

    (void)fz_shards_visit(path, &identity->bounds, check_neighbour, &neighbours);
    if (!neighbours.in_use)
        return FRAZIL_OK;
    return fz_fail(reterr, FRAZIL_EWORKER, "the sequence numbers %u to %u are in use, which overlap %u to %u",
                   neighbours.other.min, neighbours.other.max, identity->bounds.min, identity->bounds.max);
}

/* One that is not admitted has never had the word. */
static frazil_err admit(const struct fz_word_identity *identity, struct fz_word_file *file, frazil_error *reterr)
{
    frazil_err err = identity->admit == NULL ? FRAZIL_OK : identity->admit(identity->ctx, file, reterr);

    if (err != FRAZIL_OK && file->created)
        (void)fz_word_file_remove(file);
    if (err != FRAZIL_OK)
        page_unmap(file->payload);
    return err;
}

frazil_err fz_word_file_open(struct fz_word_file *ret, const char *path, const struct fz_word_identity *identity,
                             size_t payload_size, struct fz_deadline deadline, frazil_error *reterr)
{
    struct fz_word_file file = {.guard = {.file = FZ_KEPT_NONE}, .file = FZ_KEPT_NONE, .payload_size = payload_size};

    int err = payload_size <= PAGE_SIZE_MAX ? fz_shards_file(file.path, path, &identity->bounds) : EFBIG;
    if (err == 0)
        err = fz_path_join(file.worker_path, path, "", "");
    if (err == 0)
        err = fz_guard_open_and_enter(&file.guard, path, deadline);
    if (err != 0) {
        fz_guard_close(&file.guard);
        return fz_fail_errno(reterr, err, "the word file cannot be guarded:", path, "");
    }
    faults_call(20 * US);
    frazil_err result = check_neighbours(path, identity, reterr);
    if (result == FRAZIL_OK)
        result = find_word(&file, identity, reterr);
    if (result == FRAZIL_OK && identity->prepare != NULL)
        identity->prepare(file.payload);
    if (result == FRAZIL_OK)
        result = admit(identity, &file, reterr);
    fz_guard_leave_for_good(&file.guard);
    if (result == FRAZIL_OK)
        *ret = file;
    return result;
}

bool fz_word_file_is_current(const struct fz_word_file *file)
{
    faults_call(US);
    struct run_file *found = host_run_file(self()->host, file->path);
    return found != NULL && found->inode == file->inode;
}

/* The last process that shares a lease leaves; one that was refused had none. */
static void note_last(const struct fz_shared *shared)
{
    struct fz_grant held = fz_grant_ring_read(&shared->grants);

    if (held.version != 0)
        tell(STRUCK_LAST_LEFT, held.worker, 0, 0);
}

bool fz_word_file_leave(struct fz_word_file *file, struct fz_deadline deadline)
{
    bool current = fz_word_file_is_current(file);

    if (fz_guard_open(&file->guard, file->worker_path) == 0 && fz_guard_enter(&file->guard, deadline) != 0)
        fz_guard_close(&file->guard);
    page_unmap(file->payload);
    file->payload = NULL;
    faults_call(5 * US);
    struct run_file *found = host_run_file(self()->host, file->path);
    if (!current || file->guard.file.fd < 0 || found == NULL || found->inode != file->inode)
        return false;
    file->payload = page_users(self()->host, found->page) > 0 ? NULL : page_map(found->page);
    if (plan.of_members && file->payload != NULL)
        note_last(file->payload);
    return file->payload != NULL;
}

int fz_word_file_remove(struct fz_word_file *file)
{
    faults_call(2 * US);
    struct run_file *found = host_run_file(self()->host, file->path);
    if (found == NULL)
        return ENOENT;
    host_remove_run_file(found);
    return 0;
}

void fz_word_file_close(struct fz_word_file *file)
{
    if (file->payload != NULL)
        page_unmap(file->payload);
    file->payload = NULL;
    if (file->guard.file.fd >= 0) {
        fz_guard_leave(&file->guard);
        fz_guard_close(&file->guard);
    }
}

/* ---- the state file ----------------------------------------------------------------------------- */

static struct disk_file *state_of(const struct fz_state_file *file)
{
    return disk_file(self()->host, file->path);
}

static frazil_err fail(const struct fz_state_file *file, int err, frazil_error *reterr)
{
    return fz_fail_errno(reterr, err, "the state file does not work:", file->path, "");
}

frazil_err fz_state_file_name(struct fz_state_file *ret, const char *path, const struct fz_bounds *bounds,
                              frazil_error *reterr)
{
    struct fz_state_file file = {.guard = {.file = FZ_KEPT_NONE}, .file = FZ_KEPT_NONE, .bounds = *bounds};

    if (fz_path_join(file.worker_path, path, "", "") != 0 || fz_shards_file(file.path, path, bounds) != 0)
        return fail(&file, ENAMETOOLONG, reterr);
    *ret = file;
    return FRAZIL_OK;
}

/* Says that the file which is there now is in use by this open file, and by no other of this one's. */
static void hold(struct disk_file *state, uint64_t by)
{
    size_t unused = DISK_HOLDERS_MAX;

    for (size_t i = 0; i < DISK_HOLDERS_MAX; i++) {
        uint64_t holder = state->holders[i].file;
        if (holder == by || holder == 0 || !file_is_open(self()->host, holder))
            unused = i;
        if (holder == by)
            break;
    }
    if (unused == DISK_HOLDERS_MAX)
        world_fail("the simulated disk has no room for all who hold a file");
    else {
        state->holders[unused].file = by;
        state->holders[unused].inode = state->inode;
    }
}

void fz_state_file_stay(struct fz_state_file *file)
{
    fz_folder_note(&file->folder, file->worker_path);
}

int fz_state_file_look(struct fz_state_file *file)
{
    faults_call(5 * US);
    if (file->file.fd < 0)
        file->file.fd = (int)file_open();
    if (state_of(file)->exists)
        hold(state_of(file), (uint64_t)file->file.fd);
    return 0;
}

void fz_state_file_look_away(struct fz_state_file *file)
{
    if (file->file.fd >= 0)
        file_close((uint64_t)file->file.fd);
    file->file.fd = -1;
}

frazil_err fz_state_file_enter(void *ctx, struct fz_deadline deadline, frazil_error *reterr)
{
    struct fz_state_file *file = ctx;

    int err = file->guard.file.fd < 0 ? fz_guard_open(&file->guard, file->worker_path) : 0;
    if (err == 0)
        err = fz_guard_enter(&file->guard, deadline);
    if (err == 0)
        err = fz_state_file_look(file);
    return err == 0 ? FRAZIL_OK : fail(file, err, reterr);
}

void fz_state_file_leave(void *ctx)
{
    fz_guard_leave(&((struct fz_state_file *)ctx)->guard);
}

void fz_state_file_leave_for_good(void *ctx)
{
    fz_state_file_leave(ctx);
    fz_state_file_close(ctx);
}

frazil_err fz_state_file_size(void *ctx, bool *ret_exists, uint64_t *ret_size, frazil_error *reterr)
{
    (void)reterr;
    faults_call(US);
    *ret_exists = state_of(ctx)->exists;
    *ret_size = *ret_exists ? DISK_FILE_SIZE : 0;
    return FRAZIL_OK;
}

frazil_err fz_state_file_read(void *ctx, uint64_t offset, void *buf, size_t len, frazil_error *reterr)
{
    faults_call(2 * US);
    if (!state_of(ctx)->exists)
        return fail(ctx, EIO, reterr);
    memcpy(buf, state_of(ctx)->cache + offset, len);
    return FRAZIL_OK;
}

/* A write or a sync is done before the caller learns of it. */
frazil_err fz_state_file_write(void *ctx, uint64_t offset, const void *buf, size_t len, frazil_error *reterr)
{
    faults_call(5 * US);
    bool done = state_of(ctx)->exists && disk_write(self()->host, state_of(ctx), offset, buf, len);
    faults_power_may_fail(200);
    faults_call(US);
    return done ? FRAZIL_OK : fail(ctx, ENOSPC, reterr);
}

frazil_err fz_state_file_sync(void *ctx, frazil_error *reterr)
{
    faults_call(self()->host->disk.sync_ns);
    if (!faults_are_over() && once_in(100))
        self()->host->disk.fails_next_sync = true;
    bool done = state_of(ctx)->exists && disk_sync(self()->host, state_of(ctx));
    faults_call(US);
    return done ? FRAZIL_OK : fail(ctx, EIO, reterr);
}

frazil_err fz_state_file_create(void *ctx, const void *content, size_t len, frazil_error *reterr)
{
    struct fz_state_file *file = ctx;

    faults_call(self()->host->disk.sync_ns);
    if (!disk_create(self()->host, state_of(file), content, len))
        return fail(file, ENOSPC, reterr);
    hold(state_of(file), (uint64_t)file->file.fd);
    faults_power_may_fail(8);
    faults_call(self()->host->disk.sync_ns);
    bool done = disk_sync(self()->host, state_of(file));
    faults_call(US);
    return done ? FRAZIL_OK : fail(file, ENOSPC, reterr);
}

frazil_err fz_state_file_has_others(void *ctx, bool *ret, frazil_error *reterr)
{
    struct fz_state_file *file = ctx;
    const struct disk_file *state = state_of(file);
    bool others = false;

    (void)reterr;
    faults_call(2 * US);
    for (size_t i = 0; i < DISK_HOLDERS_MAX; i++)
        others =
            others || (state->holders[i].file != 0 && state->holders[i].file != (uint64_t)file->file.fd &&
                       state->holders[i].inode == state->inode && file_is_open(self()->host, state->holders[i].file));
    *ret = others;
    return FRAZIL_OK;
}

void fz_state_file_after_fork(void *ctx)
{
    fz_state_file_close(ctx);
}

void fz_state_file_close(void *ctx)
{
    struct fz_state_file *file = ctx;

    fz_state_file_look_away(file);
    fz_guard_close(&file->guard);
}
