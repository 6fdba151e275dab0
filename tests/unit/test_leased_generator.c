/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a generator whose spec names a coordinator gets its worker
 * id and its ticks from there, gives them back, and says what is wrong when it
 * cannot have them.
 */

#include "core/layout_internal.h"
#include "generator/generator_internal.h"
#include "generator/refusal.h"
#include "lib/memory_namespace.h"
#include "lib/rig.h"
#include "lib/scratch.h"
#include "lib/test.h"

enum { HORIZON_MS = 3000 };

#define SPEC "worker=memory://orders keeper=inline start=zero max_wait=10s open_wait=1ms "

static struct rig rig;
static frazil_layout layout;

static unsigned losses; /* swaps that somebody else is faster with */
static enum fz_register_result (*real_swap)(void *, struct fz_deadline, const struct fz_swap *, uint64_t *,
                                            struct fz_register_status *, frazil_error *);

static enum fz_register_result contended_swap(void *ctx, struct fz_deadline deadline, const struct fz_swap *swap,
                                              uint64_t *ret_version, struct fz_register_status *status,
                                              frazil_error *reterr)
{
    if (losses > 0) {
        losses--;
        return FZ_REGISTER_CONFLICT;
    }
    return real_swap(ctx, deadline, swap, ret_version, status, reterr);
}

static void contend(struct fz_register *reg)
{
    real_swap = reg->swap;
    reg->swap = contended_swap;
}

/* A namespace of `workers` ids of a layout in an empty store. */
static void start_layout(const char *text, uint64_t workers)
{
    assert_int_equal(frazil_layout_parse(text, strlen(text), &layout, NULL), FRAZIL_OK);
    memory_namespace_start(&layout, workers, HORIZON_MS, RIG_NOW);
    memory_namespace_wrap = contend;
    rig = (struct rig){.random_state = 1, .coordinators = memory_coordinators};
}

static void start(uint64_t workers)
{
    start_layout("frazil", workers);
}

AFTER_EACH
{
    rig_close(&rig);
    memory_namespace_stop();
}

static uint64_t now_tick(void)
{
    return (uint64_t)(rig_now_ms(&rig) - layout.epoch_unix_ms) / layout.tick_ms;
}

/* Somebody frees the worker id by hand, and somebody else takes it. */
static void steal(uint32_t worker)
{
    struct ports ports = {.clock = &rig.clock, .random = &rig.random, .coordinators = memory_coordinators};
    frazil_error err;
    char spec[128];
    frazil *thief;

    memory_namespace_release(worker);
    snprintf(spec, sizeof spec, SPEC "base=%u count=1", (unsigned)worker);
    frazil_manual_clock_advance(rig.manual, (HORIZON_MS + 1) * RIG_MS);
    if (ports_open(&thief, spec, &ports, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    thief->store.is_counted = false; /* as a crash does: nothing is given back */
    frazil_close(thief);
}

/* ---- the tests ------------------------------------------------------------------- */

TEST("I2: the first id bears a worker id and a tick that the coordinator has a record of, and closing gives both back")
{
    frazil_info info;

    start(4);
    rig_open(&rig, SPEC, RIG_NOW);
    uint64_t id = rig_next(&rig);
    frazil_get_info(rig.gen, &info, sizeof info);
    struct fz_worker_record record = memory_namespace_record(info.worker);
    assert_int_equal(rig_parts(&rig, id).worker, info.worker);
    assert_true(info.worker < 4);
    assert_false(record.released);
    assert_int_equal(record.until, now_tick() + HORIZON_MS);

    frazil_close(rig.gen);
    rig.gen = NULL;
    record = memory_namespace_record(info.worker);
    assert_true(record.released);
    assert_int_equal(record.until, now_tick());
}

TEST("I1: what is given back lies above all that was issued, also on the side of the tick-tock that was left")
{
    frazil_info info;

    start_layout("sno", 4);
    rig_open(&rig, SPEC "layout=sno", RIG_NOW);
    frazil_get_info(rig.gen, &info, sizeof info);
    frazil_manual_clock_advance(rig.manual, 400 * RIG_MS);
    rig_sno(&rig);
    uint64_t highest = now_tick();
    rig_step(&rig, -300);
    rig_sno(&rig);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_TICKTOCKS), 1);
    frazil_close(rig.gen);
    rig.gen = NULL;
    assert_true(memory_namespace_record(info.worker).released);
    assert_int_equal(memory_namespace_record(info.worker).until, highest);
}

