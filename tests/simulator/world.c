/* SPDX-License-Identifier: MIT */
#include "world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct due {
    uint64_t when_ns;
    uint64_t order; /* of two that are due at the same time, the one that was entered first comes first */
    world_fn fn;
    void *arg;
    uint64_t number;
};

static struct {
    uint64_t now_ns;
    uint64_t random;
    uint64_t entered;
    struct due *heap;
    size_t count;
    size_t room;
    char failure[640];
} world;

void world_begin(uint64_t seed)
{
    world.now_ns = 0;
    world.random = seed;
    world.entered = 0;
    world.count = 0;
    world.failure[0] = '\0';
}

uint64_t world_now(void)
{
    return world.now_ns;
}

/* ---- events to come ------------------------------------------------------ */

static bool comes_before(const struct due *a, const struct due *b)
{
    return a->when_ns != b->when_ns ? a->when_ns < b->when_ns : a->order < b->order;
}

void world_at(uint64_t when_ns, world_fn fn, void *arg, uint64_t number)
{
    if (world.count == world.room) {
        world.room = world.room == 0 ? 256 : 2 * world.room;
        world.heap = realloc(world.heap, world.room * sizeof *world.heap);
        if (world.heap == NULL)
            abort();
    }
    struct due due = {.when_ns = when_ns < world.now_ns ? world.now_ns : when_ns,
                      .order = world.entered++,
                      .fn = fn,
                      .arg = arg,
                      .number = number};
    size_t i = world.count++;
    while (i > 0 && comes_before(&due, &world.heap[(i - 1) / 2])) {
        world.heap[i] = world.heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    world.heap[i] = due;
}

static struct due take_first(void)
{
    struct due first = world.heap[0];
    struct due last = world.heap[--world.count];
    size_t i = 0;

    for (size_t child = 1; child < world.count; child = 2 * i + 1) {
        if (child + 1 < world.count && comes_before(&world.heap[child + 1], &world.heap[child]))
            child++;
        if (!comes_before(&world.heap[child], &last))
            break;
        world.heap[i] = world.heap[child];
        i = child;
    }
    world.heap[i] = last;
    return first;
}

bool world_skip_to(uint64_t when_ns)
{
    if (world.count > 0 && world.heap[0].when_ns <= when_ns)
        return false;
    world.now_ns = when_ns;
    return true;
}

bool world_step(void)
{
    if (world.count == 0 || world.failure[0] != '\0')
        return false;
    struct due due = take_first();
    world.now_ns = due.when_ns;
    due.fn(due.arg, due.number);
    return true;
}

void world_fail(const char *format, ...)
{
    va_list args;

    if (world.failure[0] != '\0')
        return;
    va_start(args, format);
    vsnprintf(world.failure, sizeof world.failure, format, args);
    va_end(args);
}

const char *world_failure(void)
{
    return world.failure[0] == '\0' ? NULL : world.failure;
}

/* ---- chance ---------------------------------------------------------------- */

/* splitmix64 */
uint64_t any_number(void)
{
    uint64_t x = world.random += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

uint64_t pick(uint64_t n)
{
    return any_number() % n;
}

bool once_in(uint64_t n)
{
    return pick(n) == 0;
}

uint64_t between(uint64_t low, uint64_t high)
{
    return low + pick(high - low + 1);
}

uint64_t of_any_size(uint64_t low, uint64_t high)
{
    unsigned magnitudes = 0;

    while (high >> magnitudes > low)
        magnitudes++;
    uint64_t from = high >> pick(magnitudes + 1);
    return between(from / 2 > low ? from / 2 : low, from > low ? from : low);
}
