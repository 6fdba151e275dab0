/* SPDX-License-Identifier: MIT */
/*
 * The cost of ids of libuuid: a line a function, "name TAB median TAB q1 TAB q3 TAB
 * rounds", in nanoseconds, from rounds in which all of them take turns.
 */
#include <uuid/uuid.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 31, FUNCTIONS = 2 };

static const struct {
    const char *name;
    void (*generate)(uuid_t ret);
    int count; /* in a round */
} functions[FUNCTIONS] = {
    {"libuuid uuid_generate_time", uuid_generate_time, 5000},
    {"libuuid uuid_generate_random", uuid_generate_random, 5000},
};

static double now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double sample(int which)
{
    uuid_t uuid;
    double start = now_ns();

    for (int i = 0; i < functions[which].count; i++)
        functions[which].generate(uuid);
    return (now_ns() - start) / functions[which].count;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

int main(void)
{
    static double samples[FUNCTIONS][ROUNDS];

    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < FUNCTIONS; i++)
            samples[i][round] = sample(i);
    }
    for (int i = 0; i < FUNCTIONS; i++) {
        qsort(samples[i], ROUNDS, sizeof samples[i][0], compare);
        printf("%s\t%.2f\t%.2f\t%.2f\t%d\n", functions[i].name, samples[i][ROUNDS / 2], samples[i][ROUNDS / 4],
               samples[i][ROUNDS * 3 / 4], ROUNDS);
    }
    return 0;
}
