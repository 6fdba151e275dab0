<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki\Hint;

use InvalidArgumentException;
use Konayuki\Layout;
use Konayuki\WorkerIdAllocator;

/** Uses the last number of the host's IPv4 address, for hosts of one /24 network. */
final class IpLastOctetWorkerIdAllocator implements WorkerIdAllocator
{
    public function __construct(private readonly ?string $ipOverride = null, private readonly int $maxWorkers = 1024)
    {
        if ($maxWorkers < 256) {
            throw new InvalidArgumentException("maxWorkers is {$maxWorkers}: the last number of an address needs 256 or more");
        }
    }

    public static function fromLayout(Layout $layout, ?string $ipOverride = null): self
    {
        return new self($ipOverride, $layout->maxWorkerId + 1);
    }

    public function acquire(): int
    {
        return Judgement::workerId('ip-last-octet', 'ip', $this->ipOverride ?? IpResolver::primaryIpv4(), $this->maxWorkers);
    }

    public function release(): void
    {
    }
}
