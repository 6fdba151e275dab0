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
    struct slice value = {NULL, 0};

    if (MHD_lookup_connection_value_n(request->connection, MHD_HEADER_KIND, name, strlen(name), &value.at,
                                      &value.len) == MHD_NO)
        return (struct slice){NULL, 0};
    return value;
}

struct slice http_parameter(const struct http_request *request, const char *name)
{
    for (size_t i = 0; i < request->parameters; i++) {
        if (slice_equals(request->names[i], slice_of(name)))
            return request->values[i];
    }
    return (struct slice){NULL, 0};
}
