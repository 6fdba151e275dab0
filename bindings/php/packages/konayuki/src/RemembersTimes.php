<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki;

/** A counter that keeps, for all processes that share it, the times whose keys have expired: their counts are lost. */
interface RemembersTimes
{
    /**
     * Notes $time for this key, before an id of that time is counted. Returns the highest time noted whose keys can have
     * expired, or can do so within half of $ttlSeconds; -1: there is none. Ids of a time up to that one must not be counted.
     */
    public function expiredTime(string $key, int $time, int $ttlSeconds): int;
}
