<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki\Fixed;

use InvalidArgumentException;
use Konayuki\WorkerIdAllocator;

/** Uses the worker id that it was constructed with. */
final class FixedWorkerIdAllocator implements WorkerIdAllocator
{
    public function __construct(public readonly int $workerId)
    {
        if ($workerId < 0) {
            throw new InvalidArgumentException("workerId is {$workerId}: it must be 0 or more");
        }
    }

    public function acquire(): int
    {
        return $this->workerId;
    }

    public function release(): void
    {
    }
}
