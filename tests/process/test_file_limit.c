/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: where the process's limit on the size of files is too small for a file of the library, that is an
 * error with a next step.  It does not end the program by SIGXFSZ, and the program's own signals stay as they were.
 * Where the limit on open files is too small, nobody has to wait afterwards for what was not opened.
 */
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frazil/generator.h"
#include "lib/scratch.h"
#include "lib/test.h"

/* Exit statuses of a child. */
enum { AS_EXPECTED, OPENED, OTHER_ERROR, SIGNAL_CHANGED };

EACH_IN_SCRATCH

static const char *spec_of(const char *worker)
{
    static char spec[1024];

    snprintf(spec, sizeof spec, "layout=twitter state=file keeper=inline run_dir=%s/run state_dir=%s/state worker=%s",
             scratch, scratch, worker);
    return spec;
}

static void limit_files(rlim_t bytes)
{
    const struct rlimit limit = {.rlim_cur = bytes, .rlim_max = bytes};

    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        abort();
}

/* Opens, and takes an id; both in the limit. */
static int try(const char *spec)
{
    frazil *gen = NULL;
    frazil_error err;
    uint64_t id;

    frazil_err result = frazil_open(&gen, spec, &err);
    if (result == FRAZIL_OK)
        result = frazil_take(gen, &id, 1, FRAZIL_WAIT_DEFAULT, &err);
    if (result == FRAZIL_OK)
        return OPENED;
    if (strstr(err.message, "ulimit -f") != NULL)
        return AS_EXPECTED;
    fprintf(stderr, "%s\n", err.message);
    return OTHER_ERROR;
}

static bool is_in(const sigset_t *set)
{
    return sigismember(set, SIGXFSZ) == 1;
}

/* In a child.  The program has SIGXFSZ pending, or it has never heard of it. */
static int try_in_limit(const char *spec, bool has_one_pending)
{
    sigset_t set, pending, blocked;

    limit_files(4);
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    if (has_one_pending) {
        sigprocmask(SIG_BLOCK, &set, NULL);
        raise(SIGXFSZ);
    }
    int status = try(spec);
    sigpending(&pending);
    sigprocmask(SIG_SETMASK, NULL, &blocked);
    if (is_in(&pending) != has_one_pending || is_in(&blocked) != has_one_pending)
        return SIGNAL_CHANGED;
    return status;
}

static void must_fail_in_limit(const char *spec)
{
    for (int has_one_pending = 0; has_one_pending <= 1; has_one_pending++) {
        int status;
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            _exit(try_in_limit(spec, has_one_pending != 0));
        assert_int_equal(waitpid(child, &status, 0), child);
        if (WIFSIGNALED(status))
            fail_msg("signal %d ended it: %s", WTERMSIG(status), spec);
        assert_int_equal(WEXITSTATUS(status), AS_EXPECTED);
    }
}

TEST("The word of a worker id is the first file that is made; of a number by lock, the lock file says the process "
     "before")
{
    must_fail_in_limit(spec_of("fixed:7"));
    must_fail_in_limit(spec_of("file-lock"));
}

TEST("A grant is written where there is a word already")
{
    const char *spec = spec_of("fixed:7");
    frazil *gen = NULL;

    assert_int_equal(frazil_open(&gen, spec, NULL), FRAZIL_OK);
    frazil_close(gen);
    must_fail_in_limit(spec); /* the same files are written again */
    scratch_delete(scratch_path(scratch, "state"));
    must_fail_in_limit(spec);
}

/* In a child that may have so many descriptors. */
static int try_with_descriptors(const char *spec, rlim_t count)
{
    const struct rlimit limit = {.rlim_cur = count, .rlim_max = count};
    frazil *gen = NULL;
    frazil_error err;

    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        abort();
    if (frazil_open(&gen, spec, &err) == FRAZIL_OK)
        return OPENED;
    if (strstr(err.message, "(ulimit -n)") != NULL)
        return AS_EXPECTED;
    fprintf(stderr, "%s\n", err.message);
    return OTHER_ERROR;
}

TEST("An opening that fails for want of descriptors says so, and after it the next one gives ids at once")
{
    int status = AS_EXPECTED, refusals = 0;
    uint64_t id;

    for (rlim_t count = 3; status == AS_EXPECTED; count++) {
        const char *spec = spec_of("fixed:7 max_wait=100ms");
        frazil *gen = NULL;
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            _exit(try_with_descriptors(spec, count));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        status = WEXITSTATUS(status);
        if (status == OPENED)
            break;
        refusals++;
        assert_int_equal(frazil_open(&gen, spec, NULL), FRAZIL_OK);
        assert_int_equal(frazil_take(gen, &id, 1, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
        frazil_close(gen);
        scratch_delete(scratch_path(scratch, "run"));
        scratch_delete(scratch_path(scratch, "state"));
    }
    assert_true(refusals >= 3);
}
