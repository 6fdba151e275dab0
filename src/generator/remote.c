/* SPDX-License-Identifier: MIT */
#include "remote.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/sentence.h"
#include "spec/coordinators.h"

/* Between two tries when the source does not answer, or the clocks differ too much. */
static const uint64_t retry_after_ns = 50000000;

/* The longest wait at a time for a request of another thread, so that the end of all waits is noticed. */
static const uint64_t longest_wait_ns = 100000000;

/* Slots in a row, of one tick. */
struct run {
    uint64_t first;
    uint64_t count;
    uint64_t turn; /* when it was handed out, see struct part */
};

/* A list of runs. */
enum { FEW_RUNS = 4 };
struct runs {
    size_t n;
    size_t room;
    struct run *at; /* few, or allocated */
    struct run few[FEW_RUNS];
};

/* What one process has.  A child makes its own: its parent's lock may be taken, and its parent's slots are its
 * parent's. */
struct part {
    uint64_t process;   /* see os/fork_mark.h */
    struct part *older; /* of the process that it was forked from */
    bool is_child;      /* and the source does not know it yet */

    pthread_mutex_t lock;      /* of all that follows; nobody holds it while the source is asked */
    pthread_cond_t ended;      /* a request has */
    bool is_asking;            /* a thread asks the source */
    uint64_t requests;         /* that have ended */
    struct fz_refusal refusal; /* of the last one; its code is FRAZIL_OK if there was none */
    struct runs in_hand;       /* to be used, the last one first */
    uint64_t turn;             /* counts runs that are handed out */
    uint64_t end;              /* one above every slot that was ever taken from the source */
    char failure[FRAZIL_ERROR_MESSAGE_SIZE];
};

struct fz_remote {
    struct fz_slot_source source;
    uint64_t batch;
    _Atomic(struct part *) part;
};

/* ---- lists of runs ------------------------------------------------------------------ */

static void begin_runs(struct runs *runs)
{
    runs->n = 0;
    runs->room = FEW_RUNS;
    runs->at = runs->few;
}

static void end_runs(struct runs *runs)
{
    if (runs->at != runs->few)
        free(runs->at);
}

/* Makes room for one more; false: no memory. */
static bool make_room(struct runs *runs)
{
    assert(runs->at != NULL && runs->room >= FEW_RUNS);
    if (runs->n < runs->room)
        return true;
    size_t room = 2 * runs->room;
    struct run *larger = room > SIZE_MAX / sizeof *larger ? NULL : malloc(room * sizeof *larger);
    if (larger == NULL)
        return false;
    memcpy(larger, runs->at, runs->n * sizeof *larger);
    end_runs(runs);
    runs->at = larger;
    runs->room = room;
    return true;
}

/* There is room for it. */
static void add_run(struct runs *runs, const struct run *run)
{
    assert(runs->at != NULL && runs->n < runs->room);
    runs->at[runs->n++] = *run;
}

/* ---- the process's part ----------------------------------------------------------- */

/* Waits for others are timed by the clock that nobody sets. */
static int make_condition(pthread_cond_t *ret)
{
    pthread_condattr_t attributes;

    int sys = pthread_condattr_init(&attributes);
    if (sys != 0)
        return sys;
    sys = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (sys == 0)
        sys = pthread_cond_init(ret, &attributes);
    pthread_condattr_destroy(&attributes);
    return sys;
}

static struct part *new_part(struct part *older, uint64_t process, uint64_t end)
{
    struct part *part = calloc(1, sizeof *part);

    if (part == NULL)
        return NULL;
    if (make_condition(&part->ended) != 0) {
        free(part);
        return NULL;
    }
    if (pthread_mutex_init(&part->lock, NULL) != 0) {
        pthread_cond_destroy(&part->ended);
        free(part);
        return NULL;
    }
    begin_runs(&part->in_hand);
    part->process = process;
    part->older = older;
    part->is_child = older != NULL;
    part->end = end;
    return part;
}

/* of this process. */
static void destroy_part(struct part *part)
{
    pthread_mutex_destroy(&part->lock);
    pthread_cond_destroy(&part->ended);
    end_runs(&part->in_hand);
    free(part);
}

