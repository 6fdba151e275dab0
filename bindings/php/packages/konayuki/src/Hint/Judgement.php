<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki\Hint;

use Frazil\Generator;
use Frazil\UsageException;
use InvalidArgumentException;
use RuntimeException;

/**
 * Returns the worker id that frazil computes from a name or an address.  It refuses values that many hosts have, such as
 * `localhost` and 127.0.0.1.  Only the library has the list of these.
 */
final class Judgement
{
    private const LARGEST = 1 << 22;

    /** @throws RuntimeException if the hint does not identify a host */
    public static function workerId(string $source, string $key, string $hint, int $maxWorkers): int
    {
        if ($maxWorkers < 1 || $maxWorkers > self::LARGEST) {
            throw new InvalidArgumentException("maxWorkers is {$maxWorkers}: it must be from 1 to " . self::LARGEST);
        }
        try {
            // A frozen clock: it gives no ids, and so it claims no worker id that others of this host ask for in the same moment.
            return (new Generator([
                'layout' => '40/22/1',
                'allow_short_life' => true,
                'clock' => 'frozen:2026-05-01',
                'state' => 'memory',
                'worker' => $source,
                $key => $hint,
                'base' => 0,
                'count' => $maxWorkers,
                'expect' => $source === 'ip-last-octet' ? null : 1,
            ]))->info()['worker'];
        } catch (UsageException $e) {
            throw new RuntimeException($e->getMessage(), $e->getCode(), $e);
        }
    }
}
