/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a process that is killed while it extends the grant, in the
 * middle of writing to the disk, does not stop others for long.  This holds even if libc
 * knows nothing of it: a child of a raw clone has its parent's list of robust locks.
 * And the page that processes share has nothing in it that could lead astray.
 */
#define _GNU_SOURCE /* syscall, ptrace's requests */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "generator/generator_internal.h"
#include "lib/callers.h"
#include "lib/fake_granter.h"
#include "lib/patience.h"
#include "lib/rig.h"
#include "lib/scratch.h"
#include "lib/test.h"

/* In ms: the grant of a file reaches six seconds ahead; one of them is left. */
enum { RESERVE = 6000, NEARLY_OVER = RESERVE - 1000 };

/* Many times what a turn lasts at the most here, as machines are loaded. */

static struct rig rig;
static const char *dir;

BEFORE_EACH
{
    dir = scratch_make();
    rig = (struct rig){.random_state = 1};
    rig_open_below(&rig, dir, "layout=frazil worker=fixed:3 keeper=inline", RIG_NOW);
}

AFTER_EACH
{
    rig_close(&rig);
    scratch_remove(dir);
}

static uint64_t granted_until(void)
{
    return fz_grant_ring_read(&rig.gen->shared->grants).until;
}

/* A child that no atfork handler hears of, traced by its parent, which extends the grant. */
static pid_t clone_extender(void)
{
#if defined(__s390__)
    pid_t pid = (pid_t)syscall(SYS_clone, 0, SIGCHLD, 0, 0, 0); /* here the stack comes first */
#else
    pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#endif
    if (pid == 0) {
        uint64_t id;
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            _exit(2);
        syscall(SYS_kill, syscall(SYS_getpid), SIGSTOP);
        _exit(frazil_next(rig.gen, &id) == FRAZIL_OK ? 0 : 1);
    }
    assert_true(pid > 0);
    return pid;
}

/* Whether the child stands before its call of fdatasync. */
static bool stands_before_sync(pid_t pid)
{
    struct __ptrace_syscall_info info = {.op = 0};

    return ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof info, &info) > 0 &&
           info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == SYS_fdatasync;
}

/* Lets the child go as far as its call of fdatasync; false: it has ended before, or cannot be traced. */
static bool run_up_to_sync(pid_t pid)
{
    int status;

    if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) ||
        ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL)) != 0)
        return false;
    do {
        if (ptrace(PTRACE_SYSCALL, pid, NULL, NULL) != 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
            return false;
    } while (!stands_before_sync(pid));
    return true;
}

/* Takes ids, as the clock stands still, until the grant reaches further or the time is over. */
static bool extends_before_long(uint64_t until)
{
    uint64_t id;

    for (uint64_t end_ns = patience_end_ns(); granted_until() <= until; pause_shortly()) {
        assert_int_equal(frazil_next(rig.gen, &id), FRAZIL_OK);
        if (patience_is_over(end_ns))
            return false;
    }
    return true;
}

static void skip_without_tracing(void)
{
#if defined(FRAZIL_EMULATED)
    print_message("SKIPPED: the emulator traces no process\n");
    skip();
#endif
}

TEST("A process that is killed while it makes a grant durable leaves the grant to be extended by others")
{
    uint64_t until = granted_until();

    skip_without_tracing();
    frazil_manual_clock_advance(rig.manual, NEARLY_OVER * RIG_MS);
    pid_t pid = clone_extender();
    assert_true(run_up_to_sync(pid));
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &(int){0}, 0), pid);
    assert_int_equal(granted_until(), until);
    assert_true(extends_before_long(until));
}

/* ---- the shared page --------------------------------------------------------------- */

enum { WORKER = 3, HORIZON = 1000, MAPS_MAX = 1024 };

static struct {
    uint64_t first;
    uint64_t end;
} maps[MAPS_MAX];
static unsigned map_count;

static void read_maps(void)
{
    FILE *file = fopen("/proc/self/maps", "r");
    char *line = NULL;
    size_t size = 0;

    assert_non_null(file);
    map_count = 0;
    while (getline(&line, &size, file) > 0 && map_count < MAPS_MAX) {
        char *end;
        maps[map_count].first = strtoull(line, &end, 16);
        maps[map_count].end = strtoull(end + 1, NULL, 16);
        map_count++;
    }
    free(line);
    fclose(file);
    assert_in_range(map_count, 5, MAPS_MAX - 1);
}

/* Numbers of a grant can look like the low addresses at which a sanitizer keeps its own things. */
static const uint64_t lowest_address = UINT64_C(1) << 45;

static bool is_address(uint64_t value)
{
    if (value < lowest_address)
        return false;
    for (unsigned i = 0; i < map_count; i++) {
        if (maps[i].first <= value && value < maps[i].end)
            return true;
    }
    return false;
}

/* A generator whose granter can be held. */
static struct rig faked;

static void *take_one(void *arg)
{
    uint64_t id;

    *(frazil_err *)arg = frazil_next(faked.gen, &id);
    return NULL;
}

TEST("No address stands there, also not while somebody extends the grant")
{
    const struct fake_granter *granter;
    frazil_err err = FRAZIL_ESYS;
    pthread_t thread;

    struct fake_granter *fake =
        fake_granter_open(&faked, "layout=frazil worker=fixed:3 state=memory", WORKER, HORIZON, FZ_KEEPER_INLINE);
    granter = fake;
    frazil_manual_clock_advance(faked.manual, (HORIZON - 1) * RIG_MS);
    fake->holds = true;
    assert_int_equal(pthread_create(&thread, NULL, take_one, &err), 0);
    while (!granter->inside)
        pause_ns(100000);
    read_maps();
    for (size_t at = 0; at + sizeof(uint64_t) <= sizeof *faked.gen->shared; at += sizeof(uint64_t)) {
        uint64_t value;
        memcpy(&value, (const char *)faked.gen->shared + at, sizeof value);
        if (is_address(value))
            fail_msg("at %zu of the shared page stands %#" PRIx64 ", which is an address", at, value);
    }
    fake->holds = false;
    pthread_join(thread, NULL);
    assert_int_equal(err, FRAZIL_OK);
    rig_close(&faked);
    fake_granter_free(fake);
}
