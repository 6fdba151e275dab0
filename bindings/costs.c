/* SPDX-License-Identifier: MIT */
/*
 * costs: what an id costs in plain C, for costs.sh, and a number of a loop that makes no ids.  A line each: name, TAB,
 * nanoseconds for an id.
 */
#include "frazil.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { IDS = 10000, ROUNDS = 15, CALLS = 300000 };

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* As much memory as a batch is written with adjacent numbers. */
static double plain_ns(uint64_t *numbers, uint64_t first)
{
    const int times = CALLS / IDS * 10;
    double begin = now_ns();

    for (int i = 0; i < times; i++) {
        for (uint64_t j = 0; j < IDS; j++)
            numbers[j] = first + j;
        __asm__ volatile("" ::: "memory");
    }
    return (now_ns() - begin) / ((double)times * IDS);
}

int main(int argc, char **argv)
{
    static uint64_t ids[IDS];
    frazil *gen;
    frazil_error err;
    double call = 1e18;
    double batch = 1e18;
    double plain = 1e18;
    uint64_t id;

    if (argc != 2 || frazil_open(&gen, argv[1], &err) != FRAZIL_OK)
        return 1;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_ns();
        for (int i = 0; i < CALLS; i++)
            if (frazil_next(gen, &id) != FRAZIL_OK)
                return 1;
        double middle = now_ns();
        for (int i = 0; i < CALLS / IDS * 10; i++)
            if (frazil_take(gen, ids, IDS, FRAZIL_WAIT_DEFAULT, NULL) != FRAZIL_OK)
                return 1;
        double end = now_ns();
        call = middle - begin < call * CALLS ? (middle - begin) / CALLS : call;
        batch = end - middle < batch * CALLS * 10 ? (end - middle) / (CALLS * 10.0) : batch;
        double loop = plain_ns(ids, id);
        plain = loop < plain ? loop : plain;
    }
    printf("C, a call\t%.2f\nC, batches of %d\t%.3f\nC, a loop over %d numbers\t%.3f\n", call, (int)IDS, batch,
           (int)IDS, plain);
    frazil_close(gen);
    return 0;
}
