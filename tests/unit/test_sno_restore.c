/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: I4 for sno generators.  No sno comes twice, whatever a generator did
 * before its snapshot, and wherever the clock stands when it is restored.  A snapshot
 * that cannot be one is refused.
 */

#include "lib/near_miss.h"
#include "lib/ports.h"
#include "lib/rig.h"
#include "lib/test.h"

#define SNO "layout=sno worker=fixed:4660 "
#define UNIT(n) (RIG_NOW + INT64_C(4) * (n))

/* RIG_NOW in units since 2010-01-01. */
#define NOW_UNIT ((RIG_NOW - INT64_C(1262304000000)) / 4)

static struct fz_snapshot snapshot_of(struct rig *rig)
{
    struct fz_snapshot snapshot;

    assert_int_equal(ports_snapshot(rig->gen, &snapshot), FRAZIL_OK);
    return snapshot;
}

/* Through JSON and back, as it is kept in a file. */
static struct fz_snapshot kept(const struct fz_snapshot *snapshot)
{
    char json[FRAZIL_SNO_SNAPSHOT_SIZE];
    struct fz_snapshot read;
    frazil_error err;

    assert_int_equal(fz_snapshot_format(snapshot, json, sizeof json, NULL), FRAZIL_OK);
    if (fz_snapshot_parse(json, strlen(json), &read, &err) != FRAZIL_OK)
        fail_msg("%s: %s", json, err.message);
    return read;
}

/* Stops the generator and starts another one from its snapshot, with the clock elsewhere. */
static void restart(struct rig *rig, const char *spec, int64_t unix_ms)
{
    const struct fz_snapshot snapshot = snapshot_of(rig);
    const struct fz_snapshot read = kept(&snapshot);

    rig_close(rig);
    rig_open_snapshot(rig, spec, &read, unix_ms);
}

static void assert_sno(struct rig *rig, int64_t unix_ms, unsigned ticktock, unsigned sequence)
{
    const frazil_sno_fields fields = rig_sno_parts(rig);

    assert_int_equal(fields.unix_ms, unix_ms);
    assert_int_equal(fields.ticktock, ticktock);
    assert_int_equal(fields.sequence, sequence);
    assert_int_equal(fields.partition, 4660);
}

/* Opens a generator with its state in memory on the real clock. */
static frazil *opened(const char *spec, const struct fz_snapshot *snapshot)
{
    frazil_error err;
    frazil *gen;

    if (ports_open_snapshot(&gen, spec, snapshot, NULL, &err) != FRAZIL_OK)
        fail_msg("%s: %s", spec, err.message);
    return gen;
}

static void assert_no_room(const char *spec, const struct fz_snapshot *snapshot)
{
    frazil_error err;
    frazil *gen;

    assert_int_equal(ports_open_snapshot(&gen, spec, snapshot, NULL, &err), FRAZIL_EWORKER);
    assert_non_null(strstr(err.message, "another generator of this process has partition 4660"));
}

TEST("A snapshot is not opened beside its generator, nor that beside one from a snapshot")
{
    struct rig rig = {.random_state = 1};

    rig_open(&rig, SNO "seq_min=100 seq_max=300", UNIT(10));
    rig_sno(&rig);
    const struct fz_snapshot snapshot = snapshot_of(&rig);
    struct fz_snapshot other = snapshot;
    other.sequence_min = 301;
    other.sequence_max = 400;
    other.sequence = 0;
    assert_no_room("", &snapshot);
    frazil *apart = opened("", &other);
    rig_close(&rig);

    frazil *again = opened("", &snapshot);
    assert_no_room("", &snapshot);
    assert_no_room(SNO "state=memory", NULL);
    assert_no_room(SNO "state=memory seq_min=50 seq_max=100", NULL);
    frazil_close(again);
    frazil_close(apart);
    frazil_close(opened(SNO "state=memory", NULL));
}

