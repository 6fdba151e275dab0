<?php
// SPDX-License-Identifier: MIT
// Goal of this test: an application of Laravel's parts boots the provider, publishes its configuration, and uses facade,
// trait and cast.

declare(strict_types=1);

use Frazil\Laravel\AsFrazilId;
use Frazil\Laravel\HasFrazilId;
use Illuminate\Config\Repository;
use Illuminate\Console\Application as Artisan;
use Illuminate\Container\Container;
use Illuminate\Database\Capsule\Manager;
use Illuminate\Database\Eloquent\Model;
use Illuminate\Events\Dispatcher;
use Illuminate\Support\Facades\Facade;
use Illuminate\Support\ServiceProvider;
use Kasumi\ChecksumEncoder;
use Kasumi\Encoder;
use Kasumi\Laravel\Facades\Kasumi;
use Kasumi\Laravel\KasumiServiceProvider;
use Kasumi\Scrambler;
use Konayuki\AtomicCounter;
use Konayuki\Clock;
use Konayuki\File\FileAtomicCounter;
use Konayuki\FileLock\FileLockWorkerIdAllocator;
use Konayuki\FrozenClock;
use Konayuki\IdGenerator;
use Konayuki\InMemory\InMemoryAtomicCounter;
use Konayuki\Laravel\Facades\Konayuki;
use Konayuki\Laravel\KonayukiServiceProvider;
use Konayuki\Laravel\Settings;
use Konayuki\SnowflakeId;
use Konayuki\WorkerIdAllocator;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Tester\CommandTester;

final class Order extends Model
{
    use HasFrazilId;

    public $timestamps = false;
    protected $guarded = [];
    protected $casts = ['customer_id' => AsFrazilId::class];
}

final class LaravelTest extends TestCase
{
    protected function tearDown(): void
    {
        foreach (array_keys(getenv()) as $name) {
            if (preg_match('/^(KONAYUKI|KASUMI)_/', $name) === 1) {
                putenv($name);
                unset($_ENV[$name], $_SERVER[$name]);
            }
        }
        Facade::clearResolvedInstances();
        Container::setInstance(null);
    }

    /** An application that has booted the provider, with these variables. */
    private function application(array $environment = ['WORKER_ID_MODE' => 'fixed', 'WORKER_ID' => '9']): StubApplication
    {
        foreach ($environment as $name => $value) {
            $_ENV["KONAYUKI_$name"] = $_SERVER["KONAYUKI_$name"] = $value;
            putenv("KONAYUKI_$name=$value");
        }
        $application = new StubApplication();
        Container::setInstance($application);
        $application->instance('config', new Repository());
        Facade::setFacadeApplication($application);
        $provider = new KonayukiServiceProvider($application);
        $provider->register();
        $provider->boot();
        return $application;
    }

    public function testTheProviderPublishesItsConfiguration(): void
    {
        $application = $this->application();
        $paths = ServiceProvider::pathsToPublish(KonayukiServiceProvider::class, 'konayuki-config');
        $this->assertSame(['/app/config/konayuki.php'], array_values($paths));
        $this->assertFileExists(array_key_first($paths));
        $this->assertSame(1_767_225_600_000, $application->make('config')->get('konayuki.epoch_ms'));
    }

    public function testTheFacadeMakesIdsByFrazil(): void
    {
        $application = $this->application(['WORKER_ID_MODE' => 'fixed', 'WORKER_ID' => '9', 'EPOCH_MS' => '1700000000000']);
        $id = Konayuki::next();
        $this->assertInstanceOf(SnowflakeId::class, $id);
        $this->assertSame(9, $id->workerId());
        $this->assertEqualsWithDelta(microtime(true) * 1000, $id->timestamp(), 60_000);
        $this->assertStringContainsString('epoch=1700000000000', $application->make(IdGenerator::class)->spec());
        $this->assertSame($application->make(IdGenerator::class), $application->make(IdGenerator::class));
    }

