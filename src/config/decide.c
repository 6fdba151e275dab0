/* SPDX-License-Identifier: MIT */
#include "decide_internal.h"

#include <stdlib.h>
#include <string.h>

#include "client_environment.h"
#include "coordinators.h"
#include "core/assert.h"
#include "core/duration.h"
#include "core/layout_internal.h"
#include "core/sentence.h"
#include "identity.h"
#include "lease/record.h"
#include "os/cancel.h"

enum { LARGEST_MAX_SKEW_MS = 3600000 };

/* ---- the state ------------------------------------------------------------------- */

/* Slots from elsewhere.  All processes that share them have the same kind of ids and the same time. */
static frazil_err decide_slots(struct fz_decision *decision, const struct fz_values *values, frazil_error *reterr)
{
    const char *url = fz_given_text(values, FZ_KEY_STATE);
    uint64_t capacity = decision->rules.capacity;
    uint64_t batch = fz_is_given(values, FZ_KEY_BATCH) ? values->batch : fz_coordinator_batch(url);

    if (decision->layout.kind == FRAZIL_LAYOUT_SNO)
        return fz_fail(reterr, FRAZIL_ESPEC, "state=URL is for 64-bit ids and cannot be combined with layout=sno");
    if (decision->frozen)
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "state=URL cannot be combined with a frozen clock, which other hosts do not share");
    /* A tick has one counter there, in which konayuki's own generators count from 0 to the layout's largest number. */
    if (fz_coordinator_is_konayuki(url) && !fz_bounds_are_all(&decision->bounds))
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "the sequence numbers %u to %u cannot be combined with konayuki's counters, which use all "
                       "numbers of a tick: leave out seq_min and seq_max",
                       decision->bounds.min, decision->bounds.max);
    if (fz_is_given(values, FZ_KEY_START) && decision->rules.start == FZ_START_SPREAD)
        return fz_value_refuse(values, FZ_KEY_START,
                               "needs to know the load of all that share the slots of a state=URL: use zero or random",
                               reterr);
    decision->state =
        (struct fz_state_choice){.kind = FZ_STATE_URL, .url = url, .batch = batch < capacity ? batch : capacity};
    return fz_value_between(values, FZ_KEY_BATCH, batch, 1, capacity, reterr);
}

/* Reads the state that the spec names.  A clock that is not the real one must not decide about what outlives the
 * process. */
static frazil_err decide_state(struct fz_decision *decision, const struct fz_values *values, frazil_error *reterr)
{
    decision->keeper = (enum fz_keeper_mode)values->keeper;
    if (values->state == FZ_STATE_SET_URL)
        return decide_slots(decision, values, reterr);
    if (fz_is_given(values, FZ_KEY_BATCH))
        return fz_value_refuse(values, FZ_KEY_BATCH, "is for state=URL: how many slots are taken from there at a time",
                               reterr);
    if (values->state == FZ_STATE_SET_FILE && decision->frozen)
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "state=file cannot be combined with a frozen clock, because the file would outlive it");
    return FRAZIL_OK;
}

/* Whether the source of the worker id goes with slots from elsewhere. */
static frazil_err check_slots(const struct fz_worker_choice *worker, frazil_error *reterr)
{
    if (worker->is_granted || worker->lock)
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "state=URL is for hosts that share one worker number: worker=file-lock, a coordinator and a "
                       "granter give each its own, and need no remote slots; use fixed:N");
    return FRAZIL_OK;
}

/*
 * A program's own clock would write its time into the files of the host, and without them ids repeat as soon as it goes
 * back: neither is done unasked.
 */
static frazil_err check_own_clock(const struct fz_decision *decision, int given, const struct fz_occasion *occasion,
                                  frazil_error *reterr)
{
    const struct fz_worker_choice *worker = &decision->worker;
    bool kept_elsewhere = worker->is_granted || worker->in_process || worker->lock;

    if (!occasion->has_clock || given != FZ_STATE_UNSET || kept_elsewhere)
        return FRAZIL_OK;
    return fz_fail(
        reterr, FRAZIL_ESPEC,
        "a clock of the program's own needs state=memory, which forgets all when the generator is closed, or "
        "state=file, which keeps the times that this clock shows");
}

