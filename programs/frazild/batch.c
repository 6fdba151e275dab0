/* SPDX-License-Identifier: MIT */
#include "batch.h"

#include "admission.h"
#include "forms.h"
#include "resp_write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Ids between two looks at how full the output is. */
#define BINARY_AT_ONCE 512U
#define TEXTS_AT_ONCE 64U
/* Ids of equal commands that are taken together: a client that does not read keeps them in memory. */
#define TOGETHER_MAX 8192U

struct batch {
    struct id_request id_request; /* the first member: on_done gets it, and casts it to its batch */
    struct session *session;
    const struct command *row;
    uint64_t started_ns;
    uint32_t each;
    uint32_t commands; /* how many equal ones */
    uint32_t written;  /* ids that are in the output */
    enum batch_shape shape;
    int form;
    bool waiting;
};

static const void *id_at(const struct batch *batch, size_t i)
{
    return (const char *)batch->id_request.ids + i * dispatcher_id_size(batch->id_request.engine);
}

/* How many ids are in whole replies; what is left over after an error stays a gap. */
static uint32_t whole_ids(const struct batch *batch)
{
    return batch->id_request.got - batch->id_request.got % batch->each;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Writes the next ids as texts, as far as nothing stands between them. */
static void write_texts(struct batch *batch, struct bytes *out)
{
    const struct engine *engine = batch->id_request.engine;
    bool is_array = batch->shape == SHAPE_ARRAY;
    uint32_t from = batch->written, before = from % batch->each;
    uint32_t n = least(is_array ? batch->each - before : whole_ids(batch) - from, TEXTS_AT_ONCE);
    char text[FORM_TEXT_SIZE];

    if (is_array && before == 0)
        resp_array(out, batch->each);
    batch->written += n;
    if (batch->form == FRAZIL_TEXT_DEC && !engine->is_sno) { /* all at once: of a command they cost most */
        resp_digits(out, id_at(batch, from), n);
        return;
    }
    for (; from < batch->written; from++)
        resp_bulk(out, text, form_text(engine, batch->form, id_at(batch, from), text, sizeof text));
}

static bool is_rounded(const struct session *session, uint64_t id)
{
    uint32_t way = session->event_thread->setup->settings.daemon.incr_reply;

    return way == INCR_STRING || (way == INCR_AUTO && id > EXACT_MAX && session->rounds);
}

/* INCR: an integer, unless the client would round it. */
static void write_integer(const struct session *session, uint64_t id, struct bytes *out)
{
    if (is_rounded(session, id))
        resp_digits(out, &id, 1);
    else if (id <= INT64_MAX)
        resp_integers(out, &id, 1);
    else if (session->version >= 3)
        resp_big(out, id);
    else
        resp_error(out,
                   "ERR the id is above 2^63 - 1, which RESP2 cannot represent as an integer: use NEXT, HELLO 3, or "
                   "incr_reply=string in the daemon's configuration");
}

/* Writes the next ids as integers: the last one of each command. */
static void write_integers(struct batch *batch, struct bytes *out)
{
    uint32_t n = batch->each > 1 ? 1 : least(whole_ids(batch) - batch->written, TEXTS_AT_ONCE);
    const uint64_t *ids = id_at(batch, batch->written + batch->each - 1);

    /* Ids increase: where the last one is an integer, all are. */
    if (!is_rounded(batch->session, ids[n - 1]) && ids[n - 1] <= INT64_MAX) {
        resp_integers(out, ids, n);
    } else {
        for (uint32_t i = 0; i < n; i++)
            write_integer(batch->session, ids[i], out);
    }
    batch->written += n * batch->each;
}

/* Writes the next ids of a binary reply, as far as it goes. */
static void write_binary(struct batch *batch, struct bytes *out)
{
    uint32_t before = batch->written % batch->each, n = least(batch->each - before, BINARY_AT_ONCE);

    if (before == 0)
        resp_bulk_head(out,
                       (size_t)batch->each * (batch->id_request.engine->is_sno ? FRAZIL_SNO_SIZE : sizeof(uint64_t)));
    form_bytes(batch->id_request.engine, id_at(batch, batch->written), n, out);
    if (before + n == batch->each)
        bytes_add(out, "\r\n", 2);
    batch->written += n;
}

static void write_next(struct batch *batch, struct bytes *out)
{
    if (batch->shape == SHAPE_BINARY)
        write_binary(batch, out);
    else if (batch->shape == SHAPE_INTEGER)
        write_integers(batch, out);
    else
        write_texts(batch, out);
}

static void write_error(const struct batch *batch, const struct call *call)
{
    struct refusal refusal;

    admission_explain(&batch->id_request, &refusal);
    command_refuse(batch->session, call, &refusal);
}

/* Gives back what was charged for n ids that the client does not get: to the charged ones, or to those that a reload
 * put in their place. */
static void give_back(const struct batch *batch, uint32_t n)
{
    struct session *session = batch->session;

    if (n > 0)
        admission_give_back(
            generators_find(&session->event_thread->setup->generators, slice_of(batch->id_request.engine->name)),
            session_user(session), n);
}

static void count_batch(const struct batch *batch)
{
    struct event_thread *event_thread = batch->session->event_thread;
    struct counted_ids ids = {.each = batch->each,
                              .requests = batch->commands,
                              .answered = whole_ids(batch) / batch->each,
                              .ns = event_thread->now_ns - batch->started_ns};

    give_back(batch, batch->id_request.wanted - whole_ids(batch));
    (void)atomic_fetch_add_explicit(&batch->id_request.engine->ids, whole_ids(batch), memory_order_relaxed);
    command_count(batch->session, batch->row, CODE_OK, ids.answered);
    counters_add_ids(&event_thread->counters, &ids);
}

/* Writes until the end or until the output is full.  True: all is written. */
static bool write_on(struct batch *batch, struct bytes *out)
{
    uint32_t end = whole_ids(batch);

    while (batch->written < end) {
        if (out->len > OUT_BYTES_MAX)
            return false;
        write_next(batch, out);
    }
    const struct call call = {.row = batch->row, .out = out};
    for (uint32_t i = end / batch->each; i < batch->commands; i++)
        write_error(batch, &call);
    if (batch->id_request.code == FRAZIL_ELEASE)
        batch->session->closing = true; /* so that pools move on to another daemon */
    return true;
}

/* The dispatcher calls this once: the ids have come, or some of them never will. */
static void on_done(struct id_request *id_request)
{
    struct batch *batch = (struct batch *)id_request;

    batch->waiting = false;
    engine_hold(id_request->engine); /* until the reply is written; the dispatcher lets go of its own hold */
    count_batch(batch);
    batch->session->event_thread->wake(batch->session->connection);
}

/* A copy that outlives the call, with room for all of its ids. */
static struct batch *keep(const struct batch *batch)
{
    size_t size = dispatcher_id_size(batch->id_request.engine);
    struct batch *kept = malloc(sizeof *kept + batch->id_request.wanted * size);

    if (kept == NULL)
        return NULL;
    *kept = *batch;
    kept->id_request.ids = kept + 1;
    memcpy(kept->id_request.ids, batch->id_request.ids, batch->id_request.got * size);
    return kept;
}

static void wait_for_ids(struct session *session, const struct call *call, const struct batch *batch)
{
    struct batch *kept = keep(batch);

    if (kept != NULL) {
        kept->waiting = true;
        kept->id_request.done = on_done;
    }
    if (kept == NULL ||
        !dispatcher_park(&session->event_thread->dispatcher, &kept->id_request, session->event_thread->now_ns)) {
        free(kept);
        give_back(batch, batch->id_request.wanted); /* also for those that had come: none is sent */
        for (uint32_t i = 0; i < batch->commands; i++)
            command_refuse(session, call, &admission_no_memory);
        return;
    }
    session->batch = kept;
}

static void reply_at_once(struct session *session, struct call *call, struct batch *batch)
{
    count_batch(batch);
    if (write_on(batch, call->out))
        return;
    session->batch = keep(batch);
    if (session->batch == NULL)
        session->closing = true; /* half a reply cannot be mended */
    else
        engine_hold(batch->id_request.engine);
}

static bool admit(struct session *session, const struct wish *wish, uint32_t count, struct refusal *ret)
{
    return admission_by_rate(wish->generator, session_user(session), wish->n * count, session->event_thread->now_ns,
                             ret);
}

/* How many of the equal commands the limits let through: all, or one of them where they are near, or none. */
static uint32_t admitted(struct session *session, const struct wish *wish, uint32_t equal, struct refusal *ret)
{
    if (equal > 1 && admit(session, wish, equal, ret))
        return equal;
    return admit(session, wish, 1, ret) ? 1 : 0;
}

void batch_take(struct session *session, struct call *call, const struct wish *wish, enum batch_shape shape)
{
    struct event_thread *event_thread = session->event_thread;
    struct batch batch = {.session = session,
                          .row = call->row,
                          .started_ns = event_thread->now_ns,
                          .each = wish->n,
                          .commands = call->repeats,
                          .shape = shape,
                          .form = wish->form};
    struct refusal refusal;

    if (!admission_by_size(wish->generator, wish->n, event_thread->setup->settings.daemon.request_timeout_ns,
                           &refusal)) {
        command_refuse(session, call, &refusal);
        return;
    }
    bool in_a_row = shape == SHAPE_INTEGER && wish->n > 1;
    if (in_a_row || wish->generator->engine->is_strict) /* each command has its own row, or tick */
        batch.commands = 1;
    if (batch.commands > 1)
        batch.commands = least(batch.commands, wish->n < TOGETHER_MAX ? TOGETHER_MAX / wish->n : 1);
    batch.commands = admitted(session, wish, batch.commands, &refusal);
    if (batch.commands == 0) {
        command_refuse(session, call, &refusal);
        return;
    }
    call->used = batch.commands;
    batch.id_request = (struct id_request){.engine = wish->generator->engine,
                                           .ids = event_thread->ids,
                                           .wanted = wish->n * batch.commands,
                                           .meta = wish->meta,
                                           .in_a_row = in_a_row,
                                           .deadline_ns = event_thread->now_ns +
                                                          event_thread->setup->settings.daemon.request_timeout_ns};
    if (dispatcher_take(&event_thread->dispatcher, &batch.id_request, event_thread->now_ns))
        reply_at_once(session, call, &batch);
    else
        wait_for_ids(session, call, &batch);
}

bool batch_is_waiting(const struct session *session)
{
    return session->batch != NULL && session->batch->waiting;
}

void batch_cut(const struct session *session, struct bytes *out)
{
    const struct call call = {.row = session->batch->row, .out = out};

    for (uint32_t i = 0; i < session->batch->commands; i++)
        command_fail(session, &call, CODE_TRYAGAIN, SESSION_ENDS);
}

static void free_batch(struct session *session)
{
    free(session->batch);
    session->batch = NULL;
}

bool batch_go_on(struct session *session, struct bytes *out)
{
    struct batch *batch = session->batch;

    if (batch->waiting || !write_on(batch, out))
        return false;
    engine_release(batch->id_request.engine, 0);
    free_batch(session);
    return true;
}

void batch_drop(struct session *session)
{
    if (session->batch == NULL)
        return;
    struct engine *engine = session->batch->id_request.engine;
    if (session->batch->waiting) {
        give_back(session->batch, session->batch->id_request.wanted);
        dispatcher_cancel(&session->event_thread->dispatcher, &session->batch->id_request);
    } else {
        engine_release(engine, 0);
    }
    free_batch(session);
}
