<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki\Redis;

use InvalidArgumentException;
use Konayuki\AtomicCounter;
use RuntimeException;

/** Counts in konayuki's keys in Redis, so that both can share worker ids; the client is phpredis or Predis. */
final class RedisAtomicCounter implements AtomicCounter
{
    private const COUNT = <<<'LUA'
        if redis.call('SET', KEYS[1], ARGV[1], 'NX') then
            if tonumber(ARGV[2]) > 0 then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
            return tonumber(ARGV[1])
        end
        return redis.call('INCR', KEYS[1])
        LUA;

    public function __construct(private readonly object $client, public readonly string $keyPrefix = '')
    {
        if (!is_callable([$client, 'eval']) || !is_callable([$client, 'set'])) {
            throw new InvalidArgumentException('the client of Redis has no eval() and set(): give one of phpredis or Predis');
        }
    }

    public function nextSequence(string $key, int $initialValue, int $ttlSeconds): int
    {
        $key = $this->keyPrefix . $key;
        $arguments = [$key, (string) $initialValue, (string) $ttlSeconds];
        $value = $this->isPredis()
            ? $this->client->eval(self::COUNT, 1, ...$arguments)
            : $this->client->eval(self::COUNT, $arguments, 1);
        if (!is_int($value)) {
            throw new RuntimeException("Redis cannot count in {$key}");
        }
        return $value;
    }

    public function wasReinitialized(): bool
    {
        $key = $this->keyPrefix . '__konayuki_alive__:' . gethostname() . ':' . getmypid();
        $done = $this->isPredis() ? $this->client->set($key, '1', 'NX') : $this->client->set($key, '1', ['NX']);
        return $done === true || (string) $done === 'OK';
    }

    /** Its eval() takes a list that is spread out, and konayuki's own counter cannot use it. */
    private function isPredis(): bool
    {
        return $this->client instanceof \Predis\ClientInterface;
    }
}
