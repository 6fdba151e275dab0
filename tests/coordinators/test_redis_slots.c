/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: slots of one worker that several take from a Redis are
 * never taken twice: not in parallel, not after an answer was lost, and not after the
 * Redis has lost what was taken.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "lib/patience.h"
#include "lib/slots_rig.h"
#include "lib/test.h"

enum { CAPACITY = 16, TAKERS = 4, TAKES = 400 };

#define LINE "7:0-15" /* the rig's worker, and all places */

static struct slot_taker open_own(int64_t max_lead_ms, int64_t max_skew_ms)
{
    return slots_open("redis://127.0.0.1:%u/orders?timeout=60s", CAPACITY, max_lead_ms, max_skew_ms);
}

/* One that uses CAPACITY sequence numbers from there on. */
static struct slot_taker open_from(uint64_t seq_min)
{
    slots_next_seq_min = seq_min;
    struct slot_taker taker = open_own(60000, 30000);
    slots_next_seq_min = 0;
    return taker;
}

/* As if it had been in use for long: the worker's record is of this server's life, and nothing is taken. */
static void establish(void)
{
    slots_ask("HSET frazil:slots:orders " LINE " \"1 0 %s\"", slots_life());
}

HOOKS_OF(slots)

TEST("Slots come in a row, from the earliest tick that has one, and a tick has as many as the capacity says")
{
    struct slot_taker taker = open_own(60000, 30000);

    establish();
    uint64_t now = slots_now_tick();
    static const struct {
        uint64_t n;
        uint64_t tick; /* after the first */
        uint64_t place;
        uint64_t count;
    } rows[] = {{1, 0, 0, 1}, {10, 0, 1, 10}, {10, 0, 11, 5}, {16, 1, 0, 16}, {100, 2, 0, 16}, {3, 3, 0, 3}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        slots_must_take(&taker, now, rows[i].n);
        assert_int_equal(taker.run.tick, now + rows[i].tick);
        assert_int_equal(taker.run.place, rows[i].place);
        assert_int_equal(taker.run.count, rows[i].count);
    }
    slots_must_take(&taker, now + 10, 2); /* later there are those of later */
    assert_int_equal(taker.run.tick, now + 10);
    assert_int_equal(taker.run.place, 0);
    slots_must_take(&taker, now, 2); /* and never those of before */
    assert_int_equal(taker.run.tick, now + 10);
    assert_int_equal(taker.run.place, 2);
    slots_close(&taker);
}

TEST("No further ahead than max_lead: full, and when to come back")
{
    struct slot_taker taker = open_own(3, 30000);

    establish();
    uint64_t now = slots_now_tick();
    for (uint64_t tick = now; tick <= now + 3; tick++) {
        slots_must_take(&taker, now, 16);
        assert_int_equal(taker.run.tick, tick);
    }
    struct fz_slot_run before = taker.run;
    assert_int_equal(slots_take(&taker, now, 1), FRAZIL_EFULL);
    assert_non_null(strstr(taker.err.message, "is free for another 4 ms"));
    assert_int_equal(taker.err.retry_ns, 1000000);
    assert_memory_equal(&taker.run, &before, sizeof before);
    slots_must_take(&taker, now + 1, 1);
    assert_int_equal(taker.run.tick, now + 4);
    slots_close(&taker);
}

TEST("A random start lies anywhere in the tick; from there on it goes to the tick's end")
{
    struct slot_taker taker;
    unsigned starts = 0;

    slots_next_random_start = true;
    taker = open_own(60000, 30000);
    slots_next_random_start = false;
    establish();
    uint64_t now = slots_now_tick();
    for (uint64_t tick = now; tick < now + 200; tick++) {
        slots_must_take(&taker, tick, 100);
        assert_int_equal(taker.run.tick, tick);
        assert_int_equal(taker.run.place + taker.run.count, CAPACITY);
        starts |= 1u << taker.run.place;
    }
    assert_int_equal(starts, (1u << CAPACITY) - 1);
    slots_close(&taker);
}

/* Takes in a child, and tells what it took. */
static void take_many(int fd)
{
    struct slot_taker taker = open_own(0, 60000);
    int taken = 0;

    while (taken < TAKES) {
        if (slots_take(&taker, slots_now_tick(), 1 + (uint64_t)taken % 5) != FRAZIL_OK)
            continue;
        if (write(fd, &taker.run, sizeof taker.run) != (ssize_t)sizeof taker.run)
            _exit(1);
        taken++;
    }
    _exit(0);
}

