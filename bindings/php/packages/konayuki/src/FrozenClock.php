<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki;

/** A clock for tests: only sleeping and advance() move it. */
final class FrozenClock implements Clock
{
    public function __construct(private int $nowMs)
    {
    }

    public function nowMs(): int
    {
        return $this->nowMs;
    }

    public function sleepMicroseconds(int $microseconds): void
    {
        $this->advance((int) ceil($microseconds / 1000));
    }

    public function advance(int $ms): void
    {
        $this->nowMs += $ms;
    }
}
