/* SPDX-License-Identifier: MIT */
#include "redis_connection.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "core/sentence.h"
#include "core/wipe.h"

void fz_redis_add(struct fz_redis_command *command, const char *text, size_t len)
{
    assert(command->argc < FZ_REDIS_ARGS_MAX);
    command->argv[command->argc] = text;
    command->len[command->argc++] = len;
}

void fz_redis_add_text(struct fz_redis_command *command, const char *text)
{
    fz_redis_add(command, text, strlen(text));
}

/* ---- the session ---------------------------------------------------------------- */

static int socket_of(void *handle)
{
    const redisContext *context = handle;

    return context->fd;
}

static void close_handle(void *handle)
{
    redisFree(handle);
}

static void disown(void *handle)
{
    redisContext *context = handle;

    context->fd = -1;
}

/* A reply that came behind the last answer would be taken for the next one. */
static bool has_rest(const void *handle)
{
    const redisContext *context = handle;

    return context->reader->pos < context->reader->len;
}

static redisContext *context_of(const struct fz_redis_connection *connection)
{
    return connection->session.handle;
}

static enum fz_register_result connect_to(struct fz_session *session, const struct fz_allowance *allowance,
                                          frazil_error *reterr);

static const struct fz_session_client hiredis = {
    .connect = connect_to, .socket = socket_of, .close = close_handle, .disown = disown, .has_rest = has_rest};

frazil_err fz_redis_connection_open(struct fz_redis_connection *connection, const char *url, frazil_error *reterr)
{
    struct fz_redis_url parsed = {.db = 0}; /* for analysers, which see no more of it written than common */
    frazil_err err = fz_url_open(fz_redis_url_kind, url, &parsed.common, reterr);

    if (err != FRAZIL_OK)
        return err;
    if (parsed.common.tls)
        err = fz_fail(reterr, FRAZIL_ENOTBUILT,
                      "rediss:// asks for TLS, which frazil does not speak to Redis: use redis:// through a tunnel, "
                      "such as stunnel, or redis+unix://");
    if (err == FRAZIL_OK) {
        connection->url = parsed;
        fz_redis_url_show(&parsed, connection->shown);
        fz_session_start(&connection->session, &hiredis, &connection->url.common, connection->shown);
    }
    fz_wipe(&parsed, sizeof parsed);
    return err;
}

void fz_redis_connection_stop(struct fz_redis_connection *connection)
{
    fz_session_drop(&connection->session);
    fz_wipe(&connection->url, sizeof connection->url);
}

/* ---- sentences ------------------------------------------------------------ */

static const char *reason(int sys_errno, char buf[128])
{
    return strerror_r(sys_errno, buf, 128) == 0 ? buf : "unknown error";
}

/* "redis://...: <what>: <why>", and closes the connection. */
static enum fz_register_result failed(struct fz_redis_connection *connection, enum fz_register_result result,
                                      const char *what, int sys_errno, const struct fz_allowance *allowance,
                                      frazil_error *reterr)
{
    char buf[128];
    const redisContext *context = context_of(connection);

    if (sys_errno == ETIMEDOUT)
        fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: %s within %D", connection->shown, what, allowance->us);
    else if (sys_errno > 0)
        fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: %s: %s", connection->shown, what, reason(sys_errno, buf));
    else
        fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: %s: %s", connection->shown, what,
                sys_errno < 0                                   ? "the server closed the connection"
                : context != NULL && context->errstr[0] != '\0' ? context->errstr
                                                                : "out of memory");
    fz_session_drop(&connection->session);
    return result;
}

/* ---- sending and receiving ------------------------------------------------- */

static enum fz_register_result send_all(struct fz_redis_connection *connection, const struct fz_allowance *allowance,
                                        frazil_error *reterr)
{
    int done = 0;

    while (!done) {
        int sys = fz_allowance_wait(allowance, context_of(connection)->fd, POLLOUT);
        if (sys != 0)
            return failed(connection, FZ_REGISTER_UNKNOWN, "could not send", sys, allowance, reterr);
        if (redisBufferWrite(context_of(connection), &done) != REDIS_OK)
            return failed(connection, FZ_REGISTER_UNKNOWN, "could not send", 0, allowance, reterr);
    }
    return FZ_REGISTER_OK;
}

/* Each reply begins with one of these, also in versions of the protocol that are not asked for. */
static const char reply_types[] = "+-:$*_#,(!=%~>|";

/* Reads what has come.  0, an errno, or -1: the other side has closed the connection. */
static int read_some(struct fz_redis_connection *connection)
{
    char bytes[16384];
    ssize_t got;

    do
        got = recv(context_of(connection)->fd, bytes, sizeof bytes, 0);
    while (got < 0 && errno == EINTR);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return 0;
    if (got <= 0)
        return got < 0 ? errno : -1;
    if (!connection->has_begun)
        connection->is_foreign = memchr(reply_types, bytes[0], sizeof reply_types - 1) == NULL;
    connection->has_begun = true;
    connection->received += (size_t)got;
    /* It fails for want of memory, which the reader keeps for redisReaderGetReply. */
    (void)redisReaderFeed(context_of(connection)->reader, bytes, (size_t)got);
    return 0;
}

