/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: each call keeps its time, over a coordinator that is silent, slow, late or dribbles, and over a
 * process that was stopped in every guard of the host.  It writes the table that docs/TRUST.md has, of the longest that
 * was seen; a call that took half a minute more than it may hangs.
 */
#define _XOPEN_SOURCE 700 /* nftw */
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/callers.h"
#include "lib/nemesis.h"
#include "lib/ports.h"
#include "lib/proxy.h"
#include "lib/scratch.h"
#include "lib/test.h"

#define OPEN_WAIT "1s"
#define MAX_WAIT "300ms"

enum {
    WORKERS = 8,
    HORIZON_MS = 4000,
    RESERVE_MS = 6000,
    HANG_MS = 30000,
    ROUNDS = 2,
    LATE_ROUNDS = 24,
    GUARDS_MAX = 16
};

enum call { OPEN, NEXT, TRY, KEEP, CLOSE, CALLS };

static const struct {
    const char *name;
    const char *promise;
    unsigned ms;
} calls[CALLS] = {[OPEN] = {"opening", "`open_wait=" OPEN_WAIT "`", 1000},
                  [NEXT] = {"`frazil_next`", "`max_wait=" MAX_WAIT "`", 300},
                  [TRY] = {"`frazil_try_take`", "at once", 0},
                  [KEEP] = {"`frazil_keep`", "100 ms, its argument", 100},
                  [CLOSE] = {"`frazil_close`", "2 s", 2000}};

/* How a coordinator, or a process of the host, misbehaves. */
enum way { SILENT, SLOW, LATE, DRIBBLES, STOPPED, WAYS };

static const enum proxy_mode modes[] = {
    [SILENT] = PROXY_HOLD_REPLIES, [SLOW] = PROXY_SLOW, [LATE] = PROXY_LATE, [DRIBBLES] = PROXY_DRIBBLE};
static uint64_t longest_us[CALLS][WAYS];
static uint64_t begun_us;

static uint64_t now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void begin(void)
{
    begun_us = now_us();
}

static void end(enum call call, enum way way)
{
    uint64_t us = now_us() - begun_us;

    if (us > longest_us[call][way])
        longest_us[call][way] = us;
    if (us / 1000 > calls[call].ms + HANG_MS)
        fail_msg("%s took %lu ms", calls[call].name, (unsigned long)(us / 1000));
}

static frazil_err open_spec(frazil **ret, const char *spec)
{
    const struct ports ports = {.coordinators = nemesis_coordinators()};

    return ports_open(ret, spec, &ports, NULL);
}

/* The result of a call does not matter here. */
static void ignore(frazil_err err)
{
    (void)err;
}

/* The calls of a generator whose grant is about to end, and has ended.  Late answers come in the middle of any. */
static void measure_calls(frazil *gen, enum way way)
{
    int rounds = way == LATE ? LATE_ROUNDS : ROUNDS;
    uint64_t id;
    uint64_t ns;

    for (int ended = 0; ended < rounds; ended++) {
        begin();
        ignore(frazil_next(gen, &id));
        end(NEXT, way);
        begin();
        ignore(try_one(gen, &id, &ns));
        end(TRY, way);
        begin();
        ignore(frazil_keep(gen, 100000000, &ns, NULL));
        end(KEEP, way);
        pause_ns(ended ? 0 : 1500000000);
    }
    begin();
    frazil_close(gen);
    end(CLOSE, way);
}

/* A spec whose URL allows each request much more than any call. */
static const char *slow_spec(const struct register_kind *kind, uint16_t port)
{
    static char spec[1200];
    const char *plain = nemesis_spec(kind, port, "keeper=inline max_wait=" MAX_WAIT " open_wait=" OPEN_WAIT);
    int url_len = (int)strlen(plain) - 1;

    snprintf(spec, sizeof spec, "%.*s%ctimeout=25s'", url_len, plain, strchr(plain, '?') == NULL ? '?' : '&');
    return spec;
}

