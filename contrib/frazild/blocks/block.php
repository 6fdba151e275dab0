<?php
// SPDX-License-Identifier: MIT
// Ids of frazild in blocks, with phpredis: FRAZILD_URL=redis://127.0.0.1:6380 php block.php
declare(strict_types=1);

/** Ids of one generator: a request fetches 1,000 of them, for a second at most, and a fork begins without any. */
final class Ids
{
    /** @var list<string> */
    private array $ids = [];
    private int $untilNs = 0;
    private int $pid = 0;

    /** @param Closure(): Redis $connect Called once in each process: two must not share a connection. */
    public function __construct(
        private readonly Closure $connect,
        private readonly string $generator = 'main',
        private readonly int $size = 1000,
        private readonly int $lifeNs = 1_000_000_000,
        private ?Redis $client = null,
    ) {
    }

    public function next(): int
    {
        if ($this->pid !== getmypid()) {
            [$this->ids, $this->client, $this->pid] = [[], ($this->connect)(), getmypid()];
        }
        if ($this->ids === [] || hrtime(true) > $this->untilNs) {
            $ids = $this->client->rawCommand('NEXT', $this->generator, (string) $this->size);
            if (!is_array($ids)) {
                throw new RuntimeException('frazild: ' . $this->client->getLastError());
            }
            $this->ids = array_reverse($ids);
            $this->untilNs = hrtime(true) + $this->lifeNs;
        }
        return (int) array_pop($this->ids);
    }
}

$ids = new Ids(static function (): Redis {
    $url = parse_url((string) getenv('FRAZILD_URL'));
    $client = new Redis();
    $client->connect($url['host'], $url['port']);
    if (isset($url['user'], $url['pass'])) {
        $client->auth([$url['user'], $url['pass']]);
    }
    return $client;
});
for ($i = 0; $i < 2500; $i++) {
    echo $ids->next(), "\n";
}