/* Decides the state: as the spec says, and as the worker id and the clock need it. */
static void settle_state(struct fz_decision *decision, int given, const struct fz_occasion *occasion)
{
    const struct fz_worker_choice *worker = &decision->worker;

    if (decision->state.kind != FZ_STATE_MEMORY)
        return;
    /* A coordinator keeps the state of its worker ids; what a snapshot's generator must know stands in the snapshot. */
    bool in_memory = given == FZ_STATE_SET_MEMORY || decision->frozen || worker->is_granted || worker->in_process ||
                     occasion->opening == FZ_OPENING_SNAPSHOT;
    decision->state.kind = in_memory ? FZ_STATE_MEMORY : FZ_STATE_FILES;
}

/*
 * Whether the worker id is claimed.  A clock of the program's own, or a frozen one, makes the same ids each time, as
 * tests expect; a snapshot is taken to make them once more.
 */
static void settle_claim(struct fz_decision *decision, const struct fz_occasion *occasion)
{
    const struct fz_worker_choice *worker = &decision->worker;
    bool is_known = worker->is_granted || worker->in_process || occasion->has_clock || decision->frozen;

    decision->is_of_process = decision->state.kind == FZ_STATE_MEMORY && !is_known;
    decision->is_claimed =
        decision->state.kind == FZ_STATE_FILES || (decision->is_of_process && occasion->opening != FZ_OPENING_SNAPSHOT);
}

/* Whether the state goes with the worker id; operators may look at state that no generator can open. */
static frazil_err check_state(const struct fz_decision *decision, int given, frazil_error *reterr)
{
    const struct fz_worker_choice *worker = &decision->worker;

    if (given == FZ_STATE_SET_FILE && worker->in_process)
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "state=file cannot be combined with worker=auto, which differs in each process");
    if (given == FZ_STATE_SET_FILE && worker->is_granted)
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "state=file cannot be combined with a %s, which keeps the state of its worker ids",
                       worker->by_program ? "granter" : "coordinator");
    if (decision->state.kind == FZ_STATE_URL)
        return check_slots(worker, reterr);
    if (worker->lock && decision->state.kind == FZ_STATE_MEMORY)
        return fz_fail(
            reterr, FRAZIL_ESPEC,
            "worker=file-lock keeps its state in files: it cannot be combined with state=memory or a frozen clock");
    return FRAZIL_OK;
}

/* ---- the lease -------------------------------------------------------------------- */

/* A duration in whole milliseconds; right is the sentence that says which. */
static frazil_err check_ms(const struct fz_values *values, enum fz_key key, uint64_t ns, uint64_t min_ms,
                           uint64_t max_ms, const char *right, frazil_error *reterr)
{
    bool fits = ns % FZ_NS_PER_MS == 0 && ns / FZ_NS_PER_MS >= min_ms && ns / FZ_NS_PER_MS <= max_ms;

    return fits || !fz_is_given(values, key) ? FRAZIL_OK : fz_value_refuse(values, key, right, reterr);
}

static frazil_err decide_lease(struct fz_decision *decision, const struct fz_values *values, frazil_error *reterr)
{
    bool max_skew_is_set = fz_is_given(values, FZ_KEY_MAX_SKEW);

    decision->lease = (struct fz_lease_terms){
        .max_skew_ms = max_skew_is_set ? (int64_t)(values->max_skew_ns / FZ_NS_PER_MS) : FZ_SKEW_MS_DEFAULT,
        .max_skew_is_set = max_skew_is_set,
        .horizon_ms = values->horizon_ns / FZ_NS_PER_MS,
        .workers = values->workers,
        .stay = values->on_loss != 0,
    };
    frazil_err err = check_ms(values, FZ_KEY_MAX_SKEW, values->max_skew_ns, 0, LARGEST_MAX_SKEW_MS,
                              "must be whole milliseconds, from 0ms to 1h", reterr);
    if (err == FRAZIL_OK)
        err = check_ms(values, FZ_KEY_HORIZON, values->horizon_ns, FZ_HORIZON_MS_MIN, FZ_HORIZON_MS_MAX,
                       "must be whole milliseconds, from 100ms to a week (168h)", reterr);
    if (err == FRAZIL_OK)
        err = fz_value_between(values, FZ_KEY_WORKERS, values->workers, 1, fz_layout_max_worker(&values->layout) + 1,
                               reterr);
    return err;
}