TEST("A snapshot that its generator went beyond does not take this process back")
{
    struct fz_snapshot snapshot;
    frazil_sno last;
    frazil_sno next;

    frazil *gen = opened(SNO "state=memory seq_min=0 seq_max=7 on_full=lead max_lead=1h", NULL);
    assert_int_equal(frazil_sno_next(gen, 0, &last), FRAZIL_OK);
    assert_int_equal(ports_snapshot(gen, &snapshot), FRAZIL_OK);
    for (int i = 0; i < 100000; i++) /* 50 seconds ahead of the clock */
        assert_int_equal(frazil_sno_next(gen, 0, &last), FRAZIL_OK);
    frazil_close(gen);
    gen = opened("on_full=lead max_lead=1h", &snapshot);
    assert_int_equal(frazil_sno_next(gen, 0, &next), FRAZIL_OK);
    assert_true(memcmp(next.bytes, last.bytes, sizeof last.bytes) > 0);
    frazil_close(gen);
}

TEST("A buffer of exactly the text's size suffices; one byte less is an error, and nothing is written")
{
    struct rig rig = {.random_state = 1};
    char text[FRAZIL_SNO_SNAPSHOT_SIZE];
    char small[FRAZIL_SNO_SNAPSHOT_SIZE] = "x";
    size_t len = 4711;

    rig_open(&rig, SNO, UNIT(10));
    assert_int_equal(frazil_sno_snapshot(rig.gen, text, sizeof text, &len), FRAZIL_OK);
    assert_int_equal(len, strlen(text));
    assert_int_equal(frazil_sno_snapshot(rig.gen, small, len, NULL), FRAZIL_EBUFFER);
    assert_string_equal(small, "x");
    assert_int_equal(frazil_sno_snapshot(rig.gen, small, len + 1, NULL), FRAZIL_OK);
    assert_string_equal(small, text);
    rig_close(&rig);
}

TEST("Every member says what it is to say")
{
    struct rig rig = {.random_state = 1};

    rig_open(&rig, SNO "seq_min=100 seq_max=300", UNIT(10));
    rig_sno(&rig);
    rig_sno(&rig);
    frazil_manual_clock_set(rig.manual, UNIT(12));
    struct fz_snapshot snapshot = snapshot_of(&rig);
    assert_int_equal(snapshot.partition[0], 0x12);
    assert_int_equal(snapshot.partition[1], 0x34);
    assert_int_equal(snapshot.sequence_min, 100);
    assert_int_equal(snapshot.sequence_max, 300);
    assert_int_equal(snapshot.sequence, 101);
    assert_int_equal(snapshot.now, NOW_UNIT + 12);
    assert_int_equal(snapshot.wall_hi, NOW_UNIT + 10);
    assert_int_equal(snapshot.wall_safe, 0);
    assert_int_equal(snapshot.drifts, 0);

    frazil_manual_clock_set(rig.manual, UNIT(5));
    rig_sno(&rig);
    snapshot = snapshot_of(&rig);
    assert_int_equal(snapshot.sequence, 100);
    assert_int_equal(snapshot.wall_hi, NOW_UNIT + 5);
    assert_int_equal(snapshot.wall_safe, NOW_UNIT + 10);
    assert_int_equal(snapshot.drifts, 1);

    for (int i = 0; i < 200; i++)
        rig_sno(&rig);
    snapshot = snapshot_of(&rig); /* a full unit: its last number, not the next unit's first */
    assert_int_equal(snapshot.sequence, 300);
    assert_int_equal(snapshot.wall_hi, NOW_UNIT + 5);
    rig_close(&rig);
}

TEST("In the same unit the sequence goes on, in a later one it starts anew, in the past the other side is used")
{
    static const struct {
        int64_t clock;
        int64_t unit;
        unsigned ticktock;
        unsigned sequence;
    } rows[] = {{0, 0, 0, 3}, {1, 1, 0, 0}, {1000, 1000, 0, 0}, {-1, -1, 1, 0}, {-90000, -90000, 1, 0}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rig rig = {.random_state = 1};
        rig_open(&rig, SNO, UNIT(0));
        for (int k = 0; k < 3; k++)
            rig_sno(&rig);
        restart(&rig, "layout=sno", UNIT(rows[i].clock));
        assert_sno(&rig, UNIT(rows[i].unit), rows[i].ticktock, rows[i].sequence);
        rig_close(&rig);
    }
}

