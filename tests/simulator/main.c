/* SPDX-License-Identifier: MIT */
/* frazil-sim: runs simulated worlds; see usage below. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "faults.h"
#include "fleet.h"
#include "host.h"
#include "oracle.h"
#include "plan.h"
#include "process.h"
#include "story.h"
#include "world.h"

enum { JOBS_MAX = 64, FLEET_MAX = 20000 };

static const char usage[] = "frazil-sim --seed N            one world, with its story\n"
                            "frazil-sim --seeds FIRST-LAST  many, with what struck in them\n"
                            "           --jobs N            in so many processes (1)\n"
                            "           --quiet             with --seed: the hash only\n";
static const char kinds_usage[] = "           --fleet SERVICES    worlds of so many services over one coordinator\n"
                                  "           --planted           which gives one worker id to many\n"
                                  "           --members           worlds of hosts that share a lease\n"
                                  "           --users             worlds of hosts with several users\n";

struct options {
    uint64_t first;
    uint64_t last;
    unsigned jobs;
    bool aloud;
    unsigned fleet;          /* services; 0: a few hosts */
    enum kind_of_world kind; /* of a few hosts */
    bool planted;
};

/* The sums over many worlds. */
struct totals {
    uint64_t seeds;
    uint64_t failed;
    uint64_t first_failed;
    uint64_t hash;
    uint64_t simulated_ns_high; /* in units of 2^32 ns, so that many worlds' fit */
    uint64_t events;
    uint64_t ids;
    uint64_t repeated;
    uint64_t struck[FAULTS_TOTAL];
    struct fleet_figures figures[PHASES];
};

/* Which world each process runs, to be read when it has died. */
static uint64_t *running;

/* ---- one world ---------------------------------------------------------------------- */

static void begin_world(const struct options *options, uint64_t seed)
{
    world_begin(seed);
    if (options->fleet > 0)
        fleet_plan(options->fleet, options->planted);
    processes_begin(options->fleet > 0 ? fleet_processes() : PROCESSES_OF_A_FEW_HOSTS);
    hosts_begin(options->fleet > 0 ? fleet_hosts() : A_FEW_HOSTS);
    if (options->fleet == 0)
        plan_make(options->kind);
    oracle_begin(&plan.promises);
    if (options->fleet > 0)
        fleet_begin();
    else
        faults_begin();
}

static bool run_world(const struct options *options, uint64_t seed, bool aloud, struct totals *totals)
{
    story_begin(aloud);
    begin_world(options, seed);
    while (!(options->fleet > 0 ? fleet_done() : faults_done()) && world_step())
        totals->events++;
    if (options->fleet > 0)
        fleet_add_figures(totals->figures);
    tell(TOLD_ENDS, oracle_ids(), 0, 0);
    totals->seeds++;
    /* A sum, so that the order in which the worlds are run is all the same. */
    totals->hash += story_hash();
    totals->simulated_ns_high += world_now() >> 32;
    totals->ids += oracle_ids();
    totals->repeated += oracle_repeated();
    for (unsigned i = 0; i < FAULTS_TOTAL; i++)
        totals->struck[i] += story_struck((enum event)(FIRST_FAULT + i));
    if (world_failure() == NULL)
        return true;
    if (totals->failed++ == 0)
        totals->first_failed = seed;
    return false;
}

static int run_one(const struct options *options)
{
    struct totals totals = {.seeds = 0};
    uint64_t seed = options->first;
    bool passed = run_world(options, seed, options->aloud, &totals);

    if (options->aloud && options->fleet > 0) {
        fleet_print_plan();
        fleet_print(totals.figures);
    } else if (options->aloud)
        printf("%s, %u workers, %s; faults for %" PRIu64 " s, horizon %" PRIu64 " ms\n%s\n",
               plan.leased ? "a coordinator" : "files", (unsigned)plan.promises.workers, plan.layout_text,
               plan.faults_ns / SECOND, plan.horizon_ns / MS, plan.policies);
    printf("seed %" PRIu64 " trace %016" PRIx64 "\n", seed, story_hash());
    if (!passed)
        printf("seed %" PRIu64 " FAILED at %.6f s: %s\n", seed, (double)world_now() / 1e9, world_failure());
    return passed ? 0 : 1;
}

/* ---- many ------------------------------------------------------------------------------ */

static void add(struct totals *sum, const struct totals *part)
{
    if (part->failed > 0 && (sum->failed == 0 || part->first_failed < sum->first_failed))
        sum->first_failed = part->first_failed;
    sum->seeds += part->seeds;
    sum->failed += part->failed;
    sum->hash += part->hash;
    sum->simulated_ns_high += part->simulated_ns_high;
    sum->events += part->events;
    sum->ids += part->ids;
    sum->repeated += part->repeated;
    fleet_add_sums(sum->figures, part->figures);
    for (unsigned i = 0; i < FAULTS_TOTAL; i++)
        sum->struck[i] += part->struck[i];
}

/* The option that replays such a world. */
static const char *kind_of_world(const struct options *options)
{
    static const char *const names[] = {[WORLD_ANY] = "", [WORLD_MEMBERS] = " --members", [WORLD_USERS] = " --users"};

    return options->fleet > 0 ? " with the same --fleet" : names[options->kind];
}

static void run_share(const struct options *options, unsigned nth, struct totals *totals)
{
    for (uint64_t seed = options->first + nth; seed <= options->last; seed += options->jobs) {
        running[nth] = seed;
        if (!run_world(options, seed, false, totals))
            printf("seed %" PRIu64 " FAILED: %s\n    replay it: frazil-sim --seed %" PRIu64 "%s\n", seed,
                   world_failure(), seed, kind_of_world(options));
    }
}