TEST("A whole fleet that starts at once: who was too slow tries again, as long as opening may take, and no longer")
{
    struct ports ports = {.coordinators = memory_coordinators};

    start(4);
    losses = 100;
    rig_open(&rig, "worker=memory://orders keeper=inline open_wait=5s", RIG_NOW);
    assert_int_equal(losses, 0);
    losses = 1000000;
    int64_t before = rig_now_ms(&rig);
    ports.clock = &rig.clock;
    assert_open_refused("worker=memory://orders keeper=inline open_wait=5s", &ports, FRAZIL_EAGAIN,
                        "other processes changed namespace");
    assert_in_range(rig_now_ms(&rig) - before, 1000, 10000); /* it was tried twice */
    losses = 100;
    assert_open_refused("worker=memory://orders keeper=inline open_wait=0s", &ports, FRAZIL_EAGAIN,
                        "other processes changed namespace");
    losses = 0;
}

TEST("base and count limit which worker ids are taken")
{
    struct ports ports = {.coordinators = memory_coordinators};

    start(8);
    rig_open(&rig, SPEC "base=6 count=1", RIG_NOW);
    assert_int_equal(rig_parts(&rig, rig_next(&rig)).worker, 6);
    ports.clock = &rig.clock;
    assert_open_refused(SPEC "base=6 count=1", &ports, FRAZIL_EPOOL, "6 by ");
    assert_open_refused(SPEC "base=7 count=2", &ports, FRAZIL_ENAMESPACE, "worker ids 0 to 7");
}

TEST("The grant is extended by whoever takes an id in its last quarter; it is the same worker and the same owner")
{
    start(1);
    rig_open(&rig, SPEC, RIG_NOW);
    rig_next(&rig);
    frazil_manual_clock_advance(rig.manual, (HORIZON_MS * 4 / 5) * RIG_MS);
    rig_next(&rig);
    assert_int_equal(memory_namespace_record(0).until, now_tick() + HORIZON_MS);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_EXTENSIONS), 1);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_MOVES), 0);
}

TEST("A generator that loses its worker id goes on with another one, above all that was granted of it, and the "
     "statistics say so")
{
    start(2);
    rig_open(&rig, SPEC, RIG_NOW);
    uint32_t first = rig_parts(&rig, rig_next(&rig)).worker;
    steal(first);
    uint64_t id = rig_next(&rig);
    assert_int_equal(rig_parts(&rig, id).worker, 1 - first);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_MOVES), 1);
}

TEST("on_loss=stop: it says FRAZIL_ELEASE instead, and why")
{
    frazil_error err;
    uint64_t id;

    start(2);
    rig_open(&rig, SPEC "on_loss=stop", RIG_NOW);
    steal(rig_parts(&rig, rig_next(&rig)).worker);
    assert_int_equal(frazil_take(rig.gen, &id, 1, FRAZIL_WAIT_DEFAULT, &err), FRAZIL_ELEASE);
    assert_non_null(strstr(err.message, "could not be extended"));
    assert_non_null(strstr(err.message, "are taken: "));
}

TEST("The settings in a spec must be those of the namespace: horizon and workers are refused with both values")
{
    struct ports ports = {.coordinators = memory_coordinators};

    start(4);
    rig_open(&rig, SPEC "horizon=3s workers=4", RIG_NOW);
    ports.clock = &rig.clock;
    assert_open_refused(SPEC "horizon=60s", &ports, FRAZIL_ENAMESPACE,
                        "'orders' was created with horizon=3000ms, but this spec has 60000ms");
    assert_open_refused(SPEC "workers=8", &ports, FRAZIL_ENAMESPACE,
                        "'orders' was created with workers=4, but this spec has 8");
}

/* The sentence in which a part of another build is refused. */
static void assert_part_refused(const frazil_coordinator *part, const char *spec, const char *words)
{
    const frazil_coordinator *const list[] = {part, NULL};

    assert_open_refused(spec, &(struct ports){.coordinators = list}, FRAZIL_ENOTBUILT, words);
}

