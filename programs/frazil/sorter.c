/* SPDX-License-Identifier: MIT */
#include "sorter.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#ifndef CHUNK_IDS /* its test has small ones */
#define CHUNK_IDS ((size_t)1 << 22)
#endif
#define DIGITS 256

struct chunk {
    uint64_t *highs;
    uint16_t *lows; /* NULL in a sorter that is not wide */
    size_t count;
    bool ascending;
};

/* Where a stretch of chunks that follow on each other is being read. */
struct cursor {
    struct sorter_id id; /* the next one */
    size_t chunk, end;   /* the chunk it is in, and the first chunk after the stretch */
    size_t at;
};

struct sorter {
    bool wide;
    uint64_t count;
    struct chunk *chunks;
    size_t chunk_count, chunk_room;
    struct cursor *heap; /* the smallest id on top */
    size_t heap_count;
};

static bool less(struct sorter_id a, struct sorter_id b)
{
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}

static struct sorter_id chunk_id(const struct chunk *chunk, size_t i)
{
    return (struct sorter_id){chunk->highs[i], chunk->lows != NULL ? chunk->lows[i] : 0};
}

static bool chunk_init(struct chunk *chunk, bool wide)
{
    *chunk = (struct chunk){.highs = malloc(CHUNK_IDS * sizeof *chunk->highs), .ascending = true};
    if (wide)
        chunk->lows = malloc(CHUNK_IDS * sizeof *chunk->lows);
    return chunk->highs != NULL && (!wide || chunk->lows != NULL);
}

static void chunk_free(struct chunk *chunk)
{
    free(chunk->highs);
    free(chunk->lows);
}

struct sorter *sorter_new(bool wide)
{
    struct sorter *sorter = calloc(1, sizeof *sorter);

    if (sorter != NULL)
        sorter->wide = wide;
    return sorter;
}

void sorter_free(struct sorter *sorter)
{
    if (sorter == NULL)
        return;
    for (size_t i = 0; i < sorter->chunk_count; i++)
        chunk_free(&sorter->chunks[i]);
    free(sorter->chunks);
    free(sorter->heap);
    free(sorter);
}

static bool add_chunk(struct sorter *sorter)
{
    struct chunk chunk;

    if (sorter->chunk_count == sorter->chunk_room) {
        size_t room = sorter->chunk_room == 0 ? 16 : 2 * sorter->chunk_room;
        struct chunk *chunks = realloc(sorter->chunks, room * sizeof *chunks);
        if (chunks == NULL)
            return false;
        sorter->chunks = chunks;
        sorter->chunk_room = room;
    }
    if (!chunk_init(&chunk, sorter->wide)) {
        chunk_free(&chunk);
        return false;
    }
    sorter->chunks[sorter->chunk_count++] = chunk;
    return true;
}

bool sorter_add(struct sorter *sorter, struct sorter_id id)
{
    assert(sorter->heap == NULL);
    if (sorter->count % CHUNK_IDS == 0 && !add_chunk(sorter))
        return false;
    struct chunk *chunk = &sorter->chunks[sorter->chunk_count - 1];
    if (chunk->count > 0 && less(id, chunk_id(chunk, chunk->count - 1)))
        chunk->ascending = false;
    chunk->highs[chunk->count] = id.high;
    if (sorter->wide)
        chunk->lows[chunk->count] = id.low;
    chunk->count++;
    sorter->count++;
    return true;
}

uint64_t sorter_count(const struct sorter *sorter)
{
    return sorter->count;
}

/* ---- sorting a chunk: least significant digit first ------------------------ */

static void swap_chunks(struct chunk *a, struct chunk *b)
{
    struct chunk c = *a;

    *a = *b;
    *b = c;
}

/* The digit'th byte from the lowest; 0 and 1 are those of lows. */
static unsigned digit_of(const struct chunk *chunk, size_t i, unsigned digit)
{
    return digit < 2 ? chunk->lows[i] >> (8 * digit) & 255U : (unsigned)(chunk->highs[i] >> (8 * (digit - 2)) & 255U);
}

