/* SPDX-License-Identifier: MIT */
#include "http_exchange.h"

#include "http_head.h"
#include "http_ids.h"
#include "http_leases.h"
#include "http_reply.h"
#include "http_routes.h"
#include "log.h"

#include <stdlib.h>
#include <string.h>

/* Whether a list of words separated by blanks, or by commas and blanks, has that word. */
static bool has_word(const char *words, struct slice word)
{
    static const char between[] = ", ";

    for (words += strspn(words, between); *words != '\0'; words += strspn(words, between)) {
        size_t len = strcspn(words, between);
        if (slice_equals((struct slice){words, len}, word))
            return true;
        words += len;
    }
    return false;
}

static enum MHD_Result add_parameter(void *cls, enum MHD_ValueKind kind, const char *name, size_t name_len,
                                     const char *value, size_t value_len)
{
    struct http_request *request = cls;

    (void)kind;
    if (request->parameters == HTTP_PARAMETERS_MAX)
        return MHD_NO;
    request->names[request->parameters] = (struct slice){name, name_len};
    request->values[request->parameters++] = (struct slice){value != NULL ? value : "", value_len};
    return MHD_YES;
}

/* Reads the query.  False: *ret has sent what is wrong with it. */
static bool read_parameters(struct http_request *request, enum MHD_Result *ret)
{
    const struct http_route *route = request->route;

    (void)MHD_get_connection_values_n(request->connection, MHD_GET_ARGUMENT_KIND, add_parameter, request);
    for (size_t i = 0; i < request->parameters; i++) {
        struct slice name = request->names[i];
        bool is_known = has_word(route->parameters, name);
        bool is_first = true;
        for (size_t k = 0; k < i; k++)
            is_first &= !slice_equals(name, request->names[k]);
        if (is_known && is_first)
            continue;
        *ret = http_fail(request, MHD_HTTP_BAD_REQUEST, CODE_ERR, "the parameter %.*s is %s; %s has: %s",
                         name.len < 40 ? (int)name.len : 40, name.at, is_known ? "given twice" : "unknown", route->path,
                         route->parameters[0] != '\0' ? route->parameters : "none");
        return false;
    }
    return true;
}

/* The user by the certificate that its connection has shown; NULL: none. */
static struct user *user_of_certificate(const struct http_request *request)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(request->connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);

    if (info == NULL || info->tls_session == NULL)
        return NULL;
    return users_by_certificate(&request->lane->lane.setup->users, info->tls_session);
}

/* Finds the user by the token, or without one by the certificate.  False: *ret has sent that nobody may come in so. */
static bool find_user(struct http_request *request, enum MHD_Result *ret)
{
    const struct users *users = &request->lane->lane.setup->users;
    struct slice header = http_header(request, MHD_HTTP_HEADER_AUTHORIZATION);

    if (users->count == 0 || (request->route != NULL && (request->route->flags & ROUTE_OPEN) != 0))
        return true;
    if (header.at == NULL)
        request->user = user_of_certificate(request);
    if (request->user != NULL)
        return true;
    if (!slice_skip(&header, "Bearer ")) {
        *ret = http_fail(request, MHD_HTTP_UNAUTHORIZED, CODE_NOAUTH,
                         "say who you are with the header Authorization: Bearer and the token of a user");
        return false;
    }
    request->user = users_by_token(users, (struct slice){NULL, 0}, header);
    if (request->user != NULL)
        return true;
    log_line(LOG_AUTH, "HTTP: a token was wrong");
    *ret = http_fail(request, MHD_HTTP_UNAUTHORIZED, CODE_WRONGPASS, "the token is no user's");
    return false;
}

/* Whether the user may do this at all; the generator is looked at by whoever finds it. */
static bool may(struct http_request *request, enum MHD_Result *ret)
{
    const struct http_route *route = request->route;

    if (request->user == NULL || (route->flags & ROUTE_GENERATOR) != 0 || users_may(request->user, route->verb, ""))
        return true;
    *ret = http_fail(request, MHD_HTTP_FORBIDDEN, CODE_NOPERM, "user %s may not do this: see allow= of the user",
                     request->user->name);
    return false;
}

static enum MHD_Result answer(struct http_request *request, const char *url, const char *method)
{
    enum MHD_Result ret;

    request->route = http_routes_find(url, &request->argument);
    if (!find_user(request, &ret))
        return ret;
    if (request->route == NULL)
        return http_fail(request, MHD_HTTP_NOT_FOUND, CODE_ERR,
                         "there is nothing here: /openapi.json has what there is");
    if (!has_word(request->route->methods, slice_of(method)))
        return http_fail(request, MHD_HTTP_METHOD_NOT_ALLOWED, CODE_ERR, "this takes %s", request->route->methods);
    if (!read_parameters(request, &ret) || !may(request, &ret))
        return ret;
    return request->route->run(request);
}

static struct http_request *new_request(struct http_lane *lane, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct http_request *request = calloc(1, sizeof *request);

    if (request == NULL || info->socket_context == NULL) {
        free(request);
        return NULL;
    }
    request->lane = lane;
    request->connection = connection;
    request->socket = info->socket_context;
    request->socket->is_busy = true;
    request->socket->has_begun = false;
    return request;
}

/* A reply now, before the body was read, closes the connection: so it is sent for wrong heads alone. */
static enum MHD_Result begin(struct http_request *request, const char *url, const char *version)
{
    struct http_fault fault;

    if (http_head_is_right(request, url, version, &fault))
        return MHD_YES;
    return http_fail(request, fault.status, CODE_ERR, "%s", fault.why);
}

enum MHD_Result http_exchange_run(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
                                  const char *version, const char *data, size_t *data_size, void **request)
{
    struct http_request *known = *request;

    (void)data;
    if (*data_size > 0)
        return MHD_NO; /* a body, although the head was refused */
    if (known == NULL) {
        *request = known = new_request(cls, connection);
        return known != NULL ? begin(known, url, version) : MHD_NO;
    }
    if (known->is_cut)
        return http_fail(known, MHD_HTTP_SERVICE_UNAVAILABLE, CODE_TRYAGAIN, "the daemon ends: ask another one");
    if (known->errand != NULL)
        return http_leases_reply(known);
    return known->ids != NULL ? http_ids_reply(known) : answer(known, url, method);
}

void http_exchange_end(void *cls, struct MHD_Connection *connection, void **request,
                       enum MHD_RequestTerminationCode why)
{
    struct http_request *ended = *request;

    (void)cls, (void)connection, (void)why;
    if (ended == NULL)
        return;
    http_ids_drop(ended);
    http_leases_drop(ended);
    ended->socket->is_busy = false;
    ended->socket->has_served = true;
    ended->socket->since_ns = ended->lane->lane.now_ns;
    free(ended);
    *request = NULL;
}

void http_exchange_cut(struct http_lane *lane)
{
    while (lane->suspended != NULL) {
        struct http_request *cut = lane->suspended;
        http_ids_drop(cut);
        http_leases_drop(cut);
        cut->is_cut = true;
        http_resume(cut);
    }
}
