/* SPDX-License-Identifier: MIT */
#include "keeper.h"

#include "background_job.h"
#include "core/duration.h"
#include "core/layout_internal.h"
#include "core/sentence.h"
#include "extension_lock.h"
#include "generator_internal.h"
#include "handover.h"
#include "observation.h"
#include "os/deadline.h"
#include "os/fail_errno.h"
#include "os/guard.h"
#include "os/spare_fds.h"
#include "os/waits.h"
#include "refusal.h"
#include "retry_pause.h"

/*
 * However long a grant is, its coordinator is looked at after this time: if an operator creates the namespace again,
 * each holder has to see that before the shortest quarantine ends (FZ_LOST_HORIZON_MS_MIN).  ZooKeeper's sessions
 * count on it, too (SESSION_MS in zookeeper_connection.c).
 */
static const uint64_t longest_look_ns = 20000000000;

static bool is_contiguous(const struct fz_grant *held, const struct fz_grant *grant)
{
    return grant->worker == held->worker && grant->floor == held->floor;
}

void fz_note_floor(frazil *gen, const struct fz_grant *grant, uint64_t now_tick)
{
    bool has_tick = grant->floor <= grant->until;

    if (has_tick && grant->floor > now_tick && grant->floor <= gen->rules.last_tick)
        fz_raise_i64(&gen->shared->high_us, fz_layout_tick_unix_ms(&gen->layout, grant->floor) * 1000);
}

bool fz_keeper_put_in_force(frazil *gen, const struct fz_observation *seen, const struct fz_grant *grant)
{
    fz_note_floor(gen, grant, seen->view.now_tick);
    return fz_grant_ring_put(&gen->shared->grants, seen->grant_number, grant);
}

void fz_keeper_note_quarantine(frazil *gen, const struct fz_grant *grant)
{
    atomic_store_explicit(&gen->keeper.new_tick, grant->ends_quarantine ? grant->floor : 0, memory_order_relaxed);
}

void fz_keeper_note_horizon(frazil *gen, const struct fz_grant *grant, uint64_t now_tick)
{
    if (grant->floor > grant->until)
        return; /* a grant that takes the present one away tells nothing of the next one */
    /* Measured instead of asked for: only the granter knows the namespace, and a program's own granter has none. */
    uint64_t ticks = grant->until > now_tick ? grant->until - now_tick : 1;

    atomic_store_explicit(&gen->shared->keeper.horizon_ticks, ticks, memory_order_relaxed);
}

static uint64_t horizon_ticks(const frazil *gen)
{
    return atomic_load_explicit(&gen->shared->keeper.horizon_ticks, memory_order_relaxed);
}

static uint64_t shorter_of(uint64_t ns, uint64_t other)
{
    return ns < other ? ns : other;
}

void fz_keeper_note_failure(struct fz_keeper_shared *shared, frazil_err err, const char *message)
{
    atomic_store_explicit(&shared->failure_code, err, memory_order_relaxed);
    fz_shared_message_write(&shared->failure, message);
}

void fz_keeper_forget_failures(struct fz_keeper_shared *shared)
{
    atomic_store_explicit(&shared->failures, 0, memory_order_relaxed);
    atomic_store_explicit(&shared->retry_ns, 0, memory_order_relaxed);
    fz_shared_message_write(&shared->failure, "");
}

static void count_extension(struct fz_keeper_shared *shared, bool contiguous)
{
    atomic_fetch_add_explicit(contiguous ? &shared->extended : &shared->replaced, 1, memory_order_relaxed);
    fz_keeper_forget_failures(shared);
}

/* A time further ahead than any pause was left by a process of another time namespace, and does not count. */
uint64_t fz_keeper_retry_in_ns(const frazil *gen)
{
    uint64_t retry_ns = atomic_load_explicit(&gen->shared->keeper.retry_ns, memory_order_relaxed);
    uint64_t now_ns = fz_monotonic_ns(gen);

    return retry_ns > now_ns && fz_retry_pause_may_be(retry_ns - now_ns) ? retry_ns - now_ns : 0;
}

