/* SPDX-License-Identifier: MIT */
#include "sfid.h"

#include <string.h>

#include "core/sentence.h"
#include "core/wipe.h"

/*
 * KEYS[1]: the fence; ARGV: the verb, the keys' prefix, and then
 *
 *     list     first pid, how many
 *     release  pid, version, Unix ms before which all ids issued lie, max_skew
 *     extend   first and last ms of the caller's tick, max_skew, how long a grant is good for, expiry in s,
 *              pid, version
 *     take     the same up to the expiry, layout, first pid, how many there are, where to begin, how many to try,
 *              the key's value, the owner's name
 *
 * The writes come last, so that a script that fails has changed nothing; taking is SET NX, as sfid does it.
 */
static const char script_text[] =
    "local fence, verb, prefix = KEYS[1], ARGV[1], ARGV[2]\n"
    "local time = redis.call('TIME')\n"
    "local now = time[1] * 1000 + math.floor(time[2] / 1000)\n"
    "local function digits(n) return string.format('%.0f', n) end\n"
    "local function key(pid) return prefix .. string.char(pid % 256, math.floor(pid / 256)) end\n"
    "local function read(pid)\n"
    "    local fenced, version, owner, since, name =\n"
    "        string.match(redis.call('HGET', fence, pid) or '', '^(%d+) (%d+) (%S+) (%d+) (%S+)$')\n"
    "    return tonumber(fenced or 0), version or '0', owner, since, name\n"
    "end\n"
    "local function write(pid, fenced, version, owner, since, name)\n"
    "    version = digits(math.max(time[1] * 1000000 + time[2], version + 1))\n"
    "    redis.call('HSET', fence, pid, table.concat({digits(fenced), version, owner, since, name}, ' '))\n"
    "    return version\n"
    "end\n"
    "\n"
    "if verb == 'list' then\n"
    "    local answer = {'list', digits(now), redis.call('HGET', fence, 'layout') or ''}\n"
    "    for pid = tonumber(ARGV[3]), ARGV[3] + ARGV[4] - 1 do\n"
    "        local value, record = redis.call('GET', key(pid)), redis.call('HGET', fence, pid)\n"
    "        if value or record then\n"
    "            for _, part in ipairs({digits(pid), value or '', digits(redis.call('PTTL', key(pid)) + 2), record or "
    "''}) do\n"
    "                answer[#answer + 1] = part\n"
    "            end\n"
    "        end\n"
    "    end\n"
    "    return answer\n"
    "end\n"
    "\n"
    "if verb == 'release' then\n"
    "    local pid, used = ARGV[3], tonumber(ARGV[5])\n"
    "    local fenced, version, owner, since, name = read(pid)\n"
    "    if version ~= ARGV[4] or redis.call('GET', key(pid)) ~= owner then return {'lost'} end\n"
    "    write(pid, math.min(fenced, used), version, owner, since, name)\n"
    "    redis.call('PEXPIREAT', key(pid), digits(used + ARGV[6]))\n"
    "    return {'released'}\n"
    "end\n"
    "\n"
    "local from, to, skew = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])\n"
    "local good, expiry = math.min(now, from) + ARGV[6], ARGV[7]\n"
    "if now < from - skew or now > to + skew then return {'clock', digits(now)} end\n"
    "\n"
    "if verb == 'extend' then\n"
    "    local pid = ARGV[8]\n"
    "    local fenced, version, owner, since, name = read(pid)\n"
    "    if version ~= ARGV[9] or redis.call('GET', key(pid)) ~= owner then return {'lost'} end\n"
    "    good = math.max(good, fenced)\n"
    "    version = write(pid, good, version, owner, since, name)\n"
    "    redis.call('EXPIRE', key(pid), expiry)\n"
    "    return {'extended', version, digits(good)}\n"
    "end\n"
    "\n"
    "local memory, layout = redis.call('INFO', 'memory'), redis.call('HGET', fence, 'layout')\n"
    "local policy = string.match(memory, 'maxmemory_policy:([%w-]+)') or ''\n"
    "if policy ~= 'noeviction' and string.match(memory, 'maxmemory:(%d+)') ~= '0' then return {'evicts', policy} end\n"
    "if layout and layout ~= ARGV[8] then return {'layout', layout} end\n"
    "local floor = math.max(now, to) + skew + 1\n"
    "for i = tonumber(ARGV[11]), ARGV[11] + ARGV[12] - 1 do\n"
    "    local pid = ARGV[9] + i % ARGV[10]\n"
    "    local fenced, version = read(pid)\n"
    "    if fenced < floor and redis.call('SET', key(pid), ARGV[13], 'NX', 'EX', expiry) then\n"
    "        redis.call('HSET', fence, 'layout', ARGV[8])\n"
    "        version = write(pid, good, version, ARGV[13], digits(now), ARGV[14])\n"
    "        return {'taken', version, digits(good), digits(floor), digits(pid)}\n"
    "    end\n"
    "end\n"
    "return {'none'}\n";

