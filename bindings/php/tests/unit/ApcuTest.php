<?php
// SPDX-License-Identifier: MIT
// Goal of this test: with a strategy of the user's, processes that count in one APCu make no id twice, also after a wipe.

declare(strict_types=1);

use Konayuki\Apcu\ApcuAtomicCounter;
use Konayuki\IdGenerator;
use Konayuki\Layout;
use Konayuki\RealTimestamp;
use Konayuki\SequenceStrategy;
use Konayuki\SystemClock;
use PHPUnit\Framework\TestCase;

final class ApcuTest extends TestCase
{
    protected function setUp(): void
    {
        if (!function_exists('apcu_enabled') || !apcu_enabled()) {
            $this->markTestSkipped('a second run has APCu');
        }
        apcu_clear_cache();
    }

    public function testItCountsAndSeesAWipeInEachProcess(): void
    {
        $counter = new ApcuAtomicCounter('p');
        $this->assertSame([5, 6, 7], array_map(static fn () => $counter->nextSequence('k', 5, 100), range(1, 3)));
        $this->assertSame([true, false], [$counter->wasReinitialized(), $counter->wasReinitialized()]);
        $child = pcntl_fork();
        if ($child === 0) {
            apcu_store('child', [$counter->wasReinitialized(), $counter->wasReinitialized()]);
            posix_kill(getmypid(), SIGKILL); // it must not end as a test run
        }
        pcntl_waitpid($child, $status);
        $this->assertSame([true, false], apcu_fetch('child'));
        apcu_clear_cache();
        $this->assertTrue($counter->wasReinitialized());
    }

    public function testForkedProcessesNeverRepeat(): void
    {
        $strategy = new class implements SequenceStrategy {
            public function initialValue(int $maxSequence): int
            {
                return 0;
            }
        };
        $generator = new IdGenerator(new ApcuAtomicCounter(), new SystemClock(), Layout::default(), new RealTimestamp(), $strategy, 7);
        $this->assertNull($generator->spec());
        $take = static fn (): array => array_map(static fn () => $generator->next()->value, range(1, 2000));
        $children = [];
        for ($i = 0; $i < 4; $i++) {
            if (($children[$i] = pcntl_fork()) === 0) {
                apcu_store("ids-$i", $take());
                posix_kill(getmypid(), SIGKILL);
            }
        }
        $ids = $take();
        foreach ($children as $i => $child) {
            pcntl_waitpid($child, $status);
            $made = apcu_fetch("ids-$i");
            $this->assertCount(2000, $made);
            array_push($ids, ...$made);
        }
        $this->assertCount(10000, array_unique($ids));
    }
}
