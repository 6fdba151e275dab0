/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a generator tells how it is at any time, also while a thread waits for its coordinator, and
 * structs that grow are filled as far as both sides know them.
 */
#include <pthread.h>
#include <semaphore.h>

#include "generator/generator_internal.h"
#include "lib/rig.h"
#include "lib/test.h"

enum { GRANT_MS = 3000 };

/* A granter that refuses on demand, and that can be kept waiting. */
static struct {
    frazil_err failure;
    bool waits;
    sem_t entered;
    sem_t may_go;
    uint64_t token;
} source;

static frazil_err give(int64_t now_unix_ms, frazil_grant *ret)
{
    *ret = (frazil_grant){
        .worker = 3, .from_unix_ms = RIG_NOW, .end_unix_ms = now_unix_ms + GRANT_MS, .token = ++source.token};
    return FRAZIL_OK;
}

static frazil_err acquire(void *ctx, int64_t now_unix_ms, frazil_grant *ret, frazil_error *reterr)
{
    (void)ctx;
    (void)reterr;
    return give(now_unix_ms, ret);
}

static frazil_err extend(void *ctx, int64_t now_unix_ms, const frazil_grant *held, frazil_grant *ret,
                         frazil_error *reterr)
{
    (void)ctx;
    if (source.waits) {
        assert_int_equal(sem_post(&source.entered), 0);
        while (sem_wait(&source.may_go) != 0)
            continue;
    }
    if (source.failure == FRAZIL_OK) {
        *ret = *held;
        ret->end_unix_ms = now_unix_ms + GRANT_MS;
        return FRAZIL_OK;
    }
    snprintf(reterr->message, sizeof reterr->message, "the source was told to fail");
    return source.failure;
}

static const frazil_granter granter = {.size = sizeof granter, .acquire = acquire, .extend = extend};
static struct rig rig;

static void open_granted(void)
{
    rig = (struct rig){.random_state = 1, .granter = &granter};
    source.failure = FRAZIL_OK;
    source.waits = false;
    rig_open(&rig, "layout=41/10/4 start=zero keeper=hook max_wait=0", RIG_NOW);
}

static frazil_health health(void)
{
    frazil_health ret;

    frazil_get_health(rig.gen, &ret, sizeof ret, NULL);
    return ret;
}

TEST("A generator whose worker id is its own for ever serves, and needs nothing")
{
    rig = (struct rig){.random_state = 1};
    rig_open(&rig, "layout=41/10/4 worker=fixed:9", RIG_NOW);
    const frazil_health is = health();
    assert_int_equal(is.state, FRAZIL_HEALTH_SERVING);
    assert_int_equal(is.worker, 9);
    assert_int_equal(is.needs_grant, 0);
    assert_int_equal(is.grant_end_unix_ms, INT64_MAX);
    assert_int_equal(is.horizon_ns, 0);
    assert_true(is.next_keep_ns == FRAZIL_WAIT_FOREVER);
    assert_int_equal(is.last_code, FRAZIL_OK);
    rig_close(&rig);
}

TEST("A generator whose clock was set back waits for it, and serves when its policy lets it or the clock is there")
{
    uint64_t id;

    rig = (struct rig){.random_state = 1};
    rig_open(&rig, "layout=41/10/4 worker=fixed:9 max_lead=1s on_backward=wait max_wait=0", RIG_NOW);
    assert_int_equal(frazil_next(rig.gen, &id), FRAZIL_OK);
    frazil_manual_clock_set(rig.manual, RIG_NOW - 2);
    assert_int_equal(health().state, FRAZIL_HEALTH_BEHIND);
    assert_int_equal(frazil_next(rig.gen, &id), FRAZIL_ECLOCK);
    frazil_error why;
    assert_int_equal(frazil_take(rig.gen, &id, 1, 0, &why), FRAZIL_EAGAIN);
    assert_int_equal(why.behind_us, 2000);
    frazil_manual_clock_set(rig.manual, RIG_NOW);
    assert_int_equal(health().state, FRAZIL_HEALTH_SERVING);
    rig_close(&rig);

    rig = (struct rig){.random_state = 1};
    rig_open(&rig, "layout=41/10/4 worker=fixed:9 max_lead=1s on_backward=hold max_wait=0", RIG_NOW);
    assert_int_equal(frazil_next(rig.gen, &id), FRAZIL_OK);
    frazil_manual_clock_set(rig.manual, RIG_NOW - 1000);
    assert_int_equal(health().state, FRAZIL_HEALTH_SERVING);
    assert_int_equal(frazil_next(rig.gen, &id), FRAZIL_OK);
    frazil_manual_clock_set(rig.manual, RIG_NOW - 1001);
    assert_int_equal(health().state, FRAZIL_HEALTH_BEHIND);
    rig_close(&rig);
}

