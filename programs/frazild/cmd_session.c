/* SPDX-License-Identifier: MIT */
/* The commands about the connection itself. */
#include "commands.h"
#include "resp_write.h"
#include "session.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * Finds the user whose token it is.  Clients that know a token alone send no name, or an empty one, or the name that
 * Redis has for everybody.  Where there are no users, the latter is good with any token, and stands for nobody (NULL).
 * False: the reply says why not.
 */
static bool find_login(struct session *session, const struct call *call, struct slice name, struct slice token,
                       struct user **ret)
{
    const struct users *users = &session->event_thread->setup->users;
    bool is_default = slice_equals(name, slice_of("default"));
    struct slice anybody = {NULL, 0};

    *ret = NULL;
    if (users->count == 0 && is_default)
        return true;
    if (users->count == 0) {
        command_fail(session, call, CODE_ERR,
                     "AUTH was sent, but no user is configured: every client may do everything");
        return false;
    }
    *ret = users_by_token(users, is_default || name.len == 0 ? anybody : name, token);
    if (*ret != NULL)
        return true;
    session_log_wrong_token(session);
    command_fail(session, call, CODE_WRONGPASS, "invalid username-password pair or user is disabled.");
    return false;
}

/* Logs the user in to the session; NULL: no user.  False: the reply says why not. */
static bool log_in(struct session *session, const struct call *call, struct user *user)
{
    if (user == NULL || session_login(session, user))
        return true;
    command_refuse(session, call, &admission_no_memory);
    return false;
}

void cmd_auth(struct session *session, struct call *call)
{
    const struct resp_command *words = call->words;
    struct slice nobody = {NULL, 0};
    struct user *user;

    if (find_login(session, call, words->count > 2 ? words->args[1] : nobody, words->args[words->count - 1], &user) &&
        log_in(session, call, user))
        resp_status(call->out, "OK");
}

/* A copy of a name that a client gave: printable, without blanks, so that CLIENT LIST stays a line. NULL: the reply
 * says why not. */
static char *copy_name(const struct session *session, const struct call *call, struct slice name)
{
    bool good = name.len <= CLIENT_NAME_MAX;

    for (size_t i = 0; i < name.len && good; i++)
        good = name.at[i] > ' ' && name.at[i] <= '~';
    if (!good) {
        command_fail(
            session, call, CODE_ERR,
            "Client names cannot contain spaces, newlines or special characters, and have at most %d characters",
            CLIENT_NAME_MAX);
        return NULL;
    }
    char *copy = strndup(name.at, name.len);
    if (copy == NULL)
        command_refuse(session, call, &admission_no_memory);
    return copy;
}