/* Starts a process for a share of the seeds; its totals come through *ret_fd. */
static pid_t start_share(const struct options *options, unsigned nth, int *ret_fd)
{
    int ends[2];

    *ret_fd = -1;
    if (pipe(ends) != 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        struct totals totals = {.seeds = 0};
        run_share(options, nth, &totals);
        fflush(stdout);
        _exit(write(ends[1], &totals, sizeof totals) == (ssize_t)sizeof totals ? 0 : 1);
    }
    close(ends[1]);
    *ret_fd = ends[0];
    return pid;
}

static bool run_shares(const struct options *options, struct totals *totals)
{
    pid_t pids[JOBS_MAX];
    int fds[JOBS_MAX];
    bool whole = true;

    setvbuf(stdout, NULL, _IOLBF, 0); /* they all write there */
    for (unsigned i = 0; i < options->jobs; i++)
        pids[i] = start_share(options, i, &fds[i]);
    for (unsigned i = 0; i < options->jobs; i++) {
        struct totals part;
        int status = 1;
        if (pids[i] < 0) { /* it has no pipe either */
            whole = false;
            continue;
        }
        if (read(fds[i], &part, sizeof part) != (ssize_t)sizeof part)
            whole = false;
        else
            add(totals, &part);
        waitpid(pids[i], &status, 0);
        if (status != 0)
            printf("seed %" PRIu64 " FAILED: the simulator has died of it\n    replay it: frazil-sim --seed %" PRIu64
                   "%s\n",
                   running[i], running[i], kind_of_world(options));
        whole = whole && status == 0;
        close(fds[i]);
    }
    return whole;
}

/* Whether it must have struck in a campaign of such worlds. */
static bool is_due(enum event fault, const struct options *options)
{
    if (fault >= FIRST_USERS_FAULT)
        return options->kind == WORLD_USERS;
    if (fault >= FIRST_MEMBERS_FAULT)
        return options->kind == WORLD_MEMBERS;
    return fault >= FIRST_FLEET_FAULT ? options->fleet > 0 : options->fleet == 0 && options->kind == WORLD_ANY;
}

static bool report(const struct totals *totals, const struct options *options, double seconds)
{
    double years = (double)totals->simulated_ns_high * 4.294967296 / (365.25 * 86400);
    bool all_struck = true;

    printf("%" PRIu64 " worlds, %.2f simulated years, %" PRIu64 " events, %" PRIu64 " ids (%" PRIu64
           " repeated by clones, as F9 allows), %.1f s, %.0f worlds/s\n",
           totals->seeds, years, totals->events, totals->ids, totals->repeated, seconds,
           (double)totals->seeds / seconds);
    for (unsigned i = 0; i < FAULTS_TOTAL; i++) {
        enum event fault = (enum event)(FIRST_FAULT + i);
        bool due = is_due(fault, options);
        if (!due && totals->struck[i] == 0)
            continue;
        printf("  %-4s%-16s%12" PRIu64 "%s\n", fault_class(fault), fault_name(fault), totals->struck[i],
               totals->struck[i] == 0 ? "  NEVER STRUCK" : "");
        all_struck = all_struck && totals->struck[i] > 0;
    }
    if (options->fleet > 0)
        fleet_print(totals->figures);
    printf("trace %016" PRIx64 "\n", totals->hash);
    if (totals->failed > 0)
        printf("%" PRIu64 " worlds FAILED; replay the first: frazil-sim --seed %" PRIu64 "%s\n", totals->failed,
               totals->first_failed, kind_of_world(options));
    return all_struck && totals->failed == 0;
}

static int run_many(const struct options *options)
{
    struct totals totals = {.seeds = 0};
    struct timespec before;
    struct timespec after;

    clock_gettime(CLOCK_MONOTONIC, &before);
    running = mmap(NULL, JOBS_MAX * sizeof *running, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (running == MAP_FAILED)
        return 1;
    bool whole = run_shares(options, &totals);
    clock_gettime(CLOCK_MONOTONIC, &after);
    double seconds = (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec) / 1e9;
    return report(&totals, options, seconds) && whole ? 0 : 1;
}

/* ---- options -------------------------------------------------------------------------------- */

static bool read_options(int argc, char **argv, struct options *options)
{
    for (int i = 1; i < argc; i++) {
        char *end = NULL;
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--quiet") == 0) {
            options->aloud = false;
            continue;
        }
        if (strcmp(argv[i], "--members") == 0) {
            options->kind = WORLD_MEMBERS;
            continue;
        }
        if (strcmp(argv[i], "--users") == 0) {
            options->kind = WORLD_USERS;
            continue;
        }
        if (strcmp(argv[i], "--planted") == 0) {
            options->planted = true;
            continue;
        }
        uint64_t number = strtoull(value, &end, 10);
        if (strcmp(argv[i], "--seed") == 0)
            options->first = options->last = number;
        else if (strcmp(argv[i], "--seeds") == 0 && *end == '-') {
            options->first = number;
            options->last = strtoull(end + 1, &end, 10);
        } else if (strcmp(argv[i], "--jobs") == 0 && number >= 1 && number <= JOBS_MAX)
            options->jobs = (unsigned)number;
        else if (strcmp(argv[i], "--fleet") == 0 && number >= 20 && number <= FLEET_MAX)
            options->fleet = (unsigned)number / 10 * 10;
        else
            return false;
        if (*value == '\0' || *end != '\0')
            return false;
        i++;
    }
    return options->last >= options->first && options->first > 0;
}

int main(int argc, char **argv)
{
    struct options options = {.jobs = 1, .aloud = true};

    if (!read_options(argc, argv, &options)) {
        fputs(usage, stderr);
        fputs(kinds_usage, stderr);
        return 2;
    }
    return options.first == options.last ? run_one(&options) : run_many(&options);
}