static int by_slot(const void *a, const void *b)
{
    const struct fz_slot_run *left = a;
    const struct fz_slot_run *right = b;
    uint64_t left_slot = left->tick * CAPACITY + left->place;
    uint64_t right_slot = right->tick * CAPACITY + right->place;

    return left_slot < right_slot ? -1 : left_slot > right_slot;
}

TEST("Several processes at once: no slot twice")
{
    static struct fz_slot_run runs[TAKERS * TAKES];
    int pipe_fds[2];
    int status;

    establish();
    assert_int_equal(pipe(pipe_fds), 0);
    for (int i = 0; i < TAKERS; i++) {
        if (fork() == 0)
            take_many(pipe_fds[1]);
    }
    close(pipe_fds[1]);
    for (size_t i = 0; i < TAKERS * TAKES; i++)
        assert_int_equal(read(pipe_fds[0], &runs[i], sizeof runs[i]), sizeof runs[i]);
    for (int i = 0; i < TAKERS; i++) {
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    close(pipe_fds[0]);
    qsort(runs, TAKERS * TAKES, sizeof runs[0], by_slot);
    for (size_t i = 1; i < TAKERS * TAKES; i++) {
        uint64_t ends = runs[i - 1].tick * CAPACITY + runs[i - 1].place + runs[i - 1].count;
        assert_true(ends <= runs[i].tick * CAPACITY + runs[i].place);
        assert_true(runs[i].place + runs[i].count <= CAPACITY);
    }
}

TEST("A batch without an answer is burned")
{
    static const enum proxy_mode modes[] = {PROXY_LOSE_REPLIES, PROXY_CUT_REPLIES, PROXY_RESET};

    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        struct slot_taker taker = slots_open_through("redis://127.0.0.1:%u/orders?timeout=1s", CAPACITY, 60000, 30000);
        establish();
        uint64_t now = slots_now_tick();
        slots_must_take(&taker, now, 3);
        proxy_set(slots_rig.proxy, modes[i]);
        assert_int_equal(slots_take(&taker, now, 4), FRAZIL_EUNREACHABLE);
        while (strtol(slots_ask("EVAL \"return redis.call('HGET', KEYS[1], '" LINE "'):match('^%%d+ (%%d+)')\" 1 "
                                "frazil:slots:orders"),
                      NULL, 10) != 7)
            pause_shortly();
        proxy_set(slots_rig.proxy, PROXY_PASS);
        slots_must_take(&taker, now, 1);
        assert_int_equal(taker.run.place, 7);
        slots_close(&taker);
    }
}

/* Takes until there is one; *ret_slot is its number on the line. */
static uint64_t take_soon(struct slot_taker *taker)
{
    frazil_err err = slots_take(taker, slots_now_tick(), 1);

    while (err == FRAZIL_EFULL || err == FRAZIL_ECLOCK || err == FRAZIL_EUNREACHABLE) {
        pause_shortly();
        err = slots_take(taker, slots_now_tick(), 1);
    }
    assert_int_equal(err, FRAZIL_OK);
    return taker->run.tick * CAPACITY + taker->run.place;
}

/*
 * Takes whole ticks up to the limit of max_lead, where the line stands already, by a clock that is off by so many
 * ticks. Where answers take longer than a tick the limit runs away from the line, so there is an end.  Returns the
 * number of the last slot on the line; 0: there was none left.
 */
static uint64_t take_to_the_limit(struct slot_taker *taker, uint64_t off)
{
    enum { TAKES_MAX = 64 };
    uint64_t last = 0;

    for (int i = 0; i < TAKES_MAX && slots_take(taker, slots_now_tick() + off, CAPACITY) == FRAZIL_OK; i++)
        last = taker->run.tick * CAPACITY + taker->run.place + taker->run.count - 1;
    return last;
}

TEST("Where nothing is known, first of all and after a wipe, slots begin above whatever can have been taken before")
{
    struct slot_taker takers[2] = {open_own(300, 100), open_own(300, 100)};
    uint64_t highest = 0;

    for (int i = 0; i < 4; i++) {
        uint64_t before = slots_now_tick();
        uint64_t slot = take_soon(&takers[i % 2]);
        assert_true(slot > highest);
        assert_true(takers[i % 2].run.tick >
                    before + 1000 + 500 - 100); /* the server's clock may be behind by max_skew */
        uint64_t last = take_to_the_limit(&takers[0], 0);
        highest = last > slot ? last : slot;
        assert_string_equal(slots_ask("FLUSHALL"), "OK");
    }
    slots_close(&takers[0]);
    slots_close(&takers[1]);
}

