/* SPDX-License-Identifier: MIT */
#include "stream_checker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/asserts.h"

/* The fields of the default layout, taken apart without the library. */
enum { SEQUENCE_BITS = 12, WORKER_BITS = 10, WORDS = (1 << SEQUENCE_BITS) / 64 };

struct page {
    uint64_t tick;
    uint64_t bits[WORDS];
};

struct stream_checker {
    uint64_t count;
    struct page pages[STREAM_WORKERS][STREAM_TICKS];
};

struct stream_checker *stream_checker_new(void)
{
    struct stream_checker *checker = calloc(1, sizeof *checker);

    if (checker == NULL)
        abort();
    return checker;
}

void stream_checker_free(struct stream_checker *checker)
{
    free(checker);
}

static struct page *page_of(struct stream_checker *checker, uint64_t worker, uint64_t tick)
{
    struct page *page = &checker->pages[worker][tick % STREAM_TICKS];

    if (page->tick == tick)
        return page;
    if (page->tick > tick)
        fail_msg("an id of tick %" PRIu64 " comes when those of %" PRIu64 " have been seen", tick, page->tick);
    memset(page, 0, sizeof *page);
    page->tick = tick;
    return page;
}

void stream_checker_add(struct stream_checker *checker, uint64_t first_id, uint64_t n)
{
    uint64_t sequence = first_id & ((1U << SEQUENCE_BITS) - 1);
    uint64_t worker = first_id >> SEQUENCE_BITS & ((1U << WORKER_BITS) - 1);
    uint64_t end = sequence + n;

    assert_true(worker < STREAM_WORKERS && end <= 1U << SEQUENCE_BITS);
    struct page *page = page_of(checker, worker, first_id >> (SEQUENCE_BITS + WORKER_BITS));
    while (sequence < end) {
        uint64_t in_word = 64 - sequence % 64 < end - sequence ? 64 - sequence % 64 : end - sequence;
        uint64_t mask = (in_word == 64 ? UINT64_MAX : (UINT64_C(1) << in_word) - 1) << sequence % 64;
        if ((page->bits[sequence / 64] & mask) != 0)
            fail_msg("an id of %" PRIu64 " + %" PRIu64 " was there before", first_id, n);
        page->bits[sequence / 64] |= mask;
        sequence += in_word;
    }
    checker->count += n;
}

uint64_t stream_checker_count(const struct stream_checker *checker)
{
    return checker->count;
}
