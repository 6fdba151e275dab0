/* SPDX-License-Identifier: MIT */
/* What the figures were measured on. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

enum { BENCH_MACHINE_TEXT = 128 };

struct bench_machine {
    char cpu[BENCH_MACHINE_TEXT];
    char system[BENCH_MACHINE_TEXT]; /* kernel with its version, and the architecture */
    const char *compiler;
    long cpus; /* this process may use now */
};

/* Asks the system; what it does not say is "unknown". */
void bench_machine_read(struct bench_machine *ret);

#endif
