<?php
// SPDX-License-Identifier: MIT
/**
 * What an id costs in PHP: php -d extension=frazil.so -d apc.enable_cli=1 bench.php [SPEC [NAME]].  A line each: name, TAB,
 * nanoseconds for an id, with the loop that it stands in.  The best of many short pieces counts: the one that nothing
 * disturbed.  What needs APCu is left out where it is not loaded.
 */

declare(strict_types=1);

use Konayuki\Apcu\ApcuAtomicCounter;
use Konayuki\IdGenerator;
use Konayuki\Layout;
use Konayuki\RealTimestamp;
use Konayuki\Sequence\MonotonicSequenceStrategy;
use Konayuki\SequenceStrategy;
use Konayuki\SystemClock;

const ROUNDS = 100;
const CALLS = 5000;
const BATCH = 10000;

spl_autoload_register(static function (string $class): void {
    require __DIR__ . '/packages/konayuki/src/' . strtr(substr($class, strlen('Konayuki\\')), '\\', '/') . '.php';
});

/**
 * A strategy of the user's: with it our classes count each id in APCu, by the calls that konayuki makes.  That row measures our
 * PHP code: konayuki's own is not here.
 */
final class FromZero implements SequenceStrategy
{
    public function initialValue(int $maxSequence): int
    {
        return 0;
    }
}

/** Ids to spare: no call waits for the next millisecond. */
function konayuki(SequenceStrategy $sequence): IdGenerator
{
    return new IdGenerator(new ApcuAtomicCounter(), new SystemClock(), new Layout(1_767_225_600_000, 40, 1, 22), new RealTimestamp(), $sequence, 1);
}

$spec = $argv[1] ?? 'layout=40/1/22 worker=fixed:1 state=memory';
$ids = Frazil\Generator::open($spec);
$name = $argv[2] ?? 'PHP';
$dropIn = konayuki(new MonotonicSequenceStrategy());
$counted = konayuki(new FromZero());

// Name, function with a loop of its own, ids that it makes.
$cases = [
    ["$name, an empty loop", static function (): void {
        for ($i = 0; $i < CALLS; $i++) {
        }
    }, CALLS],
    ["$name, a call", static function () use ($ids): void {
        for ($i = 0; $i < CALLS; $i++) {
            $ids->next();
        }
    }, CALLS],
    ["$name, open() of one that is open", static function () use ($spec): void {
        for ($i = 0; $i < CALLS; $i++) {
            Frazil\Generator::open($spec);
        }
    }, CALLS],
    ["$name, a call as text", static function () use ($ids): void {
        for ($i = 0; $i < CALLS; $i++) {
            $ids->nextString();
        }
    }, CALLS],
    ["$name, lists of " . BATCH, static function () use ($ids): void {
        $ids->nextN(BATCH);
    }, BATCH],
    ["$name, Konayuki\\IdGenerator", static function () use ($dropIn): void {
        for ($i = 0; $i < CALLS; $i++) {
            $dropIn->next();
        }
    }, CALLS],
    ["$name, our classes counting in APCu", static function () use ($counted): void {
        for ($i = 0; $i < CALLS; $i++) {
            $counted->next();
        }
    }, CALLS],
    ["$name, hrtime(true)", static function (): void {
        for ($i = 0; $i < CALLS; $i++) {
            hrtime(true);
        }
    }, CALLS],
    ["$name, random_int()", static function (): void {
        for ($i = 0; $i < CALLS; $i++) {
            random_int(0, PHP_INT_MAX);
        }
    }, CALLS],
];
if (!function_exists('apcu_enabled') || !apcu_enabled()) {
    $cases = array_filter($cases, static fn (array $case): bool => !str_contains($case[0], 'APCu'));
}
$best = array_fill_keys(array_column($cases, 0), INF);
for ($round = 0; $round < ROUNDS; $round++) {
    foreach ($cases as [$what, $body, $made]) {
        $begun = hrtime(true);
        $body();
        $best[$what] = min($best[$what], (hrtime(true) - $begun) / $made);
    }
}
foreach ($best as $what => $ns) {
    printf("%s\t%.4f\n", $what, $ns);
}
