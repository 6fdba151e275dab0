<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki\Hint;

use Konayuki\Layout;
use Konayuki\WorkerIdAllocator;
use RuntimeException;

/** A worker id out of the host's name; two hosts can have the same.  A name that hosts without one have is refused. */
final class HostnameHashWorkerIdAllocator implements WorkerIdAllocator
{
    public function __construct(private readonly ?string $hostnameOverride = null, private readonly int $maxWorkers = 1024)
    {
    }

    public static function fromLayout(Layout $layout, ?string $hostnameOverride = null): self
    {
        return new self($hostnameOverride, $layout->maxWorkerId + 1);
    }

    public function acquire(): int
    {
        $name = $this->hostnameOverride ?? (string) gethostname();
        if ($name === '') {
            throw new RuntimeException('the name of this host is empty');
        }
        return Judgement::workerId('hostname-hash', 'hostname', $name, $this->maxWorkers);
    }

    public function release(): void
    {
    }
}