    public function testEachVariableIsHeard(): void
    {
        $worker = fn (array $environment) => $this->application($environment)->make(WorkerIdAllocator::class)->acquire();
        $this->assertSame(725, $worker(['WORKER_ID_MODE' => 'hostname-hash', 'HOSTNAME_OVERRIDE' => 'app-3']));
        $this->assertSame(213, $worker(['MAX_WORKERS' => '512']));
        $this->assertSame(17, $worker(['WORKER_ID_MODE' => 'ip-last-octet', 'MAX_WORKERS' => '1024', 'IP_OVERRIDE' => '10.0.0.17']));
        $this->assertSame(crc32('10.0.0.17') % 1024, $worker(['WORKER_ID_MODE' => 'ip-hash']));
        $folder = sys_get_temp_dir() . '/konayuki-laravel-' . bin2hex(random_bytes(6));
        $this->assertSame(0, $worker(['WORKER_ID_MODE' => 'file-lock', 'LOCK_DIR' => $folder]));
        $file = $this->application(['COUNTER' => 'file', 'COUNTER_FILE_DIR' => $folder])->make(AtomicCounter::class);
        $this->assertInstanceOf(FileAtomicCounter::class, $file);
        $this->assertStringStartsWith($folder, $file->stateFile);
        array_map('unlink', glob("$folder/*"));
        rmdir($folder);
        $random = $this->application(['WORKER_ID_MODE' => 'fixed', 'WORKER_ID' => '9', 'COUNTER' => 'apcu', 'SEQUENCE_MODE' => 'random']);
        $this->assertStringContainsString('start=random', $random->make(IdGenerator::class)->spec());
    }

    public function testTheConfigurationHasKonayukisKeysAndAnEmptyVariableSaysNothing(): void
    {
        $names = ['EPOCH_MS', 'LOCK_DIR', 'MAX_WORKERS', 'IP_OVERRIDE', 'HOSTNAME_OVERRIDE', 'SEQUENCE_MODE', 'COUNTER', 'COUNTER_FILE_DIR', 'KEY_PREFIX'];
        $application = $this->application(['WORKER_ID_MODE' => 'fixed', 'WORKER_ID' => '9'] + array_fill_keys($names, ''));
        $keys = array_map(
            static fn (mixed $value): mixed => is_array($value) ? array_keys($value) : null,
            $application->make('config')->get('konayuki'),
        );
        $this->assertSame([
            'epoch_ms' => null,
            'layout' => ['timestamp_bits', 'worker_bits', 'sequence_bits'],
            'worker_id' => ['mode', 'fixed_value', 'lock_dir', 'max_workers', 'ip_override', 'hostname_override'],
            'sequence' => ['mode'],
            'counter' => ['driver', 'file_dir', 'redis_connection'],
            'key_prefix' => null,
        ], $keys);
        $this->assertSame(
            'layout=41/10/12 epoch=1767225600000 behaviour=konayuki worker=fixed:9 start=zero',
            $application->make(IdGenerator::class)->spec(),
        );
        $this->assertSame(IdGenerator::DEFAULT_KEY_PREFIX, $application->make(Settings::class)->keyPrefix());
        $settings = $this->application(['WORKER_ID_MODE' => '', 'KEY_PREFIX' => 'mine'])->make(Settings::class);
        $this->assertSame('mine', $settings->keyPrefix());
        $this->assertInstanceOf(FileLockWorkerIdAllocator::class, $settings->worker($settings->layout()));
    }

    public function testPartsCanBeReplaced(): void
    {
        $application = $this->application();
        $application->instance(Clock::class, new FrozenClock(1_800_000_000_000));
        $application->instance(AtomicCounter::class, new InMemoryAtomicCounter());
        $this->assertSame(1_800_000_000_001, Konayuki::next()->timestamp());
    }

    /** @dataProvider slips */
    public function testASlipIsAnErrorAndNeverAnotherMeaning(array $environment): void
    {
        $application = $this->application($environment);
        $this->expectException(InvalidArgumentException::class);
        $this->expectExceptionMessage('KONAYUKI_' . array_key_last($environment));
        $application->make(IdGenerator::class);
    }

    public function slips(): array
    {
        $fixed = ['WORKER_ID' => '9', 'WORKER_ID_MODE' => 'fixed'];
        return [
            [['WORKER_ID_MODE' => 'fixed', 'WORKER_ID' => 'seven']],
            [['WORKER_ID_MODE' => 'hostname']],
            [$fixed + ['MAX_WORKERS' => '1025']],
            [$fixed + ['MAX_WORKERS' => '0']],
            [$fixed + ['MAX_WORKERS' => 'many']],
            [$fixed + ['SEQUENCE_MODE' => 'rnd']],
            [$fixed + ['EPOCH_MS' => '2026-01-01']],
            [$fixed + ['COUNTER' => 'memcached']],
        ];
    }

    /** The application, with kasumi's provider and this salt. */
    private function kasumi(string $salt): StubApplication
    {
        $_ENV['KASUMI_SCRAMBLE_SALT'] = $_SERVER['KASUMI_SCRAMBLE_SALT'] = $salt;
        putenv("KASUMI_SCRAMBLE_SALT=$salt");
        $application = $this->application();
        $provider = new KasumiServiceProvider($application);
        $provider->register();
        $provider->boot();
        return $application;
    }

