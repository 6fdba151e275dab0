/* SPDX-License-Identifier: MIT */
#include "http_ids.h"

#include "admission.h"
#include "clock.h"
#include "forms.h"
#include "http_look.h"
#include "http_reply.h"
#include "http_routes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)16 << 10) /* of text that is in memory at a time */

/* How ids are sent. */
enum media { MEDIA_JSON, MEDIA_TEXT, MEDIA_BYTES, MEDIA_COUNT };

static const char *const types[MEDIA_COUNT] = {"application/json", "text/plain", "application/octet-stream"};

/* A request's ids, and how far they are written. */
struct http_ids {
    struct taking taking; /* the first: the taker gives it back */
    struct http_request *request;
    uint64_t started_ns;
    struct bytes out; /* text that is not sent yet */
    size_t sent;      /* of it */
    uint32_t written; /* ids that are, or were, in it */
    enum media media;
    int form;
    bool closed; /* the end is written, too */
    uint64_t ids[];
};

/* ---- writing ----------------------------------------------------------------------- */

static const void *id_at(const struct http_ids *ids, size_t i)
{
    return (const char *)ids->taking.ids + i * taker_id_size(ids->taking.engine);
}

static void write_one(struct http_ids *ids)
{
    const struct engine *engine = ids->taking.engine;
    const void *id = id_at(ids, ids->written);
    char text[FORM_TEXT_SIZE];

    if (ids->media == MEDIA_BYTES) {
        form_bytes(engine, id, 1, &ids->out);
        return;
    }
    if (ids->media == MEDIA_JSON)
        bytes_add_text(&ids->out, ids->written == 0 ? "\"" : ",\"");
    bytes_add(&ids->out, text, form_text(engine, ids->form, id, text, sizeof text));
    bytes_add_text(&ids->out, ids->media == MEDIA_JSON ? "\"" : "\n");
}

/* Writes on, until a chunk is full or all is written. */
static void write_chunk(struct http_ids *ids)
{
    if (ids->written == 0 && ids->media == MEDIA_JSON)
        bytes_format(&ids->out, "{\"generator\":\"%s\",\"ids\":[", ids->taking.engine->name);
    for (; ids->written < ids->taking.wanted && ids->out.len < CHUNK_BYTES; ids->written++)
        write_one(ids);
    if (ids->written < ids->taking.wanted || ids->closed)
        return;
    ids->closed = true;
    if (ids->media == MEDIA_JSON)
        bytes_add_text(&ids->out, "]}\n");
}

static void free_ids(void *cls)
{
    struct http_ids *ids = cls;

    engine_release(ids->taking.engine, 0);
    bytes_free(&ids->out);
    free(ids);
}

/* libmicrohttpd asks for more to send. */
static ssize_t read_more(void *cls, uint64_t position, char *to, size_t size)
{
    struct http_ids *ids = cls;

    (void)position;
    if (ids->sent == ids->out.len) {
        ids->sent = ids->out.len = 0;
        write_chunk(ids);
    }
    if (ids->out.failed)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    size_t len = ids->out.len - ids->sent;
    if (len == 0)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (len > size)
        len = size;
    memcpy(to, ids->out.at + ids->sent, len);
    ids->sent += len;
    return (ssize_t)len;
}

enum MHD_Result http_ids_reply(struct http_request *request)
{
    struct http_ids *ids = request->ids;
    const char *type = types[ids->media];
    struct refusal refusal;
    enum MHD_Result ret;

    request->ids = NULL;
    if (ids->taking.code != FRAZIL_OK) {
        admission_explain(&ids->taking, &refusal);
        ret = http_refuse(request, &refusal);
        free_ids(ids);
        return ret;
    }
    write_chunk(ids);
    if (ids->closed) {
        ret = http_reply(request, type, &ids->out);
        free_ids(ids);
        return ret;
    }
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, CHUNK_BYTES, read_more, ids, free_ids);
    if (response == NULL)
        free_ids(ids);
    return http_reply_response(request, type, response);
}

