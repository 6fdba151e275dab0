/* SPDX-License-Identifier: MIT */
#include "faults.h"

#include "coordinator.h"
#include "generator/generator_internal.h"
#include "host.h"
#include "nemesis.h"
#include "oracle.h"
#include "plan.h"
#include "process.h"
#include "program.h"
#include "story.h"
#include "world.h"

enum { STEPS_MAX = 40000000 };

static struct {
    uint64_t left;  /* steps until the next that is interrupted */
    uint64_t steps; /* up to now */
    bool over;
    uint64_t due_ns; /* when each service must be able to issue again */
    uint64_t end_ns; /* and when each must have */
    struct host *operator_host;
} faults;

/* The process that runs is held up where it is. */
static void interrupt(void)
{
    uint64_t what = faults.over ? 0 : pick(1000);

    if (what < 880) {
        self_spend(of_any_size(1, faults.over ? 50 * US : 5 * MS));
    } else if (what < 950) {
        nemesis_stop(self(), of_any_size(100 * US, SECOND));
        self_spend(0);
    } else if (what < 975 && !plan.is_fleet) {
        nemesis_stop(self(), of_any_size(plan.horizon_ns / 2, 4 * plan.horizon_ns));
        self_spend(0);
    } else if (self()->host == faults.operator_host) {
        return;
    } else if (what < 990) {
        self_outside(nemesis_kill, self());
    } else {
        self_outside(plan.leased && !plan.is_fleet ? nemesis_clone_host : nemesis_lose_power, self()->host);
    }
}

void faults_step(void)
{
    if (--faults.left > 0)
        return;
    faults.left = of_any_size(1, 2 * plan.step_mean);
    faults.steps += faults.left;
    if (faults.steps > STEPS_MAX && !plan.is_fleet)
        world_fail("the processes run in circles");
    if (world_failure() != NULL)
        self_wait(NULL, UINT64_MAX);
    interrupt();
}

void faults_call(uint64_t ns)
{
    faults_step();
    self_spend(ns);
}

/* Starts what is installed where it does not run. */
static void watch(void *arg, uint64_t number)
{
    struct host *host = arg;
    bool runs = false;

    for (struct process *p = host->processes; p != NULL; p = p->next_of_host)
        runs = runs || (p->live && p->is_service && p->program == host->programs[number]);
    if (host->is_up && !host->is_suspended && !runs)
        program_start(host, (unsigned)number);
    /* Those that share a lease come back while it lasts. */
    uint64_t longest_ns = plan.of_members ? plan.horizon_ns / 2 + 200 * MS : SECOND + plan.faults_ns / 50;
    world_at(world_now() + (faults.over ? faults_think_ns() : of_any_size(100 * MS, longest_ns)), watch, host, number);
}

void faults_power_may_fail(unsigned n)
{
    if (!faults.over && once_in(n))
        self_outside(nemesis_lose_power, self()->host);
}

/* ---- healing ----------------------------------------------------------------------------------------- */

static uint64_t latest_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/*
 * All is well when the last stop is over, true time has passed all that any clock
 * has shown and anybody was granted, and then a quarantine and a grant of a
 * worker that nobody gave back.
 */
static void set_due(void)
{
    uint64_t due_ns = latest_of(world_now(), (uint64_t)clocks_highest_ns());

    if (plan.leased)
        due_ns = latest_of(due_ns, coordinator_highest_ns());
    if (plan.life_ends_ns == UINT64_MAX)
        due_ns = latest_of(due_ns, plan_tick_ns(oracle_highest_record()));
    else
        due_ns = latest_of(due_ns, plan.life_ends_ns);
    for (const struct process *p = process_first(); p != NULL; p = p->next)
        due_ns = p->live ? latest_of(due_ns, p->stopped_until) : due_ns;
    due_ns += 3 * plan.horizon_ns + 8 * plan.max_skew_ns + 30 * SECOND;
    faults.due_ns = due_ns;
    faults.end_ns = due_ns + 2 * plan.horizon_ns + 2 * MINUTE;
}

static void heal(void *arg, uint64_t unused)
{
    (void)arg;
    (void)unused;
    faults.over = true;
    coordinator_heal();
    for (unsigned i = 0; i < hosts_max; i++) {
        struct host *host = &hosts[i];
        if (!host->exists)
            continue;
        nemesis_boot(host, false);
        nemesis_repair(host, 0);
        host->disk.sync_ns = MS;
        host->cut = CUT_NOT;
        if (!host->is_suspended && !host->is_forgetful)
            host_set_clock(host, nemesis_small_offset_ns(), 0);
        for (unsigned n = 0; n < plan.services; n++) {
            if (host->programs[n] != NULL)
                world_at(world_now(), watch, host, n);
        }
    }
    set_due();
    wake_all(&plan);
    tell(TOLD_HEALS, faults.due_ns / MS, 0, 0);
}

