<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki;

/** Counts the ids of a worker in a millisecond, for all processes that share it. */
interface AtomicCounter
{
    /** Returns the initial value for a new key, and one more at each later call, atomically. A key may expire after $ttlSeconds. */
    public function nextSequence(string $key, int $initialValue, int $ttlSeconds): int;

    /** Returns whether the counter has lost its keys since this process last asked; true at the first call. */
    public function wasReinitialized(): bool;
}
