/* SPDX-License-Identifier: MIT */
/*
 * Handles: generators that JavaScript holds.
 *
 * A handle lives as long as any object of JavaScript points to it: an External and the bound functions, of which each
 * can outlive the others.  All open ones stand in a list, as an environment that ends, or a process, closes its own.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "addon.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* How long the end of an environment or a process may take in all: to give back worker ids to a coordinator. */
static const uint64_t END_NS = UINT64_C(2000000000);

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct handle *list;

/* ---- the list ------------------------------------------------------------------------- */

static void link_handle(struct handle *handle)
{
    (void)pthread_mutex_lock(&list_lock);
    handle->next = list;
    if (list != NULL)
        list->previous = handle;
    list = handle;
    (void)pthread_mutex_unlock(&list_lock);
}

static void unlink_handle(struct handle *handle)
{
    (void)pthread_mutex_lock(&list_lock);
    if (handle->previous != NULL)
        handle->previous->next = handle->next;
    else
        list = handle->next;
    if (handle->next != NULL)
        handle->next->previous = handle->previous;
    (void)pthread_mutex_unlock(&list_lock);
}

/* The first open one of an environment, or of all; its generator, which is then the caller's to close. */
static frazil *take_open(napi_env env)
{
    frazil *gen = NULL;

    (void)pthread_mutex_lock(&list_lock);
    for (struct handle *handle = list; handle != NULL && gen == NULL; handle = handle->next) {
        if (handle->gen == NULL || (env != NULL && handle->env != env))
            continue;
        if (handle->works > 0) { /* a thread of the pool still uses it: the last work closes it, if there is time */
            if (env != NULL)
                handle_close(handle, 0);
            continue;
        }
        gen = handle->gen;
        handle->gen = NULL;
    }
    (void)pthread_mutex_unlock(&list_lock);
    return gen;
}

static uint64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void handles_close_all(napi_env env)
{
    uint64_t end_ns = now_ns() + END_NS;
    frazil *gen;

    while ((gen = take_open(env)) != NULL) {
        uint64_t time_ns = now_ns();
        /*
         * A worker id that is not given back is free when its grant has ended: the process ends, so it does not need
         * the answer.
         */
        (void)!frazil_close_within(gen, time_ns < end_ns ? end_ns - time_ns : 0);
    }
}

void handles_stop_takes(napi_env env, bool shared_ones)
{
    (void)pthread_mutex_lock(&list_lock);
    for (struct handle *handle = list; handle != NULL; handle = handle->next) {
        if (handle->env == env && handle->gen != NULL && handle->works > 0 && (shared_ones || !handle->is_shared))
            frazil_stop(handle->gen);
    }
    (void)pthread_mutex_unlock(&list_lock);
}

/* ---- one of them ----------------------------------------------------------------------- */

struct handle *handle_new(napi_env env, struct addon *addon, frazil *gen, struct request *request)
{
    struct handle *handle = calloc(1, sizeof *handle);

    if (handle == NULL)
        return NULL;
    handle->gen = gen;
    handle->env = env;
    handle->addon = addon;
    handle->max_wait_ns = request->max_wait_ns;
    handle->is_remote = request->is_remote;
    handle->is_shared = request->is_shared;
    handle->clock = request->clock;
    request->clock = NULL;
    handle->spec = request->spec;
    request->spec = NULL;
    link_handle(handle);
    return handle;
}

void handle_hold(struct handle *handle)
{
    handle->holders++;
}

void handle_release(struct handle *handle)
{
    if (--handle->holders > 0)
        return;
    handle_close(handle, 0); /* the garbage collector does not wait: a thread goes on closing it */
    unlink_handle(handle);
    clock_release(handle->clock);
    free(handle->spec);
    free(handle);
}

void handle_close(struct handle *handle, uint64_t wait_ns)
{
    if (handle->gen == NULL)
        return;
    if (handle->works > 0) {
        handle->is_closing = true;
        /*
         * Those that wait end as frazil_stop says, and the last of them comes here again.  Others who share it would be
         * stopped as well.
         */
        if (!handle->is_shared)
            frazil_stop(handle->gen);
        return;
    }
    frazil *gen = handle->gen;
    handle->gen = NULL;
    (void)!frazil_close_within(gen, wait_ns);
}

static void object_is_gone(napi_env env, void *data, void *hint)
{
    (void)env;
    (void)hint;
    handle_release(data);
}

static bool add_bound(napi_env env, struct handle *handle, napi_value object, const char *name, napi_callback call)
{
    napi_value function;

    if (napi_create_function(env, name, NAPI_AUTO_LENGTH, call, handle, &function) != napi_ok ||
        napi_add_finalizer(env, function, handle, object_is_gone, NULL, NULL) != napi_ok)
        return false;
    handle_hold(handle);
    return napi_set_named_property(env, object, name, function) == napi_ok;
}

napi_value handle_object(napi_env env, struct handle *handle)
{
    napi_value object = NULL;
    napi_value external = NULL;
    napi_value number = NULL;
    napi_value text = NULL;

    handle_hold(handle); /* while it is being made */
    bool good = napi_create_object(env, &object) == napi_ok &&
                napi_create_external(env, handle, object_is_gone, NULL, &external) == napi_ok;
    if (good)
        handle_hold(handle);
    good = good && napi_set_named_property(env, object, "external", external) == napi_ok &&
           add_bound(env, handle, object, "next", bound_next) &&
           add_bound(env, handle, object, "nextWaiting", bound_next_waiting) &&
           add_bound(env, handle, object, "tryNext", bound_try_next) &&
           add_bound(env, handle, object, "nextText", bound_next_text) &&
           napi_create_string_utf8(env, handle->spec, NAPI_AUTO_LENGTH, &text) == napi_ok &&
           napi_set_named_property(env, object, "spec", text) == napi_ok &&
           napi_create_double(env, (double)handle->max_wait_ns / 1e6, &number) == napi_ok &&
           napi_set_named_property(env, object, "maxWaitMs", number) == napi_ok &&
           napi_get_boolean(env, handle->is_remote, &number) == napi_ok &&
           napi_set_named_property(env, object, "isRemote", number) == napi_ok;
    handle_release(handle);
    return good ? object : NULL;
}

frazil *arg_generator(struct args *args, size_t i, struct handle **ret)
{
    frazil_error why = {.code = FRAZIL_ESTOPPED, .position = FRAZIL_NO_POSITION, .message = CLOSED_SENTENCE};
    struct handle *handle = arg_external(args, i);

    if (args->wrong)
        return NULL;
    if (handle->gen == NULL || handle->is_closing) {
        (void)throw_error(args, FRAZIL_ESTOPPED, &why);
        return NULL;
    }
    if (ret != NULL)
        *ret = handle;
    return handle->gen;
}
