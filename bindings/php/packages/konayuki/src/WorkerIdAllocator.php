<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki;

/** Says which worker id is ours; asked once, when the application starts. */
interface WorkerIdAllocator
{
    /** @throws \RuntimeException where there is none to have */
    public function acquire(): int;

    /** Gives it back, where it was taken. */
    public function release(): void;
}
