/* SPDX-License-Identifier: MIT */
#include "sharing.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "faults.h"
#include "frazil.h"
#include "plan.h"
#include "process.h"
#include "program.h"
#include "story.h"
#include "taking.h"
#include "world.h"

/* In memory of the process: a child has none of the other threads' stacks. */
struct sharing {
    frazil *gen;       /* that the next opening has, too, as long as there is an opening of it */
    unsigned openings; /* of it that nobody has begun to close; a child's parent's threads never will */
    frazil *stopped;   /* the last that was, or is about to be */
    unsigned inside;   /* threads that are just opening or closing */
    unsigned running;  /* threads, besides the first */
    bool stop;
};

static void open_use_close(struct sharing *sharing);

static frazil *open_one(struct sharing *sharing)
{
    const struct program *program = self()->program;
    frazil_error err;
    char spec[PROGRAM_SPEC_SIZE];
    frazil *gen;

    program_spec(program, spec);
    sharing->inside++;
    frazil_err code = frazil_open_shared(&gen, spec, &err);
    sharing->inside--;
    if (code != FRAZIL_OK) {
        take_refused_opening(code, &err);
        return NULL;
    }
    tell(TOLD_JOINS, sharing->openings, 0, 0);
    if (gen == sharing->stopped)
        return gen; /* as it was joined before; others may have the next one already */
    if (sharing->openings > 0 && gen != sharing->gen)
        world_fail("two openings that mean the same have two generators");
    sharing->gen = gen;
    sharing->openings++;
    return gen;
}

static void close_one(struct sharing *sharing, frazil *gen)
{
    if (gen == sharing->gen && sharing->openings > 0)
        sharing->openings--;
    tell(TOLD_CLOSES, 0, 0, 0);
    sharing->inside++;
    frazil_close(gen);
    sharing->inside--;
}

/* gen: what the thread that forked has open; NULL: nothing.  Does not return. */
static void live_as_heir(struct sharing *sharing, frazil *gen)
{
    tell(sharing->inside > 0 ? STRUCK_FORKED_INSIDE : STRUCK_FORKED, self()->pid, 0, 0);
    self()->is_heir = true;
    sharing->inside = 0;
    sharing->running = 0;
    sharing->stop = false;
    if (gen != NULL && once_in(2))
        close_one(sharing, gen);
    for (uint64_t i = of_any_size(1, 4); i > 0 || faults_are_over(); i--)
        open_use_close(sharing);
    self_exit();
}

/* Best while other threads are inside: the child has the locks as they hold them. */
static void may_fork(struct sharing *sharing, frazil *gen)
{
    const struct program *program = self()->program;

    if (program->forks && !faults_are_over() && once_in(sharing->inside > 0 ? 2 : 15) && self_fork() == 0)
        live_as_heir(sharing, gen);
}

/*
 * A generator that is behind another one, as the run directory was emptied, stays so.  Openings of a parent's threads
 * cannot be closed by a child, and other threads come and go: so it is stopped, and the next opening passes it over.
 */
static void stop_if_fenced(struct sharing *sharing, frazil *gen)
{
    frazil_health health;

    frazil_get_health(gen, &health, sizeof health, NULL);
    if (health.state != FRAZIL_HEALTH_FENCED || !once_in(3))
        return;
    tell(TOLD_STOPS, 0, 0, 0);
    sharing->stopped = gen;
    if (gen == sharing->gen)
        sharing->openings = 0;
    frazil_stop(gen);
}

static bool is_stopped(frazil *gen)
{
    frazil_health health;

    frazil_get_health(gen, &health, sizeof health, NULL);
    return health.state == FRAZIL_HEALTH_STOPPED;
}

static void use(struct sharing *sharing, frazil *gen)
{
    const struct program *program = self()->program;
    uint64_t last = 0;

    for (uint64_t i = of_any_size(1, 20); (i > 0 || faults_are_over()) && !sharing->stop && !is_stopped(gen); i--) {
        take_pause(gen);
        take_burst(gen, &last);
        stop_if_fenced(sharing, gen);
        if (program->keeper == FZ_KEEPER_HOOK && once_in(2))
            take_keep(gen);
        may_fork(sharing, gen);
    }
}

static void open_use_close(struct sharing *sharing)
{
    may_fork(sharing, NULL);
    frazil *gen = open_one(sharing);

    if (gen == NULL) {
        take_pause_after_refusal();
        return;
    }
    use(sharing, gen);
    close_one(sharing, gen);
}

static void *share_in_thread(void *arg)
{
    struct sharing *sharing = arg;

    while (!sharing->stop)
        open_use_close(sharing);
    sharing->running--;
    return NULL;
}

void *run_sharing(void *arg)
{
    const struct program *program = arg;
    struct sharing *sharing = self_alloc(sizeof *sharing);

    if (sharing == NULL)
        abort();
    memset(sharing, 0, sizeof *sharing);
    self()->bounds = (struct bounds){.first = 0, .last = oracle_largest_sequence()};
    tell(TOLD_STARTS, plan.leased, program->keeper, program->threads);
    for (unsigned i = 0; i < program->threads; i++) {
        sharing->running++;
        if (self_start_thread(share_in_thread, sharing) == 0)
            sharing->running--;
    }
    for (uint64_t i = of_any_size(1, 30); i > 0 || faults_are_over(); i--)
        open_use_close(sharing);
    sharing->stop = true;
    while (sharing->running > 0)
        self_spend(10 * MS);
    tell(TOLD_EXITS, 0, 0, 0);
    return NULL;
}
