/* SPDX-License-Identifier: MIT */
#include "redis_slots.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/layout_internal.h"
#include "core/sentence.h"
#include "lease/record.h"
#include "redis_script.h"

#define EXACT_MAX (UINT64_C(1) << 53) /* Lua counts in doubles */

/*
 * A lost record has lost its users' settings, too, so that others than the caller's may have been in force.  At least
 * the defaults are counted with.
 */
enum { LOST_LEAD_MS_MIN = 1000, LOST_SKEW_MS_MIN = FZ_SKEW_MS_DEFAULT };

static const char own_script[] = FZ_REDIS_SLOTS_PRELUDE
    "if string.sub(policy, 1, 8) == 'allkeys-' then return {'evicts', policy} end\n"
    "local bounds = ARGV[11] .. '-' .. ARGV[12]\n"
    "local line = worker .. ':' .. bounds\n"
    "local terms, found = redis.call('HGET', KEYS[1], 'terms'), redis.call('HGET', KEYS[1], line)\n"
    "if terms and terms ~= text then return {'terms', terms} end\n"
    "if not found then\n"
    "    local lines = redis.call('HGET', KEYS[1], worker) or ''\n"
    "    for low, high in string.gmatch(lines, '(%d+)-(%d+)') do\n"
    "        if tonumber(low) <= seq_max and seq_min <= tonumber(high) then return {'overlap', low, high} end\n"
    "    end\n"
    "    redis.call('HSET', KEYS[1], worker, lines .. bounds .. ' ')\n"
    "end\n"
    "local tick, place, lived = string.match(found or '0 0 -', '^(%d+) (%d+) (%S+)$')\n"
    "if not tick then return {'foreign'} end\n"
    "tick, place = tonumber(tick), tonumber(place)\n"
    "if lived ~= life then\n"
    "    local lost = math.max(lead, 1000) + 2 * math.max(skew, 250)\n"
    "    tick, place = math.max(tick, tick_of(now + lost)) + 1, start\n"
    "end\n"
    "if tick < first then tick, place = first, start end\n"
    "if place >= capacity then tick, place = tick + 1, start end\n"
    "local count = tick <= last and math.min(n, capacity - place) or 0\n"
    "if count > 0 or lived ~= life then\n"
    "    redis.call('HSET', KEYS[1], 'terms', text, line, digits(tick) .. ' ' .. digits(place + count) .. ' ' .. "
    "life)\n"
    "end\n"
    "if count == 0 then return {'full', digits(tick)} end\n"
    "return {'taken', digits(tick), digits(place), digits(count)}\n";

_Static_assert(LOST_LEAD_MS_MIN == 1000 && LOST_SKEW_MS_MIN == 250, "as the script has it");

struct redis_slots {
    struct fz_redis_connection connection;
    struct fz_redis_script script;
    char key[FZ_REDIS_SLOTS_KEY_SIZE];
    char text[FZ_REDIS_SLOTS_TEXT_SIZE];
    frazil_layout layout;
    frazil_random random;
    uint32_t worker;
    struct fz_bounds bounds;
    bool random_start;
    int64_t max_lead_ms;
    int64_t max_skew_ms;
};

/* ---- taking --------------------------------------------------------------------- */

static bool has_written(const redisReply *answer)
{
    return answer->type == REDIS_REPLY_ARRAY && answer->elements == 4;
}

static uint64_t lead_ticks(const struct redis_slots *slots)
{
    return (uint64_t)slots->max_lead_ms / slots->layout.tick_ms;
}

static uint64_t last_allowed(const struct redis_slots *slots, uint64_t now_tick)
{
    uint64_t layouts_last = fz_layout_last_tick(&slots->layout);
    uint64_t lead = lead_ticks(slots);

    return lead > layouts_last - now_tick ? layouts_last : now_tick + lead;
}

