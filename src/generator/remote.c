/* SPDX-License-Identifier: MIT */
#include "remote.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coordinators.h"
#include "core/sentence.h"

static const uint64_t default_batch = 64;

/* Between two tries when the source does not answer, or the clocks differ too much. */
static const uint64_t retry_after_ns = 50000000;

/* What one process has.  A child makes its own: its parent's lock may be taken, and its parent's slots are its
 * parent's. */
struct part {
    pid_t pid;
    struct part *older; /* of the process that it was forked from */
    pthread_mutex_t lock;
    bool is_child; /* and the source does not know it yet */
    uint64_t next; /* slots next .. next + left - 1 are there to be used */
    uint64_t left;
    uint64_t end; /* one above every slot that was ever taken from the source */
    char failure[FRAZIL_ERROR_MESSAGE_SIZE];
};

struct fz_remote {
    struct fz_slot_source source;
    uint64_t batch;
    _Atomic(struct part *) part;
};

/* ---- the process's part ----------------------------------------------------------- */

static struct part *new_part(struct part *older, uint64_t end)
{
    struct part *part = calloc(1, sizeof *part);

    if (part == NULL)
        return NULL;
    if (pthread_mutex_init(&part->lock, NULL) != 0) {
        free(part);
        return NULL;
    }
    part->pid = getpid();
    part->older = older;
    part->is_child = older != NULL;
    part->end = end;
    return part;
}

/* NULL: no memory. */
static struct part *own_part(frazil *gen)
{
    struct part *part = atomic_load_explicit(&gen->remote->part, memory_order_acquire);

    while (part->pid != getpid()) {
        struct part *own = new_part(part, atomic_load_explicit(gen->word, memory_order_acquire));
        if (own == NULL)
            return NULL;
        if (atomic_compare_exchange_strong_explicit(&gen->remote->part, &part, own, memory_order_acq_rel,
                                                    memory_order_acquire))
            return own;
        pthread_mutex_destroy(&own->lock);
        free(own);
    }
    return part;
}

/* ---- one run of slots --------------------------------------------------------------- */

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

/* Takes a batch, n at least if the tick has them. */
static frazil_err refill(frazil *gen, struct part *part, const struct fz_observation *seen, uint64_t n,
                         struct fz_refusal *refusal)
{
    struct fz_remote *remote = gen->remote;
    frazil_error why = {.message = ""};
    struct fz_slot_run run;

    if (part->is_child && remote->source.after_fork != NULL)
        remote->source.after_fork(remote->source.ctx);
    part->is_child = false;
    uint64_t wanted = n > remote->batch ? n : remote->batch;
    if (remote->source.take(remote->source.ctx, seen->view.now_tick, wanted, &run, &why) != FRAZIL_OK)
        return refused(part, seen, &why, refusal);
    uint64_t first = fz_slot_first(&gen->rules, 0, run.tick) + run.place;
    /* A counter for each tick does not know that the clock went back: these ids would not be above the ones before. */
    if (first < part->end)
        return fz_refuse(refusal, seen, FRAZIL_ECLOCK,
                         fz_ns_until(gen, seen->now, fz_slot_tick(&gen->rules, part->end - 1) + 1));
    part->next = first;
    part->left = run.count;
    part->end = first + run.count;
    return FRAZIL_OK;
}

/* Up to n slots out of the batch, or of a new one. */
static frazil_err take_run(frazil *gen, struct part *part, struct fz_observation *seen, uint64_t n, uint64_t *ret_first,
                           uint64_t *ret_count, struct fz_refusal *refusal)
{
    *seen = fz_observe(gen);
    if (seen->before_epoch)
        return fz_refuse(refusal, seen, FRAZIL_ECLOCK, fz_ns_until(gen, seen->now, 0));
    if (seen->view.now_tick > gen->rules.last_tick)
        return fz_refuse(refusal, seen, FRAZIL_EEXHAUSTED, 0);
    if (fz_slot_tick(&gen->rules, part->next) < seen->view.now_tick)
        part->left = 0;
    if (part->left == 0) {
        frazil_err err = refill(gen, part, seen, n, refusal);
        if (err != FRAZIL_OK)
            return err;
    }
    *ret_first = part->next;
    *ret_count = n < part->left ? n : part->left;
    part->next += *ret_count;
    part->left -= *ret_count;
    return FRAZIL_OK;
}

