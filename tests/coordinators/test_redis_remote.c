/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: whole generators over a real Redis.  Those that share a worker
 * number by state=URL never issue an id twice, through wipes and restarts, whether they are
 * threads', processes' or konayuki's.  worker=sfid+redis:// takes, keeps and frees its key.
 */
#define _GNU_SOURCE /* unshare */
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/bound.h"
#include "lib/insider.h"
#include "lib/patience.h"
#include "lib/ports.h"
#include "lib/slots_rig.h"
#include "lib/test.h"
#include "os/memory.h"

enum { TAKERS = 4, IDS = 3000, IDS_MAX = (TAKERS + 1) * IDS };

static const frazil_coordinator *coordinators[2];

/* Where all processes put their ids. */
struct pile {
    _Atomic size_t n;
    uint64_t ids[IDS_MAX];
};

/* Opens front, the server's port, and back. */
static frazil *open_spec(const char *front, const char *back)
{
    const struct ports ports = {.coordinators = coordinators};
    frazil_error err;
    char text[256];
    frazil *gen;

    coordinators[0] = frazil_coordinator_redis();
    snprintf(text, sizeof text, "%s%u%s", front, (unsigned)slots_rig.server.port, back);
    if (ports_open(&gen, text, &ports, &err) != FRAZIL_OK)
        fail_msg("%s: %s", text, err.message);
    return gen;
}

static struct pile *new_pile(void)
{
    struct pile *pile = fz_map_shared(sizeof *pile);

    assert_non_null(pile);
    return pile;
}

static void put(struct pile *pile, uint64_t id)
{
    pile->ids[atomic_fetch_add(&pile->n, 1)] = id;
}

static int by_value(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;

    return left < right ? -1 : left > right;
}

static void assert_unique(struct pile *pile)
{
    qsort(pile->ids, pile->n, sizeof pile->ids[0], by_value);
    for (size_t i = 1; i < pile->n; i++)
        assert_true(pile->ids[i - 1] < pile->ids[i]);
    fz_unmap(pile, sizeof *pile);
}

/* Takes n ids, patiently: a busy machine may look as if its clock were wrong. */
static bool take_ids(frazil *gen, struct pile *pile, size_t n)
{
    uint64_t last = 0;
    uint64_t id;

    while (n > 0) {
        frazil_err err = frazil_next(gen, &id);
        if (err == FRAZIL_ECLOCK || err == FRAZIL_EFULL || err == FRAZIL_EUNREACHABLE)
            continue;
        if (err != FRAZIL_OK || id <= last)
            return false;
        last = id;
        put(pile, id);
        n--;
    }
    return true;
}

static void run_children(struct pile *pile, frazil *(*open)(void), frazil *inherited)
{
    int status;

    for (int i = 0; i < TAKERS; i++) {
        if (fork() == 0) {
            frazil *gen = i % 2 == 0 ? inherited : open();
            _exit(take_ids(gen, pile, IDS) ? 0 : 1);
        }
    }
    assert_true(take_ids(inherited, pile, IDS));
    for (int i = 0; i < TAKERS; i++) {
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
}

/* Generators of that kind, one of them inherited, give no id twice. */
static void assert_apart(frazil *(*open)(void))
{
    struct pile *pile = new_pile();
    frazil *gen = open();

    run_children(pile, open, gen);
    assert_int_equal(pile->n, IDS_MAX);
    assert_unique(pile);
    frazil_close(gen);
}

static frazil *open_own(void)
{
    return open_spec("worker=fixed:7 max_lead=100ms state=redis://127.0.0.1:", "/orders");
}

HOOKS_OF(slots)

TEST("I1, I5: generators that were opened apart, and one that was inherited")
{
    assert_apart(open_own);
}

/* Forks the first process of a new PID namespace: 0 there, -1 where that is not permitted. */
static pid_t fork_first(void)
{
    if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWPID | CLONE_NEWUSER) != 0)
        return -1;
    return fork();
}

