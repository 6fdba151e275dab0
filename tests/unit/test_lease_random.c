/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: whatever happens to owners, network and coordinator, in
 * whatever order, no tick of a worker id is granted to two owners.  Seeded: the
 * same seed gives the same run.  TEST_SEEDS=N runs more of them, TEST_SEED=S
 * one of them.
 */

#include "lib/fleet.h"
#include "lib/grant_oracle.h"
#include "lib/near_miss.h"
#include "lib/test.h"

AFTER_EACH
{
    fleet_stop();
}

enum { SEEDS = 2000, STEPS = 250, HORIZON = 300, SKEW_MS = 40, DEPTH_MAX = 3, WILD_MS = 100000 };

/* The kinds of events; each must have happened when all seeds have run. */
enum happening {
    ACQUIRED,
    EXTENDED,
    MOVED,
    RELEASED,
    KILLED,
    CLONED,
    FREED_BY_HAND,
    DELIVERED_LATE,
    LONG_PAUSE,
    WILD_CLOCK,
    RESTARTED,
    WIPED,
    CREATED_AGAIN,
    COPIED,
    ROLLED_BACK,
    INTERRUPTED,
    HAPPENINGS
};

static const char *const happening_names[HAPPENINGS] = {
    "acquired", "extended",   "moved",     "released", "killed",        "cloned", "freed by hand", "delivered late",
    "a pause",  "wild clock", "restarted", "wiped",    "created again", "copied", "rolled back",   "interrupted"};

struct actor {
    int64_t offset_ms; /* of its clock */
    uint32_t id;       /* in the oracle; another one for each lease that is opened */
    bool holds;
    bool busy;            /* in the middle of a call */
    uint64_t losses;      /* of the coordinator's, when the call began */
    uint64_t release_min; /* up to here the ticks are a clone's, too */
};

struct world {
    struct grant_oracle oracle;
    struct actor actors[FLEET_OWNERS_MAX];
    struct sim_link operator_link; /* of whoever creates namespaces and frees by hand */
    struct fz_memory_store *copy;
    uint64_t seed;
    uint64_t random;
    int64_t now_ms;
    int64_t skew_ms; /* how far the clocks may differ */
    int64_t server_offset_ms;
    bool lossy;  /* the coordinator may lose records */
    bool faulty; /* the network is */
    uint32_t fault_percent;
    uint64_t workers;
    size_t owners;
    uint32_t next_id;
    uint32_t incarnations;
    uint64_t losses; /* how often records were lost */
    int depth;
    uint64_t happened[HAPPENINGS];
    uint64_t struck[SIM_FAULTS_TOTAL];
    struct fz_lease_counters counters;
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

static int64_t any_offset(struct world *world, int64_t reach_ms)
{
    return reach_ms == 0 ? 0 : (int64_t)pick(world, 2 * (uint64_t)reach_ms + 1) - reach_ms;
}

static void set_server_clock(struct world *world)
{
    fleet.server.unix_ms = world->now_ms + world->server_offset_ms;
}

static uint64_t tick_of(const struct world *world, const struct actor *actor)
{
    int64_t ms = world->now_ms + actor->offset_ms;

    return ms < 1 ? 1 : (uint64_t)ms;
}

/* ---- the network ----------------------------------------------------------- */

static enum sim_fault choose_fault(void *ctx, bool is_swap)
{
    struct world *world = ctx;