/* A parent's lock may be taken, and threads wait: they are left alone. */
static void free_inherited(struct part *part)
{
    end_runs(&part->in_hand);
    free(part);
}

/* NULL: no memory. */
static struct part *own_part(frazil *gen)
{
    struct part *part = atomic_load_explicit(&gen->remote->part, memory_order_acquire);

    uint64_t process = fz_fork_mark_read(&gen->fork_mark);

    while (part->process != process) {
        struct part *own = new_part(part, process, atomic_load_explicit(gen->word, memory_order_acquire));
        if (own == NULL)
            return NULL;
        if (atomic_compare_exchange_strong_explicit(&gen->remote->part, &part, own, memory_order_acq_rel,
                                                    memory_order_acquire))
            return own;
        destroy_part(own);
    }
    return part;
}

/* ---- asking the source ---------------------------------------------------------------- */

/* The source's refusal; what passes by itself says when to try again. */
static frazil_err refused(struct part *part, const struct fz_observation *seen, const frazil_error *why,
                          struct fz_refusal *refusal)
{
    uint64_t retry_ns = why->retry_ns;

    if (retry_ns == 0 && (why->code == FRAZIL_EAGAIN || why->code == FRAZIL_EFULL || why->code == FRAZIL_ECLOCK))
        retry_ns = retry_after_ns;
    memcpy(part->failure, why->message, sizeof part->failure);
    fz_refuse(refusal, seen, why->code, retry_ns);
    refusal->behind_us = why->behind_us;
    refusal->said_by_source = true;
    return why->code;
}

/* Puts what the source gave in hand. */
static frazil_err receive(frazil *gen, struct part *part, const struct fz_observation *seen,
                          const struct fz_slot_run *given, struct fz_refusal *refusal)
{
    const struct run run = {.first = fz_slot_first(&gen->rules, 0, given->tick) + given->place, .count = given->count};

    /* A counter for each tick does not know that the clock went back: these ids would not be above the ones before. */
    if (run.first < part->end)
        return fz_refuse(refusal, seen, FRAZIL_ECLOCK,
                         fz_ns_until(gen, seen->now, fz_slot_tick(&gen->rules, part->end - 1) + 1));
    part->end = run.first + run.count;
    add_run(&part->in_hand, &run); /* nothing was in hand, so there is room */
    return FRAZIL_OK;
}

/*
 * Asks for a batch, for n slots at least if the tick has them.  The caller holds the lock, which is open while the
 * source is asked; those who come meanwhile wait for this request's end, and share its refusal.
 */
static frazil_err ask(frazil *gen, struct part *part, const struct fz_observation *seen, uint64_t n,
                      struct fz_refusal *refusal)
{
    struct fz_remote *remote = gen->remote;
    uint64_t wanted = n > remote->batch ? n : remote->batch;
    frazil_error why = {.message = ""};
    struct fz_slot_run given;

    part->is_asking = true;
    pthread_mutex_unlock(&part->lock);
    if (part->is_child && remote->source.after_fork != NULL)
        remote->source.after_fork(remote->source.ctx);
    part->is_child = false;
    frazil_err err = remote->source.take(remote->source.ctx, seen->view.now_tick, wanted, &given, &why);
    pthread_mutex_lock(&part->lock);
    err = err == FRAZIL_OK ? receive(gen, part, seen, &given, refusal) : refused(part, seen, &why, refusal);
    part->refusal = *refusal;
    if (err == FRAZIL_OK)
        part->refusal = (struct fz_refusal){.code = FRAZIL_OK};
    part->is_asking = false;
    part->requests++;
    pthread_cond_broadcast(&part->ended);
    return err;
}

static struct timespec in_ns(uint64_t ns)
{
    const uint64_t ns_per_s = 1000000000;
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    uint64_t at_ns = (uint64_t)at.tv_nsec + (ns < longest_wait_ns ? ns : longest_wait_ns);
    at.tv_sec += (time_t)(at_ns / ns_per_s);
    at.tv_nsec = (long)(at_ns % ns_per_s);
    return at;
}

