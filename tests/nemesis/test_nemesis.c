/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: whatever happens to processes and to their coordinator, no
 * id is issued twice (I1, I2, I4), those who are not concerned go on, and the
 * others come back.  Real processes, real signals, real servers; `make nemesis`
 * does more of everything.
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/callers.h"
#include "lib/idset.h"
#include "lib/nemesis.h"
#include "lib/patience.h"
#include "lib/ports.h"
#include "lib/proxy.h"
#include "lib/test.h"

enum { HORIZON_MS = 3000, SHORT_HORIZON_MS = 200, PLACES = 64 };

/* ---- processes ------------------------------------------------------------------- */

/* The live members. */
struct living {
    size_t places; /* the number that run at the same time */
    size_t member[PLACES];
    bool is_alive[PLACES];
};

/* Kills those whose turn it is: about half. */
static void kill_some(struct herd *herd, struct living *living, uint64_t *random)
{
    for (size_t i = 0; i < PLACES; i++) {
        if (living->is_alive[i] && caller_random(random) % 2 == 0) {
            herd_kill(herd, living->member[i]);
            living->is_alive[i] = false;
        }
    }
}

/* Starts one for each place that is free, and waits until it is open: the horizon is the longest that it may take. */
static void fill_up(const struct register_kind *kind, struct herd *herd, struct living *living)
{
    const char *spec = nemesis_spec(kind, 0, "max_wait=5s");

    for (size_t i = 0; i < living->places; i++) {
        if (living->is_alive[i] || herd->count == herd->size)
            continue;
        living->member[i] = herd_start(herd, spec, 16, 500);
        living->is_alive[i] = true;
    }
}

/* Waits until two have different worker ids: one that stood still for a horizon has lost its own, and moves. */
static void await_different(const struct herd_member *member, const struct herd_member *other)
{
    AWAIT(other == NULL || other->worker != member->worker, "two live holders of worker id %u", member->worker);
}

/* Two that live hold different worker ids; those that found none are gone again. */
static void check_living(struct herd *herd, struct living *living, uint64_t *exhausted)
{
    const struct herd_member *holders[PLACES] = {NULL};

    for (size_t i = 0; i < PLACES; i++) {
        if (!living->is_alive[i])
            continue;
        const struct herd_member *member = &herd->members[living->member[i]];
        frazil_err opened = herd_await_open(herd, living->member[i]);
        if (opened == FRAZIL_EPOOL) {
            (*exhausted)++;
            herd_kill(herd, living->member[i]);
            living->is_alive[i] = false;
            continue;
        }
        if (opened != FRAZIL_OK)
            fail_msg("%s", member->error.message);
        await_different(member, holders[member->worker]);
        holders[member->worker] = member;
    }
}

TEST_OF_KINDS(
    for_each_server,
    "Worker ids, and processes that are killed all the time: never two live holders, never exhausted for good")
{
    /* The cheapest coordinator gets most of them. */
    bool cheap = strcmp(kind->name, "redis") == 0;
    size_t starts = (cheap ? 1500 : 150) * (size_t)nemesis_scale();
    struct living living = {.places = cheap ? PLACES : PLACES / 4};
    uint64_t exhausted = 0;
    uint64_t random = 1;
    struct herd herd;

    nemesis_start(kind, living.places, SHORT_HORIZON_MS);
    herd_open(&herd, starts, 16 * starts, nemesis_coordinators());
    while (herd.count < starts) {
        fill_up(kind, &herd, &living);
        check_living(&herd, &living, &exhausted);
        kill_some(&herd, &living, &random);
        pause_ns(SHORT_HORIZON_MS * UINT64_C(1100000)); /* abandoned ids are free when the horizon has passed */
    }
    herd_assert_unique(&herd);
    print_message("%ju starts found no worker id free\n", (uintmax_t)exhausted);
    assert_true(exhausted < starts / 50);
    herd_close(&herd);
}

/* Which member has this process id; all of them have one of their own. */
static bool is_member(const struct herd *herd, long pid)
{
    for (size_t i = 0; i < herd->count; i++) {
        if (herd->members[i].pid == pid)
            return true;
    }
    return false;
}

