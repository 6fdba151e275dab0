/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a worker id that is leased without a generator is nobody else's while it lasts, says until when,
 * is kept, and is given back above what the program says that it used.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "core/now.h"
#include "frazil.h"
#include "lib/memory_namespace.h"
#include "lib/rig.h"
#include "lib/test.h"

enum { HORIZON_MS = 3000 };

#define SPEC "worker=memory://orders keeper=hook max_wait=0ms open_wait=0ms "

static frazil_layout layout;
static frazil_manual_clock *manual;
static frazil_clock wall;
static uint64_t seed;
static frazil_lease *lease;

static uint64_t next_random(void *ctx)
{
    uint64_t *state = ctx;

    return *state += UINT64_C(0x9e3779b97f4a7c15);
}

static const frazil_random numbers = {.size = sizeof(frazil_random), .ctx = &seed, .next = next_random};

static uint64_t tick_of(int64_t unix_ms)
{
    return (uint64_t)(unix_ms - layout.epoch_unix_ms) / layout.tick_ms;
}

static int64_t now_ms(void)
{
    return fz_now(&wall).unix_ms;
}

/* A namespace of `workers` ids in an empty store, and a clock. */
static void start(uint64_t workers)
{
    assert_int_equal(frazil_layout_parse("frazil", strlen("frazil"), &layout, NULL), FRAZIL_OK);
    memory_namespace_start(&layout, workers, HORIZON_MS, RIG_NOW);
    assert_int_equal(frazil_manual_clock_open(&manual, RIG_NOW, 0, NULL), FRAZIL_OK);
    wall = port_of(manual);
    lease = NULL;
}

static void tear_down(void)
{
    frazil_lease_close(lease, FRAZIL_LEASE_ALL_USED);
    frazil_manual_clock_close(manual);
    memory_namespace_stop();
}

static frazil_err try_open(frazil_lease **ret, const char *spec, frazil_error *reterr)
{
    const struct ports ports = {.clock = &wall, .random = &numbers, .coordinators = memory_coordinators};

    return ports_lease_open(ret, spec, &ports, reterr);
}

static frazil_lease *must_open(const char *spec)
{
    frazil_lease *opened;
    frazil_error err;

    if (try_open(&opened, spec, &err) != FRAZIL_OK)
        fail_msg("%s: %s", spec, err.message);
    return opened;
}