    public function testKasumisProviderScrambles(): void
    {
        $application = $this->kasumi('1234567891');
        $this->assertContains('/app/config/kasumi.php', ServiceProvider::pathsToPublish(KasumiServiceProvider::class, 'kasumi-config'));
        $text = (string) Kasumi::scramble(12345);
        $this->assertSame([(string) (new Scrambler(1234567891))->scramble(12345), 12345], [$text, Kasumi::unscramble($text)]);
        $this->assertInstanceOf(Encoder::class, $application->make(Encoder::class));
        $application->make('config')->set('kasumi.encoder', ChecksumEncoder::class);
        $application->forgetInstance(Scrambler::class);
        $this->assertSame(19, strlen((string) $application->make(Scrambler::class)->scramble(12345)));
        $application->make('config')->set('kasumi.encoder', self::class);
        $application->forgetInstance(Scrambler::class);
        $this->expectExceptionMessage('kasumi.encoder');
        $application->make(Scrambler::class);
    }

    public function testASaltThatIsNoneIsAnError(): void
    {
        foreach (['', '0', 'secret'] as $salt) {
            $application = $this->kasumi($salt);
            try {
                $application->make(Scrambler::class);
                $this->fail("the salt '$salt' was taken");
            } catch (RuntimeException $e) {
                $this->assertStringContainsString('KASUMI_SCRAMBLE_SALT', $e->getMessage());
            }
        }
        $this->expectExceptionMessage('Salt must be odd');
        $this->kasumi('4')->make(Scrambler::class);
    }

    public function testArtisanWritesASaltAndAsksBeforeItReplacesOne(): void
    {
        $application = $this->kasumi('3');
        $artisan = new Artisan($application, new Dispatcher($application), '0');
        $command = new CommandTester($artisan->find('kasumi:salt:generate'));
        $this->assertSame(1, $command->execute([]));
        $this->assertStringContainsString('/nonexistent/.env', $command->getDisplay());

        $application->base = sys_get_temp_dir() . '/kasumi-test-' . bin2hex(random_bytes(6));
        mkdir($application->base);
        $file = "{$application->base}/.env";
        $run = function (string $before, array $options, string $answer) use ($command, $file): string {
            file_put_contents($file, $before);
            $this->assertSame(0, $command->setInputs([$answer])->execute($options));
            return file_get_contents($file);
        };
        $salt = '/^A=1\nKASUMI_SCRAMBLE_SALT=\d*[13579]\n%s$/D';
        $this->assertSame('A=1', $run('A=1', ['--show' => true], 'no'));
        $this->assertMatchesRegularExpression('/^KASUMI_SCRAMBLE_SALT=\d*[13579]$/', trim($command->getDisplay()));
        $this->assertMatchesRegularExpression(sprintf($salt, ''), $run('A=1', [], 'no'));
        $this->assertMatchesRegularExpression(sprintf($salt, 'B=2\n'), $run("A=1\nKASUMI_SCRAMBLE_SALT=\nB=2\n", [], 'no'));
        $old = "A=1\nKASUMI_SCRAMBLE_SALT=4294967298\nB=2\n";
        $this->assertSame($old, $run($old, [], 'no'));
        foreach ([[[], 'yes'], [['--force' => true], 'no']] as [$options, $answer]) {
            $this->assertMatchesRegularExpression(sprintf($salt, 'B=2\n'), $run($old, $options, $answer));
        }
        unlink($file);
        rmdir($application->base);
    }

    public function testAModelGetsAnIdAndJsonAString(): void
    {
        $application = $this->application();
        $database = new Manager($application);
        $database->addConnection(['driver' => 'sqlite', 'database' => ':memory:']);
        $database->setEventDispatcher(new Dispatcher($application));
        $database->bootEloquent();
        $database->getConnection()->statement('CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER)');

        $order = Order::query()->create(['customer_id' => '118388263001026560']);
        $this->assertIsInt($order->id);
        $this->assertSame(118388263001026560, $order->customer_id);
        $this->assertSame(['customer_id' => '118388263001026560', 'id' => (string) $order->id], json_decode($order->toJson(), true));
        $found = Order::query()->find($order->id);
        $this->assertSame([$order->id, 118388263001026560], [$found->id, $found->customer_id]);
        $this->assertSame(5, Order::query()->create(['id' => 5])->id, 'an id that it has is kept');
        $quiet = Order::withoutEvents(static fn () => Order::query()->create(['customer_id' => 1]));
        $this->assertGreaterThan($order->id, $quiet->id, 'no event is needed');
        $order->customer_id = Konayuki::next();
        $this->assertIsInt($order->getAttributes()['customer_id']);
        foreach (['12x', -1, '-1', 1.5] as $wrong) {
            try {
                $order->customer_id = $wrong;
                $this->fail("$wrong was taken");
            } catch (InvalidArgumentException $e) {
                $this->assertStringContainsString('customer_id takes an int', $e->getMessage());
            }
        }
    }
}
