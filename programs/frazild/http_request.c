/* SPDX-License-Identifier: MIT */
#include "http_request.h"

#include <string.h>

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
