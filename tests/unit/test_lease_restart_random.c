/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a coordinator is restarted again and again, and each time may
 * have lost its last writes, or be an older or a discarded copy.  It never grants a
 * tick twice; and where it loses nothing, nobody ever has a gap (L9).
 * Seeded: the same seed gives the same run.  TEST_SEEDS=N runs more of them,
 * TEST_SEED=S one of them.
 */

#include "lease/lease.h"
#include "lib/grant_oracle.h"
#include "lib/near_miss.h"
#include "lib/sim_register.h"
#include "lib/test.h"

enum {
    SEEDS = 4000,
    STEPS = 300,
    HORIZON = 300,
    SKEW_MS = 80,
    HOLDERS = 4,
    PROCESSES = 2, /* that share a holder's grant */
    DEPTH_MAX = 2,
    LOSS = 1 /* the lot that is most interesting right after a taking */
};

struct holder {
    struct process {
        struct world *world;
        struct fz_lease *lease;
        struct fz_granter granter;
        uint64_t random;
    } processes[PROCESSES];
    int64_t offset_ms; /* of its clock */
    bool holds;
    bool busy; /* one of its processes is in the middle of a call */
    struct fz_grant held;
    uint64_t incarnation; /* of the coordinator when that was granted */
};

struct world {
    frazil_layout layout;
    struct sim_server server;
    struct sim_link link;              /* of everybody */
    struct fz_memory_store *discarded; /* the coordinator's records before it last lost something */
    struct grant_oracle oracle;
    struct holder holders[HOLDERS];
    uint64_t seed;
    uint64_t random;
    uint64_t workers;
    int64_t now_ms;
    int64_t skew_ms;
    int64_t offset_ms; /* of the coordinator's clock */
    uint64_t incarnations;
    bool calm; /* nothing is ever lost, and nobody is ever late */
    bool creating;
    bool taken; /* a worker id, just before */
    int depth;
    uint64_t restarts;
    uint64_t lossy_restarts;
    uint64_t spanned; /* extensions without a gap between two incarnations */
    uint64_t paused;  /* extensions with one */
};

static void step(struct world *world);

static uint64_t pick(struct world *world, uint64_t n)
{
    return seeded_next(&world->random) % n;
}

static bool chance(struct world *world, uint64_t one_in)
{
    return pick(world, one_in) == 0;
}

/* Of a clock; the extremes are the most interesting. */
static int64_t any_offset(struct world *world)
{
    int64_t half = world->skew_ms / 2;

    if (chance(world, 2))
        return chance(world, 2) ? half : -half;
    return (int64_t)pick(world, (uint64_t)world->skew_ms + 1) - half;
}

static void show_clock(struct world *world)
{
    world->server.unix_ms = world->now_ms + world->offset_ms;
    snprintf(world->server.incarnation, sizeof world->server.incarnation, "run-%llu",
             (unsigned long long)world->incarnations);
}

/* Between any two requests of one, others may act, and time may pass. */
static void before_request(void *ctx)
{
    struct world *world = ctx;

    if (!world->calm && !world->creating && world->depth < DEPTH_MAX && chance(world, 6)) {
        world->depth++;
        step(world);
        world->depth--;
    }
    show_clock(world);
}

static enum sim_fault choose_fault(void *ctx, bool is_swap)
{
    struct world *world = ctx;

    if (world->calm || world->creating || !chance(world, 25))
        return SIM_NONE;
    return is_swap && chance(world, 2) ? SIM_LOST_REPLY : SIM_LOST_REQUEST;
}

static bool has_namespace(struct world *world)
{
    struct sim_link link = {.server = &world->server};
    struct fz_register reg = sim_register(&link);
    struct fz_record found;

    assert_int_equal(reg.read(reg.ctx, FZ_DEADLINE_NONE, FZ_NAMESPACE, &found, NULL, NULL), FZ_REGISTER_OK);
    return found.version != 0;
}

/* ---- holders ------------------------------------------------------------------ */

static void fail_world(const struct world *world, const char *what)
{
    fail_msg("TEST_SEED=%llu: %s", (unsigned long long)world->seed, what);
}

static void close_process(struct process *process)
{
    if (process->lease != NULL)
        process->granter.close(process->granter.ctx);
    process->lease = NULL;
}

/* A process of a holder, started when it is needed. */
static struct fz_granter *granter_of(struct world *world, struct holder *holder)
{
    struct process *process = &holder->processes[pick(world, PROCESSES)];

    if (chance(world, 20))
        close_process(process); /* killed; another one is started in its place */
    if (process->lease != NULL)
        return &process->granter;
    frazil_random random = {.size = sizeof(frazil_random), .ctx = &process->random, .next = seeded_next};
    struct fz_lease_options options = {.layout = &world->layout,
                                       .name = "orders",
                                       .owner = "x",
                                       .token = {.high = seeded_next(&world->random)},
                                       .random = &random,
                                       .max_skew_ms = world->skew_ms};
    process->random = seeded_next(&world->random);
    assert_int_equal(fz_lease_open(&process->lease, sim_register(&world->link), &options, NULL), FRAZIL_OK);
    process->granter = fz_lease_granter(process->lease);
    return &process->granter;
}