/* The numbers that are asked for must be among those that the namespace is said to have. */
static frazil_err check_range(const struct fz_decision *decision, frazil_error *reterr)
{
    const struct fz_worker_choice *worker = &decision->worker;
    uint64_t workers = decision->lease.workers;
    uint64_t end = worker->first + (uint64_t)(worker->count == 0 ? 1 : worker->count);

    if (worker->url == NULL || workers == 0 || end <= workers)
        return FRAZIL_OK;
    return fz_fail(reterr, FRAZIL_ESPEC,
                   "workers=%u says that the namespace has worker ids 0 to %u, but base and count ask for %u to %u: "
                   "choose them within that range",
                   workers, workers - 1, (uint64_t)worker->first, end - 1);
}

/* A worker id that is used without a generator must be granted by a source, and is not replaced unasked. */
static frazil_err settle_lease(struct fz_decision *decision, const struct fz_values *values, frazil_error *reterr)
{
    if (!decision->worker.is_granted)
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "a worker id can be leased from a coordinator or a granter only: write worker=URL, as in "
                       "worker=redis://HOST/NAMESPACE");
    if (!fz_is_given(values, FZ_KEY_ON_LOSS))
        decision->lease.stay = true;
    return FRAZIL_OK;
}

/*
 * Decides whether all processes of the host share the lease.  The environment and the config file may say so for
 * programs that cannot: these go on alone.
 */
static frazil_err settle_sharing(struct fz_decision *decision, const struct fz_values *values,
                                 const struct fz_occasion *occasion, frazil_error *reterr)
{
    bool is_lease = occasion->opening == FZ_OPENING_LEASE;
    bool elsewhere = values->settings->from_elsewhere[FZ_KEY_SHARE];
    /* Said for many programs, it means those that would keep files. */
    bool in_memory = values->state == FZ_STATE_SET_MEMORY && !values->settings->from_elsewhere[FZ_KEY_STATE];
    bool alone = is_lease || in_memory || decision->worker.by_program || decision->frozen || occasion->has_clock ||
                 decision->lease.stay;
    bool hidden = decision->worker.url != NULL && fz_client_reads_files(decision->worker.url);

    if (values->share == 0)
        return FRAZIL_OK;
    if (hidden && !alone && !elsewhere)
        return fz_fail(
            reterr, FRAZIL_ESPEC,
            "share=host cannot be combined with PGSERVICE: only libpq knows which file it reads, and where that "
            "leads: unset it and name host, user and database in the URL, or set share=process");
    if (alone && !elsewhere)
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "share=host cannot be combined with %s: leave it out, or set share=process",
                       is_lease                      ? "a lease without a generator, which belongs to one process"
                       : in_memory                   ? "state=memory, which no other process finds"
                       : decision->worker.by_program ? "a granter of the program's"
                       : decision->lease.stay        ? "on_loss=stop, as one process may move the lease of all"
                       : decision->frozen            ? "a frozen clock, which others do not share"
                                                     : "a clock of the program's own: the host's ids follow one clock");
    if (alone || hidden || decision->worker.url == NULL)
        return FRAZIL_OK;
    decision->state.kind = FZ_STATE_SHARED;
    return FRAZIL_OK;
}

/* The keeper can be another process only where processes share a lease; said for many programs, it means these. */
static frazil_err settle_keeper(struct fz_decision *decision, const struct fz_values *values, frazil_error *reterr)
{
    if (decision->keeper != FZ_KEEPER_OTHER || decision->state.kind == FZ_STATE_SHARED)
        return FRAZIL_OK;
    if (!values->settings->from_elsewhere[FZ_KEY_KEEPER])
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "keeper=other needs worker=URL and share=host, so that another process can hold the lease: "
                       "set both, or choose another keeper");
    decision->keeper = FZ_KEEPER_THREAD;
    return FRAZIL_OK;
}

/* ---- places ------------------------------------------------------------------------ */

