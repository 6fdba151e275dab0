<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki\Sequence;

use Konayuki\SequenceStrategy;

/** Starts each millisecond with 0. */
final class MonotonicSequenceStrategy implements SequenceStrategy
{
    public function initialValue(int $maxSequence): int
    {
        return 0;
    }
}
