<?php
// SPDX-License-Identifier: MIT
// Goal of this test: Konayuki's classes do what konayuki documents; frazil makes the ids where all parts are konayuki's.

declare(strict_types=1);

use Konayuki\Apcu\ApcuAtomicCounter;
use Konayuki\AtomicCounter;
use Konayuki\Clock;
use Konayuki\File\FileAtomicCounter;
use Konayuki\FileLock\FileLockWorkerIdAllocator;
use Konayuki\Fixed\FixedWorkerIdAllocator;
use Konayuki\FrozenClock;
use Konayuki\Hint\HintHasher;
use Konayuki\Hint\HostnameHashWorkerIdAllocator;
use Konayuki\Hint\IpHashWorkerIdAllocator;
use Konayuki\Hint\IpLastOctetWorkerIdAllocator;
use Konayuki\Hint\IpResolver;
use Konayuki\IdGenerator;
use Konayuki\InMemory\InMemoryAtomicCounter;
use Konayuki\Layout;
use Konayuki\NotedTimes;
use Konayuki\Passed;
use Konayuki\RealTimestamp;
use Konayuki\Redis\RedisAtomicCounter;
use Konayuki\RemembersTimes;
use Konayuki\Sequence\MonotonicSequenceStrategy;
use Konayuki\Sequence\RandomSequenceStrategy;
use Konayuki\SequenceStrategy;
use Konayuki\SnowflakeId;
use Konayuki\SystemClock;
use Konayuki\TimestampStrategy;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/clocks.php';