TEST("The drifts and the safe time survive: a third run below both waits until the first side is over")
{
    struct rig rig = {.random_state = 1};

    rig_open(&rig, SNO, UNIT(100));
    rig_sno(&rig);
    restart(&rig, "layout=sno", UNIT(50));
    assert_sno(&rig, UNIT(50), 1, 0);
    restart(&rig, NULL, UNIT(200));
    assert_sno(&rig, UNIT(200), 1, 0);
    restart(&rig, "layout=sno", UNIT(80));
    const uint64_t started_ns = rig_monotonic_ns(&rig);
    assert_sno(&rig, UNIT(101), 0, 0);
    assert_int_equal(rig_monotonic_ns(&rig) - started_ns, 21 * 4 * RIG_MS);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_TICKTOCKS), 2);
    assert_int_equal(snapshot_of(&rig).drifts, 2);
    rig_close(&rig);
}

TEST("A full unit stays full after the restart: the next sno waits for the next unit")
{
    struct rig rig = {.random_state = 1};

    rig_open(&rig, SNO "seq_min=4 seq_max=9", UNIT(0));
    for (int i = 0; i < 6; i++)
        rig_sno(&rig);
    restart(&rig, "layout=sno", UNIT(0));
    assert_int_equal(available_of(rig.gen), 0);
    assert_sno(&rig, UNIT(1), 0, 4);
    rig_close(&rig);

    /* sno's own snapshots count waiting callers beyond the upper bound: that is a full unit too. */
    const struct fz_snapshot over = {
        .partition = {0x12, 0x34}, .sequence_min = 4, .sequence_max = 9, .sequence = UINT32_MAX, .wall_hi = NOW_UNIT};
    rig_open_snapshot(&rig, "layout=sno", &over, UNIT(0));
    assert_sno(&rig, UNIT(1), 0, 4);
    rig_close(&rig);
}

TEST("Sequence 0 stands for the lower bound, an upper bound of 0 for the largest; bounds come in either order")
{
    static const struct {
        struct fz_snapshot snapshot;
        unsigned sequence;
        uint64_t capacity;
    } rows[] = {
        {{.partition = {0x12, 0x34}, .wall_hi = NOW_UNIT}, 1, 65536},
        {{.partition = {0x12, 0x34}, .wall_hi = NOW_UNIT, .sequence_min = 7}, 8, 65529},
        {{.partition = {0x12, 0x34}, .wall_hi = NOW_UNIT, .sequence_min = 20, .sequence_max = 10}, 11, 11},
        {{.partition = {0x12, 0x34}, .wall_hi = NOW_UNIT, .sequence_min = 10, .sequence_max = 20, .sequence = 10},
         11,
         11},
        {{.partition = {0x12, 0x34}, .wall_hi = NOW_UNIT, .sequence_min = 10, .sequence_max = 20, .sequence = 15},
         16,
         11},
        {{.partition = {0x12, 0x34}, .wall_hi = NOW_UNIT, .sequence_min = 65535}, 1, 65536}, /* 0 is the lower one */
        {{.partition = {0x12, 0x34}}, 0, 65536},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rig rig = {.random_state = 1};
        frazil_info info;
        rig_open_snapshot(&rig, "layout=sno", &rows[i].snapshot, UNIT(0));
        frazil_get_info(rig.gen, &info, sizeof info);
        assert_int_equal(info.capacity, rows[i].capacity);
        assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 0);
        assert_sno(&rig, UNIT(0), 0, rows[i].sequence);
        assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 1);
        rig_close(&rig);
    }
}

