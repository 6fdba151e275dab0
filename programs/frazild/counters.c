/* SPDX-License-Identifier: MIT */
#include "counters.h"

#include <stddef.h>

const char *reply_code_text(enum reply_code code)
{
#define CODE_TEXT(name, text) text,
    static const char *const texts[] = {REPLY_CODES(CODE_TEXT)};
#undef CODE_TEXT

    return texts[code];
}

static size_t bucket_of(uint64_t value, const uint64_t *bounds, size_t count_of_bounds)
{
    size_t i = 0;

    while (i < count_of_bounds && value > bounds[i])
        i++;
    return i;
}

void counters_add_ids(struct counters *counters, const struct counted_ids *ids)
{
    static const uint64_t durations[] = DURATION_BOUNDS_US, sizes[] = BATCH_BOUNDS;

    count(&counters->durations[bucket_of(ids->ns / 1000, durations, DURATION_BUCKETS - 1)], ids->requests);
    count(&counters->duration_ns, ids->ns * ids->requests);
    count(&counters->batches[bucket_of(ids->each, sizes, BATCH_BUCKETS - 1)], ids->answered);
    count(&counters->batch_ids, (uint64_t)ids->each * ids->answered);
}