/* Another thread asks for longer than this call may wait. */
static frazil_err refuse_queued(const frazil *gen, const struct fz_observation *seen, struct fz_refusal *refusal)
{
    uint64_t tick_ns = fz_ns_until(gen, seen->now, seen->view.now_tick + 1);

    fz_refuse(refusal, seen, FRAZIL_EAGAIN, tick_ns < retry_after_ns ? tick_ns : retry_after_ns);
    refusal->said_by_source = true;
    refusal->is_queued = true;
    return FRAZIL_EAGAIN;
}

/* Waits for the end of the request that another thread has made.  The caller holds the lock. */
static frazil_err await_request(frazil *gen, struct part *part, struct fz_patience *patience,
                                const struct fz_observation *seen, struct fz_refusal *refusal)
{
    uint64_t requests = part->requests;
    uint64_t begun_ns = fz_patience_wait(gen, patience);

    while (part->requests == requests) {
        uint64_t left_ns = fz_patience_left(gen, patience);
        struct timespec until = in_ns(left_ns);
        int sys = left_ns == 0 ? ETIMEDOUT : pthread_cond_timedwait(&part->ended, &part->lock, &until);
        if (sys == ETIMEDOUT && left_ns <= longest_wait_ns)
            break;
    }
    fz_patience_waited(gen, begun_ns);
    if (part->requests == requests)
        return refuse_queued(gen, seen, refusal);
    if (part->refusal.code != FRAZIL_OK)
        *refusal = part->refusal;
    return part->refusal.code;
}

/* ---- one run of slots --------------------------------------------------------------- */

/* A batch is not used after its tick. */
static void drop_old(const frazil *gen, struct part *part, uint64_t now_tick)
{
    struct runs *runs = &part->in_hand;

    while (runs->n > 0 && fz_slot_tick(&gen->rules, runs->at[runs->n - 1].first) < now_tick)
        runs->n--;
}

/* Up to n of the slots in hand, of which there are some. */
static void hand_out(struct part *part, uint64_t n, struct run *ret)
{
    struct run *run = &part->in_hand.at[part->in_hand.n - 1];

    *ret = (struct run){.first = run->first, .count = n < run->count ? n : run->count, .turn = ++part->turn};
    run->first += ret->count;
    run->count -= ret->count;
    if (run->count == 0)
        part->in_hand.n--;
}

static frazil_err check_time(const frazil *gen, const struct fz_observation *seen, struct fz_refusal *refusal)
{
    if (seen->before_epoch)
        return fz_refuse(refusal, seen, FRAZIL_ECLOCK, fz_ns_until(gen, seen->now, 0));
    if (seen->view.now_tick > gen->rules.last_tick)
        return fz_refuse(refusal, seen, FRAZIL_EEXHAUSTED, 0);
    return FRAZIL_OK;
}

/* Up to n slots out of the batch, or of a new one, which another thread may be asking for.  The caller holds the lock.
 */
static frazil_err take_run(frazil *gen, struct part *part, struct fz_patience *patience, struct fz_observation *seen,
                           uint64_t n, struct run *ret, struct fz_refusal *refusal)
{
    for (;;) {
        *seen = fz_observe(gen);
        frazil_err err = check_time(gen, seen, refusal);
        if (err != FRAZIL_OK)
            return err;
        drop_old(gen, part, seen->view.now_tick);
        bool waits = part->in_hand.n == 0 && part->is_asking;
        if (part->in_hand.n == 0) {
            fz_patience_begin(gen, patience); /* what follows may take long */
            err = waits ? await_request(gen, part, patience, seen, refusal) : ask(gen, part, seen, n, refusal);
        }
        if (err != FRAZIL_OK)
            return err;
        if (waits)
            continue;
        /* Also if its tick ended while the source was asked: else a slow one would be asked for ever. */
        hand_out(part, n, ret);
        return FRAZIL_OK;
    }
}

