/* SPDX-License-Identifier: MIT */
/*
 * A register in etcd 3.4 or later, through its JSON gateway: a key for each record,
 * "frazil/lease/NAMESPACE/NUMBER", whose value is "VERSION DATA".  A swap is one
 * transaction.
 *
 * Versions are microseconds since 1970 by the swapping process's clock, made to grow with each
 * swap; they need only be new, and no clock decides about anything.  etcd's own
 * revisions would come back: they begin again at 1 in a cluster that was wiped, and go
 * on from where a backup was made in one that was restored.
 *
 * The incarnation is the cluster's id.  It is another one after a wipe or a restored
 * backup if the cluster was given a new --initial-cluster-token, as it should be.
 *
 * etcd does not tell the time, but the header of each answer has a date, by the clock of
 * the member that answered.  It is cut to the second, so the clock may have shown up to a
 * second more.
 */

#include <assert.h>
#include <curl/curl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "common/tls.h"
#include "core/wipe.h"
#include "etcd_answer.h"
#include "etcd_client.h"
#include "lease/coordinator.h"
#include "lease/record_text.h"
#include "os/clock.h"

#define KEY_PREFIX "frazil/lease/"

enum {
    KEY_SIZE = sizeof KEY_PREFIX + FZ_URL_NAMESPACE_SIZE + 24,
    PAGE = 500,          /* records that are asked for at once */
    OPERATIONS_MAX = 128 /* that a transaction has room for: etcd's --max-txn-ops, unless an operator has changed it */
};

struct etcd_register {
    struct fz_etcd_client client;
    char prefix[KEY_SIZE]; /* "frazil/lease/NAMESPACE/" */
};

/* ---- texts ---------------------------------------------------------------------- */

static void key_of(const struct etcd_register *reg, uint32_t number, char ret[KEY_SIZE])
{
    struct fz_sentence s = fz_sentence_in(ret, KEY_SIZE);
    char name[FZ_RECORD_NAME_SIZE];

    fz_record_name_write(number, name);
    fz_sentence_str(&s, reg->prefix);
    fz_sentence_str(&s, name);
}

static bool read_key(const struct etcd_register *reg, const char *key, size_t len, uint32_t *ret)
{
    size_t prefix_len = strlen(reg->prefix);

    return len > prefix_len && memcmp(key, reg->prefix, prefix_len) == 0 &&
           fz_record_name_read(key + prefix_len, len - prefix_len, ret);
}

/* ---- asking ----------------------------------------------------------------------- */

static enum fz_register_result not_understood(const struct etcd_register *reg, const char *key, frazil_error *reterr)
{
    fz_fail(reterr, FRAZIL_ENAMESPACE, "%s: the value of the key %q was not written by frazil", reg->client.shown, key);
    return FZ_REGISTER_REFUSED;
}

/* The answer's own time: a member writes it when it answers, and leaves out what is less than a second. */
static bool read_clock(const struct fz_etcd_http *http, struct fz_register_status *ret)
{
    if (!http->has_date || http->date_unix_s > INT64_MAX / 1000 - 1)
        return false;
    ret->has_clock = true;
    ret->unix_ms = http->date_unix_s * 1000;
    ret->clock_width_ms = 1000;
    return true;
}

/* Asks as fz_etcd_ask.  The answer has a header, which tells what cluster it is of and what time it is there. */
static enum fz_register_result ask(struct etcd_register *reg, const struct fz_etcd_question *question, json_t **ret,
                                   struct fz_register_status *status, frazil_error *reterr)
{
    struct fz_register_status told = {.has_clock = false};
    uint64_t cluster;
    json_t *answer = NULL;

