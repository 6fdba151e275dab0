/* SPDX-License-Identifier: MIT */
#include "lib/grant_oracle.h"

#include <stdlib.h>

#include "lib/asserts.h"

bool grant_oracle_add(struct grant_oracle *oracle, uint32_t owner, uint32_t worker, uint64_t first, uint64_t last)
{
    if (first > last)
        return true;
    for (size_t i = 0; i < oracle->n; i++) {
        const struct rectangle *other = &oracle->all[i];
        if (other->worker == worker && other->first <= last && first <= other->last)
            return false;
    }
    if (oracle->n == oracle->room) {
        oracle->room = oracle->room == 0 ? 64 : 2 * oracle->room;
        oracle->all = realloc(oracle->all, oracle->room * sizeof *oracle->all);
        assert_non_null(oracle->all);
    }
    oracle->all[oracle->n++] = (struct rectangle){.worker = worker, .first = first, .last = last, .owner = owner};
    return true;
}

void grant_oracle_give_back(struct grant_oracle *oracle, uint32_t owner, uint32_t worker, uint64_t used)
{
    for (size_t i = 0; i < oracle->n;) {
        struct rectangle *mine = &oracle->all[i];
        bool touched = mine->owner == owner && mine->worker == worker && mine->last > used;
        if (touched && mine->first > used) {
            *mine = oracle->all[--oracle->n];
            continue;
        }
        if (touched)
            mine->last = used;
        i++;
    }
}

void grant_oracle_free(struct grant_oracle *oracle)
{
    free(oracle->all);
    *oracle = (struct grant_oracle){.n = 0};
}
