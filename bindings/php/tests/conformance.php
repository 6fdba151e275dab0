<?php
// SPDX-License-Identifier: MIT
// Goal of this test: the cases that every binding must pass; bindings/conformance/README.md says what they mean.
// conformance.php CASES SCRATCH

declare(strict_types=1);

use Frazil\Generator;
use Frazil\Id;
use Frazil\Layout;
use Frazil\Sno;
use Frazil\Time;

// This binding has no manual clock, and no handles of threads, which PHP has not.
const LEFT_OUT_CALLS = ['local_next', 'set_clock', 'advance_clock'];

/** One call of a case: a member that nobody has asked for is an error. */
final class Step
{
    public int $compared = 0;

    /** @param array<string, mixed> $left */
    public function __construct(public array $left)
    {
    }

    public function in(string $key): mixed
    {
        if (!array_key_exists($key, $this->left)) {
            throw new LogicException("$key is missing");
        }
        $value = $this->left[$key];
        unset($this->left[$key]);
        return $value;
    }

    /** A signed number of 64 bits. */
    public function big(string $key): int
    {
        $text = $this->in($key);
        if (!is_string($text) || (string) (int) $text !== $text) {
            throw new LogicException("$key is no number: " . json_encode($text));
        }
        return (int) $text;
    }

    /** An unsigned one: text where an int cannot hold it. */
    public function number(string $key): int|string
    {
        $text = $this->in($key);
        return (string) (int) $text === $text ? (int) $text : $text;
    }

    public function bytes(string $key): string
    {
        return hex2bin($this->in($key));
    }

    public function out(string $key, mixed $answer): void
    {
        if (!array_key_exists($key, $this->left)) {
            return;
        }
        $expected = $this->in($key);
        $this->compared++;
        if ($expected !== $answer) {
            throw new LogicException("$key is " . json_encode($answer) . ', expected was ' . json_encode($expected));
        }
    }

    public function finish(bool $succeeded): void
    {
        if ($this->left !== []) {
            throw new LogicException('nobody knows ' . implode(', ', array_keys($this->left)));
        }
        if ($succeeded && $this->compared === 0) {
            throw new LogicException('nothing is expected of it');
        }
    }
}

function outId(?Layout $layout, Step $step, int|string $id): void
{
    $step->out('id', (string) $id);
    $fields = $layout->decompose($id);
    $step->out('unix_ms', (string) $fields['unix_ms']);
    $step->out('worker', $fields['worker']);
    if (isset($step->left['sequence_from'])) {
        $low = $step->in('sequence_from');
        $high = $step->in('sequence_to');
        $step->compared++;
        if ($fields['sequence'] < $low || $fields['sequence'] > $high) {
            throw new LogicException("the sequence is {$fields['sequence']}");
        }
    }
}

/** Takes one by tryNext; what it cannot say, take(1, 0) does. */
function tryNext(Generator $generator): int|string
{
    return $generator->tryNext() ?? $generator->take(1, 0)[0];
}

/** The next id, as text where an int cannot hold it. */
function nextOf(Generator $generator): int|string
{
    $text = $generator->nextString();
    return (string) (int) $text === $text ? (int) $text : $text;
}

