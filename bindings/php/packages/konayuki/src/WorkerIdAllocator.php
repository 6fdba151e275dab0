<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki;

/** Gives this process its worker id.  It is asked once, when the application starts. */
interface WorkerIdAllocator
{
    /** @throws \RuntimeException if no worker id is available */
    public function acquire(): int;

    /** Gives the worker id back, if it was taken. */
    public function release(): void;
}
