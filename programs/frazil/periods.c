/* SPDX-License-Identifier: MIT */
#include "periods.h"

#include <assert.h>
#include <stdlib.h>

/* Without overflow, however far apart they are. */
static uint64_t distance(int64_t from_ms, int64_t to_ms)
{
    assert(to_ms >= from_ms);
    return (uint64_t)to_ms - (uint64_t)from_ms;
}

static bool begin(struct periods *periods, const struct id *id, uint32_t worker, int64_t unix_ms)
{
    if (periods->count == periods->room) {
        size_t room = periods->room == 0 ? 8 : 2 * periods->room;
        struct period *list = realloc(periods->list, room * sizeof *list);
        if (list == NULL)
            return false;
        periods->list = list;
        periods->room = room;
    }
    assert(periods->list != NULL && periods->count < periods->room);
    periods->list[periods->count++] =
        (struct period){.first = *id, .first_ms = unix_ms, .last_ms = unix_ms, .worker = worker};
    return true;
}

bool periods_add(struct periods *periods, const struct id *id, uint32_t worker, int64_t unix_ms, uint64_t times)
{
    struct period *period = periods->count > 0 ? &periods->list[periods->count - 1] : NULL;

    if (period == NULL || (periods->pause_ms > 0 && distance(period->last_ms, unix_ms) > (uint64_t)periods->pause_ms)) {
        if (!begin(periods, id, worker, unix_ms))
            return false;
        period = &periods->list[periods->count - 1];
    }
    period->last_ms = unix_ms;
    period->ids += times;
    period->is_of_many = period->is_of_many || period->worker != worker;
    return true;
}

const struct period *periods_main(const struct periods *periods)
{
    const struct period *main_period = periods->list;

    for (size_t i = 1; i < periods->count; i++) {
        if (periods->list[i].ids > main_period->ids)
            main_period = &periods->list[i];
    }
    return main_period;
}

uint64_t periods_ids_apart(const struct periods *periods)
{
    uint64_t ids = 0;

    for (size_t i = 0; i < periods->count; i++)
        ids += periods->list[i].ids;
    return periods->count == 0 ? 0 : ids - periods_main(periods)->ids;
}

uint64_t periods_distance_ms(const struct periods *periods, const struct period *period)
{
    const struct period *end = periods->list + periods->count;
    uint64_t before = period > periods->list ? distance(period[-1].last_ms, period->first_ms) : UINT64_MAX;
    uint64_t after = period + 1 < end ? distance(period->last_ms, period[1].first_ms) : UINT64_MAX;

    assert(periods->count > 1);
    return before < after ? before : after;
}

void periods_free(struct periods *periods)
{
    free(periods->list);
}
