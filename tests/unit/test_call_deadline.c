/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a call has one deadline, however often it waits.  The machine's clock and the thread that asks the
 * coordinator are the test's: time passes where a call looks how much is left, and no wait is one.
 */
#include "generator/background_job.h"
#include "generator/generator_internal.h"
#include "lib/fake_granter.h"
#include "lib/rig.h"
#include "lib/test.h"
#include "os/deadline.h"

enum { WORKER = 3, HORIZON = 1000 };

#define SPEC "layout=frazil worker=fixed:3 start=zero max_wait=5s max_lead=0"

static const uint64_t begun_ns = 1000 * RIG_S;

static struct rig rig;
static struct fake_granter *fake;
static uint64_t now_ns;          /* of the machine */
static uint64_t helped_until_ns; /* when the request of an earlier call is answered */
static uint64_t latest_ns;       /* the latest time that anything has waited for */
static unsigned jobs;            /* that were begun */
static bool is_answered;         /* each job is */
static uint64_t each_turn_lasts; /* that a look at the turn takes by the program's clock */

static void note(struct fz_deadline deadline)
{
    if (deadline.at_ns != FZ_DEADLINE_NONE.at_ns && deadline.at_ns > latest_ns)
        latest_ns = deadline.at_ns;
}

/* ---- in place of os/deadline.c and generator/background_job.c ---------------------------------------- */

struct fz_deadline fz_deadline_in(uint64_t ns)
{
    if (each_turn_lasts > 0 && ns == 0)
        frazil_manual_clock_advance(rig.manual, each_turn_lasts);
    return ns > UINT64_MAX - now_ns ? FZ_DEADLINE_NONE : (struct fz_deadline){now_ns + ns};
}

uint64_t fz_deadline_left_ns(struct fz_deadline deadline)
{
    note(deadline);
    now_ns += 100 * RIG_MS;
    if (rig.gen != NULL && now_ns >= helped_until_ns)
        atomic_store(&rig.gen->keeper.job, 0);
    return deadline.at_ns == UINT64_MAX ? UINT64_MAX : now_ns >= deadline.at_ns ? 0 : deadline.at_ns - now_ns;
}

struct fz_deadline fz_deadline_earlier(struct fz_deadline deadline, struct fz_deadline other)
{
    return deadline.at_ns < other.at_ns ? deadline : other;
}

enum fz_background fz_background_run(frazil *gen, fz_background_fn run, struct fz_deadline deadline,
                                     const struct fz_background_wait *wait, frazil_err *ret_err, frazil_error *reterr)
{
    frazil_error why;

    note(wait->until);
    jobs++;
    if (is_answered) {
        *ret_err = run(gen, deadline, reterr == NULL ? &why : reterr);
        return FZ_BACKGROUND_ENDED;
    }
    now_ns = wait->until.at_ns > now_ns ? wait->until.at_ns : now_ns;
    return FZ_BACKGROUND_GOES_ON;
}

/* ---------------------------------------------------------------------------------------------- */

/* A generator whose grant has ended, and that asks a coordinator. */
static void open_ended(void)
{
    now_ns = begun_ns;
    helped_until_ns = UINT64_MAX;
    jobs = 0;
    is_answered = false;
    each_turn_lasts = 0;
    fake = fake_granter_open(&rig, SPEC, WORKER, HORIZON, FZ_KEEPER_INLINE);
    rig.gen->keeper.asks_coordinator = true;
    rig_step(&rig, HORIZON + 100);
}

/* An earlier call has left a request behind, which is answered after two seconds of this one, and to no avail. */
static void leave_request(void)
{
    now_ns = begun_ns;
    latest_ns = 0;
    helped_until_ns = begun_ns + 2 * RIG_S;
    atomic_store(&rig.gen->keeper.job, fz_fork_mark_read(&rig.gen->fork_mark));
}

/* A generator whose grant has ended, with the request of an earlier call. */
static void open_with_request(void)
{
    open_ended();
    leave_request();
}

/* The call has made one request of its own, and nobody has waited for longer than that since it began. */
static void assert_waited_once(uint64_t ns)
{
    assert_int_equal(jobs, 1);
    assert_int_equal(latest_ns, begun_ns + ns);
}

/* Ends the requests whose answers are still due. */
static void end_requests(void)
{
    atomic_store(&rig.gen->keeper.job, 0);
    atomic_store(&rig.gen->keeper.inside, 0);
}

AFTER_EACH
{
    end_requests();
    rig_close(&rig);
    fake_granter_free(fake);
}

TEST("A call that has waited for an earlier call's request waits for its own only until its one deadline")
{
    uint64_t id = 0;

    open_with_request();
    assert_int_equal(frazil_next(rig.gen, &id), FRAZIL_ELEASE);
    assert_waited_once(5 * RIG_S);
}

TEST("So does frazil_keep")
{
    uint64_t next_ns = 0;

    open_with_request();
    assert_int_equal(frazil_keep(rig.gen, 3 * RIG_S, &next_ns, NULL), FRAZIL_EAGAIN);
    assert_waited_once(3 * RIG_S);
}

TEST("frazil_keep that waits for ever lets a thread ask the coordinator")
{
    uint64_t next_ns = 0;

    open_ended();
    is_answered = true;
    assert_int_equal(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &next_ns, NULL), FRAZIL_OK);
    assert_int_equal(jobs, 1);
    assert_int_equal(fake->extended, 1);
}

TEST("A call waits for whoever has the turn until the same deadline, though the program's clock stands still")
{
    uint64_t id = 0;

    open_with_request();
    atomic_store(&rig.gen->keeper.inside, fz_fork_mark_read(&rig.gen->fork_mark));
    assert_int_equal(frazil_next(rig.gen, &id), FRAZIL_ELEASE);
    assert_int_equal(latest_ns, begun_ns + 5 * RIG_S);
}

TEST("A call never asks the coordinator in its own thread, also when the pause after a failure ends meanwhile")
{
    uint64_t id = 0;
    uint64_t retry_ns = 0;

    open_ended();
    is_answered = true;
    fake->fails = FRAZIL_EUNREACHABLE;
    assert_int_equal(frazil_next(rig.gen, &id), FRAZIL_ELEASE);
    assert_true(fz_keeper_retry_in_ns(rig.gen) > 0);
    each_turn_lasts = fz_keeper_retry_in_ns(rig.gen);
    assert_int_equal(frazil_next(rig.gen, &id), FRAZIL_ELEASE);
    assert_int_equal(try_one(rig.gen, &id, &retry_ns), FRAZIL_ELEASE);
    assert_int_equal(fake->extended, jobs);
    each_turn_lasts = 0;
    fake->fails = FRAZIL_OK;
}
