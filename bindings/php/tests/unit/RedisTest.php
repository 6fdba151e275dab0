<?php
// SPDX-License-Identifier: MIT
// Goal of this test: konayuki's names count in a real Redis, by phpredis and by Predis, which share its keys.

declare(strict_types=1);

use Illuminate\Config\Repository;
use Illuminate\Container\Container;
use Illuminate\Redis\RedisManager;
use Illuminate\Support\Facades\Facade;
use Konayuki\FrozenClock;
use Konayuki\IdGenerator;
use Konayuki\Laravel\Facades\Konayuki;
use Konayuki\Laravel\KonayukiServiceProvider;
use Konayuki\Layout;
use Konayuki\NotedTimes;
use Konayuki\RealTimestamp;
use Konayuki\Redis\RedisAtomicCounter;
use Konayuki\SystemClock;
use PHPUnit\Framework\TestCase;

final class RedisTest extends TestCase
{
    private const IDS = 500;

    private static string $folder;
    /** @var resource */
    private static $server;

    public static function setUpBeforeClass(): void
    {
        self::$folder = sys_get_temp_dir() . '/frazil-redis-' . bin2hex(random_bytes(6));
        mkdir(self::$folder);
        $options = ['redis-server', '--port', '0', '--unixsocket', self::socket(), '--dir', self::$folder, '--save', ''];
        self::$server = proc_open($options, [1 => ['file', self::$folder . '/log', 'w']], $pipes);
        for ($tries = 0; $tries < 3000; $tries++) {
            try {
                self::predis()->ping();
                return;
            } catch (Predis\Connection\ConnectionException) {
                usleep(100_000);
            }
        }
        self::fail('redis-server does not answer: ' . file_get_contents(self::$folder . '/log'));
    }

    public static function tearDownAfterClass(): void
    {
        proc_terminate(self::$server);
        proc_close(self::$server);
        array_map('unlink', glob(self::$folder . '/*'));
        rmdir(self::$folder);
    }

    private static function socket(): string
    {
        return self::$folder . '/socket';
    }

    private static function predis(): Predis\Client
    {
        return new Predis\Client(['scheme' => 'unix', 'path' => self::socket()]);
    }

    private static function phpredis(): Redis
    {
        $client = new Redis();
        $client->connect(self::socket());
        return $client;
    }

    private static function generator(object $client): IdGenerator
    {
        return new IdGenerator(new RedisAtomicCounter($client), new SystemClock(), Layout::default(), new RealTimestamp(), workerId: 7);
    }

    public function testBothClientsCountInTheSameKeys(): void
    {
        $predis = new RedisAtomicCounter(self::predis(), 'p:');
        $phpredis = new RedisAtomicCounter(self::phpredis(), 'p:');
        $counted = [];
        foreach ([$predis, $phpredis, $predis, $phpredis] as $counter) {
            $counted[] = $counter->nextSequence('k', 5, 100);
        }
        $this->assertSame([5, 6, 7, 8], $counted);
        $this->assertSame('8', self::predis()->get('p:k'));
        $this->assertEqualsWithDelta(100, self::predis()->ttl('p:k'), 99);
        self::predis()->set('p:text', 'text');
        foreach ([$predis, $phpredis] as $counter) {
            try {
                $counter->nextSequence('text', 0, 2);
                $this->fail('a text was counted on');
            } catch (Predis\Response\ServerException | RuntimeException $e) {
                $this->assertNotSame('', $e->getMessage());
            }
        }
    }

    public function testTwoGeneratorsOfOneWorkerNeverRepeat(): void
    {
        $generators = [self::generator(self::predis()), self::generator(self::phpredis())];
        $ids = [];
        for ($i = 0; $i < self::IDS; $i++) {
            foreach ($generators as $generator) {
                $ids[] = $generator->next()->value;
            }
        }
        $this->assertCount(2 * self::IDS, array_unique($ids));
        $sorted = $ids;
        sort($sorted);
        $this->assertSame($sorted, $ids);
    }

    public function testAClockThatIsSetBackBeyondTheLifeOfItsKeysRepeatsNoId(): void
    {
        $take = static function (object $client): array {
            $clock = new FrozenClock(1_800_000_000_000);
            $generator = new IdGenerator(new RedisAtomicCounter($client, 'back:'), $clock, Layout::default(), new RealTimestamp(), workerId: 8);
            $ids = [];
            for ($i = 0; $i < 5; $i++) {
                $ids[] = $generator->next()->value;
                $clock->advance(1);
            }
            return $ids;
        };
        $before = [...$take(self::predis()), ...$take(self::phpredis())];
        $this->assertCount(10, array_unique($before), 'a step within their life counts on');
        usleep(2_100_000); // the life of the keys
        foreach ([self::predis(), self::phpredis()] as $client) {
            $after = $take($client);
            $this->assertGreaterThan(max($before), min($after));
            $before = [...$before, ...$after];
            usleep(2_100_000);
        }
        self::predis()->set(sprintf('back:konayuki:seq:_frazil:8:%d:times', Layout::default()->epochMs), 'text');
        foreach ([self::predis(), self::phpredis()] as $client) {
            try {
                $take($client);
                $this->fail('a text was read as times');
            } catch (Predis\Response\ServerException | RuntimeException $e) {
                $this->assertStringContainsString('frazil did not write this record: back:konayuki:seq:_frazil:8:', $e->getMessage());
            }
        }
    }

