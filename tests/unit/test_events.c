/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: each event is told once, with its worker id, its time and its value; each reader has its own
 * place, learns how many it missed, and waits for nobody.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "generator/generator_internal.h"
#include "lib/rig.h"
#include "lib/scratch.h"
#include "lib/test.h"

enum { GRANT_MS = 3000 };

/* A granter that refuses on demand, or gives another worker id. */
static struct {
    frazil_err failure;
    uint32_t worker;
    uint64_t token;
} source;

static frazil_err acquire(void *ctx, int64_t now_unix_ms, frazil_grant *ret, frazil_error *reterr)
{
    (void)ctx;
    (void)reterr;
    *ret = (frazil_grant){.worker = source.worker,
                          .from_unix_ms = RIG_NOW,
                          .end_unix_ms = now_unix_ms + GRANT_MS,
                          .token = ++source.token};
    return FRAZIL_OK;
}

static frazil_err extend(void *ctx, int64_t now_unix_ms, const frazil_grant *held, frazil_grant *ret,
                         frazil_error *reterr)
{
    (void)reterr;
    if (source.failure != FRAZIL_OK)
        return source.failure;
    if (source.worker != held->worker)
        return acquire(ctx, now_unix_ms, ret, reterr);
    *ret = *held;
    ret->end_unix_ms = now_unix_ms + GRANT_MS;
    return FRAZIL_OK;
}

static const frazil_granter granter = {.size = sizeof granter, .acquire = acquire, .extend = extend};
static struct rig rig;
static uint64_t cursor;

static void open_granted(void)
{
    rig = (struct rig){.random_state = 1, .granter = &granter};
    cursor = 0;
    source.failure = FRAZIL_OK;
    source.worker = 3;
    rig_open(&rig, "layout=41/10/4 start=zero keeper=hook max_wait=0", RIG_NOW);
}

static void assert_no_event(void)
{
    frazil_event event = {.kind = 99};
    uint64_t before = cursor;

    assert_false(frazil_next_event(rig.gen, &cursor, &event, sizeof event));
    assert_int_equal(event.kind, 99);
    assert_int_equal(cursor, before);
}

/* The next event; the test fails if it is another one, or not the clock's time. */
static frazil_event take_event(frazil_event_kind kind, frazil_err code, uint64_t value)
{
    frazil_event event;

    assert_true(frazil_next_event(rig.gen, &cursor, &event, sizeof event));
    assert_int_equal(event.kind, kind);
    assert_int_equal(event.code, code);
    assert_int_equal(event.value, value);
    assert_int_equal(event.reserved, 0);
    assert_int_equal(event.unix_ms, rig_now_ms(&rig));
    return event;
}

/* Opens over the test's clock, for which nothing is claimed in memory: opening tells so first. */
static void open_at(const char *spec, int64_t unix_ms)
{
    rig = (struct rig){.random_state = 1};
    cursor = 0;
    rig_open(&rig, spec, unix_ms);
    take_event(FRAZIL_EVENT_WARN_UNCLAIMED, FRAZIL_OK, 0);
}

