<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki;

interface SequenceStrategy
{
    /** Returns the first sequence number of a millisecond, from 0 to $maxSequence. */
    public function initialValue(int $maxSequence): int;
}
