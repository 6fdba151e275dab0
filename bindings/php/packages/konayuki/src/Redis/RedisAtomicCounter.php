<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki\Redis;

use InvalidArgumentException;
use Konayuki\AtomicCounter;
use Konayuki\RemembersTimes;
use RuntimeException;

/** Counts in konayuki's keys in Redis, so that both can share worker ids; the client is phpredis or Predis. */
final class RedisAtomicCounter implements AtomicCounter, RemembersTimes
{
    private const COUNT = <<<'LUA'
        if redis.call('SET', KEYS[1], ARGV[1], 'NX') then
            if tonumber(ARGV[2]) > 0 then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
            return tonumber(ARGV[1])
        end
        return redis.call('INCR', KEYS[1])
        LUA;
    /** NotedTimes::note(), by the clock of Redis. It is not a part of COUNT, as a script of a cluster has one key. */
    private const NOTE = <<<'LUA'
        if redis.replicate_commands then redis.replicate_commands() end
        local time, now = tonumber(ARGV[1]), redis.call('TIME')
        local period = math.floor((now[1] * 1000 + math.floor(now[2] / 1000)) / (ARGV[2] * 250))
        local record = redis.call('GET', KEYS[1]) or '-1 -1 -1 -1'
        local noted, expired, last, present = string.match(record, '^(%-?%d+) (%-?%d+) (%-?%d+) (%-?%d+)$')
        if not noted then return redis.error_reply('ERR frazil did not write this record: ' .. KEYS[1]) end
        noted, expired, last, present = tonumber(noted), tonumber(expired), tonumber(last), tonumber(present)
        if period == noted + 1 then
            expired, last, present = math.max(expired, last), present, -1
        elseif period ~= noted then
            expired, last, present = math.max(expired, last, present), -1, -1
        end
        if time > expired then present = math.max(present, time) end
        local changed = string.format('%.0f %.0f %.0f %.0f', period, expired, last, present)
        if changed ~= record then redis.call('SET', KEYS[1], changed) end
        return expired
        LUA;

    public function __construct(private readonly object $client, public readonly string $keyPrefix = '')
    {
        if (!is_callable([$client, 'eval']) || !is_callable([$client, 'set'])) {
            throw new InvalidArgumentException('the client of Redis has no eval() and set(): give one of phpredis or Predis');
        }
    }

    public function nextSequence(string $key, int $initialValue, int $ttlSeconds): int
    {
        return $this->evaluate(self::COUNT, $key, $initialValue, $ttlSeconds);
    }

    public function expiredTime(string $key, int $time, int $ttlSeconds): int
    {
        return $this->evaluate(self::NOTE, $key, $time, $ttlSeconds);
    }

    public function wasReinitialized(): bool
    {
        $key = $this->keyPrefix . '__konayuki_alive__:' . gethostname() . ':' . getmypid();
        $done = $this->isPredis() ? $this->client->set($key, '1', 'NX') : $this->client->set($key, '1', ['NX']);
        return $done === true || (string) $done === 'OK';
    }

    private function evaluate(string $script, string $key, int ...$numbers): int
    {
        $key = $this->keyPrefix . $key;
        $arguments = [$key, ...array_map('strval', $numbers)];
        // phpredis keeps the error of an earlier call; Predis throws.
        $keepsError = method_exists($this->client, 'getLastError') && $this->client->clearLastError();
        $value = $this->isPredis()
            ? $this->client->eval($script, 1, ...$arguments)
            : $this->client->eval($script, $arguments, 1);
        if (!is_int($value)) {
            $why = $keepsError ? $this->client->getLastError() : null;
            throw new RuntimeException("Redis cannot count in {$key}" . ($why === null ? '' : ": {$why}"));
        }
        return $value;
    }

    /** Its eval() takes a list that is spread out, and konayuki's own counter cannot use it. */
    private function isPredis(): bool
    {
        return $this->client instanceof \Predis\ClientInterface;
    }
}
