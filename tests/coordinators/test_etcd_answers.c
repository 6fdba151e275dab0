/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: what an etcd answers is believed only as far as it is
 * complete, its errors mean what they say, and what somebody else has put into the
 * keys is never overwritten.
 */

#include "coordinators/etcd/etcd_http.h"
#include "lib/etcd_server.h"
#include "lib/proxy.h"
#include "lib/test.h"

BEFORE_ALL
{
    test_need(etcd_server_installed());
}

TEST("A foreign record is refused, or shown as damaged, and never overwritten")
{
    static const char *const damaged[] = {"foreign", "0_x", "07_x", "_x", "7"};
    struct server server;
    struct fz_record record;
    uint64_t version;
    uint64_t versions[4] = {0};

    etcd_server_start(&server, NULL);
    struct fz_register reg = etcd_open_url("etcd://127.0.0.1:%u/orders?timeout=60s", (unsigned)server.port);
    for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
        char words[64];
        snprintf(words, sizeof words, "put frazil/lease/orders/0 %s", damaged[i]);
        etcd_server_must(&server, words);
        assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_REFUSED);
        register_assert_said("the value of the key 'frazil/lease/orders/0' was not written by frazil");
        assert_int_equal(register_swap(&reg, 0, 0, "x", &version), FZ_REGISTER_CONFLICT);
        assert_int_equal(register_swap(&reg, 0, 7, "x", &version), FZ_REGISTER_CONFLICT);
    }
    version = register_must_swap(&reg, 2, 0, "good");
    assert_int_equal(reg.read_all(reg.ctx, FZ_DEADLINE_NONE, register_note_versions, versions, NULL, NULL),
                     FZ_REGISTER_OK);
    assert_int_equal(versions[0], 1);
    assert_int_equal(versions[1], 0);
    assert_int_equal(versions[2], version);
    etcd_server_must(&server, "put frazil/lease/orders/namespace foreign");
    assert_int_equal(reg.read_all(reg.ctx, FZ_DEADLINE_NONE, register_note_versions, versions, NULL, &register_said),
                     FZ_REGISTER_REFUSED);
    etcd_server_must(&server, "del frazil/lease/orders/namespace");
    etcd_server_must(&server, "put frazil/lease/orders/worker x");
    assert_int_equal(reg.read_all(reg.ctx, FZ_DEADLINE_NONE, register_note_versions, versions, NULL, &register_said),
                     FZ_REGISTER_REFUSED);
    etcd_server_must(&server, "del frazil/lease/orders/worker");
    etcd_server_must(&server, "put frazil/lease/orders.7/worker x"); /* another namespace */
    etcd_server_must(&server, "put frazil/lease/orders0 x");
    assert_int_equal(reg.read_all(reg.ctx, FZ_DEADLINE_NONE, register_note_versions, versions, NULL, NULL),
                     FZ_REGISTER_OK);
    register_close(&reg);
    server_stop(&server);
}

enum { MANY = 1001 };

struct tally {
    size_t n;
    unsigned char seen[MANY];
};

static void tally_one(void *ctx, uint32_t number, const struct fz_record *record)
{
    struct tally *tally = ctx;

    assert_true(number < MANY && record->version > 0);
    tally->seen[number]++;
    tally->n++;
}

TEST("More records than are asked for at once are shown in pages, each record once")
{
    static const size_t sizes[] = {500, 501, MANY}; /* a full page, one more, more than two */
    struct server server;
    uint32_t made = 0;

    etcd_server_start(&server, NULL);
    struct fz_register reg = etcd_open_url("etcd://127.0.0.1:%u/orders?timeout=60s", (unsigned)server.port);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct tally tally = {.n = 0};
        for (; made < sizes[i]; made++)
            register_must_swap(&reg, made, 0, "x");
        assert_int_equal(reg.read_all(reg.ctx, FZ_DEADLINE_NONE, tally_one, &tally, NULL, &register_said),
                         FZ_REGISTER_OK);
        assert_int_equal(tally.n, made);
        for (size_t k = 0; k < made; k++)
            assert_int_equal(tally.seen[k], 1);
    }
    register_close(&reg);
    server_stop(&server);
}

static const char date[] = "Date: Sun, 22 Nov 2026 14:23:52 GMT\r\n";

