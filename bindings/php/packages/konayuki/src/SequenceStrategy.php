<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki;

interface SequenceStrategy
{
    /** The sequence number that a millisecond begins with, from 0 to $maxSequence. */
    public function initialValue(int $maxSequence): int;
}
