/* SPDX-License-Identifier: MIT */
/* The description of the routes by OpenAPI 3.1, made of their table. */
#include "http_reply.h"
#include "http_routes.h"

#include <stdio.h>
#include <string.h>

static json_t *parameter(const char *name, size_t len, const char *where)
{
    return json_pack("{s:s%, s:s, s:b, s:{s:s}}", "name", name, len, "in", where, "required",
                     (int)(strcmp(where, "path") == 0), "schema", "type", "string");
}

static json_t *parameters_of(const struct http_route *route)
{
    json_t *list = json_array();
    const char *open = strchr(route->path, '{');
    struct slice parameters = slice_of(route->parameters);

    if (open != NULL)
        (void)json_array_append_new(list, parameter(open + 1, strcspn(open + 1, "}"), "path"));
    while (parameters.len > 0) {
        struct slice name = slice_cut(&parameters, ',');
        (void)json_array_append_new(list, parameter(name.at, name.len, "query"));
    }
    if (route->verb == VERB_NEXT) /* not with a token */
        (void)json_array_append_new(list, parameter("X-Requested-With", strlen("X-Requested-With"), "header"));
    return list;
}

static json_t *content_of(const char *type)
{
    json_t *content = json_object();

    if (type != NULL)
        return json_object_set_new(content, type, json_object()), content;
    (void)json_object_set_new(content, "application/json", json_object());
    (void)json_object_set_new(content, "text/plain", json_object());
    (void)json_object_set_new(content, "application/octet-stream", json_object());
    return content;
}

static json_t *operation_of(const struct http_route *route)
{
    json_t *good = json_pack("{s:s, s:o}", "description", route->help, "content", content_of(route->type));
    json_t *bad = json_pack("{s:s, s:o}", "description", "A problem: what is wrong, and when to retry.", "content",
                            content_of((route->flags & ROUTE_OPEN) != 0 ? route->type : "application/problem+json"));
    json_t *operation = json_pack("{s:s, s:s, s:o, s:{s:o, s:o}}", "operationId", route->name, "summary", route->help,
                                  "parameters", parameters_of(route), "responses", "200", good, "default", bad);

    if ((route->flags & ROUTE_OPEN) == 0)
        (void)json_object_set_new(operation, "security", json_pack("[{s:[]}, {}]", "token"));
    return operation;
}

static json_t *path_of(const struct http_route *route)
{
    json_t *path = json_pack("{s:o}", "get", operation_of(route));

    if (strstr(route->methods, "POST") != NULL) {
        json_t *post = operation_of(route);
        char id[32];
        (void)snprintf(id, sizeof id, "post_%s", route->name);
        (void)json_object_set_new(post, "operationId", json_string(id));
        (void)json_object_set_new(path, "post", post);
    }
    return path;
}

void http_openapi(struct http_request *request)
{
    json_t *paths = json_object();

    for (const struct http_route *route = http_routes; route->name != NULL; route++)
        (void)json_object_set_new(paths, route->path, path_of(route));
    http_reply_json(request,
                    json_pack("{s:s, s:{s:s, s:s, s:s}, s:o, s:{s:{s:{s:s, s:s}}}}", "openapi", "3.1.0", "info",
                              "title", "frazild", "version", frazil_version(), "description", "Ids over HTTP.", "paths",
                              paths, "components", "securitySchemes", "token", "type", "http", "scheme", "bearer"));
}
