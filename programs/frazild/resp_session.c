/* SPDX-License-Identifier: MIT */
/*
 * A session over RESP: bytes in, replies out.
 */
#include "session.h"

#include "batch.h"
#include "commands.h"
#include "http_exchange.h"
#include "lease_thread.h"
#include "resp_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void end_multi(struct session *session)
{
    bytes_free(&session->multi->queued);
    free(session->multi);
    session->multi = NULL;
}

void session_close(struct session *session)
{
    batch_drop(session);
    http_close(session);
    lease_job_abandon(session->lease_job);
    session->lease_job = NULL;
    if (session->multi != NULL)
        end_multi(session);
    free(session->user_name);
    free(session->name);
    free(session->lib);
    free(session->lib_version);
    session->user_name = session->name = session->lib = session->lib_version = NULL;
    session->user = NULL;
}

/* ---- MULTI -------------------------------------------------------------------------- */

static void queue_command(struct session *session, const struct call *call, const char *bytes)
{
    struct multi *multi = session->multi;

    if (multi->count == MULTI_COMMANDS_MAX || multi->queued.len + call->words->bytes > COMMAND_BYTES_MAX) {
        multi->wrong = true;
        command_fail(session, call, CODE_ERR, "MULTI holds at most %d commands and 64 KiB", MULTI_COMMANDS_MAX);
        return;
    }
    bytes_add(&multi->queued, bytes, call->words->bytes);
    if (multi->queued.failed) {
        session->closing = true;
        return;
    }
    multi->count++;
    resp_status(call->out, "QUEUED");
}

void cmd_multi(struct session *session, struct call *call)
{
    if (session->multi != NULL) {
        command_fail(session, call, CODE_ERR, "MULTI calls can not be nested");
        return;
    }
    session->multi = calloc(1, sizeof *session->multi);
    if (session->multi == NULL)
        command_refuse(session, call, &admission_no_memory);
    else
        resp_status(call->out, "OK");
}

void cmd_exec(struct session *session, struct call *call)
{
    if (session->multi == NULL) {
        command_fail(session, call, CODE_ERR, "EXEC without MULTI");
    } else if (session->multi->wrong) {
        command_fail(session, call, CODE_EXECABORT, "Transaction discarded because of previous errors.");
        end_multi(session);
    } else {
        resp_array(call->out, session->multi->count);
        session->multi->running = true;
    }
}

void cmd_discard(struct session *session, struct call *call)
{
    if (session->multi == NULL) {
        command_fail(session, call, CODE_ERR, "DISCARD without MULTI");
        return;
    }
    end_multi(session);
    resp_status(call->out, "OK");
}

/* ---- running ---------------------------------------------------------------------------- */

static void refuse(struct session *session, const struct call *call, enum reply_code code, const char *why)
{
    if (session->multi != NULL)
        session->multi->wrong = true;
    command_fail(session, call, code, "%s", why);
}

static void refuse_unknown(struct session *session, const struct call *call)
{
    struct slice name = call->words->args[0];
    char why[160];

    (void)snprintf(why, sizeof why,
                   "unknown command %.*s: this is frazild, which serves ids; COMMAND DOCS lists its commands",
                   name.len < 40 ? (int)name.len : 40, name.at);
    refuse(session, call, CODE_ERR, why);
}

/* In a transaction it would leave the reply to EXEC without some of its parts. */
static bool is_client_reply(const struct call *call)
{
    return call->row->run == cmd_client && slice_is(call->words->args[1], "REPLY");
}

/* Checks a command and the user's rights, and runs, queues or refuses it.  bytes: as it was sent. */
static void dispatch(struct session *session, struct call *call, const char *bytes)
{
    const struct command *row = call->row;
    char why[160];

    if (row == NULL) {
        refuse_unknown(session, call);
        return;
    }
    if ((row->flags & COMMAND_FREE) == 0 && session->event_thread->setup->users.count > 0 &&
        session_user(session) == NULL) {
        refuse(session, call, CODE_NOAUTH, "Authentication required: AUTH user token");
        return;
    }
    if (call->words->count < row->least || call->words->count > row->most) {
        (void)snprintf(why, sizeof why, "wrong number of arguments for %s command: %s %s", row->name, row->name,
                       row->arguments);
        refuse(session, call, CODE_ERR, why);
        return;
    }
    if (session->multi != NULL && !session->multi->running && (row->flags & COMMAND_AT_ONCE) == 0) {
        if ((row->flags & COMMAND_NO_MULTI) != 0 || is_client_reply(call))
            refuse(session, call, CODE_ERR, "this command is not allowed inside MULTI");
        else
            queue_command(session, call, bytes);
        return;
    }
    uint64_t reply_start = call->out->len;
    row->run(session, call);
    /* Commands that take ids, and one that waits, count themselves, and errors are counted where they are made. */
    if ((row->flags & COMMAND_REPEATS) == 0 && session->lease_job == NULL &&
        (call->out->len == reply_start || call->out->at[reply_start] != '-'))
        command_count(session, row, CODE_OK, 1);
}

