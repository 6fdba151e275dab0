--TEST--
A time is a DateTimeInterface as well as Unix milliseconds
--EXTENSIONS--
frazil
--FILE--
<?php
use Frazil\Generator;
use Frazil\Layout;
use Frazil\Sno;
use Frazil\Time;

$ms = 1800000000250;
$at = new DateTimeImmutable('2027-01-15T10:00:00.250999+02:00'); // its microseconds are cut off
$ids = new Generator('layout=twitter worker=fixed:7 state=memory');
$snos = new Generator('layout=sno partition=7 state=memory');
var_dump($ids->layout()->decompose($ids->nextAt($at))['unix_ms'] === $ms);
var_dump(Sno::decompose($snos->snoNextAt($at, 3))['unix_ms'] === $ms - $ms % 4);

$layout = new Layout('twitter');
$later = new DateTime('2027-01-16', new DateTimeZone('Asia/Tokyo'));
$range = [$ms, $later->getTimestamp() * 1000];
var_dump($layout->compose($at, 7, 9) === $layout->compose($ms, 7, 9));
var_dump($layout->first($at) === $layout->first($ms));
var_dump($layout->range($at, $later) === $layout->range(...$range));
var_dump($layout->range($at, $range[1]) === $layout->range(...$range));
var_dump($layout->overlap(new Layout('frazil'), $at) === $layout->overlap(new Layout('frazil'), $ms));
var_dump(Sno::range($at, $later) === Sno::range(...$range));
var_dump(Sno::compose($at, 0, 1, 2, 3) === Sno::compose($ms, 0, 1, 2, 3));
echo json_encode(Sno::decompose(Sno::compose($at, 1, 2, 3, 4))), "\n";
echo Time::format($at), ' ', Time::format(new DateTime('1969-12-31T23:59:59.999Z')), "\n";

final class NoTime extends DateTime
{
    public function format($format): string
    {
        return 'soon';
    }
}

final class NotMade extends DateTime
{
    public function __construct()
    {
    }
}

$wrong = [
    'text' => '2027-01-15',
    'another object' => new stdClass(),
    'a year of five digits' => new DateTime('@253402300800'),
    'one that lies' => new NoTime(),
    'one that was not constructed' => new NotMade(),
];
foreach ($wrong as $what => $time) {
    foreach ([
        static fn () => $ids->nextAt($time),
        static fn () => $snos->snoNextAt($time),
        static fn () => $layout->compose($time, 7, 9),
        static fn () => $layout->first($time),
        static fn () => $layout->range($at, $time),
        static fn () => $layout->range($time, $at),
        static fn () => $layout->overlap($layout, $time),
        static fn () => Sno::range($at, $time),
        static fn () => Sno::range($time, $at),
        static fn () => Sno::compose($time, 0, 1, 2, 3),
        static fn () => Time::format($time),
    ] as $call) {
        try {
            var_dump($call());
        } catch (Throwable $e) {
            $thrown[$what][$e::class] = ($thrown[$what][$e::class] ?? 0) + 1;
        }
    }
}
foreach ($thrown as $what => $classes) {
    echo $what, ': ', json_encode($classes), "\n";
}
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
{"unix_ms":1800000000248,"ticktock":1,"meta":2,"partition":3,"sequence":4}
2027-01-15T08:00:00.250Z 1969-12-31T23:59:59.999Z
text: {"TypeError":11}
another object: {"TypeError":11}
a year of five digits: {"Frazil\\UsageException":11}
one that lies: {"Frazil\\UsageException":11}
one that was not constructed: {"Error":11}
