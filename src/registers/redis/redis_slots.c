/* SPDX-License-Identifier: MIT */
#include "redis_slots.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/layout_internal.h"
#include "core/sentence.h"
#include "core/wipe.h"
#include "redis_examine.h"
#include "redis_script.h"

#define OWN_KEY "frazil:slots:"
#define EXACT_MAX (UINT64_C(1) << 53) /* Lua counts in doubles */

enum { TERMS_SIZE = FRAZIL_FINGERPRINT_SIZE + 96, KEY_SIZE = FZ_URL_NAMESPACE_SIZE + 48 };

/*
 * Both scripts: KEYS[1] is the record of the namespace or of the worker; ARGV: the verb, worker, first and last ms of
 * the caller's tick, max_skew, max_lead, epoch, ms of a tick, the caller's tick, the last one allowed, capacity, how
 * many, where a tick begins, and a text.  Answers: taken TICK PLACE COUNT, full TICK, clock MS, evicts POLICY, terms
 * TEXT, foreign.
 */
#define PRELUDE                                                                                                        \
    "local worker, from, to, skew = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])\n"                \
    "local lead, epoch, tick_ms = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])\n"                           \
    "local first, last, capacity = tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11])\n"                        \
    "local n, start = tonumber(ARGV[12]), tonumber(ARGV[13])\n"                                                        \
    "local time = redis.call('TIME')\n"                                                                                \
    "local now = time[1] * 1000 + math.floor(time[2] / 1000)\n"                                                        \
    "local function digits(n) return string.format('%.0f', n) end\n"                                                   \
    "local function tick_of(ms) return math.floor((ms - epoch) / tick_ms) end\n"                                       \
    "if now < from - skew or now > to + skew then return {'clock', digits(now)} end\n"                                 \
    "local life = (string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') or '') .. ':' ..\n"                      \
    "    (string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)') or '')\n"                             \
    "local memory = redis.call('INFO', 'memory')\n"                                                                    \
    "local policy = string.match(memory, 'maxmemory_policy:([%w-]+)') or ''\n"

static const char own_script[] = PRELUDE
    "if string.sub(policy, 1, 8) == 'allkeys-' then return {'evicts', policy} end\n"
    "local terms, found = redis.call('HGET', KEYS[1], 'terms'), redis.call('HGET', KEYS[1], worker)\n"
    "if terms and terms ~= ARGV[14] then return {'terms', terms} end\n"
    "local tick, place, lived = string.match(found or '0 0 -', '^(%d+) (%d+) (%S+)$')\n"
    "if not tick then return {'foreign'} end\n"
    "tick, place = tonumber(tick), tonumber(place)\n"
    "if lived ~= life then tick, place = math.max(tick, tick_of(now + lead + 2 * skew)) + 1, start end\n"
    "if tick < first then tick, place = first, start end\n"
    "if place >= capacity then tick, place = tick + 1, start end\n"
    "local count = tick <= last and math.min(n, capacity - place) or 0\n"
    "if count > 0 or lived ~= life then\n"
    "    redis.call('HSET', KEYS[1], 'terms', ARGV[14], worker, digits(tick) .. ' ' .. digits(place + count) .. ' ' .. "
    "life)\n"
    "end\n"
    "if count == 0 then return {'full', digits(tick)} end\n"
    "return {'taken', digits(tick), digits(place), digits(count)}\n";

static const char konayuki_script[] = PRELUDE
    "if policy ~= 'noeviction' and string.match(memory, 'maxmemory:(%d+)') ~= '0' then return {'evicts', policy} end\n"
    "local floor, lived = string.match(redis.call('GET', KEYS[1]) or '0 -', '^(%d+) (%S+)$')\n"
    "if not floor then return {'foreign'} end\n"
    "floor = tonumber(floor)\n"
    "if lived ~= life then\n"
    "    floor = math.max(floor, tick_of(math.max(now, to) + skew) + 1)\n"
    "    redis.call('SET', KEYS[1], digits(floor) .. ' ' .. life)\n"
    "end\n"
    "for tick = math.max(first, floor), last do\n"
    "    local key = ARGV[14] .. digits(tick)\n"
    "    local found = redis.call('GET', key)\n"
    "    local place = found and tonumber(found) and found + 1 or start\n"
    "    if found and not tonumber(found) then return {'foreign'} end\n"
    "    local count = math.min(n, capacity - place)\n"
    "    if count > 0 then\n"
    "        if found then redis.call('INCRBY', key, digits(count)) end\n"
    "        if not found then redis.call('SET', key, digits(place + count - 1), 'EX', 2) end\n"
    "        return {'taken', digits(tick), digits(place), digits(count)}\n"
    "    end\n"
    "end\n"
    "return {'full', digits(math.max(last + 1, floor))}\n";

