/* SPDX-License-Identifier: MIT */
#include "grant_store.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/sentence.h"
#include "os/fail_errno.h"
#include "os/shards.h"
#include "os/state_file.h"

enum { RESERVE_MS = 6000 };

uint64_t fz_grant_store_reserve(const frazil_layout *layout)
{
    return layout->tick_ms < RESERVE_MS ? RESERVE_MS / layout->tick_ms : 1;
}

/* file comes first: its address is the granter's ctx. */
struct store {
    struct fz_grant_file file;
    struct fz_state_file state;
    struct fz_claim *claim; /* NULL: nobody else is thought of */
    struct fz_grant_memory memory;
};

static struct fz_file_port port_of(struct fz_state_file *state)
{
    return (struct fz_file_port){.ctx = state,
                                 .name = state->path,
                                 .enter = fz_state_file_enter,
                                 .leave = fz_state_file_leave,
                                 .size = fz_state_file_size,
                                 .read = fz_state_file_read,
                                 .write = fz_state_file_write,
                                 .sync = fz_state_file_sync,
                                 .create = fz_state_file_create,
                                 .has_others = fz_state_file_has_others,
                                 .after_fork = fz_state_file_after_fork,
                                 .close = fz_state_file_close};
}

/* ---- the files of other sequence numbers ------------------------------------ */

struct visit {
    const struct fz_state_file *own;
    fz_file_visitor visit;
    void *ctx;
    frazil_error *reterr;
    frazil_err err;
};

static frazil_err visit_one(const struct visit *visit, const struct fz_bounds *bounds)
{
    struct fz_state_file other;

    frazil_err err = fz_state_file_name(&other, visit->own->worker_path, bounds, visit->reterr);
    if (err != FRAZIL_OK)
        return err;
    int sys = fz_state_file_look(&other);
    const struct fz_file_port port = port_of(&other);
    err = sys == 0 ? visit->visit(visit->ctx, &port, bounds, visit->reterr)
                   : fz_fail_errno(visit->reterr, sys, "the state file cannot be opened:", other.path, "");
    fz_state_file_look_away(&other);
    return err;
}

static bool visit_if_other(void *ctx, const char *path, const struct fz_bounds *bounds)
{
    struct visit *visit = ctx;

    (void)path;
    if (!fz_bounds_are_equal(bounds, &visit->own->bounds))
        visit->err = visit_one(visit, bounds);
    return visit->err == FRAZIL_OK;
}

static frazil_err visit_neighbours(void *ctx, fz_file_visitor visit_file, void *visitor_ctx, frazil_error *reterr)
{
    const struct fz_state_file *own = ctx;
    struct visit visit = {.own = own, .visit = visit_file, .ctx = visitor_ctx, .reterr = reterr, .err = FRAZIL_OK};

    int sys = fz_shards_visit(own->worker_path, &own->bounds, visit_if_other, &visit);
    if (visit.err != FRAZIL_OK)
        return visit.err;
    return sys == 0
               ? FRAZIL_OK
               : fz_fail_errno(reterr, sys,
                               "the other state files of the worker cannot be looked through:", own->worker_path, "");
}

/* ---- opening ------------------------------------------------------------------ */

static frazil_err prepare(struct store *store, const char *path, const struct fz_grant_owner *owner,
                          uint64_t reserve_ticks, frazil_error *reterr)
{
    frazil_err err = fz_state_file_name(&store->state, path, &owner->bounds, reterr);

    if (err != FRAZIL_OK)
        return err;
    store->file = (struct fz_grant_file){
        .port = port_of(&store->state), .owner = *owner, .reserve_ticks = reserve_ticks, .durable_sequence = 0};
    store->file.port.visit_neighbours = visit_neighbours;
    store->file.owner.pid = (uint64_t)getpid();
    return FRAZIL_OK;
}

static void close_store(void *ctx)
{
    struct store *store = ctx;

    fz_state_file_close(&store->state);
    free(store);
}

static void after_fork(void *ctx)
{
    struct store *store = ctx;

    fz_state_file_after_fork(&store->state);
    store->file.owner.pid = (uint64_t)getpid();
}

