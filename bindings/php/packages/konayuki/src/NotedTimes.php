<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki;

/**
 * The highest times that were noted, by the period in which that was. A period is a quarter of a key's life, so keys of this
 * period's times and of the last one's live for half of that yet.
 */
final class NotedTimes
{
    public function __construct(
        public int $period = -1,
        public int $expired = -1,
        public int $last = -1,
        public int $present = -1,
    ) {
    }

    /** Notes a time and returns the highest expired one, as RemembersTimes has it; $nowMs is by the clock that ends the keys. */
    public function note(int $time, int $nowMs, int $ttlSeconds): int
    {
        $period = intdiv($nowMs, $ttlSeconds * 250);
        if ($period === $this->period + 1) {
            $this->expired = max($this->expired, $this->last);
            [$this->last, $this->present] = [$this->present, -1];
        } elseif ($period !== $this->period) {
            // Also if that clock was set back: nobody knows then which keys it has ended.
            $this->expired = max($this->expired, $this->last, $this->present);
            $this->last = $this->present = -1;
        }
        $this->period = $period;
        if ($time > $this->expired) {
            $this->present = max($this->present, $time);
        }
        return $this->expired;
    }
}
