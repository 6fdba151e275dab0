/* SPDX-License-Identifier: MIT */
#include "eras.h"

#include <assert.h>
#include <stdlib.h>

/* Without overflow, however far apart they are. */
static uint64_t distance(int64_t from_ms, int64_t to_ms)
{
    assert(to_ms >= from_ms);
    return (uint64_t)to_ms - (uint64_t)from_ms;
}

static bool begin(struct eras *eras, const struct id *id, uint32_t worker, int64_t unix_ms)
{
    if (eras->count == eras->room) {
        size_t room = eras->room == 0 ? 8 : 2 * eras->room;
        struct era *list = realloc(eras->list, room * sizeof *list);
        if (list == NULL)
            return false;
        eras->list = list;
        eras->room = room;
    }
    assert(eras->list != NULL && eras->count < eras->room);
    eras->list[eras->count++] = (struct era){.first = *id, .first_ms = unix_ms, .last_ms = unix_ms, .worker = worker};
    return true;
}

bool eras_add(struct eras *eras, const struct id *id, uint32_t worker, int64_t unix_ms, uint64_t times)
{
    struct era *era = eras->count > 0 ? &eras->list[eras->count - 1] : NULL;

    if (era == NULL || (eras->pause_ms > 0 && distance(era->last_ms, unix_ms) > (uint64_t)eras->pause_ms)) {
        if (!begin(eras, id, worker, unix_ms))
            return false;
        era = &eras->list[eras->count - 1];
    }
    era->last_ms = unix_ms;
    era->ids += times;
    era->is_of_many = era->is_of_many || era->worker != worker;
    return true;
}

const struct era *eras_home(const struct eras *eras)
{
    const struct era *home = eras->list;

    for (size_t i = 1; i < eras->count; i++) {
        if (eras->list[i].ids > home->ids)
            home = &eras->list[i];
    }
    return home;
}

uint64_t eras_ids_apart(const struct eras *eras)
{
    uint64_t ids = 0;

    for (size_t i = 0; i < eras->count; i++)
        ids += eras->list[i].ids;
    return eras->count == 0 ? 0 : ids - eras_home(eras)->ids;
}

uint64_t eras_distance_ms(const struct eras *eras, const struct era *era)
{
    const struct era *end = eras->list + eras->count;
    uint64_t before = era > eras->list ? distance(era[-1].last_ms, era->first_ms) : UINT64_MAX;
    uint64_t after = era + 1 < end ? distance(era->last_ms, era[1].first_ms) : UINT64_MAX;

    assert(eras->count > 1);
    return before < after ? before : after;
}

void eras_free(struct eras *eras)
{
    free(eras->list);
}
