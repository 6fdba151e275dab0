/* SPDX-License-Identifier: MIT */
#include "redis_register.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/decimal.h"
#include "core/sentence.h"
#include "redis_connection.h"
#include "redis_examine.h"

#define KEY_PREFIX "frazil:lease:"
#define NAMESPACE_FIELD "namespace"

/*
 * KEYS[1] the hash; ARGV: what to do, and for get and swap the field, for swap
 * also the version expected and the data.  The write comes last, so that a script
 * that fails has changed nothing.
 */
static const char script[] =
    "local time = redis.call('TIME')\n"
    "local server = redis.call('INFO', 'server')\n"
    "local replication = redis.call('INFO', 'replication')\n"
    "local policy = string.match(redis.call('INFO', 'memory'), 'maxmemory_policy:([%w-]+)') or ''\n"
    "local answer = {time[1], time[2], string.match(server, 'run_id:(%x+)') or '',\n"
    "    string.match(replication, 'master_replid:(%x+)') or '', string.match(replication, 'role:(%a+)') or '', "
    "policy}\n"
    "if answer[5] ~= 'master' or string.sub(policy, 1, 8) == 'allkeys-' then return answer end\n"
    "if ARGV[1] == 'all' then answer[7] = redis.call('HGETALL', KEYS[1]) return answer end\n"
    "local found = redis.call('HGET', KEYS[1], ARGV[2])\n"
    "if ARGV[1] == 'get' then answer[7] = found or '' return answer end\n"
    "local version = '0'\n"
    "if found then version = string.match(found, '^(%d+) ') or 'none' end\n"
    "if version ~= ARGV[3] then answer[7] = '0' return answer end\n"
    "local next = time[1] * 1000000 + time[2]\n"
    "if next <= tonumber(version) then next = tonumber(version) + 1 end\n"
    "answer[7] = string.format('%.0f', next)\n"
    "redis.call('HSET', KEYS[1], ARGV[2], answer[7] .. ' ' .. ARGV[4])\n"
    "return answer\n";

/* The places in an answer. */
enum { SECONDS, MICROSECONDS, RUN_ID, REPLICATION_ID, ROLE, POLICY, RESULT, ANSWER_LEN };

enum { SHA1_LEN = 40, KEY_SIZE = sizeof KEY_PREFIX + FZ_URL_NAMESPACE_SIZE };

struct redis_register {
    struct fz_redis_connection connection;
    char key[KEY_SIZE];
    char sha1[SHA1_LEN + 1]; /* what the server calls the script; empty: not known yet */
};

/* ---- strict readings of replies --------------------------------------------- */

static bool is_text(const redisReply *reply)
{
    return reply->type == REDIS_REPLY_STRING;
}

static bool read_number(const redisReply *reply, uint64_t *ret)
{
    return is_text(reply) && fz_decimal_parse(reply->str, (size_t)reply->len, ret);
}

/* "VERSION DATA". */
static bool read_record(const char *text, size_t len, struct fz_record *ret)
{
    const char *space = len == 0 ? NULL : memchr(text, ' ', len);
    uint64_t version;

    if (space == NULL || !fz_decimal_parse(text, (size_t)(space - text), &version) || version == 0)
        return false;
    size_t data_len = len - (size_t)(space - text) - 1;
    if (data_len > FZ_RECORD_SIZE_MAX)
        return false;
    ret->version = version;
    ret->len = data_len;
    memcpy(ret->data, space + 1, data_len);
    return true;
}

static bool read_field(const redisReply *reply, uint32_t *ret)
{
    uint64_t number;

    if (!is_text(reply))
        return false;
    if ((size_t)reply->len == strlen(NAMESPACE_FIELD) && memcmp(reply->str, NAMESPACE_FIELD, (size_t)reply->len) == 0) {
        *ret = FZ_NAMESPACE;
        return true;
    }
    if (!read_number(reply, &number) || number >= FZ_NAMESPACE)
        return false;
    *ret = (uint32_t)number;
    return true;
}

static bool read_status(const redisReply *answer, struct fz_register_status *ret)
{
    uint64_t seconds;
    uint64_t microseconds;
    struct fz_sentence s = fz_sentence_in(ret->incarnation, sizeof ret->incarnation);

    if (!read_number(answer->element[SECONDS], &seconds) || seconds > INT64_MAX / 1000000 ||
        !read_number(answer->element[MICROSECONDS], &microseconds) || microseconds > 999999)
        return false;
    for (size_t i = RUN_ID; i <= POLICY; i++) {
        if (!is_text(answer->element[i]) || answer->element[i]->len > SHA1_LEN)
            return false;
    }
    if (answer->element[RUN_ID]->len == 0 || answer->element[REPLICATION_ID]->len == 0)
        return false;
    ret->has_clock = true;
    ret->unix_ms = (int64_t)(seconds * 1000 + microseconds / 1000);
    fz_sentence_str(&s, answer->element[RUN_ID]->str);
    fz_sentence_char(&s, ':');
    fz_sentence_str(&s, answer->element[REPLICATION_ID]->str);
    return true;
}

