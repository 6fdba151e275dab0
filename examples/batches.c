/* SPDX-License-Identifier: MIT */
/*
 * Batches: exactly as many ids as asked for, increasing, or an error and none.
 * 5000 are more than a millisecond of this layout has, so the call waits for the
 * next one.  The caller says how long it may wait; err says why it failed if it did.
 */
#include <frazil.h>
#include <inttypes.h>
#include <stdio.h>

#define IDS 5000

int main(void)
{
    static uint64_t ids[IDS];
    const uint64_t second_ns = 1000000000;
    frazil *gen;
    frazil_error err;

    if (frazil_open(&gen, "layout=twitter worker=fixed:7", &err) != FRAZIL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    frazil_err taken = frazil_take(gen, ids, IDS, second_ns, &err);
    frazil_close(gen);
    if (taken != FRAZIL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    for (size_t i = 0; i < IDS; i++)
        printf("%" PRIu64 "\n", ids[i]);
    return 0;
}
