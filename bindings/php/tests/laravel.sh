#!/bin/sh
# SPDX-License-Identifier: MIT
# laravel.sh PAGE EXTENSION: the files that docs/laravel.md shows, in an application of Laravel's parts over SQLite: each way to
# save a model gives it an id, which is a string in JSON.
# shellcheck source=bindings/php/tests/page.sh
. "$(dirname "$0")/page.sh"

{ echo '<?php return ['; block 1 php; echo '];'; } >services.php
block 2 php >HasFrazilId.php
block 3 php >Order.php
{
    echo '<?php use Illuminate\Database\Schema\Blueprint; use Illuminate\Support\Facades\Schema;'
    block 4 php
} >migration.php
cat >try.php <<'PHP'
<?php
require_once 'Illuminate/autoload.php';
$application = new Illuminate\Foundation\Application(__DIR__);
$application->instance('config', new Illuminate\Config\Repository(['services' => require 'services.php']));
$manager = new Illuminate\Database\Capsule\Manager($application);
$manager->addConnection(['driver' => 'sqlite', 'database' => ':memory:']);
$manager->setAsGlobal();
$manager->setEventDispatcher(new Illuminate\Events\Dispatcher($application));
$manager->bootEloquent();
$application->instance('db', $manager->getDatabaseManager());
Illuminate\Support\Facades\Facade::setFacadeApplication($application);
require 'HasFrazilId.php';
require 'Order.php';
require 'migration.php';

use App\Models\Order;

$ids = [Order::create()->id, tap(new Order())->saveQuietly()->id, Order::withoutEvents(fn () => Order::create())->id];
foreach ($ids as $id) {
    if (!is_string($id) || (new Frazil\Layout('frazil'))->decompose((int) $id)['worker'] !== 7) {
        exit("no id of worker 7: " . var_export($id, true) . "\n");
    }
}
$own = Order::forceCreate(['id' => '42']);
$known = Order::find($ids[0])->toJson();
echo count(array_unique($ids)), ' ', $own->id, ' ', str_contains($known, "\"id\":\"$ids[0]\"") ? 'text' : $known, "\n";
PHP
said=$(IDS_WORKER=fixed:7 run ctype dom mbstring pdo pdo_sqlite tokenizer xml)
[ "$said" = '3 42 text' ] || { echo "docs/laravel.md: $said" >&2; exit 1; }
