/* SPDX-License-Identifier: MIT */
/*
 * Promises: what may take long, and so runs in a thread of libuv's pool: opening, closing, and taking ids where a
 * server has to be asked for them.
 */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "addon.h"

#include <stdlib.h>
#include <string.h>

struct promise {
    napi_async_work work;
    napi_deferred deferred;
    struct addon *addon;
    struct request request; /* of open */
    char *spec;             /* of openShared, beside it */
    struct handle *handle;  /* of the others; close has taken gen from it */
    struct promise *next;   /* of closes that wait for their turn */
    frazil *gen;
    uint64_t *ids; /* of take: the words of an array that `array` holds; NULL: snos */
    frazil_sno *snos;
    uint8_t meta;
    size_t n;
    uint64_t wait_ns;
    napi_ref array;
    frazil_err err;
    frazil_error why;
};

static void promise_free(napi_env env, struct promise *promise)
{
    if (promise->array != NULL)
        (void)napi_delete_reference(env, promise->array);
    request_free(&promise->request);
    free(promise->spec);
    (void)napi_delete_async_work(env, promise->work);
    free(promise);
}

static void settle(napi_env env, struct promise *promise, napi_value result)
{
    if (promise->err == FRAZIL_OK) {
        if (result == NULL)
            (void)napi_get_undefined(env, &result);
        (void)napi_resolve_deferred(env, promise->deferred, result);
    } else {
        napi_value error = make_error(env, promise->addon, promise->err, &promise->why);
        if (error != NULL) /* else the environment is ending */
            (void)napi_reject_deferred(env, promise->deferred, error);
    }
    promise_free(env, promise);
}

/* Makes what JavaScript waits for, and starts it unless it is `later`.  On failure it is freed, and an exception is
 * pending. */
static napi_value start_when(struct args *args, struct promise *promise, napi_async_execute_callback execute,
                             napi_async_complete_callback complete, bool later)
{
    napi_value value = NULL;
    napi_value name = make_text(args, "frazil", NAPI_AUTO_LENGTH);

    promise->addon = args->addon;
    if (napi_create_async_work(args->env, NULL, name, execute, complete, promise, &promise->work) == napi_ok &&
        napi_create_promise(args->env, &promise->deferred, &value) == napi_ok &&
        (later || napi_queue_async_work(args->env, promise->work) == napi_ok))
        return value;
    promise_free(args->env, promise);
    return throw_error(args, FRAZIL_ENOMEM, NULL);
}

static napi_value start(struct args *args, struct promise *promise, napi_async_execute_callback execute,
                        napi_async_complete_callback complete)
{
    return start_when(args, promise, execute, complete, false);
}

/* ---- open ------------------------------------------------------------------------------- */

static void open_execute(napi_env env, void *data)
{
    struct promise *promise = data;

    (void)env;
    promise->err = promise->spec != NULL ? frazil_open_shared(&promise->gen, promise->spec, &promise->why)
                                         : frazil_open_with(&promise->gen, promise->request.options, &promise->why);
}

static void open_complete(napi_env env, napi_status status, void *data)
{
    struct promise *promise = data;
    napi_value object = NULL;

    (void)status;
    if (promise->err == FRAZIL_OK) {
        struct handle *handle = handle_new(env, promise->addon, promise->gen, &promise->request);
        if (handle == NULL)
            frazil_close(promise->gen);
        object = handle == NULL ? NULL : handle_object(env, handle);
        promise->err = object == NULL ? FRAZIL_ENOMEM : FRAZIL_OK;
    }
    settle(env, promise, object);
}

static napi_value open_async(struct args *args)
{
    struct promise *promise = calloc(1, sizeof *promise);

    if (promise == NULL)
        return throw_error(args, FRAZIL_ENOMEM, NULL);
    if (!request_read(args, 0, &promise->request)) {
        free(promise);
        return NULL;
    }
    return start(args, promise, open_execute, open_complete);
}

static napi_value open_shared_async(struct args *args)
{
    size_t len;
    const char *spec = arg_text(args, 0, "a spec", &len);
    struct promise *promise = args->wrong ? NULL : calloc(1, sizeof *promise);

    if (args->wrong)
        return NULL;
    if (promise == NULL || (promise->spec = strdup(spec)) == NULL) {
        free(promise);
        return throw_error(args, FRAZIL_ENOMEM, NULL);
    }
    if (!request_read(args, 0, &promise->request)) {
        free(promise->spec);
        free(promise);
        return NULL;
    }
    promise->request.is_shared = true;
    return start(args, promise, open_execute, open_complete);
}

/* ---- close ------------------------------------------------------------------------------ */

/* A close over a silent coordinator takes two seconds of a thread of libuv's four, which files and names need, too. */
enum { CLOSES_MOST = 2 };

static void close_in_turn(struct addon *addon, struct promise *promise)
{
    if (addon->first_close == NULL)
        addon->first_close = promise;
    else
        addon->last_close->next = promise;
    addon->last_close = promise;
}

static void close_execute(napi_env env, void *data)
{
    struct promise *promise = data;

    (void)env;
    promise->err = frazil_close_within(promise->gen, FRAZIL_WAIT_FOREVER);
}

static void close_at_last(napi_env env, struct handle *handle);

static void close_complete(napi_env env, napi_status status, void *data)
{
    struct promise *promise = data;

    struct addon *addon = promise->addon;

    (void)status;
    handle_release(promise->handle);
    settle(env, promise, NULL);
    addon->closes--;
    struct promise *next = addon->first_close;
    if (next == NULL)
        return;
    addon->first_close = next->next;
    close_at_last(env, next->handle);
}

