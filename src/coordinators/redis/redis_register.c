/* SPDX-License-Identifier: MIT */
#include "redis_register.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/sentence.h"
#include "lease/record_text.h"
#include "redis_connection.h"
#include "redis_script.h"

#define KEY_PREFIX "frazil:lease:"

/*
 * KEYS[1] the hash; ARGV: what to do, for get and swap the field, for many the
 * fields with spaces between, for swap also the version expected and the data.  The write comes last, so that a script
 * that fails has changed nothing.
 */
static const char script_text[] =
    FZ_REDIS_TOLD "local time = redis.call('TIME')\n"
                  "local replication = redis.call('INFO', 'replication')\n"
                  "local policy = told(redis.call('INFO', 'memory'), 'maxmemory_policy')\n"
                  "local answer = {time[1], time[2], told(redis.call('INFO', 'server'), 'run_id'),\n"
                  "    told(replication, 'master_replid'), told(replication, 'role'), policy}\n"
                  "if answer[5] ~= 'master' or string.sub(policy, 1, 8) == 'allkeys-' then return answer end\n"
                  "if ARGV[1] == 'all' then answer[7] = redis.call('HGETALL', KEYS[1]) return answer end\n"
                  "if ARGV[1] == 'many' then\n"
                  "    answer[7] = {}\n"
                  "    for field in string.gmatch(ARGV[2], '%w+') do\n"
                  "        local value = redis.call('HGET', KEYS[1], field)\n"
                  "        if value then table.insert(answer[7], field) table.insert(answer[7], value) end\n"
                  "    end\n"
                  "    return answer\n"
                  "end\n"
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

enum { KEY_SIZE = sizeof KEY_PREFIX + FZ_URL_NAMESPACE_SIZE };

struct redis_register {
    struct fz_redis_connection connection;
    char key[KEY_SIZE];
    struct fz_redis_script script;
};

/* ---- strict readings of replies --------------------------------------------- */

/* A name that Redis gives to itself: it becomes part of an incarnation, and of records. */
static bool is_hex(const redisReply *reply)
{
    return reply->len > 0 && strspn(reply->str, "0123456789abcdef") == reply->len;
}

static bool read_status(const redisReply *answer, struct fz_register_status *ret)
{
    uint64_t seconds;
    uint64_t microseconds;
    struct fz_sentence s = fz_sentence_in(ret->incarnation, sizeof ret->incarnation);

    if (!fz_redis_read_u64(answer->element[SECONDS], &seconds) || seconds > INT64_MAX / 1000000 ||
        !fz_redis_read_u64(answer->element[MICROSECONDS], &microseconds) || microseconds > 999999)
        return false;
    for (size_t i = RUN_ID; i <= POLICY; i++) {
        if (!fz_redis_is_text(answer->element[i]) || answer->element[i]->len > FZ_REDIS_SHA1_LEN)
            return false;
    }
    if (!is_hex(answer->element[RUN_ID]) || !is_hex(answer->element[REPLICATION_ID]))
        return false;
    ret->has_clock = true;
    ret->clock_width_ms = 0;
    ret->unix_ms = (int64_t)(seconds * 1000 + microseconds / 1000);
    fz_sentence_str(&s, answer->element[RUN_ID]->str);
    fz_sentence_char(&s, ':');
    fz_sentence_str(&s, answer->element[REPLICATION_ID]->str);
    return true;
}

/* ---- one call of the script --------------------------------------------------- */

static enum fz_register_result not_understood(struct redis_register *reg, const char *what, frazil_error *reterr)
{
    fz_fail(reterr, FRAZIL_ENAMESPACE, "%s: %s in the key %q was not written by frazil", reg->connection.shown, what,
            reg->key);
    return FZ_REGISTER_REFUSED;
}

/* The script ran; it tells what the server is before it does anything. */
static enum fz_register_result check_server(struct redis_register *reg, const redisReply *answer,
                                            struct fz_register_status *status, frazil_error *reterr)
{
    struct fz_register_status told;

    if (answer->type != REDIS_REPLY_ARRAY || answer->elements < RESULT || !read_status(answer, &told)) {
        fz_fail(reterr, FRAZIL_EREFUSED, "%s: does not report its time, run id and replication id, as a Redis does",
                reg->connection.shown);
        return FZ_REGISTER_REFUSED;
    }
    if (answer->elements < ANSWER_LEN && strcmp(answer->element[ROLE]->str, "master") != 0) {
        fz_fail(reterr, FRAZIL_EREFUSED, "%s: is a replica: worker ids need its master", reg->connection.shown);
        fz_session_drop(&reg->connection.session);
        return FZ_REGISTER_UNREACHABLE;
    }
    if (answer->elements != ANSWER_LEN) {
        fz_fail(reterr, FRAZIL_EREFUSED,
                "%s: evicts keys when its memory is full (maxmemory-policy %q), and with them worker ids in use: set "
                "noeviction, or a volatile-* policy",
                reg->connection.shown, answer->element[POLICY]->str);
        return FZ_REGISTER_REFUSED;
    }
    if (status != NULL)
        *status = told;
    return FZ_REGISTER_OK;
}

