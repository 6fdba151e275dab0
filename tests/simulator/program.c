/* SPDX-License-Identifier: MIT */
#include "program.h"

#include <stdio.h>
#include <string.h>

#include "coordinator.h"
#include "faults.h"
#include "generator/generator_internal.h"
#include "host.h"
#include "nemesis.h"
#include "plan.h"
#include "process.h"
#include "shared_memory.h"
#include "sharing.h"
#include "story.h"
#include "taking.h"
#include "users.h"
#include "world.h"

static struct program programs[A_FEW_HOSTS][SERVICES_MAX];

/* The parts of the sequence that services want, in quarters of it; both ends included. */
static const struct {
    unsigned first;
    unsigned last;
} parts[] = {{0, 0}, {1, 2}, {3, 3}, {0, 3}, {0, 1}, {2, 3}, {0, 2}};

enum { PARTS = sizeof parts / sizeof parts[0] };

_Static_assert((int)PARTS <= (int)SHARDS_MAX, "the oracle has room for all of them");

/* Shared by the threads of one process.  On the stack of the first. */
struct service {
    frazil *gen;
    unsigned running; /* threads, besides the first */
    bool stop;
};

/* ---- opening ---------------------------------------------------------------------- */

static bool overlap(struct bounds a, struct bounds b)
{
    return a.first <= b.last && b.first <= a.last;
}

/* A spoilt state file must never be used, nor one that overlaps. */
static bool state_is_bad(void)
{
    for (unsigned i = 0; !plan.leased && i < DISK_FILES_MAX; i++) {
        const struct disk_file *file = &self()->host->disk.files[i];
        if (file->is_bad && overlap(file->bounds, self()->bounds))
            return true;
    }
    return false;
}

/* The sequence numbers that the service has when all is over, next to the others' of its host. */
static struct bounds bounds_of_part(size_t part)
{
    uint64_t quarter = (oracle_largest_sequence() + 1) / 4;

    return (struct bounds){.first = parts[part].first * quarter, .last = (parts[part].last + 1) * quarter - 1};
}

static bool has_own_part(const struct program *program)
{
    struct bounds own = bounds_of_part(program->number);

    return !plan.divides || (self()->bounds.first == own.first && self()->bounds.last == own.last);
}

/* Which part of the sequence it wants this time. */
static void choose_bounds(const struct program *program)
{
    struct bounds before = self()->bounds;
    size_t part = faults_are_over() || once_in(2) ? program->number : pick(PARTS);
    struct bounds now = bounds_of_part(part);

    if (!plan.divides)
        now = (struct bounds){.first = 0, .last = oracle_largest_sequence()};
    if (before.last != 0 && (now.first != before.first || now.last != before.last))
        tell(STRUCK_SHARD_CHANGED, now.first, now.last, 0);
    now.state_dir = program->state_dir;
    self()->bounds = now;
}

/* Tells whom the process shares its lease with. */
static void note_member(const frazil *gen, uint32_t worker)
{
    unsigned others = page_users(self()->host, page_of_self()) - 1;

    if (others > 0)
        tell(STRUCK_JOINED, worker, others, 0);
    else if (!fz_store_is_new(&gen->store))
        tell(STRUCK_RETURNED, worker, 0, 0);
}

void program_spec(const struct program *program, char ret[PROGRAM_SPEC_SIZE])
{
    char layout[192];

    plan_say_layout(layout, sizeof layout);
    snprintf(ret, PROGRAM_SPEC_SIZE, "%s %s", layout, program->settings);
}

frazil *program_open(const struct program *program)
{
    frazil_error err;
    frazil *gen = NULL;
    char said[PROGRAM_SPEC_SIZE];
    char spec[sizeof said + 64];

    choose_bounds(program);
    bool was_bad = state_is_bad();
    struct bounds bounds = self()->bounds;
    program_spec(program, said);
    snprintf(spec, sizeof spec, plan.divides ? "%s seq_min=%u seq_max=%u" : "%s", said, (unsigned)bounds.first,
             (unsigned)bounds.last);

    if (plan.of_users)
        users_ask(program);
    frazil_options *options;
    frazil_err code = frazil_options_open(&options, &err);
    if (code == FRAZIL_OK) {
        code = frazil_options_spec(options, spec, strlen(spec), &err);
        if (code == FRAZIL_OK)
            code = frazil_options_coordinator(options, coordinator_port(), &err);
        if (code == FRAZIL_OK)
            code = frazil_open_with(&gen, options, &err);
        frazil_options_close(options);
    }
    if (code == FRAZIL_OK) {
        if (was_bad && state_is_bad())
            world_fail("a generator is opened over a spoilt state file");
        uint32_t worker = fz_grant_ring_read(&gen->shared->grants).worker;
        tell(TOLD_OPENS, worker, 0, 0);
        if (plan.of_members)
            note_member(gen, worker);
        if (plan.of_users)
            users_have(worker);
        return gen;
    }
    if (plan.of_users)
        users_refused(program, code);
    take_refused_opening(code, &err);
    return NULL;
}