/* No work uses the generator any more: now the promise of its end can be kept. */
static void close_at_last(napi_env env, struct handle *handle)
{
    struct promise *promise = handle->closing;

    if (promise != NULL && handle->addon->closes == CLOSES_MOST) {
        close_in_turn(handle->addon, promise);
        return;
    }
    handle->closing = NULL;
    handle->is_closing = false;
    if (promise == NULL) {
        handle_close(handle, 0);
        return;
    }
    handle->addon->closes++;
    promise->gen = handle->gen;
    handle->gen = NULL;
    if (napi_queue_async_work(env, promise->work) == napi_ok)
        return;
    promise->err = frazil_close_within(promise->gen, 0); /* a thread of the library's goes on with it */
    close_complete(env, napi_ok, promise);
}

/* closeAsync(handle): undefined where it is closed already.  Works that use the generator end first. */
static napi_value close_async(struct args *args)
{
    struct handle *handle = arg_external(args, 0);

    if (args->wrong || handle->gen == NULL || handle->closing != NULL)
        return NULL;
    bool later = handle->works > 0 || args->addon->closes == CLOSES_MOST;
    struct promise *promise = calloc(1, sizeof *promise);
    if (promise == NULL)
        return throw_error(args, FRAZIL_ENOMEM, NULL);
    promise->gen = handle->gen;
    promise->handle = handle;
    napi_value value = start_when(args, promise, close_execute, close_complete, later);
    if (value == NULL)
        return NULL;
    handle_hold(handle);
    if (later) {
        handle->closing = promise;
        handle->is_closing = true;
        if (handle->works > 0)
            handle_close(handle, 0);
        else
            close_in_turn(args->addon, promise);
    } else {
        handle->gen = NULL;
        args->addon->closes++;
    }
    return value;
}

/* ---- take ------------------------------------------------------------------------------- */

static void take_execute(napi_env env, void *data)
{
    struct promise *promise = data;

    (void)env;
    promise->err =
        promise->ids != NULL
            ? frazil_take(promise->gen, promise->ids, promise->n, promise->wait_ns, &promise->why)
            : frazil_sno_take(promise->gen, promise->meta, promise->snos, promise->n, promise->wait_ns, &promise->why);
}

static void take_complete(napi_env env, napi_status status, void *data)
{
    struct promise *promise = data;
    struct handle *handle = promise->handle;
    napi_value array = NULL;

    (void)status;
    (void)napi_get_reference_value(env, promise->array, &array);
    handle->works--;
    if (handle->works == 0 && handle->is_closing)
        close_at_last(env, handle);
    handle_release(handle);
    settle(env, promise, array);
}

/* The rest of max_wait after passed_ms.  It is never 0: a call with that wait may ask a coordinator for longer. */
static uint64_t wait_after(const struct handle *handle, uint64_t passed_ms)
{
    const uint64_t ms_ns = 1000000;
    uint64_t whole_ns = handle->max_wait_ns;

    if (passed_ms == 0 || whole_ns == 0 || whole_ns == FRAZIL_WAIT_FOREVER)
        return FRAZIL_WAIT_DEFAULT;
    return passed_ms < whole_ns / ms_ns ? whole_ns - passed_ms * ms_ns : 1;
}

/*
 * Fills what argument i, which is an array, has room for, in a thread of the pool.  The argument after it is how many
 * milliseconds of max_wait have passed.
 */
static napi_value start_take(struct args *args, struct handle *handle, size_t i, const struct promise *wanted)
{
    uint64_t passed_ms = args->wrong ? 0 : arg_u64(args, i + 1, "the time that has passed");
    struct promise *promise = args->wrong ? NULL : malloc(sizeof *promise);

    if (args->wrong)
        return NULL;
    if (promise != NULL) {
        *promise = *wanted;
        promise->wait_ns = wait_after(handle, passed_ms);
    }
    if (promise == NULL || napi_create_reference(args->env, args->value[i], 1, &promise->array) != napi_ok) {
        free(promise);
        return throw_error(args, FRAZIL_ENOMEM, NULL);
    }
    promise->handle = handle;
    napi_value value = start(args, promise, take_execute, take_complete);
    if (value != NULL) {
        handle->works++;
        handle_hold(handle);
    }
    return value;
}

/* takeAsync(handle, words, passedMs): fills all of them. */
static napi_value take_async(struct args *args)
{
    static uint64_t none; /* an empty array may be nowhere */
    struct handle *handle = NULL;
    struct promise wanted = {.gen = arg_generator(args, 0, &handle)};

    uint64_t *ids = args->wrong ? NULL : arg_words(args, 1, "what is filled", &wanted.n);
    wanted.ids = ids == NULL ? &none : ids;
    return start_take(args, handle, 1, &wanted);
}

/* takeSnosAsync(handle, meta, bytes, passedMs), as takeAsync. */
static napi_value take_snos_async(struct args *args)
{
    struct handle *handle = NULL;
    struct promise wanted = {.gen = arg_generator(args, 0, &handle)};

    wanted.meta = arg_meta(args, 1);
    wanted.snos = arg_snos(args, 2, &wanted.n);
    return start_take(args, handle, 2, &wanted);
}

/* stopTakes(the whole process ends): process.exit waits for the threads of the pool. */
static napi_value stop_takes(struct args *args)
{
    handles_stop_takes(args->env, arg_bool(args, 0));
    return NULL;
}

const struct native natives_of_promises[] = {
    {"openAsync", open_async},
    {"openSharedAsync", open_shared_async},
    {"closeAsync", close_async},
    {"takeAsync", take_async},
    {"takeSnosAsync", take_snos_async},
    {"stopTakes", stop_takes},
    {NULL, NULL},
};
