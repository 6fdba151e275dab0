<?php
// SPDX-License-Identifier: MIT
// Goal of this test: no id comes twice: in children, after a kill -9 and a signal to one that waits, in 70,000 objects, while
// garbage is collected, beside the command.
// live.php SCRATCH FRAZIL EXTENSION, in a folder of its own

declare(strict_types=1);

use Frazil\Generator;

[, $scratch, $frazil, $extension] = $argv;
const SPEC = 'worker=fixed:7';

function check(bool $holds, string $what): void
{
    if (!$holds) {
        fwrite(STDERR, "it does not hold: $what\n");
        exit(1);
    }
    echo "$what\n";
}

/** Runs $body in a child, which writes ids a line each; the child ends with the process's own end. */
function child(string $file, callable $body): int
{
    $pid = pcntl_fork();
    if ($pid === 0) {
        $out = fopen($file, 'w');
        $body(static fn (array $ids) => fwrite($out, implode("\n", $ids) . "\n"));
        exit(0);
    }
    return $pid;
}

function ids(string ...$files): array
{
    $ids = [];
    foreach ($files as $file) {
        foreach (file($file, FILE_IGNORE_NEW_LINES) as $line) {
            if ($line !== '' && preg_match('/^[0-9]+$/', $line)) {
                $ids[] = $line;
            }
        }
    }
    return $ids;
}

function areUnique(array $ids): bool
{
    return count($ids) === count(array_unique($ids));
}

// Children of a process that has taken ids go on with its generator, and others open their own.
$generator = Generator::open(SPEC);
$files = [];
$pids = [];
$mine = [$generator->next()];
for ($i = 0; $i < 8; $i++) {
    $files[] = "$scratch/child-$i";
    $pids[] = child("$scratch/child-$i", static function (callable $write) use ($generator, $i): void {
        $own = $i % 2 === 0 ? $generator : new Generator(SPEC);
        for ($n = 0; $n < 20; $n++) {
            $write($own->nextN(500));
            $write([$own->next()]);
        }
    });
}
foreach ($pids as $pid) {
    pcntl_waitpid($pid, $status);
    check($status === 0, 'a child ends well');
}
$all = array_map('strval', array_merge($mine, ids(...$files)));
check(count($all) === 8 * 20 * 501 + 1 && areUnique($all), count($all) . ' ids of eight children, no two the same');

// Processes that were started anew.
$files = [];
$spawned = [];
$php = [PHP_BINARY, '-n', '-d', "extension=$extension", '-r',
    'foreach (range(1, 2000) as $i) { echo Frazil\\Generator::open("' . SPEC . '")->next(), "\n"; }'];
for ($i = 0; $i < 4; $i++) {
    $files[] = "$scratch/spawned-$i";
    $spawned[] = proc_open($php, [1 => ['file', "$scratch/spawned-$i", 'w']], $pipes);
}
$mine = $generator->nextN(2000);
foreach ($spawned as $process) {
    check(proc_close($process) === 0, 'a process that was started ends well');
}
$new = [...array_map('strval', $mine), ...ids(...$files)];
check(count($new) === 5 * 2000 && areUnique([...$all, ...$new]), 'four processes that were started anew: no id twice');

// A signal ends one that waits, and its successor repeats nothing.
$slow = 'layout=41/20/2 worker=fixed:9';
$waiting = child("$scratch/waiting", static function (callable $write) use ($slow): void {
    $own = Generator::open($slow);
    $write($own->nextN(4));
    while (true) {
        $own->take(2000, 60_000_000_000);
    }
});
while (!is_file("$scratch/waiting") || filesize("$scratch/waiting") === 0) {
    usleep(1000);
    clearstatcache();
}
usleep(50000);
posix_kill($waiting, SIGTERM);
pcntl_waitpid($waiting, $status);
check(pcntl_wifsignaled($status), 'a signal ends a process that waits');
check(areUnique([...ids("$scratch/waiting"), ...array_map('strval', (new Generator($slow))->take(40, 60_000_000_000))]), 'and no id of it comes again');

