/* SPDX-License-Identifier: MIT */
/*
 * Ids by HTTP: taken for a request, which may wait for them, and written while the client reads.
 */
#include "http_request.h"

#include "admission.h"
#include "forms.h"
#include "http_head.h"
#include "http_reply.h"
#include "http_routes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)32 << 10) /* of text that is in memory at a time: 1,000 ids and more are written once */

/* How ids are sent. */
enum media { MEDIA_JSON, MEDIA_TEXT, MEDIA_BYTES, MEDIA_COUNT };

static const char *const types[MEDIA_COUNT] = {"application/json", "text/plain", "application/octet-stream"};

/* A request's ids, and how far they are written. */
struct http_ids {
    struct id_request id_request; /* the first member: on_done gets it, and casts it to its http_ids */
    struct session *session;      /* which waits for them */
    uint64_t started_ns;
    uint32_t written; /* ids */
    enum media media;
    int form;
    char user_name[NAME_MAX_LEN + 1]; /* the user that was charged; "": none */
    bool waits;                       /* they have not come yet */
    bool has_begun;                   /* the reply */
    uint64_t ids[];
};

/* ---- writing ----------------------------------------------------------------------- */

static void write_one(const struct http_ids *ids, struct bytes *out)
{
    const struct engine *engine = ids->id_request.engine;
    const void *id = (const char *)ids->id_request.ids + ids->written * dispatcher_id_size(engine);
    char text[FORM_TEXT_SIZE];

    if (ids->media == MEDIA_BYTES) {
        form_bytes(engine, id, 1, out);
        return;
    }
    if (ids->media == MEDIA_JSON)
        bytes_add_text(out, ids->written == 0 ? "\"" : ",\"");
    bytes_add(out, text, form_text(engine, ids->form, id, text, sizeof text));
    bytes_add_text(out, ids->media == MEDIA_JSON ? "\"" : "\n");
}

/* Writes on, until there is a chunk or all is written. */
static void write_chunk(struct http_ids *ids, struct bytes *out)
{
    size_t full = out->len + CHUNK_BYTES;

    if (ids->written == ids->id_request.wanted)
        return;
    if (ids->written == 0 && ids->media == MEDIA_JSON)
        bytes_format(out, "{\"generator\":\"%s\",\"ids\":[", ids->id_request.engine->name);
    for (; ids->written < ids->id_request.wanted && out->len < full && !out->failed; ids->written++)
        write_one(ids, out);
    if (ids->written == ids->id_request.wanted && ids->media == MEDIA_JSON)
        bytes_add_text(out, "]}\n");
}

static bool is_written(const struct http_ids *ids)
{
    return ids->written == ids->id_request.wanted;
}

/*
 * How long the text of the ids that are left is.  It is written only to be counted: Content-Length comes before it, and
 * tells the client when a reply is cut off.
 */
static size_t measure_rest(struct http_ids *ids, struct bytes *out)
{
    uint32_t written = ids->written;
    struct bytes room = {0};
    size_t length = 0;

    for (; !is_written(ids) && !room.failed; room.len = 0) {
        write_chunk(ids, &room);
        length += room.len;
    }
    ids->written = written;
    out->failed |= room.failed;
    bytes_free(&room);
    return length;
}

static void end_ids(struct http_request *request)
{
    struct http_ids *ids = request->ids;

    request->ids = NULL;
    engine_release(ids->id_request.engine, 0);
    free(ids);
}

static void refuse(struct http_request *request)
{
    struct refusal refusal;

    admission_explain(&request->ids->id_request, &refusal);
    http_refuse(request, &refusal);
    end_ids(request);
}

/* Begins the reply to a request whose ids have come, or were given up.  True: it is over. */
static bool begin_reply(struct http_request *request)
{
    struct http_ids *ids = request->ids;
    const char *type = types[ids->media];
    struct bytes body = {0};

    if (ids->id_request.code != FRAZIL_OK) {
        refuse(request);
        return true;
    }
    write_chunk(ids, &body);
    if (is_written(ids)) {
        http_reply(request, type, &body);
        end_ids(request);
        return true;
    }
    http_reply_head(request, type, body.len + measure_rest(ids, request->out));
    bytes_add(request->out, body.at, body.len);
    request->out->failed |= body.failed;
    bytes_free(&body);
    return false;
}

