/* SPDX-License-Identifier: MIT */
/*
 * Finding a worker id: a look at a sample of them, and then a swap of its best.  Larger samples follow, and in the end
 * a look at all, as long as nothing that can be used at once is found.
 */
#include <assert.h>
#include <string.h>

#include "core/duration.h"
#include "core/layout_internal.h"
#include "core/sentence.h"
#include "lease_internal.h"

/* How long before its end a grant is given up for one that begins later: time for a swap, and little to lose. */
#define SWITCH_MS 100

/* ---- nothing available ---------------------------------------------------- */

/* Whether a quarantine holds back all before this tick.  The first tick is nobody's even where none ever was. */
static bool is_end_of_quarantine(const struct fz_lease *lease, uint64_t floor)
{
    uint64_t until = lease->space.record.quarantine_until;

    return until > 0 && floor == until + 1;
}

/* There is something, but not yet. */
static frazil_err not_yet(const struct fz_lease *lease, uint64_t floor, uint64_t wait_ticks, frazil_error *reterr)
{
    /* The two reasons call for different patience: the operator chose the first, and a loss caused the second. */
    bool quarantine = is_end_of_quarantine(lease, floor);

    int64_t begins = fz_layout_tick_unix_ms(&lease->layout, floor);

    if (quarantine && lease->space.record.losses == 0)
        fz_fail(reterr, FRAZIL_EAGAIN,
                "namespace %q was created without --never-used: its first ids come at %t, when no earlier namespace "
                "of this name can have one in use",
                lease->name, begins);
    else
        fz_fail(reterr, FRAZIL_EAGAIN, "%s namespace %q grants nothing before %t",
                quarantine ? "since records may have been lost," : "worker ids are free, but their ticks lie ahead:",
                lease->name, begins);
    if (reterr != NULL)
        reterr->retry_ns = fz_layout_ticks_ns(&lease->layout, wait_ticks);
    return FRAZIL_EAGAIN;
}

/* The tick from which on *held is not worth keeping any more. */
static uint64_t switch_tick(const struct fz_lease *lease, const struct fz_grant *held)
{
    uint64_t margin = SWITCH_MS / lease->layout.tick_ms + 1;
    uint64_t horizon = fz_namespace_horizon(&lease->space, &lease->layout);

    /* A short horizon must not be spent waiting for the switch. */
    if (margin > horizon / 8 + 1)
        margin = horizon / 8 + 1;
    return held->until < margin ? 0 : held->until - margin;
}

/* ---- taking one ----------------------------------------------------------- */

/*
 * A way through a pool that meets each worker id once, in an order of its own: each step is `step`, which has no
 * divisor in common with `count`.  So processes that start together, and what they have taken, are spread evenly.
 */
struct pool_walk {
    uint32_t first;
    uint64_t count; /* 0: not begun */
    uint64_t next;
    uint64_t step;
    uint64_t done;
};

/* One call's search for a worker. */
struct worker_search {
    struct fz_lease *lease;
    uint64_t now_tick;
    const struct fz_grant *held; /* NULL: none */
    struct pool_walk walk;
    size_t samples;          /* how many had nothing */
    bool pair_seen;          /* the group's own worker ids were looked at */
    unsigned unanswered;     /* swaps, each of which may have taken a worker id */
    frazil_error said;       /* of the latest swap */
    struct fz_survey survey; /* the latest look */
    struct fz_grant grant;   /* the result */
    frazil_error *reterr;
};

/* How a look, or an attempt, has ended. */
enum outcome {
    LEASED,
    TRY_ANOTHER,
    LOOK_AGAIN,
    READ_ON,   /* the sample has nothing for now */
    NOT_LEASED /* the error says why */
};

/* The record with which a candidate becomes ours. */
static struct fz_worker_record taken_record(const struct worker_search *search, const struct fz_candidate *candidate)
{
    const struct fz_lease *lease = search->lease;
    struct fz_worker_record record = {.owners = 1, .token = lease->self.token};

    /* Its own record again: `since` and `owners` stay, as the owner has not changed. */
    if (candidate->own)
        record = candidate->record;
    else if (!candidate->fresh)
        record.owners = candidate->record.owners + 1;
    if (!candidate->own)
        record.since_unix_ms = fz_layout_tick_unix_ms(&lease->layout, search->now_tick);
    memcpy(record.owner, lease->self.owner, sizeof record.owner);
    record.floor = candidate->floor;
    record.until = fz_lease_reach(lease, search->now_tick);
    assert(record.until >= record.floor);
    return record;
}