static bool has_written(const redisReply *answer)
{
    return answer->type == REDIS_REPLY_ARRAY && answer->elements == ANSWER_LEN &&
           fz_redis_is_text(answer->element[RESULT]) && strcmp(answer->element[RESULT]->str, "0") != 0;
}

/* Calls the script; *ret_answer is complete (the caller frees it). */
static enum fz_register_result call(struct redis_register *reg, const struct fz_redis_call *arguments, bool writes,
                                    redisReply **ret_answer, struct fz_register_status *status, frazil_error *reterr)
{
    redisReply *answer;
    enum fz_register_result result =
        fz_redis_call_script(&reg->connection, &reg->script, arguments, writes ? has_written : NULL, &answer, reterr);

    if (result != FZ_REGISTER_OK)
        return result;
    result = check_server(reg, answer, status, reterr);
    if (result == FZ_REGISTER_OK)
        *ret_answer = answer;
    else
        freeReplyObject(answer);
    return result;
}

/* ---- the port ------------------------------------------------------------------ */

static enum fz_register_result redis_read(void *ctx, struct fz_deadline deadline, uint32_t number,
                                          struct fz_record *ret, struct fz_register_status *status,
                                          frazil_error *reterr)
{
    struct redis_register *reg = ctx;
    struct fz_redis_call arguments;
    struct fz_record record = {.version = 0};
    redisReply *answer;
    char field[FZ_RECORD_NAME_SIZE];

    fz_record_name_write(number, field);
    fz_redis_call_begin(&arguments, reg->key, "get", deadline);
    fz_redis_call_text(&arguments, field);
    enum fz_register_result result = call(reg, &arguments, false, &answer, status, reterr);
    if (result != FZ_REGISTER_OK)
        return result;
    const redisReply *found = answer->element[RESULT];
    if (!fz_redis_is_text(found) || (found->len > 0 && !fz_record_text_read(found->str, (size_t)found->len, &record)))
        result = not_understood(reg, field, reterr);
    else
        *ret = record;
    freeReplyObject(answer);
    return result;
}

/* Shows the records in an array of fields and values. */
static enum fz_register_result visit_fields(struct redis_register *reg, const redisReply *found,
                                            fz_record_visitor visit, void *visit_ctx, frazil_error *reterr)
{
    if (found->type != REDIS_REPLY_ARRAY || found->elements % 2 != 0)
        return not_understood(reg, "a record", reterr);
    for (size_t i = 0; i < found->elements; i += 2) {
        const redisReply *field = found->element[i];
        const redisReply *value = found->element[i + 1];
        struct fz_record record = {.version = 0};
        uint32_t number;
        if (!fz_redis_is_text(field) || !fz_record_name_read(field->str, (size_t)field->len, &number))
            return not_understood(reg, "a field", reterr);
        bool readable = fz_redis_is_text(value) && fz_record_text_read(value->str, (size_t)value->len, &record);
        if (!readable && number == FZ_NAMESPACE)
            return not_understood(reg, field->str, reterr);
        if (!readable)
            record = (struct fz_record){.version = 1}; /* damaged: shown, so that it is not taken for a free one */
        visit(visit_ctx, number, &record);
    }
    return FZ_REGISTER_OK;
}

static enum fz_register_result read_several(struct redis_register *reg, const struct fz_redis_call *arguments,
                                            fz_record_visitor visit, void *visit_ctx, struct fz_register_status *status,
                                            frazil_error *reterr)
{
    redisReply *answer;
    enum fz_register_result result = call(reg, arguments, false, &answer, status, reterr);

    if (result != FZ_REGISTER_OK)
        return result;
    result = visit_fields(reg, answer->element[RESULT], visit, visit_ctx, reterr);
    freeReplyObject(answer);
    return result;
}

static enum fz_register_result redis_read_all(void *ctx, struct fz_deadline deadline, fz_record_visitor visit,
                                              void *visit_ctx, struct fz_register_status *status, frazil_error *reterr)
{
    struct redis_register *reg = ctx;
    struct fz_redis_call arguments;

    fz_redis_call_begin(&arguments, reg->key, "all", deadline);
    return read_several(reg, &arguments, visit, visit_ctx, status, reterr);
}

