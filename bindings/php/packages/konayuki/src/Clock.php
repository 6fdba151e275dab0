<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki;

interface Clock
{
    /** Returns the time in Unix milliseconds. */
    public function nowMs(): int;

    public function sleepMicroseconds(int $microseconds): void;
}
