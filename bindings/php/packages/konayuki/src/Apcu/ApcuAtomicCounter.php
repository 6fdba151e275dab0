<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki\Apcu;

use Konayuki\AtomicCounter;
use RuntimeException;

/**
 * Counts in APCu, which only a custom clock or strategy needs.  With konayuki's own ones IdGenerator takes its ids from
 * frazil, which shares a word of memory among all processes of the host.  APCu need not be installed then.
 */
final class ApcuAtomicCounter implements AtomicCounter
{
    public const DEFAULT_KEY_PREFIX = 'konayuki:seq';

    private int $process = 0;
    private string $sentinel = '';

    public function __construct(private readonly string $keyPrefix = self::DEFAULT_KEY_PREFIX)
    {
    }

    public function nextSequence(string $key, int $initialValue, int $ttlSeconds): int
    {
        if ($this->process === 0) {
            self::requireApcu();
        }
        if (\apcu_add($key, $initialValue, $ttlSeconds)) {
            return $initialValue;
        }
        $value = \apcu_inc($key, 1, $isDone, $ttlSeconds);
        if (!$isDone || !\is_int($value)) {
            throw new RuntimeException("APCu cannot count in {$key}: its memory is full, or the key has text in it");
        }
        return $value;
    }

    public function wasReinitialized(): bool
    {
        $process = \getmypid();
        if ($process !== $this->process) { // the first call, or the first one after a fork
            self::requireApcu();
            $this->process = $process;
            $this->sentinel = "{$this->keyPrefix}:_sentinel:{$process}";
        }
        return \apcu_add($this->sentinel, 1, 0);
    }

    private static function requireApcu(): void
    {
        if (!function_exists('apcu_enabled') || !apcu_enabled()) {
            throw new RuntimeException('APCu is not there: install php-apcu, and set apc.enable_cli=1 for the command line');
        }
    }
}
