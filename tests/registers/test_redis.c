/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: over a real Redis and a network that misbehaves, an answer is
 * never taken for more than it is: what may have been done is unknown, what was
 * certainly not done is unreachable, and a late reply is not that of the next.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/proxy.h"
#include "lib/redis_server.h"
#include "registers/redis/redis_register.h"

struct rig {
    struct redis_server server;
    struct proxy proxy;
    struct fz_register through; /* the proxy, with a short timeout */
    struct fz_register direct;
    frazil_error err;
};

__attribute__((format(printf, 1, 2))) static struct fz_register open_url(const char *format, ...)
{
    struct fz_register reg;
    frazil_error err;
    char url[256];
    va_list args;

    va_start(args, format);
    vsnprintf(url, sizeof url, format, args);
    va_end(args);
    if (fz_redis_register_open(&reg, url, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    return reg;
}

static void close_register(struct fz_register *reg)
{
    reg->close(reg->ctx);
}

static void start_with(struct rig *rig, const char *const *arguments)
{
    redis_server_start(&rig->server, arguments);
    proxy_start(&rig->proxy, rig->server.port);
    rig->through = open_url("redis://127.0.0.1:%u/orders?timeout=200ms", (unsigned)rig->proxy.port);
    rig->direct = open_url("redis://127.0.0.1:%u/orders?timeout=10s", (unsigned)rig->server.port);
}

static void stop(struct rig *rig)
{
    close_register(&rig->through);
    close_register(&rig->direct);
    proxy_stop(&rig->proxy);
    redis_server_stop(&rig->server);
}

static enum fz_register_result swap(struct rig *rig, const struct fz_register *reg, uint64_t expected, const char *text,
                                    uint64_t *ret_version)
{
    memset(&rig->err, 0, sizeof rig->err);
    return reg->swap(reg->ctx, 0, expected, text, strlen(text), ret_version, NULL, &rig->err);
}

static enum fz_register_result read_first(struct rig *rig, const struct fz_register *reg, struct fz_record *ret)
{
    memset(&rig->err, 0, sizeof rig->err);
    return reg->read(reg->ctx, 0, ret, NULL, &rig->err);
}

static void assert_said(const struct rig *rig, const char *words)
{
    if (strstr(rig->err.message, words) == NULL)
        fail_msg("%s; wanted: %s", rig->err.message, words);
}

static struct fz_register_status status_of(struct rig *rig, const struct fz_register *reg)
{
    struct fz_register_status status;
    struct fz_record record;

    if (reg->read(reg->ctx, 0, &record, &status, &rig->err) != FZ_REGISTER_OK)
        fail_msg("%s", rig->err.message);
    return status;
}

/* ---- a network that misbehaves --------------------------------------------------- */

/* A reply that was lost although the request was carried out: unknown, and the record says what happened. */
static void test_lost_reply(void **state)
{
    static const enum proxy_mode modes[] = {PROXY_LOSE_REPLIES, PROXY_CUT_REPLIES, PROXY_RESET};

    (void)state;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        struct rig rig;
        struct fz_record record;
        uint64_t first = 0;
        uint64_t untouched = 4711;
        start_with(&rig, NULL);
        assert_int_equal(swap(&rig, &rig.through, 0, "first", &first), FZ_REGISTER_OK);
        unsigned replies = rig.proxy.replies;
        proxy_set(&rig.proxy, modes[i]);
        assert_int_equal(swap(&rig, &rig.through, first, "second", &untouched), FZ_REGISTER_UNKNOWN);
        assert_int_equal(untouched, 4711);
        assert_said(&rig,
                    modes[i] == PROXY_LOSE_REPLIES ? "did not answer within 200 ms" : "broke off without an answer");
        proxy_await(&rig.proxy.replies, replies + 1);
        proxy_set(&rig.proxy, PROXY_PASS);
        assert_int_equal(read_first(&rig, &rig.through, &record), FZ_REGISTER_OK);
        assert_true(record.version > first);
        assert_memory_equal(record.data, "second", 6);
        stop(&rig);
    }
}

/* After a timeout the connection is closed: the late reply is not taken for that to the next command. */
static void test_late_reply(void **state)
{
    struct rig rig;
    struct fz_record record;
    uint64_t version = 0;

    (void)state;
    start_with(&rig, NULL);
    assert_int_equal(swap(&rig, &rig.through, 0, "first", &version), FZ_REGISTER_OK);
    proxy_set(&rig.proxy, PROXY_HOLD_REPLIES);
    assert_int_equal(read_first(&rig, &rig.through, &record), FZ_REGISTER_UNKNOWN);
    assert_int_equal(swap(&rig, &rig.direct, version, "second", &version), FZ_REGISTER_OK);
    proxy_set(&rig.proxy, PROXY_PASS);
    assert_int_equal(read_first(&rig, &rig.through, &record), FZ_REGISTER_OK);
    assert_memory_equal(record.data, "second", 6);
    stop(&rig);
}

/* A request that arrives after its sender has given up is carried out all the same, and only once, if at all. */
static void test_late_request(void **state)
{
    struct rig rig;
    struct fz_record record = {.version = 0};
    uint64_t first = 0;
    uint64_t version;

    (void)state;
    start_with(&rig, NULL);
    assert_int_equal(swap(&rig, &rig.through, 0, "first", &first), FZ_REGISTER_OK);
    unsigned replies = rig.proxy.replies;
    proxy_set(&rig.proxy, PROXY_HOLD_REQUESTS);
    assert_int_equal(swap(&rig, &rig.through, first, "late", &version), FZ_REGISTER_UNKNOWN);
    assert_int_equal(swap(&rig, &rig.direct, first, "instead", &version), FZ_REGISTER_OK);
    proxy_set(&rig.proxy, PROXY_PASS);
    proxy_await(&rig.proxy.replies, replies + 1);
    assert_int_equal(read_first(&rig, &rig.direct, &record), FZ_REGISTER_OK);
    assert_int_equal(record.version, version);
    assert_memory_equal(record.data, "instead", 7);
    stop(&rig);
}

/* The timeout bounds the whole answer, however slowly it comes. */
static void test_dribble(void **state)
{
    struct rig rig;
    struct fz_record record;

    (void)state;
    start_with(&rig, NULL);
    proxy_set(&rig.proxy, PROXY_DRIBBLE); /* its 150 bytes and more take 2 ms each */
    assert_int_equal(read_first(&rig, &rig.through, &record), FZ_REGISTER_UNKNOWN);
    assert_said(&rig, "did not answer within 200 ms");
    proxy_set(&rig.proxy, PROXY_PASS);
    assert_int_equal(read_first(&rig, &rig.through, &record), FZ_REGISTER_OK);
    stop(&rig);
}

/* Nobody listens, or the host does not exist: certainly nothing was done. */
static void test_unreachable(void **state)
{
    struct rig rig;
    struct fz_record record;
    uint64_t version;

    (void)state;
    struct fz_register reg = open_url("redis://127.0.0.1:%u/orders", (unsigned)free_port());
    assert_int_equal(read_first(&rig, &reg, &record), FZ_REGISTER_UNREACHABLE);
    assert_said(&rig, "/orders?db=0: cannot be connected to: Connection refused");
    assert_int_equal(swap(&rig, &reg, 0, "x", &version), FZ_REGISTER_UNREACHABLE);
    close_register(&reg);
    reg = open_url("redis+unix:///nonexistent/socket/orders");
    assert_int_equal(read_first(&rig, &reg, &record), FZ_REGISTER_UNREACHABLE);
    close_register(&reg);
}

/* Whoever is hung up on before he has said anything has at least not been heard. */
static void test_hung_up(void **state)
{
    struct rig rig;
    struct fz_record record;

    (void)state;
    start_with(&rig, NULL);
    proxy_set(&rig.proxy, PROXY_HANG_UP);
    assert_int_not_equal(read_first(&rig, &rig.through, &record), FZ_REGISTER_OK);
    proxy_set(&rig.proxy, PROXY_PASS);
    assert_int_equal(read_first(&rig, &rig.through, &record), FZ_REGISTER_OK);
    stop(&rig);
}

/* A connection that ended while nobody used it is noticed before the next request, which is then not in doubt. */
static void test_ended_while_idle(void **state)
{
    struct rig rig;
    uint64_t version = 0;

    (void)state;
    start_with(&rig, NULL);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(swap(&rig, &rig.direct, version, "x", &version), FZ_REGISTER_OK);
        assert_string_equal(redis_server_ask(&rig.server, "CLIENT KILL TYPE normal SKIPME yes"), "1");
    }
    stop(&rig);
}