static frazil_err find_places(struct fz_decision *decision, const struct fz_values *values, frazil_error *reterr)
{
    struct fz_places *places = &decision->places;

    places->run_dir = fz_given_text(values, FZ_KEY_RUN_DIR);
    places->state_dir = fz_given_text(values, FZ_KEY_STATE_DIR);
    places->host_dir = fz_given_text(values, FZ_KEY_HOST_DIR);
    if (!decision->is_claimed && decision->state.kind != FZ_STATE_SHARED)
        return FRAZIL_OK;
    frazil_err err = fz_identify_words(decision, fz_given_text(values, FZ_KEY_NAMESPACE), reterr);
    if (err == FRAZIL_OK && decision->state.kind == FZ_STATE_SHARED)
        fz_identify_lease(decision);
    return err;
}

/* ---- snapshots ---------------------------------------------------------------------- */

/*
 * The keys whose place the snapshot takes.  A program that writes one into the spec itself expects it to count.  In the
 * environment and the config file they are meant for all generators, and this generator does not use them.
 */
static frazil_err drop_taken(struct fz_settings *settings, frazil_error *reterr)
{
    static const enum fz_key taken[] = {FZ_KEY_WORKER, FZ_KEY_PARTITION, FZ_KEY_BASE,
                                        FZ_KEY_COUNT,  FZ_KEY_SEQ_MIN,   FZ_KEY_SEQ_MAX};
    const char *state = settings->value[FZ_KEY_STATE];

    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        char *value = settings->value[taken[i]];
        if (value != NULL && !settings->from_elsewhere[taken[i]])
            return fz_fail(reterr, FRAZIL_ESPEC, "%s comes from the snapshot and cannot be given as well",
                           fz_key_name(taken[i]));
        fz_settings_forget(value);
        settings->value[taken[i]] = NULL;
    }
    if (state != NULL && !settings->from_elsewhere[FZ_KEY_STATE] && strcmp(state, "file") == 0)
        return fz_fail(reterr, FRAZIL_ESPEC, "state=file cannot be combined with a snapshot, which is the state");
    return FRAZIL_OK;
}

/* Its times cannot be outside the life of the layout: no text says such a one. */
static frazil_err check_snapshot(const struct fz_snapshot *snapshot, const struct fz_decision *decision,
                                 frazil_error *reterr)
{
    FZ_ASSERT(snapshot->wall_hi >= 0 && (uint64_t)snapshot->wall_hi <= decision->rules.last_tick);
    FZ_ASSERT(snapshot->wall_safe >= 0 && (uint64_t)snapshot->wall_safe <= decision->rules.last_tick);
    if (snapshot->sequence != 0 && snapshot->sequence < decision->rules.seq_min)
        return fz_fail(reterr, FRAZIL_ERANGE, "the snapshot's sequence %u is below its lower bound %u",
                       (uint64_t)snapshot->sequence, (uint64_t)decision->rules.seq_min);
    return FRAZIL_OK;
}

/* The snapshot's partition and bounds. */
static frazil_err adopt_snapshot(struct fz_decision *decision, const struct fz_snapshot *snapshot, frazil_error *reterr)
{
    uint64_t max = snapshot->sequence_max;

    if (decision->layout.kind != FRAZIL_LAYOUT_SNO)
        return fz_fail(reterr, FRAZIL_EKIND, "a snapshot belongs to a sno generator: set layout=sno in the spec");
    decision->from_snapshot = true;
    if (max == 0 && snapshot->sequence_min != UINT16_MAX)
        max = UINT16_MAX; /* sno's rule: an upper bound left out is the largest */
    decision->worker =
        (struct fz_worker_choice){.count = 1, .first = (uint32_t)snapshot->partition[0] << 8 | snapshot->partition[1]};
    frazil_err err = fz_policies_set_bounds(decision, snapshot->sequence_min, max, reterr);
    return err == FRAZIL_OK ? check_snapshot(snapshot, decision, reterr) : err;
}

/* ---- the worker id -------------------------------------------------------------------- */

/* A source that is none is a spec that cannot be understood; to the doctor, one that gives no number is a finding. */
static frazil_err diagnose_worker(struct fz_decision *decision, const struct fz_values *values, frazil_error *reterr)
{
    frazil_err err = fz_worker_choose(decision, values, FZ_OPENING_EXAMINATION, &decision->unusable);

    if (err == FRAZIL_ESPEC || err == FRAZIL_ERANGE)
        return fz_fail(reterr, err, "%s", decision->unusable.message);
    return FRAZIL_OK;
}

