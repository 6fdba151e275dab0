/* SPDX-License-Identifier: MIT */
/*
 * One id: open a generator, take an id, close it.  A second process with the same
 * worker number on this host shares the sequence; a second host must have another.
 */
#include <frazil.h>
#include <inttypes.h>
#include <stdio.h>

int main(void)
{
    frazil *gen;
    frazil_error err;
    uint64_t id;

    if (frazil_open(&gen, "worker=fixed:7", &err) != FRAZIL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    frazil_err taken = frazil_next(gen, &id);
    frazil_close(gen);
    if (taken != FRAZIL_OK) {
        fprintf(stderr, "%s\n", frazil_strerror(taken));
        return 1;
    }
    printf("%" PRIu64 "\n", id);
    return 0;
}