/* The swap was done and answered.  May its grant be used (L5, L6)? */
static bool usable(struct fz_lease *lease, const struct fz_register_status *status, uint64_t now_tick)
{
    lease->counters.skew_ms = fz_clock_difference(&lease->layout, status, now_tick, 0);
    return fz_namespace_same_incarnation(&lease->space, status) && lease->counters.skew_ms >= -fz_lease_skew_ms(lease);
}

/*
 * L8: the record is also missing if the namespace was wiped after the look, and perhaps made again.  Is it
 * still the namespace that was looked at?
 */
static bool namespace_stands(struct worker_search *search, uint64_t floor)
{
    struct fz_lease *lease = search->lease;
    struct fz_register_status status = {.has_clock = false};
    struct fz_record raw = {.version = 0};
    struct fz_namespace_record found;

    lease->counters.round_trips++;
    return lease->reg.read(lease->reg.ctx, lease->call.deadline, FZ_NAMESPACE, &raw, &status, NULL) == FZ_REGISTER_OK &&
           raw.version != 0 && fz_namespace_record_parse(raw.data, raw.len, &found, NULL) == FRAZIL_OK &&
           fz_token_equal(found.token, lease->space.record.token) && found.quarantine_until < floor &&
           fz_namespace_same_incarnation(&lease->space, &status);
}

static enum outcome leased(struct worker_search *search, const struct fz_grant *grant,
                           const struct fz_worker_record *record)
{
    struct fz_lease *lease = search->lease;

    lease->kept.record = *record;
    lease->kept.worker = grant->worker;
    lease->kept.version = grant->version;
    fz_lease_set_trouble(lease, FZ_TROUBLE_NONE, 0, 0);
    lease->remaking.remade = lease->remaking.repeated = false;
    fz_doubt_forget(lease);
    search->grant = *grant;
    search->grant.space = fz_namespace_of_grant(&lease->space);
    search->grant.ends_quarantine = is_end_of_quarantine(lease, grant->floor);
    return LEASED;
}

static enum outcome attempt(struct worker_search *search, const struct fz_candidate *candidate, frazil_err *ret_err)
{
    struct fz_lease *lease = search->lease;
    struct fz_worker_record record = taken_record(search, candidate);
    struct fz_grant grant = {.worker = candidate->worker, .floor = record.floor, .until = record.until};
    struct fz_register_status status = {.has_clock = false};

    search->said = (frazil_error){.message = ""};
    fz_group_ask(lease, record.until);
    if (!fz_group_may_swap(lease, candidate->worker))
        return LOOK_AGAIN;
    enum fz_register_result result =
        fz_lease_swap(lease, candidate->worker, candidate->version, &record, &grant.version, &status, &search->said);

    /* After the swap, because only its answer shows with which incarnation and clock it was carried out. */
    if (result == FZ_REGISTER_OK && usable(lease, &status, search->now_tick) &&
        (!candidate->fresh || namespace_stands(search, grant.floor)))
        return leased(search, &grant, &record);
    if (result == FZ_REGISTER_CONFLICT) {
        lease->call.is_outrun = true;
        if (candidate->own && !fz_lease_has_group(lease)) { /* L3 */
            lease->counters.lost++;
            lease->trouble.kind = FZ_TROUBLE_LOST;
        }
        return TRY_ANOTHER;
    }
    if (result == FZ_REGISTER_OK || result == FZ_REGISTER_UNKNOWN) {
        lease->counters.burned++;
        /* Without a grant there is no trouble of another worker that this would forget. */
        if (search->held == NULL)
            fz_lease_set_trouble(lease, FZ_TROUBLE_BURNED, candidate->worker, 0);
        /* Only one further worker id may be wasted: a coordinator that is silent twice is silent for longer. */
        if (result == FZ_REGISTER_UNKNOWN) {
            search->unanswered++;
            fz_doubt_note(lease, candidate->worker, search->said.message);
        }
        if (search->unanswered < FZ_DOUBT_MAX)
            return LOOK_AGAIN;
    }
    *ret_err = fz_register_error(result, lease->name, &search->said, search->reterr);
    return NOT_LEASED;
}

/* Which to try next: the best, and after a conflict any that is as good, so that a crowd spreads out. */
static size_t choose(const struct worker_search *search, const struct fz_candidate *best, size_t n, bool crowded)
{
    const frazil_random *random = &search->lease->random;
    size_t as_good = 1;

    if (!crowded)
        return 0;
    /* Candidates that begin later are worse for the caller, however crowded the others are. */
    while (as_good < n && (best[as_good].floor <= search->now_tick || best[as_good].floor == best[0].floor))
        as_good++;
    return (size_t)(random->next(random->ctx) % as_good);
}

