/* SPDX-License-Identifier: MIT */
#include "fleet.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator.h"
#include "faults.h"
#include "host.h"
#include "nemesis.h"
#include "oracle.h"
#include "plan.h"
#include "process.h"
#include "program.h"
#include "story.h"
#include "taking.h"
#include "world.h"

enum { SERVICES_OF_A_HOST = 10, FEWEST_STRETCHES = 32 };

/* A supervisor waits no longer than this, however often a service failed. */
static const uint64_t longest_restart_ns = 20 * SECOND;

/* A service as its host knows it, whichever process runs it. */
struct service {
    struct host *host;
    struct process *process; /* the latest; NULL: none yet */
    uint64_t since_ns;       /* when it began to want ids; UINT64_MAX: it has them */
    unsigned failures;       /* starts in a row that ended without ids */
    bool leaves;             /* it is to close and exit */
};

static struct {
    unsigned services;
    struct coordinator_options coordinator;
    uint64_t storm_ns;   /* all start within that time */
    uint64_t restart_ns; /* a service that has ended is started again after so long at the most, if it had ids */
    uint64_t pause_ns;   /* between two calls of a service, on average */
    bool rolls_by_kill;
    bool is_tight;
    uint64_t lasts_ns[PHASES];
} fleet;

static struct program member;
static struct service *services;

static struct {
    enum fleet_phase phase;
    uint64_t phase_began_ns;
    struct coordinator_load before; /* at the beginning of the phase */
    uint64_t second_began;          /* requests up to the beginning of this second */
    struct fleet_figures figures[PHASES];
    bool over;
} meter;

/* ---- the plan ---------------------------------------------------------------------- */

static void choose_layout(bool planted)
{
    static const unsigned ticks_ms[] = {1, 10, 100, 1000};
    unsigned bits = 4;

    while (fleet.services * 3 / 2 >> bits != 0)
        bits++;
    plan.promises.tick_ms = planted ? 1000 : ticks_ms[pick(4)];
    plan.promises.time_bits = 41;
    plan.promises.worker_bits = bits;
    plan.promises.sequence_bits = 8;
    plan.promises.epoch_unix_ms = INT64_C(1767225600000); /* 2026-01-01 */
    plan.life_ends_ns = UINT64_MAX;
    snprintf(plan.layout_text, sizeof plan.layout_text, "41/%u/8 epoch=1767225600000 tick=%ums", bits,
             (unsigned)plan.promises.tick_ms);
    if (frazil_layout_parse(plan.layout_text, strlen(plan.layout_text), &plan.layout, NULL) != FRAZIL_OK)
        world_fail("the layout %s cannot be parsed", plan.layout_text);
}

static void choose_times(void)
{
    uint64_t horizon_ns = between(12, 60) * SECOND;

    plan.horizon_ns = horizon_ns;
    fleet.storm_ns = of_any_size(50 * MS, 5 * SECOND);
    fleet.restart_ns = between(SECOND, 5 * SECOND);
    fleet.pause_ns = 8 * SECOND;
    fleet.is_tight = once_in(2);
    /* A worker id of a killed service is free a horizon later: hardly any are to spare for that. */
    fleet.rolls_by_kill = !fleet.is_tight && once_in(2);
    fleet.lasts_ns[PHASE_START] = MINUTE;
    fleet.lasts_ns[PHASE_STEADY] = MINUTE;
    fleet.lasts_ns[PHASE_OUTAGE] = horizon_ns + of_any_size(SECOND, horizon_ns);
    fleet.lasts_ns[PHASE_RETURN] = 2 * horizon_ns + 30 * SECOND;
    fleet.lasts_ns[PHASE_ROLLING] = 100 * SECOND;
    fleet.lasts_ns[PHASE_CALM] = horizon_ns + 30 * SECOND;
}

/*
 * How long the coordinator takes to answer each service once.  With more than the timeout a crowd has no answer in
 * time.  The longest is half of the time in which each extends its grant once, three eighths of a horizon.  In a tight
 * pool there is time for all: there each swap that is carried out after the timeout takes away a worker id that is
 * needed.
 */