TEST_OF_KINDS(nemesis_over_all, "Each call keeps its time over a coordinator that is silent, slow, late or dribbles")
{
    for (enum way way = SILENT; way <= DRIBBLES; way++) {
        nemesis_start(kind, WORKERS, HORIZON_MS);
        struct proxy *proxy = proxy_start(kind->server->port);
        const char *spec = slow_spec(kind, proxy->port);
        frazil *gen;
        assert_int_equal(open_spec(&gen, nemesis_spec(kind, 0, "")), FRAZIL_OK); /* the server answers */
        frazil_close(gen);
        while (open_spec(&gen, spec) != FRAZIL_OK)
            continue;
        pause_ns((HORIZON_MS - 800) * 1000000L);
        proxy_set(proxy, modes[way]);
        measure_calls(gen, way);
        begin();
        if (open_spec(&gen, spec) == FRAZIL_OK)
            frazil_close(gen);
        end(OPEN, way);
        proxy_set(proxy, PROXY_PASS);
        proxy_stop(proxy);
    }
}

/* ---- a process that was stopped in every guard ----------------------------------------------- */

static char guards[GUARDS_MAX][512];
static size_t guard_count;

static int note_guard(const char *path, const struct stat *status, int type, struct FTW *where)
{
    size_t len = strlen(path);

    (void)status;
    (void)type;
    (void)where;
    if (len > 5 && len < sizeof guards[0] && guard_count < GUARDS_MAX && strcmp(path + len - 5, ".lock") == 0)
        memcpy(guards[guard_count++], path, len + 1);
    return 0;
}

/* Holds all guards below a folder, and is stopped. */
static pid_t stop_in_guards(const char *folder)
{
    int status;

    guard_count = 0;
    assert_int_equal(nftw(folder, note_guard, 8, FTW_PHYS), 0);
    assert_true(guard_count >= 2); /* of the word and of the grant */
    pid_t child = fork();
    if (child == 0) {
        for (size_t i = 0; i < guard_count; i++) {
            int fd = open(guards[i], O_RDWR | O_CLOEXEC);
            if (fd < 0 || flock(fd, LOCK_EX) != 0)
                _exit(1);
        }
        raise(SIGSTOP);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, WUNTRACED), child);
    assert_true(WIFSTOPPED(status));
    return child;
}

TEST("Each call keeps its time over a process that was stopped in the guards of the host")
{
    const char *scratch = scratch_make();
    char spec[1024];
    frazil *gen;

    snprintf(spec, sizeof spec,
             "worker=fixed:7 state=file keeper=inline max_wait=" MAX_WAIT " open_wait=" OPEN_WAIT
             " run_dir='%s/run' state_dir='%s/state' host_dir='%s'",
             scratch, scratch, scratch);
    assert_int_equal(frazil_open(&gen, spec, NULL), FRAZIL_OK);
    pause_ns((RESERVE_MS - 800) * 1000000L);
    pid_t stopped = stop_in_guards(scratch);
    measure_calls(gen, STOPPED);
    begin();
    if (frazil_open(&gen, spec, NULL) == FRAZIL_OK)
        frazil_close(gen);
    end(OPEN, STOPPED);
    kill(stopped, SIGKILL);
    assert_int_equal(waitpid(stopped, &(int){0}, 0), stopped);
    scratch_remove(scratch);
}

TEST("The table for docs/TRUST.md")
{
    printf("| call | may take | silent | slow | answers late | dribbles | stopped in a guard "
           "|\n|---|---|---:|---:|---:|---:|---:|\n");
    for (int call = 0; call < CALLS; call++) {
        printf("| %s | %s |", calls[call].name, calls[call].promise);
        for (int way = 0; way < WAYS; way++)
            printf(" %lu.%lu ms |", (unsigned long)(longest_us[call][way] / 1000),
                   (unsigned long)(longest_us[call][way] / 100 % 10));
        printf("\n");
    }
}