static uint64_t tick_of(const struct world *world, const struct holder *holder)
{
    return (uint64_t)(world->now_ms + holder->offset_ms);
}

static void note_grant(struct world *world, struct holder *holder, const struct fz_grant *grant, uint64_t first)
{
    uint32_t id = (uint32_t)(holder - world->holders);

    if (!grant_oracle_add(&world->oracle, id, grant->worker, first, grant->until))
        fail_world(world, "ticks that were granted before");
    holder->held = *grant;
    holder->holds = true;
    holder->incarnation = world->incarnations;
}

static void acquire(struct world *world, struct holder *holder)
{
    struct fz_granter *granter = granter_of(world, holder);
    struct fz_grant grant;
    frazil_err err = granter->acquire(granter->ctx, FZ_DEADLINE_NONE, tick_of(world, holder), &grant, NULL);

    if (err == FRAZIL_OK)
        note_grant(world, holder, &grant, grant.floor);
    world->taken = err == FRAZIL_OK;
}

static void extend(struct world *world, struct holder *holder)
{
    const struct fz_grant before = holder->held;
    uint64_t incarnation = holder->incarnation;
    struct fz_granter *granter = granter_of(world, holder);
    struct fz_grant grant;
    uint64_t now_tick = tick_of(world, holder);
    frazil_err err = granter->extend(granter->ctx, FZ_DEADLINE_NONE, now_tick, &before, &grant, NULL);

    if (world->calm && now_tick + HORIZON > before.until && err != FRAZIL_OK)
        fail_world(world, "not extended, and nothing was lost");
    if (err != FRAZIL_OK)
        return;
    bool is_contiguous = grant.worker == before.worker && grant.floor == before.floor;
    if (world->calm && !is_contiguous)
        fail_world(world, "a gap, and nothing was lost");
    note_grant(world, holder, &grant, is_contiguous ? before.until + 1 : grant.floor);
    world->spanned += is_contiguous && holder->incarnation != incarnation;
    world->paused += !is_contiguous;
}

static void release(struct world *world, struct holder *holder)
{
    const struct fz_grant held = holder->held;
    uint64_t used = held.floor >= held.until ? held.until : held.floor + pick(world, held.until - held.floor + 1);
    struct fz_granter *granter = granter_of(world, holder);

    holder->holds = false;
    grant_oracle_give_back(&world->oracle, (uint32_t)(holder - world->holders), held.worker, used);
    granter->release(granter->ctx, FZ_DEADLINE_NONE, &held, used);
}

static void act(struct world *world, struct holder *holder)
{
    if (holder->busy)
        return;
    holder->busy = true;
    if (!holder->holds)
        acquire(world, holder);
    else if (chance(world, 30))
        release(world, holder);
    else
        extend(world, holder);
    holder->busy = false;
}

/* ---- the coordinator's misfortunes ---------------------------------------------- */

static uint64_t creators_tick(void *ctx)
{
    struct world *world = ctx;

    return (uint64_t)(world->now_ms + any_offset(world));
}

static void create_namespace(struct world *world, bool never_used)
{
    struct fz_register reg = sim_register(&world->link);
    struct fz_namespace_options options = {.layout = &world->layout,
                                           .name = "orders",
                                           .horizon_ms = HORIZON,
                                           .workers = world->workers,
                                           .token = {.high = seeded_next(&world->random)},
                                           .max_skew_ms = world->skew_ms,
                                           .never_used = never_used,
                                           .now_tick = creators_tick,
                                           .now_ctx = world};

    world->creating = true;
    (void)fz_lease_init(&reg, &options, NULL);
    world->creating = false;
}

static void restart(struct world *world)
{
    world->restarts++;
    world->incarnations++;
    world->offset_ms = any_offset(world);
}

static void restart_with_loss(struct world *world)
{
    struct fz_memory_store *kept = sim_server_copy(&world->server);

    if (world->discarded != NULL && chance(world, 3)) {
        sim_server_roll_back(&world->server, world->discarded); /* back to the copy that was given up */
    } else {
        fz_memory_store_free(world->discarded);
        sim_server_lose(&world->server, chance(world, 2) ? 1 + pick(world, 3) : 1 + pick(world, 40));
    }
    world->discarded = kept;
    world->lossy_restarts++;
    restart(world);
}

static void wipe(struct world *world)
{
    sim_server_wipe(&world->server);
    create_namespace(world, false);
}

static void free_by_hand(struct world *world)
{
    struct fz_register reg = sim_register(&world->link);

    (void)fz_lease_release_by_hand(&reg, "orders", (uint32_t)pick(world, world->workers), NULL);
}

