--TEST--
A generator is neither cloned nor serialised nor extended
--EXTENSIONS--
frazil
--FILE--
<?php
use Frazil\Generator;

$generator = new Generator('worker=fixed:7 state=memory');
$calls = [
    'clone' => static fn () => clone $generator,
    'serialize' => static fn () => serialize($generator),
    'unserialize' => static fn () => unserialize('O:16:"Frazil\Generator":0:{}'),
    'construct again' => static fn () => $generator->__construct('worker=fixed:7 state=memory'),
    'without a constructor' => static fn () => (new ReflectionClass(Generator::class))->newInstanceWithoutConstructor(),
];
foreach ($calls as $what => $call) {
    try {
        $call();
        echo "$what: no exception\n";
    } catch (Throwable $e) {
        echo "$what: ", $e->getMessage(), "\n";
    }
}
var_dump((new ReflectionClass($generator))->isFinal(), is_int($generator->next()));
?>
--EXPECT--
clone: Trying to clone an uncloneable object of class Frazil\Generator
serialize: Serialization of 'Frazil\Generator' is not allowed
unserialize: Unserialization of 'Frazil\Generator' is not allowed
construct again: the generator was constructed already
without a constructor: Class Frazil\Generator is an internal class marked as final that cannot be instantiated without invoking its constructor
bool(true)
bool(true)
