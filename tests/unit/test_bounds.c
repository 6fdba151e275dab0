/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: what policies promise holds at the very bounds of their
 * numbers: one tick of lead, the longest wait, a clock that was read a tick ago.
 */

#include "generator/generator_internal.h"
#include "generator/observation.h"
#include "generator/take.h"
#include "lib/rig.h"
#include "lib/test.h"
#include "os/counter.h"

TEST("Slots are taken by adding only if a call can always honour a ticket for the next tick: leading by one tick, or "
     "waiting for less than two, cannot, and each refused call would use up a slot")
{
    static const struct {
        const char *spec;
        enum fz_fast_path expected;
    } cases[] = {
        {"layout=frazil on_full=lead max_lead=0", FZ_FAST_CHECKED},
        {"layout=frazil on_full=lead max_lead=1ms", FZ_FAST_CHECKED},
        {"layout=frazil on_full=lead max_lead=2ms", FZ_FAST_ADD_64},
        {"layout=frazil on_full=lead max_lead=2ms start=random", FZ_FAST_CHECKED},
        {"layout=frazil on_full=wait max_wait=0", FZ_FAST_CHECKED},
        {"layout=frazil on_full=wait max_wait=1ms", FZ_FAST_CHECKED},
        {"layout=frazil on_full=wait max_wait=2ms", FZ_FAST_ADD_64},
        {"layout=frazil on_full=error", FZ_FAST_CHECKED},
        {"layout=sno on_full=lead max_lead=4ms", FZ_FAST_CHECKED},
        {"layout=sno on_full=lead max_lead=8ms", FZ_FAST_ADD_SNO},
        {"layout=sno on_full=wait max_wait=7ms", FZ_FAST_CHECKED},
        {"layout=sno on_full=wait max_wait=8ms", FZ_FAST_ADD_SNO},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char spec[128];
        frazil_error err;
        frazil *gen;

        snprintf(spec, sizeof spec, "%s worker=fixed:1 state=memory", cases[i].spec);
        if (frazil_open(&gen, spec, &err) != FRAZIL_OK)
            fail_msg("%s: %s", spec, err.message);
        enum fz_fast_path expected = gen->fixed.counter_usable ? cases[i].expected : FZ_FAST_NONE;
        if (gen->fast_path != expected)
            fail_msg("%s: path %d, expected %d", spec, (int)gen->fast_path, (int)expected);
        frazil_close(gen);
    }
}

TEST("A call that may wait for nearly 2^64 ns waits on after its first sleep: its deadline is the end of time")
{
    static const uint64_t waits_ns[] = {UINT64_MAX - 3, UINT64_MAX - 1, UINT64_MAX};
    struct rig rig = {.random_state = 1};

    rig_open(&rig, "layout=frazil worker=fixed:1 start=zero on_backward=wait max_lead=0", RIG_NOW);
    rig_advance(&rig, 10);
    for (size_t i = 0; i < sizeof waits_ns / sizeof waits_ns[0]; i++) {
        uint64_t id = rig_next(&rig);
        uint64_t tick = rig_tick_of(&rig, id);
        uint64_t waits = stat_of(rig.gen, FRAZIL_STAT_WAITS);
        rig_step(&rig, -250); /* no sleep is longer than 100 ms */
        assert_int_equal(frazil_take(rig.gen, &id, 1, waits_ns[i], NULL), FRAZIL_OK);
        assert_true(rig_tick_of(&rig, id) >= tick);
        assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_WAITS), waits + 1);
    }
    rig_close(&rig);
}