function call(string $name, Step $s, ?Generator $g, ?Layout $l): void
{
    $texts = static fn (array $ids): array => array_map('strval', $ids);
    match ($name) {
        'next' => outId($l, $s, nextOf($g)),
        'try_next' => outId($l, $s, tryNext($g)),
        'next_at' => outId($l, $s, $g->nextAt($s->big('at'))),
        'next_n' => $s->out('ids', $texts($g->nextN($s->in('n')))),
        'take' => $s->out('ids', $texts($g->take($s->in('n'), $s->big('wait_ns')))),
        'sno_next' => $s->out('sno', bin2hex($g->snoNext($s->in('meta')))),
        'sno_try_next' => $s->out('sno', bin2hex($g->snoTryNext($meta = $s->in('meta')) ?? $g->snoNext($meta))),
        'sno_next_n' => $s->out('snos', array_map('bin2hex', $g->snoNextN(meta: $s->in('meta'), n: $s->in('n')))),
        'sno_next_at' => $s->out('sno', bin2hex($g->snoNextAt($s->big('at'), $s->in('meta')))),
        'info' => info($s, $g),
        'available' => $s->out('available', (string) $g->available()),
        'stats' => stats($s, $g),
        'stop' => [$g->stop(), $s->compared++],
        'compose' => $s->out('id', (string) $l->compose($s->big('unix_ms'), $s->in('worker'), $s->in('sequence'))),
        'decompose' => outMembers($s, $l->decompose($s->number('id')), ['unix_ms']),
        'range' => outMembers($s, $l->range($s->big('from_unix_ms'), $s->big('to_unix_ms')), ['first', 'last']),
        'describe' => outMembers($s, $l->describe(), ['workers', 'ids_per_tick', 'ids_per_second', 'first_unix_ms',
            'last_unix_ms', 'max_id', 'sign_bit_unix_ms']),
        'fingerprint' => $s->out('text', $l->fingerprint()),
        'overlap' => overlap($s, $l),
        'format' => $s->out('text', Id::format($s->number('id'), $s->in('form'))),
        'parse' => $s->out('id', (string) Id::parse($s->in('text'), $s->in('form'))),
        'bytes_write' => $s->out('bytes', bin2hex(Id::toBytes($s->number('id')))),
        'bytes_read' => $s->out('id', (string) Id::fromBytes($s->bytes('bytes'))),
        'shard' => $s->out('shard', Id::shard($s->number('id'), $s->in('shards'))),
        'worker_hash' => $s->out('worker', Id::workerHash($s->in('text'), $s->in('workers'))),
        'collision' => $s->out('ppm', Id::collision($s->in('hosts'), $s->number('workers'))),
        'kasumi' => $s->out('scrambled', (string) Id::kasumi($s->number('salt'), $s->number('id'))),
        'scramble' => $s->out('text', Id::scramble($s->number('salt'), $s->number('id'), $s->in('checked'))),
        'unscramble' => $s->out('id', (string) Id::unscramble($s->number('salt'), $s->in('text'), $s->in('checked'))),
        'time_format' => $s->out('text', Time::format($s->big('unix_ms'))),
        'time_parse' => $s->out('unix_ms', (string) Time::parse($s->in('text'))),
        'sno_compose' => $s->out('sno', bin2hex(Sno::compose($s->big('unix_ms'), $s->in('ticktock'), $s->in('meta'),
            $s->in('partition'), $s->in('sequence')))),
        'sno_decompose' => outMembers($s, Sno::decompose($s->bytes('sno')), ['unix_ms']),
        'sno_encode' => $s->out('text', Sno::encode($s->bytes('sno'))),
        'sno_decode' => $s->out('sno', bin2hex(Sno::decode($s->in('text')))),
        'sno_range' => outMembers($s, array_map('bin2hex', Sno::range($s->big('from_unix_ms'), $s->big('to_unix_ms'))), []),
        'uuid_format' => $s->out('text', Sno::toUuid($s->bytes('sno'))),
        'uuid_parse' => $s->out('sno', bin2hex(Sno::fromUuid($s->in('text')))),
        'uuid_read' => $s->out('sno', bin2hex(Sno::fromUuidBytes($s->bytes('bytes')))),
        'sno_to_json' => $s->out('text', Sno::toJson($s->bytes('sno'))),
        'sno_from_json' => $s->out('sno', bin2hex(Sno::fromJson($s->in('text')))),
        'sno_from_column' => $s->out('sno', bin2hex(Sno::fromColumn($s->bytes('bytes')))),
        'partition_format' => $s->out('text', Sno::formatPartition($s->in('partition'))),
        'partition_parse' => $s->out('partition', Sno::parsePartition($s->in('text'))),
    };
}

