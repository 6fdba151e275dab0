/* SPDX-License-Identifier: MIT */
/*
 * Examines a Redis before worker ids come from it: what it is, and what it does with its
 * data when its memory is full, when it stops, and when a replica takes over.
 */
#include "redis_connection.h"

#include <string.h>

#include "core/decimal.h"
#include "core/now.h"
#include "core/sentence.h"
#include "lease/report.h"
#include "redis_script.h"
#include "redis_slots.h"

/* The first one in which a script may write after it has asked for the time. */
enum { VERSION_MIN = 5 };

enum { INFO, SAVE, APPENDFSYNC, MIN_REPLICAS, COMMANDS };

static const char *const commands[COMMANDS][3] = {
    {"INFO"}, {"CONFIG", "GET", "save"}, {"CONFIG", "GET", "appendfsync"}, {"CONFIG", "GET", "min-*-to-write"}};

/* Bytes of one value that is shown. */
enum { VALUE_SIZE = 64 };

struct diagnosis {
    const struct fz_redis_connection *connection;
    redisReply *replies[COMMANDS];
    bool keys_expire;
    bool config_known; /* CONFIG GET was answered */
    struct fz_report report;
};

/* ---- reading the answers ----------------------------------------------------- */

/* The value of a line "KEY:VALUE" of INFO; empty if there is none. */
static void info_of(const struct diagnosis *diagnosis, const char *key, char ret[VALUE_SIZE])
{
    const char *line = diagnosis->replies[INFO]->str;
    size_t key_len = strlen(key);

    ret[0] = '\0';
    while (line != NULL && *line != '\0') {
        if (strncmp(line, key, key_len) == 0 && line[key_len] == ':') {
            size_t len = strcspn(line + key_len + 1, "\r\n");
            len = len < VALUE_SIZE ? len : VALUE_SIZE - 1;
            memcpy(ret, line + key_len + 1, len);
            ret[len] = '\0';
            return;
        }
        line = strchr(line, '\n');
        line = line == NULL ? NULL : line + 1;
    }
}

static bool info_is(const struct diagnosis *diagnosis, const char *key, const char *value)
{
    char found[VALUE_SIZE];

    info_of(diagnosis, key, found);
    return strcmp(found, value) == 0;
}

/* 0 for what is no number. */
static uint64_t info_number(const struct diagnosis *diagnosis, const char *key)
{
    char found[VALUE_SIZE];
    uint64_t number = 0;

    info_of(diagnosis, key, found);
    (void)fz_decimal_parse(found, strlen(found), &number);
    return number;
}

/* A setting from its own reply, which is of "name", "value"; empty if it is not known. */
static const char *setting(const struct diagnosis *diagnosis, int which)
{
    const redisReply *reply = diagnosis->replies[which];

    if (reply->type != REDIS_REPLY_ARRAY || reply->elements < 2 || reply->element[1]->type != REDIS_REPLY_STRING)
        return "";
    return reply->element[1]->str;
}

/* ---- saying it ----------------------------------------------------------------- */

static void say_version(const struct diagnosis *diagnosis)
{
    char version[VALUE_SIZE];
    uint64_t major = 0;

    info_of(diagnosis, "redis_version", version);
    bool known = fz_decimal_parse(version, strcspn(version, "."), &major);
    if (known && major >= VERSION_MIN)
        fz_report_say(&diagnosis->report, FZ_FINDING_OK, "version: %q", version);
    else
        fz_report_say(&diagnosis->report, FZ_FINDING_FAIL,
                      "version: %q: its scripts lack required functions: use 5.0 or later", version);
    if (info_is(diagnosis, "redis_mode", "cluster"))
        fz_report_say(&diagnosis->report, FZ_FINDING_WARN,
                      "a node of a cluster: frazil follows no redirections: name the node that has the namespace's "
                      "hash slot, or use a separate Redis");
}

static void say_role(const struct diagnosis *diagnosis)
{
    if (info_is(diagnosis, "role", "master"))
        fz_report_say(&diagnosis->report, FZ_FINDING_OK, "role: master");
    else
        fz_report_say(&diagnosis->report, FZ_FINDING_FAIL, "role: a replica: its master is needed");
}