bool http_ids_go_on(struct http_request *request)
{
    struct http_ids *ids = request->ids;

    if (ids->waits)
        return false;
    if (!ids->has_begun) {
        ids->has_begun = true;
        if (begin_reply(request))
            return true;
    }
    while (!is_written(ids) && request->out->len < OUT_BYTES_MAX && !request->out->failed)
        write_chunk(ids, request->out);
    if (!is_written(ids) && !request->out->failed)
        return false;
    end_ids(request);
    return true;
}

bool http_ids_wait(const struct http_request *request)
{
    return request->ids->waits;
}

/* ---- waiting ------------------------------------------------------------------------- */

/* Gives back what was charged for ids that are not sent: to the charged ones, or to those that a reload put in their
 * place. */
static void give_back(const struct http_ids *ids)
{
    struct setup *setup = ids->session->event_thread->setup;
    struct slice user = slice_of(ids->user_name);

    admission_give_back(generators_find(&setup->generators, slice_of(ids->id_request.engine->name)),
                        user.len > 0 ? users_find(&setup->users, user) : NULL, ids->id_request.wanted);
}

static void count_ids(const struct http_ids *ids)
{
    struct event_thread *event_thread = ids->session->event_thread;
    const struct counted_ids counted = {.each = ids->id_request.wanted,
                                        .requests = 1,
                                        .answered = ids->id_request.code == FRAZIL_OK ? 1 : 0,
                                        .ns = event_thread->now_ns - ids->started_ns};

    counters_add_ids(&event_thread->counters, &counted);
    if (ids->id_request.code == FRAZIL_OK)
        (void)atomic_fetch_add_explicit(&ids->id_request.engine->ids, ids->id_request.wanted, memory_order_relaxed);
    else
        give_back(ids);
}

/* The dispatcher calls this once: the ids have come, or some of them never will. */
static void on_done(struct id_request *id_request)
{
    struct http_ids *ids = (struct http_ids *)id_request;

    engine_hold(id_request->engine); /* until the reply is sent; the dispatcher lets go of its own hold */
    count_ids(ids);
    ids->waits = false;
    ids->session->event_thread->wake(ids->session->connection);
}

static void wait_for_ids(struct http_request *request)
{
    struct http_ids *ids = request->ids;
    struct event_thread *event_thread = request->event_thread;

    ids->id_request.done = on_done;
    ids->waits =
        http_wait(request) && dispatcher_park(&event_thread->dispatcher, &ids->id_request, event_thread->now_ns);
    if (ids->waits)
        return;
    request->out->failed = true; /* no memory: the connection is closed */
    give_back(ids);
    if (request->session->request != NULL)
        request->session->request->ids = NULL;
    request->ids = NULL;
    free(ids);
}

void http_ids_drop(struct http_request *request)
{
    struct http_ids *ids = request->ids;

    if (ids == NULL)
        return;
    if (!ids->waits) {
        end_ids(request);
        return;
    }
    request->ids = NULL;
    give_back(ids);
    dispatcher_cancel(&request->event_thread->dispatcher, &ids->id_request);
    free(ids);
}

/* ---- taking ---------------------------------------------------------------------------- */

/* The best of our types for an Accept; MEDIA_COUNT: it wants none of them. */
static enum media media_of(const struct http_head *head)
{
    enum media best = MEDIA_COUNT;
    unsigned best_weight = 0;

    for (int media = 0; media < MEDIA_COUNT; media++) {
        unsigned its = http_accept(head, types[media]);
        if (its > best_weight) {
            best_weight = its;
            best = (enum media)media;
        }
    }
    return best;
}