/* Whether the services of the host are to have left. */
static bool is_away(void)
{
    return world_now() < self()->host->away_until;
}

/* ---- a service ------------------------------------------------------------------------ */

/* When all is over, users have a worker id one after the other. */
static bool has_had_turn(void)
{
    return plan.of_users && self()->recovered;
}

static void work(frazil *gen, const struct program *program, const bool *stop)
{
    frazil_local *handle = NULL;
    uint64_t last = 0;
    uint64_t handles_last = 0;
    uint64_t rounds = of_any_size(20, 4000);

    if (program->uses_handles && frazil_local_open(&handle, gen, NULL) != FRAZIL_OK)
        world_fail("a handle cannot be opened");
    for (; (rounds > 0 || faults_are_over()) && !*stop && !is_away(); rounds--) {
        take_pause(gen);
        if (faults_are_over() && !has_own_part(program))
            break; /* others wait for theirs */
        if (has_had_turn())
            break;
        if (handle != NULL && once_in(2))
            take_burst_of_handle(handle, &handles_last);
        else
            take_burst(gen, &last);
        if (program->keeper == FZ_KEEPER_HOOK && once_in(2))
            take_keep(gen);
        if (program->forks && once_in(30) && self_thread() == 0 && !faults_are_over() && self_fork() == 0) {
            tell(STRUCK_FORKED, self()->pid, 0, 0);
            for (uint64_t i = of_any_size(1, 30); i > 0 && !is_away(); i--) {
                take_pause(gen);
                if (handle != NULL)
                    take_burst_of_handle(handle, &handles_last);
                take_burst(gen, &last);
            }
            if (once_in(2))
                frazil_close(gen);
            self_exit();
        }
    }
    frazil_local_close(handle);
}

static void *work_in_thread(void *arg)
{
    struct service *service = arg;

    work(service->gen, self()->program, &service->stop);
    service->running--;
    return NULL;
}

static void start_threads(struct service *service, const struct program *program)
{
    for (unsigned i = 0; i < program->threads; i++) {
        service->running++;
        if (self_start_thread(work_in_thread, service) == 0)
            service->running--;
    }
}

/* A program that says its max_skew is refused if the namespace has another. */
static const char *said_skew(void)
{
    static char text[32];

    snprintf(text, sizeof text, " max_skew=%ums", (unsigned)(plan.max_skew_ns / MS));
    return plan.varies ? "" : text;
}

/* Opens, works, closes, again and again, until it exits or is killed. */
static void *run_service(void *arg)
{
    const struct program *program = arg;

    tell(TOLD_STARTS, plan.leased, program->keeper, program->threads);
    do {
        const bool never = false;
        if (is_away())
            self_wait(NULL, self()->host->away_until);
        struct service service = {.gen = program_open(program)};
        if (service.gen == NULL) {
            take_pause_after_refusal();
            continue;
        }
        start_threads(&service, program);
        work(service.gen, program, &never);
        service.stop = true;
        while (service.running > 0)
            self_spend(10 * MS);
        if (once_in(4))
            break; /* without closing */
        tell(TOLD_CLOSES, 0, 0, 0);
        frazil_close(service.gen);
        users_let_go();
        if (has_had_turn())
            self_wait(NULL, UINT64_MAX);
    } while (!once_in(3) || faults_are_over());
    tell(TOLD_EXITS, 0, 0, 0);
    return NULL;
}