_Static_assert(FZ_KONAYUKI_EXPIRY_MS == 2000, "as the script has it");

struct redis_slots {
    struct fz_redis_connection connection;
    struct fz_redis_script script;
    char key[KEY_SIZE];
    char text[TERMS_SIZE]; /* frazil's own: the terms; konayuki's: the keys up to the tick */
    frazil_layout layout;
    frazil_random random;
    uint32_t worker;
    uint64_t capacity;
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

static void make_call(const struct redis_slots *slots, uint64_t now_tick, uint64_t n, struct fz_redis_call *call)
{
    int64_t tick_begins = fz_layout_tick_unix_ms(&slots->layout, now_tick);
    uint64_t start = slots->random_start ? slots->random.next(slots->random.ctx) % slots->capacity : 0;

    fz_redis_call_begin(call, slots->key, "take");
    fz_redis_call_u64(call, slots->worker);
    fz_redis_call_i64(call, tick_begins);
    fz_redis_call_i64(call, tick_begins + (slots->layout.tick_ms - 1));
    fz_redis_call_i64(call, slots->max_skew_ms);
    fz_redis_call_i64(call, slots->max_lead_ms);
    fz_redis_call_i64(call, slots->layout.epoch_unix_ms);
    fz_redis_call_u64(call, slots->layout.tick_ms);
    fz_redis_call_u64(call, now_tick);
    fz_redis_call_u64(call, last_allowed(slots, now_tick));
    fz_redis_call_u64(call, slots->capacity);
    fz_redis_call_u64(call, n);
    fz_redis_call_u64(call, start);
    fz_redis_call_text(call, slots->text);
}

static frazil_err full(const struct redis_slots *slots, uint64_t now_tick, uint64_t tick, frazil_error *reterr)
{
    uint64_t ticks = tick > now_tick + lead_ticks(slots) ? tick - now_tick - lead_ticks(slots) : 1;
    uint64_t tick_ns = slots->layout.tick_ms * UINT64_C(1000000);

    fz_fail(reterr, FRAZIL_EFULL, "%s: no slot of worker %u is free before %u ticks from now", slots->connection.shown,
            (uint64_t)slots->worker, tick - now_tick);
    if (reterr != NULL)
        reterr->retry_ns = ticks > UINT64_MAX / tick_ns ? UINT64_MAX : ticks * tick_ns;
    return FRAZIL_EFULL;
}

static frazil_err not_understood(const struct redis_slots *slots, frazil_error *reterr)
{
    return fz_fail(reterr, FRAZIL_EWORKER, "%s: what stands in the keys of %q is not what belongs there",
                   slots->connection.shown, slots->key);
}

/* Why nothing was taken; word and detail are the answer's. */
static frazil_err explain(const struct redis_slots *slots, const struct fz_redis_call *call, const char *word,
                          const redisReply *detail, uint64_t now_tick, frazil_error *reterr)
{
    const char *shown = slots->connection.shown;
    uint64_t number = 0;
    bool is_number = fz_redis_read_u64(detail, &number) && number <= EXACT_MAX;

    if (strcmp(word, "full") == 0 && is_number && number > now_tick)
        return full(slots, now_tick, number, reterr);
    if (strcmp(word, "clock") == 0 && is_number)
        return fz_redis_clocks_differ(&slots->connection, call,
                                      fz_layout_tick_unix_ms(&slots->layout, now_tick) + (slots->layout.tick_ms - 1),
                                      (int64_t)number, slots->max_skew_ms, reterr);
    if (strcmp(word, "evicts") == 0)
        return fz_fail(reterr, FRAZIL_EWORKER,
                       "%s: evicts keys when its memory is full (maxmemory-policy %q), and with them the slots in use: "
                       "set noeviction",
                       shown, detail->str);
    if (strcmp(word, "terms") == 0)
        return fz_fail(reterr, FRAZIL_EWORKER, "%s: others share these slots with %q, and this generator has %q", shown,
                       detail->str, slots->text);
    return not_understood(slots, reterr);
}

static frazil_err read_run(const struct redis_slots *slots, const redisReply *answer, uint64_t now_tick, uint64_t n,
                           struct fz_slot_run *ret, frazil_error *reterr)
{
    struct fz_slot_run run;

