--TEST--
Events are read once: by the process from the generator that open() gives, by each object from its own
--EXTENSIONS--
frazil
--FILE--
<?php
use Frazil\Generator;

const SPEC = 'layout=sno worker=auto state=memory';

$show = static function (Generator $ids): void {
    $events = $ids->events();
    foreach ($events as $event) {
        $rest = [$event['code'], $event['worker'] === $ids->info()['worker'], abs($event['unix_ms'] - time() * 1000) < 600_000];
        echo json_encode([$event['kind'], ...$rest, $event['value'], $event['missed']]), "\n";
    }
    echo count($events), "\n";
};
$own = new Generator(SPEC);
$show($own);
$show($own);
$show(new Generator(SPEC));

$ids = Generator::open('layout=twitter epoch=1958-01-01 worker=fixed:7 allow_short_life=yes state=memory');
echo json_encode(array_column($ids->events(), 'kind')), "\n";
unset($ids);
$show(Generator::open('layout=twitter epoch=1958-01-01 worker=fixed:7 allow_short_life=yes state=memory'));
?>
--EXPECT--
["warn-unclaimed",null,true,true,0,0]
1
0
["warn-unclaimed",null,true,true,0,0]
1
["warn-short-life"]
0