static void say_memory(const struct diagnosis *diagnosis)
{
    char policy[VALUE_SIZE];
    uint64_t max = info_number(diagnosis, "maxmemory");
    /* Redis itself leaves the latter out when it compares; versions before 4.0 do not tell it. */
    uint64_t used = info_number(diagnosis, "used_memory");
    uint64_t spared = info_number(diagnosis, "mem_not_counted_for_evict");

    used -= spared < used ? spared : used;
    info_of(diagnosis, "maxmemory_policy", policy);
    bool spares_leases = strncmp(policy, "volatile-", 9) == 0;
    if (strncmp(policy, "allkeys-", 8) == 0 || (spares_leases && max != 0 && diagnosis->keys_expire))
        fz_report_say(
            &diagnosis->report, FZ_FINDING_FAIL,
            "eviction: maxmemory-policy %q evicts keys in use when memory is full, and is refused: set noeviction",
            policy);
    else if (spares_leases && max != 0)
        fz_report_say(&diagnosis->report, FZ_FINDING_WARN,
                      "eviction: maxmemory-policy %q spares leases, which have no expiry, but not the keys of sfid and "
                      "konayuki, which have one: set "
                      "noeviction",
                      policy);
    else
        fz_report_say(&diagnosis->report, FZ_FINDING_OK, "eviction: maxmemory-policy %q%s", policy,
                      max == 0 ? ", and no maxmemory" : "");
    if (max != 0 && used >= max)
        fz_report_say(&diagnosis->report, FZ_FINDING_FAIL,
                      "memory: maxmemory is used up: nothing can be granted: raise it, or remove other keys");
    else if (max != 0 && used / 9 >= max / 10)
        fz_report_say(&diagnosis->report, FZ_FINDING_WARN,
                      "memory: nine tenths of maxmemory are in use: when it is full nothing can be granted: raise it");
}

static void say_persistence(const struct diagnosis *diagnosis)
{
    bool saves = !diagnosis->config_known || setting(diagnosis, SAVE)[0] != '\0';

    if (info_is(diagnosis, "aof_last_write_status", "err") || info_is(diagnosis, "rdb_last_bgsave_status", "err"))
        fz_report_say(&diagnosis->report, FZ_FINDING_FAIL, "persistence: the last save to disk failed: see its log");
    if (info_is(diagnosis, "aof_enabled", "1"))
        fz_report_say(&diagnosis->report, FZ_FINDING_OK, "persistence: appendonly, appendfsync %q",
                      setting(diagnosis, APPENDFSYNC));
    else if (saves)
        fz_report_say(&diagnosis->report, FZ_FINDING_WARN,
                      "persistence: snapshots only: a crash takes it back to the last one, which may predate the "
                      "namespace: set appendonly yes");
    else
        fz_report_say(&diagnosis->report, FZ_FINDING_WARN,
                      "persistence: none: each restart loses the namespace, and no ids are issued until it is created "
                      "again: set appendonly yes");
}

/*
 * Two masters on both sides of a network partition, each with so many replicas of its own, can both acknowledge, unless
 * that many are at least half of all.
 */
static void say_fence(const struct diagnosis *diagnosis, uint64_t replicas, uint64_t by_url, uint64_t by_setting)
{
    uint64_t needed = replicas / 2 + replicas % 2;

    if (by_url >= needed || by_setting >= needed)
        fz_report_say(&diagnosis->report, FZ_FINDING_OK, "replication: replicas: '%u'%s", replicas,
                      by_url >= needed ? "; a grant waits for them" : "; writes need some of them");
    else if (by_url == 0 && by_setting == 0)
        fz_report_say(&diagnosis->report, FZ_FINDING_WARN,
                      "replication: replicas: '%u'; one that is promoted in a network partition grants the same worker "
                      "ids as the old master: set min-replicas-to-write %u, or put wait=%u into the URL",
                      replicas, needed, needed);
    else
        fz_report_say(&diagnosis->report, FZ_FINDING_WARN,
                      "replication: replicas: '%u', and writes need %u of them: in a network partition two masters can "
                      "have that many each, and grant the same worker ids. Let writes need half of the replicas: set "
                      "min-replicas-to-write %u, or put wait=%u into the URL",
                      replicas, by_url > by_setting ? by_url : by_setting, needed, needed);
}

static void say_replication(const struct diagnosis *diagnosis)
{
    const char *wanted = setting(diagnosis, MIN_REPLICAS);
    uint64_t replicas = info_number(diagnosis, "connected_slaves");
    uint64_t by_url = diagnosis->connection->url.wait_replicas;
    uint64_t by_setting = 0;
    char good[VALUE_SIZE];

    info_of(diagnosis, "min_slaves_good_slaves", good);
    bool is_known = fz_decimal_parse(wanted, strlen(wanted), &by_setting);
    /* If CONFIG GET is not answered: INFO counts the good ones only where some are needed. */
    if (good[0] != '\0' && info_number(diagnosis, "min_slaves_good_slaves") < (is_known ? by_setting : 1))
        fz_report_say(
            &diagnosis->report, FZ_FINDING_FAIL,
            "replication: replicas that keep up: %q, and min-replicas-to-write needs more: nothing is granted "
            "without them",
            good);
    else if (replicas < by_url)
        fz_report_say(&diagnosis->report, FZ_FINDING_FAIL,
                      "replication: replicas: '%u', and wait=%u of the URL needs more: nothing is granted without them",
                      replicas, by_url);
    else if (replicas == 0)
        fz_report_say(&diagnosis->report, FZ_FINDING_OK, "replication: no replica");
    else
        say_fence(diagnosis, replicas, by_url, by_setting);
}