    enum fz_register_result result = fz_etcd_ask(&reg->client, question, &answer, reterr);
    if (result != FZ_REGISTER_OK)
        return result;
    if (!fz_etcd_number(json_object_get(json_object_get(answer, "header"), "cluster_id"), &cluster)) {
        json_decref(answer);
        fz_fail(reterr, question->writes ? FRAZIL_EUNREACHABLE : FRAZIL_EREFUSED,
                "%s: does not report a cluster id, as an etcd does", reg->client.shown);
        return question->writes ? FZ_REGISTER_UNKNOWN : FZ_REGISTER_REFUSED;
    }
    if (!read_clock(&reg->client.http, &told)) {
        json_decref(answer);
        fz_fail(reterr, FRAZIL_EUNREACHABLE,
                "%s: its answer has no Date header with the time, as those of etcd have: does a proxy remove it?",
                reg->client.shown);
        return FZ_REGISTER_UNKNOWN;
    }
    struct fz_sentence s = fz_sentence_in(told.incarnation, sizeof told.incarnation);
    fz_etcd_show_id(&s, cluster);
    if (status != NULL)
        *status = told;
    *ret = answer;
    return FZ_REGISTER_OK;
}

/* Key and value of one of the records in an answer. */
struct found {
    char key[KEY_SIZE];
    size_t key_len;
    uint32_t number;
    bool readable;
    struct fz_record record;
};

/* false: it has no key of ours.  One whose value is not ours, either, is not readable. */
static bool read_found(const struct etcd_register *reg, const json_t *kv, struct found *ret)
{
    char value[FZ_RECORD_TEXT_SIZE];
    size_t len;

    if (!fz_etcd_bytes(json_object_get(kv, "key"), ret->key, sizeof ret->key - 1, &ret->key_len) ||
        !read_key(reg, ret->key, ret->key_len, &ret->number))
        return false;
    ret->key[ret->key_len] = '\0';
    ret->readable = fz_etcd_bytes(json_object_get(kv, "value"), value, sizeof value, &len) &&
                    fz_record_text_read(value, len, &ret->record);
    if (!ret->readable)
        ret->record = (struct fz_record){.version = 1}; /* damaged: shown, so that it is not taken for a free one */
    return true;
}

/* ---- the port ------------------------------------------------------------------ */

/* Begins a function of the port: all that it asks has this deadline. */
static struct etcd_register *etcd_in_time(void *ctx, struct fz_deadline deadline)
{
    struct etcd_register *reg = ctx;

    reg->client.deadline = deadline;
    return reg;
}

static enum fz_register_result etcd_read(void *ctx, struct fz_deadline deadline, uint32_t number, struct fz_record *ret,
                                         struct fz_register_status *status, frazil_error *reterr)
{
    struct etcd_register *reg = etcd_in_time(ctx, deadline);
    struct found found = {.record = {.version = 0}};
    char key[KEY_SIZE];
    json_t *answer = NULL;

    key_of(reg, number, key);
    const struct fz_etcd_question question = {"/v3/kv/range", fz_etcd_key(key), .writes = false};
    enum fz_register_result result = ask(reg, &question, &answer, status, reterr);
    if (result != FZ_REGISTER_OK)
        return result;
    const json_t *kvs = json_object_get(answer, "kvs");
    if (json_array_size(kvs) > 0 &&
        (!read_found(reg, json_array_get(kvs, 0), &found) || found.number != number || !found.readable))
        result = not_understood(reg, key, reterr);
    else
        *ret = found.record;
    json_decref(answer);
    return result;
}

/* Shows the records of one page; from is then the key that the next one begins with. */
static enum fz_register_result visit_page(struct etcd_register *reg, const json_t *answer, fz_record_visitor visit,
                                          void *visit_ctx, struct found *from, frazil_error *reterr)
{
    const json_t *kvs = json_object_get(answer, "kvs");

    for (size_t i = 0; i < json_array_size(kvs); i++) {
        struct found found = {.record = {.version = 0}};
        if (!read_found(reg, json_array_get(kvs, i), &found) || (!found.readable && found.number == FZ_NAMESPACE))
            return not_understood(reg, found.key_len > 0 ? found.key : reg->prefix, reterr);
        visit(visit_ctx, found.number, &found.record);
        *from = found;
    }
    from->key[from->key_len++] = '\0'; /* the least key above it */
    return FZ_REGISTER_OK;
}