/* Puts off the next try. */
static void back_off(frazil *gen, const struct fz_observation *seen, const frazil_error *why, uint64_t took_ns)
{
    struct fz_keeper_shared *shared = &gen->shared->keeper;
    uint64_t now_tick = seen->view.now_tick;
    uint64_t ended = now_tick > seen->grant.until ? now_tick - seen->grant.until : 0;
    uint64_t failures = atomic_fetch_add_explicit(&shared->failures, 1, memory_order_relaxed);
    const struct fz_failed_try failed = {.failures = failures,
                                         .took_ns = took_ns,
                                         .known_ns = why->retry_ns,
                                         .horizon_ns = fz_horizon_ns(gen),
                                         .ended_ns = fz_layout_ticks_ns(&gen->layout, ended)};
    uint64_t pause_ns = fz_retry_pause(&failed, &gen->random);

    atomic_store_explicit(&shared->retry_ns, fz_monotonic_ns(gen) + pause_ns, memory_order_relaxed);
}

/* How old a grant gets before it is extended. */
static uint64_t look_ticks(const frazil *gen)
{
    uint64_t longest = longest_look_ns / (gen->layout.tick_ms * FZ_NS_PER_MS);

    return shorter_of(horizon_ticks(gen) / 3, longest == 0 ? 1 : longest);
}

/* The tick of the clock from which on the grant is to be extended. */
static uint64_t due_tick(const frazil *gen, const struct fz_grant *grant)
{
    uint64_t rest = horizon_ticks(gen) - look_ticks(gen);

    return grant->until < rest ? 0 : grant->until + 1 - rest;
}

static bool needs_extension(const frazil *gen, const struct fz_grant *grant, uint64_t now_tick)
{
    return now_tick >= due_tick(gen, grant);
}

void fz_keeper_notice_fork(frazil *gen)
{
    struct fz_keeper *keeper = &gen->keeper;
    uint64_t process = fz_fork_mark_read(&gen->fork_mark);

    if (keeper->process != process && keeper->granter.after_fork != NULL)
        keeper->granter.after_fork(keeper->granter.ctx);
    keeper->process = process;
}

/* Whether others have put another grant in force since the ring was looked at. */
static bool is_overtaken(const frazil *gen, const struct fz_observation *seen)
{
    uint64_t number;

    (void)fz_grant_ring_look(&gen->shared->grants, &number);
    return number != seen->grant_number;
}

/* Whether the granter is to be asked now.  If not, *ret_err is FRAZIL_OK where the grant lasts, or the reason. */
static bool is_to_be_asked(const frazil *gen, const struct fz_observation *seen, frazil_err *ret_err,
                           frazil_error *reterr)
{
    *ret_err = FRAZIL_OK;
    if (!needs_extension(gen, &seen->grant, seen->view.now_tick))
        return false;
    /* fz_keeper_end: this process seemed to be gone, on a system that does not tell that a mapping holds no lock. */
    if (seen->grant.version == 0)
        *ret_err = fz_fail(reterr, FRAZIL_ELEASE,
                           "another process of this host has given the lease back: open the generator again");
    /* Every caller at the end of a grant comes here, so a coordinator that is down would be asked for each id. */
    else if (fz_keeper_retry_in_ns(gen) > 0)
        *ret_err = fz_fail(reterr, FRAZIL_EAGAIN, "the last try to extend the grant failed a moment ago");
    return *ret_err == FRAZIL_OK;
}

