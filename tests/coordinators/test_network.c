/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: over a network that misbehaves, and from a server that is
 * killed, no register takes an answer for more than it is.  A write that may have been
 * done is unknown, one that was certainly not done is unreachable, and a late reply does
 * not answer the next request.  One suite for every kind that has a server.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/bound.h"
#include "lib/patience.h"
#include "lib/proxy.h"
#include "lib/register_kinds.h"
#include "lib/register_rig.h"
#include "lib/test.h"

enum { SHORT_MS = 300, LONG_MS = ANSWER_MS };

struct rig {
    struct proxy *proxy;
    struct fz_register through; /* the proxy, with a short timeout */
    struct fz_register direct;
};

static void start(struct rig *rig, const struct register_kind *kind)
{
    rig->proxy = proxy_start(kind->server->port);
    rig->through = kind_open(kind, rig->proxy->port, SHORT_MS);
    rig->direct = kind_open(kind, 0, LONG_MS);
}

static void stop(struct rig *rig)
{
    rig->through.close(rig->through.ctx);
    rig->direct.close(rig->direct.ctx);
    proxy_stop(rig->proxy);
}

/* A read that succeeds in the end, however often it takes: what was broken off is connected again. */
static struct fz_record await_read(const struct fz_register *reg)
{
    struct fz_record record = {.version = 0};

    AWAIT(register_read(reg, 0, &record) == FZ_REGISTER_OK, "%s", register_said.message);
    return record;
}

static bool is_text(const struct fz_record *record, const char *text)
{
    return record->len == strlen(text) && memcmp(record->data, text, record->len) == 0;
}

static bool holds(const struct fz_register *reg, const char *text, struct fz_record *ret)
{
    *ret = await_read(reg);
    return is_text(ret, text);
}

/*
 * A swap over a network that begins to misbehave once there is a connection.  On a busy machine the time may be over
 * before anything is sent, which is said, and tried again.
 */
static enum fz_register_result swap_over(struct rig *rig, enum proxy_mode mode, uint64_t expected, const char *text,
                                         uint64_t *ret_version)
{
    enum fz_register_result result = FZ_REGISTER_UNREACHABLE;

    for (uint64_t end_ns = patience_end_ns(); !patience_is_over(end_ns); pause_shortly()) {
        (void)await_read(&rig->through); /* connects */
        proxy_set(rig->proxy, mode);
        result = register_swap(&rig->through, 0, expected, text, ret_version);
        if (result != FZ_REGISTER_UNREACHABLE)
            return result;
        proxy_set(rig->proxy, PROXY_PASS);
    }
    fail_msg("it is never sent: %s", register_said.message);
    return result;
}

/* ---- one fault ------------------------------------------------------------------ */

TEST_OF_KINDS(for_each_server,
              "A reply that was lost although the request was carried out: unknown, and the record says what happened")
{
    static const enum proxy_mode modes[] = {PROXY_LOSE_REPLIES, PROXY_HOLD_REPLIES, PROXY_CUT_REPLIES,
                                            PROXY_CUT_LATE,     PROXY_RESET,        PROXY_END_ONCE};
    struct rig rig;
    uint64_t version = 0;

    start(&rig, kind);
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        uint64_t untouched = 4711;
        version = register_must_swap(&rig.direct, 0, version, "first");
        enum fz_register_result result = swap_over(&rig, modes[i], version, "second", &untouched);
        if (result != FZ_REGISTER_UNKNOWN)
            fail_msg("fault %d: %d, %s", (int)modes[i], (int)result, register_said.message);
        assert_int_equal(untouched, 4711);
        assert_int_not_equal(register_said.message[0], '\0');
        struct fz_record record = {.version = 0};
        AWAIT(holds(&rig.direct, "second", &record), "it is not carried out");
        assert_true(record.version > version);
        proxy_set(rig.proxy, PROXY_PASS);
        assert_int_equal(await_read(&rig.through).version, record.version);
        version = record.version;
    }
    stop(&rig);
}

/* A proxy that holds replies, and what it has passed on. */
struct holding {
    struct proxy *proxy;
    unsigned requests;
    unsigned connections;
};

/*
 * Lets replies pass once something more was sent: what is late comes when the next answer is awaited.  On a new
 * connection the server may have to speak first.
 */
static void *let_pass_after_the_next(void *arg)
{
    const struct holding *holding = arg;
    struct proxy *proxy = holding->proxy;

    AWAIT(proxy->requests > holding->requests || proxy->accepted > holding->connections, "nothing more is sent");
    proxy_set(proxy, PROXY_PASS);
    return NULL;
}

