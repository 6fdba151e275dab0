#!/bin/sh
# SPDX-License-Identifier: MIT
# doctrine.sh PAGE EXTENSION: the files that README.md shows for Doctrine, over SQLite: persist() gives an entity an id, which is
# the one of its row, and a string in JSON.
# shellcheck source=bindings/php/tests/page.sh
. "$(dirname "$0")/page.sh"

block 1 '' '## Doctrine and Symfony' >FrazilIdGenerator.php
block 2 '' '## Doctrine and Symfony' >Order.php
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
said=$(FRAZIL_WORKER=fixed:7 run ctype mbstring pdo pdo_sqlite tokenizer)
[ "$said" = ok ] || { echo "$said" && exit 1; }