/* The holders that a refusal names, each a member: "7 by host:4711 until ..., 9 by ..., and 54 more". */
static size_t count_holders(const struct herd *herd, const char *refusal)
{
    size_t named = 0;

    for (const char *until = strstr(refusal, " until "); until != NULL; until = strstr(until + 1, " until ")) {
        const char *pid = until;
        while (pid > refusal && pid[-1] != ':')
            pid--;
        assert_true(is_member(herd, strtol(pid, NULL, 10)));
        named++;
    }
    return named;
}

TEST_OF_KINDS(for_each_server, "The one too many is refused with a list of those who hold them, and how many more")
{
    enum { MEMBERS = 64, NAMED_AT_LEAST = 5 };
    const struct ports ports = {.coordinators = nemesis_coordinators()};
    struct herd herd;
    frazil_error err;
    frazil *gen;

    nemesis_start(kind, MEMBERS, HORIZON_MS);
    herd_open(&herd, MEMBERS, MEMBERS * 16, nemesis_coordinators());
    for (size_t i = 0; i < MEMBERS; i++)
        herd_start(&herd, nemesis_spec(kind, 0, "max_wait=20s"), 16, 1000);
    for (size_t i = 0; i < MEMBERS; i++)
        assert_int_equal(herd_await_open(&herd, i), FRAZIL_OK);
    assert_int_equal(ports_open(&gen, nemesis_spec(kind, 0, ""), &ports, &err), FRAZIL_EPOOL);

    size_t named = count_holders(&herd, err.message);
    assert_true(named >= NAMED_AT_LEAST && named <= MEMBERS);
    if (named < MEMBERS) {
        char more[32];
        snprintf(more, sizeof more, ", and %zu more", MEMBERS - named);
        if (strstr(err.message, more) == NULL)
            fail_msg("'%s' is not in: %s", more, err.message);
    }
    for (size_t i = 0; i < MEMBERS; i++)
        herd_finish(&herd, i);
    herd_assert_unique(&herd);
    herd_close(&herd);
}

/*
 * Waits until at least so many of the first n have another worker id, or say that they have none.  No call of theirs
 * may fail in another way.
 */
static void await_moved_or_fenced(const struct herd *herd, size_t n, unsigned at_least)
{
    unsigned moved = 0;
    unsigned fenced = 0;

    for (uint64_t end_ns = patience_end_ns(); moved + fenced < at_least; pause_shortly()) {
        moved = fenced = 0;
        for (size_t i = 0; i < n; i++) {
            const struct herd_member *member = &herd->members[i];
            int last_error = member->last_error;
            if (last_error != FRAZIL_OK)
                assert_int_equal(last_error, FRAZIL_ELEASE);
            moved += last_error == FRAZIL_OK && member->moves > 0;
            fenced += last_error == FRAZIL_ELEASE;
        }
        if (patience_is_over(end_ns))
            fail_msg("of %zu that stood still, only %u moved, and %u say FRAZIL_ELEASE", n, moved, fenced);
    }
    print_message("of %zu that stood still, %u moved, %u say FRAZIL_ELEASE\n", n, moved, fenced);
}

TEST_OF_KINDS(for_each_server, "Processes that stand still for longer than the horizon lose their worker ids to "
                               "others, and go on with what is free, or say FRAZIL_ELEASE")
{
    enum { STOPPED = 25, ROUNDS = 4 };
    unsigned noticed = 0;
    struct herd herd;

    for (unsigned round = 0; round < ROUNDS * nemesis_scale(); round++) {
        nemesis_start(kind, STOPPED + 5, 1000);
        herd_open(&herd, 2 * STOPPED, 2 * STOPPED * 8000, nemesis_coordinators());
        for (size_t i = 0; i < STOPPED; i++)
            herd_start(&herd, nemesis_spec(kind, 0, "max_wait=1s"), 8000, 1000);
        for (size_t i = 0; i < STOPPED; i++)
            herd_await_ids(&herd, i, 5);
        for (size_t i = 0; i < STOPPED; i++)
            herd_pause(&herd, i);
        pause_ns(UINT64_C(1200000000));
        for (size_t i = STOPPED; i < 2 * STOPPED; i++)
            herd_start(&herd, nemesis_spec(kind, 0, "max_wait=5s"), 8000, 1000);
        for (size_t i = STOPPED; i < 2 * STOPPED; i++)
            herd_await_ids(&herd, i, 5);
        for (size_t i = 0; i < STOPPED; i++)
            herd_resume(&herd, i);
        for (size_t i = STOPPED; i < 2 * STOPPED; i++)
            herd_await_ids(&herd, i, 100); /* the new owners do not notice */
        await_moved_or_fenced(&herd, STOPPED, STOPPED - 5);
        unsigned failed = 0;
        for (size_t i = STOPPED; i < 2 * STOPPED; i++)
            failed += herd.members[i].errors > 0;
        noticed += failed > 0;
        for (size_t i = 0; i < 2 * STOPPED; i++)
            herd_finish(&herd, i);
        herd_assert_unique(&herd);
        herd_close(&herd);
    }
    /* Where the machine stands still for a horizon they lose their worker ids as well: that is seldom. */
    assert_in_range(noticed, 0, nemesis_scale());
}

