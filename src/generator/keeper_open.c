/* SPDX-License-Identifier: MIT */
/* The first grant, when a generator is opened: others may be faster, and others may be waited for. */
#include "core/sentence.h"
#include "extension_lock.h"
#include "generator_internal.h"
#include "handover.h"
#include "keeper.h"
#include "observation.h"
#include "os/spare_fds.h"
#include "os/waits.h"
#include "retry_pause.h"

/* How often opening is overtaken by others, each of which has its grant by then, before it gives up. */
enum { OVERTAKEN_MAX = 8 };

/*
 * Whether other processes hold a lease that this one shares, which has not ended: it is this one's, too, and the
 * coordinator need not be asked.
 */
static bool can_join(const frazil *gen, const struct fz_observation *seen)
{
    const struct fz_grant *grant = &seen->grant;

    return gen->store.kind == FZ_STORE_LEASE && grant->version != 0 && grant->floor <= grant->until &&
           seen->view.now_tick <= grant->until;
}

/*
 * Puts a first grant in force.  A word that others have left behind may stand above its floor, with ids of another
 * worker below (I3).  False: others were faster.
 */
static bool put_first(frazil *gen, struct fz_observation *seen, struct fz_grant *grant)
{
    bool follows = gen->store.kind == FZ_STORE_LEASE && !fz_store_is_new(&gen->store);

    if (follows && grant->worker != seen->grant.worker && !fz_begin_above(gen, seen, grant))
        return false;
    return fz_keeper_put_in_force(gen, seen, grant);
}

/*
 * One try at the first grant of this process.  Another process with the same word may be faster; the next acquire
 * continues its grant, so there is nothing to wait for.
 */
static frazil_err acquire_locked(frazil *gen, struct fz_deadline deadline, frazil_error *reterr)
{
    struct fz_granter *granter = &gen->keeper.granter;

    for (unsigned overtaken = 0; overtaken < OVERTAKEN_MAX; overtaken++) {
        struct fz_observation seen = fz_observe(gen);
        struct fz_grant grant = {.version = 0};
        if (can_join(gen, &seen))
            return FRAZIL_OK;
        const bool is_in_time = fz_deadline_left_ns(deadline) > 0;
        frazil_err err = granter->acquire(granter->ctx, deadline, seen.view.now_tick, &grant, reterr);
        if (err != FRAZIL_OK && is_in_time)
            fz_keeper_note_failure(&gen->shared->keeper, err, reterr->message);
        if (err != FRAZIL_OK)
            return err;
        fz_keeper_note_horizon(gen, &grant, seen.view.now_tick);
        fz_keeper_note_quarantine(gen, &grant);
        /* Not put in force: the other process's grant is in the ring, and the granter continues that one. */
        if (put_first(gen, &seen, &grant)) {
            fz_keeper_forget_failures(&gen->shared->keeper);
            return FRAZIL_OK;
        }
    }
    return fz_fail(reterr, FRAZIL_EAGAIN,
                   "other processes were granted the same worker id first, %u times in a row: open it again",
                   (uint64_t)OVERTAKEN_MAX);
}

/* Whether this process has a grant without asking for one. */
static bool has_joined(frazil *gen)
{
    struct fz_observation seen = fz_observe(gen);

    return can_join(gen, &seen);
}

static uint64_t messages_so_far(const frazil *gen)
{
    return atomic_load_explicit(&gen->shared->keeper.failure.version, memory_order_relaxed);
}

/* This process has not asked the coordinator itself: it passes on what another process was told meanwhile. */
static frazil_err fail_behind_others(const frazil *gen, uint64_t messages_before, frazil_error *reterr)
{
    char why[FZ_SHARED_MESSAGE_SIZE] = "";

    if (messages_so_far(gen) != messages_before)
        fz_shared_message_read(&gen->shared->keeper.failure, why);
    if (why[0] != '\0')
        return fz_fail(reterr, FRAZIL_EAGAIN,
                       "other processes have been asking for the worker id for as long as opening may take "
                       "(open_wait), and the last one failed: %s",
                       why);
    return fz_fail(reterr, FRAZIL_EAGAIN,
                   "other processes have been extending the grant of the worker id for as long as opening may take "
                   "(open_wait), and each had its turn before this one: open it again");
}

