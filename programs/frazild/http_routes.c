/* SPDX-License-Identifier: MIT */
#include "http_routes.h"

#include <string.h>

#define READ "GET, HEAD"

/* The most frequent first: they are looked for in this order. */
/* clang-format off */
const struct http_route http_routes[] = {
    {"ids", "/v1/generators/{generator}/ids", "GET, POST", "n, form, meta", VERB_NEXT, ROUTE_GENERATOR,
     http_take_ids, NULL, "New ids: exactly n of them (1), or a problem and none."},
    {"generator", "/v1/generators/{generator}", READ, "", VERB_STATS, ROUTE_GENERATOR, http_show_generator,
     "application/json", "A generator and its statistics."},
    {"generators", "/v1/generators", READ, "", VERB_NONE, 0, http_list_generators, "application/json",
     "The generators that the user may use."},
    {"inspect", "/v1/inspect/{id}", READ, "generator, layout", VERB_INSPECT, 0, http_inspect, "application/json",
     "The fields of an id, of a generator or a layout."},
    {"compose", "/v1/compose", READ, "generator, layout, time, worker, sequence", VERB_INSPECT, 0, http_compose,
     "application/json", "The id of these fields."},
    {"range", "/v1/range", READ, "generator, layout, from, to", VERB_INSPECT, 0, http_range, "application/json",
     "The smallest and the largest id of a time, for WHERE id BETWEEN."},
    {"layouts", "/v1/layouts", READ, "", VERB_INSPECT, 0, http_list_layouts, "application/json",
     "The names of the presets."},
    {"layout", "/v1/layouts/{layout}", READ, "", VERB_INSPECT, 0, http_show_layout, "application/json",
     "A layout: a preset, or a text such as 41/10/12 tick=1ms."},
    {"leases", "/v1/leases/{generator}", READ, "", VERB_LEASES, ROUTE_GENERATOR, http_list_leases, "application/json",
     "The worker ids of the generator's coordinator, and their holders."},
    {"metrics", "/metrics", READ, "", VERB_STATS, 0, http_metrics, "text/plain", "Metrics as Prometheus reads them."},
    {"livez", "/livez", READ, "", VERB_NONE, ROUTE_OPEN, http_livez, "text/plain", "200 if the threads run."},
    {"readyz", "/readyz", READ, "", VERB_NONE, ROUTE_OPEN, http_readyz, "text/plain",
     "200 if every generator serves ids and the daemon is not shutting down."},
    {"openapi", "/openapi.json", READ, "", VERB_NONE, ROUTE_OPEN, http_openapi, "application/json",
     "This description."},
    {"root", "/", READ, "", VERB_NONE, ROUTE_OPEN, http_root, "text/plain", "A few lines on where to begin; for a browser, the page."},
    {0},
};
/* clang-format on */

_Static_assert(sizeof http_routes / sizeof http_routes[0] < COUNTED_COMMANDS,
               "each route is counted, and the unknown ones");

static bool fits(const char *pattern, struct slice path, struct slice *ret)
{
    size_t before = strcspn(pattern, "{");

    *ret = (struct slice){NULL, 0};
    if (pattern[before] == '\0')
        return slice_equals(path, slice_of(pattern));
    struct slice rest = slice_of(strchr(pattern, '}') + 1);
    if (path.len <= before + rest.len || memcmp(pattern, path.at, before) != 0 ||
        memcmp(path.at + path.len - rest.len, rest.at, rest.len) != 0)
        return false;
    *ret = (struct slice){path.at + before, path.len - before - rest.len};
    return rest.len == 0 || memchr(ret->at, '/', ret->len) == NULL;
}

const struct http_route *http_routes_find(struct slice path, struct slice *ret_argument)
{
    for (const struct http_route *row = http_routes; row->name != NULL; row++) {
        if (fits(row->path, path, ret_argument))
            return row;
    }
    return NULL;
}