// kill -9 while it takes ids, and a successor.
$killed = child("$scratch/killed", static function (callable $write): void {
    $own = Generator::open(SPEC);
    while (true) {
        $write([$own->next()]);
    }
});
while (!is_file("$scratch/killed") || filesize("$scratch/killed") < 20000) {
    usleep(1000);
    clearstatcache();
}
posix_kill($killed, SIGKILL);
pcntl_waitpid($killed, $status);
$before = ids("$scratch/killed");
array_pop($before); // it may be cut in two
$after = array_map('strval', (new Generator(SPEC))->nextN(10000));
check(areUnique([...$before, ...$after]), 'kill -9: no id of before comes again');

// The clock was an hour ahead when the command took an id: an exception says by how much it is behind now.
file_put_contents("$scratch/ahead.c", <<<'C'
    #define _GNU_SOURCE
    #include <sys/syscall.h>
    #include <time.h>
    #include <unistd.h>

    int clock_gettime(clockid_t id, struct timespec *ret)
    {
        int result = (int)syscall(SYS_clock_gettime, id, ret);

        ret->tv_sec += id == CLOCK_REALTIME ? 3600 : 0;
        return result;
    }
    C);
$ahead = 'worker=fixed:27 max_wait=0ms';
exec((getenv('CC') ?: 'cc') . " -shared -fPIC -o $scratch/ahead.so $scratch/ahead.c && LD_PRELOAD=$scratch/ahead.so $frazil next $ahead", $said, $status);
check($status === 0, 'an id of a clock that is an hour ahead');
try {
    $behind = 0;
    (new Generator($ahead))->next();
} catch (Frazil\RetryException $e) {
    $behind = $e->error === 'FRAZIL_ECLOCK' ? $e->behindUs : -1;
}
check(round($behind / 6e7) === 60.0, "an exception says by how much the clock is behind: $behind us");

// Objects that come and go, of the process's own generator and of their own.
$made = [];
for ($i = 0; $i < 70000; $i++) {
    $made[] = Generator::open(SPEC)->next();
}
for ($i = 0; $i < 500; $i++) {
    $made[] = (new Generator(SPEC))->next();
}
check(areUnique($made), '70,000 objects of one generator and 500 of their own, no id twice');
check(memory_get_usage() < 32 << 20, 'and they took no memory with them');

// Garbage with a generator in it is collected while others are in use.
$made = [];
for ($i = 0; $i < 60; $i++) {
    $garbage = new stdClass();
    $garbage->self = $garbage;
    $garbage->generator = $i % 2 === 0 ? Generator::open(SPEC) : new Generator(SPEC);
    $made[] = $garbage->generator->next();
    unset($garbage);
    if ($i % 10 === 0) {
        gc_collect_cycles();
    }
    $made[] = $generator->next();
}
check(areUnique($made), 'while garbage is collected, no id twice');

// The command shares the worker number.
$command = array_filter(explode("\n", shell_exec(escapeshellarg($frazil) . ' next -n 5000 ' . SPEC)));
check(count($command) === 5000 && areUnique([...$command, ...array_map('strval', $generator->nextN(5000)), ...$all]),
    'the command with the same worker number: no id twice');

// Waiting ends by itself, and what cannot be waited for says when to come back.
$full = new Generator('layout=41/20/1 worker=fixed:5 clock=frozen:2026-05-01 on_full=error state=memory');
$full->nextN(2);
try {
    $full->next();
    check(false, 'a full tick is an exception');
} catch (Frazil\RetryException | Frazil\UsageException $e) {
    check($e->error !== '' && $e->getMessage() !== '', 'a full tick is an exception with a sentence');
}