/* Writing to a server that is gone does not end the program. */
static void test_no_sigpipe(void **state)
{
    struct rig rig;
    struct fz_record record;
    uint64_t version;

    (void)state;
    start_with(&rig, NULL);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(read_first(&rig, &rig.direct, &record), FZ_REGISTER_OK);
        redis_server_kill(&rig.server);
        assert_int_not_equal(swap(&rig, &rig.direct, 1, "x", &version), FZ_REGISTER_OK);
        redis_server_restart(&rig.server, NULL);
    }
    sigset_t pending;
    assert_int_equal(sigpending(&pending), 0);
    assert_int_equal(sigismember(&pending, SIGPIPE), 0);
    stop(&rig);
}

/* What is no answer of Redis, or of our script, is refused or unknown, and never a record. */
static void test_strange_answers(void **state)
{
    static const char *const texts[] = {
        "HTTP/1.1 400 Bad Request\r\n\r\n",
        "+OK\r\n+OK\r\n",
        ":1\r\n:1\r\n",
        "$-1\r\n$-1\r\n",
        "*-1\r\n*-1\r\n",
        "*0\r\n*0\r\n",
        "*1\r\n:1\r\n*0\r\n",
        "*7\r\n:1\r\n:2\r\n:3\r\n:4\r\n:5\r\n:6\r\n:7\r\n+x\r\n",
        "*7\r\n$1\r\n1\r\n$1\r\n2\r\n$-1\r\n$1\r\na\r\n$6\r\nmaster\r\n$1\r\nx\r\n$1\r\n9\r\n+x\r\n",
        "*7\r\n$1\r\n1\r\n$7\r\n1000000\r\n$1\r\na\r\n$1\r\nb\r\n$6\r\nmaster\r\n$1\r\nx\r\n$1\r\n9\r\n+x\r\n",
        "*7\r\n$1\r\n1\r\n$1\r\n2\r\n$1\r\na\r\n$1\r\nb\r\n$6\r\nmaster\r\n$1\r\nx\r\n$3\r\n9 x\r\n+x\r\n",
        "*7\r\n$1\r\n1\r\n$1\r\n2\r\n$1\r\na\r\n$1\r\nb\r\n$6\r\nmaster\r\n$1\r\nx\r\n$1\r\n5\r\n+x\r\n",
        "*6\r\n$1\r\n1\r\n$1\r\n2\r\n$1\r\na\r\n$1\r\nb\r\n$5\r\nslave\r\n$1\r\nx\r\n+x\r\n",
        "-ERR something\r\n-ERR else\r\n",
        "-LOADING Redis is loading\r\n-LOADING it\r\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct rig rig;
        uint64_t untouched = 4711;
        start_with(&rig, NULL);
        proxy_say(&rig.proxy, texts[i]);
        enum fz_register_result result = swap(&rig, &rig.through, 5, "x", &untouched);
        if (result == FZ_REGISTER_OK || result == FZ_REGISTER_CONFLICT)
            fail_msg("taken for an answer: %s", texts[i]);
        assert_int_equal(untouched, 4711);
        assert_int_not_equal(rig.err.message[0], '\0');
        stop(&rig);
    }
}