const struct host *faults_operator_host(void)
{
    return faults.operator_host;
}

bool faults_are_over(void)
{
    return faults.over;
}

uint64_t faults_think_ns(void)
{
    return world_now() < faults.due_ns ? (faults.due_ns - world_now()) / 4 + SECOND : SECOND;
}

static void recovered(void)
{
    if (!faults.over || world_now() < faults.due_ns || self()->recovered)
        return;
    self()->recovered = true;
    tell(TOLD_RECOVERED, 0, 0, 0);
}

void faults_note_issued(void)
{
    recovered();
}

void faults_note_life_ended(void)
{
    tell(STRUCK_LIFE_ENDED, 0, 0, 0);
    recovered();
}

bool faults_life_may_have_ended(void)
{
    if (plan.life_ends_ns == UINT64_MAX)
        return false; /* without a look at all clocks */
    uint64_t reach_ns = (uint64_t)clocks_highest_ns() + plan.horizon_ns + 2 * plan.max_skew_ns +
                        plan.promises.max_lead_ms * MS + 2 * SECOND;

    /* A batch that needs more ticks than there are left is told the same. */
    reach_ns += PROGRAM_BATCH_MAX * plan.promises.tick_ms * MS;
    return reach_ns >= plan.life_ends_ns;
}

/* Whether its worker id is that of one that was counted before: they share a lease. */
static bool is_counted(const struct process *process)
{
    for (const struct process *p = process_first(); plan.of_members && p != process; p = p->next) {
        if (p->live && p->recovered && p->pages[0] == process->pages[0])
            return true;
    }
    return false;
}

/* How far the services have come since all faults were over. */
struct progress {
    unsigned services; /* that must have issued ids */
    unsigned done;
    unsigned workers; /* that they have */
};

static struct progress look_at_progress(void)
{
    struct progress progress = {.services = 0};

    for (const struct process *p = process_first(); p != NULL; p = p->next) {
        if (!p->live || (!p->is_service && !p->is_heir))
            continue;
        progress.services++;
        progress.done += p->recovered;
        progress.workers += p->recovered && !is_counted(p);
    }
    return progress;
}

/* Of more services than there are worker ids, some go without. */
bool faults_done(void)
{
    if (!faults.over || world_now() < faults.due_ns)
        return false;
    struct progress progress = look_at_progress();
    if (progress.done >= progress.services || (plan.leased && progress.workers >= plan.promises.workers))
        return true;
    if (world_now() >= faults.end_ns)
        world_fail("no progress: %u of %u services have issued ids since all faults were over", progress.done,
                   progress.services);
    return world_now() >= faults.end_ns;
}

uint64_t faults_any_number(void *ctx)
{
    (void)ctx;
    return any_number();
}

/* ---- beginning --------------------------------------------------------------------------------------- */

static void add_hosts(void)
{
    if (plan.leased) {
        faults.operator_host = host_add();
        faults.operator_host->is_up = true;
        host_set_clock(faults.operator_host, nemesis_small_offset_ns(), 0);
        program_start_operator(faults.operator_host);
    }
    for (unsigned i = 0; i < plan.hosts; i++) {
        struct host *host = host_add();
        program_install(host, i);
        world_at(of_any_size(MS, 10 * SECOND), nemesis_boot, host, 0);
        for (unsigned n = 0; n < plan.services; n++)
            world_at(10 * SECOND, watch, host, n);
    }
}

void faults_begin_fleet(struct host *quiet)
{
    faults.left = 1 + pick(plan.step_mean);
    faults.steps = 0;
    faults.over = false;
    faults.due_ns = faults.end_ns = 0;
    faults.operator_host = quiet;
}

void faults_end(void)
{
    faults.over = true;
}

void faults_begin(void)
{
    struct coordinator_options options = {
        .workers = WORKERS_MAX, .has_clock = plan.has_clock, .has_incarnation = plan.has_clock};

    options.timeout_ns = of_any_size(50 * MS, 2 * SECOND);
    options.trouble_permil = once_in(3) ? 0 : (unsigned)of_any_size(1, 150);
    faults.left = 1 + pick(plan.step_mean);
    faults.steps = 0;
    faults.over = false;
    faults.due_ns = faults.end_ns = 0;
    faults.operator_host = NULL;
    coordinator_begin(&options);
    if (plan.tight)
        coordinator_set_clock((int64_t)(plan.max_skew_ns / 2));
    add_hosts();
    for (unsigned i = 0; i < plan.faults; i++)
        world_at(between(SECOND, plan.faults_ns), nemesis_happen, NULL, 0);
    world_at(plan.faults_ns, heal, NULL, 0);
}