TEST("A call that never waits says when to come back for whatever passes by itself, from wherever it was refused; what "
     "a policy calls an error, and what does not pass, is that error")
{
    static const struct {
        frazil_err code;
        bool passes;       /* so it is told when; with policies that wait it is no error */
        bool policy_error; /* it is an error if the policy says so */
    } cases[] = {
        {FRAZIL_EFULL, true, true},      {FRAZIL_ECLOCK, true, true},       {FRAZIL_EAGAIN, true, false},
        {FRAZIL_ELEASE, false, false},   {FRAZIL_EEXHAUSTED, false, false}, {FRAZIL_EWORKER, false, false},
        {FRAZIL_ESYS, false, false},     {FRAZIL_ENOMEM, false, false},     {FRAZIL_EUNREACHABLE, true, false},
        {FRAZIL_EREFUSED, false, false}, {FRAZIL_ENAMESPACE, false, false},
    };
    struct rig waits = {.random_state = 1};
    struct rig errors = {.random_state = 1};

    rig_open(&waits, "layout=frazil worker=fixed:1", RIG_NOW);
    rig_open(&errors, "layout=frazil worker=fixed:1 on_full=error on_backward=error", RIG_NOW);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct fz_refusal refusal = {.code = cases[i].code, .retry_ns = 123456 + i};
        for (unsigned is_error = 0; is_error < 2; is_error++) {
            uint64_t retry_ns = RIG_UNTOUCHED;
            bool passes = cases[i].passes && !(is_error == 1 && cases[i].policy_error);
            frazil_err err = fz_try_error(is_error == 1 ? errors.gen : waits.gen, &refusal, &retry_ns);
            assert_int_equal(err, passes ? FRAZIL_EAGAIN : cases[i].code);
            assert_true(retry_ns == (cases[i].passes ? refusal.retry_ns : RIG_UNTOUCHED));
        }
    }
    rig_close(&waits);
    rig_close(&errors);
}

struct told {
    unsigned calls;
    uint32_t ticks;
};

static void on_overflow(void *ctx, const frazil_overflow *overflow)
{
    struct told *told = ctx;

    told->calls++;
    told->ticks = overflow->ticks;
}

TEST("A caller that looked at the clock a tick ago comes too late to report its tick, which was reported already")
{
    struct rig rig = {.random_state = 1};
    struct told told = {.calls = 0};

    rig_open(&rig, "layout=frazil worker=fixed:1", RIG_NOW);
    frazil_on_overflow(rig.gen, on_overflow, &told);
    struct fz_observation before = fz_observe(rig.gen);
    rig_advance(&rig, 1);
    struct fz_observation now = fz_observe(rig.gen);
    assert_int_equal(now.view.now_tick, before.view.now_tick + 1);
    fz_overflow_enter(rig.gen, &before);
    fz_overflow_enter(rig.gen, &now);
    assert_int_equal(told.calls, 2);
    fz_overflow_enter(rig.gen, &before);
    fz_overflow_enter(rig.gen, &now);
    assert_int_equal(told.calls, 2);
    assert_int_equal(told.ticks, 2);
    for (unsigned i = 0; i < 4; i++)
        fz_overflow_leave(rig.gen);
    rig_close(&rig);
}

/* Takes n slots with the anchor, whose range begins anew: but once in a while the counter's lower half does as well. */
static bool take_anchored(frazil *gen, struct fz_anchor_view anchor, uint64_t n)
{
    uint64_t nth;
    bool taken = false;

    for (unsigned tries = 0; tries < 3 && !taken; tries++) {
        anchor.counter = fz_counter_read();
        anchor.range = UINT32_MAX;
        fz_anchor_publish(&gen->private_page->anchor, &anchor, &(struct fz_anchor_lead){.end = 0});
        taken = fz_take_anchored(gen, n, &anchor, &nth);
    }
    return taken;
}

TEST("The ids of an anchored tick end with it: as many as there are, and not one more")
{
    struct fz_anchor_view anchor = {.first_id = 0};
    struct rig rig = {.random_state = 1};

    rig_open(&rig, "layout=41/10/4 worker=fixed:1", RIG_NOW);
    uint64_t capacity = rig.gen->capacity;
    anchor.first_slot = fz_slot_first(&rig.gen->rules, 0, rig_now_tick(&rig));
    rig.gen->fast_path = FZ_FAST_CHECKED;
    for (uint64_t used = 0; used <= capacity; used++) {
        for (uint64_t n = 1; n <= capacity + 1; n++) {
            atomic_store(rig.gen->word, anchor.first_slot + used);
            bool fits = n <= capacity - used;
            assert_int_equal(take_anchored(rig.gen, anchor, n), fits);
            assert_int_equal(atomic_load(rig.gen->word), anchor.first_slot + used + (fits ? n : 0));
        }
    }
    rig_close(&rig);
}
