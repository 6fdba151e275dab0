/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a client whose ids do not come, for want of memory or because it leaves, is not charged for them,
 * and neither is its generator.
 */
#include "clock.h"
#include "failing_memory.h"
#include "lib/test.h"
#include "server.h"
#include "session.h"

#define NOW (1000 * NS_PER_S)
#define RATE 1000
#define TICK_IDS 256
#define FREE_IDS 3 /* that are left of a tick, where a request is to wait for more */
#define SPEC "layout=39/16/8 tick=10ms worker=fixed:1 state=memory max_lead=0s"
#define RESP(text) "AUTH shop token\r\n" text
#define HTTP(query)                                                                                                    \
    "GET /v1/generators/main/ids" query " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer token\r\n\r\n"

/* SHA-256 of "token". */
static const unsigned char sha256[32] = {0x3c, 0x46, 0x9e, 0x9d, 0x6c, 0x58, 0x75, 0xd3, 0x7a, 0x43, 0xf3,
                                         0x53, 0xd4, 0xf8, 0x8e, 0x61, 0xfc, 0xf8, 0x12, 0xc6, 0x6e, 0xee,
                                         0x34, 0x57, 0x46, 0x5a, 0x40, 0xb0, 0xda, 0x41, 0x53, 0xe0};

static const struct {
    const char *text;
    bool is_http;
} questions[] = {
    {RESP("NEXT\r\nNEXT\r\nNEXT\r\nNEXT\r\nNEXT\r\n"), false},
    {RESP("NEXT main 5\r\n"), false},
    {RESP("NEXT.BIN main 5\r\n"), false},
    {RESP("INCRBY main 5\r\n"), false},
    {RESP("MULTI\r\nNEXT main 5\r\nEXEC\r\n"), false},
    {HTTP("?n=5"), true},
};

#define QUESTIONS (sizeof questions / sizeof questions[0])

static frazil_manual_clock *manual;
static struct engine engine;
static struct generator generator;
static struct user user;
static struct setup setup;
static struct server server;
static struct event_thread event_thread;
static struct session session;
static struct bytes out;
static uint64_t room[MAX_BATCH_MAX];

static void wake(void *connection)
{
    (void)connection;
}

static void open_engine(void)
{
    frazil_options *options = NULL;
    frazil_clock port;

    assert_int_equal(frazil_manual_clock_open(&manual, INT64_C(1780272000000), 0, NULL), FRAZIL_OK);
    frazil_manual_clock_port(manual, &port, sizeof port);
    assert_int_equal(frazil_options_open(&options, NULL), FRAZIL_OK);
    assert_int_equal(frazil_options_spec(options, SPEC, strlen(SPEC), NULL), FRAZIL_OK);
    assert_int_equal(frazil_options_clock(options, &port, NULL), FRAZIL_OK);
    engine = (struct engine){.name = "main"};
    assert_int_equal(frazil_open_with(&engine.gen, options, NULL), FRAZIL_OK);
    frazil_options_close(options);
    atomic_init(&engine.holders, 1);
}

static void open_user(void)
{
    user = (struct user){.name = "shop", .allow = "next:*", .has_secret = true, .rate = {.per_second = RATE}};
    memcpy(user.sha256, sha256, sizeof sha256);
    setup.users = (struct users){.rows = &user, .count = 1};
    assert_true(row_index_open(&setup.users.by_name, 1) && row_index_open(&setup.users.by_token, 1));
    assert_true(row_index_add(&setup.users.by_name, user.name, strlen(user.name), 0));
    assert_true(row_index_add(&setup.users.by_token, sha256, sizeof sha256, 0));
}

BEFORE_EACH
{
    static char no_keys[] = "";

    open_engine();
    generator = (struct generator){
        .engine = &engine, .name = engine.name, .keys = no_keys, .max_batch = RATE, .rate = {.per_second = RATE}};
    setup = (struct setup){.generators = {&generator, 1}, .settings.daemon.request_timeout_ns = NS_PER_S};
    for (int protocol = 0; protocol < PROTOCOL_COUNT; protocol++)
        setup.settings.listen[protocol].hosts = "";
    open_user();
    server = (struct server){.event_thread_count = 1, .event_threads = {&event_thread}};
    memset(&event_thread, 0, sizeof event_thread);
    event_thread.server = &server;
    event_thread.setup = &setup;
    event_thread.ids = room;
    event_thread.now_ns = NOW;
    event_thread.wake = wake;
}

AFTER_EACH
{
    memory_fails_at(0);
    row_index_close(&setup.users.by_name);
    row_index_close(&setup.users.by_token);
    frazil_close(engine.gen);
    frazil_manual_clock_close(manual);
}

/* How many ids a rate was charged for. */
static uint64_t charged(struct rate *rate)
{
    uint64_t full_ns = atomic_load(&rate->full_ns);

    return full_ns > NOW ? (full_ns - NOW) * RATE / NS_PER_S : 0;
}

static void expect_charged(uint64_t n)
{
    assert_int_equal(charged(&generator.rate), n);
    assert_int_equal(charged(&user.rate), n);
}

