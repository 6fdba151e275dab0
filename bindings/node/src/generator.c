/* SPDX-License-Identifier: MIT */
/* Generators: the functions that make ids, and those that look at a generator. */
#include "addon.h"

#include <stdlib.h>
#include <string.h>

/* ---- the fast path ----------------------------------------------------------------------- */

/* One id without waiting.  It asks once, and the answer has its reason: to ask again for that would count as a refusal.
 */
static frazil_err take_one(struct handle *handle, uint64_t *ret_id, frazil_error *why)
{
    uint64_t retry_ns; /* which `why` has, too */
    size_t taken;

    if (handle->gen != NULL && !handle->is_closing)
        return frazil_try_take(handle->gen, ret_id, 1, &taken, &retry_ns, why);
    *why = (frazil_error){.code = FRAZIL_ESTOPPED, .position = FRAZIL_NO_POSITION, .message = CLOSED_SENTENCE};
    return FRAZIL_ESTOPPED;
}

/* JavaScript reads the id from the cell: making a bigint there is cheaper than here. */
napi_value bound_next(napi_env env, napi_callback_info info)
{
    frazil_error why;
    void *data;

    (void)napi_get_cb_info(env, info, NULL, NULL, NULL, &data);
    struct handle *handle = data;
    frazil_err err = take_one(handle, &handle->addon->cell[CELL_ID], &why);
    return err == FRAZIL_OK ? NULL : throw_error(&(struct args){.env = env, .addon = handle->addon}, err, &why);
}

/* As bound_next, but waits for as long as max_wait allows. */
napi_value bound_next_waiting(napi_env env, napi_callback_info info)
{
    frazil_error why = {.code = FRAZIL_ESTOPPED, .position = FRAZIL_NO_POSITION, .message = CLOSED_SENTENCE};
    frazil_err err = FRAZIL_ESTOPPED;
    void *data;

    (void)napi_get_cb_info(env, info, NULL, NULL, NULL, &data);
    struct handle *handle = data;
    if (handle->gen != NULL && !handle->is_closing)
        err = frazil_take(handle->gen, &handle->addon->cell[CELL_ID], 1, FRAZIL_WAIT_DEFAULT, &why);
    return err == FRAZIL_OK ? NULL : throw_error(&(struct args){.env = env, .addon = handle->addon}, err, &why);
}

/* As bound_next, but returns false where the same call can succeed later. */
napi_value bound_try_next(napi_env env, napi_callback_info info)
{
    frazil_error why;
    napi_value value = NULL;
    void *data;

    (void)napi_get_cb_info(env, info, NULL, NULL, NULL, &data);
    struct handle *handle = data;
    uint64_t *cell = handle->addon->cell;
    frazil_err err = take_one(handle, &cell[CELL_ID], &why);
    if (err == FRAZIL_OK)
        return NULL;
    if (frazil_err_classify(err) == FRAZIL_CLASS_RETRY) {
        cell[CELL_RETRY_NS] = why.retry_ns;
        (void)napi_get_boolean(env, false, &value);
        return value;
    }
    return throw_error(&(struct args){.env = env, .addon = handle->addon}, err, &why);
}

static napi_value decimal(napi_env env, uint64_t id)
{
    char digits[20];
    size_t at = sizeof digits;
    napi_value value = NULL;

    do {
        digits[--at] = (char)('0' + id % 10);
        id /= 10;
    } while (id > 0);
    (void)napi_create_string_latin1(env, digits + at, sizeof digits - at, &value);
    return value;
}

/* An id in decimal digits. */
napi_value bound_next_text(napi_env env, napi_callback_info info)
{
    frazil_error why;
    uint64_t id;
    void *data;

    (void)napi_get_cb_info(env, info, NULL, NULL, NULL, &data);
    struct handle *handle = data;
    frazil_err err = take_one(handle, &id, &why);
    if (err == FRAZIL_OK)
        return decimal(env, id);
    return throw_error(&(struct args){.env = env, .addon = handle->addon}, err, &why);
}

/* ---- opening and stopping -------------------------------------------------------------------- */

static napi_value object_of(struct args *args, frazil *gen, struct request *request)
{
    struct handle *handle = handle_new(args->env, args->addon, gen, request);
    napi_value object = handle == NULL ? NULL : handle_object(args->env, handle);

    if (handle == NULL)
        frazil_close(gen);
    return object != NULL ? object : throw_error(args, FRAZIL_ENOMEM, NULL);
}

static napi_value open_generator(struct args *args)
{
    frazil_error why = {.code = 0};
    struct request request;
    napi_value object = NULL;
    frazil *gen;

    if (!request_read(args, 0, &request))
        return NULL;
    frazil_err err = frazil_open_with(&gen, request.options, &why);
    if (err == FRAZIL_OK)
        object = object_of(args, gen, &request);
    else
        (void)throw_error(args, err, &why);
    request_free(&request);
    return object;
}

