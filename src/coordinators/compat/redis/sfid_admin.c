/* SPDX-License-Identifier: MIT */
#include "sfid_admin.h"

#include <string.h>

#include "core/decimal.h"
#include "core/layout_internal.h"
#include "core/now.h"
#include "core/sentence.h"
#include "lease/report.h"
#include "redis/redis_connection.h"
#include "sfid.h"

/* An answer to "list" is "list", the server's time, the layout, and four texts for each pid. */
enum { ANSWER_HEAD = 3, PID = 0, VALUE, TTL, FENCE, ENTRY_LEN };

/* One look at all pids. */
struct look {
    frazil_layout layout;
    char fingerprint[FRAZIL_FINGERPRINT_SIZE];
    int64_t server_ms;
    fz_lease_visitor visit;
    void *ctx;
    uint64_t held;
};

/* ---- reading ------------------------------------------------------------------- */

/* The next word of a fence's text, up to a space or the end. */
static const char *next_word(const char **text, size_t *ret_len)
{
    const char *word = *text;

    *ret_len = strcspn(word, " ");
    *text += *ret_len + (word[*ret_len] == ' ');
    return word;
}

static uint64_t next_number(const char **text)
{
    size_t len;
    uint64_t number = 0;
    const char *word = next_word(text, &len);

    (void)fz_decimal_parse(word, len, &number);
    return number;
}

/* The tick of an instant; the nearest one of the layout's life. */
static uint64_t nearest_tick(const frazil_layout *layout, int64_t unix_ms)
{
    uint64_t tick = unix_ms < layout->epoch_unix_ms ? 0 : fz_layout_last_tick(layout);

    (void)fz_layout_tick_of(layout, unix_ms, &tick, NULL);
    return tick;
}

/* "UNTIL VERSION OWNER SINCE NAME"; *ret_is_ours: the key still has that owner. */
static void read_fence(const struct look *look, const char *text, const char *value, struct fz_worker_record *ret,
                       bool *ret_is_ours)
{
    char name[FZ_OWNER_SIZE];
    size_t len;

    ret->until = nearest_tick(&look->layout, (int64_t)(next_number(&text) & INT64_MAX) - 1);
    (void)next_number(&text);
    const char *owner = next_word(&text, &len);
    *ret_is_ours = strlen(value) == len && strncmp(owner, value, len) == 0;
    ret->since_unix_ms = (int64_t)(next_number(&text) & INT64_MAX);
    struct fz_sentence s = fz_sentence_in(name, sizeof name);
    fz_sentence_str(&s, text);
    fz_owner_sanitise(name, ret->owner);
}

static void show(struct look *look, uint64_t pid, redisReply *const *entry)
{
    struct fz_lease_entry shown = {.worker = (uint32_t)pid, .readable = true};
    const char *value = entry[VALUE]->str;
    bool is_ours = false;
    uint64_t ttl_ms = 0;

    read_fence(look, entry[FENCE]->str, value, &shown.record, &is_ours);
    shown.record.released = value[0] == '\0';
    look->held += !shown.record.released;
    if (!shown.record.released && !is_ours) {
        (void)fz_redis_read_u64(entry[TTL], &ttl_ms); /* 2 is added in the script: no expiry is 1, no key 0 */
        int64_t expires_ms = look->server_ms + (int64_t)(ttl_ms & UINT32_MAX);
        shown.record.until = nearest_tick(&look->layout, expires_ms);
        shown.record.since_unix_ms = expires_ms - FZ_SFID_EXPIRY_MS;
        fz_owner_sanitise(value, shown.record.owner);
    }
    if (look->visit != NULL)
        look->visit(look->ctx, &shown);
}

static frazil_err read_answer(struct look *look, const struct fz_sfid *sfid, const redisReply *answer,
                              frazil_error *reterr)
{
    uint64_t server_ms;
    uint64_t pid;
    bool good = fz_sfid_says(answer, "list", ANSWER_HEAD) && (answer->elements - ANSWER_HEAD) % ENTRY_LEN == 0;

    for (size_t i = 1; good && i < answer->elements; i++)
        good = fz_redis_is_text(answer->element[i]);
    if (!good || !fz_redis_read_u64(answer->element[1], &server_ms) || server_ms > INT64_MAX / 2)
        return fz_fail(reterr, FRAZIL_EREFUSED, "%s: does not answer like Redis", sfid->connection.shown);
    look->server_ms = (int64_t)server_ms;
    const char *layout = answer->element[2]->str;
    const char *named = layout[0] == '\0' ? "sfid" : layout;
    frazil_err err = fz_without_position(frazil_layout_parse(named, strlen(named), &look->layout, reterr), reterr);
    if (err == FRAZIL_OK)
        err = frazil_layout_fingerprint(&look->layout, look->fingerprint, sizeof look->fingerprint, NULL);
    for (size_t i = ANSWER_HEAD; err == FRAZIL_OK && i < answer->elements; i += ENTRY_LEN) {
        if (fz_redis_read_u64(answer->element[i + PID], &pid) && pid < FZ_SFID_PIDS_MAX)
            show(look, pid, answer->element + i);
    }
    return err;
}