/* The same under the lock.  A call that may not wait does not wait for others either. */
static frazil_err take_run_locked(frazil *gen, struct part *part, const struct fz_patience *patience,
                                  struct fz_observation *seen, uint64_t n, uint64_t *ret_first, uint64_t *ret_count,
                                  struct fz_refusal *refusal)
{
    if (patience->wait_ns != 0) {
        pthread_mutex_lock(&part->lock);
    } else if (pthread_mutex_trylock(&part->lock) != 0) {
        *seen = fz_observe(gen);
        return fz_refuse(refusal, seen, FRAZIL_EFULL, fz_ns_until(gen, seen->now, seen->view.now_tick + 1));
    }
    frazil_err err = take_run(gen, part, seen, n, ret_first, ret_count, refusal);
    pthread_mutex_unlock(&part->lock);
    return err;
}

/* Slots that could not be waited for: for the next call, if nobody has taken any since. */
static void give_back(struct part *part, uint64_t first, uint64_t count)
{
    pthread_mutex_lock(&part->lock);
    if (part->next == first + count) {
        part->next = first;
        part->left += count;
    }
    pthread_mutex_unlock(&part->lock);
}

/* Whether a call may sleep and try again. */
static bool may_retry(const frazil *gen, const struct fz_patience *patience, const struct fz_refusal *refusal)
{
    frazil_err code = refusal->code;
    bool passes = (code == FRAZIL_EFULL && gen->rules.on_full != FZ_FULL_ERROR) || code == FRAZIL_EAGAIN ||
                  (code == FRAZIL_ECLOCK && !refusal->said_by_source && gen->rules.on_backward != FZ_BACKWARD_ERROR);

    return passes && refusal->retry_ns <= fz_patience_left(gen, patience);
}

/* Slots that may be issued. */
static frazil_err take_due(frazil *gen, struct part *part, struct fz_patience *patience, uint64_t n,
                           uint64_t *ret_first, uint64_t *ret_count, struct fz_refusal *refusal)
{
    for (;;) {
        struct fz_observation seen;
        bool stale = false;
        frazil_err err = take_run_locked(gen, part, patience, &seen, n, ret_first, ret_count, refusal);
        if (err != FRAZIL_OK && !may_retry(gen, patience, refusal))
            return err;
        if (err != FRAZIL_OK) {
            fz_pause(gen, &seen, patience, refusal->retry_ns);
            continue;
        }
        err = fz_await(gen, *ret_first, *ret_first + *ret_count - 1, patience, &stale, refusal);
        if (err != FRAZIL_OK)
            give_back(part, *ret_first, *ret_count);
        if (err != FRAZIL_OK || !stale)
            return err;
    }
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

frazil_err fz_remote_take(frazil *gen, uint64_t *ret_ids, size_t n, uint64_t wait_ns, struct fz_refusal *refusal)
{
    struct fz_patience patience = {.wait_ns = wait_ns == FRAZIL_WAIT_DEFAULT ? gen->max_wait_ns : wait_ns};
    struct part *part = own_part(gen);
    uint64_t first = 0;
    uint64_t count = 0;

    if (part == NULL) {
        *refusal = (struct fz_refusal){.code = FRAZIL_ENOMEM, .said_by_source = true};
        return FRAZIL_ENOMEM;
    }
    uint32_t worker = fz_grant_board_read(&gen->shared->grants).worker;
    for (size_t done = 0; done < n; done += count) {
        frazil_err err = take_due(gen, part, &patience, n - done, &first, &count, refusal);
        if (err != FRAZIL_OK)
            return err;
        for (uint64_t i = 0; i < count; i++)
            ret_ids[done + i] = fz_compose_slot(gen, first + i, worker);
        note_issued(gen, first, count);
    }
    return FRAZIL_OK;
}

frazil_err fz_remote_explain(frazil *gen, const struct fz_refusal *refusal, frazil_error *reterr)
{
    struct part *part = own_part(gen);

    if (part == NULL || refusal->code == FRAZIL_ENOMEM)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    pthread_mutex_lock(&part->lock);
    fz_fail(reterr, refusal->code, "no slot from elsewhere: %s", part->failure);
    pthread_mutex_unlock(&part->lock);
    if (reterr != NULL) {
        reterr->behind_us = refusal->behind_us;
        reterr->retry_ns = refusal->retry_ns;
    }
    return refusal->code;
}

/* ---- opening and closing --------------------------------------------------------------- */

frazil_err fz_remote_check(const struct fz_worker_choice *worker, frazil_error *reterr)
{
    if (fz_worker_is_granted(worker) || worker->lock)
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "state=URL is for hosts that share one worker number: worker=file-lock, a coordinator and a "
                       "granter give each its own, and need no slots from elsewhere; say fixed:N");
    return FRAZIL_OK;
}

