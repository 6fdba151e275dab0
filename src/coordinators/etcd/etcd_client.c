/* SPDX-License-Identifier: MIT */
#include "etcd_client.h"

#include <stdlib.h>
#include <string.h>

#include "common/out_of_time.h"
#include "common/said.h"
#include "core/duration.h"
#include "core/wipe.h"
#include "os/socket.h"

/* The codes of gRPC that the gateway gives in its errors. */
enum {
    INVALID_ARGUMENT = 3,
    NOT_FOUND = 5,
    ALREADY_EXISTS = 6,
    PERMISSION_DENIED = 7,
    RESOURCE_EXHAUSTED = 8,
    FAILED_PRECONDITION = 9,
    OUT_OF_RANGE = 11,
    UNIMPLEMENTED = 12,
    UNAUTHENTICATED = 16
};

enum { QUOTED_MAX = 80 };

/* The outcome of asking one member. */
enum outcome {
    ANSWERED,
    NOT_ASKED,  /* yet */
    LOGGED_OUT, /* the token is not, or no longer, accepted: nothing was done */
    NO_LOGIN,   /* there are no users to log in as */
    REFUSED,    /* by this member, and by any other */
    NO_ROOM,    /* in the cluster's database: nothing was done, until an operator has made some */
    NOT_HERE,   /* refused by this member, or whatever is at its address; another one may do it */
    NOT_DONE,   /* certainly; another one may do it */
    NOT_KNOWN   /* no answer, or one that leaves it open */
};

/* A question as it is sent. */
struct message {
    const char *path;
    const char *body;
    size_t body_len;
    bool writes;
};

void fz_etcd_client_start(struct fz_etcd_client *client, const struct fz_etcd_url *url)
{
    fz_wipe(client, sizeof *client);
    client->url = *url;
    fz_etcd_http_start(&client->http, &client->url);
    fz_etcd_url_show(&client->url, 0, client->shown);
}

void fz_etcd_client_stop(struct fz_etcd_client *client)
{
    fz_etcd_http_stop(&client->http);
    fz_wipe(&client->url, sizeof client->url);
    fz_wipe(client->token, sizeof client->token);
}

/* ---- the meaning of errors -------------------------------------------------------- */

static bool says(const char *sentence, const char *words)
{
    return strstr(sentence, words) != NULL;
}

/* An error that etcd has put into words. */
static enum outcome classify(json_int_t code, const char *sentence)
{
    if (code == UNAUTHENTICATED || says(sentence, "revision of auth store is old") ||
        says(sentence, "user name is empty"))
        return LOGGED_OUT;
    if (says(sentence, "authentication is not enabled"))
        return NO_LOGIN;
    if (says(sentence, "too many requests") || says(sentence, "no leader") || says(sentence, "proposal dropped") ||
        says(sentence, "not supported for learner"))
        return NOT_DONE;
    if (says(sentence, "database space exceeded"))
        return NO_ROOM;
    switch (code) {
    case INVALID_ARGUMENT:
    case NOT_FOUND:
    case ALREADY_EXISTS:
    case PERMISSION_DENIED:
    case RESOURCE_EXHAUSTED:
    case FAILED_PRECONDITION:
    case OUT_OF_RANGE:
    case UNIMPLEMENTED:
        return REFUSED;
    default: /* time out, leader changed, stopped, and what is not known here: it may have been passed on */
        return NOT_KNOWN;
    }
}

/* A gateway may send back what it was sent: the password, or the token that there was for it. */
static const char *say(const struct fz_etcd_client *client, const char *text, size_t len, char ret[FZ_SAID_SIZE])
{
    char without_token[FZ_SAID_SIZE];

    (void)fz_said(text, len, client->token, without_token);
    return fz_said(without_token, strlen(without_token), client->url.common.access.password, ret);
}

static enum outcome read_error(struct fz_etcd_client *client, const json_t *answer, frazil_error *reterr)
{
    const char *sentence = json_string_value(json_object_get(answer, "error"));
    json_int_t code = json_integer_value(json_object_get(answer, "code"));
    char said[FZ_SAID_SIZE];

    if (sentence == NULL) {
        fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: unexpected reply: an error without a message", client->shown);
        return NOT_KNOWN;
    }
    enum outcome outcome = classify(code, sentence);
    (void)say(client, sentence, strlen(sentence), said);
    if (outcome == LOGGED_OUT && client->url.common.access.user[0] == '\0') {
        fz_fail(reterr, FRAZIL_EREFUSED, "%s: has users, and the URL names none: %q", client->shown, said);
        return REFUSED;
    }
    frazil_err err = outcome == NOT_DONE ? FRAZIL_EAGAIN : outcome == NOT_KNOWN ? FRAZIL_EUNREACHABLE : FRAZIL_EREFUSED;
    fz_fail(reterr, err, "%s: %q", client->shown, said);
    return outcome;
}

