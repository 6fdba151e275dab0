/* SPDX-License-Identifier: MIT */
#include "lease.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/duration.h"
#include "core/layout_internal.h"
#include "core/sentence.h"
#include "lease_internal.h"

/* ---- extending ------------------------------------------------------------ */

/* The ticks of *held stay the caller's: says so, or that they have passed, and why there are no more; at once, if the
 * worker id is another owner's by now and no other is free. */
static frazil_err not_extended(const struct fz_lease *lease, uint64_t now_tick, const struct fz_grant *held,
                               frazil_err err, const frazil_error *why, frazil_error *reterr)
{
    bool stands = now_tick <= held->until;
    /* EPOOL comes only from the search for another id, which runs only after the own record was lost or burned. */
    bool lost = err == FRAZIL_EPOOL;
    frazil_err code = stands && !lost ? FRAZIL_EAGAIN : FRAZIL_ELEASE;

    /* No retry helps here, so the caller must not read "ours until" and wait. */
    if (err == FRAZIL_EEXHAUSTED)
        return fz_fail(reterr, err, "%s", why->message);
    if (lease->remaking.repeated)
        return fz_fail(reterr, FRAZIL_ELEASE,
                       "worker id %u was granted to another process, because namespace %q was created again while "
                       "processes held ids: look for duplicates with frazil verify; %s",
                       (uint64_t)held->worker, lease->name, why->message);
    fz_fail(reterr, code, "worker id %u %s %t and %s: %s", (uint64_t)held->worker,
            stands ? "is ours until" : "was ours until", fz_layout_tick_unix_ms(&lease->layout, held->until),
            lost ? "is lost" : "is not extended", why->message);
    if (reterr != NULL)
        reterr->retry_ns = why->retry_ns;
    return code;
}

/* In place of a grant that others have, too: the same without a tick. */
static struct fz_grant nothing_left(const struct fz_grant *held)
{
    struct fz_grant none = *held;

    none.floor = held->until + 1;
    return none;
}

/* The record is no longer the one that contains *held. */
static void note_replaced(struct fz_lease *lease, const struct fz_grant *held, const struct fz_record *raw)
{
    struct fz_worker_record found;
    bool readable = raw->version != 0 && fz_worker_record_parse(raw->data, raw->len, &found, NULL) == FRAZIL_OK;
    bool own_token = readable && !found.released && fz_token_equal(found.token, lease->self.token);

    if (own_token && (lease->trouble.kind == FZ_TROUBLE_DOUBT || !fz_lease_knows_record(lease, held))) {
        /* The token alone proves nothing: a cloned machine has the same one (L3). */
        /* L4: our swap, or a relative's (a parent's or child's), or a clone's.  Nobody can tell, so nobody may use
         * what it granted. */
        fz_lease_set_trouble(lease, FZ_TROUBLE_BURNED, held->worker, held->version);
        return;
    }
    lease->counters.lost++;
    fz_lease_set_trouble(lease, FZ_TROUBLE_LOST, held->worker, held->version);
}

/* Takes *raw for the record in which *held stands, if it is that one. */
static bool note_record(struct fz_lease *lease, const struct fz_grant *held, const struct fz_record *raw)
{
    if (raw->version != held->version ||
        fz_worker_record_parse(raw->data, raw->len, &lease->kept.record, NULL) != FRAZIL_OK)
        return false;
    lease->kept.worker = held->worker;
    lease->kept.version = held->version;
    return true;
}

/* Whether more time has passed on the caller's clock than on the one that is never set: then it may be far ahead. */
static bool may_have_jumped(const struct fz_lease *lease, uint64_t now_tick)
{
    const struct fz_agreed_clock *agreed = &lease->agreed;
    uint64_t passed = (lease->call.begun_ns - agreed->ns) / (lease->layout.tick_ms * FZ_NS_PER_MS);

    return agreed->known && lease->clock.monotonic_ns != NULL && now_tick > agreed->tick &&
           now_tick - agreed->tick > passed + fz_double_skew(&lease->layout, fz_lease_skew_ms(lease)) + 1;
}

/* A clock ahead of the coordinator's asks for more ticks than the horizon allows (L5). */
static frazil_err check_ahead(struct fz_lease *lease, const struct fz_register_status *status, uint64_t now_tick,
                              frazil_error *reterr)
{
    int64_t max_skew_ms = fz_lease_skew_ms(lease);

    lease->counters.skew_ms = fz_clock_difference(&lease->layout, status, now_tick, 0);
    if (lease->counters.skew_ms < -max_skew_ms)
        return fz_clocks_differ(&lease->layout, lease->name, status, now_tick, lease->counters.skew_ms, max_skew_ms,
                                reterr);
    fz_lease_note_clock(lease, now_tick);
    return FRAZIL_OK;
}