static uint64_t choose_pace_ns(void)
{
    uint64_t pace_ns = of_any_size(SECOND / 5, 3 * SECOND);
    uint64_t longest_ns = fleet.is_tight ? SECOND / 2 : plan.horizon_ns * 3 / 16;

    return pace_ns < longest_ns ? pace_ns : longest_ns;
}

/*
 * A small fleet recovers by the pauses between its tries.  A large one has the timeout that operations.md asks for:
 * there each late swap takes a worker id for a horizon, and they took all that were to spare.
 */
static uint64_t choose_timeout_ns(uint64_t pace_ns)
{
    bool is_large = fleet.services >= 1000;

    return is_large && 2 * pace_ns > SECOND ? 2 * pace_ns : SECOND;
}

void fleet_plan(unsigned count, bool planted)
{
    memset(&plan, 0, sizeof plan);
    memset(&fleet, 0, sizeof fleet);
    fleet.services = count;
    plan.is_fleet = plan.leased = true;
    plan.services = 1;
    plan.max_skew_ns = 250 * MS;
    plan.step_mean = 400 * count;
    choose_layout(planted);
    choose_times();
    unsigned spare = fleet.is_tight ? count / 200 + 1 : count / 2;
    plan.promises.workers = count + spare;
    plan.promises.max_lead_ms = 1000;
    plan.promises.max_wait_ns = 2 * SECOND;
    plan.promises.horizon_ms = plan.horizon_ns / MS;
    plan.promises.remembered = FEWEST_STRETCHES;
    snprintf(plan.policies, sizeof plan.policies, "start=%s", planted ? "zero" : "spread");
    snprintf(member.settings, sizeof member.settings, "%s worker=sim://orders keeper=%s open_wait=2s", plan.policies,
             pick(4) != 0 ? "thread" : "inline");
    bool has_clock = once_in(2);
    uint64_t pace_ns = choose_pace_ns();
    fleet.coordinator = (struct coordinator_options){.workers = (uint32_t)plan.promises.workers,
                                                     .has_clock = has_clock,
                                                     .has_incarnation = has_clock,
                                                     .timeout_ns = choose_timeout_ns(pace_ns),
                                                     .trouble_permil = (unsigned)pick(4),
                                                     .request_ns = pace_ns / count,
                                                     .record_ns = US / 2,
                                                     .forgets_versions = planted};
}

unsigned fleet_hosts(void)
{
    return fleet.services / SERVICES_OF_A_HOST + 1; /* the founder's, too */
}

unsigned fleet_processes(void)
{
    return fleet.services + 1;
}

void fleet_print_plan(void)
{
    printf("%u services on %u hosts, %u worker ids, horizon %" PRIu64 " s, a request takes the coordinator %" PRIu64
           " us\n",
           fleet.services, fleet_hosts() - 1, (unsigned)plan.promises.workers, plan.horizon_ns / SECOND,
           fleet.coordinator.request_ns / US);
}

/* ---- measuring ---------------------------------------------------------------------- */

static void note_most(uint64_t *most, uint64_t number)
{
    if (number > *most)
        *most = number;
}

/* Of what a service has waited, the part that lies in this phase. */
static void note_wait(const struct service *service)
{
    uint64_t since_ns = service->since_ns > meter.phase_began_ns ? service->since_ns : meter.phase_began_ns;

    if (service->since_ns <= world_now())
        note_most(&meter.figures[meter.phase].without_ns, world_now() - since_ns);
}

static void note_second(void *arg, uint64_t unused)
{
    (void)arg;
    (void)unused;
    note_most(&meter.figures[meter.phase].peak, coordinator_load()->requests - meter.second_began);
    meter.second_began = coordinator_load()->requests;
    if (!meter.over)
        world_at(world_now() + SECOND, note_second, NULL, 0);
}

static unsigned without_ids(void)
{
    unsigned count = 0;

    for (unsigned i = 0; i < fleet.services; i++)
        count += services[i].since_ns != UINT64_MAX;
    return count;
}