/* Takes ids in one of the children, as a worker of php-fpm does; the generator was opened by their parent. */
static void take_in_child(frazil *gen, struct idset *ids, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t id;
        if (frazil_next(gen, &id) != FRAZIL_OK)
            _exit(1);
        idset_add(ids, id);
    }
    frazil_close(gen);
    _exit(0);
}

TEST_OF_KINDS(for_each_server, "Opened before the fork: eight children, and what the parent does not even live to "
                               "see; the last one gives the id back")
{
    enum { CHILDREN = 8, IDS = 100000 };
    const struct ports ports = {.coordinators = nemesis_coordinators()};
    struct idset *sets = idsets_open(CHILDREN, IDS);
    frazil_info info;
    frazil_error err;
    frazil *gen;

    nemesis_start(kind, 4, SHORT_HORIZON_MS);
    if (ports_open(&gen, nemesis_spec(kind, 0, "max_wait=5s"), &ports, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    frazil_get_info(gen, &info, sizeof info);
    pid_t children[CHILDREN];
    for (size_t i = 0; i < CHILDREN; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0)
            take_in_child(gen, &sets[i], IDS);
    }
    frazil_close(gen); /* with it goes the keeper's thread: now the children extend */
    for (size_t i = 0; i < CHILDREN; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    idsets_assert_unique_and_increasing(sets, CHILDREN);
    idsets_close(sets, CHILDREN);
    assert_true(nemesis_is_released(kind, info.worker));
}

/* ---- the coordinator ------------------------------------------------------------- */

enum { FLEET = 8 };

static void start_members(const struct register_kind *kind, uint16_t port, struct herd *herd, const char *more)
{
    herd_open(herd, FLEET + 1, UINT64_C(400000), nemesis_coordinators());
    for (size_t i = 0; i < FLEET; i++)
        herd_start(herd, nemesis_spec(kind, port, more), 40000, 3000);
    for (size_t i = 0; i < FLEET; i++)
        herd_await_ids(herd, i, 10);
}

static void start_fleet(const struct register_kind *kind, struct herd *herd, uint64_t horizon_ms, const char *more)
{
    nemesis_start(kind, FLEET, horizon_ms);
    start_members(kind, 0, herd, more);
}

static void finish_fleet(struct herd *herd)
{
    for (size_t i = 0; i < FLEET; i++)
        herd_finish(herd, i);
    herd_assert_unique(herd);
    for (size_t i = 0; i < FLEET; i++)
        herd_assert_increasing(herd, i);
}

static void end_fleet(struct herd *herd)
{
    finish_fleet(herd);
    herd_close(herd);
}

/* Some of them take their time, and not always the same. */
static uint64_t longer_than_a_restart(const struct register_kind *kind)
{
    struct timespec before;
    struct timespec after;

    clock_gettime(CLOCK_MONOTONIC, &before);
    kind->kill(kind->server);
    kind->restart();
    clock_gettime(CLOCK_MONOTONIC, &after);
    int64_t ms = (int64_t)(after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000;
    return 4 * (uint64_t)(ms + 1000);
}

TEST_OF_KINDS(for_each_server, "A coordinator that is killed, and is back with all its records within the horizon: "
                               "no process notices that had all its answers")
{
    /* But any coordinator may carry an extension out, and be killed before its answer.  Then the owner waits until the
     * ticks have passed that it may have been given, and all quarantines, or takes another worker id. */
    uint64_t horizon_ms = longer_than_a_restart(kind);
    uint64_t moves = 0;
    struct herd herd;

    nemesis_start(kind, 2 * FLEET, horizon_ms);
    start_members(kind, 0, &herd, "");
    for (unsigned round = 0; round < 2 * nemesis_scale(); round++) {
        kind->kill(kind->server);
        pause_ns(UINT64_C(700000000));
        kind->restart();
        pause_ns(horizon_ms * UINT64_C(1200000)); /* the grants of before have ended */
        for (size_t i = 0; i < FLEET; i++)
            herd_await_ids(&herd, i, 20);
    }
    finish_fleet(&herd);
    for (size_t i = 0; i < FLEET; i++) {
        const struct herd_member *member = &herd.members[i];
        if (member->burned == 0 && (member->errors > 0 || member->moves > 0))
            fail_msg("member %zu had all answers, and took %ju other worker ids: %s", i, (uintmax_t)member->moves,
                     member->error.message);
        moves += member->moves;
    }
    print_message("%ju took another worker id\n", (uintmax_t)moves);
    assert_true(moves < FLEET * nemesis_scale());
    herd_close(&herd);
}

TEST_OF_KINDS(
    for_each_server,
    "One that is away for longer than the horizon: FRAZIL_ELEASE with the reason, and all is well when it is back")
{
    struct herd herd;

    start_fleet(kind, &herd, 1000, "max_wait=50ms");
    kind->kill(kind->server);
    for (size_t i = 0; i < FLEET; i++)
        herd_await_error(&herd, i, FRAZIL_ELEASE, "could not be extended: ");
    kind->restart();
    for (size_t i = 0; i < FLEET; i++)
        herd_await_ids(&herd, i, 20);
    end_fleet(&herd);
}

TEST_OF_KINDS(for_each_server,
              "One that is wiped is an error, loudly; created anew, nothing that was granted before is granted again")
{
    const struct ports ports = {.coordinators = nemesis_coordinators()};
    struct herd herd;
    frazil_error err;
    frazil *gen;

    start_fleet(kind, &herd, 1000, "max_wait=50ms");
    kind->wipe();
    assert_int_equal(ports_open(&gen, nemesis_spec(kind, 0, ""), &ports, &err), FRAZIL_ENAMESPACE);
    assert_non_null(strstr(err.message, "there is no namespace"));
    for (size_t i = 0; i < FLEET; i++)
        herd_await_error(&herd, i, FRAZIL_ELEASE, "has vanished");
    nemesis_recreate(kind, FLEET, 1000);
    for (size_t i = 0; i < FLEET; i++)
        herd_await_ids(&herd, i, 20);
    end_fleet(&herd);
}

TEST_OF_KINDS(
    for_each_server,
    "A network that holds requests or replies, loses, cuts or resets them, and hangs up on who comes: whoever cannot "
    "extend says FRAZIL_ELEASE in the end, nothing is issued twice, and all go on when it is well again")
{
    static const enum proxy_mode modes[] = {PROXY_PASS,         PROXY_HOLD_REQUESTS, PROXY_HOLD_REPLIES,
                                            PROXY_LOSE_REPLIES, PROXY_CUT_REPLIES,   PROXY_RESET,
                                            PROXY_HANG_UP};
    struct proxy *proxy = proxy_start(kind->server->port);
    uint64_t random = 11;
    struct herd herd;

    nemesis_start(kind, FLEET, 1000);
    start_members(kind, proxy->port, &herd, "max_wait=50ms");
    for (unsigned step = 0; step < 20 * nemesis_scale(); step++) {
        proxy_set(proxy, modes[caller_random(&random) % (sizeof modes / sizeof modes[0])]);
        pause_ns(100000000 + caller_random(&random) % 300000000);
    }
    proxy_set(proxy, PROXY_PASS);
    for (size_t i = 0; i < FLEET; i++)
        herd_await_ids(&herd, i, 20);
    end_fleet(&herd);
    proxy_stop(proxy);
}