TEST_OF_KINDS(for_each_server, "The late reply to a request that was given up is not taken for that to the next one")
{
    struct rig rig;
    struct fz_record record;

    start(&rig, kind);
    uint64_t version = register_must_swap(&rig.direct, 0, 0, "first");
    (void)await_read(&rig.through);
    proxy_set(rig.proxy, PROXY_HOLD_REPLIES);
    assert_int_not_equal(register_read(&rig.through, 0, &record), FZ_REGISTER_OK);
    version = register_must_swap(&rig.direct, 0, version, "second");
    struct holding holding = {rig.proxy, rig.proxy->requests, rig.proxy->accepted};
    pthread_t releaser;
    assert_int_equal(pthread_create(&releaser, NULL, let_pass_after_the_next, &holding), 0);
    record = await_read(&rig.through);
    assert_true(is_text(&record, "second"));
    assert_int_equal(record.version, version);
    assert_int_equal(pthread_join(releaser, NULL), 0);
    stop(&rig);
}

TEST_OF_KINDS(for_each_server,
              "A request that arrives after its sender has given up does nothing that its version does not allow")
{
    struct rig rig;
    uint64_t untouched = 4711;

    start(&rig, kind);
    uint64_t first = register_must_swap(&rig.direct, 0, 0, "first");
    assert_int_equal(swap_over(&rig, PROXY_HOLD_REQUESTS, first, "late", &untouched), FZ_REGISTER_UNKNOWN);
    unsigned replies = rig.proxy->replies; /* the request that is held is answered later */
    assert_int_equal(untouched, 4711);
    uint64_t version = register_must_swap(&rig.direct, 0, first, "instead");
    proxy_set(rig.proxy, PROXY_PASS);
    proxy_await(&rig.proxy->replies, replies + 1);
    struct fz_record record = await_read(&rig.direct);
    assert_true(is_text(&record, "instead"));
    assert_int_equal(record.version, version);
    stop(&rig);
}

TEST_OF_KINDS(for_each_server, "The timeout bounds the whole answer, however slowly it comes")
{
    struct rig rig;
    struct fz_record record;
    char data[FZ_RECORD_SIZE_MAX];
    uint64_t version;

    start(&rig, kind);
    memset(data, 'x', sizeof data);
    assert_int_equal(rig.direct.swap(rig.direct.ctx, FZ_DEADLINE_NONE, &(struct fz_swap){0, 0, data, sizeof data},
                                     &version, NULL, NULL),
                     FZ_REGISTER_OK);
    (void)await_read(&rig.through);
    proxy_set(rig.proxy, PROXY_DRIBBLE); /* 2 ms for each byte of the record: a second in all */
    assert_int_not_equal(register_read(&rig.through, 0, &record), FZ_REGISTER_OK);
    proxy_set(rig.proxy, PROXY_PASS);
    assert_int_equal(await_read(&rig.through).len, sizeof data);
    stop(&rig);
}

static void count_record(void *ctx, uint32_t number, const struct fz_record *record)
{
    size_t *n = ctx;

    assert_true(number < 3 && record->version != 0);
    ++*n;
}

/* Reads three records, of which one exists. */
static enum fz_register_result read_three(const struct fz_register *reg, size_t *ret_n)
{
    static const uint32_t numbers[] = {0, 1, 2};

    memset(&register_said, 0, sizeof register_said);
    *ret_n = 0;
    return reg->read_many(reg->ctx, FZ_DEADLINE_NONE, numbers, 3, 3, count_record, ret_n, NULL, &register_said);
}

TEST_OF_KINDS(for_each_server, "Several records that are read at once over a network that fails: all, or an error; the "
                               "late answer is not taken for the next one")
{
    static const enum proxy_mode modes[] = {PROXY_LOSE_REPLIES, PROXY_HOLD_REPLIES, PROXY_CUT_REPLIES, PROXY_RESET,
                                            PROXY_HOLD_REQUESTS};
    struct rig rig;
    size_t n;

    start(&rig, kind);
    register_must_swap(&rig.direct, 0, 0, "first");
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        (void)await_read(&rig.through); /* connects */
        proxy_set(rig.proxy, modes[i]);
        assert_int_not_equal(read_three(&rig.through, &n), FZ_REGISTER_OK);
        assert_int_not_equal(register_said.message[0], '\0');
        proxy_set(rig.proxy, PROXY_PASS);
        AWAIT(read_three(&rig.through, &n) == FZ_REGISTER_OK, "%s", register_said.message);
        assert_int_equal(n, 1);
    }
    stop(&rig);
}