/*
 * Reads the own record: after a swap without an answer, because another process took the grant, or to see the
 * coordinator's clock before a swap would burn all ticks up to a wrong one.
 */
static frazil_err read_own(struct fz_lease *lease, const struct fz_grant *held, uint64_t now_tick, frazil_error *reterr)
{
    struct fz_register_status status = {.has_clock = false};
    struct fz_record raw = {.version = 0};
    frazil_error said = {.message = ""};

    lease->counters.round_trips++;
    enum fz_register_result result =
        lease->reg.read(lease->reg.ctx, lease->call.deadline, held->worker, &raw, &status, &said);
    if (result != FZ_REGISTER_OK)
        return fz_register_error(result, lease->name, &said, reterr);
    /*
     * The record just read may itself be one of those that came back from an old copy.
     * So the namespace begins its quarantine before anything is concluded from it.
     */
    if (!fz_namespace_same_incarnation(&lease->space, &status)) {
        const struct fz_witness witness = {now_tick, held, fz_uncovered(held, &raw)};
        frazil_err err = fz_namespace_load(lease, &witness, reterr);
        if (err != FRAZIL_OK)
            return err;
    }
    if (!note_record(lease, held, &raw)) {
        note_replaced(lease, held, &raw);
        return FRAZIL_OK;
    }
    lease->trouble.kind = FZ_TROUBLE_NONE;
    frazil_err err = check_ahead(lease, &status, now_tick, reterr);
    if (err != FRAZIL_OK)
        lease->kept.version = 0; /* it is read again until the clock is right */
    return err;
}

/* L9: whether at this tick nobody can have taken the worker over, whatever was lost. */
static bool certainly_ours(const struct fz_lease *lease, const struct fz_grant *held,
                           const struct fz_register_status *status, uint64_t tick)
{
    /* The process that took the worker over may have read a coarse clock as later than it was, by its width. */
    uint64_t width = (status->clock_width_ms + lease->layout.tick_ms - 1) / lease->layout.tick_ms;
    uint64_t margin = fz_double_skew(&lease->layout, fz_lease_skew_ms(lease)) + width;

    /* Compared this way round, because the sum could exceed the last tick. */
    return margin < held->until && tick < held->until - margin;
}

/* The swap of the own record was done and answered.  May what it granted be used without a gap (L6, L9)? */
static bool contiguous(const struct fz_lease *lease, const struct fz_grant *held,
                       const struct fz_register_status *status, uint64_t now_tick)
{
    if (fz_namespace_same_incarnation(&lease->space, status) && fz_lease_after_losses(lease, held))
        return true;
    return status->has_clock && certainly_ours(lease, held, status, fz_later_tick(&lease->layout, status, now_tick));
}

/* The answer came from another incarnation: its quarantine begins now, or at the next call if this one fails. */
static void note_incarnation(struct fz_lease *lease, const struct fz_register_status *status, uint64_t now_tick)
{
    const struct fz_witness witness = {.now_tick = now_tick};

    if (fz_namespace_same_incarnation(&lease->space, status))
        return;
    lease->space.stale = true;
    /* The grant itself is good.  A failure here shows again at the next call, as `stale` stays set. */
    (void)fz_namespace_load(lease, &witness, NULL);
}

/*
 * Moves `until` ahead.  Afterwards the grant is in *ret, or the lease is in trouble,
 * or an error says what else there is.
 */
