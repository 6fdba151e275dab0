/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: generators of frazil's and konayuki's share one Redis: the keys are
 * konayuki's, to the byte, the value and the second, and no place is taken twice, also
 * not when the Redis was wiped.  konayuki is played by the test, with its own script.
 */

#include "lib/findings.h"
#include "lib/patience.h"
#include "lib/slots_rig.h"
#include "lib/test.h"
#include "os/clock.h"

enum { CAPACITY = 4096, SKEW_MS = 900 };

#define URL "konayuki+redis://127.0.0.1:%u?timeout=60s"

static struct slot_taker open_plain(void)
{
    return slots_open(URL, CAPACITY, 0, SKEW_MS);
}

/* As if it had been in use for long. */
static void establish(void)
{
    slots_ask("SET konayuki:seq:_frazil:7 \"0 %s\"", slots_life());
}

/* The next place as konayuki takes it: the first one, or one more than the last one. */
static long konayuki_takes(uint64_t tick, long initial)
{
    return strtol(slots_ask("EVAL \"if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('SET', KEYS[1], ARGV[1], "
                            "'EX', 2) return tonumber(ARGV[1]) end return redis.call('INCR', KEYS[1])\" 1 "
                            "konayuki:seq:7:%llu %ld",
                            (unsigned long long)tick, initial),
                  NULL, 10);
}

static const char *value_of(uint64_t tick)
{
    return slots_ask("GET konayuki:seq:7:%llu", (unsigned long long)tick);
}

/* ---- scenarios, which want the server's clock near ------------------------------------------ */

/* The first thing that went wrong in a scenario; line 0: nothing did. */
static struct {
    int line;
    char what[400];
} wrong;

static void note(bool good, int line, const char *what)
{
    if (good || wrong.line != 0)
        return;
    wrong.line = line;
    snprintf(wrong.what, sizeof wrong.what, "%.399s", what);
}

#define expect(condition) note(condition, __LINE__, #condition)

/* Takes up to n, which is to succeed. */
#define expect_take(taker, now_tick, n)                                                                                \
    note(slots_take(taker, now_tick, n) == FRAZIL_OK, __LINE__, (taker)->err.message)

static uint64_t now_ms(void)
{
    return fz_real_monotonic_ns() / 1000000;
}

/*
 * Carries a scenario out, and again if it went wrong and took so long that keys may have expired, or the tick that it
 * began with is too old: the machine was busy then, and nothing is shown.
 */
static void in_time(void (*scenario)(void))
{
    uint64_t begun_ms;

    do {
        redis_rig_begin_test(&slots_rig);
        wrong.line = 0;
        begun_ms = now_ms();
        scenario();
    } while (wrong.line != 0 && now_ms() - begun_ms >= SKEW_MS / 2);
    if (wrong.line != 0)
        fail_msg("line %d: %s", wrong.line, wrong.what);
}

HOOKS_OF(slots)

static void count_milliseconds(void)
{
    struct slot_taker taker = open_plain();

    establish();
    uint64_t now = slots_now_tick();
    expect_take(&taker, now, 1);
    expect(taker.run.tick == now);
    expect(taker.run.place == 0);
    expect(taker.run.count == 1);
    expect(strcmp(value_of(now), "0") == 0);
    long left_ms = strtol(slots_ask("PTTL konayuki:seq:7:%llu", (unsigned long long)now), NULL, 10);
    expect(left_ms >= 1 && left_ms <= 2000);
    expect_take(&taker, now, 1);
    expect(taker.run.place == 1);
    expect(strcmp(value_of(now), "1") == 0);
    slots_close(&taker);
}

TEST("The key counts milliseconds from the epoch, holds the last place taken, and expires after 2 s")
{
    in_time(count_milliseconds);
}

static void take_turns(void)
{
    struct slot_taker taker = open_plain();

    establish();
    uint64_t now = slots_now_tick();
    expect(konayuki_takes(now, 0) == 0);
    expect_take(&taker, now, 1);
    expect(taker.run.place == 1);
    expect(konayuki_takes(now, 0) == 2);
    expect_take(&taker, now, 64);
    expect(taker.run.place == 3);
    expect(taker.run.count == 64);
    expect(konayuki_takes(now, 0) == 67);
    expect_take(&taker, now + 1, 10);
    expect(taker.run.place == 0);
    expect(konayuki_takes(now + 1, 0) == 10);
    slots_close(&taker);
}