static frazil_err extend_locked(frazil *gen, struct fz_deadline deadline, frazil_error *reterr)
{
    struct fz_keeper_shared *shared = &gen->shared->keeper;
    struct fz_observation seen = fz_observe(gen);
    struct fz_grant grant = {.version = 0};
    frazil_error why = {.message = ""};
    frazil_err err;

    if (!is_to_be_asked(gen, &seen, &err, reterr))
        return err;
    /* Under the lock, because after_fork changes what other threads of this process read. */
    fz_keeper_notice_fork(gen);
    uint64_t begun_ns = fz_monotonic_ns(gen);
    bool never_waits = fz_deadline_left_ns(deadline) == 0;
    err = gen->keeper.granter.extend(gen->keeper.granter.ctx, deadline, seen.view.now_tick, &seen.grant, &grant, &why);
    err = fz_fail_without_fds(err, &why);
    if (err != FRAZIL_OK && is_overtaken(gen, &seen))
        return FRAZIL_OK; /* nobody needs the answer any more */
    /* It did not wait for the holder of a guard: that delays nothing for the next caller, which may wait. */
    if (err == FRAZIL_EAGAIN && never_waits)
        return reterr == NULL ? err : (*reterr = why).code;
    if (err != FRAZIL_OK) {
        fz_events_note_failure(gen, err, atomic_load_explicit(&shared->failures, memory_order_relaxed) == 0);
        back_off(gen, &seen, &why, fz_monotonic_ns(gen) - begun_ns);
        fz_keeper_note_failure(shared, err, why.message);
        if (reterr != NULL)
            *reterr = why;
        return err;
    }
    /* Also of a grant that comes too late to be put in force: it tells how long the next one lasts. */
    fz_keeper_note_horizon(gen, &grant, seen.view.now_tick);
    if (grant.worker != seen.grant.worker && !fz_begin_above(gen, &seen, &grant))
        return FRAZIL_OK;
    fz_keeper_note_quarantine(gen, &grant);
    if (fz_keeper_put_in_force(gen, &seen, &grant))
        count_extension(shared, is_contiguous(&seen.grant, &grant));
    fz_events_note_grant(gen, &grant);
    return FRAZIL_OK;
}

/* Whether there is a grant to extend, by this process: a failed try of another one would put off the keeper's next. */
static bool is_our_work(const frazil *gen)
{
    return gen->keeper.granter.ctx != NULL && gen->keeper.mode != FZ_KEEPER_OTHER;
}

frazil_err fz_keeper_extend(frazil *gen, struct fz_deadline deadline, frazil_error *reterr)
{
    struct fz_extension_lock lock;

    if (!is_our_work(gen))
        return FRAZIL_OK;
    if (!fz_extension_lock_try(gen, &lock))
        return fz_fail(reterr, FRAZIL_EAGAIN, "another thread or process is extending the grant");
    frazil_err err = extend_locked(gen, deadline, reterr);
    fz_extension_lock_release(gen, &lock);
    return err;
}

bool fz_keeper_is_due(const frazil *gen, const struct fz_grant *grant, uint64_t now_tick)
{
    if (gen->keeper.granter.ctx == NULL)
        return false;
    /* The thread extends after a third, so a caller finds less than a quarter only if there is no thread or it fails.
     */
    return grant->floor > grant->until || grant->until < now_tick || grant->until - now_tick < horizon_ticks(gen) / 4;
}

bool fz_keeper_can_reach(const frazil *gen, const struct fz_grant *held, uint64_t first, uint64_t last,
                         uint64_t *ret_tick)
{
    uint64_t horizon = horizon_ticks(gen);
    uint64_t due = due_tick(gen, held);
    uint64_t near = last > horizon ? last - horizon : 0;

    *ret_tick = due > near ? due : near;
    return last - first <= horizon;
}

/* ---- the thread ------------------------------------------------------------ */

/* How long until the grant wants to be extended, or a little longer, so that a fleet that started as one spreads. */
static uint64_t pause_ns(frazil *gen)
{
    struct fz_observation seen = fz_observe(gen);
    uint64_t look = look_ticks(gen);
    uint64_t rest = horizon_ticks(gen) - look;
    uint64_t retry_ns = fz_keeper_retry_in_ns(gen);

    if (retry_ns > 0)
        return retry_ns;
    /* The last try did not help, though it reported no failure: another process has the lock. */
    if (needs_extension(gen, &seen.grant, seen.view.now_tick))
        return FZ_RETRY_SHORTEST_NS;
    uint64_t left = seen.grant.until - seen.view.now_tick;
    uint64_t until_due = left >= rest ? left - rest + 1 : 0;
    return fz_layout_ticks_ns(&gen->layout, shorter_of(until_due, look) + fz_jitter(look / 4, &gen->random)) +
           FZ_NS_PER_MS;
}

