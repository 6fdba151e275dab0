/* SPDX-License-Identifier: MIT */
/* Goal of this test: every reply of HTTP has the status and the head that its reason has, and is counted. */
#include "http_reply.h"
#include "http_routes.h"
#include "lib/test.h"

static struct server server;
static struct event_thread event_thread;
static struct session session;
static struct bytes out;
static struct http_request request;

BEFORE_EACH
{
    server = (struct server){.event_thread_count = 0};
    memset(&event_thread, 0, sizeof event_thread);
    event_thread.server = &server;
    session = (struct session){.event_thread = &event_thread, .is_http = true};
    request = (struct http_request){.session = &session, .event_thread = &event_thread, .out = &out, .keeps = true};
}

AFTER_EACH
{
    bytes_free(&out);
}

static void expect_begin(const char *text)
{
    bytes_add(&out, "", 1);
    assert_int_equal(strncmp(out.at, text, strlen(text)), 0);
}

static void expect_line(const char *line, bool is_there)
{
    assert_int_equal(strstr(out.at, line) != NULL, is_there);
}

static void refuse(enum reply_code code, uint64_t retry_ms, const char *first_line)
{
    const struct refusal refusal = {code, retry_ms, "why"};

    out.len = 0;
    http_refuse(&request, &refusal);
    expect_begin(first_line);
}

TEST("A refusal has the status that says whether to come back")
{
    refuse(CODE_TRYAGAIN, 1, "HTTP/1.1 503 Service Unavailable\r\n");
    expect_line("\r\nRetry-After: 1\r\n", true);
    expect_line("\"retry_ms\":1", true);
    refuse(CODE_FENCED, 0, "HTTP/1.1 503 Service Unavailable\r\n");
    expect_line("Retry-After", false);
    refuse(CODE_EXHAUSTED, 0, "HTTP/1.1 503 Service Unavailable\r\n");
    expect_line("\"code\":\"EXHAUSTED\"", true);
    refuse(CODE_LIMIT, 1000, "HTTP/1.1 429 Too Many Requests\r\n");
    expect_line("\r\nRetry-After: 2\r\n", true);
    refuse(CODE_LIMIT, 0, "HTTP/1.1 400 Bad Request\r\n");
    refuse(CODE_ERR, 0, "HTTP/1.1 500 Internal Server Error\r\n");
    refuse(CODE_INTERNAL, 0, "HTTP/1.1 500 Internal Server Error\r\n");
    assert_int_equal(event_thread.counters.calls[PROTOCOL_HTTP][COUNTED_COMMANDS - 1][CODE_LIMIT], 2);
    assert_int_equal(event_thread.counters.calls[PROTOCOL_HTTPS][COUNTED_COMMANDS - 1][CODE_LIMIT], 0);
}

static void problem(enum http_status status, const char *first_line)
{
    out.len = 0;
    http_fail(&request, status, CODE_ERR, "a %s\x01\xff", "reason");
    expect_begin(first_line);
    expect_line("\"detail\":\"a reason??\"", true);
    expect_line("WWW-Authenticate: Bearer", status == HTTP_UNAUTHORIZED);
    expect_line("\r\nAllow: GET, HEAD\r\n", status == HTTP_METHOD_NOT_ALLOWED);
    expect_line("\r\nContent-Type: application/problem+json\r\n", true);
}

TEST("Each status has its words, and the fields that it needs alone")
{
    request.route = &http_routes[1];
#define HTTP_STATUS(status, identifier, words) problem(HTTP_##identifier, "HTTP/1.1 " #status " " words "\r\n");
    HTTP_STATUSES(HTTP_STATUS)
#undef HTTP_STATUS
    session.has_tls = true;
    problem(HTTP_BAD_REQUEST, "HTTP/1.1 400 ");
    assert_int_equal(event_thread.counters.calls[PROTOCOL_HTTPS][1][CODE_ERR], 1);
}

TEST("A connection stays unless the client or a drain ends it, and the reply says so")
{
    http_reply_text(&request, HTTP_OK, "ok\n");
    expect_begin("HTTP/1.1 200 OK\r\nDate: ");
    expect_line("\r\nConnection:", false);
    expect_line("\r\nContent-Length: 3\r\n\r\nok\n", true);
    expect_line("\r\nCache-Control: no-store\r\n", true);
    expect_line("\r\nX-Content-Type-Options: nosniff\r\n", true);
    expect_line("\r\nContent-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n", true);
    assert_false(session.closing);
    out.len = 0;
    request.is_old = true;
    http_reply_text(&request, HTTP_OK, "ok\n");
    bytes_add(&out, "", 1);
    expect_line("\r\nConnection: keep-alive\r\n", true);
    out.len = 0;
    atomic_store(&server.leaving, true);
    http_reply_text(&request, HTTP_OK, "ok\n"); /* another one has come behind it */
    bytes_add(&out, "", 1);
    expect_line("\r\nConnection: keep-alive\r\n", true);
    assert_false(session.closing);
    out.len = 0;
    request.is_last = true;
    http_reply_text(&request, HTTP_OK, "ok\n");
    bytes_add(&out, "", 1);
    expect_line("\r\nConnection: close\r\n", true);
    assert_true(session.closing);
}

TEST("A reply to HEAD has the length of the body and not the body")
{
    struct bytes body = {0};

    request.is_head = true;
    bytes_add_text(&body, "four");
    http_reply(&request, "text/plain", &body);
    bytes_add(&out, "", 1);
    assert_true(strlen(out.at) > 4);
    assert_string_equal(out.at + strlen(out.at) - 23, "\r\nContent-Length: 4\r\n\r\n");
}