/*
 * How many commands equal to the first one stand there: equal bytes are an equal command.  A pipeline has mostly equal
 * ones, which bytes that are equal to those one command behind them show at once.
 */
static uint32_t equal_commands(const char *bytes, size_t len, size_t one, uint32_t most)
{
    uint32_t equal = 1, whole = len / one < most ? (uint32_t)(len / one) : most;

    if (memcmp(bytes, bytes + one, (whole - equal) * one) == 0)
        return whole;
    while (equal < whole && memcmp(bytes, bytes + equal * one, one) == 0)
        equal++;
    return equal;
}

/* Before the command and after it, CLIENT REPLY decides what becomes of the reply that stands behind `mark`. */
static void hush(struct session *session, struct bytes *out, size_t mark)
{
    if (session->silent || session->skip == 1) {
        session->hidden_work += out->len - mark;
        out->len = mark;
    }
    if (session->skip > 0 && session->batch == NULL && session->lease_job == NULL)
        session->skip--; /* MULTI has used it up before its commands, and none of these sets it */
}

/* Runs the command that was read, and those equal to it behind it; returns how many bytes that were. */
static size_t run_one(struct session *session, const char *bytes, size_t len, const struct resp_command *words,
                      uint32_t most, struct bytes *out)
{
    struct call call = {.row = commands_find(words->args[0]), .words = words, .out = out, .repeats = 1, .used = 1};
    size_t mark = out->len;
    bool queues = session->multi != NULL && !session->multi->running;

    if (call.row != NULL && (call.row->flags & COMMAND_REPEATS) != 0 && session->skip == 0 && !queues)
        call.repeats = equal_commands(bytes, len, words->bytes, most);
    dispatch(session, &call, bytes);
    hush(session, out, mark);
    return call.used * words->bytes;
}

/* Goes on with the command that is under way, which waits or has more to write.  True: it is over, or there is none. */
static bool finish(struct session *session, struct bytes *out)
{
    size_t mark = out->len;
    bool over;

    if (session->batch != NULL)
        over = batch_go_on(session, out);
    else if (session->lease_job != NULL)
        over = leases_go_on(session, out);
    else
        return true;
    hush(session, out, mark);
    return over;
}

/* Whether the session can run another command; if not, *ret says why. */
static bool can_go_on(struct session *session, struct bytes *out, enum session_state *ret)
{
    if (!finish(session, out)) {
        *ret = session->lease_job != NULL || batch_is_waiting(session) ? SESSION_WAIT : SESSION_FULL;
        return false;
    }
    if (session->closing || out->failed) {
        *ret = SESSION_CLOSE;
        return false;
    }
    *ret = SESSION_FULL;
    return out->len + session->hidden_work <= session_output_limit(session);
}

static enum session_state break_off(struct session *session, const char *why, struct bytes *out)
{
    char text[160];

    (void)snprintf(text, sizeof text, "ERR Protocol error: %s", why);
    resp_error(out, text);
    session_break(session, why);
    return SESSION_CLOSE;
}

void session_cut(struct session *session, struct bytes *out)
{
    const struct call leases = {.row = commands_find(slice_of("LEASES")), .out = out};
    size_t mark = out->len;

    if (session->is_http)
        http_cut(session, out);
    else if (session->lease_job != NULL)
        command_fail(session, &leases, CODE_TRYAGAIN, SESSION_ENDS);
    else if (batch_is_waiting(session))
        batch_cut(session, out);
    if (!session->is_http)
        hush(session, out, mark);
}

enum session_state session_run(struct session *session, const char *bytes, size_t len, size_t *ret_used,
                               size_t *ret_need, struct bytes *out)
{
    struct resp_command words;
    enum session_state state;
    const char *why;
    size_t used = 0;

    session->hidden_work = 0;
    if (session->is_http)
        return http_run(session, bytes, len, ret_used, ret_need, out);
    *ret_used = 0;
    for (uint32_t commands_run = 0; can_go_on(session, out, &state);) {
        struct multi *multi = session->multi;
        bool queued = multi != NULL && multi->running; /* by EXEC */
        if (queued && multi->done == multi->queued.len) {
            end_multi(session);
            continue;
        }
        const char *from = queued ? multi->queued.at + multi->done : bytes + used;
        size_t left = queued ? multi->queued.len - multi->done : len - used;
        enum resp_result result = resp_read(from, left, session_limit(session), &words, ret_need, &why);
        if (result == RESP_MORE)
            return SESSION_READ;
        if (result == RESP_BROKEN)
            return break_off(session, why, out);
        if (commands_run >= COMMANDS_MAX_AT_ONCE)
            return SESSION_YIELD;
        size_t bytes_run = words.count == 0
                               ? words.bytes
                               : run_one(session, from, left, &words, COMMANDS_MAX_AT_ONCE - commands_run, out);
        commands_run += (uint32_t)(bytes_run / words.bytes);
        session->has_asked |= words.count > 0;
        if (queued)
            multi->done += bytes_run;
        else
            *ret_used = used += bytes_run;
    }
    return state;
}