/* Of work that no call waits for: each request of a coordinator has its timeout, and a guard is left in no time. */
static struct fz_deadline job_deadline(const frazil *gen)
{
    return gen->keeper.asks_coordinator ? FZ_DEADLINE_NONE : fz_guard_deadline();
}

/* A failure is tried again; callers learn of it when the grant has ended. */
static uint64_t keep_grant(void *ctx)
{
    frazil *gen = ctx;
    frazil_err ignored = fz_keeper_extend(gen, job_deadline(gen), NULL);

    (void)ignored;
    return pause_ns(gen);
}

frazil_err fz_keeper_join_pool(frazil *gen, frazil_error *reterr)
{
    struct fz_keeper_task *task = &gen->keeper.task;

    task->look = keep_grant;
    task->ctx = gen;
    int sys = fz_keeper_pool_join(task, pause_ns(gen));
    if (sys == 0)
        return FRAZIL_OK;
    return fz_fail_errno(reterr, sys, "the keeper thread cannot be started", NULL,
                         ": raise the limits on threads and memory (ulimit -u, -v)");
}

bool fz_keeper_has_thread(const frazil *gen)
{
    return fz_keeper_pool_is_ours(&gen->keeper.task);
}

/* Unless a try has failed, and it is too early for the next. */
static void hurry(frazil *gen)
{
    if (fz_keeper_retry_in_ns(gen) == 0)
        fz_keeper_pool_hurry(&gen->keeper.task);
}

bool fz_keeper_delegate(frazil *gen)
{
    bool has_thread = fz_keeper_has_thread(gen);

    if (has_thread)
        hurry(gen);
    return has_thread || gen->keeper.mode == FZ_KEEPER_HOOK;
}

/* ---- frazil_keep ------------------------------------------------------------- */

#define FZ_UNANSWERED "the grant is being extended, and %s has not answered yet"

/* When to look again at a grant that a thread is just extending. */
static const uint64_t look_again_ns = 10000000;

/*
 * In a thread of its own, if there is one.  The exchange is the last that it has to do with the generator, which may be
 * freed then; or it is to close it.
 */
static frazil_err extend_job(frazil *gen, struct fz_deadline deadline, frazil_error *reterr)
{
    uint64_t process = fz_fork_mark_read(&gen->fork_mark);
    frazil_err err = fz_keeper_extend(gen, deadline, reterr);

    if (!atomic_compare_exchange_strong_explicit(&gen->keeper.job, &process, 0, memory_order_acq_rel,
                                                 memory_order_acquire))
        gen->keeper.go_on(gen);
    return err;
}

static bool has_job(frazil *gen)
{
    return atomic_load_explicit(&gen->keeper.job, memory_order_acquire) == fz_fork_mark_read(&gen->fork_mark);
}

/* One thread at a time: false if there is one.  A mark that a parent process has left does not count. */
static bool begin_job(frazil *gen)
{
    uint64_t process = fz_fork_mark_read(&gen->fork_mark);
    uint64_t job = atomic_load_explicit(&gen->keeper.job, memory_order_relaxed);

    return job != process && atomic_compare_exchange_strong_explicit(&gen->keeper.job, &job, process,
                                                                     memory_order_acq_rel, memory_order_relaxed);
}

/* Whether nobody waits for the coordinator any more. */
static bool is_call_over(const frazil *gen)
{
    return fz_waits_ended() || fz_is_stopped(gen);
}

/* Waits for a thread that an earlier call has left at work; many calls may. */
static void await_job(frazil *gen, struct fz_deadline deadline, bool (*ends)(const frazil *gen))
{
    uint64_t pause_ns = 0;

    while (has_job(gen) && (ends == NULL || !ends(gen)) && fz_pause_longer(deadline, &pause_ns))
        ;
}

/* Has the thread that is at work go on.  False: it is not any more. */
static bool hand_over(frazil *gen)
{
    uint64_t process = fz_fork_mark_read(&gen->fork_mark);

    return atomic_compare_exchange_strong_explicit(&gen->keeper.job, &process, FZ_KEEPER_HANDED_OVER,
                                                   memory_order_acq_rel, memory_order_acquire);
}

