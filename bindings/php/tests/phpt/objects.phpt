--TEST--
Objects: equal where they mean the same, shown as what they are; one that was stopped is in nobody's way
--EXTENSIONS--
frazil
--FILE--
<?php
use Frazil\Generator;
use Frazil\Layout;

$twitter = new Layout('twitter');
var_dump($twitter == new Layout('konayuki'), $twitter == new Layout('41/10/12 epoch=1288834974657'), $twitter == clone $twitter);
var_dump($twitter != new Layout('js53'), $twitter < new Layout('js53'), $twitter == 'twitter');
var_dump($twitter);
echo json_encode($twitter), "\n";

const SPEC = 'layout=twitter worker=fixed:7';
$one = Generator::open(SPEC);
$two = Generator::open(SPEC);
var_dump($one == $two, $one == Generator::open(SPEC . ' max_wait=1s'), $one == new Generator(SPEC));
var_dump($one);
echo json_encode($one), "\n";
putenv('FRAZIL_WORKER=fixed:8');
var_dump(Generator::open(null) == Generator::open(), (new Generator(null))->info()['worker']);
$one->stop();
foreach ([$one, $two] as $stopped) {
    try {
        $stopped->next();
    } catch (Frazil\FatalException $e) {
        echo $e->error, ' ', $stopped->health()['state'], "\n";
    }
}
$again = Generator::open(SPEC);
$again->next();
var_dump($again == $one, $again->health()['state'], Generator::open(SPEC) == $again);
$one->stop();
unset($one);
$two->stop();
unset($two, $stopped);
$again->next();
var_dump($again->info()['state']);
$opened = static function (): int {
    ob_start();
    phpinfo(INFO_MODULES);
    return (int) preg_replace('/.*generators opened => (\d+).*/s', '$1', ob_get_clean());
};
$before = $opened();
$own = new Generator('layout=twitter worker=fixed:10');
Generator::open(['layout' => 'twitter', 'worker' => 11]);
Generator::open(['layout' => 'twitter', 'worker' => 11]);
var_dump($before, $opened() - $before);
try {
    (new Generator('layout=twitter worker=fixed:9'))->snoNext();
} catch (Frazil\UsageException $e) {
    var_dump(str_contains($e->getMessage(), 'frazil_'));
}
?>
--EXPECT--
bool(false)
bool(true)
bool(true)
bool(true)
bool(false)
bool(false)
object(Frazil\Layout)#1 (2) {
  ["name"]=>
  string(7) "twitter"
  ["fingerprint"]=>
  string(38) "41/5+5/12 epoch=1288834974657 tick=1ms"
}
{"name":"twitter","fingerprint":"41\/5+5\/12 epoch=1288834974657 tick=1ms"}
bool(true)
bool(false)
bool(false)
object(Frazil\Generator)#2 (2) {
  ["layout"]=>
  string(38) "41/5+5/12 epoch=1288834974657 tick=1ms"
  ["worker"]=>
  int(7)
}
{"layout":"41\/5+5\/12 epoch=1288834974657 tick=1ms","worker":7}
bool(true)
int(8)
FRAZIL_ESTOPPED stopped
FRAZIL_ESTOPPED stopped
bool(false)
string(7) "serving"
bool(true)
string(4) "file"
int(6)
int(2)
bool(false)