TEST("A generator that has issued the last id of the last tick is exhausted at once, also if the clock goes back")
{
    int64_t last_ms = RIG_NOW;
    uint64_t ids[16];

    rig = (struct rig){.random_state = 1};
    rig_open(&rig, "layout=41/10/4 worker=fixed:9 max_wait=0 allow_short_life=yes", RIG_NOW);
    frazil_info info;
    frazil_layout_info life;
    frazil_get_info(rig.gen, &info, sizeof info);
    frazil_layout_get_info(info.layout, &life, sizeof life);
    last_ms = life.last_unix_ms;
    frazil_manual_clock_set(rig.manual, last_ms);
    assert_int_equal(frazil_take(rig.gen, ids, 15, 0, NULL), FRAZIL_OK);
    assert_int_equal(health().state, FRAZIL_HEALTH_SERVING);
    assert_int_equal(frazil_take(rig.gen, ids, 1, 0, NULL), FRAZIL_OK);
    assert_int_equal(frazil_take(rig.gen, ids, 1, 0, NULL), FRAZIL_EEXHAUSTED);
    assert_int_equal(health().state, FRAZIL_HEALTH_EXHAUSTED);
    frazil_manual_clock_set(rig.manual, last_ms - 1000);
    assert_int_equal(health().state, FRAZIL_HEALTH_EXHAUSTED);
    rig_close(&rig);
}

TEST("A grant is told with its end and the time to extend it; it runs low, ends, and comes back")
{
    frazil_error why;
    uint64_t next_ns;
    uint64_t id;

    open_granted();
    frazil_health is = health();
    assert_int_equal(is.state, FRAZIL_HEALTH_SERVING);
    assert_int_equal(is.worker, 3);
    assert_int_equal(is.needs_grant, 1);
    assert_int_equal(is.grant_end_unix_ms, RIG_NOW + GRANT_MS);
    assert_in_range(is.horizon_ns, (GRANT_MS - 1) * RIG_MS, GRANT_MS * RIG_MS);
    uint64_t due_ns = is.next_keep_ns;
    assert_in_range(due_ns, RIG_MS, GRANT_MS / 2 * RIG_MS);

    frazil_manual_clock_advance(rig.manual, due_ns - RIG_MS);
    assert_int_equal(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &next_ns, NULL), FRAZIL_OK);
    assert_int_equal(source.token, 1);
    frazil_manual_clock_advance(rig.manual, RIG_MS);
    assert_int_equal(health().next_keep_ns, 0);
    source.failure = FRAZIL_EAGAIN;
    assert_int_equal(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &next_ns, NULL), FRAZIL_EAGAIN);
    is = health();
    assert_int_equal(is.state, FRAZIL_HEALTH_SERVING);
    assert_int_equal(is.failures, 1);
    assert_int_equal(is.last_code, FRAZIL_EAGAIN);
    assert_true(is.next_keep_ns > 0);
    frazil_get_health(rig.gen, &is, sizeof is, &why);
    assert_int_equal(why.code, FRAZIL_EAGAIN);
    assert_non_null(strstr(why.message, "the source was told to fail"));
    assert_int_equal(why.retry_ns, is.next_keep_ns);

    rig_step(&rig, GRANT_MS - GRANT_MS / 8 - (rig_now_ms(&rig) - RIG_NOW));
    assert_int_equal(health().state, FRAZIL_HEALTH_NEEDS_GRANT);
    assert_int_equal(frazil_next(rig.gen, &id), FRAZIL_OK);
    rig_step(&rig, GRANT_MS);
    assert_int_equal(health().state, FRAZIL_HEALTH_FENCED);
    assert_int_equal(frazil_next(rig.gen, &id), FRAZIL_ELEASE);

    source.failure = FRAZIL_OK;
    frazil_manual_clock_advance(rig.manual, 10 * RIG_S);
    assert_int_equal(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &next_ns, NULL), FRAZIL_OK);
    is = health();
    assert_int_equal(is.state, FRAZIL_HEALTH_SERVING);
    assert_int_equal(is.failures, 0);
    assert_int_equal(is.last_code, FRAZIL_OK);
    why.code = FRAZIL_ESYS;
    frazil_get_health(rig.gen, &is, sizeof is, &why);
    assert_int_equal(why.code, FRAZIL_ESYS); /* untouched */
    frazil_stop(rig.gen);
    assert_true(health().next_keep_ns == FRAZIL_WAIT_FOREVER);
    rig_close(&rig);
}