/* Whether no etcd answers with that status and no JSON; one that restarts, or a proxy that has lost it, may. */
static bool is_foreign(long status)
{
    return status != 408 && status != 425 && status != 429 && (status < 500 || status == 501 || status == 505);
}

/* Of an answer that is not understood, its beginning is shown.  A write may have been carried out behind a proxy. */
static enum outcome not_etcd(const struct fz_etcd_client *client, const struct message *question, long status,
                             frazil_error *reterr)
{
    bool refuses = !question->writes && is_foreign(status);
    char said[FZ_SAID_SIZE];
    size_t len = strlen(say(client, client->http.reply, client->http.reply_len, said));

    fz_fail(reterr, refuses ? FRAZIL_EREFUSED : FRAZIL_EUNREACHABLE, "%s: %s (HTTP status %d): %Q", client->shown,
            refuses ? "is not etcd" : "unexpected reply", (int64_t)status, said, len < QUOTED_MAX ? len : QUOTED_MAX);
    return refuses ? NOT_HERE : NOT_KNOWN;
}

static enum outcome read_answer(struct fz_etcd_client *client, const struct message *question, long status,
                                json_t **ret, frazil_error *reterr)
{
    json_error_t error;
    json_t *answer = json_loadb(client->http.reply, client->http.reply_len, 0, &error);
    enum outcome outcome = ANSWERED;

    if (!json_is_object(answer)) {
        outcome = status == 404 ? REFUSED : NOT_KNOWN;
        if (status == 404)
            fz_fail(reterr, FRAZIL_EREFUSED, "%s: is not etcd 3.4 or later with its JSON gateway (HTTP status 404)",
                    client->shown);
        else
            outcome = not_etcd(client, question, status, reterr);
    } else if (status != 200) {
        outcome = read_error(client, answer, reterr);
    }
    if (outcome == ANSWERED)
        *ret = answer;
    else
        json_decref(answer);
    return outcome;
}

/* ---- asking ------------------------------------------------------------------- */

/* JSON in *ret_len bytes that the caller frees.  NULL: value is NULL, or there is no memory. */
static char *write_json(const json_t *value, size_t *ret_len)
{
    size_t len = value == NULL ? 0 : json_dumpb(value, NULL, 0, JSON_COMPACT);
    char *text = len == 0 ? NULL : malloc(len);

    *ret_len = text == NULL ? 0 : json_dumpb(value, text, len, JSON_COMPACT);
    return text;
}

static enum outcome ask_host(struct fz_etcd_client *client, const struct message *question, uint64_t left_ns,
                             json_t **ret, frazil_error *reterr)
{
    uint64_t timeout_ms = (left_ns + FZ_NS_PER_MS - 1) / FZ_NS_PER_MS;
    const struct fz_etcd_request request = {.host = client->host,
                                            .path = question->path,
                                            .token = client->token,
                                            .body = question->body,
                                            .body_len = question->body_len,
                                            .timeout_ms = (uint32_t)timeout_ms};
    long status = 0;

    fz_etcd_url_show(&client->url, client->host, client->shown);
    if (client->http.curl == NULL &&
        fz_url_check_files(fz_etcd_url_kind, &client->url.common, client->shown, reterr) != FRAZIL_OK)
        return NOT_DONE;
    switch (fz_etcd_http_post(&client->http, &request, &status)) {
    case FZ_ETCD_HTTP_ANSWERED:
        return read_answer(client, question, status, ret, reterr);
    case FZ_ETCD_HTTP_UNTRUSTED:
        fz_fail(reterr, FRAZIL_EREFUSED, "%s: cannot connect: %s", client->shown, client->http.reason);
        return NOT_HERE;
    case FZ_ETCD_HTTP_FOREIGN:
        fz_fail(reterr, question->writes ? FRAZIL_EUNREACHABLE : FRAZIL_EREFUSED, "%s: is not etcd: %s", client->shown,
                client->http.reason);
        return question->writes ? NOT_KNOWN : NOT_HERE;
    case FZ_ETCD_HTTP_NOT_SENT:
        fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: cannot connect: %s", client->shown, client->http.reason);
        return NOT_DONE;
    case FZ_ETCD_HTTP_TIMED_OUT:
        fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: did not answer within %D", client->shown, 1000 * timeout_ms);
        return NOT_KNOWN;
    case FZ_ETCD_HTTP_SENT:
        break;
    }
    fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: lost the connection: %s", client->shown, client->http.reason);
    return NOT_KNOWN;
}

/* The outcome without asking this member.  If another one was asked, its outcome stands. */
static enum outcome out_of_time(const struct fz_etcd_client *client, const struct fz_allowance *allowance,
                                enum outcome before, frazil_error *reterr)
{
    if (before == NOT_ASKED)
        (void)fz_out_of_time(allowance->until, client->shown, reterr);
    return before == NOT_ASKED ? NOT_DONE : before;
}

