/* SPDX-License-Identifier: MIT */
#include "open.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/coordinators.h"
#include "config/life.h"
#include "core/layout_internal.h"
#include "core/now.h"
#include "core/sentence.h"
#include "generator_internal.h"
#include "left_off.h"
#include "os/clock.h"
#include "os/counter.h"
#include "os/deadline.h"
#include "os/fail_errno.h"
#include "os/host.h"
#include "os/memory.h"
#include "port_granter.h"
#include "remote_slots.h"
#include "state/grant_store.h"

/* splitmix64: one atomic add a number, so threads need no lock.  Where ticks start need not be secret. */
static uint64_t splitmix_next(void *ctx)
{
    _Atomic uint64_t *state = ctx;
    uint64_t z = atomic_fetch_add_explicit(state, UINT64_C(0x9e3779b97f4a7c15), memory_order_relaxed);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static frazil_err open_clock(frazil *gen, const struct fz_decision *decision, const struct fz_ports *ports,
                             frazil_error *reterr)
{
    if (ports->clock != NULL) {
        gen->clock = *ports->clock;
    } else if (decision->frozen) {
        frazil_err err =
            frazil_manual_clock_open(&gen->own.frozen_clock, decision->frozen_unix_ms, FRAZIL_CLOCK_FROZEN, reterr);
        if (err != FRAZIL_OK)
            return err;
        frazil_manual_clock_port(gen->own.frozen_clock, &gen->clock, sizeof gen->clock);
    } else {
        gen->clock = fz_real_clock();
        gen->fixed.counter_usable = fz_counter_usable();
    }
    return FRAZIL_OK;
}

static frazil_err open_random(frazil *gen, const struct fz_ports *ports, frazil_error *reterr)
{
    uint64_t seed;

    if (ports->random != NULL) {
        gen->random = *ports->random;
        return FRAZIL_OK;
    }
    int sys = fz_host_entropy(&seed);
    if (sys != 0)
        return fz_fail_errno(reterr, sys, "the system's random numbers cannot be read", NULL, "");
    atomic_init(&gen->own.random_state, seed);
    gen->random = (frazil_random){.size = sizeof(frazil_random), .ctx = &gen->own.random_state, .next = splitmix_next};
    return FRAZIL_OK;
}

/* The pages: those of the process, and the one that is shared, wherever it lives. */
static frazil_err open_pages(frazil *gen, const struct fz_decision *decision, struct fz_deadline deadline,
                             uint32_t *ret_worker, frazil_error *reterr)
{
    bool wiped;

    gen->private_page = fz_map_wiped(sizeof *gen->private_page, &wiped);
    if (gen->private_page == NULL)
        return fz_fail_errno(reterr, errno, "a page for the generator's state cannot be mapped", NULL, "");
    fz_fork_mark_init(&gen->fork_mark, wiped ? &gen->private_page->process : NULL);
    frazil_err err = fz_store_open(&gen->store, decision, &gen->clock, deadline, &gen->shared, ret_worker, reterr);
    if (err == FRAZIL_OK)
        gen->word = &gen->shared->word;
    return err;
}

/*
 * Slots may be taken by adding when a ticket for the next tick can always be
 * honoured: when a call may wait that long, or ids may be stamped that far
 * ahead.  A random start wants to choose it for each tick anew.
 */
static enum fz_fast_path choose_fast_path(const frazil *gen)
{
    const struct fz_slot_rules *rules = &gen->rules;
    uint64_t two_ticks_ns = gen->layout.tick_ms * UINT64_C(2000000);
    bool waits = rules->on_full == FZ_FULL_WAIT && gen->fixed.max_wait_ns >= two_ticks_ns;
    bool leads = rules->on_full == FZ_FULL_LEAD && rules->max_lead >= 2;

    if (!gen->fixed.counter_usable || gen->remote != NULL)
        return FZ_FAST_NONE;
    if (rules->start == FZ_START_RANDOM || !(waits || leads))
        return FZ_FAST_CHECKED;
    return gen->layout.kind == FRAZIL_LAYOUT_SNO ? FZ_FAST_ADD_SNO : FZ_FAST_ADD_64;
}

/* The place that keeps what a generator took, after its end. */
static frazil_state_kind kept_by(const struct fz_decision *decision)
{
    if (decision->state.kind == FZ_STATE_URL)
        return FRAZIL_STATE_SLOTS;
    if (decision->worker.is_granted)
        return FRAZIL_STATE_GRANT;
    return decision->state.kind == FZ_STATE_FILES ? FRAZIL_STATE_FILE : FRAZIL_STATE_MEMORY;
}

static void adopt_rules(frazil *gen, const struct fz_decision *decision)
{
    gen->layout = decision->layout;
    gen->rules = decision->rules;
    gen->fixed.max_wait_ns = decision->max_wait_ns;
    gen->fixed.open_wait_ns = decision->open_wait_ns;
    gen->capacity = decision->rules.capacity;
    if (gen->layout.kind == FRAZIL_LAYOUT_SNO)
        return;
    gen->fixed.time_shift = (uint8_t)fz_layout_time_shift(&gen->layout);
    gen->sequence_shift = (uint8_t)fz_layout_sequence_shift(&gen->layout);
    gen->fixed.worker_shift = (uint8_t)fz_layout_worker_shift(&gen->layout);
}

/* ---- worker=auto ------------------------------------------------------------------- */

enum { PARTITIONS = 65536, SNO_TICK_MS = 4 };

/* On a page that children share, so that a parent and its child never draw the same one. */
struct partition_pool {
    _Atomic uint32_t drawn;
    uint32_t first;
};

static struct partition_pool *partition_pool;
static pthread_once_t partition_pool_once = PTHREAD_ONCE_INIT;

static void open_partition_pool(void)
{
    struct partition_pool *page = fz_map_shared(sizeof *page);

    if (page == NULL)
        return;
    page->first = (uint32_t)(fz_real_now().unix_ms / SNO_TICK_MS) % PARTITIONS;
    partition_pool = page;
}

/*
 * The next partition of this process: the first derives from the time of the first call, each further one is the next
 * number, so they are unique within the process and the children that are born after that call.  Others that call at
 * the same time draw the same.  It is the one thing in the library that all users of a process share, because
 * uniqueness within the process is what it is for.
 */
static frazil_err auto_partition(uint32_t *ret, frazil_error *reterr)
{
    pthread_once(&partition_pool_once, open_partition_pool);
    if (partition_pool == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");

    uint32_t drawn = atomic_load_explicit(&partition_pool->drawn, memory_order_relaxed);
    do {
        if (drawn == PARTITIONS)
            return fz_fail(reterr, FRAZIL_EPOOL,
                           "worker=auto: all 65536 partitions of this process are taken: share generators, or give "
                           "each a worker of its own");
    } while (!atomic_compare_exchange_weak_explicit(&partition_pool->drawn, &drawn, drawn + 1, memory_order_relaxed,
                                                    memory_order_relaxed));
    *ret = (partition_pool->first + drawn) % PARTITIONS;
    return FRAZIL_OK;
}

/* ---- the grant ---------------------------------------------------------------------- */

static frazil_err other_has_none(void *ctx, struct fz_deadline deadline, uint64_t now_tick, struct fz_grant *ret,
                                 frazil_error *reterr)
{
    (void)deadline;
    (void)ctx;
    (void)now_tick;
    (void)ret;
    return fz_fail(
        reterr, FRAZIL_EAGAIN,
        "no process of this host holds the lease, and with keeper=other this one does not take it: start the "
        "one that keeps it, with the same spec and another keeper");
}

static frazil_err other_extends_none(void *ctx, struct fz_deadline deadline, uint64_t now_tick,
                                     const struct fz_grant *held, struct fz_grant *ret, frazil_error *reterr)
{
    (void)held;
    return other_has_none(ctx, deadline, now_tick, ret, reterr);
}

/* The other process may still live, and goes on with it. */
static frazil_err other_keeps(void *ctx, struct fz_deadline deadline, const struct fz_grant *held, uint64_t used_tick)
{
    (void)deadline;
    (void)ctx;
    (void)held;
    (void)used_tick;
    return FRAZIL_OK;
}

static void nothing_to_close(void *ctx)
{
    (void)ctx;
}

/*
 * keeper=other: another process of the host holds the lease that this one shares.  This one finds the grant on the
 * page, asks no coordinator and loads no client.
 */
static struct fz_granter other_keeper(void)
{
    static char presence; /* a granter is there if its context is not NULL */

    return (struct fz_granter){.ctx = &presence,
                               .acquire = other_has_none,
                               .extend = other_extends_none,
                               .release = other_keeps,
                               .close = nothing_to_close};
}

/* The name of this process, for operators that look at a coordinator: "host:pid". */
static void name_owner(char *buf, size_t size)
{
    struct fz_sentence owner = fz_sentence_in(buf, size);
    char host[FZ_HOST_NAME_SIZE];

    fz_sentence_str(&owner, fz_host_name(host, sizeof host) == 0 ? host : "?");
    fz_sentence_char(&owner, ':');
    fz_sentence_u64(&owner, (uint64_t)getpid());
}

/* Whether the grant is still the one in the ring. */
static bool is_in_force(void *ring, const struct fz_grant *grant)
{
    struct fz_grant now = fz_grant_ring_read(ring);

    return now.worker == grant->worker && now.version == grant->version;
}

static frazil_err open_lease(frazil *gen, const struct fz_decision *decision, const struct fz_ports *ports,
                             struct fz_granter *ret, frazil_error *reterr)
{
    const frazil_coordinator *coordinator;
    char owner[FZ_HOST_NAME_SIZE + 16];
    const struct fz_lease_group group = {.token = gen->store.token,
                                         .pair = &gen->shared->keeper.pair,
                                         .is_in_force = is_in_force,
                                         .ctx = &gen->shared->grants};
    const struct fz_lease_request lease = {.url = decision->worker.url,
                                           .owner = owner,
                                           .layout = &gen->layout,
                                           .random = &gen->random,
                                           .clock = &gen->clock,
                                           .base = decision->worker.first,
                                           .count = decision->worker.count,
                                           .max_skew_ms = decision->lease.max_skew_ms,
                                           .max_skew_is_set = decision->lease.max_skew_is_set,
                                           .stay = decision->lease.stay,
                                           .horizon_ms = decision->lease.horizon_ms,
                                           .workers = decision->lease.workers,
                                           .group = gen->store.kind == FZ_STORE_LEASE ? &group : NULL};

    name_owner(owner, sizeof owner);
    frazil_err err = fz_coordinator_for("worker", decision->worker.url, ports->coordinators, &coordinator, reterr);
    return err == FRAZIL_OK ? coordinator->open_granter(coordinator, &lease, ret, reterr) : err;
}

/* Names the granter of the worker id, for the sentence about a grant that has ended without its answer. */
static void name_granter(frazil *gen, const struct fz_decision *decision, const struct fz_ports *ports)
{
    struct fz_sentence name = fz_sentence_in(gen->keeper.granter_name, sizeof gen->keeper.granter_name);
    const char *url = decision->worker.url;

    if (ports->granter != NULL) {
        fz_sentence_str(&name, "the granter of the program");
    } else if (url != NULL) {
        fz_sentence_str(&name, "the coordinator ");
        fz_sentence_quoted(&name, url, strlen(url));
    } else {
        fz_sentence_str(&name, "the state file ");
        fz_sentence_quoted(&name, gen->store.grant_path, strlen(gen->store.grant_path));
    }
}

/*
 * Puts the first grant in force: from the program's granter, the coordinator, or the file if the
 * state is kept; otherwise nobody grants the worker, and all ticks are its own.
 */
static frazil_err open_grant(frazil *gen, const struct fz_decision *decision, const struct fz_ports *ports,
                             uint32_t worker, struct fz_deadline deadline, frazil_error *reterr)
{
    const struct fz_grant for_ever = {.worker = worker, .floor = gen->store.claim.floor, .until = UINT64_MAX};
    struct fz_granter granter;
    frazil_err err;

    name_granter(gen, decision, ports);
    gen->keeper.task.queue = fz_keeper_pool_queue(decision->worker.url);
    gen->keeper.asks_coordinator = decision->worker.url != NULL && ports->granter == NULL;
    if (ports->granter != NULL) {
        gen->keeper.asks_program = true;
        err = fz_port_granter_open(&granter, ports->granter, &gen->layout, reterr);
    } else if (decision->keeper == FZ_KEEPER_OTHER) {
        granter = other_keeper();
        err = FRAZIL_OK;
    } else if (decision->worker.url != NULL) {
        err = open_lease(gen, decision, ports, &granter, reterr);
    } else if (gen->store.kind == FZ_STORE_FILE) {
        err = fz_store_granter(&gen->store, fz_grant_store_reserve(&gen->layout), &granter, reterr);
    } else {
        (void)fz_grant_ring_put(&gen->shared->grants, 0, &for_ever); /* the page is this process's alone */
        fz_note_floor(gen, &for_ever, 0);
        fz_events_begin(gen);
        return FRAZIL_OK;
    }
    return err == FRAZIL_OK ? fz_keeper_open(gen, &granter, decision->keeper, deadline, reterr) : err;
}

/* Whether nothing keeps others from its number. */
static bool is_unclaimed(const frazil *gen)
{
    return gen->fixed.state == FRAZIL_STATE_MEMORY && gen->store.claim.page == NULL;
}

/* Opening allows these, and they may still surprise. */
static void tell_warnings(frazil *gen)
{
    int64_t now_ms = fz_now(&gen->clock).unix_ms;
    frazil_layout_info info;

    frazil_layout_get_info(&gen->layout, &info, sizeof info);
    if (is_unclaimed(gen))
        fz_events_tell(gen, FRAZIL_EVENT_WARN_UNCLAIMED, FRAZIL_OK, now_ms, 0);
    if (gen->fixed.collision_ppm != 0)
        fz_events_tell(gen, FRAZIL_EVENT_WARN_COLLISION, FRAZIL_OK, now_ms, gen->fixed.collision_ppm);
    if (now_ms >= info.last_unix_ms - FZ_SHORT_LIFE_MS)
        fz_events_tell(gen, FRAZIL_EVENT_WARN_SHORT_LIFE, FRAZIL_OK, now_ms, (uint64_t)info.last_unix_ms);
    if (now_ms < gen->layout.epoch_unix_ms)
        fz_events_tell(gen, FRAZIL_EVENT_WARN_EARLY_CLOCK, FRAZIL_OK, now_ms,
                       (uint64_t)gen->layout.epoch_unix_ms - (uint64_t)now_ms);
}

/* How long a grant may take to be given back by a thread that nobody waits for. */
static const uint64_t go_on_closing_ns = 2000000000;

/* Leaves the shared page; the last process releases the grant. */
static frazil_err leave_store(frazil *gen, struct fz_deadline deadline, bool opened)
{
    frazil_err err = FRAZIL_OK;
    bool is_lease = gen->store.kind == FZ_STORE_LEASE;
    bool is_last = fz_store_leave(&gen->store, deadline, &gen->shared);
    struct fz_remnant remnant = {.held = {.version = 0}};
    if (is_last) {
        gen->word = &gen->shared->word;
        /*
         * The one that keeps the lease may have been killed, and goes on with it when it is started again.  Neither
         * does an open that has failed before it could ask the coordinator end what others have left.
         */
        if (gen->keeper.mode != FZ_KEEPER_OTHER && gen->keeper.granter.ctx != NULL)
            remnant = fz_keeper_end(gen);
    }
    /*
     * A lease is taken out of the ring while nobody can look at it.  After that it is given back, which may take long:
     * meanwhile others may open, and find nothing there to use.  The other way round they would use what somebody
     * else has been given.
     */
    if (is_lease)
        fz_store_close(&gen->store, gen->shared);
    if (is_last)
        err = fz_keeper_release(gen, deadline, &remnant);
    if (is_last && !opened && !is_lease)
        fz_store_undo(&gen->store);
    fz_keeper_close(gen);
    if (!is_lease)
        fz_store_close(&gen->store, gen->shared);
    return err;
}

/* No thread looks after it any more. */
static frazil_err finish_closing(frazil *gen, struct fz_deadline deadline, bool opened)
{
    frazil_err err = leave_store(gen, deadline, opened);

    fz_events_close(gen);
    fz_unmap(gen->private_page, sizeof *gen->private_page);
    frazil_manual_clock_close(gen->own.frozen_clock);
    free(gen);
    return err;
}

/* In the thread that was at work when the closing call had no time left. */
static void go_on_closing(frazil *gen)
{
    (void)fz_keeper_stop(gen, FZ_DEADLINE_NONE, NULL);
    frazil_err ignored = finish_closing(gen, fz_deadline_in(go_on_closing_ns), true);
    (void)ignored;
}

static frazil_err close_generator(frazil *gen, struct fz_deadline deadline, bool opened)
{
    /* Nothing of the program's is called after that, and an opening has no thread that could be at work for long. */
    bool waits = !opened || gen->fixed.has_program_ports || gen->overflow.fn != NULL;

    if (gen->private_page != NULL && gen->shared != NULL)
        fz_overflow_close(gen);
    fz_remote_close(gen);
    fz_left_off_note(gen);
    fz_left_off_die(gen);
    if (!fz_keeper_stop(gen, waits ? FZ_DEADLINE_NONE : deadline, go_on_closing))
        return FRAZIL_EAGAIN;
    return finish_closing(gen, deadline, opened);
}

/* Whether it may be in the way of another one of this process, whatever the host's files say. */
static bool is_counted(const frazil *gen, const struct fz_decision *decision)
{
    return decision->is_of_process || (fz_is_sno(gen) && !decision->worker.is_granted);
}

frazil_err fz_open_decided(frazil **ret, const struct fz_decision *decision, const struct fz_ports *ports,
                           struct fz_deadline deadline, frazil_error *reterr)
{
    frazil *gen = aligned_alloc(alignof(frazil), sizeof *gen);
    uint32_t worker = 0;

    if (gen == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    memset(gen, 0, sizeof *gen);
    adopt_rules(gen, decision);
    gen->fixed.has_program_ports = ports->clock != NULL || ports->random != NULL || ports->granter != NULL;
    gen->fixed.collision_ppm = decision->worker.collision_ppm;
    gen->fixed.state = (uint8_t)kept_by(decision);
    frazil_err err = open_clock(gen, decision, ports, reterr);
    if (err == FRAZIL_OK)
        err = fz_check_life(decision, &gen->clock, reterr);
    if (err == FRAZIL_OK)
        err = open_random(gen, ports, reterr);
    if (err == FRAZIL_OK)
        err = open_pages(gen, decision, deadline, &worker, reterr);
    if (err == FRAZIL_OK && decision->worker.in_process)
        err = auto_partition(&worker, reterr);
    if (err == FRAZIL_OK)
        err = open_grant(gen, decision, ports, worker, deadline, reterr);
    if (err == FRAZIL_OK && decision->state.kind == FZ_STATE_URL)
        err = fz_remote_open(gen, decision, worker, ports->coordinators, reterr);
    if (err == FRAZIL_OK && is_counted(gen, decision))
        err = fz_left_off_live(gen, worker, decision, reterr);
    /* After that: another one that was just closed has noted where it left off. */
    if (err == FRAZIL_OK && decision->is_of_process)
        err = fz_left_off_resume(gen, worker, &decision->bounds, reterr);
    if (err != FRAZIL_OK) {
        (void)close_generator(gen, deadline, false); /* which has no time of its own */
        return err;
    }
    gen->fast_path = choose_fast_path(gen);
    tell_warnings(gen);
    *ret = gen;
    return FRAZIL_OK;
}

frazil_err fz_close_opened(frazil *gen, struct fz_deadline deadline)
{
    return close_generator(gen, deadline, true);
}
