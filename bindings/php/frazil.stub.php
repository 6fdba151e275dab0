<?php
// SPDX-License-Identifier: MIT
// The classes of the extension, for editors and static analysis.  An id above PHP_INT_MAX is a decimal string.
// A time is a DateTimeInterface, or Unix milliseconds.

namespace Frazil;

/**
 * An error of frazil: a UsageException, RetryException, FencedException or FatalException.
 *
 * @property string $error
 * @property string $errorClass
 * @property int $retryNs
 * @property int $behindUs
 * @property int $errno
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
    /** The class of the error: usage, retry, fenced or fatal. */
    public string $errorClass;
    /** Nanoseconds after which the same call can succeed; 0 if unknown. */
    public int $retryNs;
    /** Microseconds by which the clock is behind, if that is the reason; else 0. */
    public int $behindUs;
    /** For FRAZIL_ESYS: the errno of the system; else 0. */
    public int $errno;
    /** For a parse error: the offset of the first wrong byte; else null. */
    public ?int $position;
}

/** The same call can succeed later. */
class RetryException extends \RuntimeException implements Exception
{
    /** The name of the error, such as FRAZIL_EFULL. */
    public string $error;
    /** The class of the error: usage, retry, fenced or fatal. */
    public string $errorClass;
    /** Nanoseconds after which the same call can succeed; 0 if unknown. */
    public int $retryNs;
    /** Microseconds by which the clock is behind, if that is the reason; else 0. */
    public int $behindUs;
    /** For FRAZIL_ESYS: the errno of the system; else 0. */
    public int $errno;
    /** For a parse error: the offset of the first wrong byte; else null. */
    public ?int $position;
}

/** The generator cannot issue ids now, because its grant has ended. */
class FencedException extends \RuntimeException implements Exception
{
    /** The name of the error, such as FRAZIL_EFULL. */
    public string $error;
    /** The class of the error: usage, retry, fenced or fatal. */
    public string $errorClass;
    /** Nanoseconds after which the same call can succeed; 0 if unknown. */
    public int $retryNs;
    /** Microseconds by which the clock is behind, if that is the reason; else 0. */
    public int $behindUs;
    /** For FRAZIL_ESYS: the errno of the system; else 0. */
    public int $errno;
    /** For a parse error: the offset of the first wrong byte; else null. */
    public ?int $position;
}

/** The error will not go away by itself. */
class FatalException extends \RuntimeException implements Exception
{
    /** The name of the error, such as FRAZIL_EFULL. */
    public string $error;
    /** The class of the error: usage, retry, fenced or fatal. */
    public string $errorClass;
    /** Nanoseconds after which the same call can succeed; 0 if unknown. */
    public int $retryNs;
    /** Microseconds by which the clock is behind, if that is the reason; else 0. */
    public int $behindUs;
    /** For FRAZIL_ESYS: the errno of the system; else 0. */
    public int $errno;
    /** For a parse error: the offset of the first wrong byte; else null. */
    public ?int $position;
}

/**
 * A generator of ids.  It cannot be cloned or serialised.  foreach over it yields ids without end.
 *
 * @implements \IteratorAggregate<int, int>
 */
final class Generator implements \IteratorAggregate
{
    /**
     * Returns the process's generator for a spec.  The first call opens it; all later requests share it.
     *
     * @param string|array<string, string|int|bool|\DateTimeInterface|Layout|array{int, int}|null>|null $spec text, or options such as ['worker' => 7]; null means not given
     * @throws Exception
     */
    public static function open(array|null|string $spec = null): static
    {
    }

    /**
     * Opens a generator that is closed with its object.
     *
     * @param string|array<string, string|int|bool|\DateTimeInterface|Layout|array{int, int}|null>|null $spec as of open()
     * @throws Exception
     */
    public function __construct(array|null|string $spec = null)
    {
    }

    /**
     * Returns one id.  Waits at most max_wait.
     *
     * @throws Exception
     */
    public function next(): int
    {
    }

    /**
     * Returns one id as text: dec, hex, crockford, base58, base62 or another form of `frazil convert`. base58, base62 and
     * base64url need a case-sensitive collation: under another one, different ids are equal in a database.
     *
     * @throws Exception
     */
    public function nextString(string $form = 'dec'): string
    {
    }

    /**
     * Returns one id without waiting, or null if none is free now.  With a URL as state it asks the coordinator if no
     * slot is in hand, within the URL's timeout.
     *
     * @throws Exception
     */
    public function tryNext(): ?int
    {
    }

    /**
     * Returns n increasing ids, at most 1,000,000.  Waits at most max_wait.
     *
     * @return list<int>
     * @throws Exception
     */
    public function nextN(int $n): array
    {
    }

    /**
     * Returns n increasing ids as nextN() does, but waits at most $waitNs nanoseconds.
     *
     * @return list<int>
     * @throws Exception
     */
    public function take(int $n, int $waitNs): array
    {
    }

