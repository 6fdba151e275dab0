/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a program may close all descriptors, as daemons do, and open
 * files of its own that get the same numbers.  A generator with files then goes on
 * with files of its own, and neither writes to, locks nor closes those of the
 * program: with each keeper, before and after a fork.
 */
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "frazil.h"
#include "lib/bound.h"
#include "lib/patience.h"
#include "lib/ports.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "os/kept_fd.h"

enum { FDS_MAX = 64, ROUNDS = 4 };

/* How a child ends. */
enum { GOOD, BAD };

static const uint64_t round_ns = 5000000000; /* a grant reaches six seconds ahead */
static const char text[] = "data of the program\n";

EACH_IN_SCRATCH

/* ---- the program's files ------------------------------------------------------ */

/* The program's files in place of the generator's. */
struct program {
    unsigned n;
    struct {
        int fd;
        struct fz_fd_mark mark;
        char path[300];
    } files[FDS_MAX];
};

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

/* Closes all that was opened since, and opens a file of its own in each of these places. */
static bool take_over(struct program *program, const bool was_open[FDS_MAX])
{
    *program = (struct program){.n = 0};
    for (int fd = 0; fd < FDS_MAX; fd++) {
        if (was_open[fd] || !is_open(fd))
            continue;
        char *path = program->files[program->n].path;
        snprintf(path, sizeof program->files[0].path, "%s/program-%d", scratch, fd);
        scratch_write(path, text, sizeof text);
        int mine = open(path, O_RDWR);
        if (mine < 0 || dup2(mine, fd) != fd || close(mine) != 0 ||
            fz_fd_mark(fd, &program->files[program->n].mark) != 0)
            return false;
        program->files[program->n++].fd = fd;
    }
    return program->n > 0;
}

/* Each is open, is what it was, holds what it held, and is not locked. */
static bool is_untouched(const struct program *program)
{
    for (unsigned i = 0; i < program->n; i++) {
        char found[sizeof text + 1];
        const char *path = program->files[i].path;
        if (!fz_fd_is_marked(program->files[i].fd, &program->files[i].mark))
            return false;
        if (scratch_read(path, found, sizeof found) != sizeof text || memcmp(found, text, sizeof text) != 0)
            return false;
        int fd = open(path, O_RDWR);
        bool is_free = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
        close(fd);
        if (!is_free)
            return false;
    }
    return true;
}

/* ---- generators over a clock that is told --------------------------------------- */

/* When the program takes the descriptors over. */
enum moment { WHILE_IT_RUNS, BEFORE_A_FORK, IN_A_CHILD };

struct course {
    const char *worker;
    const char *keeper;
    enum moment moment;
    int64_t start_ms; /* above all ids of the courses before */
};

/* Goes on over several grants. */
static bool goes_on(frazil *gen, frazil_manual_clock *clock, bool hook, uint64_t *last)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        frazil_error why = {.code = FRAZIL_OK};
        uint64_t next_ns;
        uint64_t id;
        frazil_manual_clock_advance(clock, round_ns);
        frazil_err err = hook ? frazil_keep(gen, FRAZIL_WAIT_FOREVER, &next_ns, &why) : FRAZIL_OK;
        if (err == FRAZIL_OK)
            err = frazil_next(gen, &id);
        if (err != FRAZIL_OK || id <= *last) {
            err = frazil_take(gen, &id, 1, FRAZIL_WAIT_DEFAULT, &why);
            fprintf(stderr, "round %u: %s: %s\n", i, frazil_strerror(err), why.message);
            return false;
        }
        *last = id;
    }
    return true;
}

/* The rest of a course in a child; its end is that of the process. */
static void live_as_child(frazil *gen, frazil_manual_clock *clock, const struct course *course,
                          const bool was_open[FDS_MAX], struct program *program, uint64_t last)
{
    bool is_well = course->moment != IN_A_CHILD || take_over(program, was_open);

    is_well = is_well && goes_on(gen, clock, strcmp(course->keeper, "hook") == 0, &last) && is_untouched(program);
    frazil_close(gen);
    _exit(is_well && is_untouched(program) ? 0 : 1);
}