TEST("A clock before the epoch or the grant, one behind the layout's end, and a stop are told")
{
    open_granted();
    rig_step(&rig, -1000);
    assert_int_equal(health().state, FRAZIL_HEALTH_BEHIND);
    rig_close(&rig);
    rig = (struct rig){.random_state = 1};
    rig_open(&rig, "layout=41/10/4 worker=fixed:9", RIG_NOW);
    frazil_manual_clock_set(rig.manual, -1000);
    assert_int_equal(health().state, FRAZIL_HEALTH_BEHIND);
    frazil_manual_clock_set(rig.manual, layout_of(rig.gen)->epoch_unix_ms + (INT64_C(1) << 41));
    assert_int_equal(health().state, FRAZIL_HEALTH_EXHAUSTED);
    frazil_stop(rig.gen);
    assert_int_equal(health().state, FRAZIL_HEALTH_STOPPED);
    rig_close(&rig);
}

static void *keep(void *ctx)
{
    uint64_t next_ns;

    *(frazil_err *)ctx = frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &next_ns, NULL);
    return NULL;
}

TEST("It answers while a thread waits inside frazil_keep: the thread is let go only after the answer")
{
    frazil_err kept = FRAZIL_ESYS;
    pthread_t thread;

    open_granted();
    assert_int_equal(sem_init(&source.entered, 0, 0), 0);
    assert_int_equal(sem_init(&source.may_go, 0, 0), 0);
    frazil_manual_clock_advance(rig.manual, health().next_keep_ns);
    source.waits = true;
    assert_int_equal(pthread_create(&thread, NULL, keep, &kept), 0);
    while (sem_wait(&source.entered) != 0)
        continue;
    const frazil_health is = health();
    assert_int_equal(is.state, FRAZIL_HEALTH_SERVING);
    assert_int_equal(is.grant_end_unix_ms, RIG_NOW + GRANT_MS);
    assert_int_equal(is.last_code, FRAZIL_OK);
    assert_int_equal(sem_post(&source.may_go), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(kept, FRAZIL_OK);
    assert_true(health().grant_end_unix_ms > RIG_NOW + GRANT_MS);
    source.waits = false;
    rig_close(&rig);
    sem_destroy(&source.entered);
    sem_destroy(&source.may_go);
}

/* ---- growth ------------------------------------------------------------------------ */

enum { TAIL = 24 };

/* The same call with a struct of a later version, and with one that holds only `less` bytes. */
static void check_growth(void (*get)(void *ret, size_t size), size_t length, size_t less)
{
    unsigned char now[512];
    unsigned char later[512];
    unsigned char earlier[512];

    assert_in_range(length + TAIL, 1, sizeof now);
    memset(later, 0xee, sizeof later);
    memset(earlier, 0xee, sizeof earlier);
    get(now, length);
    get(later, length + TAIL);
    get(earlier, less);
    assert_memory_equal(later, now, length);
    for (size_t i = 0; i < TAIL; i++)
        assert_int_equal(later[length + i], 0);
    assert_int_equal(later[length + TAIL], 0xee);
    assert_memory_equal(earlier, now, less);
    assert_int_equal(earlier[less], 0xee);
}

static void get_info(void *ret, size_t size)
{
    frazil_get_info(rig.gen, ret, size);
}

static void get_health(void *ret, size_t size)
{
    frazil_get_health(rig.gen, ret, size, NULL);
}

TEST("A generator's info has its layout, what an id of it takes, and both parts of its worker id")
{
    rig = (struct rig){.random_state = 1};
    rig_open(&rig, "layout=41/5+5/4 worker=fixed:7 datacenter=2 start=zero", RIG_NOW);
    frazil_info info;
    frazil_get_info(rig.gen, &info, sizeof info);
    assert_int_equal(info.layout->datacenter_bits, 5);
    assert_int_equal(info.id_size, 8);
    assert_int_equal(info.worker, 2 * 32 + 7);
    assert_int_equal(info.datacenter, 2);
    assert_int_equal(info.worker_in_datacenter, 7);
    assert_int_equal(info.available, info.capacity);
    assert_int_equal(info.reserved, 0);
    rig_next(&rig);
    frazil_get_info(rig.gen, &info, sizeof info);
    assert_int_equal(info.available, info.capacity - 1);
    rig_close(&rig);
}

TEST("A program of a later version gets zeros at the end, one of an earlier version only what it has room for")
{
    rig = (struct rig){.random_state = 1};
    rig_open(&rig, "layout=41/10/4 worker=fixed:9", RIG_NOW);
    rig_next(&rig);
    check_growth(get_info, sizeof(frazil_info), 16);
    check_growth(get_health, sizeof(frazil_health), 12);
    rig_close(&rig);
}

TEST("The statistics are rows in the order of their numbers, as many as there is room for")
{
#define STAT_NAME(capitals, number, name, what) [number] = name,
    static const char *const names[] = {FRAZIL_STATS(STAT_NAME)};
#undef STAT_NAME
    enum { COUNT = sizeof names / sizeof names[0] };
    frazil_stat rows[COUNT + 1] = {[2] = {.value = 77}, [COUNT] = {.value = 77}};

    rig = (struct rig){.random_state = 1};
    rig_open(&rig, "layout=41/10/4 worker=fixed:9", RIG_NOW);
    rig_next(&rig);
    rig_step(&rig, -7);
    assert_int_equal(frazil_get_stats(rig.gen, NULL, 0), COUNT);
    assert_int_equal(frazil_get_stats(rig.gen, rows, 2), COUNT);
    assert_int_equal(rows[2].value, 77);
    assert_int_equal(frazil_get_stats(rig.gen, rows, COUNT + 1), COUNT);
    assert_int_equal(rows[COUNT].value, 77);
    assert_true(COUNT <= FRAZIL_STATS_MOST);
    for (size_t i = 0; i < COUNT; i++)
        assert_string_equal(rows[i].name, names[i]);
    assert_int_equal(rows[FRAZIL_STAT_ISSUED].value, 1);
    assert_int_equal(rows[FRAZIL_STAT_BACKWARD_MAX_US].value, 7000);
    rig_close(&rig);
}

static unsigned looks_at_clock;
static frazil_clock inner;

static void counting_now(void *ctx, frazil_instant *ret)
{
    looks_at_clock++;
    inner.now(ctx, ret);
}

TEST("All statistics are of one instant")
{
    frazil_stat rows[FRAZIL_STATS_MOST];
    frazil_manual_clock *manual = NULL;
    frazil *gen = NULL;

    assert_int_equal(frazil_manual_clock_open(&manual, RIG_NOW, 0, NULL), FRAZIL_OK);
    inner = port_of(manual);
    frazil_clock clock = inner;
    clock.now = counting_now;
    assert_int_equal(ports_open(&gen, "worker=fixed:9", &(struct ports){.clock = &clock}, NULL), FRAZIL_OK);
    looks_at_clock = 0;
    assert_int_equal(frazil_get_stats(gen, rows, FRAZIL_STATS_MOST), FRAZIL_STAT_MOVES + 1);
    assert_int_equal(looks_at_clock, 1);
    frazil_close(gen);
    frazil_manual_clock_close(manual);
}
