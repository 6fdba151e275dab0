<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki\File;

use Konayuki\AtomicCounter;
use Konayuki\NotedTimes;
use Konayuki\RemembersTimes;
use RuntimeException;

/** Counts in a file of konayuki's format, which all processes lock.  It is slow: for tests. */
final class FileAtomicCounter implements AtomicCounter, RemembersTimes
{
    private const YEAR_SECONDS = 365 * 86400;

    public function __construct(public readonly string $stateFile)
    {
        $directory = dirname($stateFile);
        if (!is_dir($directory) && !@mkdir($directory, 0775, true) && !is_dir($directory)) {
            throw new RuntimeException("cannot make the directory {$directory}: " . (error_get_last()['message'] ?? ''));
        }
    }

    public function nextSequence(string $key, int $initialValue, int $ttlSeconds): int
    {
        return $this->change(static function (array &$counts) use ($key, $initialValue, $ttlSeconds): int {
            $value = isset($counts[$key]) ? (int) $counts[$key][0] + 1 : $initialValue;
            $counts[$key] = [$value, time() + max(1, $ttlSeconds)];
            return $value;
        });
    }

    /** Its entries are counts to konayuki, which keeps them. */
    public function expiredTime(string $key, int $time, int $ttlSeconds): int
    {
        return $this->change(static function (array &$counts) use ($key, $time, $ttlSeconds): int {
            $noted = new NotedTimes();
            foreach (get_object_vars($noted) as $name => $none) {
                $noted->$name = (int) ($counts["{$key}:{$name}"][0] ?? $none);
            }
            $expired = $noted->note($time, (int) (microtime(true) * 1000), $ttlSeconds);
            foreach (get_object_vars($noted) as $name => $value) {
                $counts["{$key}:{$name}"] = [$value, time() + self::YEAR_SECONDS];
            }
            return $expired;
        });
    }

    public function wasReinitialized(): bool
    {
        $sentinel = '__konayuki_alive__' . getmypid() . '__';
        return $this->change(static function (array &$counts) use ($sentinel): bool {
            $isNew = !isset($counts[$sentinel]);
            $counts[$sentinel] = [1, time() + self::YEAR_SECONDS];
            return $isNew;
        });
    }

    /** Changes the counts, with the file locked. */
    private function change(callable $body): int|bool
    {
        $file = @fopen($this->stateFile, 'c+be');
        if ($file === false || !flock($file, LOCK_EX)) {
            throw new RuntimeException("cannot lock the file {$this->stateFile}: " . (error_get_last()['message'] ?? ''));
        }
        try {
            $counts = json_decode((string) stream_get_contents($file), true);
            $now = time();
            $counts = array_filter(is_array($counts) ? $counts : [], static fn ($entry) => ($entry[1] ?? 0) >= $now);
            $result = $body($counts);
            $this->write($file, json_encode($counts, JSON_THROW_ON_ERROR));
            return $result;
        } finally {
            fclose($file); // and unlocks it
        }
    }

    /** @param resource $file */
    private function write($file, string $text): void
    {
        rewind($file);
        if (!ftruncate($file, 0) || fwrite($file, $text) !== strlen($text) || !fflush($file)) {
            throw new RuntimeException("cannot write the file {$this->stateFile}: " . (error_get_last()['message'] ?? ''));
        }
    }
}