static void make_call(const struct redis_slots *slots, struct fz_deadline deadline, uint64_t now_tick, uint64_t n,
                      struct fz_redis_call *call)
{
    int64_t tick_begins = fz_layout_tick_unix_ms(&slots->layout, now_tick);
    uint64_t capacity = fz_bounds_count(&slots->bounds);
    uint64_t start = slots->random_start ? slots->random.next(slots->random.ctx) % capacity : 0;

    fz_redis_call_begin(call, slots->key, "take", deadline);
    fz_redis_call_u64(call, slots->worker);
    fz_redis_call_i64(call, tick_begins);
    fz_redis_call_i64(call, tick_begins + (slots->layout.tick_ms - 1));
    fz_redis_call_i64(call, slots->max_skew_ms);
    fz_redis_call_i64(call, slots->max_lead_ms);
    fz_redis_call_i64(call, slots->layout.epoch_unix_ms);
    fz_redis_call_u64(call, slots->layout.tick_ms);
    fz_redis_call_u64(call, now_tick);
    fz_redis_call_u64(call, last_allowed(slots, now_tick));
    fz_redis_call_u64(call, slots->bounds.min);
    fz_redis_call_u64(call, slots->bounds.max);
    fz_redis_call_u64(call, n);
    fz_redis_call_u64(call, start);
    fz_redis_call_text(call, slots->text);
}

static frazil_err full(const struct redis_slots *slots, uint64_t now_tick, uint64_t tick, frazil_error *reterr)
{
    uint64_t ticks = tick > now_tick + lead_ticks(slots) ? tick - now_tick - lead_ticks(slots) : 1;
    uint64_t tick_ns = slots->layout.tick_ms * UINT64_C(1000000);

    fz_fail(reterr, FRAZIL_EFULL, "%s: no slot of worker %u is free for another %D", slots->connection.shown,
            (uint64_t)slots->worker, fz_layout_ticks_ns(&slots->layout, tick - now_tick) / 1000);
    if (reterr != NULL)
        reterr->retry_ns = ticks > UINT64_MAX / tick_ns ? UINT64_MAX : ticks * tick_ns;
    return FRAZIL_EFULL;
}

static frazil_err not_understood(const struct redis_slots *slots, frazil_error *reterr)
{
    return fz_fail(reterr, FRAZIL_ENAMESPACE, "%s: the keys of %q were not written by frazil", slots->connection.shown,
                   slots->key);
}

/* There is a line of others, whose bounds are the answer's. */
static frazil_err overlap(const struct redis_slots *slots, const redisReply *answer, frazil_error *reterr)
{
    uint64_t min, max;

    if (answer->elements != 3 || !fz_redis_read_u64(answer->element[1], &min) ||
        !fz_redis_read_u64(answer->element[2], &max))
        return not_understood(slots, reterr);
    return fz_fail(
        reterr, FRAZIL_ENAMESPACE,
        "%s: others take the slots of worker %u with the sequence numbers %u to %u, which overlap with %u to "
        "%u here. Give all the same seq_min and seq_max, or ones that do not overlap. If they have stopped "
        "for good, delete the key %q",
        slots->connection.shown, (uint64_t)slots->worker, min, max, slots->bounds.min, slots->bounds.max, slots->key);
}

/* Why nothing was taken. */
static frazil_err explain(const struct redis_slots *slots, const struct fz_redis_call *call, const redisReply *answer,
                          uint64_t now_tick, frazil_error *reterr)
{
    const char *shown = slots->connection.shown;
    const char *word = answer->element[0]->str;
    const redisReply *detail = answer->element[1];
    uint64_t number = 0;
    bool is_number = fz_redis_read_u64(detail, &number) && number <= EXACT_MAX;

    if (strcmp(word, "full") == 0 && is_number && number > now_tick)
        return full(slots, now_tick, number, reterr);
    if (strcmp(word, "clock") == 0 && is_number)
        return fz_redis_clocks_differ(&slots->connection, call,
                                      fz_layout_tick_unix_ms(&slots->layout, now_tick) + (slots->layout.tick_ms - 1),
                                      (int64_t)number, slots->max_skew_ms, reterr);
    if (strcmp(word, "evicts") == 0)
        return fz_fail(reterr, FRAZIL_EREFUSED,
                       "%s: evicts keys when its memory is full (maxmemory-policy %q), and with them the slots in use: "
                       "set noeviction",
                       shown, detail->str);
    if (strcmp(word, "overlap") == 0)
        return overlap(slots, answer, reterr);
    if (strcmp(word, "terms") == 0)
        return fz_fail(reterr, FRAZIL_ENAMESPACE, "%s: others share these slots with %q, and this generator has %q",
                       shown, detail->str, slots->text);
    return not_understood(slots, reterr);
}

