<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Frazil\Laravel;

use Illuminate\Contracts\Database\Eloquent\CastsAttributes;
use Illuminate\Contracts\Database\Eloquent\SerializesCastableAttributes;
use InvalidArgumentException;

/** A cast for columns of ids: an int in PHP, a string in arrays and JSON, as JavaScript rounds numbers above 2^53. */
final class AsFrazilId implements CastsAttributes, SerializesCastableAttributes
{
    /** Makes an assigned SnowflakeId read as an int (Laravel 9 and later). */
    public bool $withoutObjectCaching = true;

    public function get($model, string $key, $value, array $attributes): ?int
    {
        return $value === null ? null : (int) $value;
    }

    public function set($model, string $key, $value, array $attributes): ?int
    {
        if ($value === null) {
            return null;
        }
        $text = is_int($value) || is_string($value) || $value instanceof \Stringable ? (string) $value : '';
        $id = filter_var($text, FILTER_VALIDATE_INT, ['options' => ['min_range' => 0]]);
        if ($id === false) {
            throw new InvalidArgumentException("'{$text}' is no id: {$key} takes an int, its decimal text or a SnowflakeId");
        }
        return $id;
    }

    public function serialize($model, string $key, $value, array $attributes): ?string
    {
        return $value === null ? null : (string) $value;
    }
}
