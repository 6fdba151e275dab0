/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
/*
 * frazil-fleet [-n OPENINGS] [-k CONNECTED] [-c CLIENTS] [-r RATE] [-e EXTENSIONS] [-p SERVER] URL: opens and extends
 * the leases of a fleet.  It prints two lines, whose fields are separated by tabs.
 *
 * "openings": how many; a second, of all, of the first tenth, of the last tenth; bytes of one, in the first tenth, in
 * the last tenth, the most; exchanges of one, likewise.  Then: refusals; the server's processor time for one in us;
 * exchanges of the one with the most bytes.
 *
 * "extensions": how many; connections; a second; the server's processor time for one in us; p50 and p99 in us; bytes
 * and exchanges of one; MiB by which the server grew during the openings.
 *
 * Where there is no server, "-" stands for time and memory.
 */
#include "fleet.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/clock.h"

static bool complain(const char *what)
{
    (void)fprintf(stderr, "frazil-fleet: %s: %s\n", what, strerror(errno));
    return false;
}

/* ---- the clients ------------------------------------------------------------------ */

struct clients {
    unsigned count;
    pid_t pids[FLEET_CLIENTS_MAX];
    int sockets[FLEET_CLIENTS_MAX];
};

static bool start_client(struct clients *clients, struct fleet *fleet)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        return complain("socketpair");
    pid_t pid = fork();
    if (pid == 0) {
        /* A client sees the end of its parent's socket only if no other client has it, too. */
        for (unsigned i = 0; i < clients->count; i++)
            (void)close(clients->sockets[i]);
        (void)close(pair[0]);
        exit(fleet_client_run(fleet, clients->count, pair[1]));
    }
    (void)close(pair[1]);
    if (pid < 0) {
        (void)close(pair[0]);
        return complain("fork");
    }
    clients->pids[clients->count] = pid;
    clients->sockets[clients->count++] = pair[0];
    return true;
}

/* Waits until all have come to their next wait.  False: one has ended, after a complaint. */
static bool assemble(const struct clients *clients)
{
    char byte;

    for (unsigned i = 0; i < clients->count; i++) {
        if (read(clients->sockets[i], &byte, 1) != 1)
            return false;
    }
    return true;
}

static bool let_go(const struct clients *clients)
{
    char byte = 0;

    for (unsigned i = 0; i < clients->count; i++) {
        if (send(clients->sockets[i], &byte, 1, MSG_NOSIGNAL) != 1)
            return complain("a client has ended");
    }
    return true;
}

/* Ends those that wait, and waits for all. */
static bool end_clients(const struct clients *clients)
{
    bool ok = true;
    int status;

    for (unsigned i = 0; i < clients->count; i++)
        (void)close(clients->sockets[i]);
    for (unsigned i = 0; i < clients->count; i++)
        ok = waitpid(clients->pids[i], &status, 0) == clients->pids[i] && status == 0 && ok;
    return ok;
}

/* ---- the output -------------------------------------------------------------- */

struct share {
    double rate, bytes, exchanges;
};

/* Of the openings from one to before another; begun_ns: when the first of them began. */
static struct share share_of(const struct fleet *fleet, unsigned from, unsigned to, uint64_t begun_ns)
{
    struct share sum = {0, 0, 0};
    double count = to - from;

    for (unsigned i = from; i < to; i++) {
        sum.bytes += fleet->openings[i].bytes;
        sum.exchanges += fleet->openings[i].exchanges;
    }
    sum.rate = count * 1e9 / (double)(fleet->openings[to - 1].at_ns - begun_ns);
    return (struct share){sum.rate, sum.bytes / count, sum.exchanges / count};
}

/* The use of the server: before the openings, after them, and after the extensions. */
struct uses {
    struct fleet_use at[3];
    bool known;
};

/* The server's processor time for one of `count` things, between two looks at it. */
static void print_cpu(const struct uses *uses, unsigned from, double count)
{
    if (uses->known)
        printf("\t%.1f", (double)(uses->at[from + 1].cpu_ns - uses->at[from].cpu_ns) / count / 1000);
    else
        printf("\t-");
}

static void print_openings(const struct fleet *fleet, const struct uses *uses, uint64_t begun_ns)
{
    const unsigned n = fleet->plan.openings;
    const unsigned tenth = n < 10 ? 1 : n / 10;
    struct share all = share_of(fleet, 0, n, begun_ns);
    struct share first = share_of(fleet, 0, tenth, begun_ns);
    struct share last = share_of(fleet, n - tenth, n, n == tenth ? begun_ns : fleet->openings[n - tenth - 1].at_ns);
    struct fleet_opening most = {0, 0, 0, 0};
    uint32_t most_exchanges = 0;
    uint64_t refusals = 0;

    for (unsigned i = 0; i < n; i++) {
        const struct fleet_opening *opening = &fleet->openings[i];
        most = i == 0 || opening->bytes > most.bytes ? *opening : most;
        most_exchanges = opening->exchanges > most_exchanges ? opening->exchanges : most_exchanges;
        refusals += opening->refusals;
    }
    printf("openings\t%u\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%" PRIu32 "\t%.2f\t%.2f\t%" PRIu32 "\t%" PRIu64, n, all.rate,
           first.rate, last.rate, first.bytes, last.bytes, most.bytes, first.exchanges, last.exchanges, most_exchanges,
           refusals);
    print_cpu(uses, 0, n);
    printf("\t%" PRIu32 "\n", most.exchanges);
}

