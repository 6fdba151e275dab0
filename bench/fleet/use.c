/* SPDX-License-Identifier: MIT */
/* The processor time and memory of a server.  PostgreSQL has a process for each connection, so the children count. */
#include "fleet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PATH_SIZE = 64, LINE_SIZE = 256 };

static bool add_cpu(pid_t pid, struct fleet_use *use)
{
    struct timespec time;
    clockid_t clock;

    /* Exact, where /proc/PID/stat counts in hundredths of a second: a backend may take less. */
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return false;
    use->cpu_ns += (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
    return true;
}

static bool add_memory(pid_t pid, struct fleet_use *use)
{
    char path[PATH_SIZE];
    char line[LINE_SIZE];
    bool found = false;

    (void)snprintf(path, sizeof path, "/proc/%ld/smaps_rollup", (long)pid);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    while (!found && fgets(line, sizeof line, file) != NULL) {
        found = strncmp(line, "Pss:", 4) == 0;
        if (found)
            use->memory_kib += strtoull(line + 4, NULL, 10);
    }
    (void)fclose(file);
    return found;
}

static bool add_process(pid_t pid, struct fleet_use *use)
{
    return add_cpu(pid, use) && add_memory(pid, use);
}

bool fleet_use_read(pid_t server, struct fleet_use *ret)
{
    struct fleet_use use = {0, 0};
    char path[PATH_SIZE];
    char *child = NULL;
    size_t size = 0;

    (void)snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)server, (long)server);
    if (!add_process(server, &use))
        return false;
    FILE *children = fopen(path, "r");
    if (children == NULL)
        return false;
    /* A child that has just ended is no failure. */
    while (getdelim(&child, &size, ' ', children) > 0) {
        pid_t pid = (pid_t)strtol(child, NULL, 10);
        if (pid > 0) /* 0 would be this process */
            (void)add_process(pid, &use);
    }
    free(child);
    (void)fclose(children);
    *ret = use;
    return true;
}
