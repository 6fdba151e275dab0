<?php
// SPDX-License-Identifier: MIT
// Goal of this test: frazil.stub.php says what the extension has, name by name and type by type, and key by key of its arrays.
// stub.php STUB

declare(strict_types=1);

/** The signatures below namespace Frazil in a text of PHP. */
function signatures(string $text): array
{
    $found = [];
    $class = '';
    foreach (explode("\n", $text) as $line) {
        if (preg_match('/^(?:abstract |final )?class (\w+)/', $line, $match)) {
            $class = $match[1];
        } elseif (preg_match('/public (static )?function (\w+)\((.*)\)(?:: (.*))?$/', $line, $match)) {
            $found[] = "$class::$match[2](" . str_replace('\\', '', $match[3]) . ')' . (isset($match[4]) ? ': ' . ltrim($match[4], '\\') : '') . ($match[1] === '' ? '' : ' static');
        }
    }
    sort($found);
    return $found;
}

/** The keys and types of the arrays below namespace Frazil in a text of PHP, by method. */
function shapes(string $text): array
{
    $found = [];
    $class = $shape = '';
    foreach (explode("\n", $text) as $line) {
        if (preg_match('/^(?:abstract |final )?class (\w+)/', $line, $match)) {
            $class = $match[1];
        } elseif (preg_match('/@return (?:list<)?array\{(.*)\}>?$/', $line, $match)) {
            $shape = $match[1];
        } elseif (preg_match('/ function (\w+)\(/', $line, $match)) {
            if ($shape !== '') {
                preg_match_all('/(\w+): ([\w|?]+)/', $shape, $pairs);
                $found["$class::$match[1]"] = array_combine($pairs[1], $pairs[2]);
            }
            $shape = '';
        }
    }
    return $found;
}

/** Whether an array has these keys, in this order, and values of these types. */
function fits(array $values, array $shape): bool
{
    foreach ($shape as $key => $type) {
        if (!in_array(get_debug_type($values[$key] ?? null), explode('|', str_replace('?', 'null|', $type)), true)) {
            return false;
        }
    }
    return array_keys($values) === array_keys($shape);
}

function type(?ReflectionType $type): string
{
    if ($type === null) {
        return '';
    }
    $parts = explode('|', str_replace('Frazil\\', '', (string) $type));
    sort($parts);
    return implode('|', $parts);
}

$real = [];
foreach (['Generator', 'Layout', 'Id', 'Time', 'Sno'] as $class) {
    foreach ((new ReflectionClass("Frazil\\$class"))->getMethods() as $method) {
        $parameters = [];
        foreach ($method->getParameters() as $parameter) {
            $parameters[] = type($parameter->getType()) . ' $' . $parameter->getName()
                . ($parameter->isDefaultValueAvailable() ? ' = ' . str_replace(['NULL'], ['null'], var_export($parameter->getDefaultValue(), true)) : '');
        }
        $type = type($method->getReturnType());
        $real[] = "$class::{$method->getName()}(" . implode(', ', $parameters) . ')' . ($type === '' ? '' : ": $type")
            . ($method->isStatic() ? ' static' : '');
    }
}
sort($real);
$said = signatures(file_get_contents($argv[1]));
$wrong = [...array_map(static fn ($s) => "only the extension: $s", array_diff($real, $said)),
    ...array_map(static fn ($s) => "only the stub: $s", array_diff($said, $real))];
$layout = new Frazil\Layout('twitter');
$ids = new Frazil\Generator('layout=twitter worker=fixed:31 state=memory');
$now = 1_800_000_000_000;
$sno = Frazil\Sno::compose($now, 0, 0, 1, 2);
$arrays = [
    'Generator::info' => [$ids->info()],
    'Generator::events' => (new Frazil\Generator('layout=sno worker=auto state=memory'))->events(),
    'Generator::health' => [$ids->health(), (new Frazil\Generator('layout=twitter worker=fixed:32'))->health()],
    'Layout::decompose' => [$layout->decompose(1)],
    'Layout::range' => [$layout->range($now, $now)],
    'Layout::describe' => [$layout->describe(), (new Frazil\Layout('flake'))->describe()],
    'Layout::overlap' => [$layout->overlap(new Frazil\Layout('frazil'), $now)],
    'Sno::decompose' => [Frazil\Sno::decompose($sno)],
    'Sno::range' => [Frazil\Sno::range($now, $now)],
];
$shapes = shapes(file_get_contents($argv[1]));
foreach ($arrays + array_fill_keys(array_keys($shapes), [[]]) as $method => $values) {
    foreach ($values as $each) {
        if (!fits($each, $shapes[$method] ?? [])) {
            $wrong[] = "another array: $method " . json_encode($each);
        }
    }
}
if ($ids->health()['grant_end_unix_ms'] !== null) {
    $wrong[] = 'without a grant there is an end of it';
}
echo implode("\n", $wrong), count($real), " methods\n";
exit($wrong === [] && count($real) > 40 ? 0 : 1);
