<?php
// SPDX-License-Identifier: MIT
// Goal of this test: php-fpm with eight children makes no id twice, over a reload and a killed child, and each child opens a
// generator once for all of its requests.  The pool gives its children no variables but those that begin with FRAZIL_.
// fpm.php SCRATCH PHP-FPM EXTENSION [USER]: a user by number, for root.

declare(strict_types=1);

[, $scratch, $fpm, $extension] = $argv;
const CHILDREN = 8;
const ROUNDS = 60;
const IDS = 110;       // of a request
const GENERATORS = 2;  // which it asks for: by frazil's name and by konayuki's

/** A record of FastCGI: version 1, its type, request 1. */
function record(int $type, string $content): string
{
    return pack('CCnnCC', 1, $type, 1, strlen($content), 0, 0) . $content;
}

/** A request for tests/request.php, sent; its answer is read by answer(). */
function request(string $socket)
{
    $connection = stream_socket_client("unix://$socket", $code, $why, 10);
    if ($connection === false) {
        return null;
    }
    $parameters = '';
    foreach (['SCRIPT_FILENAME' => __DIR__ . '/request.php', 'REQUEST_METHOD' => 'GET'] as $name => $value) {
        $parameters .= chr(strlen($name)) . pack('N', strlen($value) | 0x80000000) . $name . $value;
    }
    fwrite($connection, record(1, pack('nCx5', 1, 0)) . record(4, $parameters) . record(4, '') . record(5, ''));
    return $connection;
}

/** The body, or '' where the child has died. */
function answer($connection): string
{
    $body = '';
    while (strlen($header = (string) stream_get_contents($connection, 8)) === 8) {
        ['type' => $type, 'length' => $length, 'padding' => $padding] = unpack('Cv/Ctype/nr/nlength/Cpadding', $header);
        $content = (string) stream_get_contents($connection, $length + $padding);
        if ($type === 3) { // the end; the server closes when we have
            break;
        }
        if ($type === 6) {
            $body .= substr($content, 0, $length);
        }
    }
    fclose($connection);
    return substr($body, (int) strpos($body, "\r\n\r\n") + 4);
}

function failed(string $why): never
{
    global $scratch;
    echo "$why\n", file_get_contents("$scratch/fpm.log"), file_get_contents("$scratch/fpm.out");
    exit(1);
}

$user = $argv[4] ?? 'root';
$pool = posix_getuid() === 0 ? "user = $user\ngroup = $user\n" : '';
foreach (array_filter(getenv(), static fn ($name) => str_starts_with($name, 'FRAZIL_'), ARRAY_FILTER_USE_KEY) as $name => $value) {
    $pool .= "env[$name] = $value\n";
}
file_put_contents("$scratch/fpm.conf", "[global]\nerror_log = $scratch/fpm.log\ndaemonize = no\n[www]\n{$pool}listen = $scratch/fpm.socket\n"
    . 'pm = static' . "\npm.max_children = " . CHILDREN . "\ncatch_workers_output = yes\n");
$options = [$fpm, '-n', '-F', '-y', "$scratch/fpm.conf", '-d', "extension=$extension"];
if (posix_getuid() === 0) {
    $options[] = '-R';
}
$server = proc_open($options, [1 => ['file', "$scratch/fpm.out", 'w'], 2 => ['file', "$scratch/fpm.out", 'a']], $pipes);
$master = proc_get_status($server)['pid'];
register_shutdown_function(static function () use ($server, $master): void {
    posix_kill($master, SIGTERM); // which it passes on to its children
    proc_close($server);
});
for ($tries = 0; ($ready = @request("$scratch/fpm.socket")) === null; $tries++) {
    if ($tries === 3000) {
        failed('php-fpm does not answer');
    }
    usleep(100000);
}
$first = answer($ready);
$ids = array_slice(explode("\n", trim($first)), 2);
if (count($ids) !== IDS) {
    failed("the first request was answered: $first");
}
$children = []; // by process id, how many requests each has answered
$opened = [];   // how many generators a child had opened at the end of a request, and how often
$lost = 0;
for ($round = 0; $round < ROUNDS; $round++) {
    $connections = array_filter(array_map(static fn () => @request("$scratch/fpm.socket"), range(1, 2 * CHILDREN)));
    if ($round === 20) {
        posix_kill((int) array_key_first($children), SIGKILL);
    }
    if ($round === 40) {
        posix_kill($master, SIGUSR2); // reload: new children from a new master, on the same socket
        usleep(500000);
    }
    foreach ($connections as $connection) {
        $lines = explode("\n", trim(answer($connection)));
        if (count($lines) !== 2 + IDS) {
            $lost++;
            continue;
        }
        $child = array_shift($lines);
        $children[$child] = ($children[$child] ?? 0) + 1;
        $openings = (int) array_shift($lines);
        $opened[$openings] = ($opened[$openings] ?? 0) + 1;
        array_push($ids, ...$lines);
    }
}
$made = count($ids);
$unique = count(array_unique($ids));
echo "$made ids of ", count($children), " children, $unique different ones, $lost requests lost at the kill and the reload\n";
if ($made !== $unique || $made < ROUNDS * CHILDREN * IDS || count($children) <= CHILDREN) {
    echo file_get_contents("$scratch/fpm.log");
    exit(1);
}
echo 'the child that answered most answered ', max($children), " requests; generators that a child had opened: ", json_encode($opened), "\n";
if (array_keys($opened) !== [GENERATORS] || max($children) < 10) {
    exit(1);
}