static frazil_err swap_own(struct fz_lease *lease, const struct fz_grant *held, uint64_t now_tick, struct fz_grant *ret,
                           frazil_error *reterr)
{
    struct fz_grant grant = *held;
    struct fz_worker_record record = lease->kept.record;
    struct fz_register_status status = {.has_clock = false};
    frazil_error said = {.message = ""};

    assert(fz_lease_knows_record(lease, held));
    grant.until = record.until = fz_lease_reach(lease, now_tick);
    record.token = lease->self.token;
    memcpy(record.owner, lease->self.owner, sizeof record.owner);
    record.extensions++;
    fz_group_ask(lease, record.until);
    /* It stands there, unless a process was killed in fz_pair_drop; where there are two others, these stay. */
    (void)fz_group_may_swap(lease, held->worker);
    enum fz_register_result result =
        fz_lease_swap(lease, held->worker, held->version, &record, &grant.version, &status, &said);
    /* Of a group's, another process may have swapped it, and the record is still the group's to swap (L11). */
    bool is_doubtful = result == FZ_REGISTER_CONFLICT && fz_lease_has_group(lease);
    /* Not read again to see whose record it is: even one with our token may be a clone's. */
    if (result == FZ_REGISTER_CONFLICT && !is_doubtful) {
        lease->counters.lost++; /* L3 */
        fz_lease_set_trouble(lease, FZ_TROUBLE_LOST, held->worker, held->version);
        return FRAZIL_OK;
    }
    if (result == FZ_REGISTER_UNKNOWN || is_doubtful) {
        lease->counters.burned += !is_doubtful;
        fz_lease_set_trouble(lease, FZ_TROUBLE_DOUBT, held->worker, held->version);
        return FRAZIL_OK;
    }
    if (result != FZ_REGISTER_OK)
        return fz_register_error(result, lease->name, &said, reterr);

    /* Asked for by a clock ahead, it stands in the record now, and is burned; one behind asks for too little. */
    frazil_err err = check_ahead(lease, &status, now_tick, reterr);
    if (err != FRAZIL_OK || !contiguous(lease, held, &status, now_tick)) {
        lease->counters.burned++;
        fz_lease_set_trouble(lease, FZ_TROUBLE_BURNED, held->worker, held->version);
        return err;
    }
    lease->counters.extensions++;
    lease->kept.record = record;
    lease->kept.version = grant.version;
    grant.space = fz_namespace_of_grant(&lease->space);
    note_incarnation(lease, &status, now_tick);
    *ret = grant;
    return FRAZIL_OK;
}

/*
 * Reads the namespace.  A process that came by its grant through another one's memory has not seen it before, so it
 * cannot tell that it is another one; but that has no record of the grant (L10).
 */
static frazil_err learn_namespace(struct fz_lease *lease, const struct fz_grant *held, uint64_t now_tick,
                                  frazil_error *reterr)
{
    struct fz_witness witness = {.now_tick = now_tick, .held = held};

    /* The record is read before the namespace: a namespace that is created in between must find the grant uncovered. */
    if (!lease->space.known) {
        struct fz_record raw = {.version = 0};
        frazil_error said = {.message = ""};
        lease->counters.round_trips++;
        enum fz_register_result result =
            lease->reg.read(lease->reg.ctx, lease->call.deadline, held->worker, &raw, NULL, &said);
        if (result != FZ_REGISTER_OK)
            return fz_register_error(result, lease->name, &said, reterr);
        witness.uncovered = fz_uncovered(held, &raw);
    }
    return fz_namespace_load(lease, &witness, reterr);
}

/* Makes sure that it is known what the namespace is and what stands in the own record. */
static frazil_err settle_namespace(struct fz_lease *lease, const struct fz_grant *held, uint64_t now_tick,
                                   frazil_error *reterr)
{
    frazil_err err = FRAZIL_OK;

    if (lease->trouble.kind != FZ_TROUBLE_NONE &&
        (lease->trouble.worker != held->worker || lease->trouble.version != held->version))
        fz_lease_set_trouble(lease, FZ_TROUBLE_NONE, 0, 0); /* the caller holds another grant by now */
    if (!lease->space.known || lease->space.stale)
        err = learn_namespace(lease, held, now_tick, reterr);
    if (err != FRAZIL_OK)
        return err;
    if (lease->trouble.kind == FZ_TROUBLE_DOUBT ||
        (lease->trouble.kind == FZ_TROUBLE_NONE &&
         (!fz_lease_knows_record(lease, held) || may_have_jumped(lease, now_tick))))
        err = read_own(lease, held, now_tick, reterr);
    if (err == FRAZIL_OK && lease->trouble.kind == FZ_TROUBLE_NONE && !fz_lease_after_losses(lease, held) &&
        !certainly_ours(lease, held, &(struct fz_register_status){.has_clock = false}, now_tick))
        fz_lease_set_trouble(lease, FZ_TROUBLE_BURNED, held->worker, held->version); /* L6 */
    return err;
}

