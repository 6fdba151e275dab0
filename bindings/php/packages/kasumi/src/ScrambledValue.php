<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Kasumi;

use OverflowException;
use Stringable;

/** A scrambled id: 64 bits as two halves, and the encoder for its text. */
final class ScrambledValue implements Stringable
{
    public function __construct(
        public readonly int $upper,
        public readonly int $lower,
        private readonly Encoder $encoder,
    ) {
    }

    /** @throws OverflowException above PHP_INT_MAX */
    public function toInt(): int
    {
        $value = $this->upper << 32 | $this->lower;
        if ($value < 0) {
            throw new OverflowException('the scrambled value is above PHP_INT_MAX: give it to scramble() as it is, or take its text');
        }
        return $value;
    }

    public function __toString(): string
    {
        return $this->encoder->encode($this->upper, $this->lower);
    }
}
