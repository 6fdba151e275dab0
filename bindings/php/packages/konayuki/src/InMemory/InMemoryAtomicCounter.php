<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki\InMemory;

use Konayuki\AtomicCounter;
use Konayuki\RemembersTimes;

/** Counts in this process only: for tests, with a custom clock. */
final class InMemoryAtomicCounter implements AtomicCounter, RemembersTimes
{
    /** @var array<string, int> */
    private array $counts = [];
    private bool $isNew = true;

    public function nextSequence(string $key, int $initialValue, int $ttlSeconds): int
    {
        return $this->counts[$key] = isset($this->counts[$key]) ? $this->counts[$key] + 1 : $initialValue;
    }

    /** Its keys do not expire. */
    public function expiredTime(string $key, int $time, int $ttlSeconds): int
    {
        return -1;
    }

    public function wasReinitialized(): bool
    {
        $wasNew = $this->isNew;
        $this->isNew = false;
        return $wasNew;
    }

    public function clear(): void
    {
        $this->counts = [];
        $this->isNew = true;
    }
}