/* ---- the server ---------------------------------------------------------------- */

/* A restart is another incarnation, with what was saved or without; nothing else is. */
static void test_incarnation(void **state)
{
    struct rig rig;
    struct fz_record record;
    uint64_t version = 0;

    (void)state;
    static const char *const durable[] = {"--appendonly", "yes", "--appendfsync", "always", "--save", "", NULL};
    start_with(&rig, durable);
    assert_int_equal(swap(&rig, &rig.through, 0, "first", &version), FZ_REGISTER_OK);
    struct fz_register_status first = status_of(&rig, &rig.through);
    assert_string_equal(status_of(&rig, &rig.direct).incarnation, first.incarnation);
    assert_string_equal(redis_server_ask(&rig.server, "FLUSHALL"), "OK");
    assert_string_equal(status_of(&rig, &rig.direct).incarnation, first.incarnation);
    version = 0;
    assert_int_equal(swap(&rig, &rig.through, 0, "again", &version), FZ_REGISTER_OK);
    redis_server_kill(&rig.server);
    redis_server_restart(&rig.server, durable);
    struct fz_register_status second = status_of(&rig, &rig.direct);
    assert_string_not_equal(second.incarnation, first.incarnation);
    assert_int_equal(read_first(&rig, &rig.direct, &record), FZ_REGISTER_OK);
    assert_int_equal(record.version, version);
    stop(&rig);
}