/* The kind of the first event of a generator that opens on the system's clock, or 0. */
static uint32_t told_by_opening(const char *spec)
{
    frazil_event event = {.kind = 0};
    frazil_error err;

    cursor = 0;
    if (frazil_open(&rig.gen, spec, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    (void)frazil_next_event(rig.gen, &cursor, &event, sizeof event);
    frazil_close(rig.gen);
    return event.kind;
}

TEST("Opening tells that nothing keeps others from the worker id, unless it is claimed or granted")
{
    const char *scratch = scratch_make();
    char spec[300];

    snprintf(spec, sizeof spec, "worker=fixed:9 state=memory host_dir=%s", scratch);
    assert_int_equal(told_by_opening(spec), 0);
    assert_int_equal(told_by_opening("worker=fixed:9 clock=frozen:2026-06-01T00:00:00Z"), FRAZIL_EVENT_WARN_UNCLAIMED);
    assert_int_equal(told_by_opening("layout=sno worker=auto"), FRAZIL_EVENT_WARN_UNCLAIMED);
    scratch_remove(scratch);
    open_granted();
    assert_no_event();
    rig_close(&rig);
}

TEST(
    "Opening tells nothing else, unless hosts may have one worker id, the layout ends soon, or the clock is before its "
    "epoch")
{
    open_at("layout=41/10/4 worker=fixed:9", RIG_NOW);
    assert_no_event();
    frazil_layout_info info;
    frazil_layout_get_info(layout_of(rig.gen), &info, sizeof info);
    int64_t epoch_ms = layout_of(rig.gen)->epoch_unix_ms;
    rig_close(&rig);

    open_at("layout=konayuki worker=hostname-hash hostname=a expect=8", RIG_NOW);
    frazil_info is;
    frazil_get_info(rig.gen, &is, sizeof is);
    assert_true(is.collision_ppm > 0);
    assert_int_equal(take_event(FRAZIL_EVENT_WARN_COLLISION, FRAZIL_OK, is.collision_ppm).worker, is.worker);
    assert_no_event();
    rig_close(&rig);

    open_at("layout=41/10/4 worker=fixed:9 allow_short_life=yes", info.last_unix_ms - 1000);
    assert_int_equal(take_event(FRAZIL_EVENT_WARN_SHORT_LIFE, FRAZIL_OK, (uint64_t)info.last_unix_ms).worker, 9);
    assert_no_event();
    rig_close(&rig);

    open_at("layout=41/10/4 worker=fixed:9", 1000);
    take_event(FRAZIL_EVENT_WARN_EARLY_CLOCK, FRAZIL_OK, (uint64_t)epoch_ms - 1000);
    assert_no_event();
    rig_close(&rig);
}

/* Tries to extend the grant when the next try may be made. */
static frazil_err keep(void)
{
    uint64_t next_ns;

    frazil_manual_clock_advance(rig.manual, GRANT_MS / 2 * RIG_MS);
    return frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &next_ns, NULL);
}

TEST("A failure to extend is told when it begins and when its reason changes; an extension tells nothing")
{
    open_granted();
    assert_int_equal(keep(), FRAZIL_OK);
    assert_no_event();
    source.failure = FRAZIL_EUNREACHABLE;
    assert_int_equal(keep(), FRAZIL_EUNREACHABLE);
    assert_int_equal(take_event(FRAZIL_EVENT_EXTENSION_FAILED, FRAZIL_EUNREACHABLE, 0).worker, 3);
    assert_int_equal(keep(), FRAZIL_EUNREACHABLE);
    assert_no_event();
    source.failure = FRAZIL_EREFUSED;
    assert_int_equal(keep(), FRAZIL_EREFUSED);
    take_event(FRAZIL_EVENT_EXTENSION_FAILED, FRAZIL_EREFUSED, 0);
    source.failure = FRAZIL_OK;
    assert_int_equal(keep(), FRAZIL_OK);
    source.failure = FRAZIL_EREFUSED;
    assert_int_equal(keep(), FRAZIL_EREFUSED);
    take_event(FRAZIL_EVENT_EXTENSION_FAILED, FRAZIL_EREFUSED, 0);
    source.failure = FRAZIL_ELEASE;
    assert_int_equal(keep(), FRAZIL_ELEASE);
    assert_int_equal(take_event(FRAZIL_EVENT_LOST, FRAZIL_ELEASE, 0).worker, 3);
    assert_no_event();
    rig_close(&rig);
}

TEST("The end of a grant is told once, also when only calls that never wait see it, and once more of the next one")
{
    static const char *const keepers[] = {"hook", "inline"};
    uint64_t ids[4];
    uint64_t retry_ns;
    size_t taken;

    for (size_t i = 0; i < 2; i++) {
        char spec[100];
        rig = (struct rig){.random_state = 1, .granter = &granter};
        cursor = 0;
        source.failure = FRAZIL_OK;
        source.worker = 3;
        snprintf(spec, sizeof spec, "layout=41/10/4 start=zero keeper=%s", keepers[i]);
        rig_open(&rig, spec, RIG_NOW);
        for (unsigned again = 0; again < 2; again++) {
            source.failure = i == 0 ? FRAZIL_OK : FRAZIL_EUNREACHABLE;
            frazil_manual_clock_advance(rig.manual, 2 * GRANT_MS * RIG_MS);
            for (unsigned calls = 0; calls < 3; calls++)
                assert_int_equal(frazil_try_take(rig.gen, ids, 4, &taken, &retry_ns, NULL), FRAZIL_ELEASE);
            if (i == 1)
                take_event(FRAZIL_EVENT_EXTENSION_FAILED, FRAZIL_EUNREACHABLE, 0);
            assert_int_equal(take_event(FRAZIL_EVENT_LOST, FRAZIL_ELEASE, 0).worker, 3);
            assert_no_event();
            source.failure = FRAZIL_OK;
            assert_int_equal(keep(), FRAZIL_OK);
        }
        rig_close(&rig);
    }
}

TEST("A move is told once, with both worker ids")
{
    open_granted();
    source.worker = 5;
    assert_int_equal(keep(), FRAZIL_OK);
    const frazil_event event = take_event(FRAZIL_EVENT_MOVED, FRAZIL_OK, 3);
    assert_int_equal(event.worker, 5);
    assert_no_event();
    rig_close(&rig);
}

TEST("A move that another process has made is told to whoever reads next")
{
    open_granted();
    struct fz_grant_ring *ring = &rig.gen->shared->grants;
    uint64_t number;
    struct fz_grant grant = fz_grant_ring_look(ring, &number);
    grant.worker = 7;
    assert_true(fz_grant_ring_put(ring, number, &grant));
    assert_int_equal(take_event(FRAZIL_EVENT_MOVED, FRAZIL_OK, 3).worker, 7);
    assert_no_event();
    rig_close(&rig);
}

TEST("A grant that takes the present one away is told as the loss of it")
{
    const struct fz_grant nothing = {.worker = 3, .floor = 9, .until = 8};

    open_granted();
    fz_events_note_grant(rig.gen, &nothing);
    take_event(FRAZIL_EVENT_LOST, FRAZIL_ELEASE, 0);
    assert_no_event();
    rig_close(&rig);
}

TEST("A clock that went back is told with how far")
{
    open_at("layout=41/10/4 worker=fixed:9", RIG_NOW);
    rig_next(&rig);
    rig_step(&rig, -7);
    assert_int_equal(available_of(rig.gen), 0);
    assert_int_equal(take_event(FRAZIL_EVENT_CLOCK_BACK, FRAZIL_OK, 7000).worker, 9);
    assert_no_event();
    rig_close(&rig);
}

/* Takes the ids of three ticks, for which the call waits. */
static void overflow(void)
{
    uint64_t ids[3 * 16];

    assert_int_equal(frazil_take(rig.gen, ids, sizeof ids / sizeof ids[0], FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
}

TEST("Full ticks that calls wait for are told once, and again when there were none for a second")
{
    frazil_event event;

    open_at("layout=41/10/4 worker=fixed:9 on_full=wait max_lead=0 max_wait=1s start=zero", RIG_NOW);
    overflow();
    overflow();
    assert_true(frazil_next_event(rig.gen, &cursor, &event, sizeof event));
    assert_int_equal(event.kind, FRAZIL_EVENT_OVERFLOW);
    assert_int_equal(event.unix_ms, RIG_NOW);
    assert_no_event();
    rig_advance(&rig, 900);
    overflow();
    assert_no_event();
    rig_advance(&rig, 2000);
    overflow();
    assert_true(frazil_next_event(rig.gen, &cursor, &event, sizeof event));
    assert_int_equal(event.kind, FRAZIL_EVENT_OVERFLOW);
    assert_no_event();
    rig_close(&rig);
}

/* ---- the ring ------------------------------------------------------------------------ */

static void tell(uint64_t value)
{
    fz_events_tell(rig.gen, FRAZIL_EVENT_CLOCK_BACK, FRAZIL_OK, rig_now_ms(&rig), value);
}

TEST("A reader that comes late has the last 64 events, and the number of those before them; another reader has all")
{
    enum { TOLD = 10 * FZ_EVENTS_KEPT + 7 };
    uint64_t late = 0;
    frazil_event event;

    open_granted(); /* of which opening tells nothing */
    for (uint64_t i = 0; i < TOLD; i++) {
        tell(i);
        assert_int_equal(take_event(FRAZIL_EVENT_CLOCK_BACK, FRAZIL_OK, i).missed, 0);
    }
    assert_no_event();
    for (uint64_t i = TOLD - FZ_EVENTS_KEPT; i < TOLD; i++) {
        assert_true(frazil_next_event(rig.gen, &late, &event, sizeof event));
        assert_int_equal(event.value, i);
        assert_int_equal(event.missed, i == TOLD - FZ_EVENTS_KEPT ? i : 0);
    }
    assert_false(frazil_next_event(rig.gen, &late, &event, sizeof event));
    rig_close(&rig);
}

TEST(
    "An event whose writer is gone is waited for by nobody: the next one counts it as missed, as it does a round later")
{
    open_granted(); /* of which opening tells nothing */
    tell(0);
    /* A thread that was writing event 1 when its process was forked. */
    atomic_store(&rig.gen->private_page->events.places[1].version, 2 * 1 + 1);
    tell(1);
    take_event(FRAZIL_EVENT_CLOCK_BACK, FRAZIL_OK, 0);
    assert_no_event();
    tell(2);
    assert_int_equal(take_event(FRAZIL_EVENT_CLOCK_BACK, FRAZIL_OK, 2).missed, 1);
    for (uint64_t i = 3; i < FZ_EVENTS_KEPT + 1; i++) {
        tell(i);
        take_event(FRAZIL_EVENT_CLOCK_BACK, FRAZIL_OK, i);
    }
    tell(FZ_EVENTS_KEPT + 1);
    assert_no_event();
    tell(FZ_EVENTS_KEPT + 2);
    assert_int_equal(take_event(FRAZIL_EVENT_CLOCK_BACK, FRAZIL_OK, FZ_EVENTS_KEPT + 2).missed, 1);
    rig_close(&rig);
}

/* ---- the descriptor ------------------------------------------------------------------ */

static bool is_readable(int fd)
{
    struct pollfd waiting = {.fd = fd, .events = POLLIN};

    return poll(&waiting, 1, 0) == 1 && waiting.revents == POLLIN;
}

static int event_fd(void)
{
    frazil_error why;
    int fd = -1;

    if (frazil_event_fd(rig.gen, &fd, &why) != FRAZIL_OK)
        fail_msg("%s", why.message);
    return fd;
}

TEST("The descriptor is readable at first and while there are events, until a reader is told that there are none")
{
    open_granted();
    tell(1);
    int fd = event_fd();
    assert_true(fd > STDERR_FILENO);
    assert_int_equal(event_fd(), fd);
    assert_true(is_readable(fd));
    take_event(FRAZIL_EVENT_CLOCK_BACK, FRAZIL_OK, 1);
    assert_true(is_readable(fd));
    assert_no_event();
    assert_false(is_readable(fd));
    for (uint64_t i = 0; i < 2 * FZ_EVENTS_KEPT; i++)
        tell(i);
    assert_true(is_readable(fd));
    cursor += 2 * FZ_EVENTS_KEPT - 2;
    take_event(FRAZIL_EVENT_CLOCK_BACK, FRAZIL_OK, 2 * FZ_EVENTS_KEPT - 2);
    take_event(FRAZIL_EVENT_CLOCK_BACK, FRAZIL_OK, 2 * FZ_EVENTS_KEPT - 1);
    assert_true(is_readable(fd));
    assert_no_event();
    assert_false(is_readable(fd));
    rig_close(&rig);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
}

TEST("A move that another process has made makes it readable when this one next looks at the time")
{
    open_granted();
    struct fz_grant_ring *ring = &rig.gen->shared->grants;
    int fd = event_fd();
    uint64_t number;
    assert_no_event();
    struct fz_grant grant = fz_grant_ring_look(ring, &number);
    grant.worker = 7;
    assert_true(fz_grant_ring_put(ring, number, &grant));
    assert_false(is_readable(fd));
    rig_next(&rig);
    assert_true(is_readable(fd));
    take_event(FRAZIL_EVENT_MOVED, FRAZIL_OK, 3);
    assert_no_event();
    assert_false(is_readable(fd));
    rig_close(&rig);
}

TEST("A program that has closed it gets another one, and what it has opened under its number is left alone")
{
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    open_granted();
    int fd = event_fd();
    assert_int_equal(dup2(ends[0], fd), fd);
    tell(1);
    assert_int_equal(write(ends[1], "x", 1), 1);
    take_event(FRAZIL_EVENT_CLOCK_BACK, FRAZIL_OK, 1);
    assert_no_event();
    assert_true(is_readable(fd));
    int other = event_fd();
    assert_true(other != fd && is_readable(other));
    assert_no_event();
    assert_false(is_readable(other));
    rig_close(&rig);
    assert_true(is_readable(fd));
    close(fd);
    close(ends[0]);
    close(ends[1]);
}

TEST("A program of a later version gets zeros at the end, one of an earlier version only what it has room for")
{
    uint32_t kind[2] = {0, 0xeeeeeeee};
    struct {
        frazil_event event;
        uint64_t later;
    } later = {.later = 1};

    open_granted(); /* of which opening tells nothing */
    tell(1);
    assert_true(frazil_next_event(rig.gen, &cursor, (frazil_event *)(void *)kind, sizeof kind[0]));
    assert_int_equal(kind[0], FRAZIL_EVENT_CLOCK_BACK);
    assert_int_equal(kind[1], 0xeeeeeeee);
    cursor = 0;
    assert_true(frazil_next_event(rig.gen, &cursor, &later.event, sizeof later));
    assert_int_equal(later.event.value, 1);
    assert_int_equal(later.later, 0);
    rig_close(&rig);
}

TEST("Each kind has its name, and other numbers have none")
{
    assert_string_equal(frazil_event_name(FRAZIL_EVENT_MOVED), "moved");
    assert_string_equal(frazil_event_name(FRAZIL_EVENT_WARN_EARLY_CLOCK), "warn-early-clock");
    assert_string_equal(frazil_event_name(FRAZIL_EVENT_WARN_UNCLAIMED), "warn-unclaimed");
    assert_string_equal(frazil_event_name(0), "?");
    assert_string_equal(frazil_event_name(99), "?");
}

/* ---- several threads ------------------------------------------------------------------- */

enum { WRITERS = 3, READERS = 2, TOLD_BY_EACH = 20000 };

static struct reader {
    pthread_t thread;
    uint64_t cursor;
    uint64_t seen;
    uint64_t missed;
    uint64_t above[WRITERS]; /* the last of each writer */
    bool wrong;
} readers[READERS];
static _Atomic unsigned writers_left;

/* A value is told with its complement as the time, and says whose it is. */
static void *write_events(void *ctx)
{
    uint64_t writer = *(const uint64_t *)ctx;

    for (uint64_t i = 1; i <= TOLD_BY_EACH; i++) {
        uint64_t value = i * WRITERS + writer;
        fz_events_tell(rig.gen, FRAZIL_EVENT_CLOCK_BACK, FRAZIL_OK, (int64_t)~value, value);
        if (i % 16 == 0)
            sched_yield();
    }
    atomic_fetch_sub(&writers_left, 1);
    return NULL;
}

static void read_events(struct reader *reader)
{
    frazil_event event;

    while (frazil_next_event(rig.gen, &reader->cursor, &event, sizeof event)) {
        uint64_t *above = &reader->above[event.value % WRITERS];
        reader->wrong = reader->wrong || event.unix_ms != (int64_t)~event.value || event.value <= *above ||
                        event.kind != FRAZIL_EVENT_CLOCK_BACK || event.worker != source.worker;
        *above = event.value;
        reader->seen++;
        reader->missed += event.missed;
    }
}

static void *read_to_end(void *ctx)
{
    bool last;

    do {
        last = atomic_load(&writers_left) == 0;
        read_events(ctx);
        sched_yield();
    } while (!last);
    return NULL;
}

TEST("While three threads tell events, two readers see each event whole, in the order of its writer, or count it as "
     "missed")
{
    static uint64_t names[WRITERS] = {0, 1, 2};
    pthread_t writers[WRITERS];

    open_granted(); /* of which opening tells nothing */
    atomic_store(&writers_left, WRITERS);
    for (size_t i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&readers[i].thread, NULL, read_to_end, &readers[i]), 0);
    for (size_t i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&writers[i], NULL, write_events, &names[i]), 0);
    for (size_t i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_join(writers[i], NULL), 0);
    for (size_t i = 0; i < READERS; i++)
        assert_int_equal(pthread_join(readers[i].thread, NULL), 0);
    tell(UINT64_C(1) << 40); /* behind whatever was missed last */
    for (size_t i = 0; i < READERS; i++) {
        frazil_event event;
        assert_false(readers[i].wrong);
        assert_true(frazil_next_event(rig.gen, &readers[i].cursor, &event, sizeof event));
        assert_int_equal(readers[i].seen + readers[i].missed + event.missed, WRITERS * TOLD_BY_EACH);
    }
    rig_close(&rig);
}
