--TEST--
Errors are exceptions by class, and what they say is in their properties
--EXTENSIONS--
frazil
--FILE--
<?php
use Frazil\Generator;
use Frazil\Id;
use Frazil\Layout;

$memory = 'worker=fixed:7 state=memory';
$stopped = new Generator($memory);
$stopped->stop();
$large = new Generator('layout=41/11/12 epoch=1970-01-01 worker=fixed:9 state=memory');
$frozen = 'layout=41/21/1 epoch=2026-01-01 clock=frozen:2026-06-01 state=memory';
$full = new Generator("$frozen worker=fixed:10 on_full=error");
$full->nextN(2);
$waiting = new Generator("$frozen worker=fixed:11");
$waiting->nextN(2);
var_dump($waiting->tryNext());
$calls = [
    'a word too many' => static fn () => new Generator("$memory colour=red"),
    'no layout' => static fn () => new Layout('41/10'),
    'a zero byte' => static fn () => Generator::open("$memory\0"),
    'a zero byte, of its own' => static fn () => new Generator("$memory\0"),
    'no id' => static fn () => Id::parse('12x', 'dec'),
    'too large for an int' => static fn () => (new Generator("layout=41/11/12 epoch=1970-01-01 $memory"))->next(),
    'too large, by text without' => static fn () => preg_match('/^\d+$/', $large->nextString()) ? $large->nextN(2) : null,
    'too large, without waiting' => static fn () => $large->tryNext(),
    'too large, in a time' => static fn () => $large->take(1, 0),
    'a negative id' => static fn () => Id::format(-1),
    'a negative wait' => static fn () => (new Generator('worker=fixed:12 state=memory'))->take(1, -1),
    'full, without waiting' => static fn () => $full->tryNext(),
    'none at all' => static fn () => (new Generator('worker=fixed:8 state=memory'))->take(-1, 0),
    'a number that another one has' => static fn () => new Generator($memory),
    'stopped' => static fn () => $stopped->next(),
    'no directory' => static fn () => new Generator('worker=fixed:16 run_dir=/dev/null/nowhere'),
];
foreach ($calls as $what => $call) {
    try {
        $call();
        echo "$what: no exception\n";
    } catch (Frazil\Exception $e) {
        echo "$what: ", $e::class, " $e->error $e->errorClass ", json_encode($e->position), ' ', $e->getMessage() === '' ? 'no words' : 'words', "\n";
    }
}
var_dump($e->errno); // of the last one: ENOTDIR
try {
    $full->next();
} catch (Frazil\RetryException $e) {
    var_dump($e->getCode(), $e->retryNs, $e->errno); // FRAZIL_EFULL; a frozen clock is at the begin of its tick
}
?>
--EXPECT--
NULL
a word too many: Frazil\UsageException FRAZIL_ESPEC usage 28 words
no layout: Frazil\UsageException FRAZIL_ELAYOUT usage 0 words
a zero byte: Frazil\UsageException FRAZIL_EINVAL usage null words
a zero byte, of its own: Frazil\UsageException FRAZIL_EINVAL usage null words
no id: Frazil\UsageException FRAZIL_EPARSE usage 2 words
too large for an int: Frazil\UsageException FRAZIL_EINVAL usage null words
too large, by text without: Frazil\UsageException FRAZIL_EINVAL usage null words
too large, without waiting: Frazil\UsageException FRAZIL_EINVAL usage null words
too large, in a time: Frazil\UsageException FRAZIL_EINVAL usage null words
a negative id: Frazil\UsageException FRAZIL_EINVAL usage null words
a negative wait: Frazil\UsageException FRAZIL_EINVAL usage null words
full, without waiting: Frazil\RetryException FRAZIL_EFULL retry null words
none at all: Frazil\UsageException FRAZIL_EINVAL usage null words
a number that another one has: Frazil\UsageException FRAZIL_EWORKER usage null words
stopped: Frazil\FatalException FRAZIL_ESTOPPED fatal null words
no directory: Frazil\FatalException FRAZIL_ESYS fatal null words
int(20)
int(-21)
int(1000000)
int(0)