/* All that are opened so in this process, by whichever thread, are one generator. */
static napi_value open_shared(struct args *args)
{
    frazil_error why = {.code = 0};
    struct request request;
    frazil *gen;
    size_t len;
    const char *spec = arg_text(args, 0, "a spec", &len);

    if (args->wrong)
        return NULL;
    if (strlen(spec) != len)
        return throw_wrong(args, "the spec has a zero byte");
    if (!request_read(args, 0, &request))
        return NULL;
    request.is_shared = true;
    frazil_err err = frazil_open_shared(&gen, spec, &why);
    napi_value object = err == FRAZIL_OK ? object_of(args, gen, &request) : throw_error(args, err, &why);
    request_free(&request);
    return object;
}

static napi_value stop_generator(struct args *args)
{
    frazil *gen = arg_generator(args, 0, NULL);

    if (!args->wrong)
        frazil_stop(gen);
    return NULL;
}

/* A promise takes so many at a time, in some 10 us: others get their turn in between. */
enum { AT_A_TIME = 8192 };

/* ---- ids, several at once -------------------------------------------------------------------- */

static uint64_t wait_of(struct args *args, size_t i)
{
    return arg_bool(args, i) ? FRAZIL_WAIT_DEFAULT : 0;
}

/* fill(handle, words, may wait): exactly as many as there is room for, or none. */
static napi_value fill(struct args *args)
{
    frazil_error why = {.code = 0};
    size_t n;
    frazil *gen = arg_generator(args, 0, NULL);
    uint64_t *ids = args->wrong ? NULL : arg_words(args, 1, "what is filled", &n);

    if (args->wrong)
        return NULL;
    frazil_err err = frazil_take(gen, n > 0 ? ids : &(uint64_t){0}, n, wait_of(args, 2), &why);
    return err == FRAZIL_OK ? args->value[1] : throw_error(args, err, &why);
}

/* tryTake(handle, words, from): how many it took; the cell says when to come back.  FRAZIL_EAGAIN is no error: 0. */
static napi_value try_take(struct args *args)
{
    frazil_error why = {.code = 0};
    size_t taken = 0;
    size_t n;
    frazil *gen = arg_generator(args, 0, NULL);
    uint64_t *ids = args->wrong ? NULL : arg_words(args, 1, "what is filled", &n);
    uint32_t from = args->wrong ? 0 : arg_u32(args, 2, "from");

    if (args->wrong)
        return NULL;
    if (from >= n)
        return make_number(args, 0);
    size_t most = n - from < AT_A_TIME ? n - from : AT_A_TIME;
    frazil_err err = frazil_try_take(gen, ids + from, most, &taken, &args->addon->cell[CELL_RETRY_NS], &why);
    return err == FRAZIL_OK || err == FRAZIL_EAGAIN ? make_number(args, (double)taken) : throw_error(args, err, &why);
}

static napi_value next_at(struct args *args)
{
    frazil_error why = {.code = 0};
    uint64_t id;
    frazil *gen = arg_generator(args, 0, NULL);
    int64_t unix_ms = args->wrong ? 0 : arg_time(args, 1, "a time");

    if (args->wrong)
        return NULL;
    frazil_err err = frazil_next_at(gen, unix_ms, &id, &why);
    return err == FRAZIL_OK ? make_id(args, id) : throw_error(args, err, &why);
}

/* ---- snos ------------------------------------------------------------------------------------- */

uint8_t arg_meta(struct args *args, size_t i)
{
    uint32_t meta = args->wrong ? 0 : arg_u32(args, i, "meta");

    if (meta > UINT8_MAX)
        (void)throw_wrong(args, "meta must be a whole number from 0 to 255");
    return (uint8_t)meta;
}

/* An empty one is no null pointer. */
frazil_sno *arg_snos(struct args *args, size_t i, size_t *ret_n)
{
    static frazil_sno none;
    size_t len = 0;
    uint8_t *bytes = args->wrong ? NULL : arg_bytes(args, i, "what is filled", &len);

    if (len % FRAZIL_SNO_SIZE != 0)
        (void)throw_wrong(args, "a sno has %d bytes, and %zu is no multiple of it", FRAZIL_SNO_SIZE, len);
    *ret_n = len / FRAZIL_SNO_SIZE;
    return len == 0 ? &none : (frazil_sno *)(void *)bytes;
}

