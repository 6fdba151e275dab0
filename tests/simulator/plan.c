/* SPDX-License-Identifier: MIT */
#include "plan.h"

#include <stdio.h>
#include <string.h>

#include "frazil/time.h"
#include "host.h"
#include "world.h"

struct plan plan;

/* In long ticks, edges are often met. */
static const struct {
    unsigned ms;
    unsigned time_bits_of_half_a_year;
} ticks[] = {{1, 34}, {1, 34}, {4, 32}, {10, 30}, {100, 27}, {1000, 24}, {1000, 24}};

static void choose_layout(size_t tick)
{
    struct promises *p = &plan.promises;
    int64_t default_epoch_ms = INT64_C(1767225600000); /* 2026-01-01 */

    p->worker_bits = (unsigned)between(4, 10);
    p->sequence_bits = (unsigned)between(plan.divides ? 3 : 1, 12);
    p->time_bits = 41;
    p->epoch_unix_ms = default_epoch_ms;
    plan.life_ends_ns = UINT64_MAX;
    if (once_in(12)) {
        p->time_bits = ticks[tick].time_bits_of_half_a_year;
        plan.life_ends_ns = between(plan.faults_ns / 4, plan.faults_ns) / MS / p->tick_ms * p->tick_ms * MS;
        p->epoch_unix_ms = TRUE_UNIX_MS + (int64_t)(plan.life_ends_ns / MS) -
                           (int64_t)(((UINT64_C(1) << p->time_bits) - 1) * p->tick_ms);
    }
    snprintf(plan.layout_text, sizeof plan.layout_text, "%u/%u/%u epoch=%lld tick=%ums", p->time_bits, p->worker_bits,
             p->sequence_bits, (long long)p->epoch_unix_ms, (unsigned)p->tick_ms);
    if (frazil_layout_parse(plan.layout_text, strlen(plan.layout_text), &plan.layout, NULL) != FRAZIL_OK)
        world_fail("the layout %s cannot be parsed", plan.layout_text);
}

/* Half of the worlds name the namespace of their files; in the others it is called as the layout's value. */
static void choose_namespace(void)
{
    const struct promises *p = &plan.promises;

    if (p->worker_bits % 2 == 0)
        snprintf(plan.name_space, sizeof plan.name_space, "orders");
    else
        snprintf(plan.name_space, sizeof plan.name_space, "%u-%u-epoch-%lld-tick-%ums", p->worker_bits,
                 p->sequence_bits, (long long)p->epoch_unix_ms, (unsigned)p->tick_ms);
}

void plan_say_layout(char *text, size_t size)
{
    const frazil_layout *l = &plan.layout;
    int datacenter_bits = l->worker_bits / 2;
    char epoch[FRAZIL_TIME_SIZE] = "";

    if (frazil_time_format(l->epoch_unix_ms, epoch, sizeof epoch, NULL) != FRAZIL_OK)
        world_fail("the epoch of the layout %s cannot be written", plan.layout_text);
    switch (plan.said++ % 4) {
    case 0:
        snprintf(text, size, "layout='%s'", plan.layout_text);
        return;
    case 1:
        snprintf(text, size, "layout='%u/%d+%d/%u epoch=%s tick=%uus'", l->time_bits, datacenter_bits,
                 l->worker_bits - datacenter_bits, l->sequence_bits, epoch, l->tick_ms * 1000);
        return;
    case 2:
        snprintf(text, size, "epoch=%lld tick=%ums layout=%u/%uw/%us", (long long)l->epoch_unix_ms, l->tick_ms,
                 l->time_bits, l->worker_bits, l->sequence_bits);
        return;
    default:
        snprintf(text, size, "tick=%ums layout='%u/%u/%u epoch=%s'", l->tick_ms, l->time_bits, l->worker_bits,
                 l->sequence_bits, epoch);
    }
}

static void choose_policies(void)
{
    static const char *const on_full[] = {"wait", "wait", "lead", "error"};
    static const char *const on_backward[] = {"hold", "hold", "wait", "error"};
    static const char *const start[] = {"spread", "zero", "random"};
    uint64_t lead_ms = once_in(3) ? 1000 : once_in(2) ? 0 : of_any_size(1, 5000);
    uint64_t wait_ms = once_in(4) ? 0 : of_any_size(1, 20000);

    const char *full = on_full[pick(4)]; /* one by one: the order of arguments is up to the compiler */
    const char *backward = on_backward[pick(4)];
    const char *first = start[plan.tight ? 1 : pick(3)];

    plan.promises.max_lead_ms = lead_ms;
    plan.promises.max_wait_ns = wait_ms * MS;
    snprintf(plan.policies, sizeof plan.policies,
             "on_full=%s on_backward=%s max_lead=%ums max_wait=%ums start=%s allow_short_life=yes", full, backward,
             (unsigned)lead_ms, (unsigned)wait_ms, first);
}