static void end_phase(void)
{
    struct fleet_figures *figures = &meter.figures[meter.phase];
    struct coordinator_load *load = coordinator_load();

    for (unsigned i = 0; i < fleet.services; i++)
        note_wait(&services[i]);
    figures->ns = world_now() - meter.phase_began_ns;
    figures->requests = load->requests - meter.before.requests;
    figures->bytes = load->bytes - meter.before.bytes;
    figures->queue_ns = load->longest_ns;
    load->longest_ns = 0;
    meter.before = *load;
    meter.phase_began_ns = world_now();
}

void fleet_add_sums(struct fleet_figures to[PHASES], const struct fleet_figures from[PHASES])
{
    for (size_t i = 0; i < PHASES; i++) {
        to[i].ns += from[i].ns;
        to[i].requests += from[i].requests;
        to[i].bytes += from[i].bytes;
        note_most(&to[i].peak, from[i].peak);
        note_most(&to[i].queue_ns, from[i].queue_ns);
        note_most(&to[i].without_ns, from[i].without_ns);
    }
}

void fleet_add_figures(struct fleet_figures sums[PHASES])
{
    fleet_add_sums(sums, meter.figures);
}

void fleet_print(const struct fleet_figures sums[PHASES])
{
    static const char *const names[PHASES] = {
#define FLEET_PHASE_NAME(identifier, name) name,
        FLEET_PHASES(FLEET_PHASE_NAME)};

    printf("  %-16s%14s%14s%16s%16s%20s\n", "phase", "requests/s", "busiest s", "bytes/request", "longest queue",
           "longest without ids");
    for (size_t i = 0; i < PHASES; i++) {
        const struct fleet_figures *f = &sums[i];
        printf("  %-16s%14.0f%14" PRIu64 "%16.0f%13.2f s%18.1f s\n", names[i],
               (double)f->requests * 1e9 / (double)(f->ns + 1), f->peak, (double)f->bytes / (double)(f->requests + 1),
               (double)f->queue_ns / 1e9, (double)f->without_ns / 1e9);
    }
}

/* ---- a service ------------------------------------------------------------------------ */

static void has_ids(struct service *service)
{
    note_wait(service);
    service->since_ns = UINT64_MAX;
    service->failures = 0;
}

static void wants_ids(struct service *service)
{
    if (service->since_ns == UINT64_MAX)
        service->since_ns = world_now();
}

static void work(struct service *service, frazil *gen)
{
    uint64_t last = 0;

    while (!service->leaves) {
        uint64_t began_ns = world_now();
        bool had = service->since_ns == UINT64_MAX;
        bool took = take_once(gen, &last, 1 + pick(3)) == FRAZIL_OK;
        if (took && had && world_now() - began_ns > MS)
            service->since_ns = began_ns;
        if (took)
            has_ids(service);
        else
            wants_ids(service);
        uint64_t pause_ns = took ? fleet.pause_ns : SECOND;
        self_wait(&service->leaves, world_now() + between(pause_ns / 2, pause_ns / 2 * 3));
    }
}

static void *run_member(void *arg)
{
    struct service *service = arg;
    frazil *gen = program_open(&member);

    if (gen == NULL) {
        service->failures++;
        return NULL; /* it is started again */
    }
    has_ids(service);
    work(service, gen);
    frazil_close(gen);
    return NULL;
}

/* A service that fails again and again is started ever less often. */
static uint64_t until_restart_ns(const struct service *service)
{
    uint64_t longest_ns = fleet.restart_ns << (service->failures < 5 ? service->failures : 5);

    if (longest_ns > longest_restart_ns)
        longest_ns = longest_restart_ns;
    return between(longest_ns / 2, longest_ns);
}

/* Starts it if it does not run, again and again. */
static void supervise(void *arg, uint64_t unused)
{
    struct service *service = arg;

    (void)unused;
    if (!service->host->is_up)
        service->since_ns = UINT64_MAX; /* a host without power wants no ids */
    if (service->host->is_up && (service->process == NULL || !service->process->live)) {
        service->leaves = false;
        wants_ids(service);
        service->process = process_start(service->host, host_new_pid(service->host), &member, run_member, service);
    }
    if (!meter.over)
        world_at(world_now() + until_restart_ns(service), supervise, service, 0);
}