/* Reads how the ids are to be sent.  False: the reply says what is wrong. */
static bool read_media(struct http_request *request, struct wish *wish, enum media *ret)
{
    struct slice accept = http_field(request->head, FIELD_ACCEPT), form = http_parameter(request, "form");
    const struct engine *engine = wish->generator->engine;

    *ret = accept.at != NULL ? media_of(request->head) : MEDIA_JSON;
    wish->form = form_default(engine);
    if (*ret == MEDIA_COUNT)
        http_fail(request, HTTP_NOT_ACCEPTABLE, CODE_ERR, "ids are sent as %s, %s or %s", types[MEDIA_JSON],
                  types[MEDIA_TEXT], types[MEDIA_BYTES]);
    else if (form.at != NULL && *ret == MEDIA_BYTES)
        http_fail(request, HTTP_BAD_REQUEST, CODE_ERR, "form= is for text: %s has 8 bytes per id", types[MEDIA_BYTES]);
    else if (form.at != NULL && !form_by_name(engine, form, &wish->form))
        http_fail(request, HTTP_BAD_REQUEST, CODE_ERR, "form= takes %s", form_names(engine));
    else
        return true;
    return false;
}

static bool read_wish(struct http_request *request, struct wish *wish, enum media *ret_media)
{
    struct slice n = http_parameter(request, "n"), meta = http_parameter(request, "meta");
    uint64_t number = 1, byte = 0;

    if (n.at != NULL && (!slice_number(n, UINT32_MAX, &number) || number == 0))
        http_fail(request, HTTP_BAD_REQUEST, CODE_ERR, "n= must be a number from 1 to %" PRIu32, UINT32_MAX);
    else if (meta.at != NULL && !wish->generator->engine->is_sno)
        http_fail(request, HTTP_BAD_REQUEST, CODE_ERR, "meta= is for snos; generator %s gives 64-bit ids",
                  wish->generator->name);
    else if (meta.at != NULL && !slice_number(meta, 255, &byte))
        http_fail(request, HTTP_BAD_REQUEST, CODE_ERR, "meta= must be a byte: 0 to 255");
    else
        return wish->n = (uint32_t)number, wish->meta = (uint8_t)byte, read_media(request, wish, ret_media);
    return false;
}

static struct http_ids *new_ids(struct http_request *request, const struct wish *wish, enum media media)
{
    const struct event_thread *event_thread = request->event_thread;
    struct engine *engine = wish->generator->engine;
    struct http_ids *ids = malloc(sizeof *ids + wish->n * dispatcher_id_size(engine));

    if (ids == NULL)
        return NULL;
    *ids = (struct http_ids){
        .session = request->session,
        .started_ns = event_thread->now_ns,
        .media = media,
        .form = wish->form,
        .id_request = {.engine = engine,
                       .wanted = wish->n,
                       .meta = wish->meta,
                       .deadline_ns = event_thread->now_ns + event_thread->setup->settings.daemon.request_timeout_ns}};
    ids->id_request.ids = ids->ids;
    if (request->user != NULL)
        memcpy(ids->user_name, request->user->name, strlen(request->user->name) + 1);
    return ids;
}

void http_take_ids(struct http_request *request)
{
    struct event_thread *event_thread = request->event_thread;
    uint64_t timeout_ns = event_thread->setup->settings.daemon.request_timeout_ns;
    struct refusal refusal;
    struct wish wish;
    enum media media;

    wish.generator = http_generator(request, request->argument);
    if (wish.generator == NULL || !read_wish(request, &wish, &media))
        return;
    if (!admission_by_size(wish.generator, wish.n, timeout_ns, &refusal) ||
        !admission_by_rate(wish.generator, request->user, wish.n, event_thread->now_ns, &refusal)) {
        http_refuse(request, &refusal);
        return;
    }
    struct http_ids *ids = request->ids = new_ids(request, &wish, media);
    if (ids == NULL) {
        admission_give_back(wish.generator, request->user, wish.n);
        request->out->failed = true; /* no memory: the connection is closed */
    } else if (!dispatcher_take(&event_thread->dispatcher, &ids->id_request, event_thread->now_ns)) {
        wait_for_ids(request);
    } else {
        engine_hold(ids->id_request.engine);
        count_ids(ids);
        if (!http_ids_go_on(request) && !http_wait(request))
            http_ids_drop(request);
    }
}