/* The clock is the server's. */
static void test_clock(void **state)
{
    struct rig rig;

    (void)state;
    start_with(&rig, NULL);
    struct fz_register_status status = status_of(&rig, &rig.direct);
    long long before_s = strtoll(redis_server_ask(&rig.server, "EVAL \"return redis.call('TIME')[1]\" 0"), NULL, 10);
    assert_true(status.has_clock);
    assert_in_range(before_s * 1000 - status.unix_ms + 60000, 0, 120000);
    stop(&rig);
}

/* The incarnation is the run id and the replication id, each of which can change alone. */
static void test_incarnation_parts(void **state)
{
    struct rig rig;
    char run_id[64];
    char wanted[FZ_INCARNATION_SIZE];

    (void)state;
    start_with(&rig, NULL);
    snprintf(run_id, sizeof run_id, "%s",
             redis_server_ask(&rig.server, "EVAL \"return redis.call('INFO', 'server'):match('run_id:(%x+)')\" 0"));
    assert_int_equal(strlen(run_id), 40);
    for (int promotions = 0; promotions < 2; promotions++) {
        snprintf(
            wanted, sizeof wanted, "%s:%s", run_id,
            redis_server_ask(&rig.server, "EVAL \"return redis.call('INFO', 'replication'):match('replid:(%x+)')\" 0"));
        assert_string_equal(status_of(&rig, &rig.direct).incarnation, wanted);
        assert_string_equal(redis_server_ask(&rig.server, "REPLICAOF 127.0.0.1 1"), "OK");
        assert_string_equal(redis_server_ask(&rig.server, "REPLICAOF NO ONE"), "OK");
        assert_string_not_equal(status_of(&rig, &rig.direct).incarnation, wanted);
    }
    stop(&rig);
}

