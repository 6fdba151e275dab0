/* SPDX-License-Identifier: MIT */
#include "http_request.h"

#include <stdlib.h>

bool http_wait(struct http_request *request)
{
    struct http_request *kept = malloc(sizeof *kept);

    if (kept == NULL) {
        request->out->failed = true;
        return false;
    }
    *kept = (struct http_request){.session = request->session,
                                  .event_thread = request->event_thread,
                                  .route = request->route,
                                  .ids = request->ids,
                                  .page = request->page,
                                  .sent = request->sent,
                                  .is_head = request->is_head,
                                  .is_old = request->is_old,
                                  .keeps = request->keeps,
                                  .is_last = request->is_last};
    request->session->request = kept;
    return true;
}

struct slice http_parameter(const struct http_request *request, const char *name)
{
    for (size_t i = 0; i < request->count; i++) {
        if (slice_equals(request->parameters[i].name, slice_of(name)))
            return request->parameters[i].value;
    }
    return (struct slice){NULL, 0};
}
