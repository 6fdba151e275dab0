#!/bin/sh
# SPDX-License-Identifier: MIT
# doctrine.sh PAGE EXTENSION: the files that README.md shows for Doctrine, over SQLite: persist() gives an entity an id, which is
# the one of its row, and a string in JSON.
set -eu

page=$(realpath "$1")
extension=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# block N: the Nth block of the page's section about Doctrine.
block() {
    sed -n '/^## Doctrine/,/^## Cost/p' "$page" | awk -v n="$1" '/^```/ { inside = !inside; at += inside; next } inside && at == n'
}

cd "$scratch"
block 1 >FrazilIdGenerator.php
block 2 >Order.php
cat >try.php <<'PHP'
<?php
require_once 'Doctrine/ORM/autoload.php';
require 'FrazilIdGenerator.php';
require 'Order.php';

use App\Entity\Order;
use Doctrine\ORM\Mapping\Driver\AttributeDriver;

$config = new Doctrine\ORM\Configuration();
$config->setMetadataDriverImpl(new AttributeDriver([__DIR__]));
$config->setProxyDir(__DIR__);
$config->setProxyNamespace('Proxies');
$connection = Doctrine\DBAL\DriverManager::getConnection(['driver' => 'pdo_sqlite', 'memory' => true], $config);
$manager = new Doctrine\ORM\EntityManager($connection, $config);
(new Doctrine\ORM\Tools\SchemaTool($manager))->createSchema([$manager->getClassMetadata(Order::class)]);
$before = '0';
for ($i = 0; $i < 3; $i++) {
    $manager->persist($order = new Order());
    is_string($order->id) && (int) $order->id > (int) $before || exit("persist() gave no id that follows $before\n");
    $before = $order->id;
}
$manager->flush();
$manager->clear();
$found = $manager->find(Order::class, $before);
$rows = $connection->fetchFirstColumn('SELECT id FROM orders ORDER BY id');
count($rows) === 3 && (string) $rows[2] === $before || exit('the rows are ' . json_encode($rows) . "\n");
echo json_encode($found) === "{\"id\":\"$before\"}" ? "ok\n" : json_encode($found) . "\n";
PHP
parts=
for part in ctype mbstring pdo pdo_sqlite tokenizer; do
    php -n -m | grep -qix "$part" || parts="$parts -d extension=$part"
done
# shellcheck disable=SC2086 # words
said=$(FRAZIL_WORKER=fixed:7 php -n -d "extension=$extension" $parts try.php)
[ "$said" = ok ] || { echo "$said" && exit 1; }
