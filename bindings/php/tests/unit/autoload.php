<?php
// SPDX-License-Identifier: MIT
// Finds the classes of packages/ as Composer would, by their composer.json, and Debian's parts of Laravel.

declare(strict_types=1);

$folders = [];
foreach (glob(__DIR__ . '/../../packages/*/composer.json') as $file) {
    $package = json_decode(file_get_contents($file), true, 16, JSON_THROW_ON_ERROR);
    foreach ($package['autoload']['psr-4'] as $prefix => $folder) {
        $folders[$prefix] = dirname($file) . "/$folder";
    }
}
spl_autoload_register(static function (string $class) use ($folders): void {
    foreach ($folders as $prefix => $folder) {
        $file = $folder . strtr(substr($class, strlen($prefix)), '\\', '/') . '.php';
        if (str_starts_with($class, $prefix) && is_file($file)) {
            require $file;
        }
    }
});
foreach (['PhpOption', 'Dotenv', 'Illuminate/Config', 'Illuminate/Console', 'Illuminate/Container', 'Illuminate/Database', 'Illuminate/Events', 'Illuminate/Redis', 'Illuminate/Support', 'Predis'] as $part) {
    require_once "$part/autoload.php";
}
require_once __DIR__ . '/StubApplication.php';
