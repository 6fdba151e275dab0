<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Kasumi;

use InvalidArgumentException;

/** Writes each half as 7 digits of base 36, in lower case. */
final class Base36Encoder implements Encoder
{
    private const HALF = 7;
    private const MAX = 0xFFFFFFFF;

    public function encode(int $upper, int $lower): string
    {
        return self::half($upper) . self::half($lower);
    }

    public function decode(string $s): array
    {
        if (preg_match('/^[0-9a-z]{14}$/D', $s) !== 1) {
            throw new InvalidArgumentException('Invalid encoded ID: it must be 14 digits and lower-case letters.');
        }
        $halves = array_map(static fn (string $half): int => (int) base_convert($half, 36, 10), str_split($s, self::HALF));
        if (max($halves) > self::MAX) {
            throw new InvalidArgumentException('Invalid encoded ID: a half of it is above 2^32 - 1.');
        }
        return $halves;
    }

    private static function half(int $half): string
    {
        return str_pad(base_convert((string) $half, 10, 36), self::HALF, '0', STR_PAD_LEFT);
    }
}
