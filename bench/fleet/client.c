/* SPDX-License-Identifier: MIT */
#include "fleet.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "config/coordinators.h"
#include "core/layout_internal.h"
#include "os/clock.h"
#include "os/host.h"

/* How often an opening is tried again. */
enum { REFUSALS_MAX = 1000 };

/* A lease that stays open. */
struct member {
    struct fz_granter granter;
    struct fz_grant held;
    int first, end; /* its descriptors: from one on, before another */
};

struct client {
    struct fleet *fleet;
    const frazil_coordinator *coordinator;
    frazil_layout layout;
    uint64_t random_state;
    frazil_random random;
    frazil_clock clock;
    char owner[64];
    struct member *members;
    unsigned connected;
    unsigned connected_max;
};

static bool complain(const char *what, const char *why)
{
    (void)fprintf(stderr, "frazil-fleet: %s: %s\n", what, why);
    return false;
}

/* splitmix64 */
static uint64_t next_random(void *ctx)
{
    uint64_t *state = ctx;
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t now_tick(const struct client *client)
{
    uint64_t tick = 0;

    (void)fz_layout_tick_of(&client->layout, fz_real_now().unix_ms, &tick, NULL);
    return tick;
}

/* ---- counting ------------------------------------------------------------------- */

/* The bytes that have come through a socket; 0 for any other descriptor. */
static uint64_t socket_bytes(int fd)
{
    struct tcp_info info = {.tcpi_bytes_received = 0};
    socklen_t size = sizeof info;

    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 ? info.tcpi_bytes_received : 0;
}

/* The lowest free descriptor: those that are opened next are this one and those above it. */
static int next_descriptor(void)
{
    int fd = dup(STDERR_FILENO);

    (void)close(fd);
    return fd;
}

/* The bytes that have come through the connections of a member. */
static uint64_t received(const struct member *member)
{
    uint64_t bytes = 0;

    for (int fd = member->first; fd < member->end; fd++)
        bytes += socket_bytes(fd);
    return bytes;
}

/* The granter is a lease of the protocol, whose part is of the same build. */
static uint64_t exchanges(const struct fz_granter *granter)
{
    return fz_lease_count(granter->ctx).round_trips;
}

/* ---- opening -------------------------------------------------------------------- */

/* Whether generators try again: the server is only too busy. */
static bool is_refusal(frazil_err code)
{
    return code == FRAZIL_EAGAIN || code == FRAZIL_EUNREACHABLE;
}

static frazil_err acquire(const struct client *client, struct member *member, uint32_t *ret_refusals, frazil_error *err)
{
    frazil_err code = FRAZIL_EAGAIN;

    for (uint32_t i = 0; is_refusal(code) && i < REFUSALS_MAX; i++) {
        code = member->granter.acquire(member->granter.ctx, FZ_DEADLINE_NONE, now_tick(client), &member->held, err);
        *ret_refusals = i;
    }
    return code;
}

static bool open_one(struct client *client)
{
    struct fleet *fleet = client->fleet;
    const struct fz_lease_request request = {.url = fleet->plan.url,
                                             .owner = client->owner,
                                             .layout = &client->layout,
                                             .random = &client->random,
                                             .clock = &client->clock};
    struct fleet_opening opening = {.at_ns = 0};
    struct member member = {.first = next_descriptor()};
    frazil_error err;

    if (client->coordinator->open_granter(client->coordinator, &request, &member.granter, &err) != FRAZIL_OK ||
        acquire(client, &member, &opening.refusals, &err) != FRAZIL_OK)
        return complain("opening", err.message);
    opening.at_ns = fz_real_monotonic_ns();
    member.end = next_descriptor();
    opening.bytes = (uint32_t)received(&member);
    opening.exchanges = (uint32_t)exchanges(&member.granter);
    fleet->openings[atomic_fetch_add(&fleet->opened, 1)] = opening;
    if (client->connected < client->connected_max)
        client->members[client->connected++] = member;
    else
        member.granter.close(member.granter.ctx); /* the lease goes on, as if the process had been killed */
    return true;
}

static bool open_all(struct client *client)
{
    bool ok = true;

    while (ok && atomic_fetch_add(&client->fleet->begun, 1) < client->fleet->plan.openings)
        ok = open_one(client);
    return ok;
}

/* ---- extending ------------------------------------------------------------------ */

static void wait_until(uint64_t at_ns)
{
    const struct timespec at = {.tv_sec = (time_t)(at_ns / 1000000000), .tv_nsec = (long)(at_ns % 1000000000)};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) != 0)
        continue;
}

