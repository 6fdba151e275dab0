<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki;

/** Counts the ids of a worker in a millisecond, for all processes that share it. */
interface AtomicCounter
{
    /** The initial value where the key is new, and one more at each later call, atomically. A key may go after its seconds. */
    public function nextSequence(string $key, int $initialValue, int $ttlSeconds): int;

    /** Whether the counter has lost its keys since this process last asked; true at the first time. */
    public function wasReinitialized(): bool;
}
