/* SPDX-License-Identifier: MIT */
#include "grant_board.h"

struct fz_grant fz_grant_board_read(const struct fz_grant_board *board)
{
    uint64_t number;
    struct fz_grant grant;

    do {
        number = atomic_load_explicit(&board->number, memory_order_acquire);
        unsigned i = (unsigned)(number % FZ_GRANT_ENTRIES);
        grant.worker = (uint32_t)atomic_load_explicit(&board->entries[i].worker, memory_order_acquire);
        grant.floor = atomic_load_explicit(&board->entries[i].floor, memory_order_acquire);
        grant.until = atomic_load_explicit(&board->entries[i].until, memory_order_acquire);
        grant.version = atomic_load_explicit(&board->entries[i].version, memory_order_acquire);
    } while (atomic_load_explicit(&board->number, memory_order_relaxed) != number);
    return grant;
}

void fz_grant_board_extend(struct fz_grant_board *board, const struct fz_grant *grant)
{
    unsigned i = (unsigned)(atomic_load_explicit(&board->number, memory_order_relaxed) % FZ_GRANT_ENTRIES);

    /* A writer that dies in between leaves the old end: the next one learns from the version that it was extended. */
    atomic_store_explicit(&board->entries[i].version, grant->version, memory_order_release);
    atomic_store_explicit(&board->entries[i].until, grant->until, memory_order_release);
}

void fz_grant_board_replace(struct fz_grant_board *board, const struct fz_grant *grant)
{
    uint64_t number = atomic_load_explicit(&board->number, memory_order_relaxed) + 1;
    unsigned i = (unsigned)(number % FZ_GRANT_ENTRIES);

    atomic_store_explicit(&board->entries[i].worker, grant->worker, memory_order_release);
    atomic_store_explicit(&board->entries[i].floor, grant->floor, memory_order_release);
    atomic_store_explicit(&board->entries[i].until, grant->until, memory_order_release);
    atomic_store_explicit(&board->entries[i].version, grant->version, memory_order_release);
    atomic_store_explicit(&board->number, number, memory_order_release);
}