/* The meaning of an answer; a swap never takes one of these for a yes. */
static enum fz_register_result taken_for_with(struct proxy *proxy, const char *headers, const char *status,
                                              const char *body, bool swaps)
{
    char text[512];
    uint64_t untouched = 4711;
    struct fz_record record = {.version = 4711};

    snprintf(text, sizeof text, "HTTP/1.1 %s\r\n%sContent-Length: %zu\r\n\r\n%s", status, headers, strlen(body), body);
    struct fz_register reg = etcd_open_url("etcd://127.0.0.1:%u/orders?timeout=60s", (unsigned)proxy->port);
    proxy_say(proxy, text);
    enum fz_register_result result =
        swaps ? register_swap(&reg, 0, 1, "x", &untouched) : register_read(&reg, 0, &record);
    proxy_set(proxy, PROXY_PASS);
    assert_int_equal(untouched, 4711);
    if (result != FZ_REGISTER_OK) {
        assert_int_equal(record.version, 4711);
        assert_true(result == FZ_REGISTER_CONFLICT || register_said.message[0] != '\0');
    }
    register_close(&reg);
    return result;
}

static enum fz_register_result taken_for(struct proxy *proxy, const char *status, const char *body, bool swaps)
{
    return taken_for_with(proxy, date, status, body, swaps);
}

#define HEADER "\"header\":{\"cluster_id\":\"17\",\"revision\":\"2\"}"

TEST("A yes or no to a swap is believed only if it is complete; so is what a key holds")
{
    static const struct {
        const char *body;
        enum fz_register_result swapped;
        enum fz_register_result was_read;
    } answers[] = {
        {"{}", FZ_REGISTER_UNKNOWN, FZ_REGISTER_REFUSED},
        {"[]", FZ_REGISTER_UNKNOWN, FZ_REGISTER_REFUSED},
        {"{\"header\":{}}", FZ_REGISTER_UNKNOWN, FZ_REGISTER_REFUSED},
        {"{\"header\":{\"cluster_id\":17}}", FZ_REGISTER_UNKNOWN, FZ_REGISTER_REFUSED},
        {"{" HEADER "}", FZ_REGISTER_UNKNOWN, FZ_REGISTER_OK},
        {"{" HEADER ",\"succeeded\":true}", FZ_REGISTER_UNKNOWN, FZ_REGISTER_OK},
        {"{" HEADER ",\"succeeded\":true,\"responses\":[{\"response_range\":{}}]}", FZ_REGISTER_UNKNOWN,
         FZ_REGISTER_OK},
        {"{" HEADER ",\"responses\":[{\"response_put\":{}}]}", FZ_REGISTER_UNKNOWN, FZ_REGISTER_OK},
        {"{" HEADER ",\"responses\":[{\"response_range\":{}}]}", FZ_REGISTER_CONFLICT, FZ_REGISTER_OK},
        {"{" HEADER ",\"kvs\":[{}]}", FZ_REGISTER_UNKNOWN, FZ_REGISTER_REFUSED},
        {"{" HEADER ",\"kvs\":[{\"key\":\"?\"}]}", FZ_REGISTER_UNKNOWN, FZ_REGISTER_REFUSED},
        {"{" HEADER ",\"kvs\":[{\"key\":7}]}", FZ_REGISTER_UNKNOWN, FZ_REGISTER_REFUSED},
        /* frazil/lease/orders/1 when frazil/lease/orders/0 was asked for, with "9 x" */
        {"{" HEADER ",\"kvs\":[{\"key\":\"ZnJhemlsL2xlYXNlL29yZGVycy8x\",\"value\":\"OSB4\"}]}", FZ_REGISTER_UNKNOWN,
         FZ_REGISTER_REFUSED},
        {"{" HEADER ",\"kvs\":[{\"key\":\"ZnJhemlsL2xlYXNlL29yZGVycy8w\",\"value\":\"OSB4\"}]}", FZ_REGISTER_UNKNOWN,
         FZ_REGISTER_OK},
    };
    struct server server;

    etcd_server_start(&server, NULL);
    struct proxy *proxy = proxy_start(server.port);
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        const char *body = answers[i].body;
        if (taken_for(proxy, "200 OK", body, true) != answers[i].swapped ||
            taken_for(proxy, "200 OK", body, false) != answers[i].was_read)
            fail_msg("%s: %s", body, register_said.message);
    }
    proxy_stop(proxy);
    server_stop(&server);
}