/* ---- waiting ------------------------------------------------------------------------- */

static void count_ids(const struct http_ids *ids)
{
    struct lane *lane = &ids->request->lane->lane;
    const struct counted_ids counted = {.each = ids->taking.wanted,
                                        .requests = 1,
                                        .answered = ids->taking.code == FRAZIL_OK ? 1 : 0,
                                        .ns = lane->now_ns - ids->started_ns};

    counters_add_ids(&lane->counters, &counted);
}

/* The taker has met the request, or given it up. */
static void on_done(struct taking *taking)
{
    struct http_ids *ids = (struct http_ids *)taking;

    engine_hold(taking->engine); /* until the reply is sent; the taker lets go of its own hold */
    count_ids(ids);
    http_resume(ids->request);
}

static enum MHD_Result wait_for_ids(struct http_request *request, struct http_ids *ids)
{
    struct lane *lane = &request->lane->lane;

    ids->taking.done = on_done;
    if (!taker_park(&lane->taker, &ids->taking, lane->now_ns)) {
        free(ids);
        return MHD_NO;
    }
    request->ids = ids;
    http_suspend(request);
    return MHD_YES;
}

void http_ids_drop(struct http_request *request)
{
    struct http_ids *ids = request->ids;

    if (ids == NULL)
        return;
    request->ids = NULL;
    if (!request->is_suspended) {
        free_ids(ids);
        return;
    }
    taker_cancel(&request->lane->lane.taker, &ids->taking);
    free(ids);
}

/* ---- taking ---------------------------------------------------------------------------- */

/* The ids that a request asks for. */
struct wish {
    struct generator *generator;
    uint32_t n;
    uint8_t meta;
    enum media media;
    int form;
};

/* A weight of Accept as RFC 9110 has it, 0 to 1 with up to three digits behind the point, in thousandths; 0: none. */
static unsigned read_weight(struct slice text)
{
    unsigned weight = 0, unit = 1000;

    if (text.len == 0 || text.len > 5 || (text.len > 1 && text.at[1] != '.'))
        return 0;
    for (size_t i = 0; i < text.len; i++) {
        if (i == 1)
            continue; /* the point */
        if (text.at[i] < '0' || text.at[i] > '9')
            return 0;
        weight += (unsigned)(text.at[i] - '0') * unit;
        unit /= 10;
    }
    return weight <= 1000 ? weight : 0;
}

/* Whether a name of Accept is of this type: the type itself, its group as "text", or any. */
static bool type_fits(struct slice name, const char *type)
{
    struct slice rest = slice_of(type), group = slice_cut(&rest, '/'), its_group = slice_cut(&name, '/');

    if (slice_equals(name, slice_of("*")))
        return slice_equals(its_group, slice_of("*")) || slice_equals_any_case(its_group, group);
    return slice_equals_any_case(its_group, group) && slice_equals_any_case(name, rest);
}

/* The quality of one part of Accept, in thousandths; 0: it does not want that type. */
static unsigned quality(struct slice part, const char *type)
{
    struct slice name = slice_cut(&part, ';');
    unsigned weight = 1000;

    if (!type_fits(name, type))
        return 0;
    while (part.at != NULL) {
        struct slice parameter = slice_cut(&part, ';');
        if (slice_skip(&parameter, "q=") || slice_skip(&parameter, "Q="))
            weight = read_weight(parameter);
    }
    return weight;
}

/* The best of our types for an Accept; MEDIA_COUNT: it wants none of them. */
static enum media media_of(struct slice accept)
{
    enum media best = MEDIA_COUNT;
    unsigned best_quality = 0;

    while (accept.at != NULL) {
        struct slice part = slice_cut(&accept, ',');
        for (int media = 0; media < MEDIA_COUNT; media++) {
            unsigned its = quality(part, types[media]);
            if (its > best_quality) {
                best_quality = its;
                best = (enum media)media;
            }
        }
    }
    return best;
}