/* Moves chunk to scratch in the order of one digit.  False: they all have the same, nothing was moved. */
static bool scatter(const struct chunk *chunk, struct chunk *scratch, unsigned digit)
{
    size_t next[DIGITS] = {0}, sum = 0;

    for (size_t i = 0; i < chunk->count; i++)
        next[digit_of(chunk, i, digit)]++;
    if (next[digit_of(chunk, 0, digit)] == chunk->count)
        return false;
    for (size_t d = 0; d < DIGITS; d++) {
        size_t n = next[d];
        next[d] = sum;
        sum += n;
    }
    for (size_t i = 0; i < chunk->count; i++) {
        size_t to = next[digit_of(chunk, i, digit)]++;
        scratch->highs[to] = chunk->highs[i];
        if (chunk->lows != NULL)
            scratch->lows[to] = chunk->lows[i];
    }
    scratch->count = chunk->count;
    return true;
}

static void sort_chunk(struct chunk *chunk, struct chunk *scratch)
{
    for (unsigned digit = chunk->lows != NULL ? 0 : 2; digit < 10; digit++) {
        if (scatter(chunk, scratch, digit))
            swap_chunks(chunk, scratch);
    }
    chunk->ascending = true;
}

static bool sort_chunks(struct sorter *sorter)
{
    struct chunk scratch = {0};
    bool ok = true;

    for (size_t i = 0; i < sorter->chunk_count && ok; i++) {
        if (sorter->chunks[i].ascending)
            continue;
        if (scratch.highs == NULL)
            ok = chunk_init(&scratch, sorter->wide);
        if (ok)
            sort_chunk(&sorter->chunks[i], &scratch);
    }
    chunk_free(&scratch);
    return ok;
}

/* ---- merging ------------------------------------------------------------------ */

static void sink(struct sorter *sorter, size_t at)
{
    struct cursor *heap = sorter->heap;

    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= sorter->heap_count)
            return;
        if (child + 1 < sorter->heap_count && less(heap[child + 1].id, heap[child].id))
            child++;
        if (!less(heap[child].id, heap[at].id))
            return;
        struct cursor held = heap[at];
        heap[at] = heap[child];
        heap[child] = held;
        at = child;
    }
}

/* One cursor for each stretch of chunks that follow on each other. */
static void place_cursors(struct sorter *sorter)
{
    for (size_t i = 0; i < sorter->chunk_count; i++) {
        const struct chunk *chunk = &sorter->chunks[i];
        const struct chunk *before = i > 0 ? &sorter->chunks[i - 1] : NULL;
        if (before != NULL && !less(chunk_id(chunk, 0), chunk_id(before, before->count - 1)))
            sorter->heap[sorter->heap_count - 1].end = i + 1;
        else
            sorter->heap[sorter->heap_count++] = (struct cursor){chunk_id(chunk, 0), i, i + 1, 0};
    }
    for (size_t i = sorter->heap_count / 2; i-- > 0;)
        sink(sorter, i);
}

bool sorter_sort(struct sorter *sorter)
{
    if (!sort_chunks(sorter))
        return false;
    sorter->heap = calloc(sorter->chunk_count + 1, sizeof *sorter->heap);
    if (sorter->heap == NULL)
        return false;
    place_cursors(sorter);
    return true;
}

bool sorter_take(struct sorter *sorter, struct sorter_id *ret)
{
    struct cursor *top = sorter->heap;

    if (sorter->heap_count == 0)
        return false;
    *ret = top->id;
    if (++top->at == sorter->chunks[top->chunk].count) {
        top->chunk++;
        top->at = 0;
    }
    if (top->chunk < top->end)
        top->id = chunk_id(&sorter->chunks[top->chunk], top->at);
    else
        *top = sorter->heap[--sorter->heap_count];
    sink(sorter, 0);
    return true;
}
