/* SPDX-License-Identifier: MIT */
/* The commands about the connection itself. */
#include "commands.h"
#include "conversation.h"
#include "log.h"
#include "resp_write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define REDIS_VERSION "7.0.0" /* whose commands these are, for clients that look */

/* The user whose token it is becomes the session's; false: the reply says why not. */
static bool log_in(struct session *session, const struct call *call, struct slice name, struct slice token)
{
    const struct users *users = &session->lane->setup->users;

    if (users->count == 0) {
        command_fail(session, call, CODE_ERR,
                     "AUTH was sent, but no user is configured: every client may do everything");
        return false;
    }
    struct slice anybody = {NULL, 0};
    struct user *user = users_by_token(users, slice_equals(name, slice_of("default")) ? anybody : name, token);
    if (user == NULL) {
        log_line(LOG_AUTH, "a client of the RESP port sent a wrong token");
        command_fail(session, call, CODE_WRONGPASS, "invalid username-password pair or user is disabled.");
        return false;
    }
    if (session_login(session, user))
        return true;
    command_fail(session, call, CODE_TRYAGAIN, "the daemon is out of memory retry_ms=100");
    return false;
}

void cmd_auth(struct session *session, struct call *call)
{
    const struct resp_command *words = call->words;
    struct slice nobody = {NULL, 0};

    if (log_in(session, call, words->count > 2 ? words->args[1] : nobody, words->args[words->count - 1]))
        resp_status(call->out, "OK");
}

/* Keeps a copy of a name that a client gave: printable, without blanks, so that CLIENT LIST stays a line. */
static bool keep_name(const struct session *session, const struct call *call, struct slice name, char **to)
{
    bool good = name.len <= CLIENT_NAME_MAX;

    for (size_t i = 0; i < name.len && good; i++)
        good = name.at[i] > ' ' && name.at[i] <= '~';
    if (!good) {
        command_fail(
            session, call, CODE_ERR,
            "Client names cannot contain spaces, newlines or special characters, and have at most %d characters",
            CLIENT_NAME_MAX);
        return false;
    }
    char *copy = strndup(name.at, name.len);
    if (copy == NULL) {
        command_fail(session, call, CODE_TRYAGAIN, "the daemon is out of memory retry_ms=100");
        return false;
    }
    free(*to);
    *to = copy;
    return true;
}

static void write_hello(struct session *session, struct bytes *out)
{
    resp_map(out, session->version, 8);
    resp_text(out, "server");
    resp_text(out, "frazild");
    resp_text(out, "version");
    resp_text(out, REDIS_VERSION);
    resp_text(out, "frazil_version");
    resp_text(out, frazil_version());
    resp_text(out, "proto");
    resp_integer(out, session->version);
    resp_text(out, "id");
    resp_integer(out, session->id);
    resp_text(out, "mode");
    resp_text(out, "standalone");
    resp_text(out, "role");
    resp_text(out, "master");
    resp_text(out, "modules");
    resp_array(out, 0);
}

/* HELLO [2|3 [AUTH user token] [SETNAME name]] */
void cmd_hello(struct session *session, struct call *call)
{
    const struct resp_command *words = call->words;
    uint64_t version = session->version;

    if (words->count > 1 && (!slice_number(words->args[1], 9, &version) || version < 2 || version > 3)) {
        command_fail(session, call, CODE_NOPROTO, "unsupported protocol version");
        return;
    }
    for (size_t at = 2; at < words->count;) {
        if (slice_is(words->args[at], "AUTH") && at + 2 < words->count) {
            if (!log_in(session, call, words->args[at + 1], words->args[at + 2]))
                return;
            at += 3;
        } else if (slice_is(words->args[at], "SETNAME") && at + 1 < words->count) {
            if (!keep_name(session, call, words->args[at + 1], &session->name))
                return;
            at += 2;
        } else {
            command_fail(session, call, CODE_ERR, "Syntax error in HELLO option");
            return;
        }
    }
    if (session->lane->setup->users.count > 0 && session_user(session) == NULL) {
        command_fail(session, call, CODE_NOAUTH,
                     "HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH "
                     "<user> <pass> option can be used to authenticate the client and select the RESP protocol version "
                     "at the same time");
        return;
    }
    session->version = (uint8_t)version;
    write_hello(session, call->out);
}

void cmd_ping(struct session *session, struct call *call)
{
    (void)session;
    if (call->words->count > 1)
        resp_bulk(call->out, call->words->args[1].at, call->words->args[1].len);
    else
        resp_status(call->out, "PONG");
}

