/* SPDX-License-Identifier: MIT */
#include "http_exchange.h"

#include "http_reply.h"
#include "http_request.h"
#include "http_routes.h"

#include <stdlib.h>
#include <string.h>

#define REQUESTS_MAX_AT_ONCE 64 /* then other connections have their turn */

/* ---- the user, and the wish ---------------------------------------------------------------------- */

/* Whether a list with commas has that word. */
static bool has_word(const char *list, struct slice word)
{
    struct slice rest = slice_of(list);
    bool found = false;

    while (word.len > 0 && rest.at != NULL && !found)
        found = slice_equals(slice_cut(&rest, ','), word);
    return found;
}

/* Takes one parameter.  False: the reply says what is wrong with it. */
static bool add_parameter(struct http_request *request, struct http_parameter parameter)
{
    const struct http_route *route = request->route;
    bool is_twice = false;

    for (size_t i = 0; i < request->count; i++)
        is_twice |= slice_equals(parameter.name, request->parameters[i].name);
    if (has_word(route->parameters, parameter.name) && !is_twice && request->count < HTTP_PARAMETERS_MAX) {
        request->parameters[request->count++] = parameter;
        return true;
    }
    http_fail(request, HTTP_BAD_REQUEST, CODE_ERR, "the parameter %.*s is %s; %s has: %s",
              parameter.name.len < 40 ? (int)parameter.name.len : 40, parameter.name.at,
              is_twice ? "given twice" : "unknown", route->path,
              route->parameters[0] != '\0' ? route->parameters : "none");
    return false;
}

/* Reads the query, and decodes it into `text`.  False: the reply says what is wrong with it. */
static bool read_parameters(struct http_request *request, char *text)
{
    struct slice query = request->target.query;

    while (query.at != NULL) {
        struct slice value = slice_cut(&query, '&'), name = slice_cut(&value, '=');
        struct http_parameter parameter;
        if (name.len == 0 && value.at == NULL)
            continue;
        char *behind = text + name.len;
        if (!http_decode(name, true, text, &parameter.name) || !http_decode(value, true, behind, &parameter.value)) {
            http_fail(request, HTTP_BAD_REQUEST, CODE_ERR,
                      "the query needs two hex digits after each %%, and has no %%00");
            return false;
        }
        text = behind + value.len;
        if (!add_parameter(request, parameter))
            return false;
    }
    return true;
}

static struct slice token_of(const struct http_request *request)
{
    struct slice words = http_field(request->head, FIELD_AUTHORIZATION);
    struct slice scheme = slice_cut(&words, ' ');

    if (!slice_equals_any_case(scheme, slice_of("Bearer")))
        return (struct slice){NULL, 0};
    return slice_cut(&words, '\0'); /* without blanks around it */
}

/* Finds the user by the token, or without one by the certificate.  False: the reply says that neither is a user's. */
static bool find_user(struct http_request *request)
{
    const struct users *users = &request->event_thread->setup->users;
    struct slice token = token_of(request);

    if (users->count == 0 || (request->route != NULL && (request->route->flags & ROUTE_OPEN) != 0))
        return true;
    if (http_field(request->head, FIELD_AUTHORIZATION).at == NULL)
        request->user = session_user(request->session);
    if (request->user != NULL)
        return true;
    if (token.at == NULL) {
        http_fail(request, HTTP_UNAUTHORIZED, CODE_NOAUTH,
                  "authentication required: send the header Authorization: Bearer TOKEN");
        return false;
    }
    request->user = users_by_token(users, (struct slice){NULL, 0}, token);
    if (request->user != NULL)
        return true;
    session_log_wrong_token(request->session);
    http_fail(request, HTTP_UNAUTHORIZED, CODE_WRONGPASS, "no user has this token");
    return false;
}

/* Whether the user may do this at all; admission_find checks the generator of a route that names one. */
static bool may(struct http_request *request)
{
    const struct http_route *route = request->route;

    if (request->user == NULL || (route->flags & ROUTE_GENERATOR) != 0 ||
        users_may(request->user, route->verb, (struct slice){"", 0}))
        return true;
    http_fail(request, HTTP_FORBIDDEN, CODE_NOPERM, "user %s may not do this: see allow= of the user",
              request->user->name);
    return false;
}

/*
 * Whether ids may be taken: a page of another site can make a browser ask, also if the browser does not say which one
 * asks, but not with a token or a field of its own.
 */
static bool is_own(struct http_request *request)
{
    bool has_token = request->user != NULL && token_of(request).at != NULL;

    if (request->route->verb != VERB_NEXT || has_token || http_head_is_own(request->head, &request->target))
        return true;
    http_fail(
        request, HTTP_FORBIDDEN, CODE_NOPERM,
        "a request for ids needs the header X-Requested-With, with any value: a page of another site cannot send it");
    return false;
}

/* ---- one request ---------------------------------------------------------------------------------- */