final class KonayukiTest extends TestCase
{
    private const NOW = 1_800_000_000_000;

    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/konayuki-test-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
    }

    protected function tearDown(): void
    {
        array_map('unlink', glob("{$this->folder}/*"));
        rmdir($this->folder);
    }

    /** The rows of a table of golden values, by the names of its first line. */
    private static function rows(string $table): array
    {
        $lines = array_map(
            static fn (string $line): array => explode("\t", $line),
            file(__DIR__ . "/../../../../tests/vectors/{$table}", FILE_IGNORE_NEW_LINES),
        );
        $names = array_shift($lines);
        return array_map(static fn (array $fields): array => array_combine($names, $fields), $lines);
    }

    private function generator(
        AtomicCounter $counter,
        Clock $clock,
        ?Layout $layout = null,
        SequenceStrategy $sequence = new MonotonicSequenceStrategy(),
    ): IdGenerator {
        return new IdGenerator($counter, $clock, $layout ?? Layout::default(), new RealTimestamp(), $sequence, 7);
    }

    public function testFrazilMakesTheIdsOfItsOwnPartsWithoutApcu(): void
    {
        foreach ([new MonotonicSequenceStrategy(), new RandomSequenceStrategy()] as $sequence) {
            $generator = $this->generator(new ApcuAtomicCounter(), new SystemClock(), null, $sequence);
            $this->assertStringContainsString('worker=fixed:7', $generator->spec());
            $before = (int) (microtime(true) * 1000);
            $ids = array_map(static fn () => $generator->next(), range(1, 9000));
            $this->assertCount(9000, array_unique(array_map('strval', $ids)));
            $this->assertSame(7, $ids[0]->workerId());
            $this->assertEqualsWithDelta($before, $ids[0]->timestamp(), 60_000);
            $values = array_map(static fn (SnowflakeId $id) => $id->value, $ids);
            $sorted = $values;
            sort($sorted);
            $this->assertSame($sorted, $values);
        }
        $this->assertNotNull($this->generator(new InMemoryAtomicCounter(), new SystemClock())->spec());
    }

    public function testNamedArgumentsAsKonayukisReadmeHasThem(): void
    {
        $generator = new IdGenerator(
            counter: new ApcuAtomicCounter(),
            clock: new SystemClock(),
            layout: new Layout(epochMs: 1_767_225_600_000),
            timestamp: new RealTimestamp(),
            workerId: 0,
        );
        $this->assertSame(0, $generator->next()->workerId());
        $this->expectExceptionMessage('workerId');
        new IdGenerator(new ApcuAtomicCounter(), new SystemClock(), Layout::default(), new RealTimestamp());
    }

    public function testTwoGeneratorsOfOneWorkerNeverRepeat(): void
    {
        $one = $this->generator(new InMemoryAtomicCounter(), new SystemClock());
        $two = $this->generator(new ApcuAtomicCounter('another'), new SystemClock());
        $ids = [];
        for ($i = 0; $i < 3000; $i++) {
            array_push($ids, $one->next()->value, $two->next()->value);
        }
        $this->assertCount(6000, array_unique($ids));
    }

    public function testPartsOfYoursAreAskedInPhp(): void
    {
        $clock = new FrozenClock(self::NOW);
        $counter = new InMemoryAtomicCounter();
        $counter->wasReinitialized();
        $generator = $this->generator($counter, $clock, new Layout(0, 41, 18, 4));
        $this->assertNull($generator->spec());
        for ($sequence = 0; $sequence < 16; $sequence++) {
            $id = $generator->next();
            $this->assertSame([self::NOW, 7, $sequence], [$id->timestamp(), $id->workerId(), $id->sequence()]);
        }
        $this->assertSame(self::NOW + 1, $generator->next()->timestamp(), 'a full millisecond is waited for');
        $counter->clear();
        $this->assertSame(self::NOW + 2, $generator->next()->timestamp(), 'after a wipe the millisecond is left');

        $strategy = new class implements SequenceStrategy {
            public function initialValue(int $maxSequence): int
            {
                return $maxSequence - 1;
            }
        };
        $own = $this->generator(new InMemoryAtomicCounter(), new SystemClock(), null, $strategy);
        $this->assertNull($own->spec());
        $this->assertSame(4094, $own->next()->sequence());
    }

    /** A counter whose first answers take as long as that, by the clock on the wall and by the one that nobody sets. */
    private function lateCounter(int $lateAnswers, float $wallSeconds, float $steadySeconds): AtomicCounter
    {
        return new class ($lateAnswers, $wallSeconds, $steadySeconds) implements AtomicCounter {
            public int $calls = 0;

            public function __construct(private int $lateAnswers, private float $wallSeconds, private float $steadySeconds)
            {
            }

            public function nextSequence(string $key, int $initialValue, int $ttlSeconds): int
            {
                if (++$this->calls <= $this->lateAnswers) {
                    Passed::$wallSeconds += $this->wallSeconds;
                    Passed::$steadySeconds += $this->steadySeconds;
                }
                return $this->calls;
            }

            public function wasReinitialized(): bool
            {
                return false;
            }
        };
    }

    /**
     * @testWith [1.5, 1.5]
     *           [1.5, 0]
     *           [0, 1.5]
     *           [-3600, 1.5]
     */
    public function testALateAnswerIsNotUsedAsItsKeyMayHaveExpired(float $wallSeconds, float $steadySeconds): void
    {
        $late = $this->lateCounter(9, $wallSeconds, $steadySeconds);
        $id = $this->generator($late, new FrozenClock(self::NOW), new Layout(0))->next();
        $this->assertSame($late->calls, $id->sequence());
        // Its time is later than those that were counted: their keys may have expired as well.
        $this->assertSame(self::NOW + 9, $id->timestamp());
        $this->assertGreaterThanOrEqual(10, $late->calls);
    }

    public function testACounterThatIsAlwaysLateIsAnError(): void
    {
        $this->expectException(RuntimeException::class);
        $this->expectExceptionMessage('no id: the counter answers later than its key lives');
        $this->generator($this->lateCounter(PHP_INT_MAX, 1.5, 1.5), new FrozenClock(self::NOW), new Layout(0))->next();
    }

    /** Ids of five milliseconds, by a clock that begins there. */
    private function take(AtomicCounter $counter, int $nowMs): array
    {
        $clock = new FrozenClock($nowMs);
        $generator = $this->generator($counter, $clock, new Layout(0));
        $ids = [];
        for ($i = 0; $i < 5; $i++) {
            $ids[] = $generator->next()->value;
            $clock->advance(1);
        }
        return $ids;
    }

    public function testAClockThatIsSetBackBeyondTheLifeOfItsKeysRepeatsNoId(): void
    {
        $file = fn (): AtomicCounter => new FileAtomicCounter("{$this->folder}/counter.json");
        $forgetful = $this->forgetfulCounter();
        $before = [$this->take($file(), self::NOW), $this->take($forgetful, self::NOW)];
        $this->assertCount(10, array_unique([...$before[0], ...$this->take($file(), self::NOW)]), 'a step within their life counts on');
        usleep(3_100_000); // the life of the keys in the file
        $forgetful->counts = [];
        foreach ([$file(), $forgetful] as $i => $counter) {
            $after = $this->take($counter, self::NOW);
            $this->assertGreaterThan(max($before[$i]), min($after), $counter::class);
            try {
                $this->take($counter, self::NOW - 60_000);
                $this->fail('an id of a minute ago');
            } catch (RuntimeException $e) {
                $this->assertMatchesRegularExpression('/was set back: it is 600\d\d ms behind the ids/', $e->getMessage());
            }
        }
    }

    /** A counter that remembers no times. */
    private function forgetfulCounter(): AtomicCounter
    {
        return new class implements AtomicCounter {
            public array $counts = [];

            public function nextSequence(string $key, int $initialValue, int $ttlSeconds): int
            {
                return $this->counts[$key] = ($this->counts[$key] ?? $initialValue - 1) + 1;
            }

            public function wasReinitialized(): bool
            {
                return false;
            }
        };
    }

    /** A counter of two hosts, and of the ids that the other one makes meanwhile. */
    private function sharedCounter(): AtomicCounter
    {
        return new class implements AtomicCounter, RemembersTimes {
            public int $aheadMs = 0;
            private NotedTimes $noted;

            public function __construct()
            {
                $this->noted = new NotedTimes();
            }

            public function expiredTime(string $key, int $time, int $ttlSeconds): int
            {
                $nowMs = (int) (\Konayuki\microtime(true) * 1000);
                for ($ms = max(0, $this->noted->period * 500); $ms > 0 && $ms < $nowMs; $ms += 100) {
                    $this->noted->note($ms + $this->aheadMs, $ms, $ttlSeconds);
                }
                return $this->noted->note($time, $nowMs, $ttlSeconds);
            }

            public function nextSequence(string $key, int $initialValue, int $ttlSeconds): int
            {
                return $initialValue;
            }

            public function wasReinitialized(): bool
            {
                return false;
            }
        };
    }

    /** A clock whose sleeps take no time of the test. */
    private function passingClock(): Clock
    {
        return new class implements Clock {
            public function nowMs(): int
            {
                return (int) (\Konayuki\microtime(true) * 1000);
            }

            public function sleepMicroseconds(int $microseconds): void
            {
                Passed::$wallSeconds += $microseconds / 1e6;
                Passed::$steadySeconds += $microseconds / 1e6;
            }
        };
    }

    public function testAHostThatIsFurtherBehindThanOthersMakeIdsGetsAnError(): void
    {
        $counter = $this->sharedCounter();
        $generator = $this->generator($counter, $this->passingClock(), new Layout(0));
        foreach ([0, 400] as $aheadMs) {
            $counter->aheadMs = $aheadMs;
            for ($i = 0; $i < 20; $i++) {
                $generator->next();
                Passed::$wallSeconds += 0.1;
                Passed::$steadySeconds += 0.1;
            }
        }
        $counter->aheadMs = 1500;
        $began = Passed::$steadySeconds;
        try {
            for ($i = 0; $i < 20; $i++) {
                $generator->next();
                Passed::$wallSeconds += 0.5;
                Passed::$steadySeconds += 0.5;
                $began = Passed::$steadySeconds;
            }
            $this->fail('an id by a clock that is 1.5 s behind');
        } catch (RuntimeException $e) {
            $this->assertMatchesRegularExpression('/other hosts, .* make ids of the worker id 7 .* set the clocks alike/', $e->getMessage());
        }
        $this->assertEqualsWithDelta(9, Passed::$steadySeconds - $began, 2);
    }

    public function testGeneratorsOfOtherEpochsRememberOtherTimes(): void
    {
        $file = new FileAtomicCounter("{$this->folder}/counter.json");
        foreach ([$this->forgetfulCounter(), $file] as $counter) {
            $this->take($counter, self::NOW);
            Passed::$wallSeconds += 3;
            Passed::$steadySeconds += 3;
            if ($counter === $file) {
                usleep(1_100_000); // until a time counts as expired
            }
            $this->take($counter, self::NOW + 1000);
            $id = $this->generator($counter, new FrozenClock(self::NOW + 1000))->next();
            $this->assertSame(self::NOW + 1000, $id->timestamp(), $counter::class);
        }
    }

    public function testTimesOfAStrategyOfYoursAreNotCalledMilliseconds(): void
    {
        $seconds = new class implements TimestampStrategy {
            public function compute(Clock $clock, int $epochMs): int
            {
                return intdiv($clock->nowMs() - $epochMs, 1000);
            }
        };
        $clock = new FrozenClock(self::NOW);
        $generator = new IdGenerator($this->forgetfulCounter(), $clock, new Layout(0), $seconds, workerId: 7);
        $generator->next();
        $clock->advance(-20_000_000);
        Passed::$wallSeconds += 3;
        Passed::$steadySeconds += 3;
        $this->expectExceptionMessage('it is 20000 steps of its strategy behind the ids');
        $generator->next();
    }

    public function testAClockThatStandsAndACounterThatIsFullAreErrors(): void
    {
        $clock = new class implements Clock {
            public function nowMs(): int
            {
                return Layout::default()->epochMs + 5;
            }

            public function sleepMicroseconds(int $microseconds): void
            {
            }
        };
        $this->expectException(RuntimeException::class);
        $this->generator(new InMemoryAtomicCounter(), $clock)->next();
    }

    public function testTimesOutsideOfTheLayoutAreErrors(): void
    {
        $this->expectException(RuntimeException::class);
        $this->generator(new InMemoryAtomicCounter(), new FrozenClock(0))->next();
    }

    public function testAWrongSettingOfTheHostIsARuntimeExceptionWithItsCause(): void
    {
        $before = getenv('FRAZIL_STATE_DIR');
        putenv('FRAZIL_STATE_DIR=no/absolute/path');
        try {
            (new IdGenerator(new InMemoryAtomicCounter(), new SystemClock(), Layout::default(), new RealTimestamp(), workerId: 614))->next();
            $this->fail('it takes any directory');
        } catch (RuntimeException $e) {
            $this->assertInstanceOf(Frazil\UsageException::class, $e->getPrevious());
            $this->assertStringContainsString('absolute path', $e->getMessage());
        } finally {
            putenv($before === false ? 'FRAZIL_STATE_DIR' : "FRAZIL_STATE_DIR=$before");
        }
    }

    public function testGoldenIds(): void
    {
        $count = 0;
        foreach (self::rows('konayuki.tsv') as $row) {
            $row = array_map('intval', $row);
            $layout = new Layout($row['epoch_ms'], $row['time_bits'], $row['worker_bits'], $row['seq_bits']);
            $id = SnowflakeId::compose($row['rel_ms'], $row['worker'], $row['sequence'], $layout);
            $this->assertSame([$row['id'], $row['unix_ms']], [$id->value, $id->timestamp()]);
            $this->assertSame([$row['worker'], $row['sequence']], [$id->workerId(), $id->sequence()]);
            $this->assertSame([$row['shard16'], $row['shard7']], [$id->shardKey(16), $id->shardKey(7)]);
            $this->assertEquals($id, SnowflakeId::fromInt($row['id'], $layout));
            $count++;
        }
        $this->assertGreaterThan(100, $count);
        foreach (self::rows('workerhash.tsv') as $row) {
            $this->assertSame((int) $row['worker'], HintHasher::toWorkerId($row['hint'], (int) $row['max_workers']));
        }
    }

    public function testTheFileCounterIsKonayukis(): void
    {
        $counter = new FileAtomicCounter("{$this->folder}/counter.json");
        $this->assertTrue($counter->wasReinitialized());
        $this->assertFalse($counter->wasReinitialized());
        file_put_contents("{$this->folder}/counter.json", json_encode(['k' => [41, time() + 100], 'old' => [9, 1]]));
        $this->assertSame([42, 43, 5, 6], [
            $counter->nextSequence('k', 0, 2), $counter->nextSequence('k', 0, 2),
            $counter->nextSequence('old', 5, 2), $counter->nextSequence('old', 5, 2),
        ]);
        $this->assertTrue($counter->wasReinitialized(), 'its sentinel went with the file');
        $this->assertSame(43, json_decode(file_get_contents("{$this->folder}/counter.json"), true)['k'][0]);
        $this->assertNull($this->generator($counter, new SystemClock())->spec(), 'others can count there as well');
    }

    public function testWhatIsNoClientOfRedisIsRefused(): void
    {
        $this->expectException(InvalidArgumentException::class);
        new RedisAtomicCounter(new stdClass());
    }

    public function testFileLocks(): void
    {
        $one = new FileLockWorkerIdAllocator($this->folder, 2);
        $two = new FileLockWorkerIdAllocator($this->folder, 2);
        $this->assertSame([0, 0, 1], [$one->acquire(), $one->acquire(), $two->acquire()]);
        $this->assertFileExists("{$this->folder}/worker-0.lock");
        try {
            (new FileLockWorkerIdAllocator($this->folder, 2))->acquire();
            $this->fail('a third one got a worker id of two');
        } catch (RuntimeException $e) {
            $this->assertStringContainsString($this->folder, $e->getMessage());
        }
        $one->release();
        $this->assertSame(0, (new FileLockWorkerIdAllocator($this->folder, 2))->acquire());
    }

    public function testAForkedChildTakesAWorkerIdOfItsOwn(): void
    {
        $allocator = new FileLockWorkerIdAllocator($this->folder, 8);
        $this->assertSame(0, $allocator->acquire());
        $child = pcntl_fork();
        if ($child === 0) {
            $number = $allocator->acquire();
            $allocator->release();
            file_put_contents("{$this->folder}/child", (string) $number);
            posix_kill(getmypid(), SIGKILL); // it must not end as a test run
        }
        pcntl_waitpid($child, $status);
        $this->assertSame('1', file_get_contents("{$this->folder}/child"));
        $this->assertSame(1, (new FileLockWorkerIdAllocator($this->folder, 8))->acquire(), 'the parent still has 0');
    }

    public function testAProgramThatWasStartedHoldsNoWorkerId(): void
    {
        $program = 'require "$argv[1]/WorkerIdAllocator.php"; require "$argv[1]/FileLock/FileLockWorkerIdAllocator.php";'
            . ' $allocator = new Konayuki\FileLock\FileLockWorkerIdAllocator($argv[2], 8); $allocator->acquire(); $started = proc_open(["sleep", "600"], [], $pipes);'
            . ' echo proc_get_status($started)["pid"], "\n"; fgets(STDIN);';
        $words = [PHP_BINARY, '-n', '-r', $program, '--', __DIR__ . '/../../packages/konayuki/src', $this->folder];
        $process = proc_open($words, [['pipe', 'r'], ['pipe', 'w']], $pipes);
        $started = (int) fgets($pipes[1]);
        proc_terminate($process, SIGKILL);
        proc_close($process);
        try {
            $this->assertGreaterThan(0, $started);
            $this->assertSame(0, (new FileLockWorkerIdAllocator($this->folder, 8))->acquire());
        } finally {
            if ($started > 0) { // 0 is the group of this process
                posix_kill($started, SIGKILL);
            }
        }
    }

    public function testALockFileThatCannotBeOpenedIsNamed(): void
    {
        mkdir("{$this->folder}/worker-0.lock");
        try {
            $this->expectExceptionMessage('worker-0.lock');
            (new FileLockWorkerIdAllocator($this->folder, 8))->acquire();
        } finally {
            rmdir("{$this->folder}/worker-0.lock");
        }
    }

    public function testWorkerIdsByHint(): void
    {
        $layout = Layout::default();
        // Those of other processes that ask in the same moment are in nobody's way.
        $other = new \Frazil\Generator('layout=40/22/1 allow_short_life=yes worker=fixed:725 state=memory');
        $this->assertSame(725, HostnameHashWorkerIdAllocator::fromLayout($layout, 'app-3')->acquire());
        $this->assertSame(725, $other->info()['worker']);
        $this->assertSame(crc32('10.0.5.42') % 512, (new IpHashWorkerIdAllocator('10.0.5.42', 512))->acquire());
        $this->assertSame(crc32("it's a \\ name"), (new HostnameHashWorkerIdAllocator("it's a \\ name", 1 << 22))->acquire() | crc32("it's a \\ name") & ~((1 << 22) - 1));
        $this->assertSame(17, IpLastOctetWorkerIdAllocator::fromLayout($layout, '10.0.0.17')->acquire());
        $this->assertSame(42, (new FixedWorkerIdAllocator(42))->acquire());
        $this->assertSame(HintHasher::toWorkerId(gethostname(), 1024), (new HostnameHashWorkerIdAllocator())->acquire());
        $this->assertNotFalse(filter_var(IpResolver::primaryIp(), FILTER_VALIDATE_IP));
    }

    /** @dataProvider refused */
    public function testRefuses(string $exception, callable $call): void
    {
        $this->expectException($exception);
        $call();
    }

    public function refused(): array
    {
        $default = Layout::default();
        $wrong = InvalidArgumentException::class;
        return [
            '62 bits' => [$wrong, static fn () => new Layout(0, 40)],
            'negative bits' => [$wrong, static fn () => new Layout(0, 64, -1, 0)],
            'a negative time' => [$wrong, static fn () => SnowflakeId::compose(-1, 0, 0, $default)],
            'a worker id too many' => [$wrong, static fn () => SnowflakeId::compose(0, 1024, 0, $default)],
            'a sequence too many' => [$wrong, static fn () => SnowflakeId::compose(0, 0, 4096, $default)],
            'a negative id' => [$wrong, static fn () => SnowflakeId::fromInt(-1, $default)],
            'no shard' => [$wrong, static fn () => SnowflakeId::fromInt(1, $default)->shardKey(0)],
            'no worker' => [$wrong, static fn () => new FileLockWorkerIdAllocator('/tmp', 0)],
            'no text' => [$wrong, static fn () => HintHasher::toWorkerId('', 5)],
            'no modulus' => [$wrong, static fn () => HintHasher::toWorkerId('a', 0)],
            'a negative worker id' => [$wrong, static fn () => new FixedWorkerIdAllocator(-1)],
            'a small pool for addresses' => [$wrong, static fn () => new IpLastOctetWorkerIdAllocator('10.0.0.1', 255)],
            'a small layout for addresses' => [$wrong, static fn () => IpLastOctetWorkerIdAllocator::fromLayout(new Layout(0, 44, 7))],
            'IPv6' => [RuntimeException::class, static fn () => (new IpLastOctetWorkerIdAllocator('2001:db8::1'))->acquire()],
            'a name that hosts without one have' => [RuntimeException::class, static fn () => (new HostnameHashWorkerIdAllocator('localhost'))->acquire()],
            'an address of every host' => [RuntimeException::class, static fn () => (new IpHashWorkerIdAllocator('127.0.0.1'))->acquire()],
            'a link-local address' => [RuntimeException::class, static fn () => (new IpHashWorkerIdAllocator('169.254.3.4'))->acquire()],
            'an octet of every host' => [RuntimeException::class, static fn () => (new IpLastOctetWorkerIdAllocator('127.0.1.1'))->acquire()],
            'no address' => [RuntimeException::class, static fn () => (new IpHashWorkerIdAllocator('10.0.0.7; base=3'))->acquire()],
            'a name with a quote' => [RuntimeException::class, static fn () => (new HostnameHashWorkerIdAllocator("\0' base=3"))->acquire()],
            'no sequence' => [$wrong, static fn () => (new RandomSequenceStrategy())->initialValue(-1)],
        ];
    }
}