/* In pages, which are not of one instant: nothing is ever deleted, so each record is in one of them. */
static enum fz_register_result etcd_read_all(void *ctx, struct fz_deadline deadline, fz_record_visitor visit,
                                             void *visit_ctx, struct fz_register_status *status, frazil_error *reterr)
{
    struct etcd_register *reg = etcd_in_time(ctx, deadline);
    struct found from = {.key_len = strlen(reg->prefix)};
    char end[KEY_SIZE];
    bool more = true;

    memcpy(from.key, reg->prefix, from.key_len);
    memcpy(end, reg->prefix, from.key_len + 1);
    end[from.key_len - 1]++;
    while (more) {
        json_t *answer = NULL;
        json_t *range = json_pack("{s:o, s:o, s:i}", "key", fz_etcd_text(from.key, from.key_len), "range_end",
                                  fz_etcd_text(end, strlen(end)), "limit", PAGE);
        const struct fz_etcd_question question = {"/v3/kv/range", range, .writes = false};
        enum fz_register_result result = ask(reg, &question, &answer, status, reterr);
        if (result == FZ_REGISTER_OK)
            result = visit_page(reg, answer, visit, visit_ctx, &from, reterr);
        more = json_is_true(json_object_get(answer, "more")) && json_array_size(json_object_get(answer, "kvs")) > 0;
        json_decref(answer);
        if (result != FZ_REGISTER_OK)
            return result;
    }
    return FZ_REGISTER_OK;
}

/* The records of one request. */
struct wanted {
    const uint32_t *numbers;
    size_t n;
    size_t whole; /* of them, from the first on, those that are read; the others are only counted */
};

/* The record that was asked for in an operation, if there is one. */
static enum fz_register_result visit_operation(struct etcd_register *reg, const json_t *response, uint32_t number,
                                               bool whole, fz_record_visitor visit, void *visit_ctx,
                                               frazil_error *reterr)
{
    const struct fz_record counted = {.version = 1};
    const json_t *range = json_object_get(response, "response_range");
    const json_t *kvs = json_object_get(range, "kvs");
    struct found found = {.record = {.version = 0}};
    char key[KEY_SIZE];

    /* A record that is left out would be taken for one that does not exist. */
    if (!json_is_object(range)) {
        fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: does not answer the whole request", reg->client.shown);
        return FZ_REGISTER_UNKNOWN;
    }
    if (!whole) {
        const json_t *said = json_object_get(range, "count");
        uint64_t count;
        /* etcd leaves out a 0, a gateway may say it; a record is shown when in doubt. */
        if (said != NULL && (!fz_etcd_number(said, &count) || count != 0))
            visit(visit_ctx, number, &counted);
        return FZ_REGISTER_OK;
    }
    if (json_array_size(kvs) == 0)
        return FZ_REGISTER_OK;
    key_of(reg, number, key);
    if (!read_found(reg, json_array_get(kvs, 0), &found) || found.number != number ||
        (!found.readable && number == FZ_NAMESPACE))
        return not_understood(reg, key, reterr);
    visit(visit_ctx, number, &found.record);
    return FZ_REGISTER_OK;
}

/* A transaction that reads or counts this number of records.  NULL: no memory. */
static json_t *reading_of(const struct etcd_register *reg, const struct wanted *wanted)
{
    json_t *operations = json_array();

    for (size_t i = 0; i < wanted->n; i++) {
        char key[KEY_SIZE];
        key_of(reg, wanted->numbers[i], key);
        json_t *range =
            json_pack("{s:o, s:b}", "key", fz_etcd_text(key, strlen(key)), "count_only", i >= wanted->whole);
        if (json_array_append_new(operations, json_pack("{s:o}", "request_range", range)) != 0) {
            json_decref(operations);
            return NULL;
        }
    }
    return json_pack("{s:o}", "success", operations);
}

