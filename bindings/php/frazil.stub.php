<?php
// SPDX-License-Identifier: MIT
// The classes of the extension, for editors and static analysis.  An id above PHP_INT_MAX is decimal text.

namespace Frazil;

/**
 * What went wrong, by class: UsageException, RetryException, FencedException, FatalException.
 *
 * @property string $error
 * @property string $errorClass
 * @property int $retryNs
 * @property int $behindUs
 * @property ?int $position
 */
interface Exception extends \Throwable
{
}

/** The call or the configuration is wrong. */
class UsageException extends \InvalidArgumentException implements Exception
{
    /** The name of the error, such as FRAZIL_EFULL. */
    public string $error;
    /** usage, retry, fenced or fatal */
    public string $errorClass;
    /** Nanoseconds after which the call can succeed, where that is known; else 0. */
    public int $retryNs;
    /** Microseconds by which the clock is behind, else 0. */
    public int $behindUs;
    /** Bytes before what is wrong in a text. */
    public ?int $position;
}

/** The same call can succeed later. */
class RetryException extends \RuntimeException implements Exception
{
    /** The name of the error, such as FRAZIL_EFULL. */
    public string $error;
    /** usage, retry, fenced or fatal */
    public string $errorClass;
    /** Nanoseconds after which the call can succeed, where that is known; else 0. */
    public int $retryNs;
    /** Microseconds by which the clock is behind, else 0. */
    public int $behindUs;
    /** Bytes before what is wrong in a text. */
    public ?int $position;
}

/** This generator cannot now: its grant has ended. */
class FencedException extends \RuntimeException implements Exception
{
    /** The name of the error, such as FRAZIL_EFULL. */
    public string $error;
    /** usage, retry, fenced or fatal */
    public string $errorClass;
    /** Nanoseconds after which the call can succeed, where that is known; else 0. */
    public int $retryNs;
    /** Microseconds by which the clock is behind, else 0. */
    public int $behindUs;
    /** Bytes before what is wrong in a text. */
    public ?int $position;
}

/** It will not get better by itself. */
class FatalException extends \RuntimeException implements Exception
{
    /** The name of the error, such as FRAZIL_EFULL. */
    public string $error;
    /** usage, retry, fenced or fatal */
    public string $errorClass;
    /** Nanoseconds after which the call can succeed, where that is known; else 0. */
    public int $retryNs;
    /** Microseconds by which the clock is behind, else 0. */
    public int $behindUs;
    /** Bytes before what is wrong in a text. */
    public ?int $position;
}

/**
 * A generator of ids.  It is neither cloned nor serialised.  foreach over it has ids without an end.
 *
 * @implements \IteratorAggregate<int, int>
 */
final class Generator implements \IteratorAggregate
{
    /**
     * The process's generator of that spec: opened at the first call, and there for all requests that follow.
     *
     * @param string|array<string, string|int|bool|\DateTimeInterface|null>|null $spec text, or options such as ['worker' => 7]; null: not given
     * @throws Exception
     */
    public static function open(array|null|string $spec = null): static
    {
    }

    /**
     * A generator that is closed with its object.
     *
     * @param string|array<string, string|int|bool|\DateTimeInterface|null>|null $spec as of open()
     * @throws Exception
     */
    public function __construct(array|null|string $spec = null)
    {
    }

    /**
     * One id.  Waits at most max_wait.
     *
     * @throws Exception
     */
    public function next(): int
    {
    }

    /**
     * One id as text: dec, hex, crockford, base58, base62 and the other forms of `frazil convert`.
     *
     * @throws Exception
     */
    public function nextString(string $form = 'dec'): string
    {
    }

    /**
     * One id without ever waiting; null: none is free now.
     *
     * @throws Exception
     */
    public function tryNext(): ?int
    {
    }

    /**
     * @return list<int> exactly n ids, increasing; at most 1,000,000
     * @throws Exception
     */
    public function nextN(int $n): array
    {
    }

    /**
     * @return list<int> nextN with a bound on the wait of its own, in nanoseconds
     * @throws Exception
     */
    public function take(int $n, int $waitNs): array
    {
    }

    /**
     * An id for a time of yours, for bringing in old records.
     *
     * @throws Exception
     */
    public function nextAt(int $unixMs): int|string
    {
    }

    /**
     * A sno, 10 bytes.
     *
     * @throws Exception
     */
    public function snoNext(int $meta = 0): string
    {
    }

    /** @throws Exception */
    public function snoTryNext(int $meta = 0): ?string
    {
    }

    /**
     * @return list<string>
     * @throws Exception
     */
    public function snoNextN(int $n, int $meta = 0): array
    {
    }

    /** @throws Exception */
    public function snoNextAt(int $unixMs, int $meta = 0): string
    {
    }

