/* SPDX-License-Identifier: MIT */
/* What the figures were measured on. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stdbool.h>

enum { BENCH_MACHINE_TEXT = 128 };

struct bench_machine {
    char cpu[BENCH_MACHINE_TEXT];
    char system[BENCH_MACHINE_TEXT]; /* kernel with its version, and the architecture */
    const char *compiler;
    long cpus; /* this process may use now */
};

/* Asks the system; what it does not say is "unknown". */
void bench_machine_read(struct bench_machine *ret);

/* Whether a directory is of a file system that is nowhere but in memory; false also when the system does not say. */
bool bench_machine_has_in_memory(const char *directory);

#endif