static void install(struct host *host, uint32_t worker, unsigned number)
{
    static const char *const keepers[] = {"thread", "hook", "inline"};
    struct program *program = &programs[host->number][number];
    char places[128];

    memset(program, 0, sizeof *program);
    program->number = number;
    program->keeper = (enum fz_keeper_mode)pick(3);
    if (!plan.leased && plan.faults_ns > HOUR && program->keeper == FZ_KEEPER_THREAD)
        program->keeper = FZ_KEEPER_INLINE; /* one that writes every two seconds, for days, tells nothing new */
    program->threads = (unsigned)pick(3);
    program->uses_handles = once_in(3);
    program->forks = once_in(2);
    if (plan.of_users)
        users_install(program, host, places, sizeof places);
    else
        snprintf(places, sizeof places, "worker=fixed:%u run_dir=/run/frazil state_dir=/var/lib/frazil",
                 (unsigned)worker);
    if (plan.leased)
        snprintf(program->settings, sizeof program->settings, "%s worker=sim://orders keeper=%s%s%s", plan.policies,
                 keepers[program->keeper], said_skew(),
                 plan.of_members ? " share=host namespace=orders run_dir=/run/frazil" : "");
    else
        snprintf(program->settings, sizeof program->settings, "%s %s state=file%s keeper=%s", plan.policies, places,
                 strcmp(plan.name_space, "orders") == 0 ? " namespace=orders" : "", keepers[program->keeper]);
    host->programs[number] = program;
}

void program_install(struct host *host, uint32_t worker)
{
    for (unsigned number = 0; number < plan.services; number++)
        install(host, worker, number);
}

void program_start(struct host *host, unsigned number)
{
    const void *program = host->programs[number];
    struct process *process = process_start(host, host_new_pid(host), program, plan.shared ? run_sharing : run_service,
                                            (void *)(uintptr_t)program);

    if (process == NULL)
        return;
    process->is_service = true;
    if (plan.of_users)
        users_start(process, program);
}

/* ---- an operator ------------------------------------------------------------------------ */

static uint64_t clock_tick(void *ctx)
{
    (void)ctx;
    faults_step();
    int64_t ms = TRUE_UNIX_MS + host_clock_ns(self()->host) / (int64_t)MS - plan.promises.epoch_unix_ms;
    return ms < 0 ? 0 : (uint64_t)ms / plan.promises.tick_ms;
}

/* An operator's settings: always the truth about what was lost. */
struct numbers {
    uint64_t horizon_ms;
    int64_t max_skew_ms; /* as that of a lost namespace counts, it only grows */
};

static struct numbers other_numbers(const struct numbers *before)
{
    uint64_t longest_ms = plan.horizon_ns / MS;
    uint64_t shortest_ms =
        4 * plan.promises.tick_ms > FZ_HORIZON_MS_MIN ? 4 * plan.promises.tick_ms : FZ_HORIZON_MS_MIN;
    int64_t largest_ms = (int64_t)(2 * plan.max_skew_ns / MS);

    return (struct numbers){shortest_ms < longest_ms ? between(shortest_ms, longest_ms) : longest_ms,
                            before->max_skew_ms + (int64_t)pick((uint64_t)(largest_ms - before->max_skew_ms) + 1)};
}

/* A clock that is off by more than it may is refused: there is one at the coordinator to compare it with. */
static void set_operator_clock(void)
{
    if (!plan.has_clock || faults_are_over())
        return;
    int64_t offset_ns = nemesis_small_offset_ns();
    if (once_in(4)) {
        offset_ns = (int64_t)of_any_size(4 * plan.max_skew_ns, 4 * plan.max_skew_ns + MINUTE);
        offset_ns = once_in(2) ? offset_ns : -offset_ns;
        tell(STRUCK_OPERATOR_CLOCK, (uint64_t)(offset_ns / (int64_t)MS), 0, 0);
    }
    host_set_clock(self()->host, offset_ns, 0);
}

static frazil_err create_namespace(const struct numbers *numbers, bool never_used)
{
    frazil_error err;
    uint64_t token = any_number();
    const struct fz_namespace_options options = {.layout = &plan.layout,
                                                 .horizon_ms = numbers->horizon_ms,
                                                 .lost_horizon_ms = plan.horizon_ns / MS,
                                                 .workers = plan.promises.workers,
                                                 .token = {.high = token, .low = any_number()},
                                                 .max_skew_ms = numbers->max_skew_ms,
                                                 .never_used = never_used,
                                                 .now_tick = clock_tick};

    frazil_err code = coordinator_port()->init(coordinator_port(), "sim://orders", &options, &err);
    if (code != FRAZIL_EINVAL)
        tell(TOLD_CREATES, (uint64_t)(int64_t)code, 0, 0);
    return code;
}

/* Another try at creating it, in case it is missing. */
static void create_again(struct numbers *said)
{
    struct numbers numbers = plan.varies && once_in(2) ? other_numbers(said) : *said;

    set_operator_clock();
    /* Without an answer it may have been created all the same. */
    frazil_err code = create_namespace(&numbers, false);
    if (code == FRAZIL_OK && (numbers.horizon_ms != said->horizon_ms || numbers.max_skew_ms != said->max_skew_ms))
        tell(STRUCK_OTHER_NUMBERS, numbers.horizon_ms, (uint64_t)numbers.max_skew_ms, 0);
    if (code == FRAZIL_OK || code == FRAZIL_EAGAIN || code == FRAZIL_EUNREACHABLE)
        *said = numbers;
}

