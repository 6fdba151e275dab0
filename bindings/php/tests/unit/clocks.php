<?php
// SPDX-License-Identifier: MIT
// PHP's clocks as the classes of Konayuki find them: tests let time pass without a wait.

declare(strict_types=1);

namespace Konayuki;

final class Passed
{
    public static float $wallSeconds = 0;
    public static float $steadySeconds = 0;
}

function microtime(bool $asFloat): float
{
    return \microtime($asFloat) + Passed::$wallSeconds;
}

function hrtime(bool $asNumber): int
{
    return \hrtime($asNumber) + (int) (Passed::$steadySeconds * 1e9);
}