static enum fz_register_result read_some(struct etcd_register *reg, const struct wanted *wanted,
                                         fz_record_visitor visit, void *visit_ctx, struct fz_register_status *status,
                                         frazil_error *reterr)
{
    const struct fz_etcd_question question = {"/v3/kv/txn", reading_of(reg, wanted), .writes = false};
    json_t *answer = NULL;
    enum fz_register_result result = ask(reg, &question, &answer, status, reterr);

    for (size_t i = 0; result == FZ_REGISTER_OK && i < wanted->n; i++)
        result = visit_operation(reg, json_array_get(json_object_get(answer, "responses"), i), wanted->numbers[i],
                                 i < wanted->whole, visit, visit_ctx, reterr);
    json_decref(answer);
    return result;
}

static enum fz_register_result etcd_read_many(void *ctx, struct fz_deadline deadline, const uint32_t *numbers, size_t n,
                                              size_t whole, fz_record_visitor visit, void *visit_ctx,
                                              struct fz_register_status *status, frazil_error *reterr)
{
    enum fz_register_result result = FZ_REGISTER_OK;

    assert(n >= 1 && n <= FZ_READ_MANY_MAX);
    for (size_t done = 0; result == FZ_REGISTER_OK && done < n; done += OPERATIONS_MAX) {
        const struct wanted wanted = {.numbers = numbers + done,
                                      .n = n - done < OPERATIONS_MAX ? n - done : OPERATIONS_MAX,
                                      .whole = whole < done ? 0 : whole - done};
        result = read_some(etcd_in_time(ctx, deadline), &wanted, visit, visit_ctx, status, reterr);
    }
    return result;
}

/* A version that was never one of this record's before. */
static uint64_t next_version(uint64_t expected)
{
    frazil_instant now = fz_real_now();
    uint64_t now_us = now.unix_ms > 0 ? (uint64_t)now.unix_ms * 1000 + now.ns / 1000 : 1;

    return expected >= now_us ? expected + 1 : now_us;
}

/*
 * The condition that the key's value begins with this version and a space, or that
 * there is no such key.  Every value "12 ..." lies between "12" and "12!", and no other
 * value that begins with a number does.
 */
static json_t *condition(const char *key, uint64_t expected)
{
    char version[FZ_DECIMAL_MAX_LEN + 2];
    struct fz_sentence s = fz_sentence_in(version, sizeof version);

    if (expected == 0)
        return json_pack("[{s:o, s:s, s:s, s:s}]", "key", fz_etcd_text(key, strlen(key)), "target", "CREATE", "result",
                         "EQUAL", "create_revision", "0");
    fz_sentence_u64(&s, expected);
    size_t len = s.len;
    fz_sentence_char(&s, '!');
    return json_pack("[{s:o, s:s, s:s, s:o}, {s:o, s:s, s:s, s:o}]", "key", fz_etcd_text(key, strlen(key)), "target",
                     "VALUE", "result", "GREATER", "value", fz_etcd_text(version, len), "key",
                     fz_etcd_text(key, strlen(key)), "target", "VALUE", "result", "LESS", "value",
                     fz_etcd_text(version, len + 1));
}

/* A no has to be said like a yes: each comes with the answer to what was to be done then. */
static enum fz_register_result read_outcome(const struct etcd_register *reg, const json_t *answer, frazil_error *reterr)
{
    const json_t *response = json_array_get(json_object_get(answer, "responses"), 0);
    bool succeeded = json_is_true(json_object_get(answer, "succeeded"));

    if (json_is_object(json_object_get(response, succeeded ? "response_put" : "response_range")))
        return succeeded ? FZ_REGISTER_OK : FZ_REGISTER_CONFLICT;
    fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: does not say whether the record was replaced", reg->client.shown);
    return FZ_REGISTER_UNKNOWN;
}

