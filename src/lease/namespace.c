/* SPDX-License-Identifier: MIT */
/*
 * The settings that all users of a namespace must agree about, and the quarantine after the
 * coordinator may have lost records.
 */
#include <assert.h>
#include <string.h>

#include "core/layout_internal.h"
#include "core/sentence.h"
#include "lease_internal.h"

/* The end of a quarantine that is not known yet. */
#define CLOSED FZ_TICK_MAX

void fz_namespace_start(struct fz_namespace *space, const frazil_layout *layout)
{
    memset(space, 0, sizeof *space);
    frazil_err err = frazil_layout_fingerprint(layout, space->fingerprint, sizeof space->fingerprint, NULL);
    assert(err == FRAZIL_OK);
    (void)err;
}

uint64_t fz_namespace_horizon(const struct fz_namespace *space, const frazil_layout *layout)
{
    return space->record.horizon_ms / layout->tick_ms;
}

int64_t fz_lease_skew_ms(const struct fz_lease *lease)
{
    assert(lease->space.known);
    return lease->space.record.max_skew_ms;
}

bool fz_namespace_same_incarnation(const struct fz_namespace *space, const struct fz_register_status *status)
{
    return strcmp(space->record.incarnation, status->incarnation) == 0;
}

/* ---- grants of others ----------------------------------------------------- */

struct fz_grant_space fz_namespace_of_grant(const struct fz_namespace *space)
{
    const struct fz_namespace_record *record = &space->record;

    assert(space->known);
    return (struct fz_grant_space){.token_high = record->token.high,
                                   .token_low = record->token.low,
                                   .horizon_ms = (uint32_t)record->horizon_ms,
                                   .max_skew_ms = (uint32_t)record->max_skew_ms};
}

void fz_namespace_adopt(struct fz_lease *lease, const struct fz_grant *held)
{
    struct fz_namespace *space = &lease->space;
    const struct fz_token token = {.high = held->space.token_high, .low = held->space.token_low};
    bool is_same = space->known && fz_token_equal(token, space->record.token);

    if (held->space.horizon_ms == 0 || fz_lease_knows_record(lease, held))
        return;
    /* Found in place of another one before: but the grant in force was made in it. */
    if (is_same) {
        lease->remaking.remade = lease->remaking.repeated = false;
        return;
    }
    /* How many worker ids it has does not go with the grant: all that the layout has may be looked at. */
    if (!space->known)
        space->record.workers = fz_layout_max_worker(&lease->layout) + 1;
    space->record.token = token;
    space->record.horizon_ms = held->space.horizon_ms;
    space->record.max_skew_ms = held->space.max_skew_ms;
    space->known = space->stale = true;
}

/* ---- agreement ------------------------------------------------------------ */

static frazil_err missing(const struct fz_lease *lease, frazil_error *reterr)
{
    /* A generator that has seen the namespace must not be told to create it "once": others may still hold ids. */
    if (lease->space.known)
        return fz_fail(reterr, FRAZIL_ENAMESPACE,
                       "namespace %q has vanished: the coordinator was wiped, or is another one; create it again with "
                       "frazil lease init, which holds ids back until all earlier grants have ended",
                       lease->name);
    return fz_fail(reterr, FRAZIL_ENAMESPACE,
                   "there is no namespace %q: create it once with frazil lease init; if that was done, the "
                   "coordinator was wiped or is another one, and it must be created again",
                   lease->name);
}

static frazil_err another_layout(const struct fz_lease *lease, const struct fz_namespace_record *record,
                                 frazil_error *reterr)
{
    return fz_fail(reterr, FRAZIL_ENAMESPACE,
                   "namespace %q is for ids of the layout %q, and the one here is %q: give both the same layout, or "
                   "each a namespace of its own",
                   lease->name, record->layout, lease->space.fingerprint);
}