/* The meaning of an answer about two records, numbers 0 and 1, of which the second is only looked for. */
static enum fz_register_result found_by(struct proxy *proxy, const char *body, uint64_t versions[4])
{
    static const uint32_t numbers[] = {0, 1};
    char text[1024];

    snprintf(text, sizeof text, "HTTP/1.1 200 OK\r\n%sContent-Length: %zu\r\n\r\n%s", date, strlen(body), body);
    memset(versions, 0, 4 * sizeof versions[0]);
    struct fz_register reg = etcd_open_url("etcd://127.0.0.1:%u/orders?timeout=60s", (unsigned)proxy->port);
    proxy_say(proxy, text);
    enum fz_register_result result =
        reg.read_many(reg.ctx, FZ_DEADLINE_NONE, numbers, 2, 1, register_note_versions, versions, NULL, &register_said);
    proxy_set(proxy, PROXY_PASS);
    register_close(&reg);
    return result;
}

TEST("Of several records, each is answered for: one that is left out is not taken for one that does not exist")
{
#define RANGE(inside) "{\"response_range\":{" inside "}}"
#define KEY_0 "\"kvs\":[{\"key\":\"ZnJhemlsL2xlYXNlL29yZGVycy8w\",\"value\":\"OSB4\"}]" /* "9 x" */
    static const struct {
        const char *responses;
        enum fz_register_result result;
        uint64_t versions[2];
    } answers[] = {
        {RANGE("") "," RANGE(""), FZ_REGISTER_OK, {0, 0}},
        {RANGE(KEY_0) "," RANGE("\"count\":\"1\""), FZ_REGISTER_OK, {9, 1}},
        {RANGE(KEY_0) "," RANGE("\"count\":\"0\""), FZ_REGISTER_OK, {9, 0}},
        {RANGE("") "," RANGE("\"count\":1"), FZ_REGISTER_OK, {0, 1}},
        {RANGE(KEY_0), FZ_REGISTER_UNKNOWN, {9, 0}},
        {"", FZ_REGISTER_UNKNOWN, {0, 0}},
        {RANGE(KEY_0) ",{\"response_put\":{}}", FZ_REGISTER_UNKNOWN, {9, 0}},
        {RANGE("\"kvs\":[{\"key\":\"ZnJhemlsL2xlYXNlL29yZGVycy8x\"}]") "," RANGE(""), FZ_REGISTER_REFUSED, {0, 0}},
    };
    struct server server;
    char body[384];
    uint64_t versions[4];

    etcd_server_start(&server, NULL);
    struct proxy *proxy = proxy_start(server.port);
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        snprintf(body, sizeof body, "{" HEADER ",\"succeeded\":true,\"responses\":[%s]}", answers[i].responses);
        assert_int_equal(found_by(proxy, body, versions), answers[i].result);
        assert_int_equal(versions[0], answers[i].versions[0]);
        assert_int_equal(versions[1], answers[i].versions[1]);
    }
    proxy_stop(proxy);
    server_stop(&server);
}

TEST("The one form in which servers write dates is read, and nothing that only looks like it")
{
    static const struct {
        const char *text;
        int64_t unix_s; /* -1: it is none */
    } dates[] = {
        {"Thu, 01 Jan 1970 00:00:00 GMT", 0},
        {"Sun, 06 Nov 1994 08:49:37 GMT", 784111777},
        {"Tue, 29 Feb 2028 23:59:59 GMT", 1835481599},
        {"Sat, 31 Dec 2016 23:59:60 GMT", 1483228800},
        {"Wed, 31 Dec 1969 23:59:59 GMT", -1},
        {"Mon, 29 Feb 2027 00:00:00 GMT", -1},
        {"Sun, 00 Nov 1994 08:49:37 GMT", -1},
        {"Sun, 06 Nox 1994 08:49:37 GMT", -1},
        {"Sun, 06 Nov 1994 24:00:00 GMT", -1},
        {"Sun, 06 Nov 1994 08:60:37 GMT", -1},
        {"Sun, 06 Nov 1994 08:49:61 GMT", -1},
        {"Sun, 06 Nov 1994 08:49:37 UTC", -1},
        {"Sun, 06 Nov 1994 08:49:37 GMT ", -1},
        {"Sun, 6 Nov 1994 08:49:37 GMT", -1},
        {"Sunday, 06-Nov-94 08:49:37 GMT", -1},
        {"Sun Nov  6 08:49:37 1994", -1},
        {"", -1},
    };

    for (size_t i = 0; i < sizeof dates / sizeof dates[0]; i++) {
        int64_t unix_s = -1;
        assert_int_equal(fz_etcd_date_read(dates[i].text, strlen(dates[i].text), &unix_s), dates[i].unix_s >= 0);
        assert_int_equal(unix_s, dates[i].unix_s);
    }
}

