/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: two hundred processes of a host over one lease, which are opened, killed, stopped, continued and
 * started again, while their coordinator is killed and cut off.  No id is issued twice, each of them soon has ids
 * again, and of the worker ids no more than two are ever used.  Nor are more when a hundred open at once, and each
 * answer takes its time.
 */
#include <signal.h>
#include <string.h>

#include "lib/callers.h"
#include "lib/nemesis.h"
#include "lib/proxy.h"
#include "lib/scratch.h"
#include "lib/test.h"

EACH_IN_SCRATCH

enum { WORKERS = 16, HORIZON_MS = 2000, PLACES = 200, IDS = 1000, PAUSE_US = 20000 };

struct place {
    size_t member;
    bool is_alive;
    unsigned stopped; /* for how many more steps; 0: it runs */
};

struct host {
    const struct register_kind *kind;
    struct proxy *proxy;
    struct herd herd;
    size_t places; /* the number that run at the same time */
    struct place place[PLACES];
    char spec[1024];
    uint64_t random;
    unsigned killed;
    unsigned restarts; /* of the coordinator */
};

static uint64_t below(struct host *host, uint64_t end)
{
    return caller_random(&host->random) % end;
}

/* ---- processes ------------------------------------------------------------------- */

/* Kills each with this chance in percent; all of them at once, and then waits for their ends. */
static void kill_some(struct host *host, unsigned percent)
{
    bool is_chosen[PLACES] = {false};

    for (size_t i = 0; i < host->places; i++) {
        is_chosen[i] = host->place[i].is_alive && below(host, 100) < percent;
        if (is_chosen[i])
            kill(host->herd.members[host->place[i].member].pid, SIGKILL);
    }
    for (size_t i = 0; i < host->places; i++) {
        if (!is_chosen[i])
            continue;
        herd_kill(&host->herd, host->place[i].member);
        host->place[i] = (struct place){.is_alive = false};
        host->killed++;
    }
}

/* Stops some for up to two horizons. */
static void stop_some(struct host *host)
{
    for (size_t i = 0; i < host->places; i++) {
        struct place *place = &host->place[i];
        if (!place->is_alive || place->stopped > 0 || below(host, 100) >= 10)
            continue;
        herd_pause(&host->herd, place->member);
        place->stopped = 1 + (unsigned)below(host, 20);
    }
}

static void resume_due(struct host *host)
{
    for (size_t i = 0; i < host->places; i++) {
        struct place *place = &host->place[i];
        if (place->stopped > 0 && --place->stopped == 0)
            herd_resume(&host->herd, place->member);
    }
}

static void fill_up(struct host *host)
{
    for (size_t i = 0; i < host->places && host->herd.count < host->herd.size; i++) {
        if (host->place[i].is_alive)
            continue;
        host->place[i].member = herd_start(&host->herd, host->spec, IDS, PAUSE_US);
        host->place[i].is_alive = true;
    }
}

/* No opening has failed, and no call but for the end of the grant, of those that live and of those that do not. */
static void check_members(const struct host *host)
{
    for (size_t i = 0; i < host->herd.count; i++) {
        const struct herd_member *member = &host->herd.members[i];
        bool is_open = member->open_result == FRAZIL_OK || member->open_result == 1;
        if (!is_open || (member->last_error != FRAZIL_OK && member->last_error != FRAZIL_ELEASE))
            fail_msg("member %zu: %s", i, member->error.message);
    }
}

/* Each that runs takes an id, within the patience of a herd. */
static void await_ids(struct host *host)
{
    for (size_t i = 0; i < host->places; i++) {
        const struct place *place = &host->place[i];
        if (place->is_alive && place->stopped == 0 && host->herd.members[place->member].ids + 2 < IDS)
            herd_await_ids(&host->herd, place->member, 1);
    }
}

/* ---- faults --------------------------------------------------------------------- */

/* Many are killed when one of them has swapped, and the answer is on its way. */
static void kill_while_extending(struct host *host)
{
    uint64_t before;
    uint64_t now;

    proxy_set(host->proxy, PROXY_SLOW);
    (void)nemesis_count_taken(host->kind, &before);
    for (unsigned looks = 0; looks < HORIZON_MS; looks++) {
        (void)nemesis_count_taken(host->kind, &now);
        if (now != before)
            break;
        pause_ns(UINT64_C(1000000));
    }
    kill_some(host, 90);
    proxy_set(host->proxy, PROXY_PASS);
}

