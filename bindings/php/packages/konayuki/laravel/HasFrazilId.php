<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Frazil\Laravel;

use Illuminate\Container\Container;
use Konayuki\IdGenerator;

/** For a model of Eloquent whose primary key is an id: it gets one when it is created, unless it has one. */
trait HasFrazilId
{
    public static function bootHasFrazilId(): void
    {
        static::creating(static function ($model): void {
            if ($model->getKey() === null) {
                $model->setAttribute($model->getKeyName(), $model->newFrazilId());
            }
        });
    }

    public function initializeHasFrazilId(): void
    {
        $this->incrementing = false;
        $this->keyType = 'int';
        $this->mergeCasts([$this->getKeyName() => AsFrazilId::class]);
    }

    public function newFrazilId(): int
    {
        return Container::getInstance()->make(IdGenerator::class)->next()->value;
    }
}