TEST("A time that is missing, or is none, is not guessed: the answer counts for nothing")
{
    static const char *const headers[] = {"", "Date: \r\n", "Date: yesterday\r\n",
                                          "Date: Sun, 31 Nov 2026 14:23:52 GMT\r\n",
                                          "Date: Sunday, 22-Nov-26 14:23:52 GMT\r\n"};
    static const char body[] = "{" HEADER ",\"responses\":[{\"response_range\":{}}]}";
    struct server server;

    etcd_server_start(&server, NULL);
    struct proxy *proxy = proxy_start(server.port);
    assert_int_equal(taken_for(proxy, "200 OK", body, true), FZ_REGISTER_CONFLICT);
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        assert_int_equal(taken_for_with(proxy, headers[i], "200 OK", body, true), FZ_REGISTER_UNKNOWN);
        register_assert_said("its answer has no Date header with the time");
        assert_int_equal(taken_for_with(proxy, headers[i], "200 OK", body, false), FZ_REGISTER_UNKNOWN);
    }
    proxy_stop(proxy);
    server_stop(&server);
}

TEST("The time of one answer is not that of the next one, which has none")
{
    static const char body[] = "{" HEADER "}";
    char text[512];
    struct server server;
    struct fz_record record;

    etcd_server_start(&server, NULL);
    struct proxy *proxy = proxy_start(server.port);
    struct fz_register reg = etcd_open_url("etcd://127.0.0.1:%u/orders?timeout=60s", (unsigned)proxy->port);
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_OK);
    snprintf(text, sizeof text, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n%s", strlen(body), body);
    proxy_say(proxy, text);
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_UNKNOWN);
    register_assert_said("its answer has no Date header with the time");
    register_close(&reg);
    proxy_stop(proxy);
    server_stop(&server);
}

/* An answer whose head has so many bytes, and some more. */
static void write_long_head(size_t bytes, char *text, size_t size)
{
    static const char body[] = "{" HEADER "}";

    snprintf(text, size, "HTTP/1.1 200 OK\r\n%sContent-Length: %zu\r\nLong: %0*d\r\n\r\n%s", date, strlen(body),
             (int)bytes, 0, body);
}

TEST("A head that is too long is told once: what fails later has its own reason")
{
    static char text[1 << 17];
    struct fz_record record;
    struct server server;

    write_long_head(70000, text, sizeof text);
    etcd_server_start(&server, NULL);
    struct proxy *proxy = proxy_start(server.port);
    struct fz_register reg = etcd_open_url("etcd://127.0.0.1:%u/orders?timeout=60s", (unsigned)proxy->port);
    proxy_say(proxy, text);
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_UNKNOWN);
    register_assert_said("the reply is too large");
    proxy_stop(proxy);
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_UNREACHABLE);
    register_assert_said("cannot connect");
    assert_null(strstr(register_said.message, "too large"));
    register_close(&reg);
    server_stop(&server);
}

TEST("A token that cannot be used is none, and is asked for again the next time")
{
    static const char body[] = "{" HEADER ",\"token\":\"a b\"}";
    char text[512];
    struct server server;
    struct fz_record record;

    etcd_server_start(&server, NULL);
    struct proxy *proxy = proxy_start(server.port);
    struct fz_register reg = etcd_open_url("etcd://joe:s3cret@127.0.0.1:%u/orders?timeout=60s", (unsigned)proxy->port);
    snprintf(text, sizeof text, "HTTP/1.1 200 OK\r\n%sContent-Length: %zu\r\n\r\n%s", date, strlen(body), body);
    proxy_say(proxy, text);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_UNREACHABLE);
        register_assert_said("returned no usable token");
    }
    register_close(&reg);
    proxy_stop(proxy);
    server_stop(&server);
}

