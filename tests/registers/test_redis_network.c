/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: over a network that misbehaves, an answer is
 * never taken for more than it is: what may have been done is unknown, what was
 * certainly not done is unreachable, and a late reply is not that of the next.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/redis_rig.h"

/* A reply that was lost although the request was carried out: unknown, and the record says what happened. */
static void test_lost_reply(void **state)
{
    static const enum proxy_mode modes[] = {PROXY_LOSE_REPLIES, PROXY_CUT_REPLIES, PROXY_RESET};

    (void)state;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        struct redis_rig rig;
        struct fz_record record;
        uint64_t first = 0;
        uint64_t untouched = 4711;
        redis_rig_start(&rig, NULL);
        assert_int_equal(redis_swap(&rig, &rig.through, 0, "first", &first), FZ_REGISTER_OK);
        unsigned replies = rig.proxy.replies;
        proxy_set(&rig.proxy, modes[i]);
        assert_int_equal(redis_swap(&rig, &rig.through, first, "second", &untouched), FZ_REGISTER_UNKNOWN);
        assert_int_equal(untouched, 4711);
        redis_assert_said(&rig, modes[i] == PROXY_LOSE_REPLIES ? "did not answer within 200 ms"
                                                               : "broke off without an answer");
        proxy_await(&rig.proxy.replies, replies + 1);
        proxy_set(&rig.proxy, PROXY_PASS);
        assert_int_equal(redis_read_first(&rig, &rig.through, &record), FZ_REGISTER_OK);
        assert_true(record.version > first);
        assert_memory_equal(record.data, "second", 6);
        redis_rig_stop(&rig);
    }
}

/* After a timeout the connection is closed: the late reply is not taken for that to the next command. */
static void test_late_reply(void **state)
{
    struct redis_rig rig;
    struct fz_record record;
    uint64_t version = 0;

    (void)state;
    redis_rig_start(&rig, NULL);
    assert_int_equal(redis_swap(&rig, &rig.through, 0, "first", &version), FZ_REGISTER_OK);
    proxy_set(&rig.proxy, PROXY_HOLD_REPLIES);
    assert_int_equal(redis_read_first(&rig, &rig.through, &record), FZ_REGISTER_UNKNOWN);
    assert_int_equal(redis_swap(&rig, &rig.direct, version, "second", &version), FZ_REGISTER_OK);
    proxy_set(&rig.proxy, PROXY_PASS);
    assert_int_equal(redis_read_first(&rig, &rig.through, &record), FZ_REGISTER_OK);
    assert_memory_equal(record.data, "second", 6);
    redis_rig_stop(&rig);
}

/* A request that arrives after its sender has given up is carried out all the same, and only once, if at all. */
static void test_late_request(void **state)
{
    struct redis_rig rig;
    struct fz_record record = {.version = 0};
    uint64_t first = 0;
    uint64_t version;

    (void)state;
    redis_rig_start(&rig, NULL);
    assert_int_equal(redis_swap(&rig, &rig.through, 0, "first", &first), FZ_REGISTER_OK);
    unsigned replies = rig.proxy.replies;
    proxy_set(&rig.proxy, PROXY_HOLD_REQUESTS);
    assert_int_equal(redis_swap(&rig, &rig.through, first, "late", &version), FZ_REGISTER_UNKNOWN);
    assert_int_equal(redis_swap(&rig, &rig.direct, first, "instead", &version), FZ_REGISTER_OK);
    proxy_set(&rig.proxy, PROXY_PASS);
    proxy_await(&rig.proxy.replies, replies + 1);
    assert_int_equal(redis_read_first(&rig, &rig.direct, &record), FZ_REGISTER_OK);
    assert_int_equal(record.version, version);
    assert_memory_equal(record.data, "instead", 7);
    redis_rig_stop(&rig);
}

/* The timeout bounds the whole answer, however slowly it comes. */
static void test_dribble(void **state)
{
    struct redis_rig rig;
    struct fz_record record;

    (void)state;
    redis_rig_start(&rig, NULL);
    proxy_set(&rig.proxy, PROXY_DRIBBLE); /* its 150 bytes and more take 2 ms each */
    assert_int_equal(redis_read_first(&rig, &rig.through, &record), FZ_REGISTER_UNKNOWN);
    redis_assert_said(&rig, "did not answer within 200 ms");
    proxy_set(&rig.proxy, PROXY_PASS);
    assert_int_equal(redis_read_first(&rig, &rig.through, &record), FZ_REGISTER_OK);
    redis_rig_stop(&rig);
}