static frazil_err check_agreement(const struct fz_lease *lease, const struct fz_namespace_record *record,
                                  frazil_error *reterr)
{
    /* Nobody has to know how many worker ids the namespace has, but its first one must be there. */
    uint64_t count = lease->wish.count == 0 ? 1 : lease->wish.count;

    if (lease->wish.horizon_ms != 0 && lease->wish.horizon_ms != record->horizon_ms)
        return fz_fail(
            reterr, FRAZIL_ENAMESPACE,
            "namespace %q was created with horizon=%ums, but this spec has %ums: leave it out, or use the same",
            lease->name, record->horizon_ms, lease->wish.horizon_ms);
    if (lease->wish.max_skew_ms != FZ_SKEW_UNSET && lease->wish.max_skew_ms != record->max_skew_ms)
        return fz_fail(
            reterr, FRAZIL_ENAMESPACE,
            "namespace %q was created with max_skew=%dms, but this spec has %dms: leave it out, or use the same",
            lease->name, record->max_skew_ms, lease->wish.max_skew_ms);
    if (lease->wish.workers != 0 && lease->wish.workers != record->workers)
        return fz_fail(reterr, FRAZIL_ENAMESPACE,
                       "namespace %q was created with workers=%u, but this spec has %u: leave it out, or use the same",
                       lease->name, record->workers, lease->wish.workers);
    if (lease->wish.base + count > record->workers)
        return fz_fail(
            reterr, FRAZIL_ENAMESPACE,
            "namespace %q has worker ids 0 to %u, but base and count ask for %u to %u: choose them within that range",
            lease->name, record->workers - 1, (uint64_t)lease->wish.base, lease->wish.base + count - 1);
    return FRAZIL_OK;
}

/* ---- quarantine ----------------------------------------------------------- */

/* The last tick that anybody can have been granted up to `now` in records that are lost: see L5 and L6 in lease.h.
 * width_ms: how far a coordinator's clock may have been ahead of what it has shown. */
static uint64_t lost_grants_end(const frazil_layout *layout, uint64_t now, uint64_t horizon_ms, int64_t max_skew_ms,
                                uint32_t width_ms)
{
    uint64_t last = fz_layout_last_tick(layout);
    /* The coordinator may have shown a coarse clock, such as whole seconds, and thought of a later time. */
    uint64_t width = (width_ms + layout->tick_ms - 1) / layout->tick_ms;
    uint64_t reach = horizon_ms / layout->tick_ms + fz_double_skew(layout, max_skew_ms) + width;

    /* Quarantines end with the layout, so the sum cannot overflow. */
    return now > last || last - now < reach ? last : now + reach;
}

uint64_t fz_namespace_grants_end(const struct fz_lease *lease, const struct fz_register_status *status,
                                 uint64_t now_tick)
{
    const struct fz_namespace_record *record = &lease->space.record;

    return lost_grants_end(&lease->layout, fz_later_tick(&lease->layout, status, now_tick), record->horizon_ms,
                           record->max_skew_ms, status->clock_width_ms);
}

static bool is_another(const struct fz_lease *lease, const struct fz_namespace_record *found)
{
    return lease->space.known && !fz_token_equal(found->token, lease->space.record.token);
}

/* The numbers that lost grants were bound by: where another namespace was known before, the larger ones. */
struct bounds {
    uint64_t horizon_ms;
    int64_t max_skew_ms;
};

static struct bounds lost_bounds(const struct fz_lease *lease, const struct fz_namespace_record *found)
{
    const struct fz_namespace_record *former = &lease->space.record;
    struct bounds bounds = {found->horizon_ms, found->max_skew_ms};

    /* The new namespace may say less than the lost one did, and the lost one's grants still run. */
    if (is_another(lease, found) && former->horizon_ms > bounds.horizon_ms)
        bounds.horizon_ms = former->horizon_ms;
    if (is_another(lease, found) && former->max_skew_ms > bounds.max_skew_ms)
        bounds.max_skew_ms = former->max_skew_ms;
    return bounds;
}

/*
 * L10: how far the quarantine must reach at least, by what this lease knows.  The
 * namespace known before granted nothing any more when the one found was created.
 */
