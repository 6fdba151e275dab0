/* SPDX-License-Identifier: MIT */
#include "lib/fake_granter.h"

#include <stdlib.h>

#include "core/sentence.h"
#include "lib/asserts.h"
#include "lib/callers.h"
#include "os/memory.h"

static frazil_err grant(struct fake_granter *fake, struct fz_grant next, struct fz_grant *ret)
{
    unsigned nth = atomic_load(&fake->log_count);

    if (nth == FAKE_LOG_SIZE)
        abort();
    if (fake->next_is_given) {
        next = fake->next;
        fake->next_is_given = false;
    }
    next.version = nth + 1;
    fake->log[nth] = next;
    atomic_store(&fake->log_count, nth + 1);
    *ret = next;
    return FRAZIL_OK;
}

static void enter(struct fake_granter *fake)
{
    if (atomic_exchange(&fake->inside, true))
        atomic_fetch_add(&fake->overlaps, 1);
}

static frazil_err acquire(void *ctx, struct fz_deadline deadline, uint64_t now_tick, struct fz_grant *ret,
                          frazil_error *reterr)
{
    struct fake_granter *fake = ctx;
    struct fz_grant first = {.worker = fake->worker, .floor = now_tick, .until = now_tick + fake->horizon};

    atomic_store(&fake->deadline_ns, deadline.at_ns);
    atomic_fetch_add(&fake->acquired, 1);
    if (atomic_load(&fake->fails) != FRAZIL_OK) {
        fz_fail(reterr, atomic_load(&fake->fails), "the fake was told to fail");
        if (reterr != NULL)
            reterr->retry_ns = fake->retry_ns;
        return atomic_load(&fake->fails);
    }
    if (fake->first_floor != 0) {
        first.floor = fake->first_floor;
        first.until = first.floor > first.until ? first.floor : first.until;
    }
    enter(fake);
    frazil_err err = grant(fake, first, ret);
    atomic_store(&fake->inside, false);
    return err;
}

static frazil_err extend(void *ctx, struct fz_deadline deadline, uint64_t now_tick, const struct fz_grant *held,
                         struct fz_grant *ret, frazil_error *reterr)
{
    struct fake_granter *fake = ctx;
    struct fz_grant next = {.worker = held->worker, .floor = held->floor, .until = now_tick + fake->horizon};

    enter(fake);
    atomic_store(&fake->deadline_ns, deadline.at_ns);
    atomic_fetch_add(&fake->extended, 1);
    while (atomic_load(&fake->holds))
        pause_ns(100000);
    if (fake->takes_ns > 0)
        frazil_manual_clock_advance(fake->clock, fake->takes_ns);
    frazil_err err = atomic_load(&fake->fails);
    if (err != FRAZIL_OK) {
        fz_fail(reterr, err, "the fake was told to fail");
        reterr->retry_ns = fake->retry_ns;
    } else
        err = grant(fake, next, ret);
    atomic_store(&fake->inside, false);
    return err;
}

static frazil_err release(void *ctx, struct fz_deadline deadline, const struct fz_grant *held, uint64_t used_tick)
{
    struct fake_granter *fake = ctx;

    (void)held;
    atomic_store(&fake->deadline_ns, deadline.at_ns);
    atomic_fetch_add(&fake->released, 1);
    atomic_store(&fake->used_tick, used_tick);
    return atomic_load(&fake->fails);
}

static void close_fake(void *ctx)
{
    struct fake_granter *fake = ctx;

    atomic_fetch_add(&fake->closed, 1);
}

static void after_fork(void *ctx)
{
    struct fake_granter *fake = ctx;

    atomic_fetch_add(&fake->forks, 1);
}

struct fake_granter *fake_granter_new(uint32_t worker, uint64_t horizon)
{
    struct fake_granter *fake = fz_map_shared(sizeof *fake);

    assert_non_null(fake);
    fake->worker = worker;
    fake->horizon = horizon;
    return fake;
}

void fake_granter_free(struct fake_granter *fake)
{
    fz_unmap(fake, sizeof *fake);
}

void fake_granter_end(struct fake_granter *fake, struct rig *rig)
{
    rig_close(rig);
    assert_int_equal(fake->closed, 1);
    assert_int_equal(fake->overlaps, 0);
    fake_granter_free(fake);
}

void fake_granter_install(struct fake_granter *fake, frazil *gen, enum fz_keeper_mode mode)
{
    const struct fz_granter granter = {.ctx = fake,
                                       .acquire = acquire,
                                       .extend = extend,
                                       .release = release,
                                       .close = close_fake,
                                       .after_fork = after_fork};
    frazil_error err;

    if (fz_keeper_open(gen, &granter, mode, FZ_DEADLINE_NONE, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
}

struct fake_granter *fake_granter_open(struct rig *rig, const char *spec, uint32_t worker, uint64_t horizon,
                                       enum fz_keeper_mode mode)
{
    struct fake_granter *fake = fake_granter_new(worker, horizon);

    *rig = (struct rig){.random_state = 1};
    rig_open(rig, spec, RIG_NOW);
    fake_granter_install(fake, rig->gen, mode);
    fake->clock = rig->manual;
    return fake;
}

void fake_granter_say(struct fake_granter *fake, uint32_t worker, uint64_t floor, uint64_t until)
{
    fake->next = (struct fz_grant){.worker = worker, .floor = floor, .until = until};
    fake->next_is_given = true;
}

struct fz_grant fake_granter_last(const struct fake_granter *fake)
{
    return fake->log[atomic_load(&fake->log_count) - 1];
}

bool fake_granter_covers(const struct fake_granter *fake, uint32_t worker, uint64_t tick)
{
    for (unsigned i = atomic_load(&fake->log_count); i > 0; i--) {
        const struct fz_grant *grant = &fake->log[i - 1];
        if (grant->worker == worker && grant->floor <= tick && tick <= grant->until)
            return true;
    }
    return false;
}
