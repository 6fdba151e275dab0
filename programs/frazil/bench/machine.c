/* SPDX-License-Identifier: MIT */
#include "machine.h"

#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

/* The text after the colon of the first line that begins with the key; false if there is none. */
static bool read_line_of(const char *path, const char *key, char ret[BENCH_MACHINE_TEXT])
{
    char line[512];
    bool found = false;
    FILE *file = fopen(path, "re");

    while (!found && file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, key, strlen(key)) != 0 || colon == NULL)
            continue;
        line[strcspn(line, "\n")] = '\0';
        (void)snprintf(ret, BENCH_MACHINE_TEXT, "%.*s", BENCH_MACHINE_TEXT - 1, colon + strspn(colon, ": "));
        found = true;
    }
    if (file != NULL)
        (void)fclose(file);
    return found;
}

void bench_machine_read(struct bench_machine *ret)
{
    struct utsname name;

    *ret = (struct bench_machine){
        .cpu = "unknown", .system = "unknown", .compiler = COMPILER, .cpus = sysconf(_SC_NPROCESSORS_ONLN)};
    if (!read_line_of("/proc/cpuinfo", "model name", ret->cpu))
        (void)read_line_of("/proc/cpuinfo", "Model", ret->cpu);
    if (uname(&name) == 0)
        (void)snprintf(ret->system, sizeof ret->system, "%.40s %.40s %.40s", name.sysname, name.release, name.machine);
}

bool bench_machine_has_in_memory(const char *directory)
{
    struct statfs system;

    return statfs(directory, &system) == 0 &&
           ((uint32_t)system.f_type == TMPFS_MAGIC || (uint32_t)system.f_type == RAMFS_MAGIC);
}