TEST("In turns, whoever comes first, one at a time and in batches: each place once")
{
    in_time(take_turns);
}

static void start_at_random(void)
{
    struct slot_taker taker;

    slots_next_random_start = true;
    taker = open_plain();
    slots_next_random_start = false;
    establish();
    uint64_t now = slots_now_tick();
    expect_take(&taker, now, 1);
    uint64_t first = taker.run.place;
    expect_take(&taker, now + 1, 1);
    expect(first != taker.run.place); /* with this seed */
    expect_take(&taker, now, 1);
    expect(taker.run.place == first + 1);
    expect(konayuki_takes(now + 2, 4090) == 4090);
    expect_take(&taker, now + 2, 64);
    expect(taker.run.place == 4091);
    expect(taker.run.count == 5);
    slots_close(&taker);
}

TEST("A random first place, by whomever: from there on to the end of the tick")
{
    in_time(start_at_random);
}

static void fill_a_tick(void)
{
    struct slot_taker taker = open_plain();
    struct slot_taker leading = slots_open(URL, CAPACITY, 2, SKEW_MS);

    establish();
    uint64_t now = slots_now_tick();
    expect(konayuki_takes(now, 4095) == 4095);
    expect(slots_take(&taker, now, 1) == FRAZIL_EFULL);
    expect(taker.err.retry_ns == 1000000);
    expect(konayuki_takes(now, 0) == 4096);
    expect(konayuki_takes(now, 0) == 4097);
    expect(slots_take(&taker, now, 1) == FRAZIL_EFULL);
    expect_take(&leading, now, 1);
    expect(leading.run.tick == now + 1);
    expect(leading.run.place == 0);
    slots_close(&taker);
    slots_close(&leading);
}

TEST("A full tick, which konayuki counts beyond its end: nothing before the next one")
{
    in_time(fill_a_tick);
}

static void use_prefixes(void)
{
    static const char *const same[] = {"konayuki+redis://127.0.0.1:%u", "konayuki+redis://127.0.0.1:%u/",
                                       "konayuki+redis://127.0.0.1:%u/?db=0",
                                       "konayuki+redis://127.0.0.1:%u/konayuki:seq"};
    struct slot_taker taker = slots_open("konayuki+redis://127.0.0.1:%u/app:ids", CAPACITY, 0, SKEW_MS);

    slots_ask("SET app:ids:_frazil:7 \"0 %s\"", slots_life());
    uint64_t now = slots_now_tick();
    expect_take(&taker, now, 1);
    expect(strcmp(slots_ask("EXISTS app:ids:7:%llu", (unsigned long long)now), "1") == 0);
    slots_close(&taker);
    establish();
    now = slots_now_tick();
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        taker = slots_open(same[i], CAPACITY, 0, SKEW_MS);
        expect_take(&taker, now, 1);
        expect(taker.run.place == i);
        slots_close(&taker);
    }
}

TEST("Another prefix, in the path; and the one that is meant without a path, or with an empty one")
{
    in_time(use_prefixes);
}

TEST("After a wipe, and when nothing is known yet, nothing before every clock has passed what can have been taken; all "
     "learn of it")
{
    struct slot_taker takers[2] = {slots_open(URL, CAPACITY, 0, 100), slots_open(URL, CAPACITY, 0, 100)};

    for (int i = 0; i < 3; i++) {
        uint64_t wiped = slots_now_tick();
        frazil_err err = slots_take(&takers[0], wiped, 1);
        while (err == FRAZIL_ECLOCK || err == FRAZIL_EUNREACHABLE) /* this machine was busy */
            err = slots_take(&takers[0], slots_now_tick(), 1);
        assert_int_equal(err, FRAZIL_EFULL);
        assert_in_range(takers[0].err.retry_ns, 1000000, UINT64_C(250000000));
        do {
            pause_shortly();
            err = slots_take(&takers[1], slots_now_tick(), 1);
        } while (err == FRAZIL_EFULL || err == FRAZIL_ECLOCK || err == FRAZIL_EUNREACHABLE);
        assert_int_equal(err, FRAZIL_OK);
        assert_true(takers[1].run.tick > wiped + 100);
        assert_string_equal(slots_ask("FLUSHALL"), "OK");
    }
    slots_close(&takers[0]);
    slots_close(&takers[1]);
}

