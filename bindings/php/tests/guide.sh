#!/bin/sh
# SPDX-License-Identifier: MIT
# guide.sh GUIDE PACKAGES EXTENSION FRAZIL: what docs/konayuki.md says is typed, by Composer and without a network, in an
# application that had konayuki and kasumi.
set -eu

guide=$1
packages=$2
extension=$3
export FRAZIL_COMMAND="$4"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
    echo "$1" >&2
    exit 1
}

# block N: the guide's Nth block of code
block() {
    awk -v n="$1" '/^ *```/ { inside = !inside; if (inside) at++; next } inside && at == n' "$guide"
}

# typed N: its lines are typed
typed() {
    block "$1" >"$scratch/lines"
    [ -s "$scratch/lines" ] || fail "the guide has no block $1"
    sh -e "$scratch/lines" >"$scratch/log" 2>&1
}

mkdir "$scratch/ini" "$scratch/home" "$scratch/shop" "$scratch/shop/packages"
export COMPOSER_HOME="$scratch/home" COMPOSER_ALLOW_SUPERUSER=1 COMPOSER_DISABLE_NETWORK=1
php -m | grep -qx frazil || echo "extension=$extension" >"$scratch/ini/frazil.ini"
export PHP_INI_SCAN_DIR=":$scratch/ini"
php -m | grep -qx frazil || fail "php -m does not list frazil"

# The two originals, of which Composer needs the names alone.
for name in konayuki kasumi; do
    mkdir "$scratch/$name"
    echo "{\"name\": \"niktomo/$name\", \"version\": \"1.0.0\"}" >"$scratch/$name/composer.json"
    tar -C "$scratch/shop/packages" -xzf "$packages"/frazil-$name-*.tgz
done
echo "{\"repositories\": [{\"type\": \"path\", \"url\": \"$scratch/k*\"}, {\"packagist.org\": false}]}" >"$scratch/home/config.json"
cd "$scratch/shop"
printf '{"name": "you/shop", "license": "proprietary", "require": {"niktomo/konayuki": "*", "niktomo/kasumi": "*"},\n%s}\n' "$(block 1)" >composer.json
# An application of Laravel, which Debian has as packages of its own and not of Composer.
mkdir bootstrap bootstrap/cache config storage
echo APP_ENV=local >.env
cat >config/app.php <<'PHP'
<?php
return [
    'key' => str_repeat('k', 32),
    'cipher' => 'AES-256-CBC',
    'providers' => [
        Illuminate\Cache\CacheServiceProvider::class,
        Illuminate\Database\DatabaseServiceProvider::class,
        Illuminate\Filesystem\FilesystemServiceProvider::class,
        Illuminate\Foundation\Providers\ConsoleSupportServiceProvider::class,
        Illuminate\Queue\QueueServiceProvider::class,
        Illuminate\View\ViewServiceProvider::class,
    ],
];
PHP
cat >application.php <<'PHP'
<?php
require_once 'Illuminate/autoload.php';
require_once __DIR__ . '/vendor/autoload.php';
$application = new Illuminate\Foundation\Application(__DIR__);
$application->singleton(Illuminate\Contracts\Console\Kernel::class, Illuminate\Foundation\Console\Kernel::class);
$application->singleton(Illuminate\Contracts\Debug\ExceptionHandler::class, Illuminate\Foundation\Exceptions\Handler::class);
return $application->make(Illuminate\Contracts\Console\Kernel::class);
PHP
echo '<?php exit((require "application.php")->handle(new Symfony\Component\Console\Input\ArgvInput(), new Symfony\Component\Console\Output\ConsoleOutput()));' >artisan
composer --no-interaction install >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "the application of before cannot be installed"; }

typed 2 || { cat "$scratch/log"; fail "the packages cannot be exchanged"; }
[ ! -e vendor/niktomo/konayuki ] || fail "konayuki is still there"

status=0
KONAYUKI_WORKER_ID_MODE=fixed KONAYUKI_WORKER_ID=5 typed 3 || status=$?
[ "$status" -le 1 ] || { cat "$scratch/log"; fail "the doctor ends with $status"; }
grep -q 'worker id 5' "$scratch/log" || { cat "$scratch/log"; fail "the doctor does not name the worker id"; }

# Code that knows nothing of frazil.
cat >code.php <<'PHP'
<?php
require 'vendor/autoload.php';
$generator = new Konayuki\IdGenerator(
    counter: new Konayuki\Apcu\ApcuAtomicCounter(),
    clock: new Konayuki\SystemClock(),
    layout: new Konayuki\Layout(epochMs: 1_767_225_600_000),
    timestamp: new Konayuki\RealTimestamp(),
    sequence: new Konayuki\Sequence\MonotonicSequenceStrategy(),
    workerId: 5,
);
$id = $generator->next();
$scrambler = new Kasumi\Scrambler(salt: 1234567891);
$text = (string) $scrambler->scramble($id->value);
echo $id->workerId(), ' ', strlen($text), ' ', $scrambler->unscramble($text) === $id->value ? 'same' : 'another', "\n";
PHP
said=$(php code.php)
[ "$said" = '5 14 same' ] || fail "code of konayuki's users says $said"

typed 4 || { cat "$scratch/log"; fail "artisan does not do what the guide says"; }
for file in config/konayuki.php config/kasumi.php; do
    [ -s "$file" ] || { cat "$scratch/log"; fail "there is no $file"; }
done
grep -q '^KASUMI_SCRAMBLE_SALT=[0-9]*[13579]$' .env || fail "there is no salt in .env"
printf 'KONAYUKI_WORKER_ID_MODE=fixed\nKONAYUKI_WORKER_ID=6\n' >>.env
cat >facades.php <<'PHP'
<?php
(require 'application.php')->bootstrap();
$id = Konayuki::next();
echo $id->workerId(), ' ', Kasumi::unscramble((string) Kasumi::scramble($id->value)) === $id->value ? 'same' : 'another', "\n";
PHP
said=$(php facades.php)
[ "$said" = '6 same' ] || fail "the facades say $said"
