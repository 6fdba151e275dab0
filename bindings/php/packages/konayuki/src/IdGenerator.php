<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki;

use Frazil\Generator;
use Frazil\UsageException;
use InvalidArgumentException;
use Konayuki\Apcu\ApcuAtomicCounter;
use Konayuki\InMemory\InMemoryAtomicCounter;
use Konayuki\Sequence\MonotonicSequenceStrategy;
use Konayuki\Sequence\RandomSequenceStrategy;
use RuntimeException;
use WeakMap;

/**
 * Makes ids: by frazil if all parts are konayuki's own and the counter is in memory, else in PHP by the given parts.  In a
 * file or a Redis it counts as konayuki does, since other generators can count there as well.
 */
final class IdGenerator
{
    public const DEFAULT_KEY_PREFIX = 'konayuki:seq';
    private const MAX_ATTEMPTS = 10_000;
    private const KEY_SECONDS = 2;
    private const MAX_LATE = 10;
    private const MAX_BEHIND_MS = 10_000;

    private ?Generator $native = null;
    private readonly ?string $spec;
    /** @var WeakMap<AtomicCounter, array<string, list<NotedTimes>>>|null of counters that remember no times */
    private static ?WeakMap $noted = null;

    public function __construct(
        private readonly AtomicCounter $counter,
        private readonly Clock $clock,
        private readonly Layout $layout,
        private readonly TimestampStrategy $timestamp,
        private readonly SequenceStrategy $sequence = new MonotonicSequenceStrategy(),
        private readonly int $workerId = -1,
        private readonly string $keyPrefix = self::DEFAULT_KEY_PREFIX,
    ) {
        if ($workerId < 0 || $workerId > $layout->maxWorkerId) {
            throw new InvalidArgumentException("workerId is {$workerId}: it must be from 0 to {$layout->maxWorkerId}");
        }
        $this->spec = $this->nativeSpec();
    }

    public function next(): SnowflakeId
    {
        if ($this->spec === null) {
            return $this->count();
        }
        $this->native ??= $this->opened();
        return SnowflakeId::fromInt($this->native->next(), $this->layout);
    }

    /** Throws RuntimeExceptions, as konayuki does, even if a setting is wrong. */
    private function opened(): Generator
    {
        try {
            return Generator::open($this->spec);
        } catch (UsageException $e) {
            throw new RuntimeException($e->getMessage(), $e->getCode(), $e);
        }
    }

    /** Returns the spec for frazil, or null if PHP counts. */
    public function spec(): ?string
    {
        return $this->spec;
    }

    private function nativeSpec(): ?string
    {
        $start = match ($this->sequence::class) {
            MonotonicSequenceStrategy::class => 'zero',
            RandomSequenceStrategy::class => 'random',
            default => null,
        };
        $isMemory = $this->counter instanceof ApcuAtomicCounter || $this->counter instanceof InMemoryAtomicCounter;
        if ($start === null || !$isMemory || !$this->clock instanceof SystemClock || !$this->timestamp instanceof RealTimestamp) {
            return null;
        }
        return "{$this->layout->spec()} behaviour=konayuki worker=fixed:{$this->workerId} start={$start}";
    }

    /** Returns one id by the given counter and clock. */
    private function count(): SnowflakeId
    {
        if ($this->counter->wasReinitialized()) {
            // What was counted in this millisecond is lost.
            $this->waitPast($this->now(), 1000);
        }
        $late = 0;
        $waitedMs = 0;
        for ($attempt = 0; $attempt < self::MAX_ATTEMPTS; $attempt++) {
            // The wall clock goes on while the host sleeps, as the key's life does; nobody sets the other one.
            [$asked, $began] = [microtime(true), hrtime(true)];
            $now = $this->now();
            if ($now < 0 || $now > $this->layout->maxTimestamp) {
                throw new RuntimeException("the time {$now} is outside of the layout: it must be from 0 to {$this->layout->maxTimestamp}");
            }
            $expired = $this->expiredTime($now);
            if ($now <= $expired) {
                // The clock was set back, and what was counted then is lost.  Or a host whose clock is ahead goes on making ids:
                // each wait then ends behind the next ones.
                if ($waitedMs > 0 && $waitedMs + $expired - $now > self::MAX_BEHIND_MS) {
                    throw new RuntimeException("no id: other hosts, whose clocks are ahead of this one, make ids of the worker id "
                        . "{$this->workerId} all the time: set the clocks alike, or give each host a worker id of its own");
                }
                $since = hrtime(true);
                $this->waitPast($expired, 1000);
                $waitedMs += (hrtime(true) - $since) / 1e6;
                continue;
            }
            $initial = $this->sequence->initialValue($this->layout->maxSequence);
            $sequence = $this->counter->nextSequence("{$this->keyPrefix}:{$this->workerId}:{$now}", $initial, self::KEY_SECONDS);
            if (max(microtime(true) - $asked, (hrtime(true) - $began) / 1e9) >= self::KEY_SECONDS / 2) {
                // The key may have expired meanwhile, and counts from its beginning again.
                if (++$late === self::MAX_LATE) {
                    throw new RuntimeException('no id: the counter answers later than its key lives');
                }
                continue;
            }
            if ($sequence <= $this->layout->maxSequence) {
                return SnowflakeId::compose($now, $this->workerId, $sequence, $this->layout);
            }
            $this->waitPast($now, 100);
        }
        throw new RuntimeException('no id after ' . self::MAX_ATTEMPTS . ' attempts: each millisecond was full');
    }

    /** Notes the time, and returns the highest one whose keys may have expired. */
    private function expiredTime(int $now): int
    {
        $key = "{$this->keyPrefix}:_frazil:{$this->workerId}:{$this->layout->epochMs}:times";
        if ($this->counter instanceof RemembersTimes) {
            return $this->counter->expiredTime($key, $now, self::KEY_SECONDS);
        }
        self::$noted ??= new WeakMap();
        $noted = self::$noted[$this->counter] ??= [];
        $noted[$key] ??= [new NotedTimes(), new NotedTimes()];
        self::$noted[$this->counter] = $noted;
        return max(
            $noted[$key][0]->note($now, (int) (microtime(true) * 1000), self::KEY_SECONDS),
            $noted[$key][1]->note($now, intdiv(hrtime(true), 1_000_000), self::KEY_SECONDS),
        );
    }

    private function now(): int
    {
        return $this->timestamp->compute($this->clock, $this->layout->epochMs);
    }

    private function waitPast(int $time, int $stepUs): void
    {
        for ($attempt = 0; ($behind = $time - $this->now()) >= 0; $attempt++) {
            if ($attempt === self::MAX_ATTEMPTS || $behind > self::MAX_BEHIND_MS) {
                $unit = $this->timestamp instanceof RealTimestamp ? 'ms' : 'steps of its strategy';
                throw new RuntimeException("the clock does not advance, or was set back: it is {$behind} {$unit} behind the ids");
            }
            $this->clock->sleepMicroseconds($stepUs);
        }
    }
}