/* Extends the worker held if that can be done without a gap; otherwise the lease is in trouble, or err says why not. */
static frazil_err extend_contiguously(struct fz_lease *lease, const struct fz_grant *held, uint64_t now_tick,
                                      struct fz_grant *ret, frazil_error *reterr)
{
    /*
     * The second round reads what became of a swap that had no answer.  A third one would only
     * repeat that against a coordinator that does not answer.
     */
    for (int tries = 0; tries < 2; tries++) {
        frazil_err err = settle_namespace(lease, held, now_tick, reterr);
        if (err != FRAZIL_OK || lease->trouble.kind != FZ_TROUBLE_NONE)
            return err;
        if (held->until >= fz_layout_last_tick(&lease->layout))
            return fz_fail(reterr, FRAZIL_EEXHAUSTED, "worker id %u is granted up to the last tick of the layout",
                           (uint64_t)held->worker);
        uint64_t reach = fz_lease_reach(lease, now_tick);
        /* The clock went back, or the horizon is shorter than it was.  Asking for less would give ticks away. */
        if (reach <= held->until) {
            fz_fail(reterr, FRAZIL_EAGAIN, "the grant already reaches to the horizon");
            if (reterr != NULL)
                reterr->retry_ns = fz_layout_ticks_ns(&lease->layout, held->until - reach + 1);
            return FRAZIL_EAGAIN;
        }
        err = swap_own(lease, held, now_tick, ret, reterr);
        if (err != FRAZIL_OK || lease->trouble.kind != FZ_TROUBLE_DOUBT)
            return err;
    }
    return fz_fail(reterr, FRAZIL_EUNREACHABLE, "the coordinator of namespace %q does not answer", lease->name);
}

static void begin_call(struct fz_lease *lease, struct fz_deadline deadline)
{
    lease->call.deadline = deadline;
    lease->call.is_outrun = false;
    lease->call.number++;
    if (lease->clock.monotonic_ns != NULL)
        lease->call.begun_ns = lease->clock.monotonic_ns(lease->clock.ctx);
}

static frazil_err life_is_over(frazil_error *reterr)
{
    return fz_fail(reterr, FRAZIL_EEXHAUSTED, "the layout's life is over");
}

/* Whether another process of the group has put a grant in force since the caller looked: then no other is taken. */
static bool has_moved_on(const struct fz_lease *lease, const struct fz_grant *held)
{
    return fz_lease_has_group(lease) && !lease->group.is_in_force(lease->group.ctx, held);
}

static frazil_err lease_extend(void *ctx, struct fz_deadline deadline, uint64_t now_tick, const struct fz_grant *held,
                               struct fz_grant *ret, frazil_error *reterr)
{
    struct fz_lease *lease = ctx;
    frazil_error why = {.message = ""};
    struct fz_grant grant = {0};

    assert(held->version != 0 && held->floor <= held->until + 1);
    begin_call(lease, deadline);
    if (now_tick > fz_layout_last_tick(&lease->layout))
        return life_is_over(reterr);
    fz_namespace_adopt(lease, held);
    frazil_err err = extend_contiguously(lease, held, now_tick, &grant, &why);
    if (err == FRAZIL_OK && lease->trouble.kind != FZ_TROUBLE_NONE) {
        if (has_moved_on(lease, held))
            return fz_fail(reterr, FRAZIL_EAGAIN, "another process has just extended the grant");
        /* Each look reads the whole namespace, and the last one has shown when the next can succeed. */
        if (now_tick < lease->trouble.defer_until) {
            err = fz_fail(&why, FRAZIL_EAGAIN, "the next grant has to begin later");
            why.retry_ns = fz_layout_ticks_ns(&lease->layout, lease->trouble.defer_until - now_tick);
        } else {
            err = fz_lease_take(lease, now_tick, held, &grant, &why);
            lease->counters.moves += err == FRAZIL_OK;
        }
    }
    /* L10 came too late: another owner issues ids from these ticks, so an error, which lets the caller go on, will not
     * do. */
    if (err != FRAZIL_OK && lease->remaking.repeated && held->floor <= held->until) {
        *ret = nothing_left(held);
        return FRAZIL_OK;
    }
    if (err != FRAZIL_OK)
        return not_extended(lease, now_tick, held, err, &why, reterr);
    assert(grant.until > held->until || grant.floor > held->until || grant.worker != held->worker);
    *ret = grant;
    return FRAZIL_OK;
}

/* ---- the rest of the granter ---------------------------------------------- */

static frazil_err lease_acquire(void *ctx, struct fz_deadline deadline, uint64_t now_tick, struct fz_grant *ret,
                                frazil_error *reterr)
{
    struct fz_lease *lease = ctx;

    begin_call(lease, deadline);
    if (now_tick > fz_layout_last_tick(&lease->layout))
        return life_is_over(reterr);
    return fz_lease_take(lease, now_tick, NULL, ret, reterr);
}