    /**
     * Returns an id for the given time, to import old records.
     *
     * @throws Exception
     */
    public function nextAt(\DateTimeInterface|int $unixMs): int|string
    {
    }

    /**
     * Returns a sno of 10 bytes; the generator must have layout=sno.
     *
     * @throws Exception
     */
    public function snoNext(int $meta = 0): string
    {
    }

    /**
     * Returns a sno without waiting, or null if none is free now.
     *
     * @throws Exception
     */
    public function snoTryNext(int $meta = 0): ?string
    {
    }

    /**
     * Returns n increasing snos.
     *
     * @return list<string>
     * @throws Exception
     */
    public function snoNextN(int $n, int $meta = 0): array
    {
    }

    /**
     * Returns a sno for the given time.
     *
     * @throws Exception
     */
    public function snoNextAt(\DateTimeInterface|int $unixMs, int $meta = 0): string
    {
    }

    /**
     * Returns the properties of the generator.
     *
     * @return array{worker: int, sequence_min: int, sequence_max: int, sequence: int, length: int|string, capacity: int|string, collision_ppm: int, counter_in_use: bool, state_is_new: bool, state: string}
     */
    public function info(): array
    {
    }

    /**
     * Returns the state of the generator now.  Accesses neither disk nor coordinator.  Serving says whether it issues
     * ids, as its policies allow.  Without a grant its end is null.
     *
     * @return array{state: string, serving: bool, worker: int, needs_grant: bool, grant_end_unix_ms: ?int, last_error: string, failures: int|string}
     */
    public function health(): array
    {
    }

    /**
     * Returns the counters of the generator and of all processes that share it.
     *
     * @return array<string, int|string>
     */
    public function stats(): array
    {
    }

    /**
     * Returns what has happened to the generator since the last call, for a log; open() has one such reader a process.  The
     * kinds are those of frazil_next_event(3), such as moved, lost and extension-failed.
     *
     * @return list<array{kind: string, code: ?string, worker: int, unix_ms: int, value: int|string, missed: int|string}>
     */
    public function events(): array
    {
    }

    /** Returns how many ids are left in this tick. */
    public function available(): int
    {
    }

    /** Returns the layout of the ids. */
    public function layout(): Layout
    {
    }

    /** Makes all waiting and later calls fail with FRAZIL_ESTOPPED, also those of other openings in this process. */
    public function stop(): void
    {
    }

    /** @return \Iterator<int, int> ids without end */
    public function getIterator(): \Iterator
    {
    }
}

/** The positions of an id's fields. */
final class Layout
{
    /**
     * Reads a layout.
     *
     * @param string $text a preset or a description, as `frazil layout` takes it
     * @throws Exception
     */
    public function __construct(string $text)
    {
    }

    /**
     * Returns the id with these fields; the time is rounded down to its tick.
     *
     * @throws Exception
     */
    public function compose(\DateTimeInterface|int $unixMs, int $worker, int $sequence): int|string
    {
    }

    /**
     * Returns the fields of an id.  Throws if the id does not fit this layout.
     *
     * @return array{unix_ms: int, worker: int, sequence: int, datacenter: int, worker_in_datacenter: int}
     * @throws Exception
     */
    public function decompose(int|string $id): array
    {
    }

    /**
     * Returns the smallest and the largest id of these times, both included.
     *
     * @return array{first: int|string, last: int|string}
     * @throws Exception
     */
    public function range(\DateTimeInterface|int $fromUnixMs, \DateTimeInterface|int $toUnixMs): array
    {
    }

    /**
     * Returns the smallest id of the tick that contains this time.
     *
     * @throws Exception
     */
    public function first(\DateTimeInterface|int $unixMs): int|string
    {
    }

    /**
     * Returns what the layout is and can hold.
     *
     * @return array{name: string, workers: int|string, ids_per_tick: int|string, ids_per_second: int|string, first_unix_ms: int, last_unix_ms: int, max_id: int|string, sign_bit_unix_ms: int, total_bits: int, reaches_sign_bit: bool, fits_53_bits: bool}
     * @throws Exception
     */
    public function describe(): array
    {
    }

    /**
     * Returns the stable text of the layout, which the constructor reads back.
     *
     * @throws Exception
     */
    public function fingerprint(): string
    {
    }

    /**
     * Returns whether ids can collide or sort wrongly if $after replaces this layout at the given time.
     *
     * @return array{old_last: int|string, new_first: int|string, safe_unix_ms: int, can_collide: bool, can_missort: bool, ever_safe: bool}
     * @throws Exception
     */
    public function overlap(Layout $after, \DateTimeInterface|int $sinceUnixMs): array
    {
    }
}

/** Pure functions over 64-bit ids. */
abstract class Id
{
    /**
     * Returns an id as text in one of the forms of `frazil convert`.
     *
     * @throws Exception
     */
    public static function format(int|string $id, string $form = 'dec'): string
    {
    }

