<?php
// SPDX-License-Identifier: MIT
// phpredis: PORT TOKEN
declare(strict_types=1);

[, $port, $token] = $argv;
$client = new Redis();
$client->connect('127.0.0.1', (int) $port);
$client->auth(['shop', $token]);
for ($i = 0; $i < 20; $i++) {
    echo $client->rawCommand('NEXT', 'main'), "\n";
}
echo implode("\n", $client->rawCommand('NEXT', 'main', '50')), "\n";
for ($i = 0; $i < 20; $i++) {
    echo $client->incr('orders:id'), "\n";
}
foreach ([Redis::PIPELINE, Redis::MULTI] as $mode) {
    $many = $client->multi($mode);
    for ($i = 0; $i < 10; $i++) {
        $many->rawCommand('NEXT', 'main');
    }
    echo implode("\n", $many->exec()), "\n";
}
