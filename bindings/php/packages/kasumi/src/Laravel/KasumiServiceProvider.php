<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Kasumi\Laravel;

use Illuminate\Support\ServiceProvider;
use Kasumi\Base36Encoder;
use Kasumi\ChecksumEncoder;
use Kasumi\Encoder;
use Kasumi\Laravel\Console\SaltGenerateCommand;
use Kasumi\Scrambler;
use RuntimeException;

/** Binds the scrambler that config/kasumi.php describes. */
final class KasumiServiceProvider extends ServiceProvider
{
    private const CONFIG = __DIR__ . '/../../config/kasumi.php';

    public function register(): void
    {
        $this->mergeConfigFrom(self::CONFIG, 'kasumi');
        $this->app->bind(Encoder::class, Base36Encoder::class);
        $this->app->singleton(Scrambler::class, static function ($app): Scrambler {
            $config = $app->make('config')->get('kasumi');
            return new Scrambler(self::salt($config['scramble_salt'] ?? null), self::encoder($config['encoder'] ?? Base36Encoder::class));
        });
    }

    public function boot(): void
    {
        if ($this->app->runningInConsole()) {
            $this->publishes([self::CONFIG => $this->app->configPath('kasumi.php')], 'kasumi-config');
            $this->commands([SaltGenerateCommand::class]);
        }
    }

    private static function salt(mixed $value): int
    {
        $advice = 'php artisan kasumi:salt:generate writes one into .env';
        if (empty($value)) {
            throw new RuntimeException("KASUMI_SCRAMBLE_SALT is not set, or 0: {$advice}");
        }
        $salt = filter_var($value, FILTER_VALIDATE_INT);
        if ($salt === false) {
            throw new RuntimeException("KASUMI_SCRAMBLE_SALT is '" . (is_scalar($value) ? $value : '') . "', which is no odd number: {$advice}");
        }
        return $salt;
    }

    private static function encoder(string $class): Encoder
    {
        if ($class === ChecksumEncoder::class) {
            return new ChecksumEncoder(new Base36Encoder());
        }
        if (!is_subclass_of($class, Encoder::class)) {
            throw new RuntimeException("kasumi.encoder is {$class}: it must implement " . Encoder::class);
        }
        return new $class();
    }
}
