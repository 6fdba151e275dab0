<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki;

use InvalidArgumentException;

/** The division of an id's 63 bits into fields. */
final class Layout
{
    public readonly int $maxTimestamp;
    public readonly int $maxWorkerId;
    public readonly int $maxSequence;
    public readonly int $workerShift;
    public readonly int $timestampShift;

    public function __construct(
        public readonly int $epochMs,
        public readonly int $timestampBits = 41,
        public readonly int $workerBits = 10,
        public readonly int $sequenceBits = 12,
    ) {
        if (min($timestampBits, $workerBits, $sequenceBits) < 0 || $timestampBits + $workerBits + $sequenceBits !== 63) {
            throw new InvalidArgumentException("the bits of the layout, {$timestampBits}, {$workerBits} and {$sequenceBits}, "
                . 'must sum up to 63');
        }
        $this->maxTimestamp = (1 << $timestampBits) - 1;
        $this->maxWorkerId = (1 << $workerBits) - 1;
        $this->maxSequence = (1 << $sequenceBits) - 1;
        $this->workerShift = $sequenceBits;
        $this->timestampShift = $sequenceBits + $workerBits;
    }

    /** Returns the default layout: 41, 10 and 12 bits since 2026-01-01. */
    public static function default(): self
    {
        return new self(1_767_225_600_000);
    }

    /** Returns the layout as keys of a frazil spec. */
    public function spec(): string
    {
        return "layout={$this->timestampBits}/{$this->workerBits}/{$this->sequenceBits} epoch={$this->epochMs}";
    }
}