    public function testAnErrorOfAnEarlierCallIsNotQuoted(): void
    {
        $client = self::phpredis();
        $client->eval('return redis.error_reply("ERR of an earlier call")');
        $this->assertStringContainsString('earlier', $client->getLastError());
        $client->set('text', 'text');
        $this->expectExceptionMessageMatches('/^Redis cannot count in text: ERR value is not an integer/');
        (new RedisAtomicCounter($client))->nextSequence('text', 0, 2);
    }

    public function testTheScriptRemembersTimesAsTheClassForOtherCountersDoes(): void
    {
        $script = (new ReflectionClassConstant(RedisAtomicCounter::class, 'NOTE'))->getValue();
        $script = str_replace("redis.call('TIME')", '{ARGV[3], ARGV[4]}', $script, $clocks);
        $this->assertSame(1, $clocks);
        $noted = new NotedTimes();
        // When, in periods of 500 ms; the time noted; the highest one whose keys may have expired.
        $steps = [
            'the first' => [100, 10, -1], 'the next period' => [101, 20, -1], 'the one after it' => [102, 20, 10],
            'a time that has expired' => [102, 5, 10], 'as long ago as the keys are safe' => [103, 30, 20],
            'the clock of Redis goes back' => [99, 25, 30], 'on from there' => [100, 40, 30],
            'a jump' => [200, 41, 40], 'on from that' => [201, 1_800_000_000_000, 40], 'again' => [202, 50, 41],
            'and again' => [203, 50, 1_800_000_000_000],
        ];
        foreach ($steps as $step => [$period, $time, $expired]) {
            $nowMs = $period * 500 + 499;
            $arguments = ['steps', $time, 2, intdiv($nowMs, 1000), $nowMs % 1000 * 1000 + 999];
            $this->assertSame($expired, $noted->note($time, $nowMs, 2), $step);
            $this->assertSame($expired, self::predis()->eval($script, 1, ...$arguments), $step);
            $this->assertSame(implode(' ', get_object_vars($noted)), self::predis()->get('steps'), $step);
        }
    }

    public function testEachClientSeesThatRedisWasEmptied(): void
    {
        foreach ([self::predis(), self::phpredis()] as $client) {
            self::predis()->flushall();
            $counter = new RedisAtomicCounter($client);
            $this->assertSame([true, false], [$counter->wasReinitialized(), $counter->wasReinitialized()]);
        }
    }

    /** @dataProvider drivers */
    public function testLaravelsConnectionOfThatNameIsUsed(string $driver, array $server): void
    {
        $variables = ['WORKER_ID_MODE' => 'fixed', 'WORKER_ID' => '9', 'COUNTER' => 'redis', 'REDIS_CONNECTION' => 'ids'];
        foreach ($variables as $name => $value) {
            $_ENV["KONAYUKI_$name"] = $_SERVER["KONAYUKI_$name"] = $value;
        }
        $application = new StubApplication();
        Container::setInstance($application);
        Facade::setFacadeApplication($application);
        $application->instance('config', new Repository());
        array_walk($server, static fn (mixed &$value) => $value = $value === 'SOCKET' ? self::socket() : $value);
        $application->instance('redis', new RedisManager($application, $driver, ['ids' => $server + ['database' => 3]]));
        (new KonayukiServiceProvider($application))->register();
        self::predis()->flushall();
        $id = Konayuki::next();
        foreach (array_keys($variables) as $name) {
            unset($_ENV["KONAYUKI_$name"], $_SERVER["KONAYUKI_$name"]);
        }
        Facade::clearResolvedInstances();
        Container::setInstance(null);
        $this->assertSame(9, $id->workerId());
        $third = new Predis\Client(['scheme' => 'unix', 'path' => self::socket(), 'database' => 3]);
        $this->assertCount(1, $third->keys('__konayuki_alive__:*'));
        $this->assertSame([0, 3], [self::predis()->dbsize(), $third->dbsize()]);
    }

    public function drivers(): array
    {
        return [
            'predis' => ['predis', ['scheme' => 'unix', 'path' => 'SOCKET']],
            'phpredis' => ['phpredis', ['host' => 'SOCKET', 'port' => 0]],
        ];
    }
}