static frazil_err read_run(const struct redis_slots *slots, const redisReply *answer, uint64_t now_tick, uint64_t n,
                           struct fz_slot_run *ret, frazil_error *reterr)
{
    uint64_t capacity = fz_bounds_count(&slots->bounds);
    struct fz_slot_run run;

    if (!fz_redis_read_u64(answer->element[1], &run.tick) || !fz_redis_read_u64(answer->element[2], &run.place) ||
        !fz_redis_read_u64(answer->element[3], &run.count) || run.tick < now_tick ||
        run.tick > last_allowed(slots, now_tick) || run.count == 0 || run.count > n || run.place >= capacity ||
        run.count > capacity - run.place)
        return not_understood(slots, reterr);
    *ret = run;
    return FRAZIL_OK;
}

static frazil_err read_answer(const struct redis_slots *slots, const struct fz_redis_call *call,
                              const redisReply *answer, uint64_t now_tick, uint64_t n, struct fz_slot_run *ret,
                              frazil_error *reterr)
{
    bool good = answer->type == REDIS_REPLY_ARRAY && answer->elements >= 2;

    for (size_t i = 0; good && i < answer->elements; i++)
        good = fz_redis_is_text(answer->element[i]);
    if (!good)
        return not_understood(slots, reterr);
    if (answer->elements == 4 && strcmp(answer->element[0]->str, "taken") == 0)
        return read_run(slots, answer, now_tick, n, ret, reterr);
    return explain(slots, call, answer, now_tick, reterr);
}

static frazil_err take(void *ctx, struct fz_deadline deadline, uint64_t now_tick, uint64_t n, struct fz_slot_run *ret,
                       frazil_error *reterr)
{
    struct redis_slots *slots = ctx;
    frazil_error said = {.message = ""};
    struct fz_redis_call call;
    redisReply *answer;

    assert(n >= 1);
    if (now_tick > fz_layout_last_tick(&slots->layout))
        return fz_fail(reterr, FRAZIL_EEXHAUSTED, "the layout has no tick left");
    if (last_allowed(slots, now_tick) >= EXACT_MAX)
        return fz_fail(reterr, FRAZIL_ERANGE,
                       "Redis cannot count the ticks of %t and later exactly: use a later epoch, or a longer tick",
                       fz_layout_tick_unix_ms(&slots->layout, now_tick));
    make_call(slots, deadline, now_tick, n, &call);
    enum fz_register_result result =
        fz_redis_call_script(&slots->connection, &slots->script, &call, has_written, &answer, &said);
    if (result != FZ_REGISTER_OK)
        return fz_session_error(result, &said, reterr);
    frazil_err err = read_answer(slots, &call, answer, now_tick, n, ret, reterr);
    freeReplyObject(answer);
    return err;
}

static void after_fork(void *ctx)
{
    struct redis_slots *slots = ctx;

    fz_session_abandon(&slots->connection.session);
}

static void close_slots(void *ctx)
{
    struct redis_slots *slots = ctx;

    fz_redis_connection_stop(&slots->connection);
    free(slots);
}

/* ---- opening -------------------------------------------------------------------- */