/* ---- one call of the script --------------------------------------------------- */

static enum fz_register_result not_understood(struct redis_register *reg, const char *what, frazil_error *reterr)
{
    fz_fail(reterr, FRAZIL_EWORKER, "%s: %s in the key %q is not what frazil has written", reg->connection.shown, what,
            reg->key);
    return FZ_REGISTER_REFUSED;
}

/* The script ran; it tells what the server is before it does anything. */
static enum fz_register_result check_server(struct redis_register *reg, const redisReply *answer,
                                            struct fz_register_status *status, frazil_error *reterr)
{
    struct fz_register_status told;

    if (answer->type != REDIS_REPLY_ARRAY || answer->elements < RESULT || !read_status(answer, &told)) {
        fz_fail(reterr, FRAZIL_EWORKER, "%s: does not tell its time, run id and replication id as a Redis does",
                reg->connection.shown);
        return FZ_REGISTER_REFUSED;
    }
    if (answer->elements < ANSWER_LEN && strcmp(answer->element[ROLE]->str, "master") != 0) {
        fz_fail(reterr, FRAZIL_EAGAIN, "%s: is a replica: worker ids need its master", reg->connection.shown);
        fz_redis_connection_drop(&reg->connection);
        return FZ_REGISTER_UNREACHABLE;
    }
    if (answer->elements != ANSWER_LEN) {
        fz_fail(reterr, FRAZIL_EWORKER,
                "%s: evicts keys when its memory is full (maxmemory-policy %q), and with them worker ids in use: set "
                "noeviction, or a volatile-* policy",
                reg->connection.shown, answer->element[POLICY]->str);
        return FZ_REGISTER_REFUSED;
    }
    if (status != NULL)
        *status = told;
    return FZ_REGISTER_OK;
}

static bool is_error(const redisReply *reply, const char *word)
{
    return reply->type == REDIS_REPLY_ERROR && strncmp(reply->str, word, strlen(word)) == 0;
}

static void free_replies(redisReply **replies, size_t n)
{
    for (size_t i = 0; i < n; i++)
        freeReplyObject(replies[i]);
}

/* The script's call, by its name if the server has told it, else by its text. */
static void make_call(struct fz_redis_command *call, const struct redis_register *reg, bool by_name, const char *verb)
{
    call->argc = 0;
    fz_redis_add_text(call, by_name ? "EVALSHA" : "EVAL");
    fz_redis_add_text(call, by_name ? reg->sha1 : script);
    fz_redis_add_text(call, "1");
    fz_redis_add_text(call, reg->key);
    fz_redis_add_text(call, verb);
}

/* Asks for the script's name together with the first call of its text. */
static size_t add_naming(struct fz_redis_command *command, bool by_name)
{
    if (by_name)
        return 0;
    fz_redis_add_text(command, "SCRIPT");
    fz_redis_add_text(command, "LOAD");
    fz_redis_add_text(command, script);
    return 1;
}

static void note_name(struct redis_register *reg, const redisReply *reply)
{
    if (is_text(reply) && reply->len == SHA1_LEN)
        memcpy(reg->sha1, reply->str, SHA1_LEN + 1);
}

static size_t add_wait(struct fz_redis_command *command, const struct fz_redis_url *url, char replicas[24],
                       char timeout[24])
{
    struct fz_sentence n = fz_sentence_in(replicas, 24);
    struct fz_sentence ms = fz_sentence_in(timeout, 24);

    fz_sentence_u64(&n, url->wait_replicas);
    fz_sentence_u64(&ms, url->access.timeout_ms / 2 + 1); /* so that its own answer comes in time */
    fz_redis_add_text(command, "WAIT");
    fz_redis_add_text(command, replicas);
    fz_redis_add_text(command, timeout);
    return 1;
}

static bool has_written(const redisReply *answer)
{
    return answer->type == REDIS_REPLY_ARRAY && answer->elements == ANSWER_LEN && is_text(answer->element[RESULT]) &&
           strcmp(answer->element[RESULT]->str, "0") != 0;
}

/* Whether as many replicas have the write as are wanted.  It is done in any case, so the answer is not no. */
static enum fz_register_result check_wait(struct redis_register *reg, const redisReply *reply, frazil_error *reterr)
{
    long long wanted = reg->connection.url.wait_replicas;

