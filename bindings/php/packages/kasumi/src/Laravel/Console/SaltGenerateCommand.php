<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Kasumi\Laravel\Console;

use Illuminate\Console\Command;

/** Makes a salt and writes it into .env.  It asks before it replaces a salt. */
final class SaltGenerateCommand extends Command
{
    private const NAME = 'KASUMI_SCRAMBLE_SALT';
    private const LINE = '/^' . self::NAME . '=(.*)$/m';

    protected $signature = 'kasumi:salt:generate
        {--show : Print the salt, and write nothing}
        {--force : Replace a salt without asking}';
    protected $description = 'Make a salt for kasumi and write it into .env';

    public function handle(): int
    {
        $line = self::NAME . '=' . (random_int(0, 0xFFFFFFFF) | 1);
        if ($this->option('show')) {
            $this->line($line);
            return self::SUCCESS;
        }
        $file = $this->laravel->basePath('.env');
        $text = is_file($file) ? file_get_contents($file) : false;
        if ($text === false) {
            $this->error("{$file} cannot be read: make it, or print a salt with --show");
            return self::FAILURE;
        }
        if (preg_match(self::LINE, $text, $match) === 1) {
            if (!$this->mayReplace(trim($match[1]))) {
                $this->info("{$file} is as it was");
                return self::SUCCESS;
            }
            $text = preg_replace(self::LINE, $line, $text);
        } else {
            $text .= ($text === '' || str_ends_with($text, "\n") ? '' : "\n") . "{$line}\n";
        }
        if (file_put_contents($file, $text, LOCK_EX) !== strlen($text)) {
            $this->error("{$file} cannot be written");
            return self::FAILURE;
        }
        $this->info(self::NAME . " is in {$file}");
        return self::SUCCESS;
    }

    private function mayReplace(string $salt): bool
    {
        return $salt === '' || $this->option('force')
            || $this->confirm('There is a salt. With another one, texts that were given out mean other ids. Replace it?');
    }
}