/* Worlds in which a quarantine that is a tick short can be too short. */
static void make_tight(void)
{
    uint64_t tick_ns = plan.promises.tick_ms * MS;
    uint64_t longest_ns = plan.horizon_ns / 4 < 5 * SECOND ? plan.horizon_ns / 4 : 5 * SECOND;

    plan.tight = true;
    plan.max_skew_ns = of_any_size(1, longest_ns / tick_ns) * tick_ns;
    plan.promises.workers = between(1, plan.hosts);
}

static void choose_fleet(void)
{
    uint64_t shortest_ms = 4 * plan.promises.tick_ms;

    plan.horizon_ns = of_any_size(shortest_ms > 300 ? shortest_ms : 300, 20 * 60 * 1000) * MS;
    plan.max_skew_ns = between(1, plan.horizon_ns / MS / 4 + 1) * MS;
    if (plan.max_skew_ns > 5 * SECOND)
        plan.max_skew_ns = 5 * SECOND;
    plan.has_clock = once_in(2);
    plan.lossy = !once_in(3);
    plan.faults_ns = plan.horizon_ns * between(20, 250);
    plan.hosts = (unsigned)between(2, 4);
    plan.promises.workers = once_in(4) ? between(1, plan.hosts) : between(plan.hosts + 2, 14);
    if (plan.lossy && plan.has_clock && plan.promises.tick_ms >= 100 && pick(4) != 0)
        make_tight();
    plan.varies = plan.lossy && !plan.tight && once_in(2);
    bool bounded = plan.lossy && !plan.has_clock;
    plan.wild_ns = bounded ? 0 : of_any_size(SECOND, 10 * HOUR);
}

static void choose_hosts(void)
{
    plan.horizon_ns = 6 * SECOND; /* the reserve of the library in a file */
    plan.max_skew_ns = SECOND;
    plan.faults_ns = of_any_size(MINUTE, 60 * HOUR);
    plan.hosts = (unsigned)between(1, 3);
    plan.promises.workers = plan.hosts;
    plan.wipes_run = once_in(2);
    plan.services = once_in(2) ? (unsigned)between(2, SERVICES_MAX) : 1;
    plan.divides = plan.services > 1;
    plan.shared = plan.services == 1 && once_in(2);
    plan.wild_ns = of_any_size(SECOND, 10 * HOUR);
}

/* A worker id for each lease, so that one that is given back is taken at once, or two and more. */
static void choose_members(void)
{
    plan.of_members = true;
    plan.services = (unsigned)between(2, SERVICES_MAX);
    plan.wipes_run = once_in(4);
    plan.promises.workers = once_in(2) ? plan.hosts : between(2 * plan.hosts, 14);
}

/* Few worker ids, so that they are in the way of each other. */
static void choose_users(void)
{
    plan.of_users = true;
    plan.shared = false;
    plan.services = SERVICES_MAX;
    plan.divides = once_in(3);
    plan.wipes_run = once_in(3);
    plan.hosts = (unsigned)between(1, 2);
    plan.numbers = plan.divides ? 1 : (unsigned)between(1, 3);
    plan.shares_state = once_in(2);
    plan.promises.workers = plan.hosts * plan.numbers;
    if (plan.faults_ns > 2 * HOUR)
        plan.faults_ns = of_any_size(MINUTE, 2 * HOUR); /* openings are what there is to see */
}

uint64_t plan_tick_ns(uint64_t tick)
{
    int64_t ms = plan.promises.epoch_unix_ms + (int64_t)(tick * plan.promises.tick_ms) - TRUE_UNIX_MS;

    return ms < 0 ? 0 : (uint64_t)ms * MS;
}

void plan_make(enum kind_of_world kind)
{
    size_t tick = pick(sizeof ticks / sizeof ticks[0]);

    memset(&plan, 0, sizeof plan);
    plan.promises.tick_ms = ticks[tick].ms;
    plan.services = 1;
    plan.leased = kind == WORLD_MEMBERS || (kind != WORLD_USERS && pick(5) < 3);
    if (plan.leased)
        choose_fleet();
    else
        choose_hosts();
    if (kind == WORLD_MEMBERS)
        choose_members();
    if (kind == WORLD_USERS)
        choose_users();
    if (plan.wild_ns > plan.faults_ns / 2)
        plan.wild_ns = plan.faults_ns / 2;
    choose_layout(tick);
    choose_namespace();
    choose_policies();
    plan.promises.horizon_ms = plan.horizon_ns / MS;
    plan.promises.may_stop = plan.shared;
    plan.promises.divides = plan.divides;
    plan.faults = (unsigned)between(5, 60);
    plan.step_mean = (unsigned)of_any_size(20, 2000);
    plan.think_ns = plan.faults_ns / between(20, 200);
}