/* messages_before: when this opening began. */
static frazil_err try_acquire(frazil *gen, struct fz_deadline deadline, uint64_t messages_before, frazil_error *reterr)
{
    struct fz_extension_lock lock;

    /* Without waiting for the lock, which a stopped process may have, or for threads that wait for it. */
    if (has_joined(gen))
        return FRAZIL_OK;
    frazil_err err;
    if (fz_extension_lock_wait(gen, deadline, has_joined, &lock)) {
        err = acquire_locked(gen, deadline, reterr);
        fz_extension_lock_release(gen, &lock);
    } else {
        err = fail_behind_others(gen, messages_before, reterr);
    }
    /* The one whose turn this was may have been slow, and not stopped: then its lease is there by now. */
    return err == FRAZIL_OK || has_joined(gen) ? FRAZIL_OK : err;
}

/*
 * When others were faster, there is no answer, or the pool is full, the next try may succeed; it is made as long as
 * opening may take.
 */
static frazil_err acquire_first(frazil *gen, struct fz_deadline deadline, frazil_error *reterr)
{
    uint64_t left_ns = gen->fixed.open_wait_ns;
    uint64_t now_ns = fz_monotonic_ns(gen);
    uint64_t until_ns = left_ns > UINT64_MAX - now_ns ? UINT64_MAX : now_ns + left_ns; /* by the program's clock */
    const uint64_t messages_before = messages_so_far(gen);
    frazil_error why = {.code = FRAZIL_OK};
    unsigned looks = 0, tries = 0;

    for (;;) {
        frazil_error said = {.retry_ns = 0};
        frazil_err err = fz_fail_without_fds(try_acquire(gen, deadline, messages_before, &said), &said);
        now_ns = fz_monotonic_ns(gen);
        const uint64_t deadline_ns = fz_deadline_left_ns(deadline);
        left_ns = now_ns < until_ns ? until_ns - now_ns : 0;
        left_ns = deadline_ns < left_ns ? deadline_ns : left_ns;
        bool is_full = err == FRAZIL_EPOOL;
        bool may_pass = is_full || err == FRAZIL_EAGAIN || err == FRAZIL_EUNREACHABLE;
        /* A try that the deadline has cut short knows less than the one before it. */
        if (left_ns > 0 || (err != why.code && !(may_pass && why.code == FRAZIL_EPOOL)))
            why = said;
        uint64_t pause_ns = is_full ? fz_full_pool_pause(looks++, why.retry_ns, left_ns, &gen->random)
                                    : fz_first_grant_pause(tries++, why.retry_ns, left_ns, &gen->random);
        if (may_pass && pause_ns < left_ns && !fz_waits_ended()) {
            gen->clock.sleep_until(gen->clock.ctx, now_ns + pause_ns);
            continue;
        }
        if (err != FRAZIL_OK && reterr != NULL)
            *reterr = why;
        return err == FRAZIL_OK ? FRAZIL_OK : why.code;
    }
}

frazil_err fz_keeper_open(frazil *gen, const struct fz_granter *granter, enum fz_keeper_mode mode,
                          struct fz_deadline deadline, frazil_error *reterr)
{
    struct fz_keeper *keeper = &gen->keeper;

    keeper->granter = *granter;
    keeper->process = fz_fork_mark_read(&gen->fork_mark);
    keeper->mode = mode;
    frazil_err err = acquire_first(gen, deadline, reterr);
    if (err != FRAZIL_OK)
        return err;

    fz_events_begin(gen);
    return mode == FZ_KEEPER_THREAD ? fz_keeper_join_pool(gen, reterr) : FRAZIL_OK;
}