static frazil_err look_at(struct look *look, struct fz_sfid *sfid, uint64_t first, uint64_t n, frazil_error *reterr)
{
    struct fz_redis_call call;
    redisReply *answer;

    fz_sfid_begin(sfid, &call, "list", FZ_DEADLINE_NONE);
    fz_redis_call_u64(&call, first);
    fz_redis_call_u64(&call, n);
    frazil_err err = fz_sfid_call(sfid, &call, &answer, reterr);
    if (err != FRAZIL_OK)
        return err;
    err = read_answer(look, sfid, answer, reterr);
    freeReplyObject(answer);
    return err;
}

/* How many pids the layout in use has, as far as keys can hold them. */
static uint64_t pids_of(const struct look *look)
{
    uint64_t workers = fz_layout_max_worker(&look->layout) + 1;

    return workers < FZ_SFID_PIDS_MAX ? workers : FZ_SFID_PIDS_MAX;
}

static frazil_err look_at_all(struct look *look, struct fz_sfid *sfid, frazil_error *reterr)
{
    frazil_err err = look_at(look, sfid, 0, 0, reterr);

    for (uint64_t first = 0; err == FRAZIL_OK && first < pids_of(look); first += FZ_SFID_PIDS_PER_CALL) {
        uint64_t left = pids_of(look) - first;
        err = look_at(look, sfid, first, left < FZ_SFID_PIDS_PER_CALL ? left : FZ_SFID_PIDS_PER_CALL, reterr);
    }
    return err;
}

frazil_err fz_sfid_list(const frazil_coordinator *self, const char *url, fz_lease_visitor visit, void *ctx,
                        struct fz_namespace_record *ret, frazil_error *reterr)
{
    struct look look = {.visit = visit, .ctx = ctx};
    struct fz_sfid sfid;

    (void)self;
    frazil_err err = fz_sfid_open(&sfid, url, reterr);
    if (err != FRAZIL_OK)
        return err;
    err = look_at_all(&look, &sfid, reterr);
    fz_sfid_close(&sfid);
    if (err != FRAZIL_OK)
        return err;
    *ret = (struct fz_namespace_record){.horizon_ms = FZ_SFID_EXPIRY_MS, .workers = pids_of(&look)};
    memcpy(ret->layout, look.fingerprint, sizeof ret->layout);
    return FRAZIL_OK;
}

/* ---- findings -------------------------------------------------------------------- */

/* The key of some pid, as a user's rights are those over a prefix. */
static enum fz_register_result try_writes(struct fz_sfid *sfid, const struct fz_report *report, frazil_error *reterr)
{
    char key_text[sizeof sfid->prefix + 1];
    struct fz_sentence key = fz_sentence_in(key_text, sizeof key_text);
    const struct fz_redis_write writes[] = {
        {"SET", key_text}, {"EXPIRE", key_text}, {"PEXPIREAT", key_text}, {"HSET", sfid->fence}};

    fz_sentence_str(&key, sfid->prefix);
    fz_sentence_char(&key, '0');
    return fz_redis_diagnose_writes(&sfid->connection, writes, sizeof writes / sizeof writes[0], FZ_DEADLINE_NONE,
                                    report->visit, report->ctx, reterr);
}

static void diagnose(struct fz_sfid *sfid, const frazil_clock *clock, const struct fz_report *report)
{
    struct look look = {.held = 0};
    frazil_error said = {.message = ""};

    frazil_err err = look_at_all(&look, sfid, &said); /* connects, too */
    uint64_t before_ns = clock->monotonic_ns(clock->ctx);
    int64_t before_ms = fz_now(clock).unix_ms;
    struct look again = {.held = 0};
    if (err == FRAZIL_OK)
        err = look_at(&again, sfid, 0, 0, &said);
    if (err != FRAZIL_OK) {
        fz_report_say(report, FZ_FINDING_FAIL, "%s", said.message);
        return;
    }
    fz_report_say(report, FZ_FINDING_OK, FZ_FINDING_ROUND_TRIP "%u us",
                  (clock->monotonic_ns(clock->ctx) - before_ns) / 1000);
    fz_report_skew(report, (struct fz_clock_bounds){before_ms, fz_now(clock).unix_ms},
                   (struct fz_clock_bounds){again.server_ms, again.server_ms});
    bool all = look.held >= pids_of(&look);
    fz_report_say(report, all ? FZ_FINDING_FAIL : FZ_FINDING_OK, "slots of sfid taken: %u%s", look.held,
                  all ? ": all of them" : "");
    fz_report_say(report, FZ_FINDING_WARN,
                  "class: by time: between a frazil and an sfid ids can repeat if a clock is wrong, or if the server "
                  "loses keys: if no sfid takes part, use redis://");
    enum fz_register_result result =
        fz_redis_diagnose(&sfid->connection, true, FZ_DEADLINE_NONE, report->visit, report->ctx, &said);
    if (result == FZ_REGISTER_OK)
        result = try_writes(sfid, report, &said);
    if (result != FZ_REGISTER_OK)
        fz_report_say(report, FZ_FINDING_WARN, "%s", said.message);
}

frazil_err fz_sfid_diagnose(const frazil_coordinator *self, const char *url, const frazil_clock *clock,
                            fz_finding_visitor visit, void *ctx, frazil_error *reterr)
{
    const struct fz_report report = {visit, ctx};
    struct fz_sfid sfid;

    (void)self;
    frazil_err err = fz_sfid_open(&sfid, url, reterr);
    if (err != FRAZIL_OK)
        return err;
    diagnose(&sfid, clock, &report);
    fz_sfid_close(&sfid);
    return FRAZIL_OK;
}