static bool run(const struct course *course)
{
    static struct program program;
    bool was_open[FDS_MAX];
    char spec[600];
    frazil_manual_clock *clock;
    frazil_error why;
    uint64_t last = 0;
    frazil *gen;
    int status = 0;

    if (frazil_manual_clock_open(&clock, course->start_ms, 0, NULL) != FRAZIL_OK)
        return false;
    const frazil_clock port = port_of(clock);
    const struct ports ports = {.clock = &port};
    snprintf(spec, sizeof spec, "worker=%s keeper=%s state=file run_dir='%s' state_dir='%s'", course->worker,
             course->keeper, scratch_path(scratch, "run"), scratch_path(scratch, "state"));
    for (int fd = 0; fd < FDS_MAX; fd++)
        was_open[fd] = is_open(fd);
    if (ports_open(&gen, spec, &ports, &why) != FRAZIL_OK) {
        fprintf(stderr, "%s\n", why.message);
        return false;
    }
    bool is_well = frazil_next(gen, &last) == FRAZIL_OK;
    if (course->moment != IN_A_CHILD)
        is_well = is_well && take_over(&program, was_open);
    if (course->moment != WHILE_IT_RUNS) {
        pid_t pid = fork();
        if (pid == 0)
            live_as_child(gen, clock, course, was_open, &program, last);
        is_well = waitpid(pid, &status, 0) == pid && status == 0 && is_well;
        frazil_manual_clock_advance(clock, ROUNDS * round_ns); /* as the child's, and the word with it */
    }
    is_well = is_well && goes_on(gen, clock, strcmp(course->keeper, "hook") == 0, &last) && is_untouched(&program);
    frazil_close(gen);
    is_well = is_well && is_untouched(&program);
    frazil_manual_clock_close(clock);
    return is_well;
}

TEST("With each keeper, at each moment")
{
    static const char *const workers[] = {"fixed:3", "file-lock"};
    static const char *const keepers[] = {"thread", "hook", "inline"};
    int status;

    for (unsigned i = 0; i < 18; i++) {
        const struct course course = {.worker = workers[i % 2],
                                      .keeper = keepers[i / 2 % 3],
                                      .moment = (enum moment)(i / 6),
                                      .start_ms = 1800000000000 + 1000000 * (int64_t)i};
        pid_t pid = fork(); /* so that each course begins with the same descriptors */
        assert_true(pid >= 0);
        if (pid == 0)
            _exit(run(&course) ? 0 : 1);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (status != 0)
            fail_msg("worker=%s keeper=%s, moment %d: status %d", course.worker, course.keeper, (int)course.moment,
                     status);
    }
}

/* ---- the keeper's thread ------------------------------------------------------------ */

/* Where the grant of worker 3 lies. */
static const char *grant_file(void)
{
    return scratch_path(scratch, "state/orders/worker-3.grant");
}

/* Over the real clock the thread works alone: it is seen in the grant file. */
static int thread_goes_on(void)
{
    static struct program program;
    static unsigned char before[8192];
    static unsigned char after[8192];
    bool was_open[FDS_MAX];
    char spec[600];
    frazil_error why;
    frazil *gen;

    snprintf(spec, sizeof spec, "worker=fixed:3 namespace=orders state=file run_dir='%s' state_dir='%s'",
             scratch_path(scratch, "run"), scratch_path(scratch, "state"));
    for (int fd = 0; fd < FDS_MAX; fd++)
        was_open[fd] = is_open(fd);
    if (frazil_open(&gen, spec, &why) != FRAZIL_OK) {
        fprintf(stderr, "%s\n", why.message);
        return BAD;
    }
    bool is_well = take_over(&program, was_open);
    size_t len = scratch_read(grant_file(), before, sizeof before);
    bool has_written = false;
    for (uint64_t end_ns = patience_end_ns(); !has_written && !patience_is_over(end_ns);) {
        pause_shortly();
        has_written = scratch_read(grant_file(), after, sizeof after) == len && memcmp(before, after, len) != 0;
    }
    is_well = is_well && has_written && is_untouched(&program);
    frazil_close(gen);
    return is_well && is_untouched(&program) ? GOOD : BAD;
}

TEST("Over the real clock the keeper's thread goes on alone")
{
    assert_int_equal(bound_run(thread_goes_on), GOOD);
}

/* ---- a program without standard output ------------------------------------------------ */

/* Descriptors 0 to 2 are closed: what is printed goes into no file of a generator's. */
static int prints_into_nothing(void)
{
    char spec[600];
    frazil_error why;
    frazil *gen;

    snprintf(spec, sizeof spec, "worker=file-lock state=file run_dir='%s' state_dir='%s'", scratch_path(scratch, "run"),
             scratch_path(scratch, "state"));
    for (int fd = 0; fd <= 2; fd++)
        close(fd);
    if (frazil_open(&gen, spec, &why) != FRAZIL_OK)
        return BAD;
    bool is_well = !is_open(0) && !is_open(1) && !is_open(2);
    frazil_close(gen);
    return is_well ? GOOD : BAD;
}

TEST("In a program without descriptors 0 to 2, what is printed goes into no file of a generator's")
{
    assert_int_equal(bound_run(prints_into_nothing), GOOD);
}