/* fillSnos(handle, meta, bytes, may wait): exactly as many as there is room for, or none. */
static napi_value fill_snos(struct args *args)
{
    frazil_error why = {.code = 0};
    size_t n;
    frazil *gen = arg_generator(args, 0, NULL);
    uint8_t meta = arg_meta(args, 1);
    frazil_sno *ids = arg_snos(args, 2, &n);

    if (args->wrong)
        return NULL;
    frazil_err err = frazil_sno_take(gen, meta, ids, n, wait_of(args, 3), &why);
    return err == FRAZIL_OK ? args->value[2] : throw_error(args, err, &why);
}

/* tryTakeSnos(handle, meta, bytes), as tryTake. */
static napi_value try_take_snos(struct args *args)
{
    frazil_error why = {.code = 0};
    size_t taken = 0;
    size_t n;
    frazil *gen = arg_generator(args, 0, NULL);
    uint8_t meta = arg_meta(args, 1);
    frazil_sno *ids = arg_snos(args, 2, &n);

    if (args->wrong)
        return NULL;
    if (n == 0)
        return make_number(args, 0);
    frazil_err err = frazil_sno_try_take(gen, meta, ids, n, &taken, &args->addon->cell[CELL_RETRY_NS], &why);
    return err == FRAZIL_OK || err == FRAZIL_EAGAIN ? make_number(args, (double)taken) : throw_error(args, err, &why);
}

static napi_value next_sno_at(struct args *args)
{
    frazil_error why = {.code = 0};
    frazil_sno id;
    frazil *gen = arg_generator(args, 0, NULL);
    int64_t unix_ms = args->wrong ? 0 : arg_time(args, 1, "a time");
    uint8_t meta = arg_meta(args, 2);

    if (args->wrong)
        return NULL;
    frazil_err err = frazil_sno_next_at(gen, unix_ms, meta, &id, &why);
    return err == FRAZIL_OK ? make_bytes(args, id.bytes, sizeof id.bytes) : throw_error(args, err, &why);
}

/* ---- looking at it ------------------------------------------------------------------------------ */

static napi_value get_info(struct args *args)
{
    static const char *const kinds[] = {"memory", "file", "grant", "slots"};
    frazil_info info;
    frazil *gen = arg_generator(args, 0, NULL);

    if (args->wrong)
        return NULL;
    frazil_get_info(gen, &info, sizeof info);
    const char *kind = info.state < sizeof kinds / sizeof kinds[0] ? kinds[info.state] : "unknown";
    napi_value object = make_object(args);
    set_member(args, object, "worker", make_number(args, info.worker));
    set_member(args, object, "sequenceMin", make_number(args, info.sequence_min));
    set_member(args, object, "sequenceMax", make_number(args, info.sequence_max));
    set_member(args, object, "sequence", make_number(args, info.sequence));
    set_member(args, object, "length", make_number(args, (double)(info.capacity - info.available)));
    set_member(args, object, "capacity", make_number(args, (double)info.capacity));
    set_member(args, object, "stateIsNew", make_bool(args, info.state_is_new));
    set_member(args, object, "state", make_text(args, kind, strlen(kind)));
    set_member(args, object, "collisionPpm", make_number(args, info.collision_ppm));
    return object;
}

static napi_value get_stats(struct args *args)
{
    frazil *gen = arg_generator(args, 0, NULL);
    frazil_stat stats[FRAZIL_STATS_MOST];

    if (args->wrong)
        return NULL;
    size_t count = frazil_get_stats(gen, stats, FRAZIL_STATS_MOST);
    napi_value object = make_object(args);
    for (size_t i = 0; i < count; i++)
        set_member(args, object, stats[i].name, make_number(args, (double)stats[i].value));
    return object;
}

static napi_value get_health(struct args *args)
{
    frazil_error why = {.code = 0};
    frazil_health health;
    napi_value null = NULL;
    frazil *gen = arg_generator(args, 0, NULL);

    if (args->wrong)
        return NULL;
    frazil_get_health(gen, &health, sizeof health, &why);
    frazil_err failure = (frazil_err)health.last_code;
    (void)napi_get_null(args->env, &null);
    napi_value object = make_object(args);
    set_member(args, object, "state", make_number(args, health.state));
    set_member(args, object, "worker", make_number(args, health.worker));
    set_member(args, object, "needsGrant", make_bool(args, health.needs_grant != 0));
    set_member(args, object, "grantEndUnixMs",
               health.grant_end_unix_ms == INT64_MAX ? null : make_ms(args, health.grant_end_unix_ms));
    set_member(args, object, "failures", make_number(args, (double)health.failures));
    set_member(args, object, "lastFailure",
               failure == FRAZIL_OK ? null : make_error(args->env, args->addon, failure, &why));
    return object;
}

