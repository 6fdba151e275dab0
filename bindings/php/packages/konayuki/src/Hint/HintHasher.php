<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki\Hint;

use InvalidArgumentException;

/** Computes a worker id from a text.  Two texts can get the same. */
final class HintHasher
{
    public static function toWorkerId(string $hint, int $maxWorkers): int
    {
        if ($maxWorkers < 1) {
            throw new InvalidArgumentException("maxWorkers is {$maxWorkers}: it must be 1 or more");
        }
        if ($hint === '') {
            throw new InvalidArgumentException('the hint is empty');
        }
        return crc32($hint) % $maxWorkers;
    }
}