static void go_on_with(void *gen)
{
    ((frazil *)gen)->keeper.go_on(gen);
}

bool fz_keeper_stop(frazil *gen, struct fz_deadline deadline, void (*go_on)(frazil *gen))
{
    gen->keeper.go_on = go_on;
    await_job(gen, deadline, NULL);
    if (has_job(gen) && hand_over(gen))
        return false;
    return !fz_keeper_has_thread(gen) || fz_keeper_pool_leave(&gen->keeper.task, deadline, go_on_with);
}

/* No thread can be created: then the answer is waited for here, up to the deadline. */
static frazil_err extend_here(frazil *gen, struct fz_deadline deadline, frazil_error *reterr)
{
    if (fz_deadline_left_ns(deadline) > 0)
        return extend_job(gen, fz_deadline_earlier(job_deadline(gen), deadline), reterr);
    atomic_store_explicit(&gen->keeper.job, 0, memory_order_release);
    return fz_fail(reterr, FRAZIL_EAGAIN, "%s" FZ_NO_KEEPER_THREAD, gen->keeper.granter_name);
}

/* Has a thread ask, and waits for it up to the deadline. */
static frazil_err extend_in_background(frazil *gen, struct fz_deadline deadline, frazil_error *reterr)
{
    const struct fz_background_wait wait = {.until = deadline, .is_over = is_call_over};
    frazil_err err;

    enum fz_background end = fz_background_run(gen, extend_job, job_deadline(gen), &wait, &err, reterr);
    atomic_store_explicit(&gen->keeper.lacks_thread, end == FZ_BACKGROUND_NO_THREAD, memory_order_relaxed);
    if (end == FZ_BACKGROUND_NO_THREAD)
        return extend_here(gen, deadline, reterr);
    return end == FZ_BACKGROUND_ENDED ? err : fz_fail(reterr, FRAZIL_EAGAIN, FZ_UNANSWERED, gen->keeper.granter_name);
}

/* Extends the grant up to the deadline; what takes longer goes on.  asks_itself: the caller may be held up by that. */
static frazil_err keep_within(frazil *gen, struct fz_deadline deadline, bool asks_itself, frazil_error *reterr)
{
    frazil_err err;

    await_job(gen, deadline, is_call_over);
    bool is_begun = !has_job(gen);
    if (is_begun && (gen->keeper.asks_program || asks_itself))
        return fz_keeper_extend(gen, job_deadline(gen), reterr);
    struct fz_observation seen = fz_observe(gen);
    if (is_begun && !is_to_be_asked(gen, &seen, &err, reterr))
        return err;
    if (is_begun && begin_job(gen))
        return extend_in_background(gen, deadline, reterr);
    return fz_fail(reterr, FRAZIL_EAGAIN, FZ_UNANSWERED, gen->keeper.granter_name);
}

frazil_err fz_keeper_extend_within(frazil *gen, struct fz_deadline deadline, frazil_error *reterr)
{
    /* A file is written at once, and a wait for its guard can be cut short. */
    if (!gen->keeper.asks_coordinator)
        return fz_keeper_extend(gen, deadline, reterr);
    return is_our_work(gen) ? keep_within(gen, deadline, false, reterr) : FRAZIL_OK;
}

frazil_err frazil_keep(frazil *gen, uint64_t wait_ns, uint64_t *ret_next_ns, frazil_error *reterr)
{
    struct fz_deadline deadline = fz_deadline_in(wait_ns == FRAZIL_WAIT_DEFAULT ? gen->fixed.max_wait_ns : wait_ns);

    *ret_next_ns = FRAZIL_WAIT_FOREVER;
    if (fz_is_stopped(gen))
        return fz_fail_stopped(reterr);
    if (!is_our_work(gen))
        return FRAZIL_OK;
    frazil_err err =
        keep_within(gen, deadline, deadline.at_ns == FZ_DEADLINE_NONE.at_ns && !gen->keeper.asks_coordinator, reterr);
    if (err != FRAZIL_OK && fz_is_stopped(gen))
        return fz_fail_stopped(reterr);
    *ret_next_ns = has_job(gen) ? look_again_ns : pause_ns(gen);
    return err;
}