/* nextEvent(handle, cursor): the next event with the cursor after it; undefined: there is none yet. */
static napi_value next_event(struct args *args)
{
    frazil_event event;
    frazil *gen = arg_generator(args, 0, NULL);
    uint64_t cursor = arg_u64(args, 1, "cursor");

    if (args->wrong || !frazil_next_event(gen, &cursor, &event, sizeof event))
        return NULL;
    const char *kind = frazil_event_name(event.kind);
    const char *code = frazil_err_name((frazil_err)event.code);
    napi_value null = NULL;
    (void)napi_get_null(args->env, &null);
    napi_value object = make_object(args);
    set_member(args, object, "cursor", make_number(args, (double)cursor));
    set_member(args, object, "kind", make_text(args, kind, strlen(kind)));
    set_member(args, object, "code", event.code == FRAZIL_OK ? null : make_text(args, code, strlen(code)));
    set_member(args, object, "worker", make_number(args, event.worker));
    set_member(args, object, "unixMs", make_ms(args, event.unix_ms));
    set_member(args, object, "value", make_number(args, (double)event.value));
    set_member(args, object, "missed", make_number(args, (double)event.missed));
    return object;
}

static napi_value available(struct args *args)
{
    frazil_info info;
    frazil *gen = arg_generator(args, 0, NULL);

    if (args->wrong)
        return NULL;
    frazil_get_info(gen, &info, sizeof info);
    return make_number(args, (double)info.available);
}

/* The bytes of its layout, which the functions of layouts take. */
static napi_value layout_of(struct args *args)
{
    frazil_info info;
    frazil *gen = arg_generator(args, 0, NULL);

    if (args->wrong)
        return NULL;
    frazil_get_info(gen, &info, sizeof info);
    return make_bytes(args, info.layout, sizeof *info.layout);
}

/* keep(handle): extends the grant if it is time to, and says in how many milliseconds it will be. */
static napi_value keep(struct args *args)
{
    frazil_error why = {.code = 0};
    uint64_t next_ns = FRAZIL_WAIT_FOREVER;
    frazil *gen = arg_generator(args, 0, NULL);

    if (args->wrong)
        return NULL;
    frazil_err err = frazil_keep(gen, 0, &next_ns, &why);
    if (err != FRAZIL_OK && frazil_err_classify(err) != FRAZIL_CLASS_RETRY)
        return throw_error(args, err, &why);
    return make_number(args, next_ns == FRAZIL_WAIT_FOREVER ? -1 : (double)next_ns / 1e6);
}

/* ---- manual clocks ------------------------------------------------------------------------------- */

static void clock_is_gone(napi_env env, void *data, void *hint)
{
    (void)env;
    (void)hint;
    clock_release(data);
}

static napi_value clock_new(struct args *args)
{
    int64_t unix_ms = arg_ms(args, 0, "a time");
    struct clock *clock = args->wrong ? NULL : calloc(1, sizeof *clock);
    napi_value external = NULL;

    if (args->wrong)
        return NULL;
    if (clock == NULL || frazil_manual_clock_open(&clock->manual, unix_ms, 0, NULL) != FRAZIL_OK ||
        napi_create_external(args->env, clock, clock_is_gone, NULL, &external) != napi_ok) {
        if (clock != NULL)
            frazil_manual_clock_close(clock->manual);
        free(clock);
        return throw_error(args, FRAZIL_ENOMEM, NULL);
    }
    clock->holders = 1;
    return external;
}

static napi_value clock_set(struct args *args)
{
    const struct clock *clock = arg_external(args, 0);
    int64_t unix_ms = args->wrong ? 0 : arg_ms(args, 1, "a time");

    if (!args->wrong)
        frazil_manual_clock_set(clock->manual, unix_ms);
    return NULL;
}

static napi_value clock_advance(struct args *args)
{
    const struct clock *clock = arg_external(args, 0);
    uint64_t ns = args->wrong ? 0 : arg_u64(args, 1, "nanoseconds");

    if (!args->wrong)
        frazil_manual_clock_advance(clock->manual, ns);
    return NULL;
}

/* setup(FrazilError): the class that errors are made of. */
static napi_value setup(struct args *args)
{
    (void)napi_create_reference(args->env, args->value[0], 1, &args->addon->error_class);
    return NULL;
}

const struct native natives_of_generators[] = {
    {"setup", setup},
    {"open", open_generator},
    {"openShared", open_shared},
    {"stop", stop_generator},
    {"fill", fill},
    {"tryTake", try_take},
    {"nextAt", next_at},
    {"fillSnos", fill_snos},
    {"tryTakeSnos", try_take_snos},
    {"nextSnoAt", next_sno_at},
    {"info", get_info},
    {"stats", get_stats},
    {"health", get_health},
    {"available", available},
    {"layoutOf", layout_of},
    {"keep", keep},
    {"nextEvent", next_event},
    {"clockNew", clock_new},
    {"clockSet", clock_set},
    {"clockAdvance", clock_advance},
    {NULL, NULL},
};