static frazil_err check_request(const struct fz_slots_request *request, frazil_error *reterr)
{
    int64_t bound_ms = INT64_C(366) * 24 * 60 * 60 * 1000;

    if (request->max_lead_ms < 0 || request->max_lead_ms > bound_ms || request->max_skew_ms < 0 ||
        request->max_skew_ms > bound_ms)
        return fz_fail(reterr, FRAZIL_ERANGE,
                       "slots from Redis need bounds on max_lead and max_skew: how long nothing is issued after slots "
                       "were lost depends on them");
    return FRAZIL_OK;
}

static frazil_err name_own(const char *name, const struct fz_slots_request *request, struct fz_sentence *key,
                           struct fz_sentence *terms, frazil_error *reterr)
{
    char fingerprint[FRAZIL_FINGERPRINT_SIZE];
    /* The server compares the texts, so all spellings of one layout have one. */
    const frazil_layout unsplit = fz_layout_unsplit(request->layout);

    frazil_err err = fz_redis_url_check_namespace(name, reterr);
    if (err != FRAZIL_OK)
        return err;
    if (frazil_layout_fingerprint(&unsplit, fingerprint, sizeof fingerprint, NULL) != FRAZIL_OK)
        return fz_fail(reterr, FRAZIL_ELAYOUT, "the layout has no fingerprint");
    fz_sentence_str(key, FZ_REDIS_SLOTS_KEY);
    fz_sentence_str(key, name);
    fz_sentence_str(terms, fingerprint);
    fz_sentence_str(terms, " max_lead=");
    fz_sentence_i64(terms, request->max_lead_ms);
    fz_sentence_str(terms, "ms max_skew=");
    fz_sentence_i64(terms, request->max_skew_ms);
    fz_sentence_str(terms, "ms");
    return FRAZIL_OK;
}

static const struct fz_redis_slots_keys own_keys = {.script = own_script, .name = name_own};

static frazil_err open_slots(struct redis_slots *slots, const struct fz_redis_slots_keys *keys,
                             const struct fz_slots_request *request, frazil_error *reterr)
{
    struct fz_sentence key = fz_sentence_in(slots->key, sizeof slots->key);
    struct fz_sentence text = fz_sentence_in(slots->text, sizeof slots->text);

    slots->layout = *request->layout;
    slots->random = *request->random;
    slots->worker = request->worker;
    slots->bounds = request->bounds;
    slots->random_start = request->random_start;
    slots->max_lead_ms = request->max_lead_ms;
    slots->max_skew_ms = request->max_skew_ms;
    fz_redis_script_start(&slots->script, keys->script);
    frazil_err err = fz_redis_connection_open(&slots->connection, request->url, reterr);
    if (err != FRAZIL_OK)
        return err;
    err = keys->name(slots->connection.url.common.name, request, &key, &text, reterr);
    if (err != FRAZIL_OK)
        fz_redis_connection_stop(&slots->connection);
    return err;
}

frazil_err fz_redis_slots_open_in(const struct fz_redis_slots_keys *keys, const struct fz_slots_request *request,
                                  struct fz_slot_source *ret, frazil_error *reterr)
{
    frazil_err err = check_request(request, reterr);
    if (err == FRAZIL_OK && keys->check != NULL)
        err = keys->check(request, reterr);
    if (err != FRAZIL_OK)
        return err;
    struct redis_slots *slots = calloc(1, sizeof *slots);
    if (slots == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "no memory for a connection to Redis");
    err = open_slots(slots, keys, request, reterr);
    if (err != FRAZIL_OK) {
        free(slots);
        return err;
    }
    *ret = (struct fz_slot_source){.ctx = slots, .take = take, .after_fork = after_fork, .close = close_slots};
    return FRAZIL_OK;
}

frazil_err fz_redis_slots_open(const frazil_coordinator *self, const struct fz_slots_request *request,
                               struct fz_slot_source *ret, frazil_error *reterr)
{
    (void)self;
    return fz_redis_slots_open_in(&own_keys, request, ret, reterr);
}
