<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki\Hint;

use Konayuki\Layout;
use Konayuki\WorkerIdAllocator;

/** Computes a worker id from the host's address.  Two hosts can get the same.  Addresses that every host has are refused. */
final class IpHashWorkerIdAllocator implements WorkerIdAllocator
{
    public function __construct(private readonly ?string $ipOverride = null, private readonly int $maxWorkers = 1024)
    {
    }

    public static function fromLayout(Layout $layout, ?string $ipOverride = null): self
    {
        return new self($ipOverride, $layout->maxWorkerId + 1);
    }

    public function acquire(): int
    {
        return Judgement::workerId('ip-hash', 'ip', $this->ipOverride ?? IpResolver::primaryIp(), $this->maxWorkers);
    }

    public function release(): void
    {
    }
}
