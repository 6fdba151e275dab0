<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Frazil\Laravel;

use Illuminate\Container\Container;
use Illuminate\Database\Eloquent\Builder;
use Konayuki\IdGenerator;

/** For an Eloquent model whose primary key is an id: a new model gets one, unless it has one. */
trait HasFrazilId
{
    public function initializeHasFrazilId(): void
    {
        $this->incrementing = false;
        $this->keyType = 'int';
        $this->mergeCasts([$this->getKeyName() => AsFrazilId::class]);
    }

    /**
     * Every save of a new model calls this, also saves without events: saveQuietly, withoutEvents. insert(), upsert() and
     * insertOrIgnore() write rows without a model: they need the ids in their rows.
     */
    protected function performInsert(Builder $query)
    {
        if ($this->getKey() === null) {
            $this->setAttribute($this->getKeyName(), $this->newFrazilId());
        }
        return parent::performInsert($query);
    }

    public function newFrazilId(): int
    {
        return Container::getInstance()->make(IdGenerator::class)->next()->value;
    }
}
