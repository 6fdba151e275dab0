/* SPDX-License-Identifier: MIT */
/* Requests: what `open` was asked for, as options of the library. */
#include "addon.h"

#include <stdlib.h>
#include <string.h>

void clock_release(struct clock *clock)
{
    if (clock == NULL || --clock->holders > 0)
        return;
    frazil_manual_clock_close(clock->manual);
    free(clock);
}

/* One key and its value, from a list in which they alternate. */
static bool set_pair(struct args *args, napi_value list, uint32_t i, frazil_options *options)
{
    struct args pair = {.env = args->env, .addon = args->addon};
    frazil_error why = {.code = 0};
    size_t key_len;
    size_t len;

    (void)napi_get_element(args->env, list, i, &pair.value[0]);
    (void)napi_get_element(args->env, list, i + 1, &pair.value[1]);
    const char *key = arg_text(&pair, 0, "the name of an option", &key_len);
    const char *value = arg_text(&pair, 1, "the value of an option", &len);
    if (!pair.wrong && strlen(key) != key_len)
        (void)throw_wrong(&pair, "the name of an option has a zero byte");
    if (!pair.wrong) {
        frazil_err err = frazil_options_set(options, key, value, len, &why);
        if (err != FRAZIL_OK)
            (void)throw_error(&pair, err, &why);
    }
    while (pair.texts > 0)
        free(pair.text[--pair.texts]);
    args->wrong = args->wrong || pair.wrong;
    return !pair.wrong;
}

static void set_pairs(struct args *args, napi_value list, frazil_options *options)
{
    uint32_t count = 0;

    (void)napi_get_array_length(args->env, list, &count);
    for (uint32_t i = 0; i + 1 < count && set_pair(args, list, i, options); i += 2)
        continue;
}

static void set_clock(struct args *args, size_t i, struct request *request)
{
    frazil_error why = {.code = 0};
    struct clock *clock = arg_external(args, i);

    if (args->wrong)
        return;
    frazil_clock port;
    frazil_manual_clock_port(clock->manual, &port, sizeof port);
    frazil_err err = frazil_options_clock(request->options, &port, &why);
    if (err != FRAZIL_OK) {
        (void)throw_error(args, err, &why);
        return;
    }
    request->clock = clock;
    clock->holders++;
}

/* ---- how the library reads a request -------------------------------------------------- */

enum { VALUE_SIZE = 32 };

/* Gives what the options mean for a key; empty if they say nothing of it, or more than fits. */
static void find_value(const struct request *request, const char *key, char ret[VALUE_SIZE])
{
    if (frazil_options_get(request->options, key, ret, VALUE_SIZE, NULL, NULL) != FRAZIL_OK)
        ret[0] = '\0';
}

/* Whether slots come from a coordinator.  Each word of this key fits, and a URL may be longer. */
static bool has_state_elsewhere(const struct request *request)
{
    char value[VALUE_SIZE];
    frazil_err err = frazil_options_get(request->options, "state", value, sizeof value, NULL, NULL);

    return err == FRAZIL_EBUFFER || (err == FRAZIL_OK && strchr(value, ':') != NULL);
}

/* How calls are made: how long one may wait, and whether it may have to ask a server or a disk. */
static void understand(struct request *request)
{
    char value[VALUE_SIZE];

    find_value(request, "max_wait", value);
    request->max_wait_ns = value[0] >= '0' && value[0] <= '9' ? strtoull(value, NULL, 10) : FRAZIL_WAIT_FOREVER;
    find_value(request, "keeper", value);
    request->is_remote = strcmp(value, "inline") == 0 || has_state_elsewhere(request);
}

static void ask_library(struct args *args, struct request *request)
{
    frazil_error why = {.code = 0};
    char nothing[1];
    size_t len = 0;

    frazil_err err = frazil_options_text(request->options, 0, nothing, sizeof nothing, &len, &why);
    if (err != FRAZIL_EBUFFER) {
        (void)throw_error(args, err, &why);
        return;
    }
    char *text = malloc(len + 1);
    if (text == NULL) {
        (void)throw_error(args, FRAZIL_ENOMEM, NULL);
        return;
    }
    err = frazil_options_text(request->options, 0, text, len + 1, &len, &why);
    if (err == FRAZIL_OK)
        understand(request);
    else
        (void)throw_error(args, err, &why);
    request->spec = text;
}

bool request_read(struct args *args, size_t first, struct request *ret)
{
    struct request request = {.options = NULL};
    frazil_error why = {.code = 0};
    size_t len;

    frazil_err err = frazil_options_open(&request.options, &why);
    if (err != FRAZIL_OK) {
        (void)throw_error(args, err, &why);
        return false;
    }
    if (!is_missing(args, first)) {
        const char *spec = arg_text(args, first, "a spec", &len);
        if (!args->wrong && (err = frazil_options_spec(request.options, spec, len, &why)) != FRAZIL_OK)
            (void)throw_error(args, err, &why);
    }
    if (!args->wrong && !is_missing(args, first + 1))
        set_pairs(args, args->value[first + 1], request.options);
    if (!args->wrong && !is_missing(args, first + 2))
        set_clock(args, first + 2, &request);
    if (!args->wrong)
        ask_library(args, &request);
    if (args->wrong) {
        request_free(&request);
        return false;
    }
    *ret = request;
    return true;
}

void request_free(struct request *request)
{
    frazil_options_close(request->options);
    clock_release(request->clock);
    free(request->spec);
    request->options = NULL;
    request->clock = NULL;
    request->spec = NULL;
}
