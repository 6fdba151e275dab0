/* SPDX-License-Identifier: MIT */
#include "worker_stats.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* An index of open addressing, at most half full, into rows in the order of their first appearance. */
struct worker_stats {
    struct worker_row *rows;
    uint32_t *index; /* of the row, plus one; 0: free */
    size_t slots;    /* a power of two; there is room for half as many rows */
    size_t count;
    uint32_t last_row; /* the next id is often of the same worker */
};

struct worker_stats *worker_stats_new(void)
{
    struct worker_stats *stats = calloc(1, sizeof *stats);

    if (stats == NULL)
        return NULL;
    stats->slots = 64;
    stats->rows = calloc(stats->slots / 2, sizeof *stats->rows);
    stats->index = calloc(stats->slots, sizeof *stats->index);
    if (stats->rows == NULL || stats->index == NULL) {
        worker_stats_free(stats);
        return NULL;
    }
    return stats;
}

void worker_stats_free(struct worker_stats *stats)
{
    if (stats == NULL)
        return;
    free(stats->rows);
    free(stats->index);
    free(stats);
}

/* The slot that holds a worker's row, or the free one where it belongs. */
static uint32_t *slot_of(const struct worker_stats *stats, uint32_t worker)
{
    size_t at = (size_t)(worker * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (stats->slots - 1);

    while (stats->index[at] != 0 && stats->rows[stats->index[at] - 1].worker != worker)
        at = (at + 1) & (stats->slots - 1);
    return &stats->index[at];
}

static bool grow(struct worker_stats *stats)
{
    struct worker_row *rows = realloc(stats->rows, stats->slots * sizeof *rows);
    uint32_t *index = calloc(2 * stats->slots, sizeof *index);

    if (rows != NULL)
        stats->rows = rows;
    if (rows == NULL || index == NULL) {
        free(index);
        return false;
    }
    free(stats->index);
    stats->index = index;
    stats->slots *= 2;
    for (size_t i = 0; i < stats->count; i++)
        *slot_of(stats, rows[i].worker) = (uint32_t)i + 1;
    return true;
}

bool worker_stats_row(struct worker_stats *stats, uint32_t worker, struct worker_row **ret)
{
    *ret = NULL;
    if (stats->count == 0 || stats->rows[stats->last_row].worker != worker) {
        uint32_t *slot = slot_of(stats, worker);
        if (*slot == 0 && stats->count == WORKER_STATS_MAX)
            return true;
        if (*slot == 0 && stats->count == stats->slots / 2) {
            if (!grow(stats))
                return false;
            slot = slot_of(stats, worker);
        }
        if (*slot == 0) {
            stats->rows[stats->count] = (struct worker_row){.worker = worker};
            *slot = (uint32_t)++stats->count;
        }
        stats->last_row = *slot - 1;
    }
    *ret = &stats->rows[stats->last_row];
    return true;
}

bool worker_stats_order(struct worker_row *row, unsigned side, uint64_t place)
{
    assert(side < 2);
    bool in_order = !row->seen[side] || place >= row->previous[side];

    row->seen[side] = true;
    row->previous[side] = place;
    return in_order;
}

/* Division that rounds down, also before 1970. */
static int64_t second_of(int64_t unix_ms)
{
    return unix_ms / 1000 - (unix_ms % 1000 < 0);
}

void worker_stats_count(struct worker_row *row, int64_t unix_ms)
{
    assert(row->ids == 0 || unix_ms >= row->last_ms);
    if (row->ids == 0)
        row->first_ms = unix_ms;
    if (row->ids == 0 || unix_ms != row->last_ms)
        row->in_tick = 0;
    if (row->ids == 0 || second_of(unix_ms) != second_of(row->last_ms))
        row->in_second = 0;
    row->last_ms = unix_ms;
    row->ids++;
    if (++row->in_tick > row->tick_peak)
        row->tick_peak = row->in_tick;
    if (++row->in_second > row->second_peak)
        row->second_peak = row->in_second;
}

size_t worker_stats_size(const struct worker_stats *stats)
{
    return stats->count;
}

static int busiest_first(const void *a, const void *b)
{
    const struct worker_row *x = a, *y = b;

    if (x->ids != y->ids)
        return x->ids > y->ids ? -1 : 1;
    return x->worker < y->worker ? -1 : 1;
}

const struct worker_row *worker_stats_sorted(struct worker_stats *stats)
{
    qsort(stats->rows, stats->count, sizeof *stats->rows, busiest_first);
    return stats->rows;
}