TEST_OF_KINDS(for_each_server, "Where nobody listens certainly nothing was done")
{
    struct fz_register reg = kind_open(kind, free_port(), SHORT_MS);
    struct fz_record record;
    uint64_t version;
    size_t n;

    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_UNREACHABLE);
    assert_int_not_equal(register_said.message[0], '\0');
    assert_int_equal(register_swap(&reg, 0, 0, "x", &version), FZ_REGISTER_UNREACHABLE);
    assert_int_not_equal(register_said.message[0], '\0');
    assert_int_equal(read_three(&reg, &n), FZ_REGISTER_UNREACHABLE);
    assert_int_not_equal(register_said.message[0], '\0');
    reg.close(reg.ctx);
}

TEST_OF_KINDS(for_each_server, "A client that is hung up on as soon as it connects fails, and goes on when it is not")
{
    struct rig rig;
    struct fz_record record;
    uint64_t version;

    start(&rig, kind);
    proxy_set(rig.proxy, PROXY_HANG_UP);
    assert_int_not_equal(register_read(&rig.through, 0, &record), FZ_REGISTER_OK);
    assert_int_not_equal(register_swap(&rig.through, 0, 0, "x", &version), FZ_REGISTER_OK);
    proxy_set(rig.proxy, PROXY_PASS);
    assert_int_equal(await_read(&rig.through).version, 0);
    stop(&rig);
}

TEST_OF_KINDS(for_each_server,
              "An answer that no coordinator gives is never taken for a yes or a no, be it the first one or not")
{
    static const char *const texts[] = {
        "x",
        "\r\n\r\n\r\n",
        "+OK\r\n+OK\r\n",
        "$-1\r\n*0\r\n",
        "\xff\xff\xff\xff\xff\xff\xff\xff",
        "\x01\x01\x01\x01\x01\x01\x01\x01",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nContent-Length: 2000000000\r\n\r\n{",
        "HTTP/1.1 400 Bad Request\r\n\r\n",
        "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n",
    };
    uint64_t version = 0;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        for (int connected = 0; connected <= 1; connected++) {
            struct rig rig;
            uint64_t untouched = 4711;
            start(&rig, kind);
            if (version == 0) /* a new record may take a question more, which would get the text */
                version = register_must_swap(&rig.direct, 0, 0, "first");
            if (connected)
                (void)await_read(&rig.through);
            proxy_say(rig.proxy, texts[i]);
            enum fz_register_result result = register_swap(&rig.through, 0, version, "x", &untouched);
            if (result == FZ_REGISTER_OK || result == FZ_REGISTER_CONFLICT)
                fail_msg("taken for an answer: %s", texts[i]);
            assert_int_equal(untouched, 4711);
            assert_int_not_equal(register_said.message[0], '\0');
            stop(&rig);
        }
    }
}

TEST_OF_KINDS(
    for_each_server,
    "A connection that ended while nobody used it is noticed before the next request, which is then not in doubt")
{
    struct rig rig;

    start(&rig, kind);
    uint64_t version = register_must_swap(&rig.direct, 0, 0, "first");
    for (int i = 0; i < 3; i++) {
        kind->kill(kind->server);
        kind->restart();
        version = register_must_swap(&rig.direct, 0, version, "again"); /* which is also what a restart must not lose */
    }
    stop(&rig);
}

TEST_OF_KINDS(for_each_server, "Writing to a server that is gone does not end the program, nor leaves it a signal")
{
    struct fz_register reg = kind_open(kind, 0, SHORT_MS);
    uint64_t version;
    sigset_t pending;

    (void)await_read(&reg);
    kind->kill(kind->server);
    for (int i = 0; i < 3; i++)
        assert_int_not_equal(register_swap(&reg, 0, 0, "x", &version), FZ_REGISTER_OK);
    assert_int_equal(sigpending(&pending), 0);
    assert_int_equal(sigismember(&pending, SIGPIPE), 0);
    kind->restart();
    (void)await_read(&reg);
    reg.close(reg.ctx);
}

/* ---- many who count one record up ------------------------------------------------ */

/* The outcome of all their swaps, in memory that processes share. */
struct tally {
    _Atomic unsigned done;
    _Atomic unsigned unknown;
    _Atomic bool stop;
};

struct counter {
    const struct register_kind *kind;
    struct tally *tally;
    uint16_t port;
    unsigned timeout_ms;
};

static unsigned number_in(const struct fz_record *record)
{
    char text[24] = "";

    assert_true(record->len < sizeof text);
    memcpy(text, record->data, record->len);
    return record->version == 0 ? 0 : (unsigned)strtoul(text, NULL, 10);
}

