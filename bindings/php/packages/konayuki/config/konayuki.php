<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

// Each key with its variable; an empty one is a missing one.
return [
    // Milliseconds since 1970 that the time of an id counts from.  Never change it.
    'epoch_ms' => env('KONAYUKI_EPOCH_MS', 1_767_225_600_000),

    // Their sum must be 63.
    'layout' => [
        'timestamp_bits' => 41,
        'worker_bits' => 10,
        'sequence_bits' => 12,
    ],

    'worker_id' => [
        // file-lock (one host alone), fixed, ip-last-octet, ip-hash or hostname-hash
        'mode' => env('KONAYUKI_WORKER_ID_MODE', 'file-lock'),
        'fixed_value' => env('KONAYUKI_WORKER_ID'),
        // Of file-lock; null: a folder of the application's storage.
        'lock_dir' => env('KONAYUKI_LOCK_DIR'),
        // As many as the layout has, unless this says fewer.
        'max_workers' => env('KONAYUKI_MAX_WORKERS'),
        // What ip-last-octet, ip-hash and hostname-hash look at in place of this host's own.
        'ip_override' => env('KONAYUKI_IP_OVERRIDE'),
        'hostname_override' => env('KONAYUKI_HOSTNAME_OVERRIDE'),
    ],

    'sequence' => [
        // monotonic: each millisecond begins with 0; random: with any number
        'mode' => env('KONAYUKI_SEQUENCE_MODE', 'monotonic'),
    ],

    'counter' => [
        // apcu: the memory of the host, by frazil, without APCu; file and redis: konayuki's own keys
        'driver' => env('KONAYUKI_COUNTER', 'apcu'),
        // Of file; null: a folder of the application's storage.
        'file_dir' => env('KONAYUKI_COUNTER_FILE_DIR'),
        // A connection of config/database.php; null: the default one.
        'redis_connection' => env('KONAYUKI_REDIS_CONNECTION'),
    ],

    // What the keys of a counter begin with.
    'key_prefix' => env('KONAYUKI_KEY_PREFIX', 'konayuki:seq'),
];
