<?php
// SPDX-License-Identifier: MIT
// What an id costs, as processor time of one process, the least of five runs: php -d extension=frazil.so bench.php

declare(strict_types=1);

const CALLS = 2000000;

/** Nanoseconds of processor time for each of CALLS rounds of $body, which has the loop. */
function cost(callable $body): float
{
    $least = INF;
    for ($run = 0; $run < 5; $run++) {
        $before = getrusage();
        $body();
        $after = getrusage();
        $least = min($least, ($after['ru_utime.tv_sec'] - $before['ru_utime.tv_sec']) * 1e9
            + ($after['ru_utime.tv_usec'] - $before['ru_utime.tv_usec']) * 1e3);
    }
    return $least / CALLS;
}

$generator = new Frazil\Generator('layout=40/1/22 epoch=2026-01-01 worker=fixed:1 state=memory');
$empty = cost(static function (): void {
    for ($i = 0; $i < CALLS; $i++) {
    }
});
$rows = [
    'next()' => static function () use ($generator): void {
        for ($i = 0; $i < CALLS; $i++) {
            $generator->next();
        }
    },
    'nextString()' => static function () use ($generator): void {
        for ($i = 0; $i < CALLS; $i++) {
            $generator->nextString();
        }
    },
    'nextN(1000), per id' => static function () use ($generator): void {
        for ($i = 0; $i < CALLS; $i += 1000) {
            $generator->nextN(1000);
        }
    },
    'random_int()' => static function (): void {
        for ($i = 0; $i < CALLS; $i++) {
            random_int(0, PHP_INT_MAX);
        }
    },
    'hrtime(true)' => static function (): void {
        for ($i = 0; $i < CALLS; $i++) {
            hrtime(true);
        }
    },
];
foreach ($rows as $name => $body) {
    $ns = cost($body) - (str_contains($name, 'per id') ? 0 : $empty);
    printf("%-22s %6.1f ns\n", $name, $ns);
}