/* Whether a call may sleep and try again. */
static bool may_retry(const frazil *gen, const struct fz_patience *patience, const struct fz_refusal *refusal)
{
    frazil_err code = refusal->code;
    bool passes = (code == FRAZIL_EFULL && gen->rules.on_full != FZ_FULL_ERROR) || code == FRAZIL_EAGAIN ||
                  (code == FRAZIL_ECLOCK && !refusal->said_by_source && gen->rules.on_backward != FZ_BACKWARD_ERROR);

    return passes && !refusal->is_queued && refusal->retry_ns <= fz_patience_left(gen, patience);
}

/* Adds a run of up to n slots that may be issued.  One that could not be waited for is added as well. */
static frazil_err take_due(frazil *gen, struct part *part, struct fz_patience *patience, uint64_t n, struct runs *taken,
                           struct fz_refusal *refusal)
{
    for (;;) {
        struct fz_observation seen;
        struct run run;
        bool stale = false;
        pthread_mutex_lock(&part->lock);
        frazil_err err = take_run(gen, part, patience, &seen, n, &run, refusal);
        pthread_mutex_unlock(&part->lock);
        if (err != FRAZIL_OK && !may_retry(gen, patience, refusal))
            return err;
        if (err != FRAZIL_OK) {
            fz_pause(gen, &seen, patience, refusal->retry_ns);
            continue;
        }
        err = fz_await(gen, run.first, run.first + run.count - 1, patience, &stale, refusal);
        if (err == FRAZIL_OK && stale)
            continue;
        add_run(taken, &run);
        return err;
    }
}

/* ---- a whole call ------------------------------------------------------------------- */

/* Puts one run back in hand.  false: no memory. */
static bool put_back(const frazil *gen, struct part *part, const struct run *run)
{
    struct runs *runs = &part->in_hand;
    struct run *next = runs->n > 0 ? &runs->at[runs->n - 1] : NULL;

    if (next != NULL && run->first + run->count == next->first &&
        fz_slot_tick(&gen->rules, run->first) == fz_slot_tick(&gen->rules, next->first)) {
        next->first = run->first;
        next->count += run->count;
        return true;
    }
    if (!make_room(runs))
        return false;
    add_run(runs, run);
    return true;
}

/*
 * A call that failed keeps nothing: its slots are for the next call, up to the first one after which another
 * thread has taken some, to which they would be ids out of order.
 */
static void give_back(const frazil *gen, struct part *part, struct runs *taken)
{
    pthread_mutex_lock(&part->lock);
    while (taken->n > 0 && taken->at[taken->n - 1].turn == part->turn &&
           put_back(gen, part, &taken->at[taken->n - 1])) {
        taken->n--;
        part->turn--;
    }
    pthread_mutex_unlock(&part->lock);
}

static frazil_err no_memory(struct fz_refusal *refusal)
{
    *refusal = (struct fz_refusal){.code = FRAZIL_ENOMEM, .said_by_source = true};
    return FRAZIL_ENOMEM;
}

/* n slots, as far as they can be had. */
static frazil_err take_all(frazil *gen, struct part *part, struct fz_patience *patience, uint64_t n, struct runs *taken,
                           struct fz_refusal *refusal)
{
    while (n > 0) {
        if (!make_room(taken))
            return no_memory(refusal);
        frazil_err err = take_due(gen, part, patience, n, taken, refusal);
        if (err != FRAZIL_OK)
            return err;
        n -= taken->at[taken->n - 1].count;
    }
    return FRAZIL_OK;
}

/* The word follows, so that statistics are right and a child knows what was issued before it. */
static void note_issued(frazil *gen, uint64_t first, uint64_t count)
{
    uint64_t word = atomic_load_explicit(gen->word, memory_order_relaxed);
    uint64_t next;

    do {
        next = word > first + count ? word : first + count;
    } while (
        !atomic_compare_exchange_weak_explicit(gen->word, &word, next, memory_order_acq_rel, memory_order_relaxed));
    atomic_fetch_add_explicit(&gen->shared->skipped, next - word - count, memory_order_relaxed);
}