/* hiredis makes room for all elements of an array that is announced, before one of them has come. */
static void *create_array(const redisReadTask *task, FZ_REDIS_COUNT count)
{
    struct fz_redis_connection *connection = task->privdata;

    if (count > (FZ_REDIS_COUNT)(FZ_REDIS_ELEMENTS_MAX - connection->elements)) {
        connection->elements = FZ_REDIS_ELEMENTS_MAX + 1;
        return NULL;
    }
    connection->elements += (int)count;
    return connection->create_array(task, count);
}

static void bound_reader(struct fz_redis_connection *connection)
{
    redisReader *reader = context_of(connection)->reader;

    connection->functions = *reader->fn;
    connection->create_array = reader->fn->createArray;
    connection->functions.createArray = create_array;
    reader->fn = &connection->functions;
    reader->privdata = connection;
}

/* A length above this is no answer to our request. */
static bool is_too_much(const struct fz_redis_connection *connection)
{
    return connection->received > FZ_ANSWER_SIZE_MAX || connection->elements > FZ_REDIS_ELEMENTS_MAX;
}

static enum fz_register_result not_redis(struct fz_redis_connection *connection, frazil_error *reterr)
{
    /* A server whose very first word is no reply carries out no command. */
    enum fz_register_result result = connection->is_foreign ? FZ_REGISTER_REFUSED : FZ_REGISTER_UNKNOWN;

    if (connection->is_foreign)
        fz_fail(reterr, FRAZIL_EREFUSED, "%s: is not Redis, or speaks TLS: %s", connection->shown,
                context_of(connection)->reader->errstr);
    else if (is_too_much(connection))
        fz_fail(reterr, FRAZIL_EUNREACHABLE,
                "%s: the reply is too large (more than %u MiB or %u elements): check that it is Redis",
                connection->shown, (uint64_t)FZ_ANSWER_SIZE_MAX >> 20, (uint64_t)FZ_REDIS_ELEMENTS_MAX);
    else
        fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: unexpected reply: %s", connection->shown,
                context_of(connection)->reader->errstr);
    fz_session_drop(&connection->session);
    return result;
}

static enum fz_register_result receive_one(struct fz_redis_connection *connection, redisReply **ret,
                                           const struct fz_allowance *allowance, frazil_error *reterr)
{
    void *reply = NULL;

    for (;;) {
        if (is_too_much(connection) || redisReaderGetReply(context_of(connection)->reader, &reply) != REDIS_OK)
            return not_redis(connection, reterr);
        if (reply != NULL) {
            *ret = reply;
            return FZ_REGISTER_OK;
        }
        int sys = fz_allowance_wait(allowance, context_of(connection)->fd, POLLIN);
        if (sys != 0)
            return failed(connection, FZ_REGISTER_UNKNOWN, "did not answer", sys, allowance, reterr);
        sys = read_some(connection);
        if (sys != 0)
            return failed(connection, FZ_REGISTER_UNKNOWN, "lost the connection before the reply", sys, allowance,
                          reterr);
    }
}

static enum fz_register_result exchange(struct fz_redis_connection *connection, const struct fz_redis_command *commands,
                                        size_t n, redisReply **ret_replies, const struct fz_allowance *allowance,
                                        frazil_error *reterr)
{
    size_t received = 0;

    for (size_t i = 0; i < n; i++) {
        const struct fz_redis_command *command = &commands[i];
        const char *argv[FZ_REDIS_ARGS_MAX];
        memcpy(argv, command->argv, sizeof argv);
        if (redisAppendCommandArgv(context_of(connection), command->argc, argv, command->len) != REDIS_OK)
            return failed(connection, FZ_REGISTER_UNREACHABLE, "no memory for a command", 0, allowance, reterr);
    }
    enum fz_register_result result = send_all(connection, allowance, reterr);
    while (result == FZ_REGISTER_OK && received < n) {
        result = receive_one(connection, &ret_replies[received], allowance, reterr);
        received += result == FZ_REGISTER_OK;
    }
    for (size_t i = 0; result != FZ_REGISTER_OK && i < received; i++)
        freeReplyObject(ret_replies[i]);
    return result;
}

/* ---- connecting ------------------------------------------------------------ */

