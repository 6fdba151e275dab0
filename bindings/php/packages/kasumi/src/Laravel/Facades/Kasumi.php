<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Kasumi\Laravel\Facades;

use Illuminate\Support\Facades\Facade;
use Kasumi\Scrambler;

/**
 * @method static \Kasumi\ScrambledValue scramble(int|\Kasumi\ScrambledValue $n)
 * @method static int unscramble(string $text)
 */
final class Kasumi extends Facade
{
    protected static function getFacadeAccessor(): string
    {
        return Scrambler::class;
    }
}
