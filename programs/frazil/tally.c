/* SPDX-License-Identifier: MIT */
#include "tally.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* An index of open addressing, at most half full, into rows in the order of their first appearance. */
struct tally {
    struct tally_worker *rows;
    uint32_t *index; /* of the row, plus one; 0: free */
    size_t slots;    /* a power of two; there is room for half as many rows */
    size_t count;
    uint32_t last_row; /* the next id is often of the same worker */
};

struct tally *tally_new(void)
{
    struct tally *tally = calloc(1, sizeof *tally);

    if (tally == NULL)
        return NULL;
    tally->slots = 64;
    tally->rows = calloc(tally->slots / 2, sizeof *tally->rows);
    tally->index = calloc(tally->slots, sizeof *tally->index);
    if (tally->rows == NULL || tally->index == NULL) {
        tally_free(tally);
        return NULL;
    }
    return tally;
}

void tally_free(struct tally *tally)
{
    if (tally == NULL)
        return;
    free(tally->rows);
    free(tally->index);
    free(tally);
}

/* The slot that holds a worker's row, or the free one where it belongs. */
static uint32_t *slot_of(const struct tally *tally, uint32_t worker)
{
    size_t at = (size_t)(worker * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (tally->slots - 1);

    while (tally->index[at] != 0 && tally->rows[tally->index[at] - 1].worker != worker)
        at = (at + 1) & (tally->slots - 1);
    return &tally->index[at];
}

static bool grow(struct tally *tally)
{
    struct tally_worker *rows = realloc(tally->rows, tally->slots * sizeof *rows);
    uint32_t *index = calloc(2 * tally->slots, sizeof *index);

    if (rows != NULL)
        tally->rows = rows;
    if (rows == NULL || index == NULL) {
        free(index);
        return false;
    }
    free(tally->index);
    tally->index = index;
    tally->slots *= 2;
    for (size_t i = 0; i < tally->count; i++)
        *slot_of(tally, rows[i].worker) = (uint32_t)i + 1;
    return true;
}

bool tally_row(struct tally *tally, uint32_t worker, struct tally_worker **ret)
{
    *ret = NULL;
    if (tally->count == 0 || tally->rows[tally->last_row].worker != worker) {
        uint32_t *slot = slot_of(tally, worker);
        if (*slot == 0 && tally->count == TALLY_WORKERS_MAX)
            return true;
        if (*slot == 0 && tally->count == tally->slots / 2) {
            if (!grow(tally))
                return false;
            slot = slot_of(tally, worker);
        }
        if (*slot == 0) {
            tally->rows[tally->count] = (struct tally_worker){.worker = worker};
            *slot = (uint32_t)++tally->count;
        }
        tally->last_row = *slot - 1;
    }
    *ret = &tally->rows[tally->last_row];
    return true;
}

bool tally_order(struct tally_worker *row, unsigned side, uint64_t place)
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

void tally_count(struct tally_worker *row, int64_t unix_ms)
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

size_t tally_size(const struct tally *tally)
{
    return tally->count;
}

static int busiest_first(const void *a, const void *b)
{
    const struct tally_worker *x = a, *y = b;

    if (x->ids != y->ids)
        return x->ids > y->ids ? -1 : 1;
    return x->worker < y->worker ? -1 : 1;
}

const struct tally_worker *tally_sorted(struct tally *tally)
{
    qsort(tally->rows, tally->count, sizeof *tally->rows, busiest_first);
    return tally->rows;
}