/* A new tick, of which so many ids are free. */
static void leave_free(size_t n)
{
    uint64_t others[TICK_IDS];

    frazil_manual_clock_advance(manual, 10 * NS_PER_MS);
    assert_int_equal(frazil_take(engine.gen, others, TICK_IDS - n, 0, NULL), FRAZIL_OK);
}

/* A new client asks; `at`: which piece of memory is missing then.  Whether it had a use for that piece. */
static bool ask(size_t question, unsigned at)
{
    const char *text = questions[question].text;
    size_t used, need;

    out = (struct bytes){0};
    session_open(&session, &event_thread, NULL, 1);
    session.is_http = questions[question].is_http;
    memory_fails_at(at);
    (void)session_run(&session, text, strlen(text), &used, &need, &out);
    bool has_failed = memory_calls() >= at;
    memory_fails_at(0);
    return has_failed;
}

static void leave(void)
{
    session_close(&session);
    bytes_free(&out);
    assert_null(event_thread.dispatcher.queues);
    assert_int_equal(atomic_load(&engine.waiting), 0);
    assert_int_equal(atomic_load(&engine.holders), 1);
}

TEST("Whichever memory is missing, nobody is charged for ids that a client waited for until it left")
{
    for (size_t question = 0; question < QUESTIONS; question++) {
        for (unsigned at = 1;; at++) {
            leave_free(FREE_IDS);
            bool has_failed = ask(question, at);
            leave();
            expect_charged(0);
            if (!has_failed)
                break;
        }
    }
}

TEST("Whichever memory is missing, ids that were free are charged once, and others are not")
{
    uint64_t before = 0;

    for (size_t question = 0; question < QUESTIONS; question++) {
        for (unsigned at = 1;; at++) {
            leave_free(TICK_IDS / 2);
            bool has_failed = ask(question, at);
            leave();
            expect_charged(atomic_load(&engine.ids) - before);
            if (!has_failed)
                break;
        }
        assert_true(atomic_load(&engine.ids) - before >= 5);
        before = atomic_load(&engine.ids);
        atomic_store(&generator.rate.full_ns, 0);
        atomic_store(&user.rate.full_ns, 0);
    }
}

TEST("Of commands that waited too long those are charged that had their ids")
{
    static const uint64_t charges[QUESTIONS] = {FREE_IDS};

    for (size_t question = 0; question < QUESTIONS; question++) {
        leave_free(FREE_IDS);
        (void)ask(question, 0);
        expect_charged(5);
        event_thread.now_ns += 2 * NS_PER_S;
        dispatcher_run(&event_thread.dispatcher, event_thread.now_ns);
        expect_charged(charges[question]);
        leave();
        expect_charged(charges[question]);
        event_thread.now_ns = NOW;
        atomic_store(&generator.rate.full_ns, 0);
        atomic_store(&user.rate.full_ns, 0);
    }
}

TEST("Equal commands have few ids together, as a client that does not read keeps them in memory, and one command has "
     "all")
{
    static const uint64_t each[] = {64, 8192, 10000}, together[] = {8192, 8192, 10000};
    char text[1 << 14];

    generator.max_batch = 10000;
    generator.rate.per_second = 0;
    user.rate.per_second = NS_PER_S; /* an id is a nanosecond */
    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) {
        size_t len = (size_t)snprintf(text, sizeof text, "AUTH token\r\n"), used, need;
        for (int n = 0; n < 500; n++)
            len += (size_t)snprintf(text + len, sizeof text - len, "NEXT main %d\r\n", (int)each[i]);
        leave_free(FREE_IDS);
        out = (struct bytes){0};
        setup.settings.daemon.request_timeout_ns = 10 * NS_PER_S; /* so many can come */
        session_open(&session, &event_thread, NULL, 1);
        assert_int_equal(session_run(&session, text, len, &used, &need, &out), SESSION_WAIT);
        assert_int_equal(atomic_load(&user.rate.full_ns) - NOW, together[i]);
        leave();
        assert_int_equal(atomic_load(&user.rate.full_ns), NOW);
    }
}

TEST("A client that can come back in a millisecond is told so")
{
    size_t used, need;

    leave_free(FREE_IDS);
    (void)ask(1, 0);
    frazil_manual_clock_advance(manual, 9 * NS_PER_MS);
    event_thread.now_ns += 2 * NS_PER_S;
    dispatcher_run(&event_thread.dispatcher, event_thread.now_ns);
    (void)session_run(&session, "", 0, &used, &need, &out);
    bytes_add(&out, "", 1);
    assert_non_null(strstr(out.at, "TRYAGAIN"));
    assert_non_null(strstr(out.at, " retry_ms=1\r\n"));
    leave();
}

/* Lines of replies, none of which has another one in it. */
static unsigned count_lines(void)
{
    unsigned count = 0;

    for (size_t i = 0; i < out.len; i++)
        count += out.at[i] == '\n';
    return count;
}

TEST("Whichever memory is missing, each of equal commands is answered, unless the connection ends")
{
    for (unsigned at = 1;; at++) {
        leave_free(FREE_IDS);
        bool has_failed = ask(0, at);
        if (session.batch == NULL && !out.failed)
            assert_int_equal(count_lines(), 1 + 5);
        leave();
        if (!has_failed)
            break;
    }
}