TEST("A part of another version, or of another build with other structures, is refused, also for the URL of another "
     "part")
{
    frazil_coordinator part = memory_coordinator;
    struct {
        const char *version, *part, *client;
        const void *rest[16];
    } unnumbered = {FRAZIL_VERSION, "memory", "none", {NULL}};

    start(1);
    rig_open(&rig, SPEC, RIG_NOW);
    part.version = "0.0.9";
    assert_part_refused(&part, SPEC,
                        "libfrazil-memory has version 0.0.9, but the frazil that loads it has " FRAZIL_VERSION);
    part = memory_coordinator;
    part.structures++;
    assert_part_refused(&part, SPEC, "another build of version " FRAZIL_VERSION);
    assert_part_refused(&part, SPEC, "install both from one build");
    assert_part_refused(&part, "worker=gopher://orders", "another build");
    part = memory_coordinator;
    part.size -= 8;
    assert_part_refused(&part, SPEC, "another build");
    memcpy(&part, &unnumbered, sizeof part);
    assert_part_refused(&part, SPEC, "from an older build than the frazil " FRAZIL_VERSION);
}

TEST("A failure to open is said in words, and nothing is taken")
{
    struct ports ports = {.coordinators = memory_coordinators};

    start(1);
    rig_open(&rig, SPEC, RIG_NOW);
    ports.clock = &rig.clock;
    assert_open_refused(SPEC, &ports, FRAZIL_EPOOL, "0 by ");
    assert_open_refused(SPEC "layout=twitter", &ports, FRAZIL_ENAMESPACE, "41/5+5/12");
    assert_open_refused(SPEC "state=file", &ports, FRAZIL_ESPEC, "state=file");
    assert_open_refused(SPEC "max_skew=1us", &ports, FRAZIL_ESPEC, "max_skew=");
    assert_open_refused(SPEC "on_loss=panic", &ports, FRAZIL_ESPEC, "move stop");
    assert_open_refused("worker=gopher://orders", &ports, FRAZIL_ESPEC, "no coordinator is called 'gopher'; there are");
    assert_open_refused("worker=valkey://h/orders", &ports, FRAZIL_ESPEC, "'valkey': write redis://; there are");
    assert_open_refused("worker=http://h/orders", &ports, FRAZIL_ESPEC, "'http': write etcd:// for etcd; there are");
}

TEST("A generator that could not be opened has nothing to give back: it leaves the records as they are")
{
    frazil *gen = NULL;
    struct fz_record raw = {.version = 0};

    start(2);
    rig_open(&rig, SPEC "base=1", RIG_NOW);
    struct ports ports = {.clock = &rig.clock, .random = &rig.random, .coordinators = memory_coordinators};
    assert_int_equal(ports_open(&gen, SPEC "base=1", &ports, NULL), FRAZIL_EPOOL);
    struct fz_register reg = memory_namespace_register();
    assert_int_equal(reg.read(reg.ctx, FZ_DEADLINE_NONE, 0, &raw, NULL, NULL), FZ_REGISTER_OK);
    assert_int_equal(raw.version, 0);
    reg.close(reg.ctx);
}

/* The sentence about a grant that has ended though no try to extend it has failed. */
static const char *said_of_ended_grant(frazil_error *ret)
{
    const struct fz_refusal ended = {.code = FRAZIL_ELEASE, .granted_last = 1};

    assert_int_equal(fz_explain(rig.gen, &ended, ret), FRAZIL_ELEASE);
    return ret->message;
}

TEST("A grant has ended, and no try to extend it has failed: the sentence says whose answer is missing")
{
    frazil_error err;

    start(4);
    rig_open(&rig, SPEC, RIG_NOW);
    assert_non_null(
        strstr(said_of_ended_grant(&err), "is not extended yet: the coordinator 'memory://orders' has not "));
    const struct fz_refusal lost = {.code = FRAZIL_ELEASE, .granted_first = 2, .granted_last = 1};
    assert_int_equal(fz_explain(rig.gen, &lost, &err), FRAZIL_ELEASE);
    assert_non_null(strstr(err.message, "is lost, as another owner may have it, and no other is granted yet: the "
                                        "coordinator 'memory://orders' has"));
    rig_close(&rig);

    rig_open(&rig, "worker=memory://orders keeper=hook open_wait=1ms", RIG_NOW);
    assert_non_null(
        strstr(said_of_ended_grant(&err), "with keeper=hook the program extends it by calling frazil_keep"));
    rig_close(&rig);

    const char *scratch = scratch_make();
    rig_open_below(&rig, scratch, "worker=fixed:3 keeper=inline", RIG_NOW);
    assert_non_null(strstr(said_of_ended_grant(&err), "is not extended yet: the state file '/"));
    scratch_remove(scratch);
}