TEST("A wipe loses the settings with the slots: whoever has others begins above those of the defaults, too")
{
    enum { LEAD = 1000, OFF = 240 };
    struct slot_taker ahead = open_own(LEAD, 250);
    struct slot_taker behind = open_own(0, 20);

    establish();
    (void)take_soon(&ahead);
    /* As if all had been taken up to there, which takes a thousand answers.  Its clock is as wrong as it may be. */
    uint64_t nearly = slots_now_tick() + OFF + LEAD - 2;
    slots_ask("HSET frazil:slots:orders " LINE " \"%llu 0 %s\"", (unsigned long long)nearly, slots_life());
    uint64_t highest = take_to_the_limit(&ahead, OFF) / CAPACITY;
    assert_true(highest >= nearly);
    assert_string_equal(slots_ask("FLUSHALL"), "OK");
    (void)take_soon(&behind);
    assert_true(behind.run.tick > highest);
    slots_close(&ahead);
    slots_close(&behind);
}

TEST("The same when the server was restarted, and has an older state: its life is another one")
{
    struct slot_taker taker = open_own(60000, 30000);

    establish();
    uint64_t now = slots_now_tick();
    slots_must_take(&taker, now, 1);
    slots_ask("HSET frazil:slots:orders " LINE " \"%llu 1 dead:beef\"", (unsigned long long)now);
    assert_int_equal(slots_take(&taker, now, 1), FRAZIL_EFULL);
    assert_in_range(taker.err.retry_ns, UINT64_C(59000000000), UINT64_C(90000000000));
    /* It is remembered where they begin again: the quarantine does not begin anew. */
    char first[128];
    snprintf(first, sizeof first, "%s", slots_ask("HGET frazil:slots:orders " LINE));
    assert_int_equal(slots_take(&taker, now + 50, 1), FRAZIL_EFULL);
    assert_string_equal(slots_ask("HGET frazil:slots:orders " LINE), first);
    assert_non_null(strstr(first, slots_life()));
    slots_close(&taker);
}

TEST("A clock that differs by more than max_skew, either way: refused, with both")
{
    struct slot_taker taker = open_own(1000, 30000);

    establish();
    for (int sign = -1; sign <= 1; sign += 2) {
        assert_int_equal(slots_take(&taker, slots_now_tick() + (uint64_t)(sign * 60000), 1), FRAZIL_ECLOCK);
        slots_assert_said(&taker, "the clocks differ too much: it is 20");
        slots_assert_said(&taker, "max_skew is 30 s");
    }
    slots_close(&taker);
}

TEST("A slow answer is not a clock that differs: it is worth another try")
{
    struct slot_taker taker = open_own(1000, 300);

    establish();
    slots_ask("CLIENT PAUSE 800");
    assert_int_equal(slots_take(&taker, slots_now_tick(), 1), FRAZIL_EUNREACHABLE);
    slots_assert_said(&taker, "ms, longer than the call may wait");
    slots_close(&taker);
}

TEST("Those who share slots agree about what they are: whoever does not is refused, with both")
{
    struct slot_taker taker = open_own(60000, 30000);
    struct slot_taker others[2] = {open_own(50000, 30000), open_own(60000, 20000)};

    establish();
    slots_must_take(&taker, slots_now_tick(), 1);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(slots_take(&others[i], slots_now_tick(), 1), FRAZIL_ENAMESPACE);
        slots_assert_said(&others[i], "max_lead=60000ms max_skew=30000ms'");
        slots_assert_said(&others[i], i == 0 ? "max_lead=50000ms" : "max_skew=20000ms");
        slots_close(&others[i]);
    }
    slots_close(&taker);
}

