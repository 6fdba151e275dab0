/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: what is Redis's own in a network that misbehaves; what is
 * common to all registers is in test_network.c.
 */

#include <signal.h>

#include "lib/redis_rig.h"
#include "lib/test.h"

BEFORE_ALL
{
    test_need(redis_server_installed());
}

TEST("The sentence tells silence from the end of a connection")
{
    static const struct {
        enum proxy_mode mode;
        const char *words;
    } faults[] = {{PROXY_LOSE_REPLIES, "did not answer within 200 ms"},
                  {PROXY_DRIBBLE, "did not answer within 200 ms"},
                  {PROXY_CUT_REPLIES, "lost the connection before the reply"},
                  {PROXY_RESET, "lost the connection before the reply"}};

    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct redis_rig rig;
        uint64_t version = 0;
        redis_rig_start(&rig, NULL);
        assert_int_equal(register_swap(&rig.direct, 0, 0, "first", &version), FZ_REGISTER_OK);
        proxy_set(rig.proxy, faults[i].mode);
        assert_int_equal(register_swap(&rig.through, 0, version, "second", &version), FZ_REGISTER_UNKNOWN);
        register_assert_said(faults[i].words);
        redis_rig_stop(&rig);
    }
}

TEST("Nobody listens, or the host does not exist: certainly nothing was done")
{
    struct fz_record record;
    sigset_t before, after;
    uint64_t version;

    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &before), 0);
    struct fz_register reg = redis_open_url("redis://127.0.0.1:%u/orders", (unsigned)free_port());
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_UNREACHABLE);
    register_assert_said("/orders?db=0: cannot connect: Connection refused");
    assert_int_equal(register_swap(&reg, 0, 0, "x", &version), FZ_REGISTER_UNREACHABLE);
    register_close(&reg);
    reg = redis_open_url("redis+unix:///nonexistent/socket/orders");
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_UNREACHABLE);
    register_close(&reg);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &after), 0); /* it is the program's again */
    assert_int_equal(sigismember(&after, SIGPIPE), sigismember(&before, SIGPIPE));
}

TEST("A connection that ended while nobody used it is noticed before the next request, which is then not in doubt")
{
    struct redis_rig rig;
    uint64_t version = 0;

    redis_rig_start(&rig, NULL);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(register_swap(&rig.direct, 0, version, "x", &version), FZ_REGISTER_OK);
        assert_string_equal(redis_server_ask(&rig.server, "CLIENT KILL TYPE normal SKIPME yes"), "1");
    }
    redis_rig_stop(&rig);
}

TEST("An error that can pass is worth another try, and says whether it passes by itself; any other is a refusal")
{
    static const struct {
        const char *text;
        enum fz_register_result result;
        frazil_err code;
    } rows[] = {
        {"-LOADING Redis is loading the dataset in memory\r\n", FZ_REGISTER_UNREACHABLE, FRAZIL_EAGAIN},
        {"-OOM command not allowed when used memory > 'maxmemory'.\r\n", FZ_REGISTER_UNREACHABLE, FRAZIL_EREFUSED},
        {"-MISCONF Redis is configured to save RDB snapshots\r\n", FZ_REGISTER_UNREACHABLE, FRAZIL_EREFUSED},
        {"-NOREPLICAS Not enough good replicas to write.\r\n", FZ_REGISTER_UNREACHABLE, FRAZIL_EREFUSED},
        {"-ERR max number of clients reached\r\n", FZ_REGISTER_UNREACHABLE, FRAZIL_EAGAIN},
        {"-ERR max number of clientship is no error of Redis\r\n", FZ_REGISTER_REFUSED, FRAZIL_EREFUSED},
        {"-NOPERM this user has no permissions\r\n", FZ_REGISTER_REFUSED, FRAZIL_EREFUSED},
        {"-OOMPH is no word of Redis\r\n", FZ_REGISTER_REFUSED, FRAZIL_EREFUSED}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct redis_rig rig;
        uint64_t version;
        redis_rig_start(&rig, NULL);
        proxy_say(rig.proxy, rows[i].text);
        if (register_swap(&rig.through, 0, 5, "x", &version) != rows[i].result)
            fail_msg("%s: %s", rows[i].text, register_said.message);
        assert_int_equal(register_said.code, rows[i].code);
        redis_rig_stop(&rig);
    }
}

