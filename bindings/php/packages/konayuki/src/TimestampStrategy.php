<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki;

interface TimestampStrategy
{
    /** Returns the milliseconds since the epoch for the next id. */
    public function compute(Clock $clock, int $epochMs): int;
}
