/* SPDX-License-Identifier: MIT */
#include "pile.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_IDS ((size_t)1 << 22)
#define DIGITS 256

struct chunk {
    uint64_t *highs;
    uint16_t *lows; /* NULL in a pile that is not wide */
    size_t count;
    bool ascending;
};

/* Where a stretch of chunks that follow on each other is being read. */
struct cursor {
    struct pile_id id; /* the next one */
    size_t chunk, end; /* the chunk it is in, and the first chunk after the stretch */
    size_t at;
};

struct pile {
    bool wide;
    uint64_t count;
    struct chunk *chunks;
    size_t chunk_count, chunk_room;
    struct cursor *heap; /* the smallest id on top */
    size_t heap_count;
};

static bool less(struct pile_id a, struct pile_id b)
{
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}

static struct pile_id chunk_id(const struct chunk *chunk, size_t i)
{
    return (struct pile_id){chunk->highs[i], chunk->lows != NULL ? chunk->lows[i] : 0};
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

struct pile *pile_new(bool wide)
{
    struct pile *pile = calloc(1, sizeof *pile);

    if (pile != NULL)
        pile->wide = wide;
    return pile;
}

void pile_free(struct pile *pile)
{
    if (pile == NULL)
        return;
    for (size_t i = 0; i < pile->chunk_count; i++)
        chunk_free(&pile->chunks[i]);
    free(pile->chunks);
    free(pile->heap);
    free(pile);
}

static bool add_chunk(struct pile *pile)
{
    struct chunk chunk;

    if (pile->chunk_count == pile->chunk_room) {
        size_t room = pile->chunk_room == 0 ? 16 : 2 * pile->chunk_room;
        struct chunk *chunks = realloc(pile->chunks, room * sizeof *chunks);
        if (chunks == NULL)
            return false;
        pile->chunks = chunks;
        pile->chunk_room = room;
    }
    if (!chunk_init(&chunk, pile->wide)) {
        chunk_free(&chunk);
        return false;
    }
    pile->chunks[pile->chunk_count++] = chunk;
    return true;
}

bool pile_add(struct pile *pile, struct pile_id id)
{
    assert(pile->heap == NULL);
    if (pile->count % CHUNK_IDS == 0 && !add_chunk(pile))
        return false;
    struct chunk *chunk = &pile->chunks[pile->chunk_count - 1];
    if (chunk->count > 0 && less(id, chunk_id(chunk, chunk->count - 1)))
        chunk->ascending = false;
    chunk->highs[chunk->count] = id.high;
    if (pile->wide)
        chunk->lows[chunk->count] = id.low;
    chunk->count++;
    pile->count++;
    return true;
}

uint64_t pile_count(const struct pile *pile)
{
    return pile->count;
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

static bool sort_chunks(struct pile *pile)
{
    struct chunk scratch = {0};
    bool ok = true;

    for (size_t i = 0; i < pile->chunk_count && ok; i++) {
        if (pile->chunks[i].ascending)
            continue;
        if (scratch.highs == NULL)
            ok = chunk_init(&scratch, pile->wide);
        if (ok)
            sort_chunk(&pile->chunks[i], &scratch);
    }
    chunk_free(&scratch);
    return ok;
}

/* ---- merging ------------------------------------------------------------------ */

static void sink(struct pile *pile, size_t at)
{
    struct cursor *heap = pile->heap;

    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= pile->heap_count)
            return;
        if (child + 1 < pile->heap_count && less(heap[child + 1].id, heap[child].id))
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
static void place_cursors(struct pile *pile)
{
    for (size_t i = 0; i < pile->chunk_count; i++) {
        const struct chunk *chunk = &pile->chunks[i];
        const struct chunk *before = i > 0 ? &pile->chunks[i - 1] : NULL;
        if (before != NULL && !less(chunk_id(chunk, 0), chunk_id(before, before->count - 1)))
            pile->heap[pile->heap_count - 1].end = i + 1;
        else
            pile->heap[pile->heap_count++] = (struct cursor){chunk_id(chunk, 0), i, i + 1, 0};
    }
    for (size_t i = pile->heap_count / 2; i-- > 0;)
        sink(pile, i);
}

bool pile_sort(struct pile *pile)
{
    if (!sort_chunks(pile))
        return false;
    pile->heap = calloc(pile->chunk_count + 1, sizeof *pile->heap);
    if (pile->heap == NULL)
        return false;
    place_cursors(pile);
    return true;
}

bool pile_take(struct pile *pile, struct pile_id *ret)
{
    struct cursor *top = pile->heap;

    if (pile->heap_count == 0)
        return false;
    *ret = top->id;
    if (++top->at == pile->chunks[top->chunk].count) {
        top->chunk++;
        top->at = 0;
    }
    if (top->chunk < top->end)
        top->id = chunk_id(&pile->chunks[top->chunk], top->at);
    else
        *top = pile->heap[--pile->heap_count];
    sink(pile, 0);
    return true;
}