static int compare_times(const void *a, const void *b)
{
    const uint32_t *x = a;
    const uint32_t *y = b;

    return (*x > *y) - (*x < *y);
}

static void print_extensions(const struct fleet *fleet, const struct uses *uses, double took_ns)
{
    const struct fleet_plan *plan = &fleet->plan;
    const double n = plan->extensions;
    uint32_t *us = fleet->extension_us;

    qsort(us, plan->extensions, sizeof us[0], compare_times);
    printf("extensions\t%u\t%u\t%.1f", plan->extensions, plan->connected, n * 1e9 / took_ns);
    print_cpu(uses, 1, n);
    printf("\t%" PRIu32 "\t%" PRIu32 "\t%.1f\t%.2f\t", us[plan->extensions / 2],
           us[(size_t)plan->extensions * 99 / 100], (double)fleet->bytes / n, (double)fleet->exchanges / n);
    if (uses->known)
        printf("%.1f\n", ((double)uses->at[1].memory_kib - (double)uses->at[0].memory_kib) / 1024);
    else
        printf("-\n");
}

/* ---- measuring -------------------------------------------------------------------- */

static bool look(const struct fleet_plan *plan, struct uses *uses, unsigned which)
{
    if (plan->server == 0)
        return true;
    uses->known = fleet_use_read(plan->server, &uses->at[which]);
    if (!uses->known)
        (void)fprintf(stderr, "frazil-fleet: the system does not say what process %ld uses\n", (long)plan->server);
    return uses->known;
}

static bool measure(struct fleet *fleet, const struct clients *clients)
{
    const struct fleet_plan *plan = &fleet->plan;
    struct uses uses = {.known = false};

    if (!assemble(clients) || !look(plan, &uses, 0))
        return false;
    uint64_t opening_ns = fz_real_monotonic_ns();
    if (!let_go(clients) || !assemble(clients) || !look(plan, &uses, 1))
        return false;
    uint64_t extending_ns = fz_real_monotonic_ns();
    if (!let_go(clients) || !assemble(clients))
        return false;
    double took_ns = (double)(fz_real_monotonic_ns() - extending_ns);
    if (!look(plan, &uses, 2) || !let_go(clients))
        return false;
    print_openings(fleet, &uses, opening_ns);
    print_extensions(fleet, &uses, took_ns);
    return true;
}

/* Makes the memory that clients share with us; NULL after a complaint. */
static struct fleet *make_fleet(const struct fleet_plan *plan)
{
    size_t openings = plan->openings * sizeof(struct fleet_opening);
    size_t size = sizeof(struct fleet) + openings + plan->extensions * sizeof(uint32_t);
    struct fleet *fleet = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (fleet == MAP_FAILED) {
        (void)complain("memory");
        return NULL;
    }
    fleet->plan = *plan;
    fleet->openings = (struct fleet_opening *)(fleet + 1);
    fleet->extension_us = (uint32_t *)(fleet->openings + plan->openings);
    return fleet;
}

/* Each client keeps connections of its own. */
static void raise_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/* ---- the command line --------------------------------------------------------------- */

static bool read_number(const char *text, unsigned *ret)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);

    if (*end != '\0' || number == 0 || number > 10000000)
        return false;
    *ret = (unsigned)number;
    return true;
}

static bool read_options(int argc, char **argv, struct fleet_plan *plan)
{
    unsigned server = 0;
    bool ok = true;

    for (int option; ok && (option = getopt(argc, argv, "n:k:c:r:e:p:")) != -1;) {
        static const char letters[] = "nkcrep";
        unsigned *const numbers[] = {&plan->openings, &plan->connected,  &plan->clients,
                                     &plan->rate,     &plan->extensions, &server};
        const char *letter = strchr(letters, option);
        ok = letter != NULL && read_number(optarg, numbers[letter - letters]);
    }
    plan->server = (pid_t)server;
    plan->url = argv[optind];
    if (!ok || argc - optind != 1 || plan->clients > FLEET_CLIENTS_MAX || plan->connected < plan->clients ||
        plan->connected > plan->openings) {
        (void)fprintf(stderr, "usage: frazil-fleet [-n OPENINGS] [-k CONNECTED] [-c CLIENTS] [-r RATE] [-e EXTENSIONS] "
                              "[-p SERVER] URL\n"
                              "CONNECTED is CLIENTS at the least and OPENINGS at the most\n");
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct fleet_plan plan = {.openings = 10000, .connected = 10000, .clients = 8, .rate = 500, .extensions = 10000};
    struct clients clients = {.count = 0};
    bool ok = true;

    if (!read_options(argc, argv, &plan))
        return 2;
    raise_limit();
    struct fleet *fleet = make_fleet(&plan);
    if (fleet == NULL)
        return EXIT_FAILURE;
    while (ok && clients.count < plan.clients)
        ok = start_client(&clients, fleet);
    ok = ok && measure(fleet, &clients);
    return end_clients(&clients) && ok && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