/* Asks one member after the other, as long as it is right to, each with its share of the time that is left. */
static enum outcome ask_hosts(struct fz_etcd_client *client, const struct message *question,
                              const struct fz_allowance *allowance, json_t **ret, frazil_error *reterr)
{
    enum outcome outcome = NOT_ASKED;

    for (size_t left = client->url.common.host_count; left > 0; left--) {
        const struct fz_allowance part = fz_allowance_part(allowance, (uint32_t)left);
        uint64_t left_ns = fz_deadline_left_ns(part.until);
        if (left_ns == 0)
            return out_of_time(client, allowance, outcome, reterr);
        outcome = ask_host(client, question, left_ns, ret, reterr);
        if (outcome != NOT_DONE && outcome != NOT_KNOWN && outcome != NOT_HERE)
            return outcome;
        client->host = (client->host + 1) % client->url.common.host_count;
        if (outcome == NOT_KNOWN && question->writes)
            return outcome;
    }
    return outcome;
}

/* ---- logging in ------------------------------------------------------------------ */

static enum outcome not_logged_in(struct fz_etcd_client *client, frazil_error *reterr)
{
    fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: returned no usable token", client->shown);
    return NOT_DONE;
}

static bool is_token(const char *token)
{
    size_t len = token == NULL ? 0 : strlen(token);

    for (size_t i = 0; i < len; i++) {
        if (token[i] <= ' ' || token[i] > '~')
            return false;
    }
    return len > 0 && len < FZ_ETCD_TOKEN_SIZE;
}

/* Writes the request to log in, in *ret_len bytes that the caller wipes and frees.  NULL: no memory, or no UTF-8. */
static char *write_login(const struct fz_url_access *access, size_t *ret_len)
{
    json_t *said = json_pack("{s:s, s:s}", "name", access->user, "password", access->password);
    json_t *password = json_object_get(said, "password");
    char *body = write_json(said, ret_len);

    /* jansson frees its copy as it is. */
    if (password != NULL)
        fz_wipe((void *)(uintptr_t)json_string_value(password), json_string_length(password));
    json_decref(said);
    return body;
}

static enum outcome log_in(struct fz_etcd_client *client, const struct fz_allowance *allowance, frazil_error *reterr)
{
    const struct fz_url_access *access = &client->url.common.access;
    json_t *answer = NULL;

    size_t len = 0;
    char *body = write_login(access, &len);
    if (body == NULL) {
        fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: user and password must be UTF-8 (or memory is exhausted)",
                client->shown);
        return REFUSED;
    }
    const struct message question = {"/v3/auth/authenticate", body, len, false};
    enum outcome outcome = ask_hosts(client, &question, allowance, &answer, reterr);
    fz_wipe(body, question.body_len);
    free(body);
    client->no_login = outcome == NO_LOGIN;
    if (outcome == NO_LOGIN)
        return ANSWERED;
    if (outcome != ANSWERED)
        return outcome == NOT_KNOWN ? NOT_DONE : outcome; /* nothing that matters was asked */
    const char *token = json_string_value(json_object_get(answer, "token"));
    if (is_token(token))
        memcpy(client->token, token, strlen(token) + 1);
    else
        outcome = not_logged_in(client, reterr);
    json_decref(answer);
    return outcome;
}

static bool must_log_in(const struct fz_etcd_client *client)
{
    return client->url.common.access.user[0] != '\0' && client->token[0] == '\0' && !client->no_login;
}

static enum outcome ask_logged_in(struct fz_etcd_client *client, const struct message *question, json_t **ret,
                                  frazil_error *reterr)
{
    const struct fz_allowance allowance = fz_allowance_of(client->url.common.access.timeout_ms, client->deadline);
    enum outcome outcome = LOGGED_OUT;

    /* A token that has run out is noticed by its being refused: then once more, with a new one. */
    for (int tries = 0; tries < 2 && outcome == LOGGED_OUT; tries++) {
        if (must_log_in(client)) {
            outcome = log_in(client, &allowance, reterr);
            if (outcome != ANSWERED)
                break;
        }
        outcome = ask_hosts(client, question, &allowance, ret, reterr);
        if (outcome == LOGGED_OUT) {
            client->token[0] = '\0';
            client->no_login = false;
        }
    }
    return outcome;
}

enum fz_register_result fz_etcd_ask(struct fz_etcd_client *client, const struct fz_etcd_question *question,
                                    json_t **ret, frazil_error *reterr)
{
    struct message message = {.path = question->path, .writes = question->writes};
    char *body = write_json(question->body, &message.body_len);
    enum outcome outcome = NOT_DONE;

    json_decref(question->body);
    message.body = body;
    if (body == NULL)
        fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: no memory for a request", client->shown);
    else
        outcome = ask_logged_in(client, &message, ret, reterr);
    free(body);
    switch (outcome) {
    case ANSWERED:
        return FZ_REGISTER_OK;
    case NOT_DONE:
    case NO_ROOM:
        return FZ_REGISTER_UNREACHABLE;
    case NOT_KNOWN:
        return FZ_REGISTER_UNKNOWN;
    default:
        return FZ_REGISTER_REFUSED;
    }
}
