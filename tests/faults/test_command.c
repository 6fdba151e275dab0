/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: each call that the command makes of the system and of libc
 * fails once, and then from there on.  It ends by itself with one of the exit
 * statuses that are promised, with a sentence unless it has done its work.
 * It has given back all memory, mappings and descriptors by then.  A second
 * try without a fault succeeds, and a signal that comes in is no failure.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faults/calls.h"
#include "lib/patience.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "os/this_process.h"

/* The command's main, which is called something else here. */
int frazil_command_main(int argc, char **argv);

enum { WORDS_MAX = 12, TEXT_MAX = 8192, STATUS_USAGE = 2, STATUS_MAX = 4 };

/* Longer than a grant file reaches ahead. */
#define RESERVED_NS UINT64_C(12000000000)

#define FILES "run_dir=@/run", "state_dir=@/state", "namespace=orders", "layout=frazil"
#define LEASE "worker=file://@/leases", "layout=frazil", "max_wait=1s", "open_wait=1s"

/* A command line; @ stands for the test's folder. */
struct line {
    const char *name;
    const char *word[WORDS_MAX];
};

struct usage {
    struct line before[3]; /* run before, without a fault */
    struct line line;
    bool says_the_same; /* as long as it succeeds: as many lines as without a fault */
    bool only_once;     /* a second time it is refused, if the first one was carried out */
};

static const char *folder;

/* The traces of the process that runs the command. */
static struct left {
    struct calls calls;
    bool ended; /* main has returned */
    long blocks;
    long maps;
    int fds;
} * left;

/* Its outcome. */
struct outcome {
    int status;
    unsigned lines;      /* on standard output */
    char said[TEXT_MAX]; /* on standard error */
};

/* ---- running a command ------------------------------------------------------------- */

static char *with_folder(const char *word)
{
    char text[1024];
    const char *at = strchr(word, '@');

    if (at == NULL)
        snprintf(text, sizeof text, "%s", word);
    else
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - word), word, folder, at + 1);
    return strdup(text);
}

static void turn(int fd, const char *name)
{
    int file = open(scratch_path(folder, name), O_WRONLY | O_CREAT | O_TRUNC, S_IRUSR | S_IWUSR);

    if (file < 0 || dup2(file, fd) != fd)
        _exit(125);
    close(file);
}

static void run_here(const struct line *line, unsigned fails_at, bool for_good, int error)
{
    char *argv[WORDS_MAX + 2] = {with_folder("frazil")};
    int argc = 1;

    turn(STDOUT_FILENO, "out");
    turn(STDERR_FILENO, "err");
    (void)alarm(PATIENCE_S); /* for what would never end */
    for (; line->word[argc - 1] != NULL; argc++)
        argv[argc] = with_folder(line->word[argc - 1]);
    long blocks = calls_blocks();
    long maps = calls_maps();
    unsigned fds = scratch_open_fds();
    calls_arm(fails_at, for_good, error);
    int status = frazil_command_main(argc, argv);
    calls_disarm();
    *left = (struct left){.calls = calls,
                          .ended = true,
                          .blocks = calls_blocks() - blocks,
                          .maps = calls_maps() - maps,
                          .fds = (int)scratch_open_fds() - (int)fds};
    (void)fflush(NULL);
    _exit(status);
}

/* Says which command it was, and with which fault. */
static void fail_of(const struct line *line, unsigned fails_at, bool for_good, int error, const char *what,
                    const struct outcome *outcome)
{
    const struct calls *made = &left->calls;

    fail_msg("%s, call %u (%s), errno %d, %s: %s; status %d, '%s'", line->name, fails_at,
             made->strikes == 0 ? "none" : call_name(made->struck), error, for_good ? "for good" : "once", what,
             outcome->status, outcome->said);
}

static struct outcome run(const struct line *line, unsigned fails_at, bool for_good, int error)
{
    static char text[TEXT_MAX];
    struct outcome outcome = {.status = 0};
    int status;

    left->ended = false;
    pid_t pid = fork();
    if (pid == 0)
        run_here(line, fails_at, for_good, error);
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    outcome.said[scratch_read(scratch_path(folder, "err"), outcome.said, TEXT_MAX - 1)] = '\0';
    size_t len = scratch_read(scratch_path(folder, "out"), text, sizeof text);
    for (size_t i = 0; i < len; i++)
        outcome.lines += text[i] == '\n';
    if (!left->ended || !WIFEXITED(status))
        fail_of(line, fails_at, for_good, error, "it did not come to its end", &outcome);
    outcome.status = WEXITSTATUS(status);
    if (left->blocks != 0 || left->maps != 0 || left->fds != 0)
        fail_of(line, fails_at, for_good, error, "it has left something", &outcome);
    return outcome;
}

static void run_ok(const struct line *line)
{
    struct outcome outcome = run(line, 0, false, 0);

    if (outcome.status != 0)
        fail_of(line, 0, false, 0, "it fails without a fault", &outcome);
}

/* ---- letting it fail ------------------------------------------------------------------- */

static void begin(const struct usage *usage)
{
    folder = scratch_make();
    for (size_t i = 0; i < sizeof usage->before / sizeof usage->before[0] && usage->before[i].name != NULL; i++)
        run_ok(&usage->before[i]);
}