TEST("Equal bounds share one line, bounds apart have lines of their own, and bounds that overlap are refused with both")
{
    struct slot_taker equal[2] = {open_from(0), open_from(0)};
    struct slot_taker apart = open_from(CAPACITY);
    struct slot_taker overlapping[3] = {open_from(1), open_from(CAPACITY - 1), open_from(2 * CAPACITY - 1)};

    establish();
    slots_ask("HSET frazil:slots:orders 7 \"0-15 16-31 \" 7:16-31 \"1 0 %s\"", slots_life());
    uint64_t now = slots_now_tick();
    slots_must_take(&equal[0], now, 3);
    slots_must_take(&equal[1], now, 3);
    assert_int_equal(equal[1].run.place, 3);
    slots_must_take(&apart, now, 3);
    assert_int_equal(apart.run.tick, now);
    assert_int_equal(apart.run.place, 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(slots_take(&overlapping[i], now, 1), FRAZIL_ENAMESPACE);
        slots_assert_said(&overlapping[i], i < 2 ? "sequence numbers 0 to 15, which overlap with"
                                                 : "sequence numbers 16 to 31, which overlap with 31 to 46 here");
        slots_assert_said(&overlapping[i], "Give all the same seq_min and seq_max");
        slots_assert_said(&overlapping[i], "delete the key 'frazil:slots:orders'");
        slots_close(&overlapping[i]);
    }
    assert_string_equal(slots_ask("HGET frazil:slots:orders 7"), "0-15 16-31 ");
    slots_close(&apart);
    slots_close(&equal[0]);
    slots_close(&equal[1]);
}

/* Opens with bounds that overlap with those of all other children; *fd gets a byte if slots were taken, or may be. */
static void take_from(int fd, uint64_t seq_min)
{
    struct slot_taker taker = open_from(seq_min);
    frazil_err err = slots_take(&taker, slots_now_tick(), 1);

    while (err == FRAZIL_ECLOCK || err == FRAZIL_EUNREACHABLE)
        err = slots_take(&taker, slots_now_tick(), 1);
    /* Full: the line is there, and begins above what can have been taken before. */
    if (err == FRAZIL_EFULL && write(fd, "", 1) != 1)
        _exit(1);
    _exit(err == FRAZIL_EFULL || err == FRAZIL_ENAMESPACE ? 0 : 1);
}

TEST("Of several whose first takings with overlapping bounds meet, one gets slots")
{
    enum { ROUNDS = 10 };
    char byte;

    for (int round = 0; round < ROUNDS; round++) {
        int pipe_fds[2];
        int status;
        slots_ask("DEL frazil:slots:orders");
        assert_int_equal(pipe(pipe_fds), 0);
        for (uint64_t i = 0; i < TAKERS; i++) {
            if (fork() == 0)
                take_from(pipe_fds[1], i);
        }
        close(pipe_fds[1]);
        for (int i = 0; i < TAKERS; i++) {
            assert_true(wait(&status) > 0);
            assert_int_equal(status, 0);
        }
        assert_int_equal(read(pipe_fds[0], &byte, 1), 1);
        assert_int_equal(read(pipe_fds[0], &byte, 1), 0);
        close(pipe_fds[0]);
    }
}

TEST("A server that evicts, or whose key holds something else, is refused")
{
    struct slot_taker taker = open_own(60000, 30000);

    slots_ask("CONFIG SET maxmemory-policy allkeys-lru");
    assert_int_equal(slots_take(&taker, slots_now_tick(), 1), FRAZIL_EREFUSED);
    slots_assert_said(&taker, "maxmemory-policy 'allkeys-lru'");
    slots_ask("CONFIG SET maxmemory-policy noeviction");
    slots_ask("HSET frazil:slots:orders " LINE " foreign");
    assert_int_equal(slots_take(&taker, slots_now_tick(), 1), FRAZIL_ENAMESPACE);
    slots_assert_said(&taker, "'frazil:slots:orders' were not written by frazil");
    slots_ask("DEL frazil:slots:orders");
    slots_ask("SET frazil:slots:orders x");
    assert_int_equal(slots_take(&taker, slots_now_tick(), 1), FRAZIL_EREFUSED);
    slots_assert_said(&taker, "WRONGTYPE");
    slots_close(&taker);
}

TEST("A server that has no memory left, or cannot save, may have it again: that is worth another try")
{
    struct slot_taker taker = open_own(60000, 30000);

    establish();
    slots_ask("CONFIG SET maxmemory 1");
    assert_int_equal(slots_take(&taker, slots_now_tick(), 1), FRAZIL_EUNREACHABLE);
    slots_assert_said(&taker, "OOM");
    slots_ask("CONFIG SET maxmemory 0");
    slots_must_take(&taker, slots_now_tick(), 1);
    slots_close(&taker);
}

TEST("Bounds on max_lead and max_skew are needed, and sfid has no slots")
{
    slots_assert_refused("redis://x/orders", INT64_MAX, 100, FRAZIL_ERANGE, "need bounds on max_lead");
    slots_assert_refused("redis://x/orders", 0, INT64_MAX, FRAZIL_ERANGE, "need bounds on max_lead and max_skew");
    slots_assert_refused("sfid+redis://x/orders", 0, 100, FRAZIL_ESPEC, "sfid's keys hold worker ids");
    slots_assert_refused("redis://x/", 0, 100, FRAZIL_ESPEC, "namespace");
    slots_assert_refused("rediss://x/orders", 0, 100, FRAZIL_ENOTBUILT, "TLS");
}

