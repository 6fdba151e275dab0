/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: docs/cost.md says what this build takes, in each figure that can be counted without a coordinator
 * and without waiting.  The page is read here, and its figures stand nowhere else.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/rig.h"
#include "lib/scratch.h"
#include "lib/test.h"

enum { MINUTE_MS = 60000, COLUMNS = 6, LINE_SIZE = 1024 };

EACH_IN_SCRATCH

static _Atomic unsigned syncs;

int fdatasync(int fd)
{
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");

    atomic_fetch_add(&syncs, 1);
    return real(fd);
}

/* ---- the page ----------------------------------------------------------------------- */

struct row {
    char line[LINE_SIZE]; /* cut into cells */
    const char *cell[COLUMNS];
};

/* Cuts "| a | b |"; false: it is no line of a table. */
static bool cut(struct row *row)
{
    char *rest = row->line;

    if (*rest != '|')
        return false;
    for (size_t i = 0; i < COLUMNS; i++) {
        const char *cell = strtok_r(rest, "|\n", &rest);
        row->cell[i] = cell == NULL ? "" : cell + strspn(cell, " ");
    }
    return true;
}

/* Calls it for each row whose first cell begins so, and returns how many there are. */
static unsigned each_row(const char *beginning, void (*check)(const struct row *row))
{
    FILE *page = fopen(TEST_VECTORS_DIR "/../../docs/cost.md", "r");
    struct row row;
    unsigned n = 0;

    assert_non_null(page);
    while (fgets(row.line, sizeof row.line, page) != NULL) {
        if (!cut(&row) || strncmp(row.cell[0], beginning, strlen(beginning)) != 0)
            continue;
        check(&row);
        n++;
    }
    (void)fclose(page);
    return n;
}

/* A cell's number, with which it begins; words may follow. */
static long number(const struct row *row, size_t column)
{
    char *end;

    long n = strtol(row->cell[column], &end, 10);
    if (end == row->cell[column])
        fail_msg("'%s': no number in column %zu", row->cell[0], column + 1);
    return n;
}

/* The settings of a row, which stand between backticks; NULL: those of a coordinator. */
static const char *settings(const struct row *row)
{
    static char text[LINE_SIZE];

    snprintf(text, sizeof text, "%.*s", (int)strcspn(row->cell[0] + 1, "`"), row->cell[0] + 1);
    return strstr(text, "://") == NULL ? text : NULL;
}

/* ---- what a generator takes --------------------------------------------------------- */

static unsigned threads_of_this_process(void)
{
    unsigned n = 0;
    DIR *dir = opendir("/proc/self/task");

    if (dir == NULL) {
        skip();
        return 0; /* for the linter: skip does not return */
    }
    for (const struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir))
        n += entry->d_name[0] != '.';
    closedir(dir);
    return n;
}

static frazil *open_real(const char *setting)
{
    char spec[LINE_SIZE];
    frazil_error err;
    frazil *gen;

    snprintf(spec, sizeof spec, "%s run_dir=%s/run state_dir=%s/state host_dir=%s/host", setting, scratch, scratch,
             scratch);
    if (frazil_open(&gen, spec, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    return gen;
}

static void takes_threads_and_descriptors(const struct row *row)
{
    const char *setting = settings(row);

    if (setting == NULL)
        return;
    unsigned threads_before = threads_of_this_process();
    unsigned fds_before = scratch_open_fds();
    frazil *gen = open_real(setting);
    assert_int_equal(threads_of_this_process() - threads_before, number(row, 1));
    assert_int_equal(scratch_open_fds() - fds_before, number(row, 2));
    frazil_close(gen);
}

TEST("docs/cost.md: threads and descriptors of each setting without a coordinator")
{
    assert_int_equal(unsetenv("FRAZIL_STATE"), 0);
    assert_true(each_row("`worker=", takes_threads_and_descriptors) >= 5);
}

/* How often it syncs in a minute in which it takes so many ids each millisecond. */
static unsigned syncs_of(const char *setting, unsigned ids_a_step)
{
    static int64_t starts = RIG_NOW;
    struct rig rig = {.random_state = 1};

    rig_open_below(&rig, scratch, setting, starts += 2 * MINUTE_MS);
    unsigned opened = atomic_load(&syncs);
    for (unsigned ms = 0; ms < MINUTE_MS; ms++) {
        for (unsigned i = 0; i < ids_a_step; i++)
            (void)rig_next(&rig);
        frazil_manual_clock_advance(rig.manual, RIG_MS);
    }
    unsigned n = atomic_load(&syncs) - opened;
    rig_close(&rig);
    return n;
}

/* A thread would have to be waited for. */
static void takes_writes(const struct row *row)
{
    const char *setting = settings(row);

    if (setting == NULL || strstr(setting, "keeper=inline") == NULL)
        return;
    assert_int_equal(syncs_of(setting, 1), number(row, 4));
    assert_int_equal(syncs_of(setting, 10), number(row, 4));
}

TEST("docs/cost.md: how often a minute of ids is synced with keeper=inline, however many ids there are")
{
    assert_true(each_row("`worker=", takes_writes) >= 2);
}

/* ---- the files ---------------------------------------------------------------------- */

static bool is_lock(const char *name)
{
    const char *end = strrchr(name, '.');

    return end != NULL && strcmp(end, ".lock") == 0;
}

/* The bytes of all files of a folder and of those in it, but for locks. */
static long bytes_below(const char *folder)
{
    struct stat status;
    long bytes = 0;
    DIR *dir = opendir(folder);

    assert_non_null(dir);
    for (const struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        char path[LINE_SIZE];
        if (entry->d_name[0] == '.' || is_lock(entry->d_name))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        assert_int_equal(stat(path, &status), 0);
        bytes += S_ISDIR(status.st_mode) ? bytes_below(path) : (long)status.st_size;
    }
    closedir(dir);
    return bytes;
}

static void takes_bytes(const struct row *row)
{
    const char *name = strchr(row->cell[0], '`'); /* `run_dir=` */
    char folder[LINE_SIZE];

    assert_non_null(name);
    snprintf(folder, sizeof folder, "%s/%.*s", scratch, (int)strcspn(name + 1, "_"), name + 1);
    assert_int_equal(bytes_below(folder), number(row, 2));
}

TEST("docs/cost.md: the bytes that a worker id has in each folder")
{
    assert_int_equal(unsetenv("FRAZIL_STATE"), 0);
    frazil *gen = open_real("worker=file-lock");
    assert_true(each_row("the ", takes_bytes) == 3);
    frazil_close(gen);
}
