<?php
// SPDX-License-Identifier: MIT
// What php-fpm serves in fpm.php: who answers, how many generators it has opened in its life, a hundred ids, and ten by
// konayuki's names.

declare(strict_types=1);

require __DIR__ . '/unit/autoload.php';

use Konayuki\Apcu\ApcuAtomicCounter;
use Konayuki\IdGenerator;
use Konayuki\Layout;
use Konayuki\RealTimestamp;
use Konayuki\Sequence\MonotonicSequenceStrategy;
use Konayuki\SystemClock;

$generator = Frazil\Generator::open();
$ids = [...$generator->nextN(99), $generator->next()];
$konayuki = new IdGenerator(new ApcuAtomicCounter(), new SystemClock(), Layout::default(), new RealTimestamp(), new MonotonicSequenceStrategy(), 7);
for ($i = 0; $i < 10; $i++) {
    $ids[] = "konayuki {$konayuki->next()}";
}
ob_start();
(new ReflectionExtension('frazil'))->info();
preg_match('/generators opened\D*(\d+)/', (string) ob_get_clean(), $match);
echo getmypid(), "\n", $match[1], "\n", implode("\n", $ids), "\n";