static enum outcome try_candidates(struct worker_search *search, struct fz_candidate *best, size_t n,
                                   frazil_err *ret_err)
{
    for (int tries = 0; tries < FZ_TRIES_MAX && n > 0; tries++) {
        size_t i = choose(search, best, n, tries > 0);
        enum outcome outcome = attempt(search, &best[i], ret_err);
        if (outcome != TRY_ANOTHER)
            return outcome;
        n--;
        memmove(&best[i], &best[i + 1], (n - i) * sizeof best[0]);
    }
    return LOOK_AGAIN;
}

/*
 * The highest floor with which a candidate can be taken now.  L9: where the
 * coordinator tells its clock, that must have passed all that is taken of the
 * worker; but an owner that burned ticks itself, and has lost nothing, follows them at once.  Processes that share a
 * lease never do (L11): what bears their token may be what a copy of their host goes on with.
 */
static uint64_t floor_max(const struct worker_search *search, const struct fz_candidate *candidate)
{
    const struct fz_lease *lease = search->lease;
    const struct fz_register_status *status = &search->survey.status;
    bool burned = candidate->own && search->held != NULL && fz_lease_after_losses(lease, search->held);
    bool follows = !fz_lease_has_group(lease) && (burned || !status->has_clock);
    uint64_t reach = fz_lease_reach(lease, search->now_tick);
    uint64_t tick = fz_coordinator_tick(&lease->layout, status, search->now_tick);

    return follows || tick > reach ? reach : tick;
}

/* Drops those that cannot be taken yet; returns how many are left. */
static size_t keep_due(const struct worker_search *search, struct fz_candidate *best, size_t n)
{
    size_t due = 0;

    for (size_t i = 0; i < n; i++) {
        if (best[i].floor <= floor_max(search, &best[i]))
            best[due++] = best[i];
    }
    return due;
}

/*
 * Whether the best of a sample is as good as any outside it: it can be used at once, or no other can be used earlier,
 * because the quarantine holds all of them back.
 */
static bool settles(const struct worker_search *search, const struct fz_candidate *best)
{
    return best->floor == search->lease->space.record.quarantine_until + 1 ||
           (best->floor <= search->now_tick && best->floor <= floor_max(search, best));
}

/* Whether there are worker ids in the range that the look has not shown. */
static bool is_partial(const struct fz_survey *survey)
{
    return survey->sample.n > 0 && survey->sample.n < survey->count;
}

/* After a look at worker ids that stand for all others: false if they still do. */
static bool renew_pair(struct fz_lease *lease, const struct fz_survey *survey, uint64_t now_tick,
                       const struct fz_candidate *best, size_t n)
{
    return fz_lease_has_group(lease) ? fz_group_renew(survey, now_tick, best, n) : fz_doubt_settle(lease, survey);
}

/* Decides by what the look has shown. */
static enum outcome decide_by_survey(struct worker_search *search, frazil_err *ret_err)
{
    struct fz_lease *lease = search->lease;
    const struct fz_survey *survey = &search->survey;
    struct fz_candidate best[FZ_SHORTLIST];
    uint64_t now_tick = search->now_tick;
    uint64_t coordinator_tick = fz_coordinator_tick(&lease->layout, &survey->status, now_tick);
    size_t n = fz_survey_candidates(survey, now_tick, coordinator_tick, best);

    search->pair_seen = search->pair_seen || survey->sample.is_pair;
    bool is_last = survey->sample.is_pair && !renew_pair(lease, survey, now_tick, best, n);
    if (is_partial(survey) && !is_last && (n == 0 || !settles(search, &best[0])))
        return READ_ON; /* only a look at all can tell that there is nothing */
    bool in_doubt = is_last && !fz_lease_has_group(lease);
    if (n == 0 && in_doubt) {
        uint64_t until = survey->unreleased.n == 0 ? now_tick : survey->unreleased.at[0].record.until;
        *ret_err = fz_doubt_fail(lease, until + 1, until < now_tick ? 1 : until - now_tick + 1, search->reterr);
        return NOT_LEASED;
    }
    if (n == 0 && survey->taken < survey->usable)
        /* The next look starts at another random place. */
        return LOOK_AGAIN; /* there are more than one look can tell apart */
    if (n == 0) {
        *ret_err = fz_all_leased(lease, survey, coordinator_tick, search->reterr);
        return NOT_LEASED;
    }
    uint64_t earliest = best[0].floor;
    if (earliest > fz_layout_last_tick(&lease->layout)) {
        *ret_err = fz_fail(search->reterr, FRAZIL_EEXHAUSTED, "namespace %q: the last tick of the layout is granted",
                           lease->name);
        return NOT_LEASED;
    }
    /* A grant that still runs is better than a pause, almost up to its end. */
    if (search->held != NULL && earliest > now_tick && now_tick < switch_tick(lease, search->held)) {
        lease->trouble.defer_until = switch_tick(lease, search->held);
        *ret_err = not_yet(lease, earliest, lease->trouble.defer_until - now_tick, search->reterr);
        return NOT_LEASED;
    }
    /* The first available one is worth waiting for the coordinator's clock: later ones begin later still. */
    uint64_t latest = floor_max(search, &best[0]);
    if (earliest > latest) {
        bool is_silent = in_doubt && search->held == NULL;
        *ret_err = (is_silent ? fz_doubt_fail : not_yet)(lease, earliest, earliest - latest, search->reterr);
        return NOT_LEASED;
    }
    return try_candidates(search, best, keep_due(search, best, n), ret_err);
}