TEST("A replica's refusal is followed by another connection, which may lead to its master; no other refusal is")
{
    static const struct {
        const char *text;
        unsigned connections; /* for two requests */
    } rows[] = {{"-READONLY You can't write against a read only replica.\r\n", 2},
                {"-MASTERDOWN Link with MASTER is down.\r\n", 2},
                {"*6\r\n$1\r\n1\r\n$1\r\n2\r\n$1\r\na\r\n$1\r\nb\r\n$5\r\nslave\r\n$1\r\nx\r\n", 2},
                {"-LOADING Redis is loading the dataset in memory\r\n", 1},
                {"-BUSY Redis is busy running a script.\r\n", 1},
                {"-CLUSTERDOWN The cluster is down\r\n", 1},
                {"-TRYAGAIN Multiple keys request during rehashing of slot\r\n", 1},
                {"-NOREPLICAS Not enough good replicas to write.\r\n", 1}};
    struct redis_rig rig;
    uint64_t version;

    redis_rig_start(&rig, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fz_register reg = redis_open_url("redis://127.0.0.1:%u/orders?timeout=60s", (unsigned)rig.proxy->port);
        unsigned before = atomic_load(&rig.proxy->accepted);
        proxy_say(rig.proxy, rows[i].text);
        for (int k = 0; k < 2; k++)
            assert_int_equal(register_swap(&reg, 0, 5, "x", &version), FZ_REGISTER_UNREACHABLE);
        assert_int_equal(atomic_load(&rig.proxy->accepted) - before, rows[i].connections);
        proxy_set(rig.proxy, PROXY_PASS);
        register_close(&reg);
    }
    redis_rig_stop(&rig);
}

TEST("A reply that came behind an answer is not taken for that to the next request")
{
    struct redis_rig rig;
    struct fz_record record;

    redis_rig_start(&rig, NULL);
    struct fz_register reg = redis_open_url("redis://127.0.0.1:%u/orders?timeout=60s", (unsigned)rig.proxy->port);
    proxy_say(rig.proxy, "-NOPERM for the first\r\n-NOPERM and one more\r\n");
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_REFUSED);
    register_assert_said("for the first");
    proxy_set(rig.proxy, PROXY_PASS);
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_OK);
    register_close(&reg);
    redis_rig_stop(&rig);
}

TEST("Answers are measured one by one: many that are large are not one that is too large")
{
    static char text[3000 * 4 + sizeof "*3000\r\n"] = "*3000\r\n";
    struct redis_rig rig;
    struct fz_record record;

    for (char *at = text + strlen(text); at + 4 < text + sizeof text; at += 4)
        memcpy(at, ":1\r\n", 4);
    redis_rig_start(&rig, NULL);
    struct fz_register reg = redis_open_url("redis://127.0.0.1:%u/orders?timeout=60s", (unsigned)rig.proxy->port);
    proxy_say(rig.proxy, text);
    for (int i = 0; i < 200; i++) {
        assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_REFUSED);
        register_assert_said("does not report its time");
    }
    register_close(&reg);
    redis_rig_stop(&rig);
}

TEST("So are the bytes of answers, of which a connection may bring any number")
{
    static char text[1 << 20];
    struct redis_rig rig;
    struct fz_record record;

    memset(text, 'x', sizeof text - 1);
    int head = snprintf(text, sizeof text, "$%zu\r\n", sizeof text - sizeof "$1048576\r\n\r\n");
    text[head] = 'x';
    memcpy(text + sizeof text - sizeof "\r\n", "\r\n", sizeof "\r\n");
    redis_rig_start(&rig, NULL);
    struct fz_register reg = redis_open_url("redis://127.0.0.1:%u/orders?timeout=60s", (unsigned)rig.proxy->port);
    proxy_say(rig.proxy, text);
    for (size_t bytes = 0; bytes <= FZ_ANSWER_SIZE_MAX; bytes += sizeof text - 1) {
        assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_REFUSED);
        register_assert_said("does not report its time");
    }
    register_close(&reg);
    redis_rig_stop(&rig);
}

static void count_record(void *ctx, uint32_t number, const struct fz_record *record)
{
    unsigned *count = ctx;

    (void)number;
    (void)record;
    (*count)++;
}

#define ANSWER "*7\r\n$1\r\n1\r\n$1\r\n2\r\n$1\r\na\r\n$1\r\nb\r\n$6\r\nmaster\r\n$1\r\nx\r\n"