static uint64_t known_losses_end(const struct fz_lease *lease, const struct fz_namespace_record *found,
                                 const struct fz_register_status *status, const struct fz_witness *witness)
{
    bool another = is_another(lease, found);
    struct bounds bounds = lost_bounds(lease, found);
    uint64_t created = fz_nearest_tick(&lease->layout, found->created_unix_ms);
    uint64_t end = another ? lost_grants_end(&lease->layout, created, bounds.horizon_ms, bounds.max_skew_ms,
                                             status->clock_width_ms)
                           : 0;

    /* The own grant is the one fact that no operator's estimate can override. */
    if (witness->held != NULL && (another || witness->uncovered) && witness->held->until > end)
        end = witness->held->until;
    return end;
}

/*
 * Whether the time at hand is later than the loss.  A coordinator's clock is,
 * because it comes with the answer that shows the loss.  The caller's may have
 * been read before a long pause: it counts from its next call on.
 */
static bool time_is_later(struct fz_lease *lease, const struct fz_record *raw, const struct fz_register_status *status)
{
    bool seen = lease->loss.version == raw->version && strcmp(lease->loss.incarnation, status->incarnation) == 0;

    if (status->has_clock || (seen && lease->loss.call < lease->call.number))
        return true;
    /* A loss that was seen in this call has to wait for the next one, which brings a later clock. */
    if (!seen)
        lease->loss.call = lease->call.number;
    lease->loss.version = raw->version;
    memcpy(lease->loss.incarnation, status->incarnation, sizeof lease->loss.incarnation);
    return false;
}

/* Replaces the record of the namespace.  After a conflict another process has; either way it must be read again. */
static frazil_err replace_record(struct fz_lease *lease, const struct fz_record *raw,
                                 const struct fz_namespace_record *record, frazil_error *reterr)
{
    char text[FZ_RECORD_SIZE_MAX];
    uint64_t version;
    frazil_error said = {.message = ""};
    size_t len = fz_namespace_record_format(record, text);

    lease->counters.round_trips++;
    enum fz_register_result result =
        lease->reg.swap(lease->reg.ctx, lease->call.deadline, &(struct fz_swap){FZ_NAMESPACE, raw->version, text, len},
                        &version, NULL, &said);
    if (result == FZ_REGISTER_OK)
        lease->counters.quarantines++;
    if (result == FZ_REGISTER_CONFLICT)
        lease->call.is_outrun = true;
    if (result == FZ_REGISTER_OK || result == FZ_REGISTER_CONFLICT)
        return FRAZIL_OK;
    return fz_register_error(result, lease->name, &said, reterr);
}

/*
 * Raises the quarantine as far as the loss of records demands, and as far as can be known now.  *ret_raised: the
 * record was replaced.
 */
static frazil_err guard(struct fz_lease *lease, const struct fz_record *raw, const struct fz_namespace_record *found,
                        const struct fz_register_status *status, const struct fz_witness *witness, bool *ret_raised,
                        frazil_error *reterr)
{
    struct fz_namespace_record record = *found;
    bool moved = strcmp(found->incarnation, status->incarnation) != 0;
    uint64_t end = known_losses_end(lease, found, status, witness);
    /* An end that is known without a clock can be raised at once, even if the time of the loss is not known yet. */
    bool short_of_it = end > found->quarantine_until;
    bool timed = (moved || short_of_it) && time_is_later(lease, raw, status);

    if (timed) {
        struct bounds bounds = lost_bounds(lease, found);
        uint64_t now = fz_later_tick(&lease->layout, status, witness->now_tick);
        uint64_t lost =
            lost_grants_end(&lease->layout, now, bounds.horizon_ms, bounds.max_skew_ms, status->clock_width_ms);
        end = lost > end ? lost : end;
        /* Only now: as long as the record names the old incarnation, every other lease sees the loss, too. */
        memcpy(record.incarnation, status->incarnation, sizeof record.incarnation);
    }
    *ret_raised = timed || short_of_it;
    /* The end of the quarantine is unknown, so nothing may be granted, not even far ahead. */
    if (moved && !*ret_raised)
        return fz_fail(reterr, FRAZIL_EAGAIN, "records of namespace %q may have been lost: nothing is granted now",
                       lease->name);
    if (!*ret_raised)
        return FRAZIL_OK;
    if (end > record.quarantine_until)
        record.quarantine_until = end;
    /* Counted in the record, so that sentences can tell a quarantine after a loss from one at creation. */
    record.losses++;
    return replace_record(lease, raw, &record, reterr);
}