    if (!fz_redis_read_u64(answer->element[1], &run.tick) || !fz_redis_read_u64(answer->element[2], &run.place) ||
        !fz_redis_read_u64(answer->element[3], &run.count) || run.tick < now_tick ||
        run.tick > last_allowed(slots, now_tick) || run.count == 0 || run.count > n || run.place >= slots->capacity ||
        run.count > slots->capacity - run.place)
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
    return explain(slots, call, answer->element[0]->str, answer->element[1], now_tick, reterr);
}

static frazil_err take(void *ctx, uint64_t now_tick, uint64_t n, struct fz_slot_run *ret, frazil_error *reterr)
{
    struct redis_slots *slots = ctx;
    frazil_error said = {.message = ""};
    struct fz_redis_call call;
    redisReply *answer;

    assert(n >= 1);
    if (now_tick > fz_layout_last_tick(&slots->layout))
        return fz_fail(reterr, FRAZIL_EEXHAUSTED, "the layout has no tick left");
    if (last_allowed(slots, now_tick) >= EXACT_MAX)
        return fz_fail(reterr, FRAZIL_ERANGE, "tick %u is beyond what Redis can count exactly", now_tick);
    make_call(slots, now_tick, n, &call);
    enum fz_register_result result =
        fz_redis_call_script(&slots->connection, &slots->script, &call, has_written, &answer, &said);
    if (result != FZ_REGISTER_OK)
        return fz_fail(reterr, result == FZ_REGISTER_REFUSED ? FRAZIL_EWORKER : FRAZIL_EAGAIN, "%s", said.message);
    frazil_err err = read_answer(slots, &call, answer, now_tick, n, ret, reterr);
    freeReplyObject(answer);
    return err;
}

static void after_fork(void *ctx)
{
    struct redis_slots *slots = ctx;

    fz_redis_connection_abandon(&slots->connection);
}

static void close_slots(void *ctx)
{
    struct redis_slots *slots = ctx;

    fz_redis_connection_stop(&slots->connection);
    free(slots);
}

/* ---- opening -------------------------------------------------------------------- */

static bool is_konayuki(const char *url)
{
    return strncmp(url, FZ_KONAYUKI_SCHEME_PREFIX, strlen(FZ_KONAYUKI_SCHEME_PREFIX)) == 0;
}

static frazil_err check_request(const struct fz_slots_request *request, frazil_error *reterr)
{
    int64_t bound_ms = INT64_C(366) * 24 * 60 * 60 * 1000;

    if (request->max_lead_ms < 0 || request->max_lead_ms > bound_ms || request->max_skew_ms < 0 ||
        request->max_skew_ms > bound_ms)
        return fz_fail(reterr, FRAZIL_ERANGE,
                       "slots from Redis need bounds on max_lead and max_skew: how long nothing is issued after slots "
                       "were lost depends on them");
    if (is_konayuki(request->url) &&
        request->max_lead_ms + 2 * request->max_skew_ms + request->layout->tick_ms > FZ_KONAYUKI_EXPIRY_MS)
        return fz_fail(reterr, FRAZIL_ERANGE,
                       "max_lead %d ms and max_skew %d ms: konayuki's keys expire after %u ms, and a tick must not be "
                       "used again after that: max_lead + 2 max_skew + a tick may be as long at the most",
                       request->max_lead_ms, request->max_skew_ms, (uint64_t)FZ_KONAYUKI_EXPIRY_MS);
    return FRAZIL_OK;
}

static frazil_err name_own(struct redis_slots *slots, frazil_error *reterr)
{
    struct fz_sentence key = fz_sentence_in(slots->key, sizeof slots->key);
    struct fz_sentence terms = fz_sentence_in(slots->text, sizeof slots->text);
    char fingerprint[FRAZIL_FINGERPRINT_SIZE];

    if (frazil_layout_fingerprint(&slots->layout, fingerprint, sizeof fingerprint) != FRAZIL_OK)
        return fz_fail(reterr, FRAZIL_ELAYOUT, "the layout has no fingerprint");
    fz_sentence_str(&key, OWN_KEY);
    fz_sentence_str(&key, slots->connection.url.common.name);
    fz_sentence_str(&terms, fingerprint);
    fz_sentence_str(&terms, " capacity=");
    fz_sentence_u64(&terms, slots->capacity);
    fz_sentence_str(&terms, " max_lead=");
    fz_sentence_i64(&terms, slots->max_lead_ms);
    fz_sentence_str(&terms, "ms max_skew=");
    fz_sentence_i64(&terms, slots->max_skew_ms);
    fz_sentence_str(&terms, "ms");
    slots->script.text = own_script;
    return FRAZIL_OK;
}

static void name_konayuki(struct redis_slots *slots)
{
    struct fz_sentence key = fz_sentence_in(slots->key, sizeof slots->key);
    struct fz_sentence keys = fz_sentence_in(slots->text, sizeof slots->text);

    fz_sentence_str(&key, slots->connection.url.common.name);
    fz_sentence_str(&key, ":_frazil:");
    fz_sentence_u64(&key, slots->worker);
    fz_sentence_str(&keys, slots->connection.url.common.name);
    fz_sentence_char(&keys, ':');
    fz_sentence_u64(&keys, slots->worker);
    fz_sentence_char(&keys, ':');
    slots->script.text = konayuki_script;
}

/* The URL of a Redis in a URL of konayuki's, with konayuki's prefix if it names none; NULL: no memory. */
static char *redis_url_of(const char *url)
{
    const char *rest = url + strlen(FZ_KONAYUKI_SCHEME_PREFIX);
    const char *place = strstr(rest, "://");
    size_t len = strcspn(rest, "?");
    bool is_unix = strncmp(rest, "redis+unix:", strlen("redis+unix:")) == 0;
    bool has_name = is_unix || place == NULL;

    for (size_t i = place == NULL ? len : (size_t)(place + 3 - rest); !has_name && i + 1 < len; i++)
        has_name = rest[i] == '/';
    char *made = malloc(strlen(rest) + sizeof FZ_KONAYUKI_PREFIX + 1);
    if (made == NULL)
        return NULL;
    struct fz_sentence s = fz_sentence_in(made, strlen(rest) + sizeof FZ_KONAYUKI_PREFIX + 1);
    for (size_t i = 0; i < len; i++)
        fz_sentence_char(&s, rest[i]);
    if (!has_name && rest[len - 1] != '/')
        fz_sentence_char(&s, '/');
    if (!has_name)
        fz_sentence_str(&s, FZ_KONAYUKI_PREFIX);
    fz_sentence_str(&s, rest + len);
    return made;
}

static frazil_err connect_to(struct fz_redis_connection *connection, const char *url, frazil_error *reterr)
{
    if (!is_konayuki(url))
        return fz_redis_connection_open(connection, url, reterr);
    char *made = redis_url_of(url);
    if (made == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "no memory for a URL");
    frazil_err err = fz_redis_connection_open(connection, made, reterr);
    fz_wipe(made, strlen(made)); /* there may be a password in it */
    free(made);
    return err;
}

static frazil_err open_slots(struct redis_slots *slots, const struct fz_slots_request *request, frazil_error *reterr)
{
    slots->layout = *request->layout;
    slots->random = *request->random;
    slots->worker = request->worker;
    slots->capacity = request->capacity;
    slots->random_start = request->random_start;
    slots->max_lead_ms = request->max_lead_ms;
    slots->max_skew_ms = request->max_skew_ms;
    frazil_err err = connect_to(&slots->connection, request->url, reterr);
    if (err != FRAZIL_OK)
        return err;
    if (!is_konayuki(request->url))
        return name_own(slots, reterr);
    name_konayuki(slots);
    return FRAZIL_OK;
}

frazil_err fz_redis_slots_open(const struct fz_slots_request *request, struct fz_slot_source *ret, frazil_error *reterr)
{
    frazil_err err = check_request(request, reterr);
    if (err != FRAZIL_OK)
        return err;
    struct redis_slots *slots = calloc(1, sizeof *slots);
    if (slots == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "no memory for a connection to Redis");
    err = open_slots(slots, request, reterr);
    if (err != FRAZIL_OK) {
        free(slots);
        return err;
    }
    *ret = (struct fz_slot_source){.ctx = slots, .take = take, .after_fork = after_fork, .close = close_slots};
    return FRAZIL_OK;
}

frazil_err fz_redis_slots_examine(const char *url, fz_finding_visitor visit, void *ctx, frazil_error *reterr)
{
    struct fz_redis_connection connection;
    frazil_error said = {.message = ""};

    frazil_err err = connect_to(&connection, url, reterr);
    if (err != FRAZIL_OK)
        return err;
    if (fz_redis_examine(&connection, true, visit, ctx, &said) != FZ_REGISTER_OK)
        visit(ctx, FZ_FINDING_FAIL, said.message);
    fz_redis_connection_stop(&connection);
    return FRAZIL_OK;
}