static frazil_lease_info get(frazil_lease *of)
{
    frazil_lease_info info;
    frazil_error err;

    if (frazil_lease_get_info(of, &info, sizeof info, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    return info;
}

AFTER_EACH
{
    tear_down();
}

/* ---- the tests ------------------------------------------------------------------- */

TEST("The number is the program's, and no other lease's, until the end that is told, which is the record's")
{
    frazil_lease *other;
    frazil_error err;

    start(2);
    lease = must_open(SPEC);
    frazil_lease_info info = get(lease);
    assert_true(info.worker < 2);
    assert_true(info.from_unix_ms <= RIG_NOW);
    assert_int_equal(tick_of(info.end_unix_ms), memory_namespace_record(info.worker).until + 1);
    assert_int_equal(info.end_unix_ms, RIG_NOW + HORIZON_MS + 1);
    assert_int_equal(info.reserved, 0);
    other = must_open(SPEC);
    assert_int_not_equal(get(other).worker, info.worker);
    frazil_lease *none = NULL;
    assert_int_equal(try_open(&none, SPEC, &err), FRAZIL_EPOOL);
    assert_null(none);
    frazil_lease_close(other, FRAZIL_LEASE_ALL_USED);
}

TEST("It is extended when it is time to, and its end moves on")
{
    uint64_t next_ns = 0;

    start(1);
    lease = must_open(SPEC);
    int64_t end_ms = get(lease).end_unix_ms;
    assert_int_equal(frazil_lease_keep(lease, FRAZIL_WAIT_FOREVER, &next_ns, NULL), FRAZIL_OK);
    assert_int_equal(get(lease).end_unix_ms, end_ms);
    assert_in_range(next_ns, 1, HORIZON_MS * RIG_MS);
    frazil_manual_clock_advance(manual, 2 * HORIZON_MS / 3 * RIG_MS);
    assert_int_equal(frazil_lease_keep(lease, FRAZIL_WAIT_FOREVER, &next_ns, NULL), FRAZIL_OK);
    assert_int_equal(get(lease).end_unix_ms, now_ms() + HORIZON_MS + 1);
}

TEST("At its end it is over, to the millisecond, and nothing is written; a later extension brings it back")
{
    frazil_lease_info info;
    frazil_lease_info before;
    frazil_error err;
    uint64_t next_ns;

    start(1);
    lease = must_open(SPEC);
    int64_t end_ms = get(lease).end_unix_ms;
    frazil_manual_clock_set(manual, end_ms - 1);
    get(lease);
    frazil_manual_clock_set(manual, end_ms);
    memset(&info, 0x5a, sizeof info);
    before = info;
    assert_int_equal(frazil_lease_get_info(lease, &info, sizeof info, &err), FRAZIL_ELEASE);
    assert_int_equal(err.code, FRAZIL_ELEASE);
    assert_memory_equal(&info, &before, sizeof info);
    assert_int_equal(frazil_lease_keep(lease, FRAZIL_WAIT_FOREVER, &next_ns, &err), FRAZIL_OK);
    assert_int_equal(get(lease).worker, 0);
}

TEST("A lost number is not replaced behind the program's back, unless the spec says move")
{
    frazil_lease_info info;
    frazil_error err;
    uint64_t next_ns;

    start(2);
    lease = must_open(SPEC);
    uint32_t worker = get(lease).worker;
    memory_namespace_release(worker);
    frazil_manual_clock_advance(manual, (HORIZON_MS + 1) * RIG_MS);
    char spec[128];
    snprintf(spec, sizeof spec, SPEC "base=%u count=1", (unsigned)worker);
    frazil_lease *thief = must_open(spec);
    assert_int_equal(get(thief).worker, worker);
    assert_int_equal(frazil_lease_keep(lease, FRAZIL_WAIT_FOREVER, &next_ns, &err), FRAZIL_ELEASE);
    assert_int_equal(frazil_lease_get_info(lease, &info, sizeof info, &err), FRAZIL_ELEASE);
    frazil_lease_close(thief, FRAZIL_LEASE_ALL_USED);
}

TEST("on_loss=move: another number takes its place")
{
    frazil_error err;
    uint64_t next_ns;

    start(2);
    lease = must_open(SPEC "on_loss=move");
    uint32_t worker = get(lease).worker;
    memory_namespace_release(worker);
    frazil_manual_clock_advance(manual, (HORIZON_MS + 1) * RIG_MS);
    char spec[128];
    snprintf(spec, sizeof spec, SPEC "base=%u count=1", (unsigned)worker);
    frazil_lease *thief = must_open(spec);
    assert_int_equal(frazil_lease_keep(lease, FRAZIL_WAIT_FOREVER, &next_ns, &err), FRAZIL_OK);
    assert_int_equal(get(lease).worker, 1 - worker);
    frazil_lease_close(thief, FRAZIL_LEASE_ALL_USED);
}

/* Closes a fresh lease and returns up to which tick its record then says that the number was used. */
static uint64_t closed_at(int64_t used_unix_ms)
{
    start(1);
    frazil_lease *closed = must_open(SPEC);
    frazil_manual_clock_advance(manual, 100 * RIG_MS);
    frazil_lease_close(closed, used_unix_ms);
    struct fz_worker_record record = memory_namespace_record(0);
    assert_true(record.released);
    tear_down();
    return record.until;
}

TEST("The program gives back the ticks behind those that it used; none of them if it does not say")
{
    assert_int_equal(closed_at(RIG_NOW + 70), tick_of(RIG_NOW + 70));
    assert_int_equal(closed_at(RIG_NOW), tick_of(RIG_NOW));
    assert_int_equal(closed_at(FRAZIL_LEASE_ALL_USED), tick_of(RIG_NOW) + HORIZON_MS);
    assert_int_equal(closed_at(RIG_NOW + 10 * HORIZON_MS), tick_of(RIG_NOW) + HORIZON_MS);
    assert_true(closed_at(0) < tick_of(RIG_NOW));
    assert_true(closed_at(INT64_MIN) < tick_of(RIG_NOW));
    start(1);
}

TEST("The next owner may stamp nothing before what the last one used, also if its clock is behind")
{
    frazil_lease_info info;
    frazil_error err;

    start(1);
    frazil_lease_close(must_open(SPEC), RIG_NOW + 70);
    frazil_manual_clock_set(manual, RIG_NOW + 50);
    lease = must_open("worker=memory://orders keeper=hook open_wait=1s");
    frazil_manual_clock_set(manual, RIG_NOW + 50);
    assert_int_equal(frazil_lease_get_info(lease, &info, sizeof info, &err), FRAZIL_ECLOCK);
    assert_in_range(err.retry_ns, 1, 21 * RIG_MS);
    frazil_manual_clock_set(manual, RIG_NOW + 71);
    assert_int_equal(get(lease).from_unix_ms, RIG_NOW + 71);
}

TEST("Programs of older and newer headers: a short struct is filled as far as it goes, a long one's tail is zero")
{
    struct {
        frazil_lease_info info;
        uint64_t tail;
    } large;
    struct {
        uint32_t worker;
        uint32_t behind;
    } small = {.behind = 0x5a5a5a5a};

    start(1);
    lease = must_open(SPEC);
    memset(&large, 0x5a, sizeof large);
    assert_int_equal(frazil_lease_get_info(lease, (frazil_lease_info *)&large, sizeof large, NULL), FRAZIL_OK);
    assert_int_equal(large.info.end_unix_ms, get(lease).end_unix_ms);
    assert_int_equal(large.tail, 0);
    small.worker = 77;
    assert_int_equal(frazil_lease_get_info(lease, (frazil_lease_info *)&small, sizeof small.worker, NULL), FRAZIL_OK);
    assert_int_equal(small.worker, 0);
    assert_int_equal(small.behind, 0x5a5a5a5a);
}

TEST("Parent and child have one number; each says what it used, and the last one gives it back above both")
{
    int status;

    start(1);
    lease = must_open(SPEC);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        frazil_lease_info info;
        bool same = frazil_lease_get_info(lease, &info, sizeof info, NULL) == FRAZIL_OK && info.worker == 0;
        frazil_lease_close(lease, RIG_NOW + 90);
        _exit(same ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_false(memory_namespace_record(0).released);
    frazil_lease_close(lease, RIG_NOW + 40);
    lease = NULL;
    assert_true(memory_namespace_record(0).released);
    assert_int_equal(memory_namespace_record(0).until, tick_of(RIG_NOW + 90));
}

TEST("Only what somebody grants can be leased")
{
    static const char *const specs[] = {"worker=fixed:3 state=memory", "worker=file-lock", "layout=sno worker=auto",
                                        "worker=ordinal hostname=a-3"};

    start(1);
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        frazil_lease *none = NULL;
        frazil_error err;
        assert_int_equal(try_open(&none, specs[i], &err), FRAZIL_ESPEC);
        assert_non_null(strstr(err.message, "write worker=URL"));
        assert_null(none);
        assert_int_equal(try_open(&none, specs[i], NULL), FRAZIL_ESPEC);
    }
    frazil_lease_close(NULL, 0);
}
