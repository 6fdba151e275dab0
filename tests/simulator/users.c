/* SPDX-License-Identifier: MIT */
#include "users.h"

#include <stdio.h>

#include "faults.h"
#include "host.h"
#include "oracle.h"
#include "plan.h"
#include "process.h"
#include "program.h"
#include "story.h"
#include "world.h"

/* Users and their run directories; the second user may keep the state of both in one directory. */
static const unsigned uid_of_place[SERVICE_PLACES] = {1001, 1002, 1002};

static uint32_t bits(uint32_t first, uint32_t count)
{
    return ((UINT32_C(1) << count) - 1) << first;
}

/* ---- services ------------------------------------------------------------------------ */

void users_install(struct program *program, const struct host *host, char *settings, size_t size)
{
    uint32_t base = host->number * plan.numbers;

    program->run_dir = program->number < 2 ? program->number : (unsigned)pick(SERVICE_PLACES);
    program->state_dir = program->run_dir == 2 && plan.shares_state ? 1 : program->run_dir;
    program->locks = once_in(2);
    program->first_worker = program->locks ? base : base + (uint32_t)pick(plan.numbers);
    program->workers = program->locks ? plan.numbers : 1;
    int len = program->locks
                  ? snprintf(settings, size, "worker=file-lock base=%u count=%u", (unsigned)base, plan.numbers)
                  : snprintf(settings, size, "worker=fixed:%u", (unsigned)program->first_worker);
    snprintf(settings + len, size - (size_t)len, " run_dir=/run/frazil%u state_dir=/var/lib/frazil%u", program->run_dir,
             program->state_dir);
}

void users_start(struct process *process, const struct program *program)
{
    process->user.uid = uid_of_place[program->run_dir];
    process->user.run_dir = program->run_dir;
}

/* ---- openings --------------------------------------------------------------------------- */

void users_ask(const struct program *program)
{
    self()->user.asked_ns = world_now();
    self()->user.asked_clock_ns = host_clock_ns(self()->host);
    self()->user.asks = true;
    self()->user.holds = bits(program->first_worker, program->workers);
}

void users_have(uint32_t worker)
{
    struct host *host = self()->host;
    unsigned place = self()->user.run_dir + 1;

    if (host->last_place[worker] != 0 && host->last_place[worker] != place)
        tell(STRUCK_TAKEN_OVER, worker, place - 1, host->last_place[worker] - 1);
    host->last_place[worker] = place;
    host_let_go(host, self()->user.holds & ~bits(worker, 1));
    if ((self()->user.holds & (bits(worker, 1) - 1)) != 0)
        tell(STRUCK_PASSED_OVER, worker, 0, 0);
    self()->user.holds = bits(worker, 1);
    self()->user.asks = false;
}

void users_let_go(void)
{
    host_let_go(self()->host, self()->user.holds);
    self()->user.holds = 0;
    self()->user.asks = false;
}

/* file-lock gives a worker to one process as a whole. */
static bool overlap(const struct process *a, const struct process *b)
{
    const struct program *of_a = a->program;
    const struct program *of_b = b->program;

    return of_a->locks || of_b->locks || (a->bounds.first <= b->bounds.last && b->bounds.first <= a->bounds.last);
}

/*
 * Whether somebody has had it, or asked for it, at any time since this opening began.  Who asks locks the claims that
 * it looks at, be they of sequence numbers that this opening shares and it does not.
 */
static bool was_held(uint32_t worker)
{
    const struct host *host = self()->host;

    for (const struct process *p = host->processes; p != NULL; p = p->next_of_host) {
        if (p->live && p != self() && (p->user.holds >> worker & 1) != 0 && (p->user.asks || overlap(p, self())))
            return true;
    }
    return host->let_go_ns[worker] > 0 && host->let_go_ns[worker] >= self()->user.asked_ns;
}

/* Whether it may have been used at a time which the clock had yet to show when this opening began, or has now. */
static bool was_used_ahead(uint32_t worker)
{
    int64_t clock_ns = host_clock_ns(self()->host);
    int64_t least_ns = clock_ns < self()->user.asked_clock_ns ? clock_ns : self()->user.asked_clock_ns;

    return (int64_t)plan_tick_ns(oracle_record_of(worker)) > least_ns;
}

void users_refused(const struct program *program, frazil_err code)
{
    if (code == FRAZIL_EWORKER || code == FRAZIL_EPOOL) {
        for (uint32_t i = 0; i < program->workers; i++) {
            uint32_t worker = program->first_worker + i;
            bool held = was_held(worker);
            if (!held && !was_used_ahead(worker))
                world_fail("worker %u is refused, and nobody has it", (unsigned)worker);
            tell(held ? STRUCK_USER_REFUSED : STRUCK_USED_AHEAD, worker, 0, 0);
        }
    }
    users_let_go();
}

/* ---- claims that are lost ------------------------------------------------------------------------ */

static bool is_alive(const struct host *host, unsigned uid)
{
    for (const struct process *p = host->processes; p != NULL; p = p->next_of_host) {
        if (p->live && p->user.uid == uid)
            return true;
    }
    return false;
}

/* When all that was granted on the host is over. */
static int64_t end_of_grants_ns(const struct host *host)
{
    uint64_t end_ns = 0;

    for (uint32_t i = 0; i < plan.numbers; i++) {
        uint64_t of_one_ns = plan_tick_ns(oracle_record_of(host->number * plan.numbers + i) + 1);
        end_ns = of_one_ns > end_ns ? of_one_ns : end_ns;
    }
    return (int64_t)end_ns;
}

void users_forget(struct host *host)
{
    int64_t end_ns = end_of_grants_ns(host);
    int64_t now_ns = host_clock_ns(host);

    host->least_ns = end_ns > now_ns ? end_ns : now_ns;
}

/* Removes those of one of the users of whom no process lives. */
static bool remove_claims(struct host *host)
{
    size_t first = pick(SERVICE_PLACES);

    if (!host->is_up || host->is_suspended || host_clock_ns(host) < end_of_grants_ns(host))
        return false;
    for (size_t i = 0; i < SERVICE_PLACES; i++) {
        unsigned uid = uid_of_place[(first + i) % SERVICE_PLACES];
        if (!is_alive(host, uid) && claims_remove(host, uid)) {
            users_forget(host);
            tell(STRUCK_CLAIMS_REMOVED, uid, host->number, 0);
            return true;
        }
    }
    return false;
}

void users_remove_claims(void *arg, uint64_t tries)
{
    struct host *host = arg;

    if (!faults_are_over() && tries > 0 && !remove_claims(host))
        world_at(world_now() + SECOND, users_remove_claims, host, tries - 1);
}
