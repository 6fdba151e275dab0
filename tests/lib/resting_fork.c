/* SPDX-License-Identifier: MIT */
#include "lib/resting_fork.h"

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define HAS_ADDRESS_SANITIZER
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define HAS_ADDRESS_SANITIZER
#endif

#ifdef HAS_ADDRESS_SANITIZER

#include <dirent.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { LOOKS = 100 };

static const struct timespec between_looks = {.tv_nsec = 1000000};

/* proc(5): the state stands behind the name, which is in parentheses and may hold some itself. */
static bool is_asleep(const char *thread)
{
    char path[64];
    char line[512] = "";

    snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", thread);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return true; /* it has ended */
    char *state = fgets(line, sizeof line, file) == NULL ? NULL : strrchr(line, ')');
    fclose(file);
    return state == NULL || state[2] == 'S';
}

/* The thread that looks is awake. */
static bool are_others_asleep(void)
{
    DIR *folder = opendir("/proc/self/task");
    unsigned awake = 0;

    if (folder == NULL)
        return true;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        awake += entry->d_name[0] != '.' && !is_asleep(entry->d_name);
    closedir(folder);
    return awake <= 1;
}

/* Twice in a row, as one look at all threads takes time. */
static void await_rest(void)
{
    unsigned in_a_row = 0;

    for (unsigned i = 0; i < LOOKS && in_a_row < 2; i++) {
        in_a_row = are_others_asleep() ? in_a_row + 1 : 0;
        if (in_a_row == 0)
            (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &between_looks, NULL);
    }
}

void resting_fork_enable(void)
{
    (void)pthread_atfork(await_rest, NULL, NULL);
}

#else

void resting_fork_enable(void)
{
}

#endif
