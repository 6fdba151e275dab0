/* SPDX-License-Identifier: MIT */
/*
 * Holds all ids of a campaign against each other: `judge RECORD...`.
 *
 * Prints "ids N duplicates N shared N disorder N":
 *
 *   duplicates: ids that were taken a second time, by whomever.
 *
 *   shared: ticks of a worker in which more than one taker has ids.  Nobody may be granted what another was, so this
 *   finds two owners of a worker even if they happen to miss each other's sequence numbers.
 *
 *   disorder: ids of a taker that are not above the one before, with the same worker.
 *
 * Its exit status is 0 if all that could be read, whatever was found.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record.h"

/* The fields of the default layout, taken apart without the library. */
enum { SEQUENCE_BITS = 12, WORKER_BITS = 10 };

struct taken {
    uint64_t id;
    size_t taker;
};

static struct taken *all;
static size_t all_count;

/* NULL: its process was killed before it had made room for the first id. */
static const struct record *map_record(const char *path)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    const bool is_there = fd >= 0 && fstat(fd, &info) == 0;

    if (is_there && (size_t)info.st_size <= sizeof(struct record)) {
        close(fd);
        return NULL;
    }
    void *memory = is_there ? mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    const struct record *record = memory;

    if (memory == MAP_FAILED || sizeof *record + record->count * sizeof record->ids[0] > (size_t)info.st_size) {
        fprintf(stderr, "judge: no record: %s\n", path);
        exit(1);
    }
    close(fd);
    return record;
}

static uint64_t worker_of(uint64_t id)
{
    return id >> SEQUENCE_BITS & ((1U << WORKER_BITS) - 1);
}

/* Adds a record's ids to all; returns how many are out of order. */
static uint64_t add(const struct record *record, size_t taker)
{
    const uint64_t count = record == NULL ? 0 : record->count; /* read once, as its taker may go on */
    uint64_t disorder = 0;

    all = realloc(all, (all_count + count + 1) * sizeof *all);
    if (all == NULL)
        abort();
    for (uint64_t i = 0; i < count; i++) {
        all[all_count++] = (struct taken){record->ids[i], taker};
        if (i > 0 && record->ids[i] <= record->ids[i - 1] && worker_of(record->ids[i]) == worker_of(record->ids[i - 1]))
            disorder++;
    }
    return disorder;
}

static int by_id(const void *a, const void *b)
{
    uint64_t left = ((const struct taken *)a)->id;
    uint64_t right = ((const struct taken *)b)->id;

    return (left > right) - (left < right);
}

int main(int argc, char **argv)
{
    uint64_t duplicates = 0;
    uint64_t shared = 0;
    uint64_t disorder = 0;
    uint64_t last_shared = UINT64_MAX;

    for (int i = 1; i < argc; i++)
        disorder += add(map_record(argv[i]), (size_t)i);
    if (all_count > 0)
        qsort(all, all_count, sizeof *all, by_id);
    for (size_t i = 1; i < all_count; i++) {
        uint64_t place = all[i].id >> SEQUENCE_BITS; /* a tick of a worker */
        duplicates += all[i].id == all[i - 1].id;
        if (place == all[i - 1].id >> SEQUENCE_BITS && all[i].taker != all[i - 1].taker && place != last_shared) {
            shared++;
            last_shared = place;
        }
    }
    printf("ids %zu duplicates %" PRIu64 " shared %" PRIu64 " disorder %" PRIu64 "\n", all_count, duplicates, shared,
           disorder);
    free(all);
    return 0;
}
