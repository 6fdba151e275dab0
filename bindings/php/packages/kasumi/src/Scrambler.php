<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Kasumi;

use Frazil\Id;
use InvalidArgumentException;

/** Scrambles ids, so that neighbours look unrelated, and is its own inverse.  It hides nothing from an attacker. */
final class Scrambler
{
    private readonly int $salt;

    /** @param int $salt odd; its low 32 bits count */
    public function __construct(int $salt, private readonly Encoder $encoder = new Base36Encoder())
    {
        if ($salt % 2 === 0) {
            throw new InvalidArgumentException("Salt must be odd: {$salt} is even.");
        }
        $this->salt = $salt & 0xFFFFFFFF;
    }

    public static function fromSalt(int $salt, Encoder $encoder = new Base36Encoder()): self
    {
        return new self($salt, $encoder);
    }

    public function scramble(int|ScrambledValue $n): ScrambledValue
    {
        if (is_int($n) && $n < 0) {
            throw new InvalidArgumentException("Value must be non-negative: {$n} is not.");
        }
        $id = is_int($n) ? $n : Id::fromBytes(pack('NN', $n->upper, $n->lower));
        [1 => $upper, 2 => $lower] = unpack('N2', Id::toBytes(Id::kasumi($this->salt, $id)));
        return new ScrambledValue($upper, $lower, $this->encoder);
    }

    /** Returns the id of a text that the scrambler's encoder has made. */
    public function unscramble(string $text): int
    {
        return $this->scramble(new ScrambledValue(...[...$this->encoder->decode($text), $this->encoder]))->toInt();
    }
}
