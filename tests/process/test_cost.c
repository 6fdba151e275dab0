/* SPDX-License-Identifier: MIT */
/* Goal of this test: the figures of docs/cost.md that can be counted without a coordinator are those of this build. */
#include <dirent.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <unistd.h>

#include "lib/rig.h"
#include "lib/scratch.h"
#include "lib/test.h"

enum { MINUTE_MS = 60000 };

EACH_IN_SCRATCH

static _Atomic unsigned syncs;

int fdatasync(int fd)
{
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");

    atomic_fetch_add(&syncs, 1);
    return real(fd);
}

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

/* Threads and descriptors that a generator of the system's clock has more than none. */
static void assert_takes(const char *setting, unsigned threads, unsigned descriptors)
{
    unsigned threads_before = threads_of_this_process();
    unsigned fds_before = scratch_open_fds();
    frazil_error err;
    char spec[1024];
    frazil *gen;

    snprintf(spec, sizeof spec, "%s run_dir=%s/run state_dir=%s/state host_dir=%s/host", setting, scratch, scratch,
             scratch);
    if (frazil_open(&gen, spec, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    assert_int_equal(threads_of_this_process() - threads_before, threads);
    assert_int_equal(scratch_open_fds() - fds_before, descriptors);
    frazil_close(gen);
}

TEST("docs/cost.md: threads and descriptors of each setting without a coordinator")
{
    assert_takes("worker=fixed:3 state=memory", 0, 1);
    assert_takes("worker=fixed:3 state=file", 1, 4);
    assert_takes("worker=file-lock state=file", 1, 5);
    assert_takes("worker=fixed:3 state=file keeper=inline", 0, 4);
}

TEST("docs/cost.md: with keeper=inline, a minute of ids costs 13 fdatasync, however many ids there are")
{
    for (unsigned ids_a_step = 1; ids_a_step <= 10; ids_a_step += 9) {
        struct rig rig = {.random_state = 1};
        rig_open_below(&rig, scratch, "layout=frazil worker=fixed:3 keeper=inline",
                       RIG_NOW + 2 * MINUTE_MS * ids_a_step);
        unsigned opened = atomic_load(&syncs);
        for (unsigned ms = 0; ms < MINUTE_MS; ms++) {
            for (unsigned i = 0; i < ids_a_step; i++)
                (void)rig_next(&rig);
            frazil_manual_clock_advance(rig.manual, RIG_MS);
        }
        assert_int_equal(atomic_load(&syncs) - opened, 13);
        rig_close(&rig);
    }
}