    if (reply->type == REDIS_REPLY_INTEGER && reply->integer >= wanted)
        return FZ_REGISTER_OK;
    fz_fail(reterr, FRAZIL_EAGAIN, "%s: %d of the %d replicas that are wanted have the write", reg->connection.shown,
            (int64_t)(reply->type == REDIS_REPLY_INTEGER ? reply->integer : 0), (int64_t)wanted);
    return FZ_REGISTER_UNKNOWN;
}

/* One attempt.  *ret_answer is the script's reply, which may be an error. */
static enum fz_register_result call_once(struct redis_register *reg, const struct fz_redis_command *arguments,
                                         const char *verb, bool writes, redisReply **ret_answer, frazil_error *reterr)
{
    struct fz_redis_command commands[3] = {{.argc = 0}};
    redisReply *replies[3];
    char replicas[24];
    char timeout[24];
    bool by_name = reg->sha1[0] != '\0';
    bool waits = writes && reg->connection.url.wait_replicas > 0;

    make_call(&commands[0], reg, by_name, verb);
    for (int i = 0; i < arguments->argc; i++)
        fz_redis_add(&commands[0], arguments->argv[i], arguments->len[i]);
    size_t wait_at = 1;
    if (waits)
        add_wait(&commands[wait_at], &reg->connection.url, replicas, timeout);
    size_t name_at = wait_at + (waits ? 1 : 0);
    size_t n = name_at + add_naming(&commands[name_at], by_name);
    enum fz_register_result result = fz_redis_exchange(&reg->connection, commands, n, replies, reterr);
    if (result != FZ_REGISTER_OK)
        return result;
    if (!by_name)
        note_name(reg, replies[name_at]);
    if (waits && has_written(replies[0]))
        result = check_wait(reg, replies[wait_at], reterr);
    free_replies(replies + 1, n - 1);
    if (result == FZ_REGISTER_OK)
        *ret_answer = replies[0];
    else
        freeReplyObject(replies[0]);
    return result;
}

/* Calls the script; *ret_answer is complete (the caller frees it). */
static enum fz_register_result call(struct redis_register *reg, const struct fz_redis_command *arguments,
                                    const char *verb, bool writes, redisReply **ret_answer,
                                    struct fz_register_status *status, frazil_error *reterr)
{
    redisReply *answer = NULL;
    enum fz_register_result result = call_once(reg, arguments, verb, writes, &answer, reterr);

    if (result == FZ_REGISTER_OK && is_error(answer, "NOSCRIPT")) {
        freeReplyObject(answer);
        reg->sha1[0] = '\0';
        result = call_once(reg, arguments, verb, writes, &answer, reterr);
    }
    if (result != FZ_REGISTER_OK)
        return result;
    if (answer->type == REDIS_REPLY_ERROR)
        result = fz_redis_error_reply(&reg->connection, answer, reterr);
    else
        result = check_server(reg, answer, status, reterr);
    if (result == FZ_REGISTER_OK)
        *ret_answer = answer;
    else
        freeReplyObject(answer);
    return result;
}

/* ---- the port ------------------------------------------------------------------ */

static const char *field_of(uint32_t number, char buf[24])
{
    struct fz_sentence s = fz_sentence_in(buf, 24);

    if (number == FZ_NAMESPACE)
        return NAMESPACE_FIELD;
    fz_sentence_u64(&s, number);
    return buf;
}

static enum fz_register_result redis_read(void *ctx, uint32_t number, struct fz_record *ret,
                                          struct fz_register_status *status, frazil_error *reterr)
{
    struct redis_register *reg = ctx;
    struct fz_redis_command arguments = {.argc = 0};
    struct fz_record record = {.version = 0};
    redisReply *answer;
    char buf[24];

    fz_redis_add_text(&arguments, field_of(number, buf));
    enum fz_register_result result = call(reg, &arguments, "get", false, &answer, status, reterr);
    if (result != FZ_REGISTER_OK)
        return result;
    const redisReply *found = answer->element[RESULT];
    if (!is_text(found) || (found->len > 0 && !read_record(found->str, (size_t)found->len, &record)))
        result = not_understood(reg, field_of(number, buf), reterr);
    else
        *ret = record;
    freeReplyObject(answer);
    return result;
}

static enum fz_register_result visit_all(struct redis_register *reg, const redisReply *found, fz_record_visitor visit,
                                         void *visit_ctx, frazil_error *reterr)
{
    if (found->type != REDIS_REPLY_ARRAY || found->elements % 2 != 0)
        return not_understood(reg, "what stands", reterr);
    for (size_t i = 0; i < found->elements; i += 2) {
        const redisReply *field = found->element[i];
        const redisReply *value = found->element[i + 1];
        struct fz_record record = {.version = 0};
        uint32_t number;
        if (!read_field(field, &number))
            return not_understood(reg, "a field", reterr);
        bool readable = is_text(value) && read_record(value->str, (size_t)value->len, &record);
        if (!readable && number == FZ_NAMESPACE)
            return not_understood(reg, field->str, reterr);
        if (!readable)
            record = (struct fz_record){.version = 1}; /* damaged: shown, so that it is not taken for a free one */
        visit(visit_ctx, number, &record);
    }
    return FZ_REGISTER_OK;
}

