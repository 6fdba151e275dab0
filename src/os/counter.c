/* SPDX-License-Identifier: MIT */
#include "counter.h"

#include <stdatomic.h>
#include <string.h>

#include "clock.h"

/* Whether name is one of the space-terminated words in list. */
static bool is_in_list(const char *list, const char *name)
{
    size_t len = strlen(name);

    for (const char *word = list; *word != '\0'; word = strchr(word, ' ') + 1) {
        if (strncmp(word, name, len) == 0 && word[len] == ' ')
            return true;
    }
    return false;
}

/*
 * The processor gives the same answer for as long as the process runs, and asking
 * it is dear in a virtual machine: each question wakes the hypervisor.
 */
static bool is_constant(void)
{
    enum { UNKNOWN, NO, YES };
    static atomic_int answer = UNKNOWN;
    int known = atomic_load_explicit(&answer, memory_order_relaxed);

    if (known == UNKNOWN) {
        known = fz_counter_is_constant() ? YES : NO;
        atomic_store_explicit(&answer, known, memory_order_relaxed);
    }
    return known == YES;
}

bool fz_counter_drives(const char *clock_source)
{
    return is_constant() && is_in_list(FZ_COUNTER_CLOCKSOURCES, clock_source);
}

bool fz_counter_usable(void)
{
    char name[FZ_CLOCK_SOURCE_SIZE];

    return is_constant() && fz_clock_source(name) == 0 && fz_counter_drives(name);
}