TEST("An answer that is not the script's is no slot")
{
    static const char *const texts[] = {
        "HTTP/1.1 400 Bad Request\r\n\r\n",
        "+OK\r\n+OK\r\n",
        "*1\r\n$5\r\ntaken\r\n+x\r\n",
        "*4\r\n$5\r\ntaken\r\n$1\r\n1\r\n$1\r\n0\r\n$1\r\n1\r\n+x\r\n",
        "*4\r\n$5\r\ntaken\r\n$1\r\n1\r\n$1\r\n0\r\n:1\r\n+x\r\n",
        "*4\r\n$5\r\ntaken\r\n$1\r\nx\r\n$1\r\n0\r\n$1\r\n1\r\n+x\r\n",
        "*2\r\n$4\r\nfull\r\n$1\r\n1\r\n+x\r\n",
        "*2\r\n$4\r\nwhat\r\n$1\r\n1\r\n+x\r\n",
        "*2\r\n$5\r\nclock\r\n$1\r\nx\r\n+x\r\n",
    };
    struct slot_taker taker = slots_open_through("redis://127.0.0.1:%u/orders?timeout=1s", CAPACITY, 0, 1000);

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct fz_slot_run before = taker.run;
        proxy_say(slots_rig.proxy, texts[i]);
        frazil_err err = slots_take(&taker, slots_now_tick(), 1);
        if (err != FRAZIL_EUNREACHABLE && err != FRAZIL_EREFUSED && err != FRAZIL_ENAMESPACE)
            fail_msg("%s: taken for an answer: %s", frazil_err_name(err), texts[i]);
        assert_memory_equal(&taker.run, &before, sizeof before);
    }
    slots_close(&taker);
}

/* The script's answer to a taking. */
static const char *taken(uint64_t tick, unsigned place, unsigned count)
{
    static char text[160];
    char numbers[3][24];
    int len = snprintf(text, sizeof text, "*4\r\n$5\r\ntaken\r\n");

    snprintf(numbers[0], sizeof numbers[0], "%llu", (unsigned long long)tick);
    snprintf(numbers[1], sizeof numbers[1], "%u", place);
    snprintf(numbers[2], sizeof numbers[2], "%u", count);
    for (size_t i = 0; i < 3; i++)
        len += snprintf(text + len, sizeof text - (size_t)len, "$%zu\r\n%s\r\n", strlen(numbers[i]), numbers[i]);
    return text;
}

TEST("Slots of another tick, beyond the capacity, or more of them than were wanted, are none")
{
    struct slot_taker taker = slots_open_through("redis://127.0.0.1:%u/orders?timeout=60s", CAPACITY, 0, 1000);
    uint64_t now = slots_now_tick();
    const struct {
        uint64_t tick;
        unsigned place;
        unsigned count;
        frazil_err err; /* of a wish for two */
    } rows[] = {{now, 0, 1, FRAZIL_OK},
                {now, CAPACITY - 2, 2, FRAZIL_OK},
                {now, 0, 3, FRAZIL_ENAMESPACE},
                {now, 0, 0, FRAZIL_ENAMESPACE},
                {now, CAPACITY, 1, FRAZIL_ENAMESPACE},
                {now, CAPACITY - 1, 2, FRAZIL_ENAMESPACE},
                {now - 1, 0, 1, FRAZIL_ENAMESPACE},
                {now + 1, 0, 1, FRAZIL_ENAMESPACE}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        proxy_say(slots_rig.proxy, taken(rows[i].tick, rows[i].place, rows[i].count));
        assert_int_equal(slots_take(&taker, now, 2), rows[i].err);
    }
    slots_close(&taker);
}

TEST("A child takes over a connection of its own")
{
    struct slot_taker taker = open_own(60000, 30000);
    int status;

    establish();
    uint64_t now = slots_now_tick();
    slots_must_take(&taker, now, 1);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        taker.source.after_fork(taker.source.ctx);
        _exit(slots_take(&taker, now, 1) == FRAZIL_OK && taker.run.place == 1 ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    slots_must_take(&taker, now, 1);
    assert_int_equal(taker.run.place, 2);
    slots_close(&taker);
}