    (void)is_swap;
    if (!world->faulty || pick(world, 100) >= world->fault_percent)
        return SIM_NONE;
    return (enum sim_fault)(1 + pick(world, SIM_FAULTS_TOTAL - 1));
}

/* Between any two requests of one, others may act. */
static void interrupt(void *ctx)
{
    struct world *world = ctx;

    if (world->depth < DEPTH_MAX && world->faulty && chance(world, 5)) {
        world->happened[INTERRUPTED]++;
        world->depth++;
        step(world);
        world->depth--;
    }
}

/* ---- owners ---------------------------------------------------------------- */

static void fail_world(const struct world *world, const char *what)
{
    fail_msg("TEST_SEED=%llu: %s", (unsigned long long)world->seed, what);
}

static void open_actor(struct world *world, size_t i, struct fz_token token)
{
    struct fz_lease_options options = fleet_options(i);
    struct sim_link *link = &fleet.owners[i].link;

    options.token = token;
    options.max_skew_ms = world->skew_ms;
    link->choose = choose_fault;
    link->before = interrupt;
    link->ctx = world;
    world->actors[i].id = ++world->next_id;
    world->actors[i].holds = false;
    world->actors[i].release_min = 0;
    fleet_open_with(i, &options);
}

static void close_actor(struct world *world, size_t i)
{
    struct fleet_owner *owner = &fleet.owners[i];
    struct fz_lease_counters counters = fz_lease_count(owner->lease);

    world->counters.lost += counters.lost;
    world->counters.clones += counters.clones;
    world->counters.burned += counters.burned;
    world->counters.quarantines += counters.quarantines;
    owner->granter.close(owner->granter.ctx);
    owner->lease = NULL;
}

/* L10: what was left of a grant is given up, and nothing is granted for it. */
static void check_withdrawal(const struct world *world, size_t i, const struct fz_grant *before)
{
    const struct fz_grant *grant = fleet_held(i);

    if (before == NULL || grant->worker != before->worker || grant->until != before->until ||
        grant->floor != before->until + 1 || before->floor > before->until)
        fail_world(world, "a grant without a tick");
}

/* A grant was handed out: L1, L5, and nobody else's. */
static void check_grant(struct world *world, size_t i, const struct fz_grant *before, uint64_t now_tick)
{
    struct actor *actor = &world->actors[i];
    const struct fz_grant *grant = fleet_held(i);
    bool contiguous = before != NULL && before->worker == grant->worker && before->floor == grant->floor;
    struct fz_worker_record record;

    if (grant->floor > grant->until) {
        check_withdrawal(world, i, before);
        return;
    }
    /* Others may have swapped it since then, which makes its version greater; and what was answered may be lost. */
    uint64_t version = fleet_record(grant->worker, &record);
    if ((version < grant->version && actor->losses == world->losses) ||
        (version == grant->version && record.until != grant->until))
        fail_world(world, "a grant that is not recorded");
    if (grant->until > now_tick + HORIZON)
        fail_world(world, "a grant beyond the horizon");
    if (grant->worker >= world->workers)
        fail_world(world, "a worker id outside the namespace");
    if (!grant_oracle_add(&world->oracle, actor->id, grant->worker, contiguous ? before->until + 1 : grant->floor,
                          grant->until))
        fail_world(world, "ticks that were granted before");
    if (!contiguous)
        actor->release_min = 0;
    world->happened[before == NULL ? ACQUIRED : contiguous ? EXTENDED : MOVED]++;
}

static void begin_call(struct world *world, struct actor *actor)
{
    actor->busy = true;
    actor->losses = world->losses;
}

static void act_acquire(struct world *world, size_t i)
{
    struct actor *actor = &world->actors[i];
    uint64_t now_tick = tick_of(world, actor);

    if (fleet.owners[i].lease == NULL)
        open_actor(world, i, (struct fz_token){.high = world->seed, .low = world->next_id + 1});
    begin_call(world, actor);
    actor->holds = fleet_acquire(i, now_tick) == FRAZIL_OK;
    actor->busy = false;
    if (actor->holds)
        check_grant(world, i, NULL, now_tick);
}

static bool is_same_grant(const struct fz_grant *a, const struct fz_grant *b)
{
    return a->worker == b->worker && a->floor == b->floor && a->until == b->until && a->version == b->version;
}

static void act_extend(struct world *world, size_t i)
{
    struct actor *actor = &world->actors[i];
    struct fz_grant before = *fleet_held(i);
    uint64_t now_tick = tick_of(world, actor);

    begin_call(world, actor);
    frazil_err err = fleet_extend(i, now_tick);
    actor->busy = false;
    if (err == FRAZIL_OK)
        check_grant(world, i, &before, now_tick);
    else if (!is_same_grant(&before, fleet_held(i)))
        fail_world(world, "a failed extension changed the grant");
}

static void act_release(struct world *world, size_t i)
{
    struct actor *actor = &world->actors[i];
    struct fz_grant held = *fleet_held(i);
    uint64_t least = held.floor > actor->release_min ? held.floor : actor->release_min;
    uint64_t used = least >= held.until ? held.until : least + pick(world, held.until - least + 1);

    begin_call(world, actor);
    actor->holds = false;
    grant_oracle_give_back(&world->oracle, actor->id, held.worker, used);
    fleet_release(i, used);
    actor->busy = false;
    close_actor(world, i);
    world->happened[RELEASED]++;
}

/*
 * The same memory, the same token, the same random numbers.  Not where L9 may hold:
 * what it does not promise is that the twins stay apart when one's extension is lost.
 */
static void act_clone(struct world *world, size_t i)
{
    size_t j = pick(world, world->owners);

    if (fleet.owners[j].lease != NULL || world->actors[j].busy)
        return;
    if (world->lossy && fleet.server.has_clock)
        return;
    struct fz_token token = {.high = world->seed, .low = world->actors[i].id};
    open_actor(world, j, token);
    fleet.owners[j].random = fleet.owners[i].random;
    fleet.owners[j].held = fleet.owners[i].held;
    world->actors[j].holds = true;
    world->actors[i].release_min = world->actors[j].release_min = fleet.owners[i].held.until;
    world->happened[CLONED]++;
}

static void act(struct world *world, size_t i)
{
    struct actor *actor = &world->actors[i];
    bool is_open = fleet.owners[i].lease != NULL;

    if (actor->busy)
        return;
    if (is_open && chance(world, 40)) {
        close_actor(world, i); /* killed */
        actor->holds = false;
        world->happened[KILLED]++;
    } else if (!is_open || !actor->holds) {
        act_acquire(world, i);
    } else if (chance(world, 12)) {
        act_release(world, i);
    } else if (chance(world, 25)) {
        act_clone(world, i);
    } else {
        act_extend(world, i);
    }
}

/* ---- the rest of the world -------------------------------------------------- */

static uint64_t creators_tick(void *ctx)
{
    struct world *world = ctx;
    struct actor creator = {.offset_ms = any_offset(world, world->skew_ms / 2)};

    return tick_of(world, &creator);
}

static void create_namespace(struct world *world, bool never_used)
{
    struct fz_register reg = sim_register(&world->operator_link);
    struct fz_namespace_options options = {.layout = &fleet.layout,
                                           .name = "orders",
                                           .horizon_ms = HORIZON,
                                           .workers = world->workers,
                                           .token = {.high = world->seed, .low = seeded_next(&world->random)},
                                           .max_skew_ms = world->skew_ms,
                                           .never_used = never_used,
                                           .now_tick = creators_tick,
                                           .now_ctx = world};

    world->happened[CREATED_AGAIN] += fz_lease_init(&reg, &options, NULL) == FRAZIL_OK && !never_used;
}

/* The coordinator is another one from now on, with another clock. */
static void change_incarnation(struct world *world)
{
    char *incarnation = fleet.server.incarnation;

    snprintf(incarnation, sizeof fleet.server.incarnation, "run-%u", ++world->incarnations);
    world->server_offset_ms = any_offset(world, world->skew_ms / 2);
    set_server_clock(world);
}

static void lose_records(struct world *world)
{
    switch (pick(world, 4)) {
    case 0:
        change_incarnation(world);
        world->happened[RESTARTED]++;
        break;
    case 1:
        if (chance(world, 2))
            change_incarnation(world);
        sim_server_wipe(&fleet.server);
        world->losses++;
        world->happened[WIPED]++;
        if (chance(world, 2))
            create_namespace(world, false);
        break;
    case 2:
        fz_memory_store_free(world->copy);
        world->copy = sim_server_copy(&fleet.server);
        world->happened[COPIED]++;
        break;
    default:
        if (world->copy == NULL)
            break;
        sim_server_roll_back(&fleet.server, world->copy);
        world->copy = NULL;
        world->losses++;
        change_incarnation(world);
        world->happened[ROLLED_BACK]++;
        break;
    }
}

/* A clock that is wrong by any amount is harmless unless records are lost, or where the coordinator has one, too. */
static void set_clock_wild(struct world *world)
{
    struct actor *actor = &world->actors[pick(world, world->owners)];

    if (world->lossy && !fleet.server.has_clock)
        return;
    actor->offset_ms = chance(world, 2) ? any_offset(world, WILD_MS) : any_offset(world, 2 * world->skew_ms + 2);
    if (!world->lossy && chance(world, 4))
        world->server_offset_ms = any_offset(world, WILD_MS);
    world->happened[WILD_CLOCK]++;
}

static void free_by_hand(struct world *world)
{
    struct fz_register reg = sim_register(&world->operator_link);

    world->happened[FREED_BY_HAND] +=
        fz_lease_release_by_hand(&reg, "orders", (uint32_t)pick(world, world->workers), NULL) == FRAZIL_OK;
}

static void deliver_late(struct world *world)
{
    sim_server_deliver(&fleet.server, pick(world, fleet.server.n_delayed));
    world->happened[DELIVERED_LATE]++;
}

static void step(struct world *world)
{
    uint64_t what = pick(world, 100);

    world->now_ms += (int64_t)pick(world, chance(world, 20) ? 2 * HORIZON : 15);
    if (what < 3)
        world->happened[LONG_PAUSE] += (world->now_ms += (int64_t)pick(world, 4 * HORIZON)) > 0;
    set_server_clock(world);
    if (what < 6 && world->lossy)
        lose_records(world);
    else if (what < 8)
        create_namespace(world, false); /* if it is missing */
    else if (what < 10)
        set_clock_wild(world);
    else if (what < 12)
        free_by_hand(world);
    else if (what < 20 && fleet.server.n_delayed > 0)
        deliver_late(world);
    else
        act(world, pick(world, world->owners));
}

/* When all faults are over, and what was held has ended, a new owner gets a worker. */
static void check_recovery(struct world *world)
{
    struct actor sane = {.offset_ms = 0};

    world->faulty = false;
    world->server_offset_ms = 0;
    world->now_ms += 2 * WILD_MS + 10 * HORIZON;
    set_server_clock(world);
    create_namespace(world, false);
    if (fleet.owners[0].lease != NULL)
        close_actor(world, 0);
    world->actors[0] = sane;
    for (int tries = 0; tries < 3 * HORIZON && !world->actors[0].holds; tries++) {
        act_acquire(world, 0);
        world->now_ms++;
        set_server_clock(world);
    }
    if (!world->actors[0].holds)
        fail_world(world, fleet.owners[0].err.message);
}

static void run_seed(struct world *total, uint64_t seed)
{
    static struct world world;

    memset(&world, 0, sizeof world);
    world.seed = seed;
    world.random = seed;
    world.now_ms = 1000000;
    fleet_start();
    world.workers = 1 + pick(&world, 4);
    world.owners = 2 + pick(&world, FLEET_OWNERS_MAX - 1);
    world.lossy = chance(&world, 2);
    world.fault_percent = (uint32_t)pick(&world, 4) * 8;
    world.skew_ms = chance(&world, 2) ? 0 : SKEW_MS;
    fleet.server.has_clock = chance(&world, 2);
    change_incarnation(&world);
    world.operator_link =
        (struct sim_link){.server = &fleet.server, .choose = choose_fault, .before = interrupt, .ctx = &world};
    for (size_t i = 0; i < FLEET_OWNERS_MAX; i++)
        world.actors[i].offset_ms = any_offset(&world, world.skew_ms / 2);
    create_namespace(&world, true);
    world.faulty = true;
    for (int i = 0; i < STEPS; i++)
        step(&world);
    check_recovery(&world);

    for (size_t i = 0; i < FLEET_OWNERS_MAX; i++) {
        for (size_t fault = 0; fault < SIM_FAULTS_TOTAL; fault++)
            total->struck[fault] += fleet.owners[i].link.struck[fault];
        if (fleet.owners[i].lease != NULL)
            close_actor(&world, i);
    }
    for (size_t i = 0; i < HAPPENINGS; i++)
        total->happened[i] += world.happened[i];
    total->counters.lost += world.counters.lost;
    total->counters.clones += world.counters.clones;
    total->counters.burned += world.counters.burned;
    total->counters.quarantines += world.counters.quarantines;
    fz_memory_store_free(world.copy);
    grant_oracle_free(&world.oracle);
}

static uint64_t number_from(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

TEST("No two rectangles overlap, in any of the seeds; and each kind of fault has struck in some of them")
{
    static struct world total;
    uint64_t first = number_from("TEST_SEED", 1);
    uint64_t seeds = getenv("TEST_SEED") != NULL ? 1 : number_from("TEST_SEEDS", SEEDS);

    for (uint64_t seed = first; seed < first + seeds; seed++)
        run_seed(&total, seed);
    if (seeds < SEEDS)
        return;
    for (size_t i = 0; i < HAPPENINGS; i++) {
        if (total.happened[i] < 10)
            fail_msg("happened %llu times only: %s", (unsigned long long)total.happened[i], happening_names[i]);
    }
    for (size_t fault = 0; fault < SIM_FAULTS_TOTAL; fault++)
        assert_true(total.struck[fault] >= 10);
    assert_true(total.counters.lost >= 10 && total.counters.clones >= 10);
    assert_true(total.counters.burned >= 10 && total.counters.quarantines >= 10);
}

TEST("The oracle itself sees an overlap, and knows what was given back")
{
    struct grant_oracle oracle = {.n = 0};

    assert_true(grant_oracle_add(&oracle, 1, 7, 10, 20));
    assert_true(grant_oracle_add(&oracle, 1, 7, 21, 30));
    assert_true(grant_oracle_add(&oracle, 2, 8, 10, 20));
    assert_false(grant_oracle_add(&oracle, 2, 7, 30, 31));
    assert_false(grant_oracle_add(&oracle, 1, 7, 5, 10));
    grant_oracle_give_back(&oracle, 1, 7, 15);
    assert_true(grant_oracle_add(&oracle, 2, 7, 16, 40));
    assert_false(grant_oracle_add(&oracle, 2, 7, 15, 15));
    grant_oracle_free(&oracle);
}