static enum fz_register_result redis_read_all(void *ctx, fz_record_visitor visit, void *visit_ctx,
                                              struct fz_register_status *status, frazil_error *reterr)
{
    struct redis_register *reg = ctx;
    struct fz_redis_command arguments = {.argc = 0};
    redisReply *answer;
    enum fz_register_result result = call(reg, &arguments, "all", false, &answer, status, reterr);

    if (result != FZ_REGISTER_OK)
        return result;
    result = visit_all(reg, answer->element[RESULT], visit, visit_ctx, reterr);
    freeReplyObject(answer);
    return result;
}

static enum fz_register_result redis_swap(void *ctx, uint32_t number, uint64_t expected, const char *data, size_t len,
                                          uint64_t *ret_version, struct fz_register_status *status,
                                          frazil_error *reterr)
{
    struct redis_register *reg = ctx;
    struct fz_redis_command arguments = {.argc = 0};
    redisReply *answer;
    uint64_t version;
    char field[24];
    char digits[24];
    struct fz_sentence s = fz_sentence_in(digits, sizeof digits);

    assert(len <= FZ_RECORD_SIZE_MAX);
    fz_sentence_u64(&s, expected);
    fz_redis_add_text(&arguments, field_of(number, field));
    fz_redis_add_text(&arguments, digits);
    fz_redis_add(&arguments, data, len);
    enum fz_register_result result = call(reg, &arguments, "swap", true, &answer, status, reterr);
    if (result != FZ_REGISTER_OK)
        return result;
    if (!read_number(answer->element[RESULT], &version) || (version != 0 && version <= expected)) {
        (void)not_understood(reg, "an answer about what stands", reterr);
        result = FZ_REGISTER_UNKNOWN; /* it may have been done */
    } else if (version == 0)
        result = FZ_REGISTER_CONFLICT;
    else
        *ret_version = version;
    freeReplyObject(answer);
    return result;
}

static enum fz_register_result redis_examine(void *ctx, fz_finding_visitor visit, void *visit_ctx, frazil_error *reterr)
{
    struct redis_register *reg = ctx;

    return fz_redis_examine(&reg->connection, visit, visit_ctx, reterr);
}

static void redis_after_fork(void *ctx)
{
    struct redis_register *reg = ctx;

    fz_redis_connection_drop(&reg->connection);
}

static void redis_close(void *ctx)
{
    struct redis_register *reg = ctx;

    fz_redis_connection_stop(&reg->connection);
    free(reg);
}

const char *fz_redis_register_namespace(const struct fz_register *reg)
{
    const struct redis_register *redis = reg->ctx;

    assert(reg->close == redis_close);
    return redis->connection.url.name;
}

frazil_err fz_redis_register_open(struct fz_register *ret, const char *url, frazil_error *reterr)
{
    struct fz_redis_url parsed;
    frazil_err err = fz_redis_url_parse(url, &parsed, reterr);

    if (err != FRAZIL_OK)
        return err;
    if (parsed.tls) {
        memset(&parsed, 0, sizeof parsed);
        return fz_fail(reterr, FRAZIL_ENOTBUILT,
                       "rediss:// asks for TLS, and this frazil was built with a hiredis (%u.%u.%u) without it: use "
                       "redis:// through a tunnel, or redis+unix://",
                       (uint64_t)HIREDIS_MAJOR, (uint64_t)HIREDIS_MINOR, (uint64_t)HIREDIS_PATCH);
    }
    struct redis_register *reg = calloc(1, sizeof *reg);
    if (reg == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "no memory for a connection to Redis");
    fz_redis_connection_start(&reg->connection, &parsed);
    memset(&parsed, 0, sizeof parsed);
    struct fz_sentence key = fz_sentence_in(reg->key, sizeof reg->key);
    fz_sentence_str(&key, KEY_PREFIX);
    fz_sentence_str(&key, reg->connection.url.name);
    *ret = (struct fz_register){.ctx = reg,
                                .register_class = FZ_REGISTER_ASYNCHRONOUS,
                                .read = redis_read,
                                .read_all = redis_read_all,
                                .swap = redis_swap,
                                .examine = redis_examine,
                                .after_fork = redis_after_fork,
                                .close = redis_close};
    return FRAZIL_OK;
}