static void count_once(const struct fz_register *reg, struct tally *tally)
{
    struct fz_record record = {.version = 0, .len = 0};
    char text[24];
    uint64_t version;

    if (reg->read(reg->ctx, FZ_DEADLINE_NONE, 0, &record, NULL, NULL) != FZ_REGISTER_OK) {
        pause_shortly();
        return;
    }
    int len = snprintf(text, sizeof text, "%u", number_in(&record) + 1);
    switch (reg->swap(reg->ctx, FZ_DEADLINE_NONE, &(struct fz_swap){0, record.version, text, (size_t)len}, &version,
                      NULL, NULL)) {
    case FZ_REGISTER_OK:
        tally->done++;
        break;
    case FZ_REGISTER_UNKNOWN:
        tally->unknown++;
        break;
    default:
        break;
    }
}

static void *count(void *ctx)
{
    const struct counter *counter = ctx;
    struct fz_register reg = kind_open(counter->kind, counter->port, counter->timeout_ms);

    while (!counter->tally->stop)
        count_once(&reg, counter->tally);
    reg.close(reg.ctx);
    return NULL;
}

/* Waits for this many more to be counted. */
static void await_progress(struct tally *tally, unsigned more)
{
    unsigned wanted = tally->done + more;

    AWAIT(tally->done >= wanted, "%s", register_said.message);
}

/* All that was done is counted, and nothing that was certainly not done. */
static void check_tally(const struct register_kind *kind, struct tally *tally)
{
    struct fz_register reg = kind_open(kind, 0, LONG_MS);
    struct fz_record record = await_read(&reg);
    unsigned number = number_in(&record);

    print_message("  %u done, %u unknown, %u counted\n", tally->done, tally->unknown, number);
    assert_in_range(number, tally->done, tally->done + tally->unknown);
    reg.close(reg.ctx);
}

enum { COUNTERS = 3, PROCESSES = 3 };

static void run_threads(const struct counter *counter, pthread_t threads[COUNTERS])
{
    for (size_t i = 0; i < COUNTERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count, (void *)(uintptr_t)counter), 0);
}

static void join_threads(struct tally *tally, const pthread_t threads[COUNTERS])
{
    tally->stop = true;
    for (size_t i = 0; i < COUNTERS; i++)
        pthread_join(threads[i], NULL);
}

TEST_OF_KINDS(for_each_server, "Several threads race through a network with one fault after the other")
{
    static const enum proxy_mode modes[] = {PROXY_HOLD_REQUESTS, PROXY_LOSE_REPLIES, PROXY_CUT_REPLIES, PROXY_CUT_LATE,
                                            PROXY_RESET,         PROXY_HOLD_REPLIES, PROXY_HANG_UP,     PROXY_DRIBBLE};
    struct proxy *proxy = proxy_start(kind->server->port);
    struct tally tally = {.done = 0};
    pthread_t threads[COUNTERS];

    const struct counter counter = {kind, &tally, proxy->port, SHORT_MS};
    run_threads(&counter, threads);
    for (size_t i = 0; i < 2 * sizeof modes / sizeof modes[0]; i++) {
        await_progress(&tally, 20); /* all faults over, they get on by themselves */
        unsigned unknown = tally.unknown;
        proxy_set(proxy, modes[i / 2]);
        for (int pauses = 0; pauses < 60 && tally.unknown == unknown; pauses++)
            pause_shortly();
        proxy_set(proxy, PROXY_PASS);
    }
    await_progress(&tally, 20);
    join_threads(&tally, threads);
    proxy_stop(proxy);
    check_tally(kind, &tally);
}

static pid_t run_process(const struct counter *counter)
{
    pthread_t threads[COUNTERS];
    pid_t child = bound_fork();

    assert_true(child >= 0);
    if (child != 0)
        return child;
    run_threads(counter, threads);
    for (size_t i = 0; i < COUNTERS; i++)
        pthread_join(threads[i], NULL);
    _exit(0);
}

TEST_OF_KINDS(for_each_server, "Several processes of several threads race while the server is killed and started again")
{
    struct tally *tally = mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t children[PROCESSES];
    int status = 0;

    assert_true(tally != MAP_FAILED);
    const struct counter counter = {kind, tally, 0, 1000};
    for (size_t i = 0; i < PROCESSES; i++)
        children[i] = run_process(&counter);
    for (int i = 0; i < 3; i++) {
        await_progress(tally, 50);
        kind->kill(kind->server);
        kind->restart();
    }
    await_progress(tally, 50);
    tally->stop = true;
    for (size_t i = 0; i < PROCESSES; i++) {
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    check_tally(kind, tally);
    munmap(tally, sizeof *tally);
}
