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

// Its value is the last time of the layout: 2^41 ms from its epoch.
$short = (new Generator('layout=twitter epoch=1958-01-01 worker=fixed:8 allow_short_life=yes state=memory'))->events();
echo json_encode([array_column($short, 'value') === [2 ** 41 - 1 - 378691200000], array_column($short, 'missed')]), "\n";

$ids = Generator::open('layout=twitter epoch=1958-01-01 worker=fixed:7 allow_short_life=yes state=memory');
echo json_encode(array_column($ids->events(), 'kind')), "\n";
unset($ids);
$show(Generator::open('layout=twitter epoch=1958-01-01 worker=fixed:7 allow_short_life=yes state=memory'));

// Its state cannot be written while a file has the directory's name.
$dir = sys_get_temp_dir() . '/frazil-events-' . getmypid();
mkdir($dir, 0700);
$kept = new Generator("worker=fixed:9 keeper=inline state_dir=$dir");
$kept->next();
rename($dir, "$dir-away");
touch($dir);
$until = time() + 60;
do {
    usleep(10_000);
    $kept->next();
} while (($failed = $kept->events()) === [] && time() < $until);
$health = $kept->health();
echo json_encode([array_column($failed, 'kind'), array_column($failed, 'code') === [$health['last_error']]]), "\n";
echo json_encode([$health['state'], $health['serving']]), "\n"; // the present grant stands
unlink($dir);
rename("$dir-away", $dir);
unset($kept);
?>
--CLEAN--
<?php
foreach (glob(sys_get_temp_dir() . '/frazil-events-*') as $left) {
    exec('rm -rf ' . escapeshellarg($left));
}
?>
--EXPECT--
["warn-unclaimed",null,true,true,0,0]
1
0
["warn-unclaimed",null,true,true,0,0]
1
[true,[0]]
["warn-short-life"]
0
[["extension-failed"],true]
["needs_grant",true]
