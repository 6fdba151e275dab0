--TEST--
Options are an array as well, foreach takes ids, and exceptions have the bases of PHP
--EXTENSIONS--
frazil
--FILE--
<?php
use Frazil\Generator;
use Frazil\Layout;
use Frazil\Sno;

$ids = new Generator(['worker' => 7, 'state' => 'memory', 'max_wait' => null, 'allow_short_life' => false,
    'layout' => '41/10/12 epoch=2026-01-01', 'config' => null]);
var_dump($ids->info()['worker'], $ids->layout()->fingerprint());
$none = null;
$eleven = 11;
var_dump((new Generator(['worker' => &$eleven, 'state' => 'memory', 'max_wait' => &$none]))->info()['worker']);
$since = new DateTimeImmutable('2026-03-01T12:00:00.250+02:00');
echo (new Generator(['worker' => 'fixed:8', 'state' => 'memory', 'epoch' => $since]))->layout()->fingerprint(), "\n";
$one = Generator::open(['worker' => 9, 'layout' => 'twitter']);
var_dump($one == Generator::open(['worker' => 9, 'layout' => 'twitter']), $one == Generator::open("worker='fixed:9' layout='twitter'"));
var_dump((new Generator(['worker' => 10, 'state' => 'memory', 'layout' => new Layout('js53')]))->layout() == new Layout('js53'));
$low = 10;
$sno = (new Generator(['layout' => 'sno', 'partition' => [65, &$low], 'state' => 'memory']))->snoNext();
var_dump(Sno::formatPartition(Sno::decompose($sno)['partition']));

$wrong = [
    'a key that says more' => ['state=memory worker' => 'fixed:3'],
    'no key' => ['worker=fixed:7'],
    'an unknown one' => ['colour' => 'red'],
    'a quote' => ['worker' => "fixed:7' state='memory"],
    'a list' => ['worker' => [7]],
    'an object' => ['worker' => new stdClass()],
    'three bytes' => ['layout' => 'sno', 'partition' => [65, 10, 11]],
    'two letters' => ['layout' => 'sno', 'partition' => ['A', 'B']],
    'two bytes of a worker' => ['layout' => 'sno', 'worker' => [65, 10]],
    'a byte that is none' => ['layout' => 'sno', 'partition' => [65, 256]],
];
foreach ($wrong as $what => $options) {
    try {
        new Generator($options);
        echo "$what: taken\n";
    } catch (InvalidArgumentException | TypeError $e) {
        echo "$what: ", $e::class, "\n";
    }
}

$wrong = [
    ['maxWait' => '1s'],
    ['worker=fixed:7'],
    ['worker' => 7, 'state=memory'],
    ['worker=redis://:geheim@host/ids' => null],
    ["\e[2Jworker" => 7],
    ["worker\0" => 7],
    ['' => 7],
];
foreach ($wrong as $options) {
    try {
        new Generator($options);
    } catch (Frazil\UsageException $e) {
        echo $e->getMessage(), "\n";
    }
}

// Quotes and backslashes in a value stand for themselves, also at its end.
$place = sys_get_temp_dir() . '/frazil ' . getmypid() . " it's \\ here\\";
new Generator(['worker' => 12, 'state_dir' => $place, 'run_dir' => $place]);
var_dump(is_dir($place));
exec('rm -r ' . escapeshellarg($place));

$before = 0;
foreach ($ids as $number => $id) {
    if ($id <= $before) {
        echo "$id does not follow $before\n";
    }
    $before = $id;
    if ($number === 2) {
        break;
    }
}
var_dump($number, iterator_to_array(new LimitIterator(new IteratorIterator($ids), 0, 3))[2] > $id);
$iterator = $ids->getIterator();
foreach (['once', 'again'] as $time) {
    foreach ($iterator as $number => $id) {
        if ($number === 1) {
            break;
        }
    }
}
$iterator->rewind();
var_dump($iterator->key());
$ids->stop();
try {
    foreach ($ids as $id) {
        echo "an id after the end\n";
    }
} catch (RuntimeException $e) {
    echo $e::class, ' ', $e instanceof Frazil\Exception ? $e->error : 'of somebody', "\n";
}
try {
    foreach ($ids as &$id) {
    }
} catch (Error $e) {
    echo $e->getMessage(), "\n";
}
?>
--EXPECT--
int(7)
string(37) "41/10/12 epoch=1767225600000 tick=1ms"
int(11)
41/10/12 epoch=1772359200250 tick=1ms
bool(true)
bool(true)
bool(true)
string(4) "A,10"
a key that says more: Frazil\UsageException
no key: Frazil\UsageException
an unknown one: Frazil\UsageException
a quote: Frazil\UsageException
a list: TypeError
an object: TypeError
three bytes: TypeError
two letters: TypeError
two bytes of a worker: TypeError
a byte that is none: Frazil\UsageException
the options have the key 'maxWait': keys are names of lower-case letters and _, as max_wait
the options have an element without a key: write ['worker' => 7], or a spec as text
the options have an element without a key: write ['worker' => 7], or a spec as text
the options have a key that is not a name of lower-case letters and _, such as max_wait
the options have a key that is not a name of lower-case letters and _, such as max_wait
the options have a key that is not a name of lower-case letters and _, such as max_wait
the options have a key that is not a name of lower-case letters and _, such as max_wait
bool(true)
int(2)
bool(true)
int(0)
Frazil\FatalException FRAZIL_ESTOPPED
An iterator cannot be used with foreach by reference