/* User, password and database. */
static enum fz_register_result introduce(struct fz_redis_connection *connection, const struct fz_allowance *allowance,
                                         frazil_error *reterr)
{
    const struct fz_redis_url *url = &connection->url;
    struct fz_redis_command commands[2] = {{.argc = 0}};
    redisReply *replies[2] = {NULL};
    char digits[24];
    size_t n = 0;

    if (url->common.access.password[0] != '\0') {
        fz_redis_add_text(&commands[n], "AUTH");
        if (url->common.access.user[0] != '\0')
            fz_redis_add_text(&commands[n], url->common.access.user);
        fz_redis_add_text(&commands[n++], url->common.access.password);
    }
    if (url->db != 0) {
        struct fz_sentence db = fz_sentence_in(digits, sizeof digits);
        fz_sentence_u64(&db, url->db);
        fz_redis_add_text(&commands[n], "SELECT");
        fz_redis_add_text(&commands[n++], digits);
    }
    if (n == 0)
        return FZ_REGISTER_OK;
    enum fz_register_result result = exchange(connection, commands, n, replies, allowance, reterr);
    if (result != FZ_REGISTER_OK) /* nothing that matters was sent */
        return result == FZ_REGISTER_REFUSED ? result : FZ_REGISTER_UNREACHABLE;
    for (size_t i = 0; i < n; i++) {
        if (result == FZ_REGISTER_OK && replies[i] != NULL && replies[i]->type == REDIS_REPLY_ERROR)
            result = fz_redis_error_reply(connection, replies[i], reterr);
        freeReplyObject(replies[i]);
    }
    return result;
}

static enum fz_register_result connect_to(struct fz_session *session, const struct fz_allowance *allowance,
                                          frazil_error *reterr)
{
    struct fz_redis_connection *connection = (struct fz_redis_connection *)session;
    const struct fz_url_host *host = &session->url->hosts[session->host];
    redisContext *context =
        session->url->is_path ? redisConnectUnixNonBlock(host->name) : redisConnectNonBlock(host->name, host->port);
    int pending = 0;
    socklen_t len = sizeof pending;

    session->handle = context;
    connection->has_begun = false;
    connection->is_foreign = false;
    fz_session_note_socket(session);
    if (context == NULL || context->err != 0)
        return failed(connection, FZ_REGISTER_UNREACHABLE, "cannot connect", 0, allowance, reterr);
    bound_reader(connection);
    int sys = fz_allowance_wait(allowance, context->fd, POLLOUT);
    if (sys == 0 && getsockopt(context->fd, SOL_SOCKET, SO_ERROR, &pending, &len) != 0)
        pending = errno;
    if (sys == 0)
        sys = pending;
    if (sys != 0)
        return failed(connection, FZ_REGISTER_UNREACHABLE, "cannot connect", sys, allowance, reterr);
    return introduce(connection, allowance, reterr);
}

enum fz_register_result fz_redis_exchange(struct fz_redis_connection *connection,
                                          const struct fz_redis_command *commands, size_t n, redisReply **ret_replies,
                                          const struct fz_allowance *allowance, frazil_error *reterr)
{
    assert(n >= 1 && n <= FZ_REDIS_PIPELINE_MAX);
    connection->received = 0;
    connection->elements = 0;
    enum fz_register_result result = fz_session_enter(&connection->session, allowance, reterr);
    if (result != FZ_REGISTER_OK)
        return result;
    result = exchange(connection, commands, n, ret_replies, allowance, reterr);
    fz_session_leave(&connection->session);
    return result;
}

/* ---- the meaning of errors ------------------------------------------------------ */

/* Whether the word is there, and a space behind it. */
static bool begins_with(const redisReply *reply, const char *word)
{
    size_t len = strlen(word);

    return reply->len > len && memcmp(reply->str, word, len) == 0 && reply->str[len] == ' ';
}

enum fz_register_result fz_redis_error_reply(struct fz_redis_connection *connection, const redisReply *reply,
                                             frazil_error *reterr)
{
    static const struct {
        const char *word; /* what the reply begins with, before a space */
        frazil_err code;  /* FRAZIL_EAGAIN: it passes by itself; FRAZIL_EREFUSED: after an operator has fixed it */
        bool elsewhere;   /* another connection may lead to a server that will do it */
    } passing[] = {{"LOADING", FRAZIL_EAGAIN, false},      {"BUSY", FRAZIL_EAGAIN, false},
                   {"MASTERDOWN", FRAZIL_EAGAIN, true},    {"CLUSTERDOWN", FRAZIL_EAGAIN, false},
                   {"TRYAGAIN", FRAZIL_EAGAIN, false},     {"READONLY", FRAZIL_EREFUSED, true},
                   {"NOREPLICAS", FRAZIL_EREFUSED, false}, {"OOM", FRAZIL_EREFUSED, false},
                   {"MISCONF", FRAZIL_EREFUSED, false},    {"ERR max number of clients", FRAZIL_EAGAIN, false}};
    enum fz_register_result result = FZ_REGISTER_REFUSED;
    frazil_err code = FRAZIL_EREFUSED;
    char said[FZ_SAID_SIZE];

    for (size_t i = 0; i < sizeof passing / sizeof passing[0]; i++) {
        if (!begins_with(reply, passing[i].word))
            continue;
        result = FZ_REGISTER_UNREACHABLE;
        code = passing[i].code;
        if (passing[i].elsewhere)
            fz_session_drop(&connection->session);
    }
    fz_fail(reterr, code, "%s: %q%s", connection->shown,
            fz_said(reply->str, reply->len, connection->url.common.access.password, said),
            begins_with(reply, "NOAUTH")
                ? ": give the password in the URL, as in redis://:PASSWORD@HOST/NAMESPACE, or by password_file="
                : "");
    return result;
}
