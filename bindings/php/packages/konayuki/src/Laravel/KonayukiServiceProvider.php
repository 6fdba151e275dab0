<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki\Laravel;

use Illuminate\Support\ServiceProvider;
use Konayuki\AtomicCounter;
use Konayuki\Clock;
use Konayuki\IdGenerator;
use Konayuki\Layout;
use Konayuki\RealTimestamp;
use Konayuki\SequenceStrategy;
use Konayuki\SystemClock;
use Konayuki\TimestampStrategy;
use Konayuki\WorkerIdAllocator;

/** Binds each part by its interface, so that an application can replace it. */
final class KonayukiServiceProvider extends ServiceProvider
{
    private const CONFIG = __DIR__ . '/../../config/konayuki.php';

    public function register(): void
    {
        $this->mergeConfigFrom(self::CONFIG, 'konayuki');
        $this->app->singleton(Settings::class, static fn ($app) => new Settings(
            $app->make('config')->get('konayuki'),
            $app->storagePath() . '/konayuki',
        ));
        $this->app->singleton(Clock::class, SystemClock::class);
        $this->app->singleton(TimestampStrategy::class, RealTimestamp::class);
        $this->app->singleton(Layout::class, static fn ($app) => $app->make(Settings::class)->layout());
        $this->app->singleton(SequenceStrategy::class, static fn ($app) => $app->make(Settings::class)->sequence());
        $this->app->singleton(AtomicCounter::class, static fn ($app) => $app->make(Settings::class)->counter(
            static fn (?string $connection) => $app->make('redis')->connection($connection)->client(),
        ));
        $this->app->singleton(
            WorkerIdAllocator::class,
            static fn ($app) => $app->make(Settings::class)->worker($app->make(Layout::class)),
        );
        $this->app->singleton(IdGenerator::class, static fn ($app) => new IdGenerator(
            $app->make(AtomicCounter::class),
            $app->make(Clock::class),
            $app->make(Layout::class),
            $app->make(TimestampStrategy::class),
            $app->make(SequenceStrategy::class),
            $app->make(WorkerIdAllocator::class)->acquire(),
            $app->make(Settings::class)->keyPrefix(),
        ));
    }

    public function boot(): void
    {
        if ($this->app->runningInConsole()) {
            $this->publishes([self::CONFIG => $this->app->configPath('konayuki.php')], 'konayuki-config');
        }
    }
}
