<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki;

use InvalidArgumentException;
use Stringable;

/** An id, and the layout with which it was made. */
final class SnowflakeId implements Stringable
{
    private function __construct(public readonly int $value, public readonly Layout $layout)
    {
    }

    public static function compose(int $relativeTimestamp, int $workerId, int $sequence, Layout $layout): self
    {
        self::check('relativeTimestamp', $relativeTimestamp, $layout->maxTimestamp);
        self::check('workerId', $workerId, $layout->maxWorkerId);
        self::check('sequence', $sequence, $layout->maxSequence);
        return new self(
            $relativeTimestamp << $layout->timestampShift | $workerId << $layout->workerShift | $sequence,
            $layout,
        );
    }

    public static function fromInt(int $value, Layout $layout): self
    {
        if ($value < 0) {
            throw new InvalidArgumentException("{$value} is no id: ids are never negative");
        }
        return new self($value, $layout);
    }

    /** Returns the id's time in Unix milliseconds. */
    public function timestamp(): int
    {
        return ($this->value >> $this->layout->timestampShift) + $this->layout->epochMs;
    }

    public function workerId(): int
    {
        return $this->value >> $this->layout->workerShift & $this->layout->maxWorkerId;
    }

    public function sequence(): int
    {
        return $this->value & $this->layout->maxSequence;
    }

    /** Returns the shard from 0 to $shardCount - 1, by CRC-32 of the decimal text: evenly distributed. */
    public function shardKey(int $shardCount): int
    {
        if ($shardCount < 1) {
            throw new InvalidArgumentException("shardCount is {$shardCount}: it must be 1 or more");
        }
        return crc32((string) $this->value) % $shardCount;
    }

    public function __toString(): string
    {
        return (string) $this->value;
    }

    private static function check(string $name, int $value, int $max): void
    {
        if ($value < 0 || $value > $max) {
            throw new InvalidArgumentException("{$name} is {$value}: it must be from 0 to {$max}");
        }
    }
}
