/* SPDX-License-Identifier: MIT */
#include "http_request.h"

#include <string.h>

void http_suspend(struct http_request *request)
{
    struct http_lane *lane = request->lane;

    request->is_suspended = true;
    request->previous = NULL;
    request->next = lane->suspended;
    if (request->next != NULL)
        request->next->previous = request;
    lane->suspended = request;
    MHD_suspend_connection(request->connection);
}

void http_resume(struct http_request *request)
{
    request->is_suspended = false;
    if (request->next != NULL)
        request->next->previous = request->previous;
    if (request->previous != NULL)
        request->previous->next = request->next;
    else
        request->lane->suspended = request->next;
    MHD_resume_connection(request->connection);
}

struct slice http_header(const struct http_request *request, const char *name)
{
    const char *value = MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, name);

    return (struct slice){value, value != NULL ? strlen(value) : 0};
}

struct slice http_parameter(const struct http_request *request, const char *name)
{
    for (size_t i = 0; i < request->parameters; i++) {
        if (strlen(name) == request->names[i].len && memcmp(name, request->names[i].at, request->names[i].len) == 0)
            return request->values[i];
    }
    return (struct slice){NULL, 0};
}