/* Everybody is late: some time passes, often up to the moment in which somebody's grant ends. */
static void pause_all(struct world *world)
{
    const struct holder *holder = &world->holders[pick(world, HOLDERS)];
    int64_t end = (int64_t)holder->held.until + any_offset(world);

    if (holder->holds && end > world->now_ms && chance(world, 2))
        world->now_ms = end;
    else
        world->now_ms += (int64_t)pick(world, 2 * HORIZON);
}

static void step(struct world *world)
{
    uint64_t what = world->taken && chance(world, 3) ? LOSS : pick(world, 100);

    world->taken = false;
    if (chance(world, 2))
        world->now_ms += (int64_t)pick(world, HORIZON / 15);
    if (chance(world, 20))
        pause_all(world);
    if (what < LOSS)
        restart(world);
    else if (what <= LOSS)
        restart_with_loss(world);
    else if (what < 3 && chance(world, 3))
        wipe(world);
    else if (what < 5)
        free_by_hand(world);
    else if (what < 7 && !has_namespace(world))
        create_namespace(world, false);
    else
        act(world, &world->holders[pick(world, HOLDERS)]);
}

/* Everybody holds a worker id, and is extended when a third of the horizon has gone. */
static void calm_step(struct world *world)
{
    if (chance(world, 4))
        restart(world);
    for (size_t i = 0; i < HOLDERS; i++) {
        struct holder *holder = &world->holders[i];
        if (!holder->holds)
            fail_world(world, "not everybody has a worker id");
        extend(world, holder);
    }
    world->now_ms += 1 + (int64_t)pick(world, HORIZON / 3);
}

static void run_seed(uint64_t seed, bool calm, struct world *total)
{
    static struct world world;

    memset(&world, 0, sizeof world);
    world.seed = world.random = seed;
    world.calm = calm;
    sim_server_start(&world.server);
    sim_server_keep_history(&world.server);
    world.server.has_clock = true;
    world.link =
        (struct sim_link){.server = &world.server, .choose = choose_fault, .before = before_request, .ctx = &world};
    assert_int_equal(
        frazil_layout_parse("41/10/12 epoch=0 tick=1ms", strlen("41/10/12 epoch=0 tick=1ms"), &world.layout, NULL),
        FRAZIL_OK);
    world.now_ms = 1000000;
    world.workers = calm ? HOLDERS : 1 + pick(&world, 3);
    world.skew_ms = chance(&world, 3) ? 0 : calm ? SKEW_MS / 4 : SKEW_MS;
    world.offset_ms = any_offset(&world);
    for (size_t i = 0; i < HOLDERS; i++)
        world.holders[i].offset_ms = any_offset(&world);
    create_namespace(&world, true);
    for (size_t i = 0; i < HOLDERS && calm; i++)
        acquire(&world, &world.holders[i]);
    for (int i = 0; i < (calm ? STEPS / 10 : STEPS); i++) {
        if (calm)
            calm_step(&world);
        else
            step(&world);
    }
    for (size_t i = 0; i < HOLDERS; i++) {
        for (size_t j = 0; j < PROCESSES; j++)
            close_process(&world.holders[i].processes[j]);
    }
    grant_oracle_free(&world.oracle);
    fz_memory_store_free(world.discarded);
    sim_server_stop(&world.server);
    total->restarts += world.restarts;
    total->lossy_restarts += world.lossy_restarts;
    total->spanned += world.spanned;
    total->paused += world.paused;
}

static void run_seeds(bool calm, uint64_t seeds, struct world *total)
{
    const char *only = getenv("TEST_SEED");
    const char *more = getenv("TEST_SEEDS");
    uint64_t first = only == NULL ? 1 : strtoull(only, NULL, 10);

    if (more != NULL)
        seeds = strtoull(more, NULL, 10);
    if (only != NULL)
        seeds = 1;
    memset(total, 0, sizeof *total);
    for (uint64_t seed = first; seed < first + seeds; seed++)
        run_seed(seed, calm, total);
    print_message("restarts %llu, of these with loss %llu; extensions without a gap %llu, with one %llu\n",
                  (unsigned long long)total->restarts, (unsigned long long)total->lossy_restarts,
                  (unsigned long long)total->spanned, (unsigned long long)total->paused);
}

TEST("No two rectangles overlap after any loss or delay; and not because nobody was ever extended")
{
    static struct world total;

    run_seeds(false, SEEDS, &total);
    if (getenv("TEST_SEED") == NULL)
        assert_true(total.lossy_restarts >= 100 && total.spanned >= 100 && total.paused >= 100);
}

TEST("Where nothing is lost, and nobody is late, any number of restarts leave no gap in anybody's grant")
{
    static struct world total;

    run_seeds(true, SEEDS / 10, &total);
    assert_int_equal(total.paused, 0);
    if (getenv("TEST_SEED") == NULL)
        assert_true(total.restarts >= 100 && total.spanned >= 1000);
}