function overlap(Step $s, Layout $l): void
{
    [$after, $since] = [$s->in('after'), $s->big('since_unix_ms')];
    outMembers($s, $l->overlap(new Layout($after), $since), ['old_last', 'new_first', 'safe_unix_ms']);
}

function info(Step $s, Generator $g): void
{
    outMembers($s, $g->info(), ['capacity']);
    $s->out('fingerprint', $g->layout()->fingerprint());
}

function stats(Step $s, Generator $g): void
{
    foreach ($g->stats() as $name => $value) {
        $s->out($name, (string) $value);
    }
}

/** Holds each member that the step names; those of $big are text in the case. */
function outMembers(Step $step, array $answer, array $big): void
{
    foreach ($answer as $key => $value) {
        $step->out($key, in_array($key, $big, true) ? (string) $value : $value);
    }
}

/** Makes the call, and holds its error, or that there is none, against the step. */
function run(Step $step, callable $make): bool
{
    try {
        $make();
    } catch (Frazil\Exception $e) {
        if (!isset($step->left['error'])) {
            throw $e;
        }
        if ($step->in('error') !== $e->error || $step->in('class') !== $e->errorClass) {
            throw new LogicException("{$e->error}, class {$e->errorClass}: {$e->getMessage()}");
        }
        if (isset($step->left['position']) && $step->big('position') !== $e->position) {
            throw new LogicException("the position is {$e->position}");
        }
        $step->finish(false);
        return false;
    }
    if (isset($step->left['error'])) {
        throw new LogicException("it succeeds, expected was {$step->left['error']}");
    }
    return true;
}

function runCase(array $case, string $scratch): void
{
    $step = new Step($case);
    $step->in('name');
    $calls = $step->left['calls'] ?? [];
    unset($step->left['calls']);
    $environment = $step->left['environment'] ?? [];
    unset($step->left['environment']);
    $beside = $generator = $layout = null;
    foreach ($environment as $key => $value) {
        putenv("$key=$value");
    }
    $opened = run($step, function () use ($step, $scratch, &$beside, &$generator, &$layout): void {
        if (isset($step->left['beside'])) {
            $beside = new Generator(str_replace('SCRATCH', $scratch, $step->in('beside')));
        }
        if (isset($step->left['spec'])) {
            $generator = new Generator(str_replace('SCRATCH', $scratch, $step->in('spec')));
            $layout = $generator->layout();
        } elseif (isset($step->left['layout'])) {
            $layout = new Layout($step->in('layout'));
        }
    });
    foreach ($environment as $key => $_) {
        putenv($key);
    }
    if (!$opened) {
        return;
    }
    if ($step->left !== [] || $calls === []) {
        throw new LogicException('a case of unknown members, or without calls');
    }
    foreach ($calls as $number => $members) {
        $call = new Step($members);
        try {
            if (run($call, fn () => call($call->in('call'), $call, $generator, $layout))) {
                $call->finish(true);
            }
        } catch (Throwable $e) {
            throw new LogicException('call ' . ($number + 1) . ': ' . $e->getMessage(), 0, $e);
        }
    }
}

[, $file, $scratch] = $argv;
$ran = $leftOut = $failed = 0;
foreach (file($file, FILE_IGNORE_NEW_LINES) as $line) {
    $case = json_decode($line, true, 64, JSON_THROW_ON_ERROR);
    $names = array_column($case['calls'] ?? [], 'call');
    if (isset($case['clock_unix_ms']) || array_intersect($names, LEFT_OUT_CALLS) !== []) {
        $leftOut++;
        continue;
    }
    $folder = "$scratch/" . ++$ran;
    mkdir($folder);
    try {
        runCase($case, $folder);
    } catch (Throwable $e) {
        $failed++;
        echo "\"{$case['name']}\": ", $e->getMessage(), "\n";
    }
}
echo "$ran cases, $failed failed, $leftOut left out: they need a manual clock, or a handle of a thread\n";
exit($failed > 0 || $ran < 250 ? 1 : 0);