/* Whether it failed. */
static bool fail_once(const struct usage *usage, const struct outcome *clean, unsigned at, bool for_good, int error)
{
    begin(usage);
    struct outcome outcome = run(&usage->line, at, for_good, error);
    bool failed = outcome.status != clean->status;

    if (outcome.status > STATUS_MAX)
        fail_of(&usage->line, at, for_good, error, "no such status is promised", &outcome);
    if (failed && outcome.said[0] == '\0' && outcome.lines == 0)
        fail_of(&usage->line, at, for_good, error, "it does not say why", &outcome);
    if (failed && error == EINTR)
        fail_of(&usage->line, at, for_good, error, "a signal came in", &outcome);
    if (!failed && usage->says_the_same && outcome.lines != clean->lines)
        fail_of(&usage->line, at, for_good, error, "something is missing", &outcome);
    calls_pass(RESERVED_NS); /* ticks that could not be given back */
    struct outcome again = run(&usage->line, 0, false, 0);
    if (again.status != clean->status && !(usage->only_once && again.status == STATUS_USAGE))
        fail_of(&usage->line, at, for_good, error, "without the fault it fails now", &again);
    scratch_remove(folder);
    return failed;
}

static enum call which[CALLS_MAX];

/* Each how many-th call fails: TEST_EVERY says so where a sample is enough. */
static unsigned sample_step(void)
{
    const char *every = getenv("TEST_EVERY");
    char *end;

    if (every == NULL)
        return 1;
    unsigned long step = strtoul(every, &end, 10);
    assert_true(*end == '\0' && step > 0 && step < CALLS_MAX);
    return (unsigned)step;
}

static void try(const struct usage *usage, unsigned calls_at_least)
{
    unsigned runs = 0;
    unsigned failures = 0;

    left = mmap(NULL, sizeof *left, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(left != MAP_FAILED);
    begin(usage);
    const struct outcome clean = run(&usage->line, 0, false, 0);
    unsigned made = left->calls.made;
    memcpy(which, left->calls.which, sizeof which);
    scratch_remove(folder);
    assert_true(made < CALLS_MAX);
    unsigned step = sample_step();
    for (unsigned at = 1; at <= made; at += step) {
        for (const int *error = call_errors(which[at - 1]); *error != 0; error++) {
            failures += fail_once(usage, &clean, at, false, *error);
            runs++;
            if (*error != EINTR) {
                failures += fail_once(usage, &clean, at, true, *error);
                runs++;
            }
        }
    }
    munmap(left, sizeof *left);
    print_message("%-40s %3u calls, %4u faults, of which %4u came out\n", usage->line.name, made, runs, failures);
    assert_true(made >= calls_at_least);
    assert_true(failures > 0);
}

BEFORE_ALL
{
    unsetenv("FRAZIL_STATE");
    scratch_prefer_memory();
    assert_int_not_equal(fz_this_process(), 0); /* the page of its mark is kept, and nothing of any one call */
}

/* ---- commands -------------------------------------------------------------------------------- */

TEST("frazil next survives the failure of each call")
{
    static const struct usage given = {
        .line = {"next, a number that is given", {"next", "-n", "3", "worker=fixed:7", FILES}}, .says_the_same = true};
    static const struct usage free_one = {.line = {"next, a free number", {"next", "-n", "3", FILES}},
                                          .says_the_same = true};

    try(&given, 80);
    try(&free_one, 80);
}

#define FOUND                                                                                                          \
    {                                                                                                                  \
        "lease init",                                                                                                  \
        {                                                                                                              \
            "lease", "init", "--never-used", LEASE                                                                     \
        }                                                                                                              \
    }
#define USED                                                                                                           \
    {                                                                                                                  \
        "next, a lease",                                                                                               \
        {                                                                                                              \
            "next", "-n", "3", LEASE                                                                                   \
        }                                                                                                              \
    }

TEST("frazil lease init and list, and frazil next with a lease, survive the failure of each call")
{
    static const struct usage init = {.line = FOUND, .only_once = true};
    static const struct usage next = {.before = {FOUND}, .line = USED, .says_the_same = true};
    static const struct usage list = {
        .before = {FOUND, USED}, .line = {"lease list", {"lease", "list", LEASE}}, .says_the_same = true};

    try(&init, 20);
    try(&next, 60);
    try(&list, 20);
}

#define KEPT                                                                                                           \
    {                                                                                                                  \
        "next",                                                                                                        \
        {                                                                                                              \
            "next", "worker=fixed:7", FILES                                                                            \
        }                                                                                                              \
    }

TEST("frazil state and frazil state init survive the failure of each call")
{
    static const struct usage show = {
        .before = {KEPT}, .line = {"state", {"state", "worker=fixed:7", FILES}}, .says_the_same = true};
    static const struct usage init = {.before = {KEPT},
                                      .line = {"state init", {"state", "init", "worker=fixed:7", FILES}}};

    try(&show, 20);
    try(&init, 20);
}

TEST("frazil doctor survives the failure of each call, over files and over a lease")
{
    static const struct usage files = {.before = {KEPT}, .line = {"doctor", {"doctor", "worker=fixed:7", FILES}}};
    static const struct usage lease = {.before = {FOUND}, .line = {"doctor, a lease", {"doctor", LEASE}}};

    try(&files, 30);
    try(&lease, 30);
}
