/* SPDX-License-Identifier: MIT */
/* Requests of HTTP for the daemon itself. */
#include "commands.h"
#include "http_reply.h"
#include "http_routes.h"
#include "metrics.h"

#define LOOK_BYTES 256 /* a look at a generator takes as long as a reply of this size */

static const char *name_of(enum protocol protocol, size_t row)
{
    if (!protocol_is_http(protocol))
        return row < commands_count() ? commands[row].name : NULL;
    for (const struct http_route *route = http_routes; route->name != NULL; route++) {
        if (route == &http_routes[row])
            return route->name;
    }
    return NULL;
}

void http_metrics(struct http_request *request)
{
    struct bytes text = {0};
    const struct metrics_view view = {request->event_thread->server, request->event_thread->setup, request->user,
                                      name_of};

    metrics_write(&view, &text);
    http_reply(request, "text/plain; version=0.0.4; charset=utf-8", &text);
}

/* A sentence about why clients should go elsewhere; NULL: they need not. */
static const char *find_unready(const struct event_thread *event_thread)
{
    const struct generators *set = &event_thread->setup->generators;
    frazil_health health;

    if (atomic_load(&event_thread->server->leaving))
        return "the daemon is shutting down\n";
    for (size_t i = 0; i < set->count; i++) {
        engine_health(generator_worst(&set->rows[i]), &health, NULL);
        if (health.state != FRAZIL_HEALTH_SERVING)
            return "a generator has no ids, or soon will not: see /v1/generators\n";
    }
    return NULL;
}

static void send_health(struct http_request *request, const char *why)
{
    if (why != NULL)
        http_reply_text(request, HTTP_SERVICE_UNAVAILABLE, why);
    else
        http_reply_text(request, HTTP_OK, "ok\n");
}

void http_livez(struct http_request *request)
{
    send_health(request, server_is_alive(request->event_thread->server) ? NULL : "a thread of the daemon is stuck\n");
}

void http_readyz(struct http_request *request)
{
    request->session->hidden_work += request->event_thread->setup->generators.count * LOOK_BYTES;
    send_health(request, find_unready(request->event_thread));
}
