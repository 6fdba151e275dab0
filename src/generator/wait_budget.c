/* SPDX-License-Identifier: MIT */
#include "wait_budget.h"

#include "core/duration.h"
#include "generator_internal.h"
#include "observation.h"
#include "os/deadline.h"
#include "os/waits.h"

/* The longest sleep at a time, so that a clock that is set forward meanwhile is noticed. */
static const uint64_t longest_sleep_ns = 100000000;

struct fz_wait_budget fz_wait_budget_of(const frazil *gen, uint64_t wait_ns)
{
    return (struct fz_wait_budget){.wait_ns = wait_ns == FRAZIL_WAIT_DEFAULT ? gen->fixed.max_wait_ns : wait_ns};
}

uint64_t fz_wait_budget_left(const frazil *gen, const struct fz_wait_budget *budget)
{
    if (fz_waits_ended() || fz_is_stopped(gen))
        return 0;
    /* A call that has not waited yet costs no clock reading. */
    if (!budget->has_begun || budget->wait_ns == FRAZIL_WAIT_FOREVER)
        return budget->wait_ns;
    /* The monotonic clock: setting the wall clock must neither end a wait nor prolong it. */
    uint64_t now = fz_monotonic_ns(gen);
    return now >= budget->deadline_ns ? 0 : budget->deadline_ns - now;
}

static void begin_at(const frazil *gen, struct fz_wait_budget *budget, uint64_t now_ns)
{
    if (budget->has_begun)
        return;
    budget->has_begun = true;
    if (gen->own.frozen_clock != NULL && budget->wait_ns == FRAZIL_WAIT_FOREVER)
        budget->wait_ns = 0; /* a clock that stands still would be waited for in a loop without end */
    budget->deadline_ns = budget->wait_ns > UINT64_MAX - now_ns ? UINT64_MAX : now_ns + budget->wait_ns;
}

void fz_wait_budget_begin(const frazil *gen, struct fz_wait_budget *budget)
{
    begin_at(gen, budget, fz_monotonic_ns(gen));
}

struct fz_deadline fz_wait_budget_until(const frazil *gen, struct fz_wait_budget *budget)
{
    fz_wait_budget_begin(gen, budget);
    struct fz_deadline until = fz_deadline_in(fz_wait_budget_left(gen, budget));
    budget->until = budget->until.at_ns == 0 ? until : fz_deadline_earlier(budget->until, until);
    return budget->until;
}

/* Starts the clock of a call that has to wait. */
static void begin_wait(frazil *gen, struct fz_wait_budget *budget, uint64_t now_ns)
{
    begin_at(gen, budget, now_ns);
    if (budget->waited)
        return;
    budget->waited = true;
    atomic_fetch_add_explicit(&gen->shared->waits, 1, memory_order_relaxed);
}

uint64_t fz_wait_budget_wait(frazil *gen, struct fz_wait_budget *budget)
{
    uint64_t now_ns = fz_monotonic_ns(gen);

    begin_wait(gen, budget, now_ns);
    return now_ns;
}

void fz_wait_budget_waited(frazil *gen, uint64_t begun_ns)
{
    atomic_fetch_add_explicit(&gen->shared->waited_us, (fz_monotonic_ns(gen) - begun_ns) / 1000, memory_order_relaxed);
}

void fz_pause(frazil *gen, const struct fz_observation *seen, struct fz_wait_budget *budget, uint64_t ns)
{
    uint64_t started_ns = fz_wait_budget_wait(gen, budget);

    /* A callback is told once a tick, and only a caller that wakes in each tick can tell it. */
    if (gen->overflow.fn != NULL) {
        uint64_t tick_ns = fz_ns_until(gen, seen->now, seen->view.now_tick + 1);
        ns = tick_ns < ns ? tick_ns : ns;
    }
    ns = ns < longest_sleep_ns ? ns : longest_sleep_ns;
    gen->clock.sleep_until(gen->clock.ctx, started_ns + ns);
    fz_wait_budget_waited(gen, started_ns);
}

uint64_t fz_ticks_overslept(const frazil *gen, uint64_t begun_ns, uint64_t wait_ns)
{
    uint64_t slept_ns = fz_monotonic_ns(gen) - begun_ns;

    return slept_ns <= wait_ns ? 0 : (slept_ns - wait_ns) / (gen->layout.tick_ms * FZ_NS_PER_MS);
}
