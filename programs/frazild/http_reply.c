/* SPDX-License-Identifier: MIT */
#include "http_reply.h"

#include "http_routes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void count_reply(const struct http_request *request, enum reply_code code)
{
    size_t row = request->route != NULL ? (size_t)(request->route - http_routes) : COUNTED_COMMANDS - 1;

    count(&request->lane->lane.counters.calls[request->socket->session != NULL][row][code], 1);
}

#define HTML "text/html"

/* Sends a response with the headers that all have, and lets it go. */
static enum MHD_Result send_response(const struct http_request *request, unsigned status, const char *type,
                                     struct MHD_Response *response)
{
    /* The page says itself which script and style are its own. */
    bool is_page = strncmp(type, HTML, sizeof HTML - 1) == 0;

    if (response == NULL)
        return MHD_NO; /* no memory: the connection is closed */
    (void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    (void)MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    (void)MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    (void)MHD_add_response_header(response, "Content-Security-Policy",
                                  is_page ? "frame-ancestors 'none'" : "default-src 'none'; frame-ancestors 'none'");
    if (atomic_load(&request->lane->shared->leaving))
        (void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    enum MHD_Result sent = MHD_queue_response(request->connection, status, response);
    MHD_destroy_response(response);
    return sent;
}

enum MHD_Result http_reply_response(struct http_request *request, const char *type, struct MHD_Response *response)
{
    count_reply(request, CODE_OK);
    return send_response(request, MHD_HTTP_OK, type, response);
}

enum MHD_Result http_reply(struct http_request *request, const char *type, struct bytes *body)
{
    struct MHD_Response *response = NULL;

    if (!body->failed)
        response = MHD_create_response_from_buffer(body->len, body->at, MHD_RESPMEM_MUST_FREE);
    if (response == NULL)
        bytes_free(body);
    *body = (struct bytes){0};
    return http_reply_response(request, type, response);
}

enum MHD_Result http_reply_text(struct http_request *request, unsigned status, const char *text)
{
    count_reply(request, status == MHD_HTTP_OK ? CODE_OK : CODE_ERR);
    return send_response(
        request, status, "text/plain; charset=utf-8",
        MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT));
}

/* The JSON as a response, and lets the JSON go; NULL without memory. */
static struct MHD_Response *response_of(json_t *json)
{
    char *text = json != NULL ? json_dumps(json, JSON_COMPACT) : NULL;
    struct bytes line = {.failed = text == NULL};
    struct MHD_Response *response = NULL;

    json_decref(json);
    bytes_add_text(&line, text != NULL ? text : "");
    bytes_add_text(&line, "\n");
    free(text);
    if (!line.failed)
        response = MHD_create_response_from_buffer(line.len, line.at, MHD_RESPMEM_MUST_FREE);
    if (response == NULL)
        bytes_free(&line);
    return response;
}

enum MHD_Result http_reply_json(struct http_request *request, json_t *json)
{
    return http_reply_response(request, "application/json", response_of(json));
}

/* A problem as RFC 9457 has it. */
static enum MHD_Result send_problem(const struct http_request *request, unsigned status, const struct refusal *refusal)
{
#define CODE_TEXT(name, text) text,
    static const char *const codes[] = {REPLY_CODES(CODE_TEXT)};
#undef CODE_TEXT
    json_t *json =
        json_pack("{s:s, s:s, s:i, s:s, s:s}", "type", "about:blank", "title", MHD_get_reason_phrase_for(status),
                  "status", (int)status, "code", codes[refusal->code], "detail", refusal->text);
    char seconds[24];

    count_reply(request, refusal->code);
    if (refusal->retry_ms > 0)
        (void)json_object_set_new(json, "retry_ms", json_integer((json_int_t)refusal->retry_ms));
    struct MHD_Response *response = response_of(json);
    if (response != NULL && refusal->retry_ms > 0) {
        (void)snprintf(seconds, sizeof seconds, "%" PRIu64, refusal->retry_ms / 1000 + 1);
        (void)MHD_add_response_header(response, MHD_HTTP_HEADER_RETRY_AFTER, seconds);
    }
    if (response != NULL && status == MHD_HTTP_UNAUTHORIZED)
        (void)MHD_add_response_header(response, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer realm=\"frazild\"");
    if (response != NULL && status == MHD_HTTP_METHOD_NOT_ALLOWED)
        (void)MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, request->route->methods);
    return send_response(request, status, "application/problem+json", response);
}

enum MHD_Result http_fail(struct http_request *request, unsigned status, enum reply_code code, const char *fmt, ...)
{
    struct refusal refusal = {.code = code};
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(refusal.text, sizeof refusal.text, fmt, args);
    va_end(args);
    /* JSON takes UTF-8 alone, and the sentence may show bytes of the client. */
    for (char *at = refusal.text; *at != '\0'; at++)
        *at = (char)(*at < ' ' || *at > '~' ? '?' : *at);
    return send_problem(request, status, &refusal);
}

enum MHD_Result http_refuse(struct http_request *request, const struct refusal *refusal)
{
    unsigned status = MHD_HTTP_INTERNAL_SERVER_ERROR;

    if (refusal->code == CODE_TRYAGAIN || refusal->code == CODE_FENCED || refusal->code == CODE_EXHAUSTED)
        status = MHD_HTTP_SERVICE_UNAVAILABLE;
    else if (refusal->code == CODE_LIMIT)
        status = refusal->retry_ms > 0 ? MHD_HTTP_TOO_MANY_REQUESTS : MHD_HTTP_BAD_REQUEST;
    return send_problem(request, status, refusal);
}