static void *operate(void *arg)
{
    struct numbers said = {plan.horizon_ns / MS, (int64_t)(plan.max_skew_ns / MS)};

    (void)arg;
    (void)create_namespace(&said, true);
    for (;;) {
        self_wait(&plan, world_now() + (faults_are_over() ? faults_think_ns()
                                                          : of_any_size(plan.think_ns / 4 + MS, plan.think_ns + MS)));
        create_again(&said);
        if (!faults_are_over() && once_in(20)) {
            uint32_t worker = (uint32_t)pick(plan.promises.workers);
            frazil_err code = coordinator_port()->release(coordinator_port(), "sim://orders", worker, NULL);
            tell(TOLD_FREES, worker, (uint64_t)(int64_t)code, 0);
        }
    }
    return NULL;
}

void program_start_operator(struct host *host)
{
    process_start(host, host_new_pid(host), NULL, operate, NULL);
}

static void *found(void *arg)
{
    const struct numbers numbers = {plan.horizon_ns / MS, (int64_t)(plan.max_skew_ns / MS)};

    (void)arg;
    for (;;) {
        frazil_err code = create_namespace(&numbers, true);
        if (code == FRAZIL_OK || code == FRAZIL_EINVAL)
            return NULL;
        self_spend(100 * MS);
    }
}

void program_start_founder(struct host *host)
{
    process_start(host, host_new_pid(host), NULL, found, NULL);
}

/* ---- strangers ---------------------------------------------------------------------------- */

/* Opens a granter of this layout and these worker ids, and asks for a grant. */
static frazil_err ask_for_grant(const frazil_layout *layout, uint32_t base)
{
    uint64_t state = 1;
    const frazil_random random = {.size = sizeof(frazil_random), .ctx = &state, .next = faults_any_number};
    const struct fz_lease_request request = {.url = "sim://orders",
                                             .owner = "stranger",
                                             .layout = layout,
                                             .random = &random,
                                             .base = base,
                                             .max_skew_ms = (int64_t)(plan.max_skew_ns / MS)};
    struct fz_granter granter;
    struct fz_grant grant;

    frazil_err code = coordinator_port()->open_granter(coordinator_port(), &request, &granter, NULL);
    if (code != FRAZIL_OK)
        return code;
    code = granter.acquire(granter.ctx, FZ_DEADLINE_NONE, clock_tick(NULL), &grant, NULL);
    granter.close(granter.ctx);
    return code;
}

static frazil_err open_other_layout(void)
{
    frazil_layout other = plan.layout;
    frazil *gen = NULL;
    char spec[512];

    other.sequence_bits++;
    if (plan.leased)
        return ask_for_grant(&other, 0);
    snprintf(spec, sizeof spec,
             "layout='%u/%u/%u epoch=%lld tick=%ums' worker=fixed:%u allow_short_life=yes state=file namespace=%s "
             "run_dir=/run/other state_dir=/var/lib/frazil keeper=inline",
             plan.promises.time_bits, plan.promises.worker_bits, plan.promises.sequence_bits + 1,
             (long long)plan.promises.epoch_unix_ms, (unsigned)plan.promises.tick_ms, self()->host->number,
             plan.name_space);
    frazil_err code = frazil_open(&gen, spec, NULL);
    frazil_close(gen);
    return code;
}

static void *be_strange(void *arg)
{
    bool other_layout = !plan.leased || once_in(2);

    (void)arg;
    if (!plan.leased && !self()->host->disk.files[0].exists)
        return NULL; /* the first to come decides */
    frazil_err code = other_layout ? open_other_layout() : ask_for_grant(&plan.layout, (uint32_t)plan.promises.workers);
    if (code == FRAZIL_OK)
        world_fail("F10: a stranger is given a worker id");
    else if (code == FRAZIL_EWORKER || code == FRAZIL_ENAMESPACE || code == FRAZIL_ESTATE)
        tell(other_layout ? STRUCK_MIXED_LAYOUT : STRUCK_MIXED_WORKERS, (uint64_t)(int64_t)code, 0, 0);
    return NULL;
}

void program_start_stranger(struct host *host)
{
    process_start(host, host_new_pid(host), NULL, be_strange, NULL);
}