frazil_err fz_namespace_check(struct fz_lease *lease, const struct fz_record *raw,
                              const struct fz_register_status *status, const struct fz_witness *witness,
                              bool *ret_again, frazil_error *reterr)
{
    struct fz_namespace *space = &lease->space;
    struct fz_namespace_record found;
    frazil_error said;

    *ret_again = false;
    /* L7: never created here.  A generator that created what it does not find would start a second life of all ids. */
    if (raw->version == 0)
        return missing(lease, reterr);
    if (fz_namespace_record_parse(raw->data, raw->len, &found, &said) != FRAZIL_OK)
        return fz_fail(reterr, FRAZIL_ENAMESPACE, "namespace %q: %s", lease->name, said.message);
    if (!fz_layout_texts_agree(found.layout, space->fingerprint))
        return another_layout(lease, &found, reterr); /* its quarantine is in other ticks */
    /* Its creator has not yet read the clock after closing it (L8). */
    if (found.quarantine_until == CLOSED)
        return fz_fail(reterr, FRAZIL_EAGAIN,
                       "namespace %q is being created; if that was interrupted, call frazil lease init again",
                       lease->name);
    lease->remaking.remade = lease->remaking.remade || is_another(lease, &found);
    /* Before agreement is checked: also a lease that is refused here knows of grants that the namespace must spare
     * (L10). */
    frazil_err err = guard(lease, raw, &found, status, witness, ret_again, reterr);
    if (err == FRAZIL_OK && !*ret_again)
        err = check_agreement(lease, &found, reterr);
    if (err != FRAZIL_OK || *ret_again) {
        *ret_again = err == FRAZIL_OK;
        return err;
    }
    space->record = found;
    space->known = true;
    space->stale = false;
    return FRAZIL_OK;
}

frazil_err fz_namespace_load(struct fz_lease *lease, const struct fz_witness *witness, frazil_error *reterr)
{
    struct fz_register_status status = {.has_clock = false};
    bool again = true;

    for (int tries = 0; tries < FZ_TRIES_MAX && again; tries++) {
        struct fz_record raw = {.version = 0};
        frazil_error said = {.message = ""};
        /* Again, because each replacement, ours or another process's, must be read before it counts. */
        lease->counters.round_trips++;
        enum fz_register_result result =
            lease->reg.read(lease->reg.ctx, lease->call.deadline, FZ_NAMESPACE, &raw, &status, &said);
        if (result != FZ_REGISTER_OK)
            return fz_register_error(result, lease->name, &said, reterr);
        frazil_err err = fz_namespace_check(lease, &raw, &status, witness, &again, reterr);
        if (err != FRAZIL_OK)
            return err;
    }
    return again ? fz_register_error(FZ_REGISTER_CONFLICT, lease->name, &(frazil_error){.message = ""}, reterr)
                 : FRAZIL_OK;
}

bool fz_uncovered(const struct fz_grant *held, const struct fz_record *raw)
{
    struct fz_worker_record found;

    return raw->version == 0 || fz_worker_record_parse(raw->data, raw->len, &found, NULL) != FRAZIL_OK ||
           found.until < held->until;
}

/* ---- creation ------------------------------------------------------------- */

static frazil_err check_options(const struct fz_namespace_options *options, uint64_t workers_max, frazil_error *reterr)
{
    uint64_t horizon_min = 3 * (uint64_t)options->layout->tick_ms;

    /* With fewer than three ticks a grant could not be extended before it ends. */
    if (horizon_min < FZ_HORIZON_MS_MIN)
        horizon_min = FZ_HORIZON_MS_MIN;
    if (options->horizon_ms < horizon_min || options->horizon_ms > FZ_HORIZON_MS_MAX)
        return fz_fail(reterr, FRAZIL_ERANGE, "horizon=%D: must be from %D to %D with ticks of %D",
                       1000 * options->horizon_ms, 1000 * horizon_min, 1000 * (uint64_t)FZ_HORIZON_MS_MAX,
                       1000 * (uint64_t)options->layout->tick_ms);
    if (options->max_skew_ms < 0 || options->max_skew_ms > FZ_SKEW_MS_MAX)
        return fz_fail(reterr, FRAZIL_ERANGE, "max_skew=%dms: must be from 0ms to %D", options->max_skew_ms,
                       1000 * (uint64_t)FZ_SKEW_MS_MAX);
    if (options->workers > workers_max)
        return fz_fail(reterr, FRAZIL_ERANGE, "a namespace of %u worker ids: the layout has %u", options->workers,
                       workers_max);
    return FRAZIL_OK;
}