    /** @return array<string, int|bool|string> */
    public function info(): array
    {
    }

    /** @return array<string, int|bool|string> its state, without asking disk or coordinator */
    public function health(): array
    {
    }

    /** @return array<string, int|string> what happened so far */
    public function stats(): array
    {
    }

    /** How many ids are left in this tick. */
    public function available(): int
    {
    }

    public function layout(): Layout
    {
    }

    /** Ends all waiting, and every later call, with FRAZIL_ESTOPPED: for all who opened it in this process. */
    public function stop(): void
    {
    }

    /** @return \Iterator<int, int> */
    public function getIterator(): \Iterator
    {
    }
}

/** Where the fields of an id lie. */
final class Layout
{
    /**
     * @param string $text a preset or a description, as `frazil layout` takes it
     * @throws Exception
     */
    public function __construct(string $text)
    {
    }

    /** @throws Exception */
    public function compose(int $unixMs, int $worker, int $sequence): int|string
    {
    }

    /**
     * @return array{unix_ms: int, worker: int, sequence: int, datacenter: int, worker_in_datacenter: int}
     * @throws Exception
     */
    public function decompose(int|string $id): array
    {
    }

    /**
     * @return array{first: int|string, last: int|string} the ids of a time, both ends included
     * @throws Exception
     */
    public function range(int $fromUnixMs, int $toUnixMs): array
    {
    }

    /**
     * The smallest id of the tick of that time.
     *
     * @throws Exception
     */
    public function first(int $unixMs): int|string
    {
    }

    /**
     * @return array<string, int|bool|string>
     * @throws Exception
     */
    public function describe(): array
    {
    }

    /** @throws Exception */
    public function fingerprint(): string
    {
    }

    /**
     * @return array<string, int|bool|string> what happens when a system moves to the other layout
     * @throws Exception
     */
    public function overlap(Layout $after, int $sinceUnixMs): array
    {
    }
}

/** Pure functions over 64-bit ids. */
abstract class Id
{
    /** @throws Exception */
    public static function format(int|string $id, string $form = 'dec'): string
    {
    }

    /** @throws Exception */
    public static function parse(string $text, string $form = 'dec'): int|string
    {
    }

    /**
     * 8 bytes, big-endian.
     *
     * @throws Exception
     */
    public static function toBytes(int|string $id): string
    {
    }

    /** @throws Exception */
    public static function fromBytes(string $bytes): int|string
    {
    }

    /** @throws Exception */
    public static function shard(int|string $id, int $shards): int
    {
    }

    /** @throws Exception */
    public static function workerHash(string $text, int $workers): int
    {
    }

    /**
     * In parts per million.
     *
     * @throws Exception
     */
    public static function collision(int $hosts, int|string $workers): int
    {
    }

    /** @throws Exception */
    public static function kasumi(int|string $salt, int|string $id): int|string
    {
    }

    /** @throws Exception */
    public static function scramble(int|string $salt, int|string $id, bool $checked = false): string
    {
    }

    /** @throws Exception */
    public static function unscramble(int|string $salt, string $text, bool $checked = false): int|string
    {
    }
}

/** Instants as Unix milliseconds and as RFC 3339. */
abstract class Time
{
    /** @throws Exception */
    public static function format(int $unixMs): string
    {
    }

    /** @throws Exception */
    public static function parse(string $text): int
    {
    }
}

/** Pure functions over snos, each a string of 10 bytes. */
abstract class Sno
{
    /** @throws Exception */
    public static function encode(string $sno): string
    {
    }

    /** @throws Exception */
    public static function decode(string $text): string
    {
    }

    /** @throws Exception */
    public static function compose(int $unixMs, int $ticktock, int $meta, int $partition, int $sequence): string
    {
    }

    /**
     * @return array{unix_ms: int, ticktock: int, meta: int, partition: int, sequence: int}
     * @throws Exception
     */
    public static function decompose(string $sno): array
    {
    }

    /**
     * @return array{first: string, last: string}
     * @throws Exception
     */
    public static function range(int $fromUnixMs, int $toUnixMs): array
    {
    }

    /** @throws Exception */
    public static function toUuid(string $sno): string
    {
    }

    /** @throws Exception */
    public static function fromUuid(string $text): string
    {
    }

    /** @throws Exception */
    public static function fromUuidBytes(string $bytes): string
    {
    }

    /** @throws Exception */
    public static function toJson(string $sno): string
    {
    }

    /** @throws Exception */
    public static function fromJson(string $text): string
    {
    }

    /** @throws Exception */
    public static function fromColumn(string $bytes): string
    {
    }

    /** @throws Exception */
    public static function formatPartition(int $partition): string
    {
    }

    /** @throws Exception */
    public static function parsePartition(string $text): int
    {
    }
}
