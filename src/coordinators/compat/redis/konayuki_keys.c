/* SPDX-License-Identifier: MIT */
/*
 * konayuki's keys in a Redis, so that its generators can share them: slots of one worker, and no worker ids.
 *
 *   konayuki+redis://HOST[/PREFIX]      PREFIX:WORKER:TICK is the last place taken in that tick (ticks count from the
 *                                       epoch), and expires after 2 s; PREFIX is "konayuki:seq" if it is not said
 *
 * Beside them frazil keeps PREFIX:_frazil:WORKER, "FLOOR LIFE", instead of konayuki's sentinel: a process that notices
 * a wipe tells all others.  konayuki's slots never lie ahead of their taker's clock.  So after a wipe processes take
 * places above all clocks, as far as these are within max_skew.
 */
#include <stdlib.h>
#include <string.h>

#include "common/foreign.h"
#include "core/sentence.h"
#include "core/wipe.h"
#include "redis/redis_connection.h"
#include "redis/redis_slots.h"

#define SCHEME_PREFIX "konayuki+"
#define KEY_PREFIX "konayuki:seq"
#define RECORD ":_frazil:" /* between the prefix and the worker */

enum { EXPIRY_MS = 2000 };

static const char script[] = FZ_REDIS_SLOTS_PRELUDE
    "if policy ~= 'noeviction' and told(memory, 'maxmemory') ~= '0' then return {'evicts', policy} end\n"
    "local floor, lived = string.match(redis.call('GET', KEYS[1]) or '0 -', '^(%d+) (%S+)$')\n"
    "if not floor then return {'foreign'} end\n"
    "floor = tonumber(floor)\n"
    "if lived ~= life then\n"
    "    floor = math.max(floor, tick_of(math.max(now, to) + skew) + 1)\n"
    "    redis.call('SET', KEYS[1], digits(floor) .. ' ' .. life)\n"
    "end\n"
    "for tick = math.max(first, floor), last do\n"
    "    local key = text .. digits(tick)\n"
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

_Static_assert(EXPIRY_MS == 2000, "as the script has it");

static frazil_err check(const struct fz_slots_request *request, frazil_error *reterr)
{
    if (request->max_lead_ms + 2 * request->max_skew_ms + request->layout->tick_ms <= EXPIRY_MS)
        return FRAZIL_OK;
    return fz_fail(reterr, FRAZIL_ERANGE,
                   "max_lead %D and max_skew %D: konayuki's keys expire after %D, and a tick must not be used "
                   "again after that: max_lead + 2 max_skew + a tick must not exceed that",
                   1000 * (uint64_t)request->max_lead_ms, 1000 * (uint64_t)request->max_skew_ms,
                   1000 * (uint64_t)EXPIRY_MS);
}

/* The text is the keys up to the tick. */
static frazil_err name(const char *prefix, const struct fz_slots_request *request, struct fz_sentence *key,
                       struct fz_sentence *keys, frazil_error *reterr)
{
    (void)reterr;
    fz_sentence_str(key, prefix);
    fz_sentence_str(key, RECORD);
    fz_sentence_u64(key, request->worker);
    fz_sentence_str(keys, prefix);
    fz_sentence_char(keys, ':');
    fz_sentence_u64(keys, request->worker);
    fz_sentence_char(keys, ':');
    return FRAZIL_OK;
}

static const struct fz_redis_slots_keys slots_keys = {.script = script, .check = check, .name = name};

/* The URL of a Redis in a URL of konayuki's, with konayuki's prefix if it names none; NULL: no memory. */
static char *redis_url_of(const char *url)
{
    const char *rest = url + strlen(SCHEME_PREFIX);
    const char *place = strstr(rest, "://");
    size_t len = strcspn(rest, "?");
    bool is_unix = strncmp(rest, "redis+unix:", strlen("redis+unix:")) == 0;
    bool has_name = is_unix || place == NULL;

    for (size_t i = place == NULL ? len : (size_t)(place + 3 - rest); !has_name && i + 1 < len; i++)
        has_name = rest[i] == '/';
    char *made = malloc(strlen(rest) + sizeof KEY_PREFIX + 1);
    if (made == NULL)
        return NULL;
    struct fz_sentence s = fz_sentence_in(made, strlen(rest) + sizeof KEY_PREFIX + 1);
    for (size_t i = 0; i < len; i++)
        fz_sentence_char(&s, rest[i]);
    if (!has_name && rest[len - 1] != '/')
        fz_sentence_char(&s, '/');
    if (!has_name)
        fz_sentence_str(&s, KEY_PREFIX);
    fz_sentence_str(&s, rest + len);
    return made;
}

static void free_url(char *url)
{
    fz_wipe(url, strlen(url)); /* there may be a password in it */
    free(url);
}

static frazil_err open_register(const char *url, struct fz_register *ret, char *ret_name, frazil_error *reterr)
{
    (void)url;
    (void)ret;
    (void)ret_name;
    return fz_fail(reterr, FRAZIL_ESPEC,
                   "konayuki's keys hold slots (state=konayuki+redis://...) and no worker ids: name another source of "
                   "these");
}

static frazil_err open_slots(const frazil_coordinator *self, const struct fz_slots_request *request,
                             struct fz_slot_source *ret, frazil_error *reterr)
{
    struct fz_slots_request of_redis = *request;
    char *url = redis_url_of(request->url);

    (void)self;
    if (url == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "no memory for a URL");
    of_redis.url = url;
    frazil_err err = fz_redis_slots_open_in(&slots_keys, &of_redis, ret, reterr);
    free_url(url);
    return err;
}

static frazil_err diagnose(const frazil_coordinator *self, const char *url, const frazil_clock *clock,
                           fz_finding_visitor visit, void *ctx, frazil_error *reterr)
{
    /* The record of some worker, as a user's rights are those over a prefix. */
    static const struct fz_redis_slots_place place = {
        .commands = {"SET", "INCRBY"}, .before = "", .behind = RECORD "0", .keys_expire = true};
    char *of_redis = redis_url_of(url);

    (void)self;
    if (of_redis == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "no memory for a URL");
    frazil_err err = fz_redis_diagnose_slots(of_redis, &place, clock, visit, ctx, reterr);
    free_url(of_redis);
    return err;
}

const frazil_coordinator fz_konayuki_keys = {
    .open_register = open_register,
    .open_granter = fz_lease_open_granter,
    .open_slots = open_slots,
    .init = fz_lease_init_url,
    .list = fz_lease_list_url,
    .release = fz_lease_release_url,
    .diagnose = diagnose,
    .diagnose_slots = diagnose,
};
