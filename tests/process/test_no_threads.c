/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: where no thread can be created and the coordinator is silent, each call still keeps to its time.
 */
#include <sys/resource.h>
#include <unistd.h>

#include "generator/generator_internal.h"
#include "lib/bound.h"
#include "lib/fake_granter.h"
#include "lib/patience.h"
#include "lib/rig.h"
#include "lib/test.h"
#include "os/deadline.h"

enum { WORKER = 3, HORIZON = 1000, NOBODY = 65534 };

#define SPEC "layout=frazil worker=fixed:3 start=zero max_wait=5m max_lead=0"

static struct rig rig;
static struct fake_granter *fake;

/* A generator whose coordinator is silent, in the last quarter of its grant. */
static void open_silent(enum fz_keeper_mode mode)
{
    fake = fake_granter_open(&rig, SPEC, WORKER, HORIZON, mode);
    rig.gen->keeper.asks_coordinator = true;
    atomic_store(&fake->holds, true);
    rig_step(&rig, HORIZON - 100);
}

/* From here on this process has no thread more than it has; the limit does not hold for root. */
static bool forbid_threads(void)
{
    const struct rlimit none = {0, 0};

    return (geteuid() != 0 || setuid(NOBODY) == 0) && setrlimit(RLIMIT_NPROC, &none) == 0;
}

/* Closes it as a program does that has brought no ports. */
static frazil_err close_within(uint64_t wait_ns)
{
    rig.gen->fixed.has_program_ports = false;
    return frazil_close_within(rig.gen, wait_ns);
}

static bool says_why(const frazil_error *why)
{
    return strstr(why->message, "no thread can be created") != NULL;
}

/* Each returns 0, or which of its steps has failed. */

static int try_without_threads(void)
{
    frazil_error why;
    uint64_t id;
    uint64_t retry_ns;
    size_t taken;

    open_silent(FZ_KEEPER_INLINE);
    if (!forbid_threads())
        return 1;
    if (frazil_try_take(rig.gen, &id, 1, &taken, &retry_ns, &why) != FRAZIL_OK)
        return 2;
    if (frazil_keep(rig.gen, 0, &retry_ns, &why) != FRAZIL_EAGAIN || !says_why(&why))
        return 3;
    rig_step(&rig, 200); /* beyond the end */
    if (frazil_try_take(rig.gen, &id, 1, &taken, &retry_ns, &why) != FRAZIL_ELEASE || !says_why(&why))
        return 4;
    return fake->extended == 0 ? 0 : 5;
}

static int wait_without_threads(void)
{
    uint64_t id;
    uint64_t next_ns;

    open_silent(FZ_KEEPER_INLINE);
    atomic_store(&fake->holds, false);
    rig_step(&rig, 200);
    if (!forbid_threads())
        return 1;
    uint64_t before_ns = fz_deadline_in(0).at_ns;
    if (frazil_next(rig.gen, &id) != FRAZIL_OK || fake->extended != 1)
        return 2;
    if (fake->deadline_ns < before_ns || fake->deadline_ns > fz_deadline_in(PATIENCE_S * RIG_S).at_ns)
        return 3;
    rig_step(&rig, HORIZON - 100);
    if (frazil_keep(rig.gen, PATIENCE_S * RIG_S / 2, &next_ns, NULL) != FRAZIL_OK || fake->extended != 2)
        return 4;
    return fake->deadline_ns <= fz_deadline_in(PATIENCE_S * RIG_S / 2).at_ns ? 0 : 5;
}

static int close_without_threads(void)
{
    open_silent(FZ_KEEPER_INLINE);
    if (!forbid_threads())
        return 1;
    atomic_store(&fake->holds, false);
    return close_within(PATIENCE_S * RIG_S) == FRAZIL_OK && fake->closed == 1 ? 0 : 2;
}

/* A thread is in a request that lasts longer than the call that closes. */
static int close_while_asking(void)
{
    while (atomic_load(&fake->extended) == 0)
        pause_shortly();
    if (!forbid_threads())
        return 1;
    if (close_within(20 * RIG_MS) != FRAZIL_EAGAIN || fake->closed != 0)
        return 2;
    atomic_store(&fake->holds, false);
    while (atomic_load(&fake->closed) == 0)
        pause_shortly();
    return fake->overlaps == 0 ? 0 : 3;
}

static int close_while_call_asks(void)
{
    uint64_t id;
    uint64_t retry_ns;

    open_silent(FZ_KEEPER_INLINE);
    if (try_one(rig.gen, &id, &retry_ns) != FRAZIL_OK)
        return 10;
    return close_while_asking();
}

static int close_while_keeper_asks(void)
{
    open_silent(FZ_KEEPER_THREAD);
    fz_keeper_pool_hurry(&rig.gen->keeper.task);
    return close_while_asking();
}

/* In a process of its own, which gives its rights up. */
static void run(int (*steps)(void))
{
    assert_int_equal(bound_run(steps), 0);
}

TEST("A call that never waits does not ask, and says why")
{
    run(try_without_threads);
}

TEST("A call that waits asks itself, and the request has the call's deadline")
{
    run(wait_without_threads);
}

TEST("A generator is closed all the same")
{
    run(close_without_threads);
}

TEST("A call that closes leaves the rest to a call's thread that is asking")
{
    run(close_while_call_asks);
}

TEST("A call that closes leaves the rest to the keeper's thread that is asking")
{
    run(close_while_keeper_asks);
}