// A silent server of slots is waited for no longer than max_wait: the URL's timeout, which is far above it, is not waited for
// to learn the reason.
$parts = dirname($frazil, 2) . '/parts';
if (is_file("$parts/libfrazil-redis.so.1") && trim((string) shell_exec('command -v redis-server')) !== '') {
    $redis = ['redis-server', '--port', '0', '--save', '', '--dir', $scratch, '--unixsocket', "$scratch/s"];
    $server = proc_open($redis, [1 => ['file', '/dev/null', 'w']], $pipes);
    $program = <<<'PHP'
        [, $folder, $redis] = $argv;
        $ids = Frazil\Generator::open("worker=fixed:3 batch=1 max_wait=200ms open_wait=5m state=redis+unix://$folder/s/slots?timeout=60s");
        $ids->take(1, 100_000_000_000); // new slots begin a little ahead
        exec("kill -STOP $redis");
        $begun = hrtime(true);
        foreach (['next', 'nextString'] as $call) {
            try {
                $ids->$call();
            } catch (Frazil\RetryException $e) {
                echo $e->error, str_contains($e->getMessage(), 'did not answer') ? ' in time, ' : ": {$e->getMessage()}, ";
            }
        }
        echo hrtime(true) - $begun < 50e9 ? 'soon' : 'late';
        PHP;
    $php = [PHP_BINARY, '-n', '-d', "extension=$extension", '-r', $program, '--', $scratch, (string) proc_get_status($server)['pid']];
    $waiting = proc_open($php, [1 => ['pipe', 'w']], $pipes, null, ['LD_LIBRARY_PATH' => $parts] + getenv());
    $said = stream_get_contents($pipes[1]);
    proc_close($waiting);
    proc_terminate($server, SIGKILL);
    proc_close($server);
    check($said === 'FRAZIL_EUNREACHABLE in time, FRAZIL_EUNREACHABLE in time, soon', "a silent server: $said");

    // 200 leases of a silent server take the end of a process no longer than one does.  Two seconds for each would be 400 s.
    mkdir("$scratch/leases-of-redis");
    $redis = ['redis-server', '--port', '0', '--save', '', '--appendonly', 'yes', '--dir', "$scratch/leases-of-redis",
        '--unixsocket', "$scratch/s"];
    $server = proc_open($redis, [1 => ['file', '/dev/null', 'w']], $pipes);
    $parts = ['LD_LIBRARY_PATH' => $parts] + getenv();
    $url = "redis+unix://$scratch/s/orders?timeout=60s";
    $begun = hrtime(true);
    do {
        $init = proc_open([$frazil, 'lease', 'init', '--never-used', $url], [1 => ['file', '/dev/null', 'w'], 2 => ['file', '/dev/null', 'w']], $pipes, null, $parts);
        $isThere = proc_close($init) === 0;
    } while (!$isThere && proc_get_status($server)['running'] && hrtime(true) - $begun < 300e9);
    if (!$isThere) {
        proc_terminate($server, SIGKILL);
    }
    check($isThere, 'a server keeps leases');
    $program = <<<'PHP'
        [, $url, $redis] = $argv;
        for ($i = 0; $i < 200; $i++) {
            Frazil\Generator::open("worker=$url max_wait={$i}s open_wait=5m")->next();
        }
        exec("kill -STOP $redis");
        echo hrtime(true);
        PHP;
    $php = [PHP_BINARY, '-n', '-d', "extension=$extension", '-r', $program, '--', $url, (string) proc_get_status($server)['pid']];
    $ending = proc_open($php, [1 => ['pipe', 'w']], $pipes, null, $parts);
    $began = (int) stream_get_contents($pipes[1]);
    $status = proc_close($ending);
    $took = hrtime(true) - $began;
    proc_terminate($server, SIGKILL);
    proc_close($server);
    check($status === 0 && $began > 0 && $took < 300e9, 'the end of a process with 200 leases of a silent server: ' . intdiv($took, 1_000_000) . ' ms');
}

// What is forbidden.
foreach (['clone' => static fn () => clone $generator, 'serialize' => static fn () => serialize($generator)] as $what => $do) {
    try {
        $do();
        check(false, "$what is forbidden");
    } catch (Throwable $e) {
        check(true, "$what is forbidden");
    }
}
$generator->stop();
try {
    $generator->next();
    check(false, 'a stopped generator gives no id');
} catch (Frazil\FatalException $e) {
    check($e->error === 'FRAZIL_ESTOPPED', 'a stopped generator gives no id');
}
