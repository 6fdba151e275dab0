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
$calls = [
    'a word too many' => static fn () => new Generator("$memory colour=red"),
    'no layout' => static fn () => new Layout('41/10'),
    'a zero byte' => static fn () => Generator::open("$memory\0"),
    'no id' => static fn () => Id::parse('12x', 'dec'),
    'too large for an int' => static fn () => (new Generator("layout=41/11/12 epoch=1970-01-01 $memory"))->next(),
    'none at all' => static fn () => (new Generator('worker=fixed:8 state=memory'))->take(-1, 0),
    'a number that another one has' => static fn () => new Generator($memory),
    'stopped' => static fn () => $stopped->next(),
];
foreach ($calls as $what => $call) {
    try {
        $call();
        echo "$what: no exception\n";
    } catch (Frazil\Exception $e) {
        echo "$what: ", $e::class, " $e->error $e->errorClass ", json_encode($e->position), ' ', $e->getMessage() === '' ? 'no words' : 'words', "\n";
    }
}
?>
--EXPECT--
a word too many: Frazil\UsageException FRAZIL_ESPEC usage 28 words
no layout: Frazil\UsageException FRAZIL_ELAYOUT usage 0 words
a zero byte: Frazil\UsageException FRAZIL_EINVAL usage null words
no id: Frazil\UsageException FRAZIL_EPARSE usage 2 words
too large for an int: Frazil\UsageException FRAZIL_EINVAL usage null words
none at all: Frazil\UsageException FRAZIL_EINVAL usage null words
a number that another one has: Frazil\UsageException FRAZIL_EWORKER usage null words
stopped: Frazil\FatalException FRAZIL_ESTOPPED fatal null words
