<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki\Sequence;

use InvalidArgumentException;
use Konayuki\SequenceStrategy;

/** Starts each millisecond with a random number, which spreads ids over shards if there is little traffic. */
final class RandomSequenceStrategy implements SequenceStrategy
{
    public function initialValue(int $maxSequence): int
    {
        if ($maxSequence < 0) {
            throw new InvalidArgumentException("maxSequence is {$maxSequence}: it must be 0 or more");
        }
        return random_int(0, $maxSequence);
    }
}