static void start_replica(const struct rig *master, struct redis_server *ret)
{
    char port[8];
    const char *arguments[] = {"--replicaof", "127.0.0.1", port, "--repl-diskless-sync-delay", "0", NULL};

    snprintf(port, sizeof port, "%u", (unsigned)master->server.port);
    /* On the command line the two words of replicaof are one option's. */
    redis_server_start(ret, arguments);
    for (int tries = 0; tries < 2000; tries++) {
        const char *link =
            redis_server_ask(ret, "EVAL \"return redis.call('INFO', 'replication'):match('link_status:(%a+)')\" 0");
        if (strcmp(link, "up") == 0)
            return;
        clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    fail_msg("the replica does not find its master");
}

/* A replica is not asked; when it has been made a master it is another incarnation than the old one was. */
static void test_replica(void **state)
{
    struct rig rig;
    struct redis_server replica;
    struct fz_record record;
    uint64_t version;

    (void)state;
    start_with(&rig, NULL);
    struct fz_register_status old = status_of(&rig, &rig.direct);
    start_replica(&rig, &replica);
    struct fz_register reg = open_url("redis://127.0.0.1:%u/orders", (unsigned)replica.port);
    assert_int_equal(read_first(&rig, &reg, &record), FZ_REGISTER_UNREACHABLE);
    assert_said(&rig, "is a replica: worker ids need its master");
    assert_int_equal(swap(&rig, &reg, 0, "x", &version), FZ_REGISTER_UNREACHABLE);
    assert_string_equal(redis_server_ask(&replica, "REPLICAOF NO ONE"), "OK");
    assert_string_not_equal(status_of(&rig, &reg).incarnation, old.incarnation);
    close_register(&reg);
    redis_server_stop(&replica);
    stop(&rig);
}

/* wait=N: a write that too few replicas have is done, and yet not to be relied on. */
static void test_wait(void **state)
{
    struct rig rig;
    struct redis_server replica;
    struct fz_record record;
    uint64_t version = 0;

    (void)state;
    start_with(&rig, NULL);
    struct fz_register reg = open_url("redis://127.0.0.1:%u/orders?wait=1&timeout=300ms", (unsigned)rig.server.port);
    assert_int_equal(swap(&rig, &reg, 0, "lonely", &version), FZ_REGISTER_UNKNOWN);
    assert_said(&rig, "0 of the 1 replicas that are wanted have the write");
    assert_int_equal(read_first(&rig, &reg, &record), FZ_REGISTER_OK);
    assert_memory_equal(record.data, "lonely", 6);
    assert_int_equal(swap(&rig, &reg, 1, "x", &version), FZ_REGISTER_CONFLICT);
    close_register(&reg);

    start_replica(&rig, &replica);
    reg = open_url("redis://127.0.0.1:%u/orders?wait=1&timeout=10s", (unsigned)rig.server.port);
    assert_int_equal(swap(&rig, &reg, record.version, "kept", &version), FZ_REGISTER_OK);
    assert_string_equal(
        redis_server_ask(&replica, "EVAL \"return redis.call('HGET', 'frazil:lease:orders', '0'):sub(-4)\" 0"), "kept");
    close_register(&reg);
    redis_server_stop(&replica);
    stop(&rig);
}

/* A server that may evict any key is refused, and the sentence says what to set. */
static void test_eviction(void **state)
{
    static const char *const arguments[] = {"--maxmemory-policy", "allkeys-lru", NULL};
    struct rig rig;
    struct fz_record record;
    uint64_t version;

    (void)state;
    start_with(&rig, arguments);
    assert_int_equal(read_first(&rig, &rig.direct, &record), FZ_REGISTER_REFUSED);
    assert_said(&rig, "maxmemory-policy 'allkeys-lru'");
    assert_said(&rig, "set noeviction, or a volatile-* policy");
    assert_int_equal(swap(&rig, &rig.direct, 0, "x", &version), FZ_REGISTER_REFUSED);
    assert_string_equal(redis_server_ask(&rig.server, "EXISTS frazil:lease:orders"), "0");
    assert_string_equal(redis_server_ask(&rig.server, "CONFIG SET maxmemory-policy volatile-lru"), "OK");
    assert_int_equal(swap(&rig, &rig.direct, 0, "x", &version), FZ_REGISTER_OK);
    assert_string_equal(redis_server_ask(&rig.server, "TTL frazil:lease:orders"), "-1");
    stop(&rig);
}

/* A password, by the URL or by a file; without it or with a wrong one: refused, and no sentence has it. */
static void test_password(void **state)
{
    static const char *const arguments[] = {"--requirepass", "s3cret/?", NULL};
    struct rig rig;
    struct fz_record record;
    char path[128];

    (void)state;
    start_with(&rig, arguments);
    assert_int_equal(read_first(&rig, &rig.direct, &record), FZ_REGISTER_REFUSED);
    assert_said(&rig, "NOAUTH");
    unsigned port = rig.server.port;
    struct fz_register wrong = open_url("redis://:wr0ng@127.0.0.1:%u/orders", port);
    assert_int_equal(read_first(&rig, &wrong, &record), FZ_REGISTER_REFUSED);
    assert_said(&rig, "WRONGPASS");
    assert_null(strstr(rig.err.message, "wr0ng"));
    struct fz_register right = open_url("redis://:s3cret%%2f%%3f@127.0.0.1:%u/orders", port);
    assert_int_equal(read_first(&rig, &right, &record), FZ_REGISTER_OK);
    struct fz_register named = open_url("redis://default:s3cret%%2f%%3f@127.0.0.1:%u/orders?db=2", port);
    assert_int_equal(read_first(&rig, &named, &record), FZ_REGISTER_OK);

    snprintf(path, sizeof path, "%s/password", rig.server.folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("s3cret/?\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    struct fz_register by_file = open_url("redis://127.0.0.1:%u/orders?password_file=%s", port, path);
    assert_int_equal(read_first(&rig, &by_file, &record), FZ_REGISTER_OK);
    close_register(&by_file);
    close_register(&named);
    close_register(&right);
    close_register(&wrong);
    stop(&rig);
}

/* Without an answer to the password nothing that matters was sent: nothing is in doubt. */
static void test_password_without_answer(void **state)
{
    struct rig rig;
    uint64_t version;

    (void)state;
    start_with(&rig, NULL);
    struct fz_register reg = open_url("redis://:x@127.0.0.1:%u/orders?timeout=100ms", (unsigned)rig.proxy.port);
    proxy_set(&rig.proxy, PROXY_HOLD_REPLIES);
    assert_int_equal(swap(&rig, &reg, 0, "x", &version), FZ_REGISTER_UNREACHABLE);
    assert_said(&rig, "did not answer within 100 ms");
    close_register(&reg);
    stop(&rig);
}

/* Databases and namespaces are apart; one that does not exist is refused before anything is written elsewhere. */
static void test_database(void **state)
{
    struct rig rig;
    struct fz_record record;
    uint64_t version;

    (void)state;
    start_with(&rig, NULL);
    struct fz_register other_db = open_url("redis://127.0.0.1:%u/orders?db=3", (unsigned)rig.server.port);
    struct fz_register other_name = open_url("redis://127.0.0.1:%u/bills", (unsigned)rig.server.port);
    struct fz_register no_db = open_url("redis://127.0.0.1:%u/orders?db=99", (unsigned)rig.server.port);
    struct fz_register by_socket = open_url("redis+unix://%s/orders?db=3", rig.server.socket);
    assert_int_equal(swap(&rig, &other_db, 0, "db 3", &version), FZ_REGISTER_OK);
    assert_int_equal(read_first(&rig, &rig.direct, &record), FZ_REGISTER_OK);
    assert_int_equal(record.version, 0);
    assert_int_equal(read_first(&rig, &other_name, &record), FZ_REGISTER_OK);
    assert_int_equal(record.version, 0);
    assert_int_equal(read_first(&rig, &by_socket, &record), FZ_REGISTER_OK);
    assert_int_equal(record.version, version);
    assert_int_equal(swap(&rig, &no_db, 0, "x", &version), FZ_REGISTER_REFUSED);
    assert_said(&rig, "out of range");
    assert_int_equal(read_first(&rig, &rig.direct, &record), FZ_REGISTER_OK);
    assert_int_equal(record.version, 0);
    close_register(&other_db);
    close_register(&other_name);
    close_register(&no_db);
    close_register(&by_socket);
    stop(&rig);
}

/* After SCRIPT FLUSH the script is sent again, by itself. */
static void test_script_flushed(void **state)
{
    struct rig rig;
    uint64_t version = 0;

    (void)state;
    start_with(&rig, NULL);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(swap(&rig, &rig.direct, version, "x", &version), FZ_REGISTER_OK);
        assert_int_equal(swap(&rig, &rig.direct, version, "x", &version), FZ_REGISTER_OK);
        assert_string_equal(redis_server_ask(&rig.server, "SCRIPT FLUSH"), "OK");
    }
    stop(&rig);
}

static void note_versions(void *ctx, uint32_t number, const struct fz_record *record)
{
    uint64_t *versions = ctx;

    if (number < 4)
        versions[number] = record->version;
}

/* Versions grow when the server's clock has gone back, too. */
static void test_version_ahead_of_clock(void **state)
{
    struct rig rig;
    uint64_t version = 0;

    (void)state;
    start_with(&rig, NULL);
    assert_string_equal(redis_server_ask(&rig.server, "HSET frazil:lease:orders 0 '9000000000000000 x'"), "1");
    assert_int_equal(swap(&rig, &rig.direct, UINT64_C(9000000000000000), "y", &version), FZ_REGISTER_OK);
    assert_int_equal(version, UINT64_C(9000000000000001));
    stop(&rig);
}

/* What somebody else has put into the key is refused, or shown as damaged, and never overwritten. */
static void test_foreign_content(void **state)
{
    struct rig rig;
    struct fz_record record;
    uint64_t version;
    uint64_t versions[4] = {0};

    (void)state;
    start_with(&rig, NULL);
    assert_string_equal(redis_server_ask(&rig.server, "SET frazil:lease:orders x"), "OK");
    assert_int_equal(read_first(&rig, &rig.direct, &record), FZ_REGISTER_REFUSED);
    assert_said(&rig, "WRONGTYPE");
    assert_int_equal(swap(&rig, &rig.direct, 0, "x", &version), FZ_REGISTER_REFUSED);
    assert_string_equal(redis_server_ask(&rig.server, "DEL frazil:lease:orders"), "1");

    assert_string_equal(redis_server_ask(&rig.server, "HSET frazil:lease:orders 0 foreign 1 '7 x' 2 07"), "3");
    assert_int_equal(read_first(&rig, &rig.direct, &record), FZ_REGISTER_REFUSED);
    assert_said(&rig, "is not what frazil has written");
    assert_int_equal(swap(&rig, &rig.direct, 0, "x", &version), FZ_REGISTER_CONFLICT);
    assert_int_equal(rig.direct.read_all(rig.direct.ctx, note_versions, versions, NULL, NULL), FZ_REGISTER_OK);
    assert_int_equal(versions[0], 1);
    assert_int_equal(versions[1], 7);
    assert_int_equal(versions[2], 1);
    assert_int_equal(versions[3], 0);
    assert_string_equal(redis_server_ask(&rig.server, "HSET frazil:lease:orders namespace foreign"), "1");
    assert_int_equal(rig.direct.read_all(rig.direct.ctx, note_versions, versions, NULL, &rig.err), FZ_REGISTER_REFUSED);
    assert_string_equal(redis_server_ask(&rig.server, "HDEL frazil:lease:orders namespace"), "1");
    assert_string_equal(redis_server_ask(&rig.server, "HSET frazil:lease:orders worker x"), "1");
    assert_int_equal(rig.direct.read_all(rig.direct.ctx, note_versions, versions, NULL, &rig.err), FZ_REGISTER_REFUSED);
    stop(&rig);
}

static int skip_without_server(void **state)
{
    (void)state;
    if (!redis_server_installed())
        exit(0);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lost_reply),
        cmocka_unit_test(test_late_reply),
        cmocka_unit_test(test_late_request),
        cmocka_unit_test(test_dribble),
        cmocka_unit_test(test_unreachable),
        cmocka_unit_test(test_hung_up),
        cmocka_unit_test(test_ended_while_idle),
        cmocka_unit_test(test_no_sigpipe),
        cmocka_unit_test(test_strange_answers),
        cmocka_unit_test(test_incarnation),
        cmocka_unit_test(test_incarnation_parts),
        cmocka_unit_test(test_clock),
        cmocka_unit_test(test_replica),
        cmocka_unit_test(test_wait),
        cmocka_unit_test(test_eviction),
        cmocka_unit_test(test_password),
        cmocka_unit_test(test_password_without_answer),
        cmocka_unit_test(test_database),
        cmocka_unit_test(test_script_flushed),
        cmocka_unit_test(test_version_ahead_of_clock),
        cmocka_unit_test(test_foreign_content),
    };

    return cmocka_run_group_tests(tests, skip_without_server, NULL);
}
