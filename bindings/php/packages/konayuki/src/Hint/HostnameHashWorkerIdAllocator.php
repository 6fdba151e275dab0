<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki\Hint;

use Konayuki\Layout;
use Konayuki\WorkerIdAllocator;
use RuntimeException;

/** Computes a worker id from the host's name.  Two hosts can get the same.  Default names such as localhost are refused. */
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