frazil_err fz_grant_store_open(struct fz_granter *ret, const char *path, const struct fz_grant_owner *owner,
                               uint64_t reserve_ticks, frazil_error *reterr)
{
    struct store *store = malloc(sizeof *store);

    if (store == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    frazil_err err = prepare(store, path, owner, reserve_ticks, reterr);
    if (err != FRAZIL_OK) {
        free(store);
        return err;
    }
    store->claim = NULL;
    fz_state_file_stay(&store->state);
    *ret = fz_grant_file_granter(&store->file);
    ret->close = close_store;
    ret->after_fork = after_fork;
    return FRAZIL_OK;
}

/* ---- reading --------------------------------------------------------------------- */

static frazil_err inspect(const char *path, const struct fz_bounds *bounds, struct fz_deadline deadline,
                          bool *ret_exists, struct fz_grant_record *ret, frazil_error *reterr)
{
    struct fz_state_file state;

    frazil_err err = fz_state_file_name(&state, path, bounds, reterr);
    if (err != FRAZIL_OK)
        return err;
    struct fz_file_port port = port_of(&state);
    port.leave = fz_state_file_leave_for_good;
    err = fz_grant_file_inspect(&port, deadline, ret_exists, ret, reterr);
    fz_state_file_close(&state);
    return err;
}

/* ---- among the users of the host ------------------------------------------------ */

static frazil_err acquire_above(void *ctx, struct fz_deadline deadline, uint64_t now_tick, struct fz_grant *ret,
                                frazil_error *reterr)
{
    struct store *store = ctx;

    store->file.least = store->claim->floor;
    frazil_err err = fz_grant_file_granter(&store->file).acquire(&store->file, deadline, now_tick, ret, reterr);
    if (err == FRAZIL_OK)
        fz_claim_begin(store->claim, ret->floor);
    if (err == FRAZIL_OK)
        fz_claim_raise(store->claim, ret->until); /* before anybody can use it */
    return err;
}

static bool grant_knows(void *ctx, uint64_t first, uint64_t last)
{
    struct fz_grant_memory *memory = ctx;
    uint64_t next;
    bool exists = false;

    if (!memory->is_read &&
        (inspect(memory->path, &memory->bounds, memory->deadline, &exists, &memory->record, NULL) != FRAZIL_OK ||
         !exists))
        return false;
    memory->is_read = true;
    return !fz_used_next_free(&memory->record.used, first, &next) || next > last;
}

void fz_grant_store_remember(struct fz_grant_memory *ret, const char *path, const struct fz_bounds *bounds,
                             struct fz_deadline deadline)
{
    *ret = (struct fz_grant_memory){
        .grants = {.knows = grant_knows, .ctx = ret}, .path = path, .bounds = *bounds, .deadline = deadline};
}

/*
 * Fails if others cannot see the claim.  If the claim was removed, another process may have got in, and begun at the
 * clock's time.
 */
static frazil_err keep_claim(struct store *store, struct fz_deadline deadline, uint64_t now_tick, frazil_error *reterr)
{
    struct fz_claim *claim = store->claim;
    struct fz_claim_other other;
    frazil_error why = {.code = FRAZIL_EAGAIN};

    fz_grant_store_remember(&store->memory, store->state.worker_path, &store->state.bounds, deadline);
    int sys = fz_claim_keep(claim, now_tick, deadline, &other);
    if (sys == FZ_CLAIM_TAKEN)
        return fz_claim_lost(claim, &other, reterr);
    if (sys == 0)
        return FRAZIL_OK;
    (void)fz_claim_fail(sys, claim->path, &why);
    why.code = FRAZIL_EAGAIN; /* the present grant stands */
    if (reterr != NULL)
        *reterr = why;
    return FRAZIL_EAGAIN;
}

static frazil_err extend_above(void *ctx, struct fz_deadline deadline, uint64_t now_tick, const struct fz_grant *held,
                               struct fz_grant *ret, frazil_error *reterr)
{
    struct store *store = ctx;

    frazil_err err = keep_claim(store, deadline, now_tick, reterr);
    if (err == FRAZIL_ELEASE && held->floor <= held->until) {
        *ret = *held;
        ret->floor = held->until + 1; /* no tick is left of it, as the other one may use them all */
        return FRAZIL_OK;
    }
    if (err != FRAZIL_OK)
        return err;
    store->file.least = store->claim->floor;
    err = fz_grant_file_granter(&store->file).extend(&store->file, deadline, now_tick, held, ret, reterr);
    if (err == FRAZIL_OK)
        fz_claim_raise(store->claim, ret->until);
    return err;
}

static frazil_err release_above(void *ctx, struct fz_deadline deadline, const struct fz_grant *held, uint64_t used_tick)
{
    struct store *store = ctx;

    frazil_err err = fz_grant_file_granter(&store->file).release(&store->file, deadline, held, used_tick);
    if (err == FRAZIL_OK)
        fz_claim_lower(store->claim, held->until, used_tick);
    return err;
}

void fz_grant_store_claim(struct fz_granter *granter, struct fz_claim *claim)
{
    struct store *store = granter->ctx;

    store->claim = claim;
    claim->key.grants = &store->memory.grants;
    granter->acquire = acquire_above;
    granter->extend = extend_above;
    granter->release = release_above;
}

frazil_err fz_grant_store_inspect(const char *path, const struct fz_bounds *bounds, bool *ret_exists,
                                  struct fz_grant_record *ret, frazil_error *reterr)
{
    return inspect(path, bounds, fz_guard_deadline(), ret_exists, ret, reterr);
}

frazil_err fz_grant_store_in_use(const char *path, const struct fz_bounds *bounds, bool *ret, frazil_error *reterr)
{
    struct fz_state_file state;

    frazil_err err = fz_state_file_name(&state, path, bounds, reterr);
    if (err != FRAZIL_OK)
        return err;
    err = fz_state_file_enter(&state, fz_guard_deadline(), reterr);
    if (err == FRAZIL_OK) {
        err = fz_state_file_has_others(&state, ret, reterr);
        fz_state_file_leave_for_good(&state);
    }
    fz_state_file_close(&state);
    return err;
}

frazil_err fz_grant_store_init(const char *path, const struct fz_grant_owner *owner, uint64_t reserve_ticks,
                               uint64_t now_tick, frazil_error *reterr)
{
    struct store store;

    frazil_err err = prepare(&store, path, owner, reserve_ticks, reterr);
    if (err != FRAZIL_OK)
        return err;
    store.file.port.leave = fz_state_file_leave_for_good;
    err = fz_grant_file_init(&store.file, fz_guard_deadline(), now_tick, reterr);
    fz_state_file_close(&store.state);
    return err;
}