/* Whether an earlier creation was interrupted half way, so that this one goes on with its record. */
static bool left_closed(const struct fz_namespace_options *options, const struct fz_record *raw,
                        struct fz_namespace_record *ret)
{
    struct fz_namespace space;

    fz_namespace_start(&space, options->layout);
    return fz_namespace_record_parse(raw->data, raw->len, ret, NULL) == FRAZIL_OK && ret->quarantine_until == CLOSED &&
           fz_layout_texts_agree(ret->layout, space.fingerprint);
}

static frazil_err exists(const struct fz_namespace_options *options, const struct fz_record *raw, frazil_error *reterr)
{
    struct fz_namespace_record record;
    frazil_error said;

    if (fz_namespace_record_parse(raw->data, raw->len, &record, &said) != FRAZIL_OK)
        return fz_fail(reterr, FRAZIL_EINVAL, "namespace %q exists, but %s", options->name, said.message);
    return fz_fail(reterr, FRAZIL_EINVAL,
                   "namespace %q exists since %t, with the layout %q, a horizon of %D and %u worker id%s: open "
                   "generators with its URL; for another one, change the name at the end of the URL",
                   options->name, record.created_unix_ms, record.layout, 1000 * record.horizon_ms, record.workers,
                   record.workers == 1 ? "" : "s");
}

/* The record of a namespace that is about to be created: closed, unless it is known that nobody ever had a grant. */
static struct fz_namespace_record new_record(const struct fz_namespace_options *options, uint64_t workers_max,
                                             const struct fz_register_status *status, uint64_t now_tick)
{
    struct fz_namespace_record record = {
        .horizon_ms = options->horizon_ms, .max_skew_ms = options->max_skew_ms, .token = options->token};
    struct fz_namespace space;

    fz_namespace_start(&space, options->layout);
    memcpy(record.layout, space.fingerprint, sizeof record.layout);
    memcpy(record.incarnation, status->incarnation, sizeof record.incarnation);
    record.workers = options->workers == 0 ? workers_max : options->workers;
    record.created_unix_ms = fz_layout_tick_unix_ms(options->layout, now_tick);
    /* Closed: its creator does not know yet that the clock it has read is later than the loss (L8). */
    record.quarantine_until = options->never_used ? 0 : CLOSED;
    return record;
}

/* The state of a creation. */
struct creation {
    const struct fz_register *reg;
    const struct fz_namespace_options *options;
    struct fz_register_status status; /* of the latest answer */
    uint64_t asked_tick;              /* the clock before its request */
    struct fz_namespace_record record;
    uint64_t version;
};

static void ask_clock(struct creation *creation)
{
    creation->asked_tick = creation->options->now_tick(creation->options->now_ctx);
}

/* Writes the record, and learns the time and the version. */
static frazil_err write_record(struct creation *creation, frazil_error *reterr)
{
    char text[FZ_RECORD_SIZE_MAX];
    frazil_error said = {.message = ""};
    size_t len = fz_namespace_record_format(&creation->record, text);

    ask_clock(creation);
    enum fz_register_result result = creation->reg->swap(creation->reg->ctx, FZ_DEADLINE_NONE,
                                                         &(struct fz_swap){FZ_NAMESPACE, creation->version, text, len},
                                                         &creation->version, &creation->status, &said);

    return result == FZ_REGISTER_OK ? FRAZIL_OK : fz_register_error(result, creation->options->name, &said, reterr);
}

