<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Kasumi;

/** The text of 64 bits, given as two halves of 32. */
interface Encoder
{
    public function encode(int $upper, int $lower): string;

    /**
     * @return array{int, int} the upper and the lower half
     * @throws \InvalidArgumentException where it is no such text
     */
    public function decode(string $s): array;
}
