<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki;

interface TimestampStrategy
{
    /** Milliseconds since the epoch, as they stand in the next id. */
    public function compute(Clock $clock, int $epochMs): int;
}