static bool extend_one(struct client *client, struct member *member, unsigned which)
{
    struct fz_grant held = member->held;
    frazil_error err;
    uint64_t before = received(member);
    uint64_t begun_ns = fz_real_monotonic_ns();

    frazil_err code = FRAZIL_EAGAIN;
    for (unsigned i = 0; is_refusal(code) && i < REFUSALS_MAX; i++)
        code =
            member->granter.extend(member->granter.ctx, FZ_DEADLINE_NONE, now_tick(client), &held, &member->held, &err);
    if (code != FRAZIL_OK)
        return complain("extending", err.message);
    client->fleet->extension_us[which] = (uint32_t)((fz_real_monotonic_ns() - begun_ns) / 1000);
    /* A connection that was idle for too long has been replaced, by one with the same descriptor. */
    uint64_t after = received(member);
    atomic_fetch_add(&client->fleet->bytes, after < before ? after : after - before);
    return true;
}

static uint64_t all_exchanges(const struct client *client)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < client->connected; i++)
        sum += exchanges(&client->members[i].granter);
    return sum;
}

/* An event loop: the extensions of its members, in turns, each at its time. */
static bool extend_all(struct client *client)
{
    struct fleet *fleet = client->fleet;
    const uint64_t begun_ns = fz_real_monotonic_ns();
    const uint64_t waited_for = all_exchanges(client);
    unsigned which = 0;
    bool ok = true;

    for (unsigned turn = 0; ok && (which = atomic_fetch_add(&fleet->extended, 1)) < fleet->plan.extensions; turn++) {
        wait_until(begun_ns + (uint64_t)which * 1000000000 / fleet->plan.rate);
        ok = extend_one(client, &client->members[turn % client->connected], which);
    }
    atomic_fetch_add(&fleet->exchanges, all_exchanges(client) - waited_for);
    return ok;
}

/* ---- its life ------------------------------------------------------------------- */

static bool client_open(struct client *client, struct fleet *fleet, unsigned index)
{
    const struct fleet_plan *plan = &fleet->plan;
    frazil_error err;

    *client = (struct client){.fleet = fleet, .clock = fz_real_clock()};
    client->random = (frazil_random){.size = sizeof client->random, .ctx = &client->random_state, .next = next_random};
    client->connected_max = plan->connected / plan->clients + (index < plan->connected % plan->clients);
    client->members = calloc(client->connected_max, sizeof *client->members);
    (void)snprintf(client->owner, sizeof client->owner, "host-%04u:%ld", index, (long)getpid());
    if (client->members == NULL || fz_host_entropy(&client->random_state) != 0)
        return complain("a client", "no memory, or no random numbers");
    if (frazil_layout_parse(FLEET_LAYOUT, strlen(FLEET_LAYOUT), &client->layout, &err) != FRAZIL_OK ||
        fz_coordinator_for("worker", plan->url, NULL, &client->coordinator, &err) != FRAZIL_OK)
        return complain(plan->url, err.message);
    return true;
}

/* Whether the parent says to go on; it may have ended. */
static bool may_go_on(int parent)
{
    char byte = 0;

    return write(parent, &byte, 1) == 1 && read(parent, &byte, 1) == 1;
}

int fleet_client_run(struct fleet *fleet, unsigned index, int parent)
{
    struct client client;
    bool ok = client_open(&client, fleet, index) && may_go_on(parent) && open_all(&client) && may_go_on(parent) &&
              extend_all(&client) && may_go_on(parent);

    free(client.members);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