static void issue(frazil *gen, const struct runs *taken, uint64_t *ret_ids)
{
    uint32_t worker = fz_grant_board_read(&gen->shared->grants).worker;

    for (size_t i = 0; i < taken->n; i++) {
        const struct run *run = &taken->at[i];
        for (uint64_t k = 0; k < run->count; k++)
            *ret_ids++ = fz_compose_slot(gen, run->first + k, worker);
        note_issued(gen, run->first, run->count);
    }
}

frazil_err fz_remote_take(frazil *gen, uint64_t *ret_ids, size_t n, uint64_t wait_ns, struct fz_refusal *refusal)
{
    struct fz_patience patience = {.wait_ns = wait_ns == FRAZIL_WAIT_DEFAULT ? gen->max_wait_ns : wait_ns};
    struct part *part = own_part(gen);
    struct runs taken;

    if (part == NULL)
        return no_memory(refusal);
    begin_runs(&taken);
    frazil_err err = take_all(gen, part, &patience, n, &taken, refusal);
    if (err == FRAZIL_OK)
        issue(gen, &taken, ret_ids);
    else
        give_back(gen, part, &taken);
    end_runs(&taken);
    return err;
}

frazil_err fz_remote_explain(frazil *gen, const struct fz_refusal *refusal, frazil_error *reterr)
{
    struct part *part = own_part(gen);

    if (part == NULL || refusal->code == FRAZIL_ENOMEM)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    pthread_mutex_lock(&part->lock);
    fz_fail(reterr, refusal->code, "no slot from elsewhere: %s",
            refusal->is_queued ? "another thread waits for the coordinator's answer, and max_wait is over"
                               : part->failure);
    pthread_mutex_unlock(&part->lock);
    if (reterr != NULL) {
        reterr->behind_us = refusal->behind_us;
        reterr->retry_ns = refusal->retry_ns;
    }
    return refusal->code;
}

/* ---- opening and closing --------------------------------------------------------------- */

frazil_err fz_remote_open(frazil *gen, const struct fz_decision *decision, uint32_t worker,
                          const frazil_coordinator *const *given, frazil_error *reterr)
{
    uint64_t lead = gen->rules.max_lead;
    const frazil_coordinator *coordinator;
    const struct fz_slots_request request = {
        .url = decision->state.url,
        .layout = &gen->layout,
        .random = &gen->random,
        .worker = worker,
        .capacity = gen->rules.capacity,
        .random_start = gen->rules.start == FZ_START_RANDOM,
        .max_lead_ms = lead > INT64_MAX / gen->layout.tick_ms ? INT64_MAX : (int64_t)(lead * gen->layout.tick_ms),
        .max_skew_ms = decision->lease.max_skew_ms};

    frazil_err err = fz_coordinator_for("state", decision->state.url, given, &coordinator, reterr);
    if (err == FRAZIL_OK && coordinator->open_slots == NULL)
        err = fz_fail(reterr, FRAZIL_ESPEC, "state: %s has no slots", coordinator->part);
    if (err != FRAZIL_OK)
        return err;
    struct fz_remote *remote = calloc(1, sizeof *remote);
    struct part *part = new_part(NULL, fz_fork_mark_read(&gen->fork_mark), 0);
    if (remote == NULL || part == NULL)
        err = fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    if (err == FRAZIL_OK)
        err = coordinator->open_slots(coordinator, &request, &remote->source, reterr);
    if (err != FRAZIL_OK) {
        if (part != NULL)
            destroy_part(part);
        free(remote);
        return err;
    }
    remote->batch = decision->state.batch;
    atomic_init(&remote->part, part);
    gen->remote = remote;
    return FRAZIL_OK;
}

void fz_remote_close(frazil *gen)
{
    if (gen->remote == NULL)
        return;
    struct part *part = atomic_load_explicit(&gen->remote->part, memory_order_acquire);
    uint64_t process = fz_fork_mark_read(&gen->fork_mark);
    while (part != NULL) {
        struct part *older = part->older;
        if (part->process == process)
            destroy_part(part);
        else
            free_inherited(part);
        part = older;
    }
    gen->remote->source.close(gen->remote->source.ctx);
    free(gen->remote);
    gen->remote = NULL;
}
