/* SPDX-License-Identifier: MIT */
#include "taking.h"

#include "faults.h"
#include "generator/generator_internal.h"
#include "host.h"
#include "oracle.h"
#include "plan.h"
#include "process.h"
#include "program.h"
#include "story.h"
#include "world.h"

static const uint64_t untouched = UINT64_C(0x5a5a5a5a5a5a5a5a);

void take_refused_opening(frazil_err code, const frazil_error *err)
{
    tell(TOLD_OPEN_FAILS, (uint64_t)(int64_t)code, 0, 0);
    tell_aside(err->message);
    if (code == FRAZIL_EPOOL)
        tell(STRUCK_POOL_ENDED, 0, 0, 0);
    if (code == FRAZIL_EWORKER && plan.divides)
        tell(STRUCK_SHARD_REFUSED, self()->bounds.first, self()->bounds.last, 0);
    if (code == FRAZIL_EEXHAUSTED)
        faults_note_life_ended();
    if (code != FRAZIL_EPOOL && code != FRAZIL_EWORKER && code != FRAZIL_EAGAIN && code != FRAZIL_EUNREACHABLE &&
        code != FRAZIL_ENAMESPACE && code != FRAZIL_ECLOCK && code != FRAZIL_ESYS && code != FRAZIL_ESTATE &&
        !(code == FRAZIL_EEXHAUSTED && faults_life_may_have_ended()))
        world_fail("a generator cannot be opened: %s", err->message);
}

void take_pause_after_refusal(void)
{
    uint64_t longest_ns = faults_are_over() ? faults_think_ns() : plan.think_ns + SECOND;

    /* That somebody has a claim is seen in hundreds of looks. */
    self_wait(&plan, world_now() + of_any_size(plan.of_users ? longest_ns : 100 * MS,
                                               plan.of_users ? 4 * longest_ns : longest_ns));
}

static frazil_err take(frazil *gen, uint64_t *ids, size_t *ret_n, size_t n)
{
    uint64_t retry_ns;
    frazil_error err;
    frazil_err code;

    *ret_n = n;
    switch (pick(4)) {
    case 0:
        return frazil_take(gen, ids, n, FRAZIL_WAIT_DEFAULT, NULL);
    case 1:
        return frazil_take(gen, ids, n, pick(plan.promises.max_wait_ns + 1), &err);
    case 2:
        code = frazil_try_take(gen, ids, 1, ret_n, &retry_ns, NULL);
        *ret_n = 1;
        return code;
    default:
        *ret_n = 1;
        return frazil_next(gen, ids);
    }
}

static void finish(const struct oracle_call *call, frazil_err code, const uint64_t *ids, size_t n, uint64_t *last)
{
    if (code == FRAZIL_OK) {
        oracle_issued(call, ids, n, last);
        faults_note_issued();
        return;
    }
    if (ids[0] != untouched)
        world_fail("I7: a call that failed has changed its caller's id");
    oracle_refused(call, code, n, faults_life_may_have_ended());
    if (code == FRAZIL_EEXHAUSTED)
        faults_note_life_ended();
}

frazil_err take_once(frazil *gen, uint64_t *last, size_t n)
{
    uint64_t ids[PROGRAM_BATCH_MAX] = {untouched};
    struct oracle_call call = oracle_call_begins(false);

    frazil_err code = frazil_take(gen, ids, n, FRAZIL_WAIT_DEFAULT, NULL);
    finish(&call, code, ids, n, last);
    return code;
}

void take_burst(frazil *gen, uint64_t *last)
{
    uint64_t ids[PROGRAM_BATCH_MAX];

    for (uint64_t i = of_any_size(1, 16); i > 0; i--) {
        struct oracle_call call = oracle_call_begins(false);
        size_t n;
        ids[0] = untouched;
        frazil_err code = take(gen, ids, &n, of_any_size(1, PROGRAM_BATCH_MAX));
        finish(&call, code, ids, n, last);
        if (code != FRAZIL_OK)
            return;
    }
}

void take_burst_of_handle(frazil_local *handle, uint64_t *last)
{
    uint64_t id;

    for (uint64_t i = of_any_size(1, 40); i > 0; i--) {
        struct oracle_call call = oracle_call_begins(true);
        id = untouched;
        frazil_err code = frazil_local_next(handle, &id);
        finish(&call, code, &id, 1, last);
        if (code != FRAZIL_OK)
            return;
    }
}

/* How long it is until the host's clock shows this tick; 0: it has shown it. */
static uint64_t until_tick_ns(uint64_t tick)
{
    int64_t tick_ms = plan.promises.epoch_unix_ms + (int64_t)(tick * plan.promises.tick_ms) - TRUE_UNIX_MS;
    int64_t left_ns = tick_ms * (int64_t)MS - host_clock_ns(self()->host);

    return left_ns > 0 ? (uint64_t)left_ns : 0;
}

/* How long it is until the grant begins, or else until it ends, give or take a tick. */
static uint64_t until_edge_ns(frazil *gen)
{
    const struct fz_grant grant = fz_grant_ring_read(&gen->shared->grants);
    uint64_t after = pick(3);
    uint64_t begins_ns = until_tick_ns(grant.floor);

    return begins_ns > 0 ? begins_ns : until_tick_ns(grant.until + after);
}

void take_pause(frazil *gen)
{
    bool is_calm = faults_are_over();
    uint64_t longest_ns = is_calm ? faults_think_ns() : plan.think_ns;
    /* In the end some are shorter than any grant: a call that never waits only extends one that has ended. */
    uint64_t shortest_ns = once_in(3) && !is_calm ? US : longest_ns / (is_calm ? 32 : 8);
    uint64_t most_ns = once_in(3) ? shortest_ns + 10 * MS : longest_ns;
    uint64_t until_ns = world_now() + between(shortest_ns, most_ns);

    uint64_t edge_ns = once_in(plan.tight ? 2 : 6) ? until_edge_ns(gen) : 0;
    if (edge_ns > 0 && edge_ns < 2 * longest_ns)
        until_ns = world_now() + edge_ns;
    else if (once_in(2))
        until_ns = (until_ns / longest_ns + 1) * longest_ns;
    if (!is_calm && faults_are_over()) /* meanwhile: all were woken, and this one was not waiting yet */
        until_ns = world_now() + faults_think_ns();
    self_wait(&plan, until_ns);
}

void take_keep(frazil *gen)
{
    uint64_t next_ns;
    frazil_err code = frazil_keep(gen, FRAZIL_WAIT_FOREVER, &next_ns, NULL);

    tell(TOLD_KEEPS, (uint64_t)(int64_t)code, 0, 0);
    if (code != FRAZIL_OK && code != FRAZIL_EAGAIN && code != FRAZIL_ELEASE && code != FRAZIL_ESTATE &&
        code != FRAZIL_EEXHAUSTED && code != FRAZIL_EWORKER && code != FRAZIL_ENAMESPACE &&
        code != FRAZIL_EUNREACHABLE && code != FRAZIL_ECLOCK && !(code == FRAZIL_ESTOPPED && plan.promises.may_stop))
        world_fail("frazil_keep fails with %s", frazil_err_name(code));
}
