<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

return [
    // An odd number, secret, and the same for ever: with another one, texts that were given out mean other ids.
    'scramble_salt' => env('KASUMI_SCRAMBLE_SALT'),

    // A class that implements Kasumi\Encoder.  Kasumi\ChecksumEncoder wraps Kasumi\Base36Encoder.
    'encoder' => Kasumi\Base36Encoder::class,
];