TEST("Another kind of server is refused at the first question, which reads; not so one that may be gone in a while")
{
    static const struct {
        const char *status;
        enum fz_register_result was_read;
    } answers[] = {
        {"200 OK", FZ_REGISTER_REFUSED}, {"301 Moved", FZ_REGISTER_REFUSED}, {"400 X", FZ_REGISTER_REFUSED},
        {"405 X", FZ_REGISTER_REFUSED},  {"501 X", FZ_REGISTER_REFUSED},     {"408 X", FZ_REGISTER_UNKNOWN},
        {"429 X", FZ_REGISTER_UNKNOWN},  {"500 X", FZ_REGISTER_UNKNOWN},     {"502 X", FZ_REGISTER_UNKNOWN},
        {"503 X", FZ_REGISTER_UNKNOWN},
    };
    struct fz_record record;
    struct server server;

    etcd_server_start(&server, NULL);
    struct proxy *proxy = proxy_start(server.port);
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        if (taken_for(proxy, answers[i].status, "<html>", false) != answers[i].was_read)
            fail_msg("%s: %s", answers[i].status, register_said.message);
        assert_int_equal(taken_for(proxy, answers[i].status, "<html>", true), FZ_REGISTER_UNKNOWN);
    }
    struct fz_register reg = etcd_open_url("etcd://127.0.0.1:%u/orders?timeout=60s", (unsigned)proxy->port);
    proxy_say(proxy, "-ERR unknown command 'POST'\r\n");
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_REFUSED);
    register_assert_said("is not etcd: ");
    register_close(&reg);
    proxy_stop(proxy);
    server_stop(&server);
}

TEST("An error says no for ever, not now, or leaves open what happened")
{
    static const struct {
        const char *status;
        const char *body;
        enum fz_register_result result;
    } errors[] = {
        {"503 X", "{\"error\":\"etcdserver: request timed out\",\"code\":14}", FZ_REGISTER_UNKNOWN},
        {"503 X", "{\"error\":\"etcdserver: leader changed\",\"code\":14}", FZ_REGISTER_UNKNOWN},
        {"500 X", "{\"error\":\"context canceled\",\"code\":1}", FZ_REGISTER_UNKNOWN},
        {"500 X", "{\"error\":\"something new\"}", FZ_REGISTER_UNKNOWN},
        {"500 X", "{\"code\":7}", FZ_REGISTER_UNKNOWN},
        {"502 X", "Bad Gateway", FZ_REGISTER_UNKNOWN},
        {"200 OK", "hello", FZ_REGISTER_UNKNOWN},
        {"503 X", "{\"error\":\"etcdserver: no leader\",\"code\":14}", FZ_REGISTER_UNREACHABLE},
        {"500 X", "{\"error\":\"raft proposal dropped\",\"code\":2}", FZ_REGISTER_UNREACHABLE},
        {"503 X", "{\"error\":\"etcdserver: rpc not supported for learner\",\"code\":14}", FZ_REGISTER_UNREACHABLE},
        {"429 X", "{\"error\":\"etcdserver: too many requests\",\"code\":8}", FZ_REGISTER_UNREACHABLE},
        {"429 X", "{\"error\":\"etcdserver: mvcc: database space exceeded\",\"code\":8}", FZ_REGISTER_UNREACHABLE},
        {"403 X", "{\"error\":\"etcdserver: permission denied\",\"code\":7}", FZ_REGISTER_REFUSED},
        {"401 X", "{\"error\":\"etcdserver: invalid auth token\",\"code\":16}", FZ_REGISTER_REFUSED},
        {"404 X", "404 page not found", FZ_REGISTER_REFUSED},
    };
    struct server server;

    etcd_server_start(&server, NULL);
    struct proxy *proxy = proxy_start(server.port);
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        if (taken_for(proxy, errors[i].status, errors[i].body, true) != errors[i].result)
            fail_msg("%s: %s", errors[i].body, register_said.message);
    }
    register_assert_said("is not etcd 3.4 or later with its JSON gateway (HTTP status 404)");
    proxy_stop(proxy);
    server_stop(&server);
}