/* ---- looking -------------------------------------------------------------- */

/* How many worker ids the namespace has; before it is known, how many it has if nobody has said otherwise. */
static uint64_t namespace_size(const struct fz_lease *lease)
{
    uint64_t workers = fz_layout_max_worker(&lease->layout) + 1;

    if (lease->space.known)
        return lease->space.record.workers;
    if (workers > FZ_NAMESPACE)
        workers = FZ_NAMESPACE;
    return lease->wish.workers != 0 && lease->wish.workers < workers ? lease->wish.workers : workers;
}

/* The worker ids to look at. */
static void range(const struct worker_search *search, uint32_t *ret_first, uint64_t *ret_count)
{
    const struct fz_lease *lease = search->lease;

    *ret_first = lease->wish.base;
    *ret_count = lease->wish.count != 0 ? lease->wish.count : namespace_size(lease) - lease->wish.base;
    /* stay=yes: the number stands in places that frazil cannot see, so no other one will do. */
    if (lease->wish.stay && search->held != NULL) {
        *ret_first = search->held->worker;
        *ret_count = 1;
    }
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void begin_walk(struct worker_search *search, uint32_t first, uint64_t count)
{
    const frazil_random *random = &search->lease->random;
    struct pool_walk walk = {.first = first, .count = count};

    walk.next = random->next(random->ctx) % count;
    walk.step = count == 1 ? 1 : 1 + random->next(random->ctx) % (count - 1);
    while (common_divisor(walk.step, count) != 1)
        walk.step--; /* 1 at the latest */
    search->walk = walk;
    search->samples = 0;
}

/*
 * How many worker ids to read in a range of this size, after some samples that had nothing; 0: all.  *ret_found: of how
 * many more to ask only whether they were ever taken.
 */
static size_t sample_size(const struct worker_search *search, uint64_t count, size_t *ret_found)
{
    enum { SAMPLES_MAX = 7 };
#define ROW(pool_max, ...) {pool_max, {__VA_ARGS__}},
    static const struct {
        uint64_t pool_max;
        struct {
            uint16_t whole;
            uint16_t found;
        } samples[SAMPLES_MAX];
    } rows[] = {FZ_SAMPLES(ROW)};
#undef ROW
    size_t row = 0;

    *ret_found = 0;
    if (count <= FZ_SMALL_POOL)
        return (size_t)count;
    while (count > rows[row].pool_max)
        row++;
    if (search->samples >= SAMPLES_MAX)
        return 0;
    if (search->lease->reg.finds_for_less)
        *ret_found = rows[row].samples[search->samples].found;
    return rows[row].samples[search->samples].whole;
}

/* The worker ids to look at next. */
static void next_sample(struct worker_search *search, uint32_t first, uint64_t count, struct fz_sample *ret)
{
    struct pool_walk *walk = &search->walk;

    fz_group_sample(search->lease, first, count, search->pair_seen, ret);
    fz_doubt_sample(search->lease, ret);
    /* All records of so small a namespace take less than to ask for each of them. */
    if (ret->n > 0 || namespace_size(search->lease) <= FZ_SMALL_POOL)
        return;
    if (walk->first != first || walk->count != count)
        begin_walk(search, first, count);
    size_t found;
    size_t whole = sample_size(search, count, &found);
    size_t size = whole + found;
    /* None that would meet those of the first samples again. */
    if (whole == 0 || (size < count && size > count - walk->done))
        return;
    ret->whole = whole;
    for (; ret->n < size; walk->done++) {
        ret->at[ret->n++] = first + (uint32_t)walk->next;
        walk->next = (walk->next + walk->step) % count;
    }
}

/* The caller's clock was read when the call began. */
static int64_t passed_ms(const struct fz_lease *lease)
{
    if (lease->clock.monotonic_ns == NULL)
        return 0;
    return (int64_t)((lease->clock.monotonic_ns(lease->clock.ctx) - lease->call.begun_ns) / FZ_NS_PER_MS);
}

/* Both directions: an owner behind would seem to have left, one ahead would be granted too much (L5). */
static enum outcome compare_clocks(const struct worker_search *search, frazil_err *ret_err)
{
    struct fz_lease *lease = search->lease;
    const struct fz_register_status *status = &search->survey.status;
    int64_t skew_ms = fz_clock_difference(&lease->layout, status, search->now_tick, passed_ms(lease));
    int64_t max_skew_ms = fz_lease_skew_ms(lease);

    lease->counters.skew_ms = skew_ms;
    if (skew_ms <= max_skew_ms && skew_ms >= -max_skew_ms) {
        fz_lease_note_clock(lease, search->now_tick);
        return TRY_ANOTHER;
    }
    *ret_err =
        fz_clocks_differ(&lease->layout, lease->name, status, search->now_tick, skew_ms, max_skew_ms, search->reterr);
    return NOT_LEASED;
}

/* One look, and everything that must be true of it before a worker may be taken: then TRY_ANOTHER. */
static enum outcome survey_workers(struct worker_search *search, frazil_err *ret_err)
{
    struct fz_lease *lease = search->lease;
    struct fz_survey *survey = &search->survey;
    frazil_error said = {.message = ""};
    uint32_t first;
    uint64_t count;
    bool again;

    range(search, &first, &count);
    struct fz_sample sample;
    next_sample(search, first, count, &sample);
    enum fz_register_result result = fz_survey_make(survey, lease, first, count, &sample, search->held, &said);
    if (result != FZ_REGISTER_OK) {
        *ret_err = fz_register_error(result, lease->name, &said, search->reterr);
        return NOT_LEASED;
    }
    /* Every look finds the clone's record again. */
    if (survey->clone && !lease->trouble.clone_counted) {
        lease->counters.clones++;
        lease->trouble.clone_counted = true;
    }
    const struct fz_witness witness = {search->now_tick, search->held, survey->uncovered};
    *ret_err = fz_namespace_check(lease, &survey->space, &survey->status, &witness, &again, search->reterr);
    /* By L2 the next owner begins above the grant; not so after L10 failed to hold others back in time. */
    lease->remaking.repeated = lease->remaking.repeated || (survey->overtaken && lease->remaking.remade);
    if (*ret_err != FRAZIL_OK)
        return NOT_LEASED;
    if (again)
        return LOOK_AGAIN;                  /* a quarantine has begun */
    range(search, &first, &survey->usable); /* now that the namespace's size is known */
    if (survey->sample.n > 0 && survey->usable != survey->count)
        return LOOK_AGAIN; /* the sample is of numbers that the namespace does not have */
    return compare_clocks(search, ret_err);
}

/* Each look has led to another one. */
static frazil_err never_settled(const struct worker_search *search)
{
    if (search->unanswered == 0 && !search->lease->call.is_outrun)
        return fz_fail(search->reterr, FRAZIL_EAGAIN, "namespace %q changed between reads: try again",
                       search->lease->name);
    return fz_register_error(search->unanswered > 0 ? FZ_REGISTER_UNKNOWN : FZ_REGISTER_CONFLICT, search->lease->name,
                             &search->said, search->reterr);
}

frazil_err fz_lease_take(struct fz_lease *lease, uint64_t now_tick, const struct fz_grant *held, struct fz_grant *ret,
                         frazil_error *reterr)
{
    struct worker_search search = {.lease = lease, .now_tick = now_tick, .held = held, .reterr = reterr};

    /* Bounded: a crowd that is always faster shall not hold a call for ever. */
    for (int looks = 0; looks < FZ_TRIES_MAX;) {
        frazil_err err = FRAZIL_OK;
        enum outcome outcome = survey_workers(&search, &err);
        if (outcome == TRY_ANOTHER)
            outcome = decide_by_survey(&search, &err);
        if (outcome != READ_ON)
            looks++;
        else if (!search.survey.sample.is_pair)
            search.samples++; /* a few times at most: in the end all are looked at */
        if (outcome == NOT_LEASED)
            return err;
        if (outcome == LEASED) {
            *ret = search.grant;
            return FRAZIL_OK;
        }
    }
    return never_settled(&search);
}
