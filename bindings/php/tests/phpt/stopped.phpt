--TEST--
A generator that was stopped is forgotten under each spelling of its spec
--EXTENSIONS--
frazil
--FILE--
<?php
use Frazil\Generator;

const SPELLINGS = ['layout=twitter worker=fixed:14', 'worker=fixed:14 layout=twitter', ['layout' => 'twitter', 'worker' => 14]];
$kept = Generator::open(SPELLINGS[1]);
$stopped = Generator::open(SPELLINGS[0]);
Generator::open(SPELLINGS[2]); // no object keeps this one
var_dump($kept == $stopped);
$stopped->stop();
foreach (SPELLINGS as $spec) {
    $again = Generator::open($spec);
    var_dump($again->next() > 0, $again == $stopped);
}
var_dump($again->health()['serving'], $kept->health()['serving']);
try {
    $kept->next();
} catch (Frazil\FatalException $e) {
    echo $e->error, "\n";
}

// Without kept state a new one needs the number, which the last object gives back.
const MEMORY = ['layout=twitter worker=fixed:15 state=memory', 'state=memory worker=fixed:15 layout=twitter'];
Generator::open(MEMORY[1]);
$stopped = Generator::open(MEMORY[0]);
$stopped->stop();
unset($stopped);
var_dump(Generator::open(MEMORY[0]) == Generator::open(MEMORY[1]), Generator::open(MEMORY[1])->next() > 0);
?>
--EXPECT--
bool(true)
bool(true)
bool(false)
bool(true)
bool(false)
bool(true)
bool(false)
bool(true)
bool(false)
FRAZIL_ESTOPPED
bool(true)
bool(true)