TEST("Of several replies that come together each one counts")
{
    static const struct {
        const char *login;
        const char *key;
        const char *text;
        enum fz_register_result result;
        const char *words;
    } rows[] = {
        {":pw@", "db=9", "+OK\r\n-ERR DB index is out of range\r\n", FZ_REGISTER_REFUSED, "DB index is out of range"},
        {":pw@", "db=9", "-WRONGPASS no\r\n+OK\r\n", FZ_REGISTER_REFUSED, "WRONGPASS"},
        {"", "wait=2", ANSWER "$1\r\n9\r\n:1\r\n", FZ_REGISTER_UNKNOWN,
         "only 1 of the 2 required replicas have the write"},
        {"", "wait=2", ANSWER "$1\r\n9\r\n:2\r\n", FZ_REGISTER_OK, ""},
        {"", "wait=2", ANSWER "$1\r\n0\r\n:1\r\n", FZ_REGISTER_CONFLICT, ""},
    };
    struct redis_rig rig;

    redis_rig_start(&rig, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t version;
        struct fz_register reg = redis_open_url("redis://%s127.0.0.1:%u/orders?timeout=60s&%s", rows[i].login,
                                                (unsigned)rig.proxy->port, rows[i].key);
        proxy_say(rig.proxy, rows[i].text);
        if (register_swap(&reg, 0, 5, "x", &version) != rows[i].result)
            fail_msg("%s: %s", rows[i].text, register_said.message);
        if (rows[i].words[0] != '\0')
            register_assert_said(rows[i].words);
        register_close(&reg);
    }
    redis_rig_stop(&rig);
}

TEST("A field without a value is no record")
{
    struct redis_rig rig;
    unsigned shown = 0;

    redis_rig_start(&rig, NULL);
    proxy_say(rig.proxy, ANSWER "*1\r\n$1\r\n1\r\n");
    assert_int_equal(
        rig.through.read_all(rig.through.ctx, FZ_DEADLINE_NONE, count_record, &shown, NULL, &register_said),
        FZ_REGISTER_REFUSED);
    register_assert_said("a record in the key");
    assert_int_equal(shown, 0);
    redis_rig_stop(&rig);
}

TEST("Bytes that are no answer of Redis, or of our script, are refused or unknown, and never a record")
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
        "*7\r\n$1\r\n1\r\n$1\r\n2\r\n$1\r\na\r\n$1\r\nb\r\n$6\r\nmaster\r\n:7\r\n$1\r\n9\r\n+x\r\n",
        "*7\r\n$1\r\n1\r\n$1\r\n2\r\n$1\r\na\r\n$1\r\nb\r\n:6\r\n$1\r\nx\r\n$1\r\n9\r\n+x\r\n",
        "*6\r\n$1\r\n1\r\n$1\r\n2\r\n$1\r\na\r\n$1\r\nb\r\n$5\r\nslave\r\n$1\r\nx\r\n+x\r\n",
        "-ERR something\r\n-ERR else\r\n",
        "-LOADING Redis is loading\r\n-LOADING it\r\n",
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct redis_rig rig;
        uint64_t untouched = 4711;
        redis_rig_start(&rig, NULL);
        proxy_say(rig.proxy, texts[i]);
        enum fz_register_result result = register_swap(&rig.through, 0, 5, "x", &untouched);
        if (result == FZ_REGISTER_OK || result == FZ_REGISTER_CONFLICT)
            fail_msg("taken for an answer: %s", texts[i]);
        assert_int_equal(untouched, 4711);
        assert_int_not_equal(register_said.message[0], '\0');
        redis_rig_stop(&rig);
    }
}

TEST("A server whose first word is no reply is another kind, and refused; one that was a Redis before leaves it in "
     "doubt")
{
    static const char *const texts[] = {"HTTP/1.1 400 Bad Request\r\n\r\n", "<html>", "\x15\x03\x01 TLS", "[]"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct redis_rig rig;
        uint64_t version;
        redis_rig_start(&rig, NULL);
        proxy_say(rig.proxy, texts[i]);
        assert_int_equal(register_swap(&rig.through, 0, 0, "x", &version), FZ_REGISTER_REFUSED);
        register_assert_said("is not Redis, or speaks TLS: ");
        proxy_set(rig.proxy, PROXY_PASS);
        version = register_must_swap(&rig.through, 0, 0, "x");
        proxy_say(rig.proxy, texts[i]);
        assert_int_equal(register_swap(&rig.through, 0, version, "y", &version), FZ_REGISTER_UNKNOWN);
        /* The next connection is another one. */
        assert_int_equal(register_swap(&rig.through, 0, version, "y", &version), FZ_REGISTER_REFUSED);
        register_assert_said("is not Redis, or speaks TLS: ");
        redis_rig_stop(&rig);
    }
}
