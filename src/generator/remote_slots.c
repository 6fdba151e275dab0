/* SPDX-License-Identifier: MIT */
#include "remote_slots.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "compose.h"
#include "config/coordinators.h"
#include "core/sentence.h"
#include "generator_internal.h"
#include "monotonic_condition.h"
#include "observation.h"
#include "os/cancel.h"
#include "os/deadline.h"
#include "os/spare_fds.h"
#include "retry_pause.h"
#include "slot_runs.h"
#include "take.h"

/* Between two tries when the source does not answer, or the clocks differ too much. */
static const uint64_t retry_after_ns = 50000000;

/* The longest wait at a time for a request of another thread, so that the end of all waits is noticed. */
static const uint64_t longest_wait_ns = 100000000;

/* The state of one process.  A child makes its own: its parent's lock may be taken, and its parent's slots belong to
 * its parent. */
struct part {
    uint64_t process;   /* see os/fork_mark.h */
    struct part *older; /* of the process that it was forked from */
    bool is_child;      /* and the source does not know it yet */

    pthread_mutex_t lock;      /* of all that follows; nobody holds it while the source is asked */
    pthread_cond_t ended;      /* a request has */
    bool is_asking;            /* a thread asks the source */
    uint64_t asking_since_ns;  /* by the generator's clock */
    uint64_t requests;         /* that have ended */
    struct fz_refusal refusal; /* of the last one; its code is FRAZIL_OK if there was none */
    struct fz_runs in_hand;    /* to be used, the last one first */
    uint64_t turn;             /* counts runs that are handed out */
    uint64_t end;              /* one above every slot that was ever taken from the source */
    char failure[FRAZIL_ERROR_MESSAGE_SIZE];
};

struct fz_remote {
    struct fz_slot_source source;
    char url[FZ_GRANTER_NAME_SIZE]; /* without its password; a longer one is cut */
    uint64_t batch;
    _Atomic(struct part *) part;
};

/* ---- the process's part ----------------------------------------------------------- */

static struct part *new_part(struct part *older, uint64_t process, uint64_t end)
{
    struct part *part = calloc(1, sizeof *part);

    if (part == NULL)
        return NULL;
    if (fz_monotonic_condition_init(&part->ended) != 0) {
        free(part);
        return NULL;
    }
    if (pthread_mutex_init(&part->lock, NULL) != 0) {
        pthread_cond_destroy(&part->ended);
        free(part);
        return NULL;
    }
    fz_runs_begin(&part->in_hand);
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
    fz_runs_end(&part->in_hand);
    free(part);
}