static void say_all(struct diagnosis *diagnosis)
{
    diagnosis->config_known = diagnosis->replies[SAVE]->type == REDIS_REPLY_ARRAY;
    say_version(diagnosis);
    say_role(diagnosis);
    say_memory(diagnosis);
    say_persistence(diagnosis);
    say_replication(diagnosis);
    if (!diagnosis->config_known)
        fz_report_say(&diagnosis->report, FZ_FINDING_WARN,
                      "this user may not run CONFIG GET: persistence and replication settings are unknown");
}

enum fz_register_result fz_redis_diagnose(struct fz_redis_connection *connection, bool keys_expire,
                                          struct fz_deadline deadline, fz_finding_visitor visit, void *ctx,
                                          frazil_error *reterr)
{
    struct diagnosis diagnosis = {.connection = connection, .keys_expire = keys_expire, .report = {visit, ctx}};
    const struct fz_allowance allowance = fz_session_allowance(&connection->session, deadline);
    struct fz_redis_command asked[COMMANDS] = {{.argc = 0}};

    for (size_t i = 0; i < COMMANDS; i++) {
        for (size_t word = 0; word < 3 && commands[i][word] != NULL; word++)
            fz_redis_add_text(&asked[i], commands[i][word]);
    }
    enum fz_register_result result =
        fz_redis_exchange(connection, asked, COMMANDS, diagnosis.replies, &allowance, reterr);
    if (result != FZ_REGISTER_OK)
        return result;
    if (diagnosis.replies[INFO]->type == REDIS_REPLY_ERROR) {
        result = fz_redis_error_reply(connection, diagnosis.replies[INFO], reterr);
    } else if (diagnosis.replies[INFO]->type != REDIS_REPLY_STRING) {
        fz_fail(reterr, FRAZIL_EREFUSED, "%s: does not answer INFO as a Redis does", connection->shown);
        result = FZ_REGISTER_REFUSED;
    } else {
        say_all(&diagnosis);
    }
    for (size_t i = 0; i < COMMANDS; i++)
        freeReplyObject(diagnosis.replies[i]);
    return result;
}

/* ---- writing ---------------------------------------------------------------------- */

/*
 * Writes nothing: HSET counts these arguments, SET knows no such option, and all others want a number.  Each looks at
 * them after Redis has looked at the user's rights, at the replicas and at memory and disk.
 */
static const char try_text[] = "if ARGV[2] == 'HSET' or ARGV[2] == 'SET' then\n"
                               "    return redis.pcall(ARGV[2], KEYS[1], 'x', 'x', 'x').err or ''\n"
                               "end\n"
                               "return redis.pcall(ARGV[2], KEYS[1], 'x').err or ''\n";

static bool is_of_arguments(const char *why)
{
    static const char *const words[] = {"wrong number of arguments", "syntax error", "not an integer"};
    bool found = false;

    for (size_t i = 0; i < sizeof words / sizeof words[0] && !found; i++)
        found = strstr(why, words[i]) != NULL;
    return found;
}

/* Says why this one is refused, if it is. */
static enum fz_register_result try_write(struct fz_redis_connection *connection, const struct fz_redis_write *write,
                                         struct fz_deadline deadline, const struct fz_report *report, bool *ret_allowed,
                                         frazil_error *reterr)
{
    struct fz_redis_script script;
    struct fz_redis_call call;
    redisReply *answer;
    char said[FZ_SAID_SIZE];

    fz_redis_script_start(&script, try_text);
    fz_redis_call_begin(&call, write->key, "try", deadline);
    fz_redis_call_text(&call, write->command);
    enum fz_register_result result = fz_redis_call_script(connection, &script, &call, NULL, &answer, reterr);
    if (result != FZ_REGISTER_OK)
        return result;
    const char *why = fz_redis_is_text(answer) ? answer->str : "";
    *ret_allowed = is_of_arguments(why);
    if (!*ret_allowed)
        fz_report_say(report, FZ_FINDING_FAIL, "writes: refused, so that nothing can be granted: %s of %q: %q",
                      write->command, write->key,
                      fz_said(why, strlen(why), connection->url.common.access.password, said));
    freeReplyObject(answer);
    return FZ_REGISTER_OK;
}