static enum fz_register_result redis_read_many(void *ctx, struct fz_deadline deadline, const uint32_t *numbers,
                                               size_t n, size_t whole, fz_record_visitor visit, void *visit_ctx,
                                               struct fz_register_status *status, frazil_error *reterr)
{
    struct redis_register *reg = ctx;
    struct fz_redis_call arguments;
    char text[FZ_READ_MANY_MAX * FZ_RECORD_NAME_SIZE];
    struct fz_sentence fields = fz_sentence_in(text, sizeof text);

    (void)whole;
    assert(n >= 1 && n <= FZ_READ_MANY_MAX);
    for (size_t i = 0; i < n; i++) {
        char field[FZ_RECORD_NAME_SIZE];
        fz_record_name_write(numbers[i], field);
        fz_sentence_str(&fields, i == 0 ? "" : " ");
        fz_sentence_str(&fields, field);
    }
    fz_redis_call_begin(&arguments, reg->key, "many", deadline);
    fz_redis_call_text(&arguments, text);
    return read_several(reg, &arguments, visit, visit_ctx, status, reterr);
}

static enum fz_register_result redis_swap(void *ctx, struct fz_deadline deadline, const struct fz_swap *swap,
                                          uint64_t *ret_version, struct fz_register_status *status,
                                          frazil_error *reterr)
{
    struct redis_register *reg = ctx;
    struct fz_redis_call arguments;
    redisReply *answer;
    uint64_t version;
    char field[FZ_RECORD_NAME_SIZE];

    assert(swap->len <= FZ_RECORD_SIZE_MAX);
    fz_record_name_write(swap->number, field);
    fz_redis_call_begin(&arguments, reg->key, "swap", deadline);
    fz_redis_call_text(&arguments, field);
    fz_redis_call_u64(&arguments, swap->expected);
    fz_redis_call_bytes(&arguments, swap->data, swap->len);
    enum fz_register_result result = call(reg, &arguments, true, &answer, status, reterr);
    if (result != FZ_REGISTER_OK)
        return result;
    if (!fz_redis_read_u64(answer->element[RESULT], &version) || (version != 0 && version <= swap->expected)) {
        (void)not_understood(reg, "a reply about a record", reterr);
        result = FZ_REGISTER_UNKNOWN; /* it may have been done */
    } else if (version == 0)
        result = FZ_REGISTER_CONFLICT;
    else
        *ret_version = version;
    freeReplyObject(answer);
    return result;
}

static enum fz_register_result redis_diagnose(void *ctx, struct fz_deadline deadline, fz_finding_visitor visit,
                                              void *visit_ctx, frazil_error *reterr)
{
    struct redis_register *reg = ctx;
    const struct fz_redis_write write = {.command = "HSET", .key = reg->key};

    enum fz_register_result result = fz_redis_diagnose(&reg->connection, false, deadline, visit, visit_ctx, reterr);
    if (result == FZ_REGISTER_OK)
        result = fz_redis_diagnose_writes(&reg->connection, &write, 1, deadline, visit, visit_ctx, reterr);
    return result;
}

static void redis_after_fork(void *ctx)
{
    struct redis_register *reg = ctx;

    fz_session_abandon(&reg->connection.session);
}

static void redis_close(void *ctx)
{
    struct redis_register *reg = ctx;

    fz_redis_connection_stop(&reg->connection);
    free(reg);
}

frazil_err fz_redis_register_open(const char *url, struct fz_register *ret, char *ret_name, frazil_error *reterr)
{
    struct redis_register *reg = calloc(1, sizeof *reg);

    if (reg == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "no memory for a connection to Redis");
    frazil_err err = fz_redis_connection_open(&reg->connection, url, reterr);
    if (err == FRAZIL_OK) {
        err = fz_redis_url_check_namespace(reg->connection.url.common.name, reterr);
        if (err != FRAZIL_OK)
            fz_redis_connection_stop(&reg->connection);
    }
    if (err != FRAZIL_OK) {
        free(reg);
        return err;
    }
    fz_redis_script_start(&reg->script, script_text);
    struct fz_sentence key = fz_sentence_in(reg->key, sizeof reg->key);
    fz_sentence_str(&key, KEY_PREFIX);
    fz_sentence_str(&key, reg->connection.url.common.name);
    memcpy(ret_name, reg->connection.url.common.name, sizeof reg->connection.url.common.name);
    *ret = (struct fz_register){.ctx = reg,
                                .register_class = FZ_REGISTER_ASYNCHRONOUS,
                                .read = redis_read,
                                .read_all = redis_read_all,
                                .read_many = redis_read_many,
                                .swap = redis_swap,
                                .diagnose = redis_diagnose,
                                .after_fork = redis_after_fork,
                                .close = redis_close};
    return FRAZIL_OK;
}