/* Keeps such a copy in the place of the one before it. */
static bool keep_name(const struct session *session, const struct call *call, struct slice name, char **to)
{
    char *copy = copy_name(session, call, name);

    if (copy == NULL)
        return false;
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

/* The wishes of a HELLO: none is granted before all are known to be good. */
struct hello {
    uint64_t version;
    struct user *user; /* NULL: as before */
    char *name;        /* NULL: as before; its own */
};

static bool read_hello(struct session *session, const struct call *call, struct hello *ret)
{
    const struct resp_command *words = call->words;

    if (words->count > 1 && (!slice_number(words->args[1], 9, &ret->version) || ret->version < 2 || ret->version > 3)) {
        command_fail(session, call, CODE_NOPROTO, "unsupported protocol version");
        return false;
    }
    for (size_t at = 2; at < words->count;) {
        if (slice_is(words->args[at], "AUTH") && at + 2 < words->count) {
            if (!find_login(session, call, words->args[at + 1], words->args[at + 2], &ret->user))
                return false;
            at += 3;
        } else if (slice_is(words->args[at], "SETNAME") && at + 1 < words->count && ret->name == NULL) {
            ret->name = copy_name(session, call, words->args[at + 1]);
            if (ret->name == NULL)
                return false;
            at += 2;
        } else {
            command_fail(session, call, CODE_ERR, "Syntax error in HELLO option");
            return false;
        }
    }
    if (session->event_thread->setup->users.count == 0 || ret->user != NULL || session_user(session) != NULL)
        return true;
    command_fail(session, call, CODE_NOAUTH,
                 "HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH "
                 "<user> <pass> option can be used to authenticate the client and select the RESP protocol version "
                 "at the same time");
    return false;
}

/* HELLO [2|3 [AUTH user token] [SETNAME name]] */
void cmd_hello(struct session *session, struct call *call)
{
    struct hello hello = {.version = session->version};

    if (!read_hello(session, call, &hello) || !log_in(session, call, hello.user)) {
        free(hello.name);
        return;
    }
    if (hello.name != NULL) {
        free(session->name);
        session->name = hello.name;
    }
    session->version = (uint8_t)hello.version;
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

/*
 * Makes the session new.  The connection stays, and so does the user whose certificate the client has shown.  As in
 * Redis the library stays, too: a client names it once, and what INCR replies depends on it.
 */
void cmd_reset(struct session *session, struct call *call)
{
    const struct session before = *session;

    session->lib = session->lib_version = NULL;
    session_close(session);
    session_open(session, before.event_thread, before.connection, before.id);
    session->has_tls = before.has_tls;
    session->peer = before.peer;
    session->lib = before.lib;
    session->lib_version = before.lib_version;
    session->rounds = before.rounds;
    struct user *user = before.has_tls ? before.event_thread->user_of(before.connection) : NULL;
    if (user != NULL && !session_login(session, user))
        session->closing = true;
    resp_status(call->out, "RESET");
}

void cmd_select(struct session *session, struct call *call)
{
    uint64_t database;

    if (slice_number(call->words->args[1], 15, &database))
        resp_status(call->out, "OK");
    else
        command_fail(session, call, CODE_ERR,
                     "DB index is out of range: there are 0 to 15, and all of them are one key space");
}

void cmd_acl(struct session *session, struct call *call)
{
    const struct user *user = session_user(session);

    if (slice_is(call->words->args[1], "WHOAMI") && call->words->count == 2)
        resp_text(call->out, user != NULL ? user->name : "default");
    else
        command_fail(session, call, CODE_ERR,
                     "ACL has only WHOAMI: the users are in the configuration, see frazild.conf(5)");
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

/* Nothing is evicted, and nothing is touched. */
static void client_no_evict(struct session *session, struct call *call)
{
    if (slice_is(call->words->args[2], "ON") || slice_is(call->words->args[2], "OFF"))
        resp_status(call->out, "OK");
    else
        command_fail(session, call, CODE_ERR, "CLIENT NO-EVICT and CLIENT NO-TOUCH take ON or OFF");
}

static void client_tracking(struct session *session, struct call *call)
{
    if (call->words->count == 3 && slice_is(call->words->args[2], "OFF"))
        resp_status(call->out, "OK");
    else
        command_fail(session, call, CODE_ERR,
                     "CLIENT TRACKING takes only OFF: an id is issued once, so it cannot be cached");
}

static void client_kill(struct session *session, struct call *call)
{
    command_fail(session, call, CODE_ERR, "CLIENT KILL: a client can end only its own connection, with QUIT");
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
        size_t least;
        size_t most;
        void (*run)(struct session *session, struct call *call);
    } parts[] = {
        {"SETINFO", 4, 4, client_setinfo},   {"SETNAME", 3, 3, client_setname},
        {"GETNAME", 2, 2, client_getname},   {"ID", 2, 2, client_id},
        {"INFO", 2, 2, client_info},         {"LIST", 2, 8, client_info},
        {"REPLY", 3, 3, client_reply},       {"NO-EVICT", 3, 3, client_no_evict},
        {"NO-TOUCH", 3, 3, client_no_evict}, {"TRACKING", 3, 8, client_tracking},
        {"KILL", 3, 8, client_kill},
    };

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (!slice_is(call->words->args[1], parts[i].name))
            continue;
        if (call->words->count >= parts[i].least && call->words->count <= parts[i].most)
            parts[i].run(session, call);
        else
            command_fail(session, call, CODE_ERR, "wrong number of arguments for CLIENT %s", parts[i].name);
        return;
    }
    command_fail(session, call, CODE_ERR,
                 "unknown subcommand of CLIENT: there are SETINFO, SETNAME, GETNAME, ID, INFO, "
                 "LIST, REPLY, NO-EVICT, NO-TOUCH and TRACKING");
}
