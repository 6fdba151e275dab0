/* SPDX-License-Identifier: MIT */
#include "redis_script.h"

#include <assert.h>
#include <string.h>

#include "core/decimal.h"
#include "core/sentence.h"
#include "os/clock.h"

bool fz_redis_is_text(const redisReply *reply)
{
    return reply->type == REDIS_REPLY_STRING;
}

bool fz_redis_read_u64(const redisReply *reply, uint64_t *ret)
{
    return fz_redis_is_text(reply) && fz_decimal_parse(reply->str, (size_t)reply->len, ret);
}

void fz_redis_script_start(struct fz_redis_script *script, const char *text)
{
    script->text = text;
    fz_redis_sha1(text, strlen(text), script->name);
}

/* ---- arguments ------------------------------------------------------------- */

void fz_redis_call_begin(struct fz_redis_call *call, const char *key, const char *verb, struct fz_deadline deadline)
{
    call->begun_ns = fz_real_monotonic_ns();
    call->deadline = deadline;
    call->arguments.argc = 0;
    fz_redis_add_text(&call->arguments, "1");
    fz_redis_add_text(&call->arguments, key);
    fz_redis_add_text(&call->arguments, verb);
}

void fz_redis_call_text(struct fz_redis_call *call, const char *text)
{
    fz_redis_add_text(&call->arguments, text);
}

void fz_redis_call_bytes(struct fz_redis_call *call, const char *bytes, size_t len)
{
    fz_redis_add(&call->arguments, bytes, len);
}

void fz_redis_call_u64(struct fz_redis_call *call, uint64_t number)
{
    char *digits = call->digits[call->arguments.argc];
    struct fz_sentence s = fz_sentence_in(digits, FZ_REDIS_DIGITS_SIZE);

    fz_sentence_u64(&s, number);
    fz_redis_add(&call->arguments, digits, s.len);
}

void fz_redis_call_i64(struct fz_redis_call *call, int64_t number)
{
    char *digits = call->digits[call->arguments.argc];
    struct fz_sentence s = fz_sentence_in(digits, FZ_REDIS_DIGITS_SIZE);

    fz_sentence_i64(&s, number);
    fz_redis_add(&call->arguments, digits, s.len);
}

/* ---- one attempt ------------------------------------------------------------- */

/* The call, by the script's name, or by its text for a server that does not know the name. */
static void make_call(struct fz_redis_command *command, const struct fz_redis_script *script, bool by_name,
                      const struct fz_redis_command *arguments)
{
    fz_redis_add_text(command, by_name ? "EVALSHA" : "EVAL");
    fz_redis_add_text(command, by_name ? script->name : script->text);
    for (int i = 0; i < arguments->argc; i++)
        fz_redis_add(command, arguments->argv[i], arguments->len[i]);
}

static void add_wait(struct fz_redis_command *command, const struct fz_redis_url *url,
                     const struct fz_allowance *allowance, char digits[2][FZ_REDIS_DIGITS_SIZE])
{
    struct fz_sentence replicas = fz_sentence_in(digits[0], FZ_REDIS_DIGITS_SIZE);
    struct fz_sentence timeout_ms = fz_sentence_in(digits[1], FZ_REDIS_DIGITS_SIZE);

    fz_sentence_u64(&replicas, url->wait_replicas);
    fz_sentence_u64(&timeout_ms, allowance->us / 2000 + 1); /* so that its own answer comes in time */
    fz_redis_add_text(command, "WAIT");
    fz_redis_add_text(command, digits[0]);
    fz_redis_add_text(command, digits[1]);
}

/* Whether as many replicas have the write as are wanted.  The write happened, so too few replicas means "unknown", not
 * "no". */
static enum fz_register_result check_wait(const struct fz_redis_connection *connection, const redisReply *reply,
                                          frazil_error *reterr)
{
    long long wanted = connection->url.wait_replicas;

    if (reply->type == REDIS_REPLY_INTEGER && reply->integer >= wanted)
        return FZ_REGISTER_OK;
    fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: only %d of the %d required replicas have the write", connection->shown,
            (int64_t)(reply->type == REDIS_REPLY_INTEGER ? reply->integer : 0), (int64_t)wanted);
    return FZ_REGISTER_UNKNOWN;
}

/* *ret_answer is the script's reply, which may be an error. */
static enum fz_register_result call_once(struct fz_redis_connection *connection, const struct fz_redis_script *script,
                                         bool by_name, const struct fz_redis_call *call,
                                         bool (*has_written)(const redisReply *answer), redisReply **ret_answer,
                                         frazil_error *reterr)
{
    const struct fz_allowance allowance = fz_session_allowance(&connection->session, call->deadline);
    struct fz_redis_command commands[2] = {{.argc = 0}};
    redisReply *replies[2];
    char digits[2][FZ_REDIS_DIGITS_SIZE];
    bool waits = has_written != NULL && connection->url.wait_replicas > 0;

    make_call(&commands[0], script, by_name, &call->arguments);
    if (waits)
        add_wait(&commands[1], &connection->url, &allowance, digits);
    enum fz_register_result result =
        fz_redis_exchange(connection, commands, waits ? 2 : 1, replies, &allowance, reterr);
    if (result != FZ_REGISTER_OK)
        return result;
    if (waits && replies[0]->type != REDIS_REPLY_ERROR && has_written(replies[0]))
        result = check_wait(connection, replies[1], reterr);
    if (waits)
        freeReplyObject(replies[1]);
    if (result == FZ_REGISTER_OK)
        *ret_answer = replies[0];
    else
        freeReplyObject(replies[0]);
    return result;
}

/* Nobody has called the script since the server was started, or it was flushed. */
static bool is_unknown(const redisReply *reply)
{
    static const char word[] = "NOSCRIPT";

    return reply->type == REDIS_REPLY_ERROR && strncmp(reply->str, word, strlen(word)) == 0;
}

enum fz_register_result fz_redis_call_script(struct fz_redis_connection *connection,
                                             const struct fz_redis_script *script, const struct fz_redis_call *call,
                                             bool (*has_written)(const redisReply *answer), redisReply **ret_answer,
                                             frazil_error *reterr)
{
    redisReply *answer = NULL;
    enum fz_register_result result = call_once(connection, script, true, call, has_written, &answer, reterr);

    if (result == FZ_REGISTER_OK && is_unknown(answer)) {
        freeReplyObject(answer);
        result = call_once(connection, script, false, call, has_written, &answer, reterr);
    }
    if (result == FZ_REGISTER_OK && answer->type == REDIS_REPLY_ERROR) {
        result = fz_redis_error_reply(connection, answer, reterr);
        freeReplyObject(answer);
    }
    if (result == FZ_REGISTER_OK)
        *ret_answer = answer;
    return result;
}

frazil_err fz_redis_clocks_differ(const struct fz_redis_connection *connection, const struct fz_redis_call *call,
                                  int64_t here_ms, int64_t there_ms, int64_t max_skew_ms, frazil_error *reterr)
{
    int64_t taken_ms = (int64_t)((fz_real_monotonic_ns() - call->begun_ns) / 1000000);

    if (there_ms > here_ms && there_ms - here_ms - max_skew_ms <= taken_ms)
        return fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: the reply took %D, longer than the call may wait",
                       connection->shown, 1000 * (uint64_t)taken_ms);
    return fz_fail(reterr, FRAZIL_ECLOCK, "the clocks differ too much: it is %t here, and %t at %s, and max_skew is %D",
                   here_ms, there_ms, connection->shown, 1000 * (uint64_t)max_skew_ms);
}