/* Nobody listens, or the host does not exist: certainly nothing was done. */
static void test_unreachable(void **state)
{
    struct redis_rig rig;
    struct fz_record record;
    uint64_t version;

    (void)state;
    struct fz_register reg = redis_open_url("redis://127.0.0.1:%u/orders", (unsigned)free_port());
    assert_int_equal(redis_read_first(&rig, &reg, &record), FZ_REGISTER_UNREACHABLE);
    redis_assert_said(&rig, "/orders?db=0: cannot be connected to: Connection refused");
    assert_int_equal(redis_swap(&rig, &reg, 0, "x", &version), FZ_REGISTER_UNREACHABLE);
    redis_close(&reg);
    reg = redis_open_url("redis+unix:///nonexistent/socket/orders");
    assert_int_equal(redis_read_first(&rig, &reg, &record), FZ_REGISTER_UNREACHABLE);
    redis_close(&reg);
}

/* Whoever is hung up on before he has said anything has at least not been heard. */
static void test_hung_up(void **state)
{
    struct redis_rig rig;
    struct fz_record record;

    (void)state;
    redis_rig_start(&rig, NULL);
    proxy_set(&rig.proxy, PROXY_HANG_UP);
    assert_int_not_equal(redis_read_first(&rig, &rig.through, &record), FZ_REGISTER_OK);
    proxy_set(&rig.proxy, PROXY_PASS);
    assert_int_equal(redis_read_first(&rig, &rig.through, &record), FZ_REGISTER_OK);
    redis_rig_stop(&rig);
}

/* A connection that ended while nobody used it is noticed before the next request, which is then not in doubt. */
static void test_ended_while_idle(void **state)
{
    struct redis_rig rig;
    uint64_t version = 0;

    (void)state;
    redis_rig_start(&rig, NULL);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(redis_swap(&rig, &rig.direct, version, "x", &version), FZ_REGISTER_OK);
        assert_string_equal(redis_server_ask(&rig.server, "CLIENT KILL TYPE normal SKIPME yes"), "1");
    }
    redis_rig_stop(&rig);
}

/* Writing to a server that is gone does not end the program. */
static void test_no_sigpipe(void **state)
{
    struct redis_rig rig;
    struct fz_record record;
    uint64_t version;

    (void)state;
    redis_rig_start(&rig, NULL);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(redis_read_first(&rig, &rig.direct, &record), FZ_REGISTER_OK);
        server_kill(&rig.server);
        assert_int_not_equal(redis_swap(&rig, &rig.direct, 1, "x", &version), FZ_REGISTER_OK);
        redis_server_restart(&rig.server, NULL);
    }
    sigset_t pending;
    assert_int_equal(sigpending(&pending), 0);
    assert_int_equal(sigismember(&pending, SIGPIPE), 0);
    redis_rig_stop(&rig);
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
        struct redis_rig rig;
        uint64_t untouched = 4711;
        redis_rig_start(&rig, NULL);
        proxy_say(&rig.proxy, texts[i]);
        enum fz_register_result result = redis_swap(&rig, &rig.through, 5, "x", &untouched);
        if (result == FZ_REGISTER_OK || result == FZ_REGISTER_CONFLICT)
            fail_msg("taken for an answer: %s", texts[i]);
        assert_int_equal(untouched, 4711);
        assert_int_not_equal(rig.err.message[0], '\0');
        redis_rig_stop(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lost_reply),       cmocka_unit_test(test_late_reply),
        cmocka_unit_test(test_late_request),     cmocka_unit_test(test_dribble),
        cmocka_unit_test(test_unreachable),      cmocka_unit_test(test_hung_up),
        cmocka_unit_test(test_ended_while_idle), cmocka_unit_test(test_no_sigpipe),
        cmocka_unit_test(test_strange_answers),
    };

    return cmocka_run_group_tests(tests, redis_skip_without_server, NULL);
}