/* Reads how the ids are to be sent.  False: *ret has sent what is wrong. */
static bool read_media(struct http_request *request, struct wish *wish, enum MHD_Result *ret)
{
    struct slice accept = http_header(request, MHD_HTTP_HEADER_ACCEPT), form = http_parameter(request, "form");
    const struct engine *engine = wish->generator->engine;

    wish->media = accept.len > 0 ? media_of(accept) : MEDIA_JSON;
    wish->form = form_default(engine);
    if (wish->media == MEDIA_COUNT)
        *ret = http_fail(request, MHD_HTTP_NOT_ACCEPTABLE, CODE_ERR, "ids are sent as %s, %s or %s", types[MEDIA_JSON],
                         types[MEDIA_TEXT], types[MEDIA_BYTES]);
    else if (form.at != NULL && wish->media == MEDIA_BYTES)
        *ret = http_fail(request, MHD_HTTP_BAD_REQUEST, CODE_ERR, "form= is of text: %s has 8 bytes an id",
                         types[MEDIA_BYTES]);
    else if (form.at != NULL && !form_by_name(engine, form, &wish->form))
        *ret = http_fail(request, MHD_HTTP_BAD_REQUEST, CODE_ERR, "form= takes %s", form_names(engine));
    else
        return true;
    return false;
}

static bool read_wish(struct http_request *request, struct wish *wish, enum MHD_Result *ret)
{
    struct slice n = http_parameter(request, "n"), meta = http_parameter(request, "meta");
    uint64_t number = 1, byte = 0;

    if (n.at != NULL && (!slice_number(n, UINT32_MAX, &number) || number == 0))
        *ret = http_fail(request, MHD_HTTP_BAD_REQUEST, CODE_ERR, "n= is a number from 1 on");
    else if (meta.at != NULL && !wish->generator->engine->is_sno)
        *ret = http_fail(request, MHD_HTTP_BAD_REQUEST, CODE_ERR, "meta= is of snos; generator %s gives 64-bit ids",
                         wish->generator->name);
    else if (meta.at != NULL && !slice_number(meta, 255, &byte))
        *ret = http_fail(request, MHD_HTTP_BAD_REQUEST, CODE_ERR, "meta= is a byte: 0 to 255");
    else
        return wish->n = (uint32_t)number, wish->meta = (uint8_t)byte, read_media(request, wish, ret);
    return false;
}

static struct http_ids *new_ids(struct http_request *request, const struct wish *wish)
{
    const struct lane *lane = &request->lane->lane;
    struct engine *engine = wish->generator->engine;
    struct http_ids *ids = malloc(sizeof *ids + wish->n * taker_id_size(engine));

    if (ids == NULL)
        return NULL;
    *ids = (struct http_ids){.request = request,
                             .started_ns = lane->now_ns,
                             .media = wish->media,
                             .form = wish->form,
                             .taking = {.engine = engine,
                                        .wanted = wish->n,
                                        .meta = wish->meta,
                                        .deadline_ns = lane->now_ns + lane->setup->settings.daemon.request_timeout_ns}};
    ids->taking.ids = ids->ids;
    return ids;
}

enum MHD_Result http_take_ids(struct http_request *request)
{
    struct lane *lane = &request->lane->lane;
    struct refusal refusal;
    enum MHD_Result ret;
    struct wish wish;

    wish.generator = http_generator(request, request->argument, &ret);
    if (wish.generator == NULL || !read_wish(request, &wish, &ret))
        return ret;
    if (!admission_by_size(wish.generator, wish.n, &refusal) ||
        !admission_by_rate(wish.generator, request->user, wish.n, lane->now_ns, &refusal))
        return http_refuse(request, &refusal);
    struct http_ids *ids = new_ids(request, &wish);
    if (ids == NULL)
        return MHD_NO;
    if (!taker_take(&lane->taker, &ids->taking, lane->now_ns))
        return wait_for_ids(request, ids);
    engine_hold(ids->taking.engine);
    count_ids(ids);
    request->ids = ids;
    return http_ids_reply(request);
}
