/* SPDX-License-Identifier: MIT */
/* Requests of HTTP for generators, layouts and ids that are there. */
#include "http_request.h"

#include "forms.h"
#include "http_reply.h"
#include "http_routes.h"
#include "info.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Numbers that JavaScript rounds are sent as text. */
static json_t *json_of(const struct info *info)
{
    json_t *json = json_object();
    char digits[24];

    for (size_t i = 0; i < info->count && json != NULL; i++) {
        const struct info_pair *pair = &info->pairs[i];
        (void)snprintf(digits, sizeof digits, "%" PRIu64, pair->number);
        bool is_exact = pair->is_number && pair->number <= EXACT_MAX;
        (void)json_object_set_new(json, pair->key,
                                  is_exact ? json_integer((json_int_t)pair->number)
                                           : json_string(pair->is_number ? digits : pair->text));
    }
    return json;
}

struct generator *http_generator(struct http_request *request, struct slice name)
{
    struct generator *generator = NULL;

    switch (admission_find(request->event_thread->setup, request->user, request->route->verb, name, &generator)) {
    case ACCESS_FORBIDDEN:
        http_fail(request, HTTP_FORBIDDEN, CODE_NOPERM, "user %s may not do this with %.*s: see allow= of the user",
                  request->user->name, (int)name.len, name.at);
        break;
    case ACCESS_NO_NAME:
    case ACCESS_ABSENT:
        http_fail(request, HTTP_NOT_FOUND, CODE_ERR, "there is no generator of that name: /v1/generators lists them");
        break;
    case ACCESS_GIVEN:
        break;
    }
    return generator;
}

/* The one that a client means which names none. */
static struct generator *default_generator(struct http_request *request)
{
    struct setup *setup = request->event_thread->setup;
    struct generator *generator = generators_default(&setup->generators);
    enum access access = admission_of_unnamed(setup, request->user, request->route->verb, generator);

    if (access == ACCESS_GIVEN)
        return generator;
    if (access == ACCESS_FORBIDDEN)
        http_fail(request, HTTP_FORBIDDEN, CODE_NOPERM,
                  "user %s may not do this without generator= or layout=: see allow= of the user", request->user->name);
    else
        http_fail(request, HTTP_BAD_REQUEST, CODE_ERR, "give generator= or layout=");
    return NULL;
}

void http_list_generators(struct http_request *request)
{
    const struct generators *set = &request->event_thread->setup->generators;
    json_t *json = json_object(), *list = json_array();
    struct info info;

    for (size_t i = 0; i < set->count; i++) {
        if (!users_see(request->user, set->rows[i].name))
            continue;
        info_of_generator(&set->rows[i], &info);
        (void)json_array_append_new(list, json_of(&info));
    }
    (void)json_object_set_new(json, "generators", list);
    http_reply_json(request, json);
}

void http_show_generator(struct http_request *request)
{
    const struct generator *generator = http_generator(request, request->argument);
    struct info info;

    if (generator == NULL)
        return;
    info_of_generator(generator, &info);
    json_t *json = json_of(&info), *workers = json_array();
    for (const struct engine *engine = generator->engine; engine != NULL; engine = engine->next) {
        info_of_engine(engine, &info);
        (void)json_array_append_new(workers, json_of(&info));
    }
    (void)json_object_set_new(json, "workers", workers);
    info_of_stats(generator, &info);
    (void)json_object_set_new(json, "stats", json_of(&info));
    http_reply_json(request, json);
}

static bool parse_layout(struct http_request *request, struct slice text, frazil_layout *ret_layout)
{
    frazil_error err;

    if (frazil_layout_parse(text.at, text.len, ret_layout, &err) == FRAZIL_OK)
        return true;
    http_fail(request, HTTP_BAD_REQUEST, CODE_ERR, "%s", err.message);
    return false;
}

/* Reads generator= or layout=; without either, the generator that a client means which names none. */
static bool read_layout(struct http_request *request, frazil_layout *ret_layout)
{
    struct slice name = http_parameter(request, "generator"), text = http_parameter(request, "layout");
    const struct generator *generator = NULL;

    if (text.at != NULL && name.at == NULL)
        return parse_layout(request, text, ret_layout);
    if (text.at != NULL)
        http_fail(request, HTTP_BAD_REQUEST, CODE_ERR, "give generator= or layout=, not both");
    else
        generator = name.at != NULL ? http_generator(request, name) : default_generator(request);
    if (generator != NULL)
        *ret_layout = generator->engine->layout;
    return generator != NULL;
}

/* Sends a look, or why there is none. */
static void send_info(struct http_request *request, frazil_err code, const struct info *info, const frazil_error *err)
{
    if (code != FRAZIL_OK)
        http_fail(request, HTTP_BAD_REQUEST, CODE_ERR, "%s", err->message);
    else
        http_reply_json(request, json_of(info));
}

void http_inspect(struct http_request *request)
{
    frazil_layout layout;
    struct info_id id;
    struct info info;
    frazil_error err;

    if (!read_layout(request, &layout))
        return;
    frazil_err code = info_read_id(&layout, request->argument, &id, &err);
    if (code == FRAZIL_OK)
        code = info_of_id(&layout, &id, &info, &err);
    send_info(request, code, &info, &err);
}

/* A parameter that must be given.  False: the reply says that it is not. */
static bool need(struct http_request *request, const char *name, struct slice *ret_value)
{
    *ret_value = http_parameter(request, name);
    if (ret_value->at != NULL)
        return true;
    http_fail(request, HTTP_BAD_REQUEST, CODE_ERR, "%s= is missing; %s has: %s", name, request->route->path,
              request->route->parameters);
    return false;
}

void http_compose(struct http_request *request)
{
    struct slice when, worker, sequence;
    struct info info = {.count = 0};
    char text[INFO_TEXT_SIZE];
    frazil_layout layout;
    struct info_id id;
    frazil_error err;

    if (!read_layout(request, &layout) || !need(request, "time", &when) || !need(request, "worker", &worker) ||
        !need(request, "sequence", &sequence))
        return;
    frazil_err code = info_compose(&layout, when, worker, sequence, &id, &err);
    if (code == FRAZIL_OK) {
        info_write_id(&id, text);
        info_text(&info, "id", text);
    }
    send_info(request, code, &info, &err);
}

void http_range(struct http_request *request)
{
    struct slice from, to;
    frazil_layout layout;
    struct info info;
    frazil_error err;

    if (!read_layout(request, &layout) || !need(request, "from", &from) || !need(request, "to", &to))
        return;
    frazil_err code = info_range(&layout, from, to, &info, &err);
    send_info(request, code, &info, &err);
}

void http_list_layouts(struct http_request *request)
{
    json_t *json = json_object(), *list = json_array();

    for (size_t i = 0; frazil_layout_preset(i) != NULL; i++)
        (void)json_array_append_new(list, json_string(frazil_layout_preset(i)->name));
    (void)json_object_set_new(json, "presets", list);
    http_reply_json(request, json);
}

void http_show_layout(struct http_request *request)
{
    frazil_layout layout;
    struct info info;

    if (!parse_layout(request, request->argument, &layout))
        return;
    info_of_layout(&layout, &info);
    http_reply_json(request, json_of(&info));
}
