<?php
// SPDX-License-Identifier: MIT
// Goal of this test: frazil.stub.php says what the extension has, name by name and type by type.
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
            $found[] = "$class::$match[2]($match[3])" . (isset($match[4]) ? ': ' . ltrim($match[4], '\\') : '') . ($match[1] === '' ? '' : ' static');
        }
    }
    sort($found);
    return $found;
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
echo implode("\n", $wrong), count($real), " methods\n";
exit($wrong === [] && count($real) > 40 ? 0 : 1);
