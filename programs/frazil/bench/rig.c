/* SPDX-License-Identifier: MIT */
#include "bench.h"

#include "cli/cli.h"
#include "complain.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ---- the scratch directory ---------------------------------------------------- */

static bool make_dir_in(struct bench_rig *rig, const char *parent)
{
    int len = parent == NULL || parent[0] == '\0'
                  ? -1
                  : snprintf(rig->dir, sizeof rig->dir, "%s/frazil-bench-XXXXXX", parent);

    if (len >= 0 && (size_t)len < sizeof rig->dir && mkdtemp(rig->dir) != NULL)
        return true;
    rig->dir[0] = '\0';
    return false;
}

/* In memory, where run directories are; else wherever there is room for scratch. */
static bool make_dir(struct bench_rig *rig)
{
    if (make_dir_in(rig, fz_typed_variable("XDG_RUNTIME_DIR")) || make_dir_in(rig, "/dev/shm") ||
        make_dir_in(rig, fz_typed_variable("TMPDIR")) || make_dir_in(rig, "/tmp"))
        return true;
    complain("no directory for scratch files could be made, not even in /tmp: %s", strerror(errno));
    return false;
}

/* Removes a directory with all that is in it: nothing but what generators have put there. */
static void remove_tree(const char *path)
{
    char inner[BENCH_PATH_SIZE];
    DIR *dir = opendir(path);

    for (const struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name) >= (int)sizeof inner)
            continue;
        if (unlink(inner) != 0)
            remove_tree(inner);
    }
    if (dir != NULL)
        (void)closedir(dir);
    (void)rmdir(path);
}

/* ---- generators --------------------------------------------------------------- */

static frazil *open_spec(const char *spec)
{
    frazil_error err;
    frazil *gen = NULL;

    if (frazil_open(&gen, spec, &err) != FRAZIL_OK)
        complain("%s (opening %s)", err.message, quoted(spec));
    return gen;
}

frazil *bench_rig_generator(const char *layout, const char *keys)
{
    char spec[BENCH_SPEC_SIZE];

    (void)snprintf(spec, sizeof spec, "%s %s", layout, keys);
    return open_spec(spec);
}

frazil *bench_rig_kept(const struct bench_rig *rig, const char *layout, const char *keys)
{
    char spec[BENCH_SPEC_SIZE];

    (void)snprintf(spec, sizeof spec, "%s state=file run_dir='%s/run' state_dir='%s/state' %s", layout, rig->dir,
                   rig->dir, keys);
    return open_spec(spec);
}

/* 16 million ids a millisecond are more than any machine takes, one by one or in batches; 2^18 more than one by one. */
static void choose_layouts(struct bench_rig *rig)
{
    int64_t yesterday = ((int64_t)time(NULL) - 86400) * 1000;

    (void)snprintf(rig->layout, sizeof rig->layout, "layout=39/1/24 tick=1ms epoch=%" PRId64, yesterday);
    (void)snprintf(rig->lead_layout, sizeof rig->lead_layout, "layout=41/10/12 tick=1ms epoch=%" PRId64, yesterday);
    (void)snprintf(rig->pool_layout, sizeof rig->pool_layout, "layout=39/7/18 tick=1ms epoch=%" PRId64, yesterday);
}

/* A program of this machine may have the numbers that are measured, and must not be refused them. */
static bool move_to_own_host(const struct bench_rig *rig)
{
    char host[BENCH_PATH_SIZE];

    return snprintf(host, sizeof host, "%s/host", rig->dir) < (int)sizeof host &&
           setenv("FRAZIL_HOST_DIR", host, 1) == 0;
}

bool bench_rig_open(struct bench_rig *rig)
{
    choose_layouts(rig);
    if (!make_dir(rig) || !move_to_own_host(rig))
        return false;
    rig->gen = bench_rig_generator(rig->layout, "worker=fixed:1 state=memory");
    rig->shared = bench_rig_kept(rig, rig->layout, "worker=fixed:0 keeper=inline");
    rig->leading = bench_rig_generator(rig->lead_layout, "worker=fixed:2 state=memory on_full=lead max_lead=unlimited");
    return rig->gen != NULL && rig->shared != NULL && rig->leading != NULL &&
           bench_went_well(frazil_local_open(&rig->local, rig->gen, NULL)) &&
           bench_warm_up((frazil *const[]){rig->gen, rig->shared, rig->leading}, 3);
}

void bench_rig_close(struct bench_rig *rig)
{
    frazil_local_close(rig->local);
    frazil_close(rig->leading);
    frazil_close(rig->shared);
    frazil_close(rig->gen);
    if (rig->dir[0] != '\0')
        remove_tree(rig->dir);
}

/* ---- taking ids --------------------------------------------------------------- */

bool bench_went_well(frazil_err err)
{
    if (err != FRAZIL_OK)
        complain("a measurement failed: %s", frazil_strerror(err));
    return err == FRAZIL_OK;
}

frazil_err bench_take_one(frazil *gen, frazil_layout_kind kind)
{
    frazil_sno sno;
    uint64_t id;

    return kind == FRAZIL_LAYOUT_SNO ? frazil_sno_next(gen, 0, &sno) : frazil_next(gen, &id);
}

/* The rate comes from measurements of a millisecond or more, and two of them have to agree. */
enum { WARM_UPS = 10 };
static const double warm_up_ns = 2e6;

bool bench_warm_up(frazil *const *gens, unsigned count)
{
    frazil_err err = FRAZIL_OK;
    uint64_t id;

    for (int i = 0; i < WARM_UPS && err == FRAZIL_OK; i++) {
        double until = bench_now_ns() + warm_up_ns;
        do {
            for (unsigned which = 0; which < count && err == FRAZIL_OK; which++)
                err = frazil_next(gens[which], &id);
        } while (err == FRAZIL_OK && bench_now_ns() < until);
    }
    return bench_went_well(err);
}

/* ---- the machine -------------------------------------------------------------- */

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

#if defined(__linux__)
#include <sys/statfs.h>

bool bench_machine_has_in_memory(const char *directory)
{
    const uint32_t tmpfs = 0x01021994;
    const uint32_t ramfs = 0x858458f6;
    struct statfs system;

    return statfs(directory, &system) == 0 && ((uint32_t)system.f_type == tmpfs || (uint32_t)system.f_type == ramfs);
}
#else
/* Nobody tells. */
bool bench_machine_has_in_memory(const char *directory)
{
    (void)directory;
    return false;
}
#endif