static uint64_t choose_batch(const frazil *gen, const struct fz_config *config)
{
    /* konayuki's counters count single ids. */
    uint64_t batch = strncmp(config->slots_url, "konayuki+", strlen("konayuki+")) == 0 ? 1 : default_batch;

    if (config->batch != 0)
        batch = config->batch;
    return batch < gen->rules.capacity ? batch : gen->rules.capacity;
}

frazil_err fz_remote_open(frazil *gen, const struct fz_config *config, uint32_t worker,
                          const frazil_coordinator *const *given, frazil_error *reterr)
{
    uint64_t lead = gen->rules.max_lead;
    const frazil_coordinator *coordinator;
    const struct fz_slots_request request = {
        .url = config->slots_url,
        .layout = &gen->layout,
        .random = &gen->random,
        .worker = worker,
        .capacity = gen->rules.capacity,
        .random_start = gen->rules.start == FZ_START_RANDOM,
        .max_lead_ms = lead > INT64_MAX / gen->layout.tick_ms ? INT64_MAX : (int64_t)(lead * gen->layout.tick_ms),
        .max_skew_ms = config->max_skew_ms};

    frazil_err err = fz_coordinator_for("state", config->slots_url, given, &coordinator, reterr);
    if (err == FRAZIL_OK && coordinator->open_slots == NULL)
        err = fz_fail(reterr, FRAZIL_ESPEC, "state: %s has no slots", coordinator->part);
    if (err != FRAZIL_OK)
        return err;
    struct fz_remote *remote = calloc(1, sizeof *remote);
    struct part *part = new_part(NULL, 0);
    if (remote == NULL || part == NULL)
        err = fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    if (err == FRAZIL_OK)
        err = coordinator->open_slots(coordinator, &request, &remote->source, reterr);
    if (err != FRAZIL_OK) {
        free(part);
        free(remote);
        return err;
    }
    remote->batch = choose_batch(gen, config);
    atomic_init(&remote->part, part);
    gen->remote = remote;
    return FRAZIL_OK;
}

void fz_remote_close(frazil *gen)
{
    if (gen->remote == NULL)
        return;
    struct part *part = atomic_load_explicit(&gen->remote->part, memory_order_acquire);
    while (part != NULL) {
        struct part *older = part->older;
        if (part->pid == getpid())
            pthread_mutex_destroy(&part->lock); /* a parent's may be taken: it is left alone */
        free(part);
        part = older;
    }
    gen->remote->source.close(gen->remote->source.ctx);
    free(gen->remote);
    gen->remote = NULL;
}
