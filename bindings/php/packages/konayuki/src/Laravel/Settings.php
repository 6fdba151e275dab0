<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki\Laravel;

use InvalidArgumentException;
use Konayuki\Apcu\ApcuAtomicCounter;
use Konayuki\AtomicCounter;
use Konayuki\File\FileAtomicCounter;
use Konayuki\FileLock\FileLockWorkerIdAllocator;
use Konayuki\Fixed\FixedWorkerIdAllocator;
use Konayuki\Hint\HostnameHashWorkerIdAllocator;
use Konayuki\Hint\IpHashWorkerIdAllocator;
use Konayuki\Hint\IpLastOctetWorkerIdAllocator;
use Konayuki\IdGenerator;
use Konayuki\Layout;
use Konayuki\Redis\RedisAtomicCounter;
use Konayuki\Sequence\MonotonicSequenceStrategy;
use Konayuki\Sequence\RandomSequenceStrategy;
use Konayuki\SequenceStrategy;
use Konayuki\WorkerIdAllocator;

/**
 * Makes the parts that config/konayuki.php names.  An unknown word is an error; it never falls back to another meaning.  An
 * empty text, from `NAME=` in .env, means not given.
 */
final class Settings
{
    private const EPOCH_MS = 1_767_225_600_000;

    /** @param array<string, mixed> $config */
    public function __construct(private readonly array $config, private readonly string $storage)
    {
    }

    public function layout(): Layout
    {
        $bits = $this->config['layout'];
        return new Layout(
            self::epoch($this->config['epoch_ms'] ?? ''),
            (int) $bits['timestamp_bits'],
            (int) $bits['worker_bits'],
            (int) $bits['sequence_bits'],
        );
    }

    public function sequence(): SequenceStrategy
    {
        return match ($mode = self::said($this->config['sequence']['mode'] ?? null) ?? 'monotonic') {
            'monotonic' => new MonotonicSequenceStrategy(),
            'random' => new RandomSequenceStrategy(),
            default => throw self::unknown('KONAYUKI_SEQUENCE_MODE', $mode, 'monotonic or random'),
        };
    }

    public function worker(Layout $layout): WorkerIdAllocator
    {
        $config = array_map(self::said(...), $this->config['worker_id']);
        $max = self::workers($config['max_workers'] ?? null, $layout->maxWorkerId + 1);
        $ip = $config['ip_override'] ?? null;
        return match ($mode = $config['mode'] ?? 'file-lock') {
            'file-lock' => new FileLockWorkerIdAllocator($config['lock_dir'] ?? $this->storage, $max),
            'fixed' => new FixedWorkerIdAllocator(self::fixed($config['fixed_value'] ?? null)),
            'ip-last-octet' => new IpLastOctetWorkerIdAllocator($ip, $max),
            'ip-hash' => new IpHashWorkerIdAllocator($ip, $max),
            'hostname-hash' => new HostnameHashWorkerIdAllocator($config['hostname_override'] ?? null, $max),
            default => throw self::unknown('KONAYUKI_WORKER_ID_MODE', $mode, 'file-lock, fixed, ip-last-octet, ip-hash or hostname-hash'),
        };
    }

    /** @param callable(?string): object $redis returns the client of a connection */
    public function counter(callable $redis): AtomicCounter
    {
        $config = array_map(self::said(...), $this->config['counter'] ?? []);
        return match ($driver = $config['driver'] ?? 'apcu') {
            'apcu' => new ApcuAtomicCounter($this->keyPrefix()),
            'file' => new FileAtomicCounter(($config['file_dir'] ?? $this->storage) . '/counter.json'),
            'redis' => new RedisAtomicCounter($redis($config['redis_connection'] ?? null)),
            default => throw self::unknown('KONAYUKI_COUNTER', $driver, 'apcu, file or redis'),
        };
    }

    public function keyPrefix(): string
    {
        return self::said($this->config['key_prefix'] ?? null) ?? IdGenerator::DEFAULT_KEY_PREFIX;
    }

    private static function said(mixed $value): mixed
    {
        return $value === '' ? null : $value;
    }

    private static function epoch(mixed $value): int
    {
        $number = $value === '' ? self::EPOCH_MS : filter_var($value, FILTER_VALIDATE_INT);
        return $number === false ? throw self::unknown('KONAYUKI_EPOCH_MS', $value, 'milliseconds since 1970') : $number;
    }

    /** Returns how many worker ids there are: those of the layout, or fewer.  konayuki silently cuts a larger number. */
    private static function workers(mixed $value, int $most): int
    {
        $number = filter_var($value ?? $most, FILTER_VALIDATE_INT, ['options' => ['min_range' => 1, 'max_range' => $most]]);
        if ($number === false) {
            throw self::unknown('KONAYUKI_MAX_WORKERS', $value, "from 1 to {$most}, which the worker bits of the layout hold");
        }
        return $number;
    }

    private static function fixed(mixed $value): int
    {
        if (is_int($value) || is_string($value) && preg_match('/^[0-9]{1,10}$/D', $value) === 1) {
            return (int) $value;
        }
        throw self::unknown('KONAYUKI_WORKER_ID', $value, 'a number, as KONAYUKI_WORKER_ID_MODE is fixed');
    }

    private static function unknown(string $name, mixed $value, string $right): InvalidArgumentException
    {
        return new InvalidArgumentException("{$name} is '" . (is_scalar($value) ? $value : '') . "': it must be {$right}");
    }
}
