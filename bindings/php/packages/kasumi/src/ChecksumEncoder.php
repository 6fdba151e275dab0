<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Kasumi;

use InvalidArgumentException;

/** Adds five check digits to another encoder's text: two in front, and three at fixed places inside. */
final class ChecksumEncoder implements Encoder
{
    private const FRONT = 2;
    private const PLACES = [2, 6, 10];
    private const DIGITS = 5;
    private const MODULUS = 36 ** self::DIGITS;

    private readonly int $length;

    public function __construct(private readonly Encoder $inner)
    {
        $this->length = strlen($inner->encode(0, 0)) + self::DIGITS;
    }

    public function encode(int $upper, int $lower): string
    {
        return self::wrap($this->inner->encode($upper, $lower));
    }

    public function decode(string $s): array
    {
        if (strlen($s) !== $this->length) {
            throw new InvalidArgumentException('Invalid encoded ID.');
        }
        $inner = substr($s, self::FRONT);
        foreach (array_reverse(self::PLACES) as $place) {
            $inner = substr_replace($inner, '', $place, 1);
        }
        if (self::wrap($inner) !== $s) {
            throw new InvalidArgumentException('Invalid encoded ID.');
        }
        return $this->inner->decode($inner);
    }

    private static function wrap(string $inner): string
    {
        $sum = 0;
        foreach (unpack('C*', $inner) as $byte) {
            $sum = ($sum * 37 + $byte) % self::MODULUS;
        }
        $digits = str_pad(base_convert((string) $sum, 10, 36), self::DIGITS, '0', STR_PAD_LEFT);
        foreach (self::PLACES as $number => $place) {
            $inner = substr_replace($inner, $digits[self::FRONT + $number], $place, 0);
        }
        return substr($digits, 0, self::FRONT) . $inner;
    }
}