void cmd_echo(struct session *session, struct call *call)
{
    (void)session;
    resp_bulk(call->out, call->words->args[1].at, call->words->args[1].len);
}

void cmd_quit(struct session *session, struct call *call)
{
    resp_status(call->out, "OK");
    session->closing = true;
}

/* As new, but for the connection: a client that has shown a certificate need still not say who it is. */
void cmd_reset(struct session *session, struct call *call)
{
    const struct session before = *session;

    session_close(session);
    session_open(session, before.lane, before.connection, before.id);
    session->has_tls = before.has_tls;
    struct user *user = before.has_tls ? before.lane->user_of(before.connection) : NULL;
    if (user != NULL && !session_login(session, user))
        session->closing = true;
    resp_status(call->out, "RESET");
}

void cmd_select(struct session *session, struct call *call)
{
    if (call->words->args[1].len == 1 && call->words->args[1].at[0] == '0')
        resp_status(call->out, "OK");
    else
        command_fail(session, call, CODE_ERR, "DB index is out of range: there is only 0");
}

/* ---- CLIENT ------------------------------------------------------------------------------ */

static void client_setname(struct session *session, struct call *call)
{
    if (keep_name(session, call, call->words->args[2], &session->name))
        resp_status(call->out, "OK");
}

static void client_getname(struct session *session, struct call *call)
{
    if (session->name != NULL)
        resp_text(call->out, session->name);
    else
        resp_null(call->out, session->version);
}

static bool holds(const char *text, const char *word)
{
    return strstr(text, word) != NULL;
}

static void client_setinfo(struct session *session, struct call *call)
{
    struct slice what = call->words->args[2];

    if (slice_is(what, "LIB-NAME")) {
        if (!keep_name(session, call, call->words->args[3], &session->lib))
            return;
        session->rounds = holds(session->lib, "ioredis") || holds(session->lib, "node-redis");
    } else if (!slice_is(what, "LIB-VER")) {
        command_fail(session, call, CODE_ERR, "Unrecognized option of CLIENT SETINFO: it takes LIB-NAME or LIB-VER");
        return;
    } else if (!keep_name(session, call, call->words->args[3], &session->lib_version)) {
        return;
    }
    resp_status(call->out, "OK");
}

static void client_id(struct session *session, struct call *call)
{
    resp_integer(call->out, session->id);
}

/* A client sees itself alone: another's name is none of its business. */
static void client_info(struct session *session, struct call *call)
{
    struct bytes line = {0};
    const struct user *user = session_user(session);

    bytes_format(&line, "id=%" PRIu64 " name=%s user=%s resp=%d lib-name=%s lib-ver=%s\n", session->id,
                 session->name != NULL ? session->name : "", user != NULL ? user->name : "default", session->version,
                 session->lib != NULL ? session->lib : "", session->lib_version != NULL ? session->lib_version : "");
    resp_bytes(call->out, &line);
}

static void client_no_evict(struct session *session, struct call *call)
{
    (void)session;
    resp_status(call->out, "OK");
}

static void client_reply(struct session *session, struct call *call)
{
    struct slice way = call->words->args[2];

    if (slice_is(way, "ON")) {
        session->silent = false;
        resp_status(call->out, "OK");
    } else if (slice_is(way, "OFF")) {
        session->silent = true;
    } else if (slice_is(way, "SKIP")) {
        session->skip = session->silent ? 0 : 2;
    } else {
        command_fail(session, call, CODE_ERR, "CLIENT REPLY takes ON, OFF or SKIP");
    }
}

void cmd_client(struct session *session, struct call *call)
{
    static const struct {
        const char *name;
        size_t words;
        void (*run)(struct session *session, struct call *call);
    } parts[] = {
        {"SETINFO", 4, client_setinfo}, {"SETNAME", 3, client_setname},   {"GETNAME", 2, client_getname},
        {"ID", 2, client_id},           {"INFO", 2, client_info},         {"LIST", 2, client_info},
        {"REPLY", 3, client_reply},     {"NO-EVICT", 3, client_no_evict},
    };

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (!slice_is(call->words->args[1], parts[i].name))
            continue;
        if (call->words->count == parts[i].words)
            parts[i].run(session, call);
        else
            command_fail(session, call, CODE_ERR, "wrong number of arguments for CLIENT %s", parts[i].name);
        return;
    }
    command_fail(session, call, CODE_ERR,
                 "unknown subcommand of CLIENT: there are SETINFO, SETNAME, GETNAME, ID, INFO, "
                 "LIST, REPLY and NO-EVICT");
}