/* Parent and child take from one generator by turns; each is the process 1 of its namespace. */
static bool take_as_first(struct pile *pile)
{
    frazil *gen = open_own();
    int status = -1;

    bool good = getpid() == 1 && take_ids(gen, pile, 20);
    pid_t child = fork_first();
    if (child == 0)
        _exit(getpid() == 1 && take_ids(gen, pile, 20) && take_ids(gen, pile, IDS) ? 0 : 1);
    good = take_ids(gen, pile, 20) && take_ids(gen, pile, IDS) && good;
    good = child > 0 && waitpid(child, &status, 0) == child && status == 0 && good;
    frazil_close(gen);
    return good;
}

TEST("I1, I5: a child that has its parent's process id takes neither its batch nor its connection")
{
    enum { NOT_PERMITTED = 77 };
    struct pile *pile = new_pile();
    int status;

    pid_t pid = fork();
    if (pid == 0) {
        pid_t first = fork_first();
        if (first == 0)
            _exit(take_as_first(pile) ? 0 : 1);
        _exit(first < 0 ? NOT_PERMITTED : waitpid(first, &status, 0) == first && status == 0 ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_PERMITTED) {
        print_message("SKIPPED: no PID namespace can be made here\n");
        fz_unmap(pile, sizeof *pile);
        skip();
    }
    assert_int_equal(status, 0);
    assert_int_equal(pile->n, 2 * IDS + 60);
    assert_unique(pile);
}

static frazil *open_konayuki(void)
{
    return open_spec("behaviour=konayuki worker=fixed:7 max_skew=200ms state=konayuki+redis://127.0.0.1:", "");
}

TEST("The same over konayuki's keys")
{
    assert_apart(open_konayuki);
}

/* konayuki itself, as it takes an id: the key of this millisecond. */
static uint64_t konayuki_id(void)
{
    uint64_t tick = slots_now_tick();
    long place = strtol(slots_ask("EVAL \"if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('SET', KEYS[1], 0, "
                                  "'EX', 2) return 0 end return redis.call('INCR', KEYS[1])\" 1 konayuki:seq:7:%llu",
                                  (unsigned long long)tick),
                        NULL, 10);

    assert_in_range(place, 0, 4095);
    return tick << 22 | 7 << 12 | (uint64_t)place;
}

TEST("I1: in the same keys, and the same milliseconds, at once")
{
    enum { KONAYUKIS = 1000 };
    struct pile *pile = new_pile();
    frazil *gen = open_konayuki();
    int status;

    assert_true(take_ids(gen, pile, 1)); /* when nothing is known frazil waits, and konayuki does not */
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(take_ids(gen, pile, IDS) ? 0 : 1);
    for (int i = 0; i < KONAYUKIS; i++)
        put(pile, konayuki_id());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(pile->n, IDS + KONAYUKIS + 1);
    assert_unique(pile);
    frazil_close(gen);
}

TEST("I1: parts of the sequence by turns, and one that overlaps with both is refused")
{
    struct pile *pile = new_pile();
    frazil *gens[2] = {open_spec("worker=fixed:7 seq_max=2047 state=redis://127.0.0.1:", "/orders"),
                       open_spec("worker=fixed:7 seq_min=2048 state=redis://127.0.0.1:", "/orders")};
    frazil *across = open_spec("worker=fixed:7 seq_min=1024 seq_max=3071 state=redis://127.0.0.1:", "/orders");
    frazil_error err;
    uint64_t id;

    for (int i = 0; i < 20; i++) {
        assert_true(take_ids(gens[0], pile, 50));
        assert_true(take_ids(gens[1], pile, 50));
        frazil_err code = frazil_take(across, &id, 1, 0, &err);
        while (code == FRAZIL_ECLOCK || code == FRAZIL_EUNREACHABLE)
            code = frazil_take(across, &id, 1, 0, &err);
        assert_int_equal(code, FRAZIL_ENAMESPACE);
        assert_non_null(strstr(err.message, "0 to 2047, which overlap with 1024 to 3071 here"));
    }
    assert_unique(pile);
    frazil_close(across);
    frazil_close(gens[0]);
    frazil_close(gens[1]);
}

TEST("I4: FLUSHALL under generators at work costs time, and no id")
{
    struct pile *pile = new_pile();
    frazil *gens[2] = {open_own(), open_own()};

    for (int i = 0; i < 5; i++) {
        assert_true(take_ids(gens[0], pile, 200));
        assert_true(take_ids(gens[1], pile, 200));
        assert_string_equal(slots_ask("FLUSHALL"), "OK");
    }
    assert_unique(pile);
    frazil_close(gens[0]);
    frazil_close(gens[1]);
}

TEST("A server that is away for less than max_wait causes no error; one that is away for longer causes "
     "FRAZIL_EUNREACHABLE")
{
    frazil *gen = open_spec("worker=fixed:7 max_wait=300s state=redis://127.0.0.1:", "/orders?timeout=60s");
    struct pile *pile = new_pile();
    uint64_t id;
    int status;

    assert_true(take_ids(gen, pile, 100));
    server_kill(&slots_rig.server);
    frazil_error err;
    frazil_err code;
    do /* the rest of the last batch */
        code = frazil_take(gen, &id, 1, 1000000, &err);
    while (code == FRAZIL_OK);
    assert_int_equal(code, FRAZIL_EUNREACHABLE);
    assert_non_null(strstr(err.message, "no remote slot: redis://127.0.0.1:"));
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        code = frazil_next(gen, &id);
        put(pile, id);
        _exit(code == FRAZIL_OK ? 0 : 1);
    }
    redis_server_restart(&slots_rig.server, NULL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_true(take_ids(gen, pile, 100));
    assert_unique(pile);
    frazil_close(gen);
}

/* In a child that was forked in a bad moment. */
static int take_barred(frazil *gen)
{
    frazil_error why = {.message = ""};
    uint64_t id;

    (void)alarm(PATIENCE_S);
    if (frazil_take(gen, &id, 1, FRAZIL_WAIT_DEFAULT, &why) != FRAZIL_ESYS)
        return 1;
    return strstr(why.message, "this process was forked while another thread") != NULL ? 0 : 2;
}

TEST("A child that was forked while a thread was in a client library is told so as what no wait mends")
{
    frazil *gens[] = {open_own(), open_konayuki()};
    struct insider insider;
    int status = -1;

    insider_start(&insider);
    for (size_t i = 0; i < sizeof gens / sizeof gens[0]; i++) {
        pid_t child = bound_fork();
        assert_true(child >= 0);
        if (child == 0)
            _exit(take_barred(gens[i]));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    insider_end(&insider);
    for (size_t i = 0; i < sizeof gens / sizeof gens[0]; i++)
        frazil_close(gens[i]);
}

TEST("A whole generator beside sfid: it holds its key while it lives, and gives it back")
{
    frazil *gen = open_spec("layout=sfid base=5 count=1 worker=sfid+redis://127.0.0.1:", "/shop");
    frazil_fields fields;
    uint64_t id;

    assert_string_equal(slots_ask("EXISTS \"sfid:shop:\\x05\\x00\""), "1");
    assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
    assert_int_equal(frazil_id_decompose(layout_of(gen), id, &fields, NULL), FRAZIL_OK);
    assert_int_equal(fields.worker, 5);
    frazil_close(gen);
    while (strcmp(slots_ask("EXISTS \"sfid:shop:\\x05\\x00\""), "0") != 0)
        pause_shortly(); /* the last id is as old as max_skew */
}

TEST("The commands that the manual gives to a user are enough for all of it")
{
    static const struct {
        const char *front;
        const char *back;
    } specs[] = {{"worker=fixed:7 state=redis://frazil:pw@127.0.0.1:", "/orders?db=1&wait=0"},
                 {"worker=fixed:7 state=konayuki+redis://frazil:pw@127.0.0.1:", ""},
                 {"worker=sfid+redis://frazil:pw@127.0.0.1:", "/shop"}};
    uint64_t id;

    slots_ask("ACL SETUSER frazil on >pw ~frazil:* +eval +evalsha +time +info +wait +select +config|get "
              "+hget +hset +hgetall");
    slots_ask("ACL SETUSER frazil ~sfid:* +set +get +expire +pexpireat +pttl");
    slots_ask("ACL SETUSER frazil ~konayuki:* +set +get +incrby");
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        frazil *gen = open_spec(specs[i].front, specs[i].back);
        uint64_t next_ns;
        assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
        assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
        assert_int_equal(frazil_keep(gen, FRAZIL_WAIT_FOREVER, &next_ns, NULL), FRAZIL_OK);
        frazil_close(gen);
    }
    assert_string_equal(slots_ask("ACL DELUSER frazil"), "1");
}
