/* SPDX-License-Identifier: MIT */
#include "http_reply.h"

#include "http_routes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HTML "text/html"

/* All of a reply but its body. */
struct kind {
    enum http_status status;
    const char *type;
    const char *more; /* lines of the head */
};

static void count_reply(const struct http_request *request, enum reply_code code)
{
    const struct session *session = request->session;
    enum protocol protocol = session->has_tls ? PROTOCOL_HTTPS : PROTOCOL_HTTP;
    size_t row = request->route != NULL ? (size_t)(request->route - http_routes) : COUNTED_COMMANDS - 1;

    count(&request->event_thread->counters.calls[protocol][row][code], 1);
}

static const char *words_of(enum http_status status)
{
    switch (status) {
#define HTTP_STATUS(number, identifier, words)                                                                         \
    case HTTP_##identifier:                                                                                            \
        return words;
        HTTP_STATUSES(HTTP_STATUS)
#undef HTTP_STATUS
    }
    return "";
}

/* The line with the date; it is written once a second. */
static void write_date(struct event_thread *event_thread, struct bytes *out)
{
    time_t now = time(NULL);
    struct tm parts;

    if (event_thread->date_unix_s != now) {
        event_thread->date_unix_s = now;
        (void)gmtime_r(&now, &parts);
        (void)strftime(event_thread->date, sizeof event_thread->date, "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &parts);
    }
    bytes_add_text(out, event_thread->date);
}

static void write_head(struct http_request *request, const struct kind *kind, size_t length)
{
    struct bytes *out = request->out;
    /* The page says itself which script and style are its own. */
    bool is_page = strncmp(kind->type, HTML, sizeof HTML - 1) == 0;

    /* Those behind it would be left without an answer. */
    if (request->is_last && atomic_load_explicit(&request->event_thread->server->leaving, memory_order_relaxed))
        request->keeps = false;
    bytes_add_text(out, "HTTP/1.1 ");
    bytes_add_number(out, kind->status);
    bytes_add_text(out, " ");
    bytes_add_text(out, words_of(kind->status));
    bytes_add_text(out, "\r\n");
    write_date(request->event_thread, out);
    bytes_add_text(out, "Content-Type: ");
    bytes_add_text(out, kind->type);
    bytes_add_text(out, "\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nContent-Security-Policy: ");
    bytes_add_text(out, is_page ? "frame-ancestors 'none'\r\n" : "default-src 'none'; frame-ancestors 'none'\r\n");
    bytes_add_text(out, kind->more);
    if (!request->keeps)
        bytes_add_text(out, "Connection: close\r\n");
    else if (request->is_old)
        bytes_add_text(out, "Connection: keep-alive\r\n");
    bytes_add_text(out, "Content-Length: ");
    bytes_add_number(out, length);
    bytes_add_text(out, "\r\n\r\n");
    request->session->closing |= !request->keeps;
}

static void write_body(struct http_request *request, struct slice body)
{
    if (request->is_head)
        request->session->hidden_work += body.len;
    else
        bytes_add(request->out, body.at, body.len);
}

static void write_reply(struct http_request *request, const struct kind *kind, struct slice body)
{
    write_head(request, kind, body.len);
    write_body(request, body);
}

void http_reply_head(struct http_request *request, const char *type, size_t length)
{
    const struct kind kind = {HTTP_OK, type, ""};

    count_reply(request, CODE_OK);
    write_head(request, &kind, length);
}

void http_reply_copy(struct http_request *request, const char *type, struct slice body)
{
    http_reply_head(request, type, body.len);
    write_body(request, body);
}

void http_reply(struct http_request *request, const char *type, struct bytes *body)
{
    request->out->failed |= body->failed;
    http_reply_copy(request, type, (struct slice){body->at, body->len});
    bytes_free(body);
}

void http_reply_text(struct http_request *request, enum http_status status, const char *text)
{
    const struct kind kind = {status, "text/plain; charset=utf-8", ""};

    count_reply(request, status == HTTP_OK ? CODE_OK : CODE_ERR);
    write_reply(request, &kind, slice_of(text));
}

void http_add_json(json_t *json, struct bytes *out)
{
    char *text = json != NULL ? json_dumps(json, JSON_COMPACT) : NULL;

    json_decref(json);
    out->failed |= text == NULL;
    bytes_add_text(out, text != NULL ? text : "");
    bytes_add_text(out, "\n");
    free(text);
}

void http_reply_json(struct http_request *request, json_t *json)
{
    struct bytes line = {0};

    http_add_json(json, &line);
    http_reply(request, "application/json", &line);
}

/* A problem as RFC 9457 has it. */
static void send_problem(struct http_request *request, enum http_status status, const struct refusal *refusal)
{
    json_t *json = json_pack("{s:s, s:s, s:i, s:s, s:s}", "type", "about:blank", "title", words_of(status), "status",
                             (int)status, "code", reply_code_text(refusal->code), "detail", refusal->text);
    struct kind kind = {status, "application/problem+json", ""};
    struct bytes line = {0};
    char more[80];

    count_reply(request, refusal->code);
    if (refusal->retry_ms > 0) {
        (void)json_object_set_new(json, "retry_ms", json_integer((json_int_t)refusal->retry_ms));
        (void)snprintf(more, sizeof more, "Retry-After: %" PRIu64 "\r\n", refusal->retry_ms / 1000 + 1);
        kind.more = more;
    } else if (status == HTTP_UNAUTHORIZED) {
        kind.more = "WWW-Authenticate: Bearer realm=\"frazild\"\r\n";
    } else if (status == HTTP_METHOD_NOT_ALLOWED) {
        (void)snprintf(more, sizeof more, "Allow: %s\r\n", request->route->methods);
        kind.more = more;
    }
    http_add_json(json, &line);
    request->out->failed |= line.failed;
    write_reply(request, &kind, (struct slice){line.at, line.len});
    bytes_free(&line);
}

void http_fail(struct http_request *request, enum http_status status, enum reply_code code, const char *fmt, ...)
{
    struct refusal refusal = {.code = code};
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(refusal.text, sizeof refusal.text, fmt, args);
    va_end(args);
    /* JSON takes UTF-8 alone, and the sentence may show bytes of the client. */
    for (char *at = refusal.text; *at != '\0'; at++)
        *at = (char)(*at < ' ' || *at > '~' ? '?' : *at);
    send_problem(request, status, &refusal);
}

void http_refuse(struct http_request *request, const struct refusal *refusal)
{
    enum http_status status = HTTP_INTERNAL_SERVER_ERROR;

    if (refusal->code == CODE_TRYAGAIN || refusal->code == CODE_FENCED || refusal->code == CODE_EXHAUSTED)
        status = HTTP_SERVICE_UNAVAILABLE;
    else if (refusal->code == CODE_LIMIT)
        status = refusal->retry_ms > 0 ? HTTP_TOO_MANY_REQUESTS : HTTP_BAD_REQUEST;
    send_problem(request, status, refusal);
}