/* ---- the phases ---------------------------------------------------------- */

static void start_again(void *arg, uint64_t number)
{
    (void)arg;
    tell(STRUCK_ROLLED, number, fleet.rolls_by_kill, 0);
    for (unsigned i = 0; i < SERVICES_OF_A_HOST; i++) {
        struct service *service = &services[number * SERVICES_OF_A_HOST + i];
        if (service->process == NULL || !service->process->live)
            continue;
        service->leaves = true;
        if (fleet.rolls_by_kill)
            process_kill(service->process);
        else
            process_wake(service->process, &service->leaves);
    }
}

static void begin_rolling(void)
{
    uint64_t count = fleet.services / SERVICES_OF_A_HOST;

    for (uint64_t i = 0; i < count; i++)
        world_at(world_now() + fleet.lasts_ns[PHASE_ROLLING] * i / count, start_again, NULL, i);
}

static void begin_outage(void)
{
    coordinator_crash(fleet.lasts_ns[PHASE_OUTAGE]);
}

static void note_start(void)
{
    if (fleet.is_tight && without_ids() <= fleet.services / 100)
        tell(STRUCK_POOL_TIGHT, fleet.services, plan.promises.workers, 0);
}

/* Some are just being started, as faults go on; and where the pool is tight, more wait for a worker id. */
static void judge_return(void)
{
    if (!fleet.is_tight && without_ids() > fleet.services / 10)
        world_fail("no recovery: %u of %u services have no ids so long after the coordinator is back", without_ids(),
                   fleet.services);
}

/* No fault lasts longer: the hosts have power again, too. */
static void begin_calm(void)
{
    faults_end();
    coordinator_heal();
    for (unsigned i = 0; i < fleet.services; i += SERVICES_OF_A_HOST)
        nemesis_boot(services[i].host, false);
}

static void finish(void)
{
    unsigned done = 0;

    for (unsigned i = 0; i < fleet.services; i++)
        done += services[i].process != NULL && services[i].process->live && services[i].process->recovered;
    if (done < fleet.services)
        world_fail("no progress: %u of %u services have issued ids since all faults were over", done, fleet.services);
    meter.over = true;
}

static void next_phase(void *arg, uint64_t number)
{
    (void)arg;
    end_phase();
    if (number == PHASES) {
        finish();
        return;
    }
    meter.phase = (enum fleet_phase)number;
    if (number == PHASE_STEADY)
        note_start();
    else if (number == PHASE_OUTAGE)
        begin_outage();
    else if (number == PHASE_RETURN)
        tell(STRUCK_OUTLASTED, fleet.lasts_ns[PHASE_OUTAGE] / MS, without_ids(), 0);
    else if (number == PHASE_ROLLING) {
        judge_return();
        begin_rolling();
    } else if (number == PHASE_CALM)
        begin_calm();
    world_at(world_now() + fleet.lasts_ns[number], next_phase, NULL, number + 1);
}

bool fleet_done(void)
{
    return meter.over;
}

/* ---- beginning -------------------------------------------------------------------------------- */

static struct host *add_host(void)
{
    struct host *host = host_add();

    nemesis_boot(host, false);
    return host;
}

void fleet_begin(void)
{
    free(services);
    services = calloc(fleet.services, sizeof *services);
    if (services == NULL)
        abort();
    memset(&meter, 0, sizeof meter);
    coordinator_begin(&fleet.coordinator);
    struct host *founders = add_host();
    faults_begin_fleet(founders);
    program_start_founder(founders);
    for (unsigned i = 0; i < fleet.services; i++) {
        services[i].host = i % SERVICES_OF_A_HOST == 0 ? add_host() : services[i - 1].host;
        services[i].since_ns = UINT64_MAX;
        world_at(5 * SECOND + pick(fleet.storm_ns), supervise, &services[i], 0);
    }
    tell(STRUCK_STORM, fleet.services, fleet.storm_ns / MS, 0);
    world_at(SECOND, note_second, NULL, 0);
    world_at(fleet.lasts_ns[PHASE_START], next_phase, NULL, PHASE_STEADY);
}