/* A parent's lock may be taken, and threads wait: they are left alone. */
static void free_inherited(struct part *part)
{
    fz_runs_end(&part->in_hand);
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

/* One call of fz_remote_take. */
struct call {
    frazil *gen;
    struct part *part;
    struct fz_wait_budget budget;
    struct fz_refusal in_vain; /* why it has waited so far; FRAZIL_OK: it has not */
    unsigned pauses;
    struct fz_runs taken;
    int cancel_state; /* of the thread, before the call */
};

/* ---- asking the source ---------------------------------------------------------------- */

/* The source's last answer, or that nobody has asked it yet. */
static frazil_err explain_by_source(frazil *gen, const struct fz_refusal *refusal, frazil_error *reterr)
{
    struct part *part = own_part(gen);

    if (part == NULL || refusal->code == FRAZIL_ENOMEM)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    pthread_mutex_lock(&part->lock);
    if (refusal->is_queued)
        fz_fail(reterr, refusal->code,
                "no remote slot: another thread waits for the answer of the coordinator %q, and this call may wait no "
                "longer",
                gen->remote->url);
    else if (refusal->is_unasked && part->refusal.code == FRAZIL_OK)
        fz_fail(reterr, refusal->code,
                "no remote slot: none is in hand, and the call had no time left to ask the coordinator %q",
                gen->remote->url);
    else
        fz_fail(reterr, refusal->code, "no remote slot: %s", part->failure);
    pthread_mutex_unlock(&part->lock);
    if (reterr != NULL) {
        reterr->behind_us = refusal->behind_us;
        reterr->retry_ns = refusal->retry_ns;
    }
    return refusal->code;
}

/* The source's refusal; what passes by itself says when to try again. */
static frazil_err refused(struct part *part, const struct fz_observation *seen, const frazil_error *why,
                          struct fz_refusal *refusal)
{
    uint64_t retry_ns = why->retry_ns;

    /* Without a time the caller would try again at once, and for each id. */
    if (retry_ns == 0 && why->err_class == FRAZIL_CLASS_RETRY)
        retry_ns = retry_after_ns;
    memcpy(part->failure, why->message, why->length + 1);
    fz_refuse(refusal, seen, why->code, retry_ns);
    refusal->behind_us = why->behind_us;
    refusal->explain = explain_by_source;
    return why->code;
}

/* Puts what the source gave in hand. */
static frazil_err receive(frazil *gen, struct part *part, const struct fz_observation *seen,
                          const struct fz_slot_run *given, struct fz_refusal *refusal)
{
    const struct fz_run run = {.first = fz_slot_first(&gen->rules, 0, given->tick) + given->place,
                               .count = given->count};

    /* A counter for each tick does not know that the clock went back: these ids would not be above the ones before. */
    if (run.first < part->end)
        return fz_refuse(refusal, seen, FRAZIL_ECLOCK,
                         fz_ns_until(gen, seen->now, fz_slot_tick(&gen->rules, part->end - 1) + 1));
    part->end = run.first + run.count;
    fz_runs_add(&part->in_hand, &run); /* nothing was in hand, so there is room */
    return FRAZIL_OK;
}

/*
 * Asks for a batch, for n slots at least if the tick has them.  The caller holds the lock, which is open while the
 * source is asked; later callers wait for this request's end, and share its refusal.
 */
static frazil_err ask(frazil *gen, struct part *part, struct fz_deadline deadline, const struct fz_observation *seen,
                      uint64_t n, struct fz_refusal *refusal)
{
    struct fz_remote *remote = gen->remote;
    uint64_t wanted = n > remote->batch ? n : remote->batch;
    frazil_error why = {.message = ""};
    struct fz_slot_run given;

    part->is_asking = true;
    part->asking_since_ns = fz_monotonic_ns(gen);
    pthread_mutex_unlock(&part->lock);
    /* Before the first request of this process, and while no other thread can make one. */
    if (part->is_child && remote->source.after_fork != NULL)
        remote->source.after_fork(remote->source.ctx);
    part->is_child = false;
    frazil_err err = remote->source.take(remote->source.ctx, deadline, seen->view.now_tick, wanted, &given, &why);
    err = fz_fail_without_fds(err, &why);
    pthread_mutex_lock(&part->lock);
    err = err == FRAZIL_OK ? receive(gen, part, seen, &given, refusal) : refused(part, seen, &why, refusal);
    part->refusal = *refusal;
    /* Callers that wait for the request take from what is in hand now, instead of sharing a refusal. */
    if (err == FRAZIL_OK)
        part->refusal = (struct fz_refusal){.code = FRAZIL_OK};
    part->is_asking = false;
    part->requests++;
    pthread_cond_broadcast(&part->ended);
    return err;
}

/* Another thread asks for longer than this call may wait: who knows how long still, but it has lasted so long. */
static frazil_err refuse_queued(const frazil *gen, const struct part *part, const struct fz_observation *seen,
                                struct fz_refusal *refusal)
{
    uint64_t tick_ns = fz_ns_until(gen, seen->now, seen->view.now_tick + 1);
    uint64_t lasted_ns = fz_monotonic_ns(gen) - part->asking_since_ns;
    uint64_t retry_ns = lasted_ns > tick_ns ? lasted_ns : tick_ns;

    fz_refuse(refusal, seen, FRAZIL_EAGAIN, retry_ns < retry_after_ns ? retry_ns : retry_after_ns);
    refusal->explain = explain_by_source;
    refusal->is_queued = true;
    return FRAZIL_EAGAIN;
}

/*
 * A call whose time is over asks nobody: others would wait for its request, and share the refusal.  What came of the
 * last request says more than that.
 */
static frazil_err refuse_unasked(const struct part *part, const struct fz_observation *seen, struct fz_refusal *refusal)
{
    if (part->refusal.code != FRAZIL_OK) {
        *refusal = part->refusal;
    } else {
        fz_refuse(refusal, seen, FRAZIL_EUNREACHABLE, retry_after_ns);
        refusal->explain = explain_by_source;
    }
    refusal->is_unasked = true;
    return refusal->code;
}

static void unlock_part(void *lock)
{
    pthread_mutex_unlock(lock);
}

/* Waits for the part's next broadcast.  The caller holds the lock, without which a thread that is cancelled ends. */
static int await_broadcast(struct call *call, const struct timespec *until)
{
    int sys;

    pthread_cleanup_push(unlock_part, &call->part->lock);
    fz_cancel_as(call->cancel_state);
    sys = pthread_cond_timedwait(&call->part->ended, &call->part->lock, until);
    (void)fz_cancel_off();
    pthread_cleanup_pop(0);
    return sys;
}

/* Waits for the end of the request that another thread has made.  The caller holds the lock. */
static frazil_err await_request(struct call *call, const struct fz_observation *seen, struct fz_refusal *refusal)
{
    struct part *part = call->part;
    uint64_t requests = part->requests;
    uint64_t begun_ns = fz_wait_budget_wait(call->gen, &call->budget);

    while (part->requests == requests) {
        uint64_t left_ns = fz_wait_budget_left(call->gen, &call->budget);
        struct timespec until = fz_monotonic_in(left_ns < longest_wait_ns ? left_ns : longest_wait_ns);
        int sys = left_ns == 0 ? ETIMEDOUT : await_broadcast(call, &until);
        if (sys == ETIMEDOUT && left_ns <= longest_wait_ns)
            break;
    }
    fz_wait_budget_waited(call->gen, begun_ns);
    if (part->requests == requests)
        return refuse_queued(call->gen, part, seen, refusal);
    if (part->refusal.code != FRAZIL_OK)
        *refusal = part->refusal;
    return part->refusal.code;
}

/* ---- one run of slots --------------------------------------------------------------- */

/* Up to n of the slots in hand, of which there are some. */
static void hand_out(struct part *part, uint64_t n, struct fz_run *ret)
{
    struct fz_run *run = &part->in_hand.at[part->in_hand.n - 1];

    *ret = (struct fz_run){.first = run->first, .count = n < run->count ? n : run->count, .turn = ++part->turn};
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

/*
 * Even a call that never waits has to ask a server, as there is nothing else to take: the URL's timeout bounds it.  An
 * answer that comes too late costs no more than its slots.
 */
static struct fz_deadline deadline_of(const frazil *gen, struct fz_wait_budget *budget)
{
    bool asks_without_wait = budget->wait_ns == 0 && !gen->remote->source.is_folder;

    return asks_without_wait ? FZ_DEADLINE_NONE : fz_wait_budget_until(gen, budget);
}

/* Whether a request would be made in vain.  A folder is looked into even so, as that takes no time. */
static bool is_too_late(const frazil *gen, const struct fz_wait_budget *budget)
{
    return budget->wait_ns != 0 && !gen->remote->source.is_folder && fz_wait_budget_left(gen, budget) == 0;
}

/* Up to n slots out of the batch, or of a new one that another thread may be asking for.  The caller holds the lock. */
static frazil_err take_run(struct call *call, struct fz_observation *seen, uint64_t n, struct fz_run *ret,
                           struct fz_refusal *refusal)
{
    frazil *gen = call->gen;
    struct part *part = call->part;

    for (;;) {
        *seen = fz_observe(gen);
        frazil_err err = check_time(gen, seen, refusal);
        if (err != FRAZIL_OK)
            return err;
        fz_runs_drop_before(&part->in_hand, &gen->rules, seen->view.now_tick); /* a batch is not used after its tick */
        bool waits = part->in_hand.n == 0 && part->is_asking;
        if (part->in_hand.n == 0) {
            fz_wait_budget_begin(gen, &call->budget); /* the request below may take long */
            if (waits)
                err = await_request(call, seen, refusal);
            else if (is_too_late(gen, &call->budget))
                err = refuse_unasked(part, seen, refusal);
            else
                err = ask(gen, part, deadline_of(gen, &call->budget), seen, n, refusal);
        }
        if (err != FRAZIL_OK)
            return err;
        /* Another thread may have used up all of it by now. */
        if (waits)
            continue;
        /* Also if its tick ended while the source was asked: else a slow one would be asked for ever. */
        hand_out(part, n, ret);
        return FRAZIL_OK;
    }
}

/* Whether a call may sleep and try again. */
static bool may_retry(const frazil *gen, const struct fz_wait_budget *budget, const struct fz_refusal *refusal)
{
    frazil_err code = refusal->code;
    /* Whether waiting helps is the policy's decision for our own clock, and the source's for its own. */
    bool passes = (code == FRAZIL_EFULL && gen->rules.on_full != FZ_FULL_ERROR) || code == FRAZIL_EAGAIN ||
                  code == FRAZIL_EUNREACHABLE ||
                  (code == FRAZIL_ECLOCK && refusal->explain == NULL && gen->rules.on_backward != FZ_BACKWARD_ERROR);

    return passes && !refusal->is_queued && !refusal->is_unasked &&
           refusal->retry_ns <= fz_wait_budget_left(gen, budget);
}

/* ---- a whole call ------------------------------------------------------------------- */

/*
 * A call that failed keeps nothing: its slots are for the next call, up to the first one after which another
 * thread has taken some, to which they would be ids out of order.
 */
static void give_back(const frazil *gen, struct part *part, struct fz_runs *taken)
{
    pthread_mutex_lock(&part->lock);
    while (taken->n > 0 && taken->at[taken->n - 1].turn == part->turn &&
           fz_runs_put_back(&part->in_hand, &gen->rules, &taken->at[taken->n - 1])) {
        taken->n--;
        part->turn--;
    }
    pthread_mutex_unlock(&part->lock);
}

static frazil_err no_memory(struct fz_refusal *refusal)
{
    *refusal = (struct fz_refusal){.code = FRAZIL_ENOMEM, .explain = explain_by_source};
    return FRAZIL_ENOMEM;
}

/*
 * Waits for the run that was taken last.  *ret_stale: it is of no use any more.  A tick that is over does not make it
 * stale: it was not over when this call asked, and if answers take longer than a tick each run would be as late.
 */
static frazil_err await_run(struct call *call, bool *ret_stale, struct fz_refusal *refusal)
{
    const struct fz_run *run = &call->taken.at[call->taken.n - 1];
    uint64_t last = run->first + run->count - 1;

    fz_cancel_as(call->cancel_state);
    frazil_err err = fz_await(call->gen, run->first, last, &call->budget, ret_stale, refusal);
    (void)fz_cancel_off();
    if (err == FRAZIL_EFULL && call->gen->rules.on_full != FZ_FULL_ERROR)
        refusal->explain = fz_explain_in_vain;
    if (err == FRAZIL_OK && *ret_stale)
        *ret_stale = fz_slot_tick(&call->gen->rules, last) >= fz_observe(call->gen).view.now_tick;
    return err;
}

/* A request that the end of the call's time has cut short, or that was not made, knows less than the one before it. */
static frazil_err end_in_vain(const struct call *call, struct fz_refusal *refusal)
{
    if ((refusal->code == FRAZIL_EUNREACHABLE || refusal->is_unasked) && call->in_vain.code != FRAZIL_OK &&
        fz_wait_budget_left(call->gen, &call->budget) == 0) {
        *refusal = call->in_vain;
        refusal->explain = fz_explain_in_vain;
    }
    return refusal->code;
}

/* Waits for the source to be asked again: to the end, as one pause may be shorter, and all would ask again with it. */
static void await_source(struct call *call, const struct fz_observation *seen, const struct fz_refusal *refusal)
{
    frazil *gen = call->gen;
    uint64_t now_ns = fz_wait_budget_wait(gen, &call->budget);
    uint64_t left_ns = fz_wait_budget_left(gen, &call->budget);
    uint64_t until_ns = now_ns + fz_slots_pause(call->pauses++, refusal->retry_ns, left_ns, &gen->random);

    fz_cancel_as(call->cancel_state);
    while (now_ns < until_ns && fz_wait_budget_left(gen, &call->budget) > 0) {
        fz_pause(gen, seen, &call->budget, until_ns - now_ns);
        now_ns = fz_monotonic_ns(gen);
    }
    (void)fz_cancel_off();
}

/* Adds a run of up to n slots that may be issued.  One that could not be waited for is added as well. */
static frazil_err take_due(struct call *call, uint64_t n, struct fz_refusal *refusal)
{
    frazil *gen = call->gen;
    struct part *part = call->part;

    for (;;) {
        struct fz_observation seen;
        struct fz_run run;
        bool stale = false;
        pthread_mutex_lock(&part->lock);
        frazil_err err = take_run(call, &seen, n, &run, refusal);
        pthread_mutex_unlock(&part->lock);
        if (err != FRAZIL_OK && !may_retry(gen, &call->budget, refusal))
            return end_in_vain(call, refusal);
        if (err == FRAZIL_EFULL)
            call->in_vain = *refusal;
        if (err != FRAZIL_OK) {
            await_source(call, &seen, refusal);
            continue;
        }
        fz_runs_add(&call->taken, &run); /* before it is waited for, so that a cancelled thread gives it back */
        err = await_run(call, &stale, refusal);
        if (err != FRAZIL_OK || !stale)
            return err;
        call->taken.n--;
    }
}

/* Takes n slots, or as many as there are. */
static frazil_err take_all(struct call *call, uint64_t n, struct fz_refusal *refusal)
{
    while (n > 0) {
        if (!fz_runs_make_room(&call->taken))
            return no_memory(refusal);
        frazil_err err = take_due(call, n, refusal);
        if (err != FRAZIL_OK)
            return err;
        n -= call->taken.at[call->taken.n - 1].count;
    }
    return FRAZIL_OK;
}

/* The word follows, so that statistics are right and a child knows what was issued before it. */
static void note_issued(frazil *gen, uint64_t first, uint64_t count)
{
    uint64_t word = atomic_load_explicit(gen->word, memory_order_relaxed);
    uint64_t next;

    do {
        /* Several threads issue in any order, and the word must not fall back. */
        next = word > first + count ? word : first + count;
    } while (
        !atomic_compare_exchange_weak_explicit(gen->word, &word, next, memory_order_acq_rel, memory_order_relaxed));
    atomic_fetch_add_explicit(&gen->shared->skipped, next - word - count, memory_order_relaxed);
}

static void issue(frazil *gen, const struct fz_runs *taken, uint64_t *ret_ids)
{
    uint32_t worker = fz_grant_ring_read(&gen->shared->grants).worker;

    for (size_t i = 0; i < taken->n; i++) {
        const struct fz_run *run = &taken->at[i];
        for (uint64_t k = 0; k < run->count; k++)
            *ret_ids++ = fz_compose_slot(gen, run->first + k, worker);
        note_issued(gen, run->first, run->count);
    }
}

static void cancel_call(void *arg)
{
    struct call *call = arg;

    give_back(call->gen, call->part, &call->taken);
    fz_runs_end(&call->taken);
}

/* A thread that is cancelled while it waits gives its slots back.  It cannot be cancelled with the lock. */
static frazil_err take_cancellable(struct call *call, uint64_t n, struct fz_refusal *refusal)
{
    frazil_err err;

    call->cancel_state = fz_cancel_off();
    pthread_cleanup_push(cancel_call, call);
    err = take_all(call, n, refusal);
    pthread_cleanup_pop(0);
    fz_cancel_as(call->cancel_state);
    return fz_refuse_stopped(call->gen, refusal, err);
}

frazil_err fz_remote_take(frazil *gen, uint64_t *ret_ids, size_t n, uint64_t wait_ns, struct fz_refusal *refusal)
{
    struct call call = {.gen = gen, .part = own_part(gen), .budget = fz_wait_budget_of(gen, wait_ns)};

    if (fz_is_stopped(gen))
        return fz_refuse_stopped(gen, refusal, FRAZIL_ESTOPPED);
    if (call.part == NULL)
        return no_memory(refusal);
    fz_runs_begin(&call.taken);
    frazil_err err = take_cancellable(&call, n, refusal);
    if (err == FRAZIL_OK)
        issue(gen, &call.taken, ret_ids);
    else
        give_back(gen, call.part, &call.taken);
    fz_runs_end(&call.taken);
    return err;
}

/* ---- opening and closing --------------------------------------------------------------- */

frazil_err fz_remote_open(frazil *gen, const struct fz_decision *decision, uint32_t worker,
                          const frazil_coordinator *const *given, frazil_error *reterr)
{
    struct fz_remote *remote = calloc(1, sizeof *remote);
    struct part *part = new_part(NULL, fz_fork_mark_read(&gen->fork_mark), 0);
    frazil_err err;

    if (remote == NULL || part == NULL)
        err = fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    else
        err = fz_coordinator_open_slots(decision, worker, &gen->random, given, &remote->source, reterr);
    if (err != FRAZIL_OK) {
        if (part != NULL)
            destroy_part(part);
        free(remote);
        return err;
    }
    struct fz_sentence url = fz_sentence_in(remote->url, sizeof remote->url);
    fz_sentence_typed(&url, decision->state.url, strlen(decision->state.url));
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