static enum fz_register_result etcd_swap(void *ctx, struct fz_deadline deadline, const struct fz_swap *swap,
                                         uint64_t *ret_version, struct fz_register_status *status, frazil_error *reterr)
{
    struct etcd_register *reg = etcd_in_time(ctx, deadline);
    uint64_t version = next_version(swap->expected);
    char key[KEY_SIZE];
    char value[FZ_RECORD_TEXT_SIZE];
    json_t *answer = NULL;

    if (swap->expected == UINT64_MAX) /* nothing ever had it: there is none after it */
        return FZ_REGISTER_CONFLICT;
    size_t value_len = fz_record_text_write(version, swap->data, swap->len, value);
    key_of(reg, swap->number, key);
    const struct fz_etcd_question question = {
        "/v3/kv/txn", fz_etcd_transaction(condition(key, swap->expected), key, fz_etcd_text(value, value_len)), true};
    enum fz_register_result result = ask(reg, &question, &answer, status, reterr);
    if (result != FZ_REGISTER_OK)
        return result;
    result = read_outcome(reg, answer, reterr);
    json_decref(answer);
    if (result == FZ_REGISTER_OK)
        *ret_version = version;
    return result;
}

static enum fz_register_result etcd_diagnose(void *ctx, struct fz_deadline deadline, fz_finding_visitor visit,
                                             void *visit_ctx, frazil_error *reterr)
{
    struct etcd_register *reg = etcd_in_time(ctx, deadline);
    char key[KEY_SIZE];

    key_of(reg, FZ_NAMESPACE, key);
    return fz_etcd_diagnose(&reg->client, key, visit, visit_ctx, reterr);
}

static void etcd_after_fork(void *ctx)
{
    struct etcd_register *reg = ctx;

    fz_etcd_http_abandon(&reg->client.http);
}

static void etcd_close(void *ctx)
{
    struct etcd_register *reg = ctx;

    fz_etcd_client_stop(&reg->client);
    free(reg);
}

static frazil_err open_register(const char *url, struct fz_register *ret, char *ret_name, frazil_error *reterr)
{
    struct fz_etcd_url parsed;
    frazil_err err = fz_url_open(fz_etcd_url_kind, url, &parsed.common, reterr);

    if (err != FRAZIL_OK)
        return err;
    struct etcd_register *reg = calloc(1, sizeof *reg);
    if (reg == NULL) {
        fz_wipe(&parsed, sizeof parsed);
        return fz_fail(reterr, FRAZIL_ENOMEM, "no memory for a connection to etcd");
    }
    fz_etcd_client_start(&reg->client, &parsed);
    fz_wipe(&parsed, sizeof parsed);
    struct fz_sentence prefix = fz_sentence_in(reg->prefix, sizeof reg->prefix);
    fz_sentence_str(&prefix, KEY_PREFIX);
    fz_sentence_str(&prefix, reg->client.url.common.name);
    fz_sentence_char(&prefix, '/');
    memcpy(ret_name, reg->client.url.common.name, sizeof reg->client.url.common.name);
    *ret = (struct fz_register){.ctx = reg,
                                .register_class = FZ_REGISTER_STRICT,
                                .read = etcd_read,
                                .read_all = etcd_read_all,
                                .read_many = etcd_read_many,
                                .finds_for_less = true,
                                .swap = etcd_swap,
                                .diagnose = etcd_diagnose,
                                .after_fork = etcd_after_fork,
                                .close = etcd_close};
    return FRAZIL_OK;
}

const frazil_coordinator *frazil_coordinator_etcd(void)
{
    static const frazil_coordinator etcd = {
        FZ_LEASE_COORDINATOR,
        .part = "etcd",
        .client = "libcurl " LIBCURL_VERSION ", jansson " JANSSON_VERSION,
        .share_clients = fz_tls_share_clients,
        .open_register = open_register,
    };

    return &etcd;
}