    /**
     * Reads an id in one of the forms of `frazil convert`.
     *
     * @throws Exception
     */
    public static function parse(string $text, string $form = 'dec'): int|string
    {
    }

    /**
     * Returns an id as 8 bytes, big-endian.
     *
     * @throws Exception
     */
    public static function toBytes(int|string $id): string
    {
    }

    /**
     * Returns the id of 8 bytes, big-endian.
     *
     * @throws Exception
     */
    public static function fromBytes(string $bytes): int|string
    {
    }

    /**
     * Returns the shard of an id as konayuki computes it: CRC-32 of the decimal digits, modulo shards.
     *
     * @throws Exception
     */
    public static function shard(int|string $id, int $shards): int
    {
    }

    /**
     * Returns a worker number for a host name or address as konayuki computes it.  Two hosts can get the same number.
     *
     * @throws Exception
     */
    public static function workerHash(string $text, int $workers): int
    {
    }

    /**
     * Returns the probability that two hosts share a hashed worker number, in parts per million, rounded up.
     *
     * @throws Exception
     */
    public static function collision(int $hosts, int|string $workers): int
    {
    }

    /**
     * Scrambles an id, or unscrambles a scrambled one.  It hides nothing from an attacker.  The salt must be odd.
     *
     * @throws Exception
     */
    public static function kasumi(int|string $salt, int|string $id): int|string
    {
    }

    /**
     * Returns a scrambled id as 14 characters, or as 19 with check digits.
     *
     * @throws Exception
     */
    public static function scramble(int|string $salt, int|string $id, bool $checked = false): string
    {
    }

    /**
     * Returns the id of a scrambled text.
     *
     * @throws Exception
     */
    public static function unscramble(int|string $salt, string $text, bool $checked = false): int|string
    {
    }
}

/** Instants as Unix milliseconds and as RFC 3339. */
abstract class Time
{
    /**
     * Returns a time as RFC 3339 in UTC with milliseconds.
     *
     * @throws Exception
     */
    public static function format(\DateTimeInterface|int $unixMs): string
    {
    }

    /**
     * Returns the Unix milliseconds of an RFC 3339 time, a date, or a whole number.
     *
     * @throws Exception
     */
    public static function parse(string $text): int
    {
    }
}

/** Pure functions over snos, each a string of 10 bytes. */
abstract class Sno
{
    /**
     * Returns the 16 characters of a sno.
     *
     * @throws Exception
     */
    public static function encode(string $sno): string
    {
    }

    /**
     * Reads the 16 characters of a sno.
     *
     * @throws Exception
     */
    public static function decode(string $text): string
    {
    }

    /**
     * Returns the sno with these fields; the time is rounded down to its unit of 4 ms.
     *
     * @throws Exception
     */
    public static function compose(\DateTimeInterface|int $unixMs, int $ticktock, int $meta, int $partition, int $sequence): string
    {
    }

    /**
     * Returns the fields of a sno.
     *
     * @return array{unix_ms: int, ticktock: int, meta: int, partition: int, sequence: int}
     * @throws Exception
     */
    public static function decompose(string $sno): array
    {
    }

    /**
     * Returns the smallest and the largest sno of these times, both included.
     *
     * @return array{first: string, last: string}
     * @throws Exception
     */
    public static function range(\DateTimeInterface|int $fromUnixMs, \DateTimeInterface|int $toUnixMs): array
    {
    }

    /**
     * Returns the sno as a UUID of version 8, which sorts as the sno does.
     *
     * @throws Exception
     */
    public static function toUuid(string $sno): string
    {
    }

    /**
     * Reads a UUID that toUuid() has written.
     *
     * @throws Exception
     */
    public static function fromUuid(string $text): string
    {
    }

    /**
     * Reads the 16 bytes of such a UUID.
     *
     * @throws Exception
     */
    public static function fromUuidBytes(string $bytes): string
    {
    }

    /**
     * Returns the JSON value of a sno: a string, or null for the zero sno.
     *
     * @throws Exception
     */
    public static function toJson(string $sno): string
    {
    }

    /**
     * Reads a JSON value that toJson() has written.
     *
     * @throws Exception
     */
    public static function fromJson(string $text): string
    {
    }

    /**
     * Reads a database column: 10 bytes, 16 characters, or nothing (null, an empty string) for the zero sno.
     *
     * @throws Exception
     */
    public static function fromColumn(?string $bytes): string
    {
    }

    /**
     * Returns a partition as text, such as "A,10".
     *
     * @throws Exception
     */
    public static function formatPartition(int $partition): string
    {
    }

    /**
     * Reads a partition: a number, or two bytes with a comma between them.
     *
     * @throws Exception
     */
    public static function parsePartition(string $text): int
    {
    }
}