frazil_err fz_sfid_open(struct fz_sfid *sfid, const char *url, frazil_error *reterr)
{
    size_t prefix_len = strlen(FZ_SFID_SCHEME_PREFIX);

    if (strncmp(url, FZ_SFID_SCHEME_PREFIX, prefix_len) != 0)
        return fz_fail(reterr, FRAZIL_ESPEC, "this is not a URL of sfid's keys: write sfid+redis://HOST[:PORT]/APP");
    fz_wipe(sfid, sizeof *sfid);
    frazil_err err = fz_redis_connection_open(&sfid->connection, url + prefix_len, reterr);
    if (err != FRAZIL_OK)
        return err;
    fz_redis_script_start(&sfid->script, script_text);
    struct fz_sentence prefix = fz_sentence_in(sfid->prefix, sizeof sfid->prefix);
    fz_sentence_str(&prefix, "sfid:");
    fz_sentence_str(&prefix, sfid->connection.url.common.name);
    fz_sentence_char(&prefix, ':');
    struct fz_sentence fence = fz_sentence_in(sfid->fence, sizeof sfid->fence);
    fz_sentence_str(&fence, "frazil:sfid:");
    fz_sentence_str(&fence, sfid->connection.url.common.name);
    return FRAZIL_OK;
}

void fz_sfid_close(struct fz_sfid *sfid)
{
    fz_redis_connection_stop(&sfid->connection);
}

void fz_sfid_begin(const struct fz_sfid *sfid, struct fz_redis_call *call, const char *verb,
                   struct fz_deadline deadline)
{
    fz_redis_call_begin(call, sfid->fence, verb, deadline);
    fz_redis_call_text(call, sfid->prefix);
}

bool fz_sfid_says(const redisReply *answer, const char *word, size_t elements)
{
    return answer->elements >= elements && strcmp(answer->element[0]->str, word) == 0;
}

static bool begins_with_text(const redisReply *answer)
{
    return answer->type == REDIS_REPLY_ARRAY && answer->elements > 0 && fz_redis_is_text(answer->element[0]);
}

static bool has_written(const redisReply *answer)
{
    return begins_with_text(answer) && (fz_sfid_says(answer, "taken", 1) || fz_sfid_says(answer, "extended", 1));
}

frazil_err fz_sfid_call(struct fz_sfid *sfid, const struct fz_redis_call *call, redisReply **ret_answer,
                        frazil_error *reterr)
{
    frazil_error said = {.message = ""};
    redisReply *answer;
    enum fz_register_result result =
        fz_redis_call_script(&sfid->connection, &sfid->script, call, has_written, &answer, &said);

    if (result != FZ_REGISTER_OK)
        return fz_session_error(result, &said, reterr);
    if (!begins_with_text(answer)) {
        freeReplyObject(answer);
        return fz_fail(reterr, FRAZIL_EREFUSED, "%s: does not answer like Redis", sfid->connection.shown);
    }
    *ret_answer = answer;
    return FRAZIL_OK;
}