static frazil_err settle_worker(struct fz_decision *decision, const struct fz_values *values,
                                const struct fz_occasion *occasion, frazil_error *reterr)
{
    const char *given = fz_given_text(values, FZ_KEY_WORKER);

    switch (occasion->opening) {
    case FZ_OPENING_SNAPSHOT:
        return adopt_snapshot(decision, occasion->snapshot, reterr);
    case FZ_OPENING_EXAMINATION:
        return diagnose_worker(decision, values, reterr);
    case FZ_OPENING_NAMESPACE:
        if (given == NULL || !fz_is_url(given))
            return fz_fail(
                reterr, FRAZIL_ESPEC,
                "no coordinator is named: give its URL, as redis://HOST/NAMESPACE, or a spec with worker=URL");
        return fz_worker_choose(decision, values, occasion->opening, reterr);
    case FZ_OPENING_FILES:
        return fz_worker_choose(decision, values, occasion->opening, reterr);
    case FZ_OPENING_GENERATOR:
    case FZ_OPENING_LEASE:
        break;
    }
    return occasion->has_granter ? fz_worker_by_program(decision, values, reterr)
                                 : fz_worker_choose(decision, values, occasion->opening, reterr);
}

/* ---- all of it -------------------------------------------------------------------------- */

static frazil_err decide_all(struct fz_decision *decision, struct fz_settings *settings,
                             const struct fz_occasion *occasion, frazil_error *reterr)
{
    bool opens = occasion->opening == FZ_OPENING_GENERATOR || occasion->opening == FZ_OPENING_LEASE;
    struct fz_values values;
    frazil_err err = FRAZIL_OK;

    if (occasion->opening == FZ_OPENING_SNAPSHOT)
        err = drop_taken(settings, reterr);
    if (err == FRAZIL_OK)
        err = fz_values_read(&values, settings, reterr);
    if (err != FRAZIL_OK)
        return err;
    decision->allow_short_life = values.allow_short_life != 0;
    decision->host_name = fz_given_text(&values, FZ_KEY_HOSTNAME);
    for (int key = 0; key < FZ_KEYS_TOTAL; key++)
        decision->passed_over |= (uint64_t)settings->passed_over[key] << key;
    err = fz_policies_set(decision, &values, reterr);
    if (err == FRAZIL_OK)
        err = decide_state(decision, &values, reterr);
    if (err == FRAZIL_OK)
        err = decide_lease(decision, &values, reterr);
    if (err == FRAZIL_OK)
        err = settle_worker(decision, &values, occasion, reterr);
    if (err != FRAZIL_OK)
        return err;
    decision->worker.is_granted = decision->worker.url != NULL || decision->worker.by_program;
    if (occasion->opening == FZ_OPENING_LEASE)
        err = settle_lease(decision, &values, reterr);
    if (err == FRAZIL_OK)
        err = check_range(decision, reterr);
    if (err == FRAZIL_OK)
        err = settle_sharing(decision, &values, occasion, reterr);
    if (err == FRAZIL_OK)
        err = settle_keeper(decision, &values, reterr);
    if (err != FRAZIL_OK)
        return err;
    settle_state(decision, values.state, occasion);
    settle_claim(decision, occasion);
    if (occasion->opening == FZ_OPENING_GENERATOR)
        err = check_own_clock(decision, values.state, occasion, reterr);
    if (err == FRAZIL_OK && opens)
        err = check_state(decision, values.state, reterr);
    return err == FRAZIL_OK ? find_places(decision, &values, reterr) : err;
}

frazil_err fz_decide_settings(struct fz_decision *ret, struct fz_settings *settings, const struct fz_occasion *occasion,
                              frazil_error *reterr)
{
    static const enum fz_key kept[FZ_DECISION_TEXTS] = {[FZ_TEXT_WORKER] = FZ_KEY_WORKER,
                                                        FZ_KEY_STATE,
                                                        FZ_KEY_RUN_DIR,
                                                        FZ_KEY_STATE_DIR,
                                                        FZ_KEY_HOST_DIR,
                                                        FZ_KEY_HOSTNAME};
    struct fz_decision decision;

    memset(&decision, 0, sizeof decision);
    frazil_err err = decide_all(&decision, settings, occasion, reterr);
    if (err != FRAZIL_OK)
        return err;
    /* The texts change hands and not their place, so that what points into them goes on pointing there. */
    for (int i = 0; i < FZ_DECISION_TEXTS; i++) {
        decision.texts[i] = settings->value[kept[i]];
        settings->value[kept[i]] = NULL;
    }
    *ret = decision;
    return FRAZIL_OK;
}