static void answer(struct http_request *request)
{
    char argument[HTTP_HEAD_MAX], query[HTTP_HEAD_MAX];

    request->route = http_routes_find(request->target.path, &request->argument);
    if (!find_user(request))
        return;
    if (request->route == NULL) {
        http_fail(request, HTTP_NOT_FOUND, CODE_ERR, "not found: /openapi.json lists the paths");
        return;
    }
    if (!has_word(request->route->methods, request->head->method)) {
        http_fail(request, HTTP_METHOD_NOT_ALLOWED, CODE_ERR, "this takes %s", request->route->methods);
        return;
    }
    /* A name of a generator is never encoded: a rule of a proxy could look for it. */
    if ((request->route->flags & ROUTE_GENERATOR) == 0)
        (void)http_decode(request->argument, false, argument, &request->argument);
    if (read_parameters(request, query) && may(request) && is_own(request))
        request->route->run(request);
}

static void refuse(struct http_request *request, const struct http_fault *fault)
{
    request->keeps = false;
    session_break(request->session, fault->why);
    http_fail(request, (enum http_status)fault->status, CODE_ERR, "%s", fault->why);
}

/* The next head of a client's bytes, or why there is none. */
struct next_head {
    enum http_result result;
    struct http_head head;
    struct http_fault fault;
};

static void read_next(struct slice bytes, struct next_head *ret)
{
    ret->result = bytes.len > 0 ? http_read(bytes, &ret->head, &ret->fault) : HTTP_MORE;
}

static void begin(struct session *session, const struct http_head *head, bool is_last, struct bytes *out)
{
    enum protocol protocol = session->has_tls ? PROTOCOL_HTTPS : PROTOCOL_HTTP;
    struct http_request request = {.session = session, .event_thread = session->event_thread, .out = out, .head = head};
    struct http_fault fault;

    session->has_asked = true;
    request.is_head = slice_equals(head->method, slice_of("HEAD"));
    request.is_old = head->is_old;
    request.is_last = is_last;
    request.keeps = !http_field_has(head, FIELD_CONNECTION, "close") &&
                    (!head->is_old || http_field_has(head, FIELD_CONNECTION, "keep-alive"));
    if (http_head_is_right(head, session->event_thread->setup->settings.listen[protocol].hosts, &request.target,
                           &fault))
        answer(&request);
    else
        refuse(&request, &fault);
}

static void end(struct session *session)
{
    free(session->request);
    session->request = NULL;
}

/* Goes on with the request that is under way.  True: it is over, or there is none; otherwise *ret says what it needs.
 */
static bool finish(struct session *session, struct bytes *out, enum session_state *ret)
{
    struct http_request *request = session->request;

    if (request == NULL)
        return true;
    request->out = out;
    if (session->lease_job != NULL && !http_leases_go_on(request))
        *ret = SESSION_WAIT;
    else if (request->ids != NULL && !http_ids_go_on(request))
        *ret = http_ids_wait(request) ? SESSION_WAIT : SESSION_FULL;
    else if (request->page != NULL && !http_page_go_on(request))
        *ret = SESSION_FULL;
    else
        return end(session), true;
    return false;
}

/* ---- a session ----------------------------------------------------------------------------------------- */

static enum session_state break_off(struct session *session, const struct http_fault *fault, struct bytes *out)
{
    struct http_request request = {.session = session, .event_thread = session->event_thread, .out = out};

    refuse(&request, fault);
    return SESSION_CLOSE;
}

enum session_state http_run(struct session *session, const char *bytes, size_t len, size_t *ret_used, size_t *ret_need,
                            struct bytes *out)
{
    struct next_head heads[2];
    enum session_state state;

    *ret_used = 0;
    for (unsigned requests = 0; finish(session, out, &state); requests++) {
        if (session->closing || out->failed)
            return SESSION_CLOSE;
        if (out->len + session->hidden_work > OUT_BYTES_MAX)
            return SESSION_FULL;
        struct slice rest = {bytes + *ret_used, len - *ret_used};
        struct next_head *next = &heads[requests % 2], *behind = &heads[(requests + 1) % 2];
        if (requests == 0)
            read_next(rest, next);
        *ret_need = rest.len + 1;
        if (next->result == HTTP_MORE)
            return SESSION_READ;
        if (next->result == HTTP_BROKEN)
            return break_off(session, &next->fault, out);
        if (requests == REQUESTS_MAX_AT_ONCE)
            return SESSION_YIELD;
        *ret_used += next->head.bytes;
        read_next((struct slice){bytes + *ret_used, len - *ret_used}, behind);
        /* A request in part does not count: a client that always sends more must also learn of the end. */
        begin(session, &next->head, behind->result == HTTP_MORE, out);
    }
    return state;
}

void http_cut(struct session *session, struct bytes *out)
{
    struct http_request *request = session->request;

    if (request == NULL || request->page != NULL || (request->ids != NULL && !http_ids_wait(request)))
        return;
    http_ids_drop(request);
    request->out = out;
    request->keeps = false;
    http_fail(request, HTTP_SERVICE_UNAVAILABLE, CODE_TRYAGAIN, SESSION_ENDS);
}

void http_close(struct session *session)
{
    if (session->request == NULL)
        return;
    http_ids_drop(session->request);
    http_page_drop(session->request);
    end(session);
}