static void meet_another_life(void)
{
    struct slot_taker taker = open_plain();

    slots_ask("SET konayuki:seq:_frazil:7 \"0 dead:beef\"");
    uint64_t now = slots_now_tick();
    expect(slots_take(&taker, now, 1) == FRAZIL_EFULL);
    expect(strstr(slots_ask("GET konayuki:seq:_frazil:7"), slots_life()) != NULL);
    slots_close(&taker);
}

TEST("A server with another life may have an older state: the same as a wipe")
{
    in_time(meet_another_life);
}

static void refuse_what_expires(void)
{
    struct slot_taker taker = open_plain();

    establish();
    slots_ask("CONFIG SET maxmemory-policy volatile-ttl");
    slots_ask("CONFIG SET maxmemory 100000000");
    expect(slots_take(&taker, slots_now_tick(), 1) == FRAZIL_EREFUSED);
    expect(strstr(taker.err.message, "maxmemory-policy 'volatile-ttl'") != NULL);
    slots_ask("CONFIG SET maxmemory 0");
    slots_ask("CONFIG SET maxmemory-policy noeviction");
    uint64_t now = slots_now_tick();
    slots_ask("SET konayuki:seq:7:%llu foreign", (unsigned long long)now);
    expect(slots_take(&taker, now, 1) == FRAZIL_ENAMESPACE);
    slots_ask("SET konayuki:seq:_frazil:7 foreign");
    expect(slots_take(&taker, now, 1) == FRAZIL_ENAMESPACE);
    slots_close(&taker);
}

TEST("Policies that throw away what expires are refused; so is what konayuki did not write")
{
    in_time(refuse_what_expires);
}

TEST("Keys that expire after 2 s bound how far clocks and ids may be off; and these keys hold no worker ids")
{
    const frazil_coordinator *redis = frazil_coordinator_redis();
    struct fz_register reg;
    char name[FZ_LEASE_NAME_SIZE];
    frazil_error err;

    slots_assert_refused("konayuki+redis://x", 0, 1000, FRAZIL_ERANGE, "konayuki's keys expire after 2 s");
    slots_assert_refused("konayuki+redis://x", 1500, 250, FRAZIL_ERANGE, "max_lead 1 s 500 ms and max_skew 250 ms");
    slots_assert_refused("konayuki+http://x", 0, 0, FRAZIL_ESPEC, "");
    slots_assert_refused("konayuki+redis://:s3cret@x/a b", 0, 0, FRAZIL_ESPEC, "");
    assert_int_equal(redis->open_register("konayuki+redis://x", &reg, name, &err), FRAZIL_ESPEC);
    assert_non_null(strstr(err.message, "no worker ids"));
}

static struct findings diagnose_as(const char *user)
{
    const frazil_coordinator *redis = frazil_coordinator_redis();
    const frazil_clock clock = fz_real_clock();
    struct findings findings = {.len = 0};
    char url[96];

    snprintf(url, sizeof url, "konayuki+redis://%s127.0.0.1:%u?timeout=60s", user, (unsigned)slots_rig.server.port);
    assert_int_equal(redis->diagnose_slots(redis, url, &clock, findings_note, &findings, NULL), FRAZIL_OK);
    return findings;
}

TEST("A user who may read and not set konayuki's keys: that is said, and nothing is written to find out")
{
    slots_ask("ACL SETUSER reader on >pw ~konayuki:* +eval +evalsha +time +info +config|get +get");
    assert_found(diagnose_as("reader:pw@"),
                 "FAIL writes: refused, so that nothing can be granted: SET of 'konayuki:seq:_frazil:0': ");
    slots_ask("ACL SETUSER reader +set");
    assert_found(diagnose_as("reader:pw@"), "granted: INCRBY of 'konayuki:seq:_frazil:0': ");
    slots_ask("ACL SETUSER reader +incrby");
    assert_found(diagnose_as("reader:pw@"), "OK writes: allowed\n");
    assert_string_equal(slots_ask("EXISTS konayuki:seq:_frazil:0"), "0");
}

TEST("The findings are those of a server whose keys expire")
{
    slots_ask("CONFIG SET maxmemory-policy volatile-ttl");
    slots_ask("CONFIG SET maxmemory 100000000");
    struct findings findings = diagnose_as("");
    assert_found(findings, "OK its clock minus ours: ");
    assert_found(findings, "FAIL eviction: maxmemory-policy 'volatile-ttl' evicts keys in use");
    assert_found(findings, "OK role: master\n");
    slots_ask("CONFIG SET maxmemory 0");
    slots_ask("CONFIG SET maxmemory-policy noeviction");
}