/* Decides from what the program says, which is freed. */
static frazil_err complete_and_decide(struct fz_decision *ret, struct fz_settings *given,
                                      frazil_environment environment, const struct fz_occasion *occasion,
                                      frazil_error *reterr)
{
    /* A thread that ended in here would leave a file open, and has no tables to unwind this room by. */
    int cancel = fz_cancel_off();
    frazil_err err = fz_settings_complete(given, environment, reterr);
    /* The doctor has a finding for it. */
    if (err == FRAZIL_OK && occasion->opening != FZ_OPENING_EXAMINATION)
        err = fz_settings_check_environment(given, environment, reterr);
    if (err == FRAZIL_OK)
        err = fz_decide_settings(ret, given, occasion, reterr);
    fz_settings_free(given);
    fz_cancel_as(cancel);
    return err;
}

frazil_err fz_decide_given(struct fz_decision *ret, const struct fz_settings *given, frazil_environment environment,
                           const struct fz_occasion *occasion, frazil_error *reterr)
{
    struct fz_settings settings;

    frazil_err err = fz_settings_copy(&settings, given, reterr);
    if (err != FRAZIL_OK)
        return err;
    /* The layout of a snapshot is known. */
    if (occasion->opening == FZ_OPENING_SNAPSHOT && settings.value[FZ_KEY_LAYOUT] == NULL)
        err = fz_settings_set(&settings, "layout", "sno", strlen("sno"), reterr);
    if (err == FRAZIL_OK)
        return complete_and_decide(ret, &settings, environment, occasion, reterr);
    fz_settings_free(&settings);
    return err;
}

static frazil_err decide_text(struct fz_decision *ret, const char *spec, frazil_environment environment,
                              const struct fz_occasion *occasion, frazil_error *reterr)
{
    struct fz_settings settings = {.value = {NULL}};

    frazil_err err = fz_settings_add_text(&settings, spec, "spec", reterr);
    if (err == FRAZIL_OK)
        return complete_and_decide(ret, &settings, environment, occasion, reterr);
    fz_settings_free(&settings);
    return err;
}

frazil_err fz_decide(struct fz_decision *ret, const char *spec, const struct fz_occasion *occasion,
                     frazil_error *reterr)
{
    return decide_text(ret, spec == NULL ? "" : spec, FRAZIL_ENVIRONMENT_BY_KEY, occasion, reterr);
}

frazil_err fz_decide_complete(struct fz_decision *ret, const char *spec, const struct fz_occasion *occasion,
                              frazil_error *reterr)
{
    return decide_text(ret, spec, FRAZIL_ENVIRONMENT_NONE, occasion, reterr);
}

/* A URL has its "://" before anything that a spec could begin with. */
static bool is_bare_url(const char *text)
{
    size_t len = strcspn(text, "=: \t\r\n");

    return strncmp(text + len, "://", 3) == 0;
}

frazil_err fz_decide_spec_or_url(struct fz_decision *ret, const char *spec_or_url, const struct fz_occasion *occasion,
                                 frazil_error *reterr)
{
    struct fz_settings given = {.value = {NULL}};

    if (!is_bare_url(spec_or_url))
        return fz_decide(ret, spec_or_url, occasion, reterr);
    if (strpbrk(spec_or_url, " \t\r\n") != NULL)
        return fz_fail(reterr, FRAZIL_ESPEC, "a URL must be the only argument: with other keys, write worker=URL");
    frazil_err err = fz_settings_set(&given, "worker", spec_or_url, strlen(spec_or_url), reterr);
    if (err == FRAZIL_OK)
        err = fz_decide_given(ret, &given, FRAZIL_ENVIRONMENT_BY_KEY, occasion, reterr);
    fz_settings_free(&given);
    return err;
}

void fz_decision_free(struct fz_decision *decision)
{
    for (int i = 0; i < FZ_DECISION_TEXTS; i++)
        fz_settings_forget(decision->texts[i]);
    *decision = (struct fz_decision){.idle = 0};
}