static void assert_refused(const char *spec, const struct fz_snapshot *snapshot, frazil_err code, const char *why)
{
    frazil *const untouched = (frazil *)&code;
    frazil *gen = untouched;
    frazil_error err;

    assert_int_equal(ports_open_snapshot(&gen, spec, snapshot, NULL, &err), code);
    if (strstr(err.message, why) == NULL)
        fail_msg("does not say '%s' but '%s'", why, err.message);
    assert_ptr_equal(gen, untouched);
    assert_int_equal(ports_open_snapshot(&gen, spec, snapshot, NULL, NULL), code);
}

TEST("A snapshot outside the life of a sno is no text of one")
{
    static const struct fz_snapshot rows[] = {
        {.wall_hi = -1}, {.wall_hi = INT64_C(1) << 39}, {.wall_safe = -1}, {.wall_safe = INT64_MAX}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_refused("", &rows[i], FRAZIL_EPARSE, "snapshot: ");
}

TEST("A wrong snapshot is refused, and so are specs that do not go with one")
{
    static const struct {
        struct fz_snapshot snapshot;
        const char *why;
    } rows[] = {
        {{.sequence_min = 5, .sequence_max = 5}, "both bounds"},
        {{.sequence_min = 5, .sequence_max = 7}, "leave 3 numbers"},
        {{.sequence_min = 10, .sequence_max = 20, .sequence = 9}, "sequence 9 is below its lower bound 10"},
    };
    const struct fz_snapshot good = {.wall_hi = NOW_UNIT};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_refused("layout=sno", &rows[i].snapshot, FRAZIL_ERANGE, rows[i].why);
    assert_refused("layout=sno worker=fixed:1", &good, FRAZIL_ESPEC, "worker comes from the snapshot");
    assert_refused("layout=sno partition=A,1", &good, FRAZIL_ESPEC, "partition comes from the snapshot");
    assert_refused("layout=sno base=1", &good, FRAZIL_ESPEC, "base comes from the snapshot");
    assert_refused("layout=sno count=1", &good, FRAZIL_ESPEC, "count comes from the snapshot");
    assert_refused("layout=sno seq_min=1", &good, FRAZIL_ESPEC, "seq_min comes from the snapshot");
    assert_refused("layout=sno seq_max=1", &good, FRAZIL_ESPEC, "seq_max comes from the snapshot");
    assert_refused("layout=sno state=file", &good, FRAZIL_ESPEC, "state=file cannot be combined with a snapshot");
    assert_refused("layout=twitter", &good, FRAZIL_EKIND, "layout=sno");
    assert_refused("layout=sno colour=red", &good, FRAZIL_ESPEC, "unknown key");
}

TEST("A granter would give another partition than the snapshot's: one of the two cannot count")
{
    const struct fz_snapshot good = {.wall_hi = NOW_UNIT};
    static const frazil_err none = FRAZIL_EPOOL;
    const frazil_granter granter = granter_without(&none);
    const struct ports ports = {.granter = &granter};
    frazil *gen = NULL;
    frazil_error err;

    assert_int_equal(ports_open_snapshot(&gen, NULL, &good, &ports, &err), FRAZIL_EINVAL);
    assert_non_null(strstr(err.message, "the snapshot has the partition"));
    assert_null(gen);
}

TEST("The environment's settings for all generators are not this one's: only the spec itself can contradict a "
     "snapshot")
{
    static const char *const names[] = {"FRAZIL_WORKER",  "FRAZIL_BASE",  "FRAZIL_COUNT",    "FRAZIL_SEQ_MIN",
                                        "FRAZIL_SEQ_MAX", "FRAZIL_STATE", "FRAZIL_PARTITION"};
    static const char *const values[] = {"fixed:7", "1", "70000", "9", "1x", "file", "A,10"};
    const struct fz_snapshot good = {.partition = {0x12, 0x34}, .sequence_max = 9, .wall_hi = NOW_UNIT};
    const char *before = getenv("FRAZIL_STATE");
    char *kept_state = before == NULL ? NULL : strdup(before);
    struct rig rig = {.random_state = 1};
    frazil_info info;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(setenv(names[i], values[i], 1), 0);
    rig_open_snapshot(&rig, "layout=sno", &good, UNIT(0));
    frazil_get_info(rig.gen, &info, sizeof info);
    assert_int_equal(info.worker, 0x1234);
    assert_int_equal(info.sequence_min, 0);
    assert_int_equal(info.sequence_max, 9);
    rig_close(&rig);
    assert_refused("layout=sno worker=fixed:7", &good, FRAZIL_ESPEC, "worker comes from the snapshot");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(unsetenv(names[i]), 0);
    if (kept_state != NULL)
        assert_int_equal(setenv("FRAZIL_STATE", kept_state, 1), 0);
    free(kept_state);
}

TEST("The very last unit can be restored, full or not")
{
    const int64_t last_unit = (INT64_C(1) << 39) - 1;
    const int64_t last_ms = INT64_C(1262304000000) + 4 * last_unit;
    struct fz_snapshot snapshot = {
        .partition = {0x12, 0x34}, .sequence_max = 9, .sequence = 8, .wall_hi = last_unit, .now = last_unit};
    struct rig rig = {.random_state = 1};
    frazil_sno id;

    rig_open_snapshot(&rig, "layout=sno allow_short_life=yes", &snapshot, last_ms);
    assert_sno(&rig, last_ms, 0, 9);
    assert_int_equal(frazil_sno_next(rig.gen, 0, &id), FRAZIL_EEXHAUSTED);
    snapshot = snapshot_of(&rig);
    assert_int_equal(snapshot.wall_hi, last_unit);
    assert_int_equal(snapshot.sequence, 9);
    rig_close(&rig);
    rig_open_snapshot(&rig, "layout=sno allow_short_life=yes", &snapshot, last_ms);
    assert_int_equal(frazil_sno_next(rig.gen, 0, &id), FRAZIL_EEXHAUSTED);
    rig_close(&rig);
}

static int compare_snos(const void *a, const void *b)
{
    return memcmp(a, b, FRAZIL_SNO_SIZE);
}

TEST("I1 over long histories of restarts: the clock stands somewhere else each time, and moves both ways in between")
{
    enum { STEPS = 3000, IDS = 12 * STEPS };
    static frazil_sno ids[IDS];

    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct rig rig = {.random_state = seed};
        uint64_t random_state = seed;
        size_t count = 0;
        unsigned restarts = 0;

        rig_open(&rig, SNO "seq_min=3 seq_max=8", RIG_NOW);
        for (int i = 0; i < STEPS; i++) {
            const uint64_t random = seeded_next(&random_state);
            const int64_t step_ms = (int64_t)(random / 8 % 121) - 60;
            const size_t n = 1 + random / 1024 % 12;
            if (random % 8 == 0)
                rig_step(&rig, step_ms);
            if (random % 8 == 1) {
                const char *const spec = seed % 3 == 0 ? "layout=sno start=spread" : "layout=sno";
                restart(&rig, spec, rig_now_ms(&rig) + step_ms);
                restarts++;
            }
            if (frazil_sno_take(rig.gen, 0, ids + count, n, FRAZIL_WAIT_DEFAULT, NULL) == FRAZIL_OK)
                count += n;
        }
        assert_true(restarts > 100 && count > STEPS);
        assert_true(snapshot_of(&rig).drifts > 10);
        qsort(ids, count, sizeof ids[0], compare_snos);
        for (size_t k = 1; k < count; k++)
            assert_true(memcmp(ids[k - 1].bytes, ids[k].bytes, FRAZIL_SNO_SIZE) < 0);
        rig_close(&rig);
    }
}

TEST("The snapshot of a generator that issued nothing restores to one that has issued nothing")
{
    struct rig rig = {.random_state = 1};

    rig_open(&rig, SNO, UNIT(0));
    struct fz_snapshot snapshot = snapshot_of(&rig);
    assert_int_equal(snapshot.wall_hi, 0);
    assert_int_equal(snapshot.sequence, 0);
    restart(&rig, "layout=sno", UNIT(0));
    assert_sno(&rig, UNIT(0), 0, 0);
    rig_close(&rig);
}
