--TEST--
A generator: one id, many, as text, none without waiting; the process's own and an object's own
--EXTENSIONS--
frazil
--FILE--
<?php
use Frazil\Generator;

const SPEC = 'layout=41/10/12 epoch=2026-01-01 worker=fixed:7';
$own = new Generator(SPEC);
$ids = [$own->next(), ...$own->nextN(1000), ...$own->take(10, 1000000000)];
$sorted = $ids;
sort($sorted);
var_dump(count(array_unique($ids)), $sorted === $ids);
var_dump(preg_match('/^[1-9]\d+$/', $own->nextString()), strlen($own->nextString('crockford')));
$free = $own->tryNext();
var_dump($free === null || is_int($free));
var_dump($own->layout()->decompose($own->next())['worker']);
$one = Generator::open(SPEC);
$two = Generator::open(SPEC);
var_dump($one->next() < $two->next());
unset($one);
var_dump($two->next() < Generator::open(SPEC)->next());

// As many as a call may take, and what it leaves of a tick.
$many = new Generator('layout=41/1/21 epoch=2026-01-01 worker=fixed:1 clock=frozen:2026-06-01 start=zero state=memory');
var_dump(count($many->nextN(1_000_000)), $many->available());
echo json_encode(array_intersect_key($many->info(), ['sequence' => 0, 'length' => 0, 'capacity' => 0])), "\n";
try {
    $many->nextN(1_000_001);
} catch (Frazil\UsageException $e) {
    echo $e->getMessage(), "\n";
}

// One that was stopped gives its number back with the last object, so that the process can open the spec again.
const MEMORY = 'layout=twitter worker=fixed:13 state=memory';
$stopped = Generator::open(MEMORY);
$stopped->stop();
unset($stopped);
var_dump(Generator::open(MEMORY)->next() > 0);
?>
--EXPECT--
int(1011)
bool(true)
int(1)
int(13)
bool(true)
int(7)
bool(true)
bool(true)
int(1000000)
int(1097152)
{"sequence":1000000,"length":1000000,"capacity":2097152}
the number of ids is 1000001: must be from 0 to 1000000
bool(true)
