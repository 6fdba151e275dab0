<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Kasumi;

/** Converts 64 bits, given as two halves of 32, to text and back. */
interface Encoder
{
    public function encode(int $upper, int $lower): string;

    /**
     * @return array{int, int} the upper and the lower half
     * @throws \InvalidArgumentException if the text is not of this form
     */
    public function decode(string $s): array;
}
