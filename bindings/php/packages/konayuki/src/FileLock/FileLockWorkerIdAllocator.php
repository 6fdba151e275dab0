<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki\FileLock;

use InvalidArgumentException;
use Konayuki\WorkerIdAllocator;
use RuntimeException;

/**
 * Takes the lowest worker id that no other process of the host holds.  The locks are konayuki's files, so that both can
 * run on one host.  The kernel frees a lock when its process ends, however that happens.
 */
final class FileLockWorkerIdAllocator implements WorkerIdAllocator
{
    /** @var resource|null the locked file */
    private $lock = null;
    private ?int $workerId = null;
    private int $owner = 0;

    public function __construct(public readonly string $lockDirectory, public readonly int $maxWorkers)
    {
        if ($maxWorkers < 1) {
            throw new InvalidArgumentException("maxWorkers is {$maxWorkers}: it must be 1 or more");
        }
    }

    public function acquire(): int
    {
        $this->leaveToParent();
        if ($this->workerId !== null) {
            return $this->workerId;
        }
        $this->makeDirectory();
        for ($number = 0; $number < $this->maxWorkers; $number++) {
            $path = rtrim($this->lockDirectory, '/') . "/worker-{$number}.lock";
            $file = @fopen($path, 'cbe'); // a program that this process starts must not hold the lock
            if ($file === false) {
                throw new RuntimeException("cannot open the lock file {$path}: " . (error_get_last()['message'] ?? ''));
            }
            if (flock($file, LOCK_EX | LOCK_NB)) {
                $this->lock = $file;
                $this->owner = getmypid();
                return $this->workerId = $number;
            }
            fclose($file);
        }
        throw new RuntimeException("all {$this->maxWorkers} worker ids are taken in {$this->lockDirectory}");
    }

    public function release(): void
    {
        $this->leaveToParent();
        if ($this->lock !== null) {
            flock($this->lock, LOCK_UN);
            fclose($this->lock);
            $this->lock = $this->workerId = null;
        }
    }

    public function __destruct()
    {
        $this->release();
    }

    /** Leaves the lock alone in a child of fork(): to unlock it would free the parent's worker id. */
    private function leaveToParent(): void
    {
        if ($this->lock !== null && $this->owner !== getmypid()) {
            fclose($this->lock);
            $this->lock = $this->workerId = null;
        }
    }

    private function makeDirectory(): void
    {
        if (!is_dir($this->lockDirectory) && !@mkdir($this->lockDirectory, 0775, true) && !is_dir($this->lockDirectory)) {
            throw new RuntimeException("cannot make the lock directory {$this->lockDirectory}: "
                . (error_get_last()['message'] ?? ''));
        }
    }
}