static frazil_err lease_release(void *ctx, struct fz_deadline deadline, const struct fz_grant *held, uint64_t used_tick)
{
    struct fz_lease *lease = ctx;
    enum fz_register_result result;
    frazil_error said = {.message = ""};
    uint64_t version;

    assert(held->version != 0 && used_tick <= held->until && held->floor >= 1);
    begin_call(lease, deadline);
    if (!fz_lease_knows_record(lease, held)) {
        /* A child, or a process that shares the word, may be the last one without ever having extended the grant. */
        struct fz_record raw = {.version = 0};
        result = lease->reg.read(lease->reg.ctx, lease->call.deadline, held->worker, &raw, NULL, &said);
        if (result == FZ_REGISTER_OK && !note_record(lease, held, &raw))
            return FRAZIL_OK; /* it is another owner's */
        if (result != FZ_REGISTER_OK)
            return fz_register_error(result, lease->name, &said, NULL);
    }
    struct fz_worker_record record = lease->kept.record;
    /* The next owner may begin right above what was used, instead of waiting for a whole horizon. */
    record.until = used_tick < held->floor ? held->floor - 1 : used_tick;
    record.released = true;
    /* Without an answer it was released or will end by itself; with a conflict it is not ours. */
    result = fz_lease_swap(lease, held->worker, held->version, &record, &version, NULL, &said);
    if (result == FZ_REGISTER_OK)
        lease->kept.version = 0;
    return result == FZ_REGISTER_OK || result == FZ_REGISTER_CONFLICT
               ? FRAZIL_OK
               : fz_register_error(result, lease->name, &said, NULL);
}

static void lease_close(void *ctx)
{
    struct fz_lease *lease = ctx;

    lease->reg.close(lease->reg.ctx);
    free(lease);
}

static void lease_after_fork(void *ctx)
{
    struct fz_lease *lease = ctx;

    /* A thread of the parent's may have been writing what it knows: it is read again. */
    lease->space.stale = true;
    lease->kept.version = 0;
    if (lease->reg.after_fork != NULL)
        lease->reg.after_fork(lease->reg.ctx);
}

struct fz_granter fz_lease_granter(struct fz_lease *lease)
{
    return (struct fz_granter){.ctx = lease,
                               .acquire = lease_acquire,
                               .extend = lease_extend,
                               .release = lease_release,
                               .close = lease_close,
                               .after_fork = lease_after_fork};
}

struct fz_lease_counters fz_lease_count(const struct fz_lease *lease)
{
    return lease->counters;
}

frazil_err fz_lease_open(struct fz_lease **ret, struct fz_register reg, const struct fz_lease_options *options,
                         frazil_error *reterr)
{
    uint64_t workers = fz_layout_max_worker(options->layout) + 1;

    assert(options->max_skew_ms >= FZ_SKEW_UNSET && options->max_skew_ms <= FZ_SKEW_MS_MAX);
    /* FZ_NAMESPACE is the number of the namespace's own record, so no worker can have it. */
    if (workers > FZ_NAMESPACE)
        workers = FZ_NAMESPACE;
    if (options->workers != 0 && options->workers < workers)
        workers = options->workers;
    if (options->base >= workers || options->count > workers - options->base)
        return fz_fail(reterr, FRAZIL_ERANGE, "base=%u count=%u exceed the worker ids, 0 to %u",
                       (uint64_t)options->base, (uint64_t)options->count, workers - 1);
    struct fz_lease *lease = calloc(1, sizeof *lease);
    if (lease == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "no memory for a lease");
    lease->reg = reg;
    lease->layout = *options->layout;
    if (options->group != NULL)
        lease->group = *options->group;
    lease->self.token = options->group != NULL ? options->group->token : options->token;
    lease->random = *options->random;
    if (options->clock != NULL)
        lease->clock = *options->clock;
    lease->wish.base = options->base;
    lease->wish.count = options->count;
    lease->wish.stay = options->stay;
    lease->wish.horizon_ms = options->horizon_ms;
    lease->wish.max_skew_ms = options->max_skew_ms;
    lease->wish.workers = options->workers;
    struct fz_sentence name = fz_sentence_in(lease->name, sizeof lease->name);
    fz_sentence_str(&name, options->name);
    fz_owner_sanitise(options->owner, lease->self.owner);
    fz_namespace_start(&lease->space, options->layout);
    *ret = lease;
    return FRAZIL_OK;
}
