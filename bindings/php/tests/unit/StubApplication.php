<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

use Illuminate\Container\Container;

/** What the provider asks of Laravel's Application. */
final class StubApplication extends Container
{
    public string $base = '/nonexistent';

    public function basePath(string $path): string
    {
        return "{$this->base}/$path";
    }

    public function storagePath(): string
    {
        return '/nonexistent/storage';
    }

    public function configPath(string $path): string
    {
        return "/app/config/$path";
    }

    public function runningInConsole(): bool
    {
        return true;
    }
}