static void cut_off(struct host *host)
{
    static const enum proxy_mode modes[] = {PROXY_HOLD_REQUESTS, PROXY_LOSE_REPLIES, PROXY_CUT_REPLIES, PROXY_RESET,
                                            PROXY_HANG_UP};

    proxy_set(host->proxy, modes[below(host, sizeof modes / sizeof modes[0])]);
    pause_ns(UINT64_C(100000000) + below(host, 300000000));
    proxy_set(host->proxy, PROXY_PASS);
}

static void restart(struct host *host)
{
    host->kind->kill(host->kind->server);
    pause_ns(UINT64_C(200000000));
    host->kind->restart();
    host->restarts++;
}

static void step(struct host *host, unsigned number)
{
    uint64_t what = below(host, 10);

    if (number % 10 == 3)
        kill_some(host, 100);
    else if (number % 10 == 7)
        restart(host);
    else if (what < 4)
        kill_while_extending(host);
    else if (what == 4)
        cut_off(host);
    else if (what < 8)
        stop_some(host);
    else
        kill_some(host, 10);
    resume_due(host);
    fill_up(host);
    pause_ns(UINT64_C(100000000));
    if (number % 5 == 4)
        await_ids(host);
    check_members(host);
}

/* All go on, and end. */
static void finish(struct host *host)
{
    for (size_t i = 0; i < host->places; i++) {
        if (host->place[i].stopped > 0)
            herd_resume(&host->herd, host->place[i].member);
        host->place[i].stopped = 0;
    }
    await_ids(host);
    for (size_t i = 0; i < host->places; i++) {
        if (host->place[i].is_alive)
            herd_finish(&host->herd, host->place[i].member);
    }
    check_members(host);
}

TEST_OF_KINDS(
    for_each_server,
    "Processes that share a lease, and are killed, stopped and started all the time while their coordinator is "
    "killed and cut off: no id twice, ids again for each of them, two worker ids at the most")
{
    static struct host host;
    bool has_all = strcmp(kind->name, "redis") == 0;
    unsigned steps = (has_all ? 16 : 8) * nemesis_scale();
    size_t places = has_all ? PLACES : PLACES / 10;

    host = (struct host){.kind = kind, .places = places, .random = 5, .proxy = proxy_start(kind->server->port)};
    nemesis_start(kind, WORKERS, HORIZON_MS);
    snprintf(host.spec, sizeof host.spec, "share=host max_wait=30s run_dir='%s/%s' %s", scratch, kind->name,
             nemesis_spec(kind, host.proxy->port, ""));
    size_t starts = places * (2 + steps / 2);
    herd_open(&host.herd, starts, starts * IDS, nemesis_coordinators());
    fill_up(&host);
    for (unsigned i = 0; i < steps; i++)
        step(&host, i);
    finish(&host);
    uint64_t ignored;
    unsigned taken = nemesis_count_taken(kind, &ignored);
    print_message("%u killed, %u restarts, %u worker ids\n", host.killed, host.restarts, taken);
    assert_true(taken <= 2);
    herd_assert_unique(&host.herd);
    herd_close(&host.herd);
    proxy_stop(host.proxy);
}

TEST_OF_KINDS(
    for_each_server,
    "A hundred processes of a host open over a coordinator that answers in 0.8 s: few of them ask it, for two "
    "worker ids at the most")
{
    enum { OPENERS = 100 };
    char spec[1024];
    struct herd herd;
    uint64_t ignored;

    nemesis_start(kind, WORKERS, 60000);
    struct proxy *proxy = proxy_start(kind->server->port);
    proxy->slow_ns = 800000000;
    proxy_set(proxy, PROXY_SLOW);
    snprintf(spec, sizeof spec, "share=host run_dir='%s/%s' %s", scratch, kind->name,
             nemesis_patient_spec(kind, proxy->port, ""));
    herd_open(&herd, OPENERS, OPENERS, nemesis_coordinators());
    for (size_t i = 0; i < OPENERS; i++)
        (void)herd_start(&herd, spec, 1, PAUSE_US);
    for (size_t i = 0; i < OPENERS; i++) {
        if (herd_await_open(&herd, i) != FRAZIL_OK)
            fail_msg("%s", herd.members[i].error.message);
    }
    assert_true(proxy->accepted <= OPENERS / 10); /* one, unless the machine is so busy that its turn is over */
    assert_true(nemesis_count_taken(kind, &ignored) <= 2);
    herd_close(&herd);
    proxy_stop(proxy);
}