/* The clock, read after the latest answer and held against the coordinator's in it. */
static frazil_err read_creation_clock(const struct creation *creation, uint64_t *ret_tick, frazil_error *reterr)
{
    const struct fz_namespace_options *options = creation->options;
    /* Read now and not earlier: the process may have been stopped between its start and the answer. */
    uint64_t now_tick = options->now_tick(options->now_ctx);

    if (now_tick > fz_layout_last_tick(options->layout))
        return fz_fail(reterr, FRAZIL_EEXHAUSTED, "the layout's life is over: a namespace needs a new layout");
    int64_t passed_ms = ((int64_t)now_tick - (int64_t)creation->asked_tick) * options->layout->tick_ms;
    int64_t skew_ms = fz_clock_difference(options->layout, &creation->status, creation->asked_tick, passed_ms);
    if (skew_ms > options->max_skew_ms || skew_ms < -options->max_skew_ms)
        return fz_clocks_differ(options->layout, options->name, &creation->status, now_tick, skew_ms,
                                options->max_skew_ms, reterr);
    *ret_tick = now_tick;
    return FRAZIL_OK;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/*
 * Opens a closed namespace: whatever was lost was granted before it was closed.  If
 * another creation has closed it, the larger numbers of both count for what was lost.
 */
static frazil_err open_closed(struct creation *creation, uint64_t workers_max, frazil_error *reterr)
{
    const struct fz_namespace_options *options = creation->options;
    struct fz_namespace_record *record = &creation->record;
    uint64_t now_tick = 0;
    frazil_err err = read_creation_clock(creation, &now_tick, reterr);

    if (err != FRAZIL_OK)
        return err;
    uint64_t horizon_ms = larger(larger(options->horizon_ms, options->lost_horizon_ms), record->horizon_ms);
    int64_t skew_ms = record->max_skew_ms > options->max_skew_ms ? record->max_skew_ms : options->max_skew_ms;
    record->quarantine_until =
        lost_grants_end(options->layout, fz_later_tick(options->layout, &creation->status, now_tick), horizon_ms,
                        skew_ms, creation->status.clock_width_ms);
    record->horizon_ms = options->horizon_ms;
    record->max_skew_ms = options->max_skew_ms;
    record->workers = options->workers == 0 ? workers_max : options->workers;
    memcpy(record->incarnation, creation->status.incarnation, sizeof record->incarnation);
    return write_record(creation, reterr);
}

frazil_err fz_lease_init(const struct fz_register *reg, const struct fz_namespace_options *options,
                         frazil_error *reterr)
{
    struct creation creation = {.reg = reg, .options = options};
    uint64_t workers_max = fz_layout_max_worker(options->layout) + 1;
    struct fz_record raw = {.version = 0};
    frazil_error said = {.message = ""};
    uint64_t now_tick = 0;

    if (workers_max > FZ_NAMESPACE)
        workers_max = FZ_NAMESPACE;
    frazil_err err = check_options(options, workers_max, reterr);
    if (err != FRAZIL_OK)
        return err;
    enum fz_register_result result =
        reg->prepare == NULL ? FZ_REGISTER_OK : reg->prepare(reg->ctx, FZ_DEADLINE_NONE, &said);
    ask_clock(&creation);
    if (result == FZ_REGISTER_OK)
        result = reg->read(reg->ctx, FZ_DEADLINE_NONE, FZ_NAMESPACE, &raw, &creation.status, &said);
    if (result != FZ_REGISTER_OK)
        return fz_register_error(result, options->name, &said, reterr);
    if (raw.version != 0 && !left_closed(options, &raw, &creation.record))
        return exists(options, &raw, reterr);
    creation.version = raw.version;
    /* The record's creation date comes from this clock, so it is compared before anything is written. */
    if (raw.version == 0) {
        err = read_creation_clock(&creation, &now_tick, reterr);
        if (err != FRAZIL_OK)
            return err;
        creation.record = new_record(options, workers_max, &creation.status, now_tick);
        err = write_record(&creation, reterr);
    }
    return err == FRAZIL_OK && creation.record.quarantine_until == CLOSED ? open_closed(&creation, workers_max, reterr)
                                                                          : err;
}
