/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: konayuki's file counter: each slot of a worker's tick once,
 * whoever asks, and none of a tick that may have been counted before a wipe.
 */
#define _DEFAULT_SOURCE /* chroot */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "coordinators/common/foreign.h"
#include "lib/jail.h"
#include "lib/near_miss.h"
#include "lib/scratch.h"
#include "lib/test.h"

enum { WORKER = 7, CAPACITY = 16 };

static const char *scratch;
static char url[600];
static uint64_t seed;

static struct fz_slot_source open_slots(bool random_start)
{
    const frazil_random random = {.size = sizeof(frazil_random), .ctx = &seed, .next = seeded_next};
    struct fz_slots_request request = {.url = url,
                                       .random = &random,
                                       .worker = WORKER,
                                       .bounds = {.max = CAPACITY - 1, .top = CAPACITY - 1},
                                       .random_start = random_start};
    struct fz_slot_source source;
    frazil_error err;

    if (fz_konayuki_counter_open(NULL, &request, &source, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    return source;
}

BEFORE_EACH
{
    seed = 1;
    scratch = scratch_make();
    snprintf(url, sizeof url, "konayuki+file://%s/counters", scratch);
}

AFTER_EACH
{
    scratch_remove(scratch);
}

static struct fz_slot_run must_take(struct fz_slot_source *source, uint64_t tick, uint64_t n)
{
    struct fz_slot_run run = {0};
    frazil_error err;

    if (source->take(source->ctx, FZ_DEADLINE_NONE, tick, n, &run, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    assert_int_equal(run.tick, tick);
    return run;
}

static void must_refuse(struct fz_slot_source *source, uint64_t tick, frazil_err code)
{
    struct fz_slot_run run = {.count = 42};

    assert_int_equal(source->take(source->ctx, FZ_DEADLINE_NONE, tick, 1, &run, NULL), code);
    assert_int_equal(run.count, 42);
}

TEST("Slots of a tick follow each other, whoever takes them, until it is full; the next tick begins at 0")
{
    struct fz_slot_source a = open_slots(false);
    struct fz_slot_source b = open_slots(false);

    must_refuse(&a, 1000, FRAZIL_EFULL); /* nobody knows what was taken of it */
    assert_int_equal(must_take(&a, 1001, 1).place, 0);
    assert_int_equal(must_take(&b, 1001, 1).place, 1);
    assert_int_equal(must_take(&a, 1001, 10).count, 10);
    assert_int_equal(must_take(&b, 1001, 10).count, CAPACITY - 12);
    must_refuse(&a, 1001, FRAZIL_EFULL);
    assert_int_equal(must_take(&b, 1002, 1).place, 0);
    must_refuse(&a, 1001, FRAZIL_EFULL); /* a clock that went back */
    a.close(a.ctx);
    b.close(b.ctx);
}

TEST("With a random start every first place occurs, and the end of the tick is its end")
{
    struct fz_slot_source source = open_slots(true);
    uint32_t seen = 0;

    must_refuse(&source, 1, FRAZIL_EFULL);
    for (uint64_t tick = 2; tick < 500; tick++) {
        struct fz_slot_run run = must_take(&source, tick, CAPACITY);
        assert_int_equal(run.place + run.count, CAPACITY);
        seen |= 1U << run.place;
    }
    assert_int_equal(seen, (1U << CAPACITY) - 1);
    source.close(source.ctx);
}

TEST("After a wipe nothing of the present tick is taken; a count that cannot be read is an error with the way out")
{
    struct fz_slot_source source = open_slots(false);
    const char *path = scratch_path(scratch, "counters/worker-7.count");
    frazil_error err;
    struct fz_slot_run run;

    must_refuse(&source, 1, FRAZIL_EFULL);
    must_take(&source, 2, 3);
    assert_int_equal(unlink(path), 0);
    must_refuse(&source, 2, FRAZIL_EFULL);
    assert_int_equal(must_take(&source, 3, 1).place, 0);
    scratch_write(path, "", 0); /* as one leaves it that is killed when it has made the file */
    must_refuse(&source, 3, FRAZIL_EFULL);
    assert_int_equal(must_take(&source, 4, 1).place, 0);
    static const char *const damaged[] = {"x", "00000000000000000003 00000000000000000016\n",
                                          "00000000000000000003 0000000000000000000x\n",
                                          "00000000000000000003 00000000000000000001\n "};
    for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
        scratch_write(path, damaged[i], strlen(damaged[i]));
        assert_int_equal(source.take(source.ctx, FZ_DEADLINE_NONE, 9, 1, &run, &err), FRAZIL_ESTATE);
        assert_non_null(strstr(err.message, "remove it"));
    }
    source.close(source.ctx);
}

TEST("A folder that was removed is an error, with the command that makes it again; then slots are counted anew")
{
    struct fz_slot_source source = open_slots(false);
    const char *folder = scratch_path(scratch, "counters");
    struct fz_slot_run run;
    frazil_error err;

    must_refuse(&source, 1, FRAZIL_EFULL);
    must_take(&source, 2, 3);
    scratch_delete(folder);
    assert_int_equal(source.take(source.ctx, FZ_DEADLINE_NONE, 2, 1, &run, &err), FRAZIL_ESYS);
    assert_non_null(strstr(err.message, folder));
    assert_non_null(strstr(err.message, "create it again (mkdir -m 700)"));
    assert_int_equal(mkdir(folder, 0700), 0);
    must_refuse(&source, 2, FRAZIL_EFULL);
    assert_int_equal(must_take(&source, 3, 1).place, 0);
    source.close(source.ctx);
}

TEST("After chroot() nothing is counted in a folder of the jail, and the sentence says why")
{
    struct fz_slot_source source = open_slots(false);
    struct fz_slot_run run;
    frazil_error err;

    if (geteuid() != 0) {
        print_message("only root can call chroot()\n");
        skip();
    }
    must_refuse(&source, 1, FRAZIL_EFULL);
    must_take(&source, 2, 3);
    jail_make(scratch);
    jail_make_folders(jailed(scratch_path(scratch, "counters")), 0755);
    jail_enter();
    frazil_err taken = source.take(source.ctx, FZ_DEADLINE_NONE, 2, 1, &run, &err);
    jail_leave();
    assert_int_equal(taken, FRAZIL_ESYS);
    assert_non_null(strstr(err.message, "its folder is another one than at the opening"));
    assert_int_equal(must_take(&source, 2, 1).place, 3);
    source.close(source.ctx);
}

TEST("Processes at the same time never get the same slot")
{
    enum { PROCESSES = 4, TAKES = 400 };
    int results[2];
    unsigned char taken[1000][CAPACITY] = {{0}};

    assert_int_equal(pipe(results), 0);
    for (int i = 0; i < PROCESSES; i++) {
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid != 0)
            continue;
        struct fz_slot_source source = open_slots(false);
        for (uint64_t tick = 1, n = 0; n < TAKES && tick < 1000;) {
            struct fz_slot_run run;
            if (source.take(source.ctx, FZ_DEADLINE_NONE, tick, 1, &run, NULL) != FRAZIL_OK)
                tick++;
            else if (write(results[1], &run, sizeof run) != (ssize_t)sizeof run)
                _exit(1);
            else
                n++;
        }
        _exit(0);
    }
    close(results[1]);
    struct fz_slot_run run;
    unsigned runs = 0;
    while (read(results[0], &run, sizeof run) == (ssize_t)sizeof run) {
        assert_int_equal(taken[run.tick][run.place]++, 0);
        runs++;
    }
    close(results[0]);
    assert_int_equal(runs, PROCESSES * TAKES);
    for (int i = 0, status; i < PROCESSES; i++) {
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
}

TEST("A limit on the size of files is an error that says it: no signal ends the program")
{
    struct fz_slot_source source = open_slots(false);
    struct fz_slot_run run;
    struct rlimit before;
    frazil_error err;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit tiny = {.rlim_cur = 4, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tiny), 0);
    frazil_err result = source.take(source.ctx, FZ_DEADLINE_NONE, 1, 1, &run, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(result, FRAZIL_ESYS);
    assert_non_null(strstr(err.message, "ulimit -f"));
    source.close(source.ctx);
}

TEST("The folders above the one that the URL names are made, too, for their owner alone; a file among them is an error")
{
    struct stat status;
    struct fz_slots_request request = {.url = url, .bounds = {.max = CAPACITY - 1, .top = CAPACITY - 1}};
    frazil_random random = {.size = sizeof(frazil_random), .ctx = &seed, .next = seeded_next};
    struct fz_slot_source source;
    frazil_error err;
    char path[128];

    request.random = &random;
    snprintf(url, sizeof url, "konayuki+file://%s/a/b//c", scratch);
    source = open_slots(false);
    source.close(source.ctx);
    snprintf(path, sizeof path, "%s/a/b", scratch);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    source = open_slots(false); /* the folder that is there is taken */
    must_refuse(&source, 1, FRAZIL_EFULL);
    source.close(source.ctx);
    snprintf(path, sizeof path, "%s/file", scratch);
    close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    snprintf(url, sizeof url, "konayuki+file://%s/file/b/c", scratch);
    assert_int_equal(fz_konayuki_counter_open(NULL, &request, &source, &err), FRAZIL_ESYS);
    assert_non_null(strstr(err.message, "/file/b/c"));
}

TEST("A URL that is none")
{
    struct fz_slots_request request = {.url = "konayuki+file://counters",
                                       .bounds = {.max = CAPACITY - 1, .top = CAPACITY - 1}};
    struct fz_slot_source source;
    frazil_error err;

    assert_int_equal(fz_konayuki_counter_open(NULL, &request, &source, &err), FRAZIL_ESPEC);
    assert_non_null(strstr(err.message, "absolute path"));
}