enum fz_register_result fz_redis_diagnose_writes(struct fz_redis_connection *connection,
                                                 const struct fz_redis_write *writes, size_t n,
                                                 struct fz_deadline deadline, fz_finding_visitor visit, void *ctx,
                                                 frazil_error *reterr)
{
    const struct fz_report report = {visit, ctx};
    bool is_allowed = true;

    for (size_t i = 0; i < n && is_allowed; i++) {
        enum fz_register_result result = try_write(connection, &writes[i], deadline, &report, &is_allowed, reterr);
        if (result != FZ_REGISTER_OK)
            return result;
    }
    if (is_allowed)
        fz_report_say(&report, FZ_FINDING_OK, "writes: allowed");
    return FZ_REGISTER_OK;
}

/* ---- slots ------------------------------------------------------------------------ */

/* Reads what TIME answers: whole seconds, and microseconds. */
static bool read_time(const redisReply *reply, uint64_t *ret_ms)
{
    uint64_t seconds = 0;
    uint64_t micros = 0;

    if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 2 || !fz_redis_read_u64(reply->element[0], &seconds) ||
        !fz_redis_read_u64(reply->element[1], &micros) || seconds > INT64_MAX / 2000)
        return false;
    *ret_ms = seconds * 1000 + micros / 1000;
    return true;
}

static enum fz_register_result compare_clocks(struct fz_redis_connection *connection, const frazil_clock *clock,
                                              const struct fz_report *report, frazil_error *reterr)
{
    const struct fz_allowance allowance = fz_session_allowance(&connection->session, FZ_DEADLINE_NONE);
    struct fz_redis_command time = {.argc = 0};
    redisReply *reply;
    uint64_t there_ms = 0;

    fz_redis_add_text(&time, "TIME");
    int64_t before_ms = fz_now(clock).unix_ms;
    enum fz_register_result result = fz_redis_exchange(connection, &time, 1, &reply, &allowance, reterr);
    if (result != FZ_REGISTER_OK)
        return result;
    if (reply->type == REDIS_REPLY_ERROR)
        result = fz_redis_error_reply(connection, reply, reterr);
    else if (read_time(reply, &there_ms))
        fz_report_skew(report, (struct fz_clock_bounds){before_ms, fz_now(clock).unix_ms},
                       (struct fz_clock_bounds){(int64_t)there_ms, (int64_t)there_ms});
    freeReplyObject(reply);
    return result;
}

static enum fz_register_result try_slots(struct fz_redis_connection *connection,
                                         const struct fz_redis_slots_place *place, const struct fz_report *report,
                                         frazil_error *reterr)
{
    char key_text[FZ_REDIS_SLOTS_KEY_SIZE];
    struct fz_sentence key = fz_sentence_in(key_text, sizeof key_text);
    const struct fz_redis_write writes[] = {{place->commands[0], key_text}, {place->commands[1], key_text}};
    size_t n = place->commands[1] == NULL ? 1 : 2;

    fz_sentence_str(&key, place->before);
    fz_sentence_str(&key, connection->url.common.name);
    fz_sentence_str(&key, place->behind);
    return fz_redis_diagnose_writes(connection, writes, n, FZ_DEADLINE_NONE, report->visit, report->ctx, reterr);
}

frazil_err fz_redis_diagnose_slots(const char *url, const struct fz_redis_slots_place *place, const frazil_clock *clock,
                                   fz_finding_visitor visit, void *ctx, frazil_error *reterr)
{
    const struct fz_report report = {visit, ctx};
    struct fz_redis_connection connection;
    frazil_error said = {.message = ""};

    frazil_err err = fz_redis_connection_open(&connection, url, reterr);
    if (err != FRAZIL_OK)
        return err;
    enum fz_register_result result =
        fz_redis_diagnose(&connection, place->keys_expire, FZ_DEADLINE_NONE, visit, ctx, &said);
    if (result == FZ_REGISTER_OK) /* it is connected, so this one takes no longer than it must */
        result = compare_clocks(&connection, clock, &report, &said);
    if (result == FZ_REGISTER_OK)
        result = try_slots(&connection, place, &report, &said);
    if (result != FZ_REGISTER_OK)
        fz_report_failure(&report, result, &said);
    fz_redis_connection_stop(&connection);
    return FRAZIL_OK;
}
