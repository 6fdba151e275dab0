/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: two users of one host never make the same id, though their run and state directories are their
 * own.  A number of file-lock is free on the whole host, and a number that is given is refused while another user has
 * it.  The users are children of root.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frazil.h"
#include "lib/bound.h"
#include "lib/idset.h"
#include "lib/ports.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "lib/users.h"

enum {
    ALICE = 12345,
    BOB = 65534,
    IDS = 100000,
};

static const char *scratch;

static void make_home_of(const char *name, uid_t uid)
{
    const char *path = scratch_path(scratch, name);

    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(chown(path, uid, uid), 0);
}

BEFORE_ALL
{
    unsetenv("FRAZIL_STATE");
    (void)signal(SIGPIPE, SIG_IGN);
    test_need(geteuid() == 0);
}

BEFORE_EACH
{
    scratch = scratch_make();
    assert_int_equal(chmod(scratch, 0755), 0);
    make_home_of("12345", ALICE);
    make_home_of("65534", BOB);
}

AFTER_EACH
{
    scratch_remove(scratch);
}

/* ---- users ------------------------------------------------------------------ */

/* A namespace of this test's own: others run at the same time. */
static const char *namespace_of(const char *beginning)
{
    static char name[64];

    snprintf(name, sizeof name, "%s-%s", beginning, strrchr(scratch, '-') + 1);
    return name;
}

/* A spec for this user's directories; what settings says comes last, as the beginning of another namespace does. */
static const char *spec_of(uid_t uid, const char *settings)
{
    static char spec[1024];
    const char *other = strstr(settings, " of ");

    snprintf(spec, sizeof spec, "run_dir=%s/%u/run state_dir=%s/%u/state max_wait=60s namespace=%s %.*s", scratch,
             (unsigned)uid, scratch, (unsigned)uid, namespace_of(other == NULL ? "users" : other + 4),
             other == NULL ? (int)strlen(settings) : (int)(other - settings), settings);
    return spec;
}

/* How a user's program opened its generator, and the worker id of the first id. */
struct said {
    frazil_error why;
    uint32_t worker;
};

/* A user's program.  It lives until it is told to end. */
struct program {
    pid_t pid;
    int end; /* a byte ends the program: other programs have the pipe open, too */
    struct said said;
};

/* The work of a program between its opening and its end. */
typedef void (*deed)(frazil *gen);

static frazil *open_and_say(uid_t uid, const char *settings, int says)
{
    struct said said = {.worker = UINT32_MAX};
    frazil_fields fields;
    frazil *gen = NULL;
    uint64_t id;

    become(uid);
    said.why.code = frazil_open(&gen, spec_of(uid, settings), &said.why);
    if (said.why.code == FRAZIL_OK)
        said.why.code = frazil_take(gen, &id, 1, FRAZIL_WAIT_DEFAULT, &said.why);
    if (said.why.code == FRAZIL_OK)
        said.why.code = frazil_id_decompose(layout_of(gen), id, &fields, &said.why);
    if (said.why.code == FRAZIL_OK)
        said.worker = fields.worker;
    if (write(says, &said, sizeof said) != sizeof said)
        _exit(98);
    return said.why.code == FRAZIL_OK ? gen : NULL;
}

static void run_program(uid_t uid, const char *settings, deed act, int says, int end)
{
    char byte;
    frazil *gen = open_and_say(uid, settings, says);

    close(says);
    if (gen == NULL)
        _exit(0);
    if (act != NULL)
        act(gen);
    while (read(end, &byte, 1) < 0 && errno == EINTR) {
    }
    frazil_close(gen);
    _exit(0);
}

static struct program start_and_do(uid_t uid, const char *settings, deed act)
{
    struct program program;
    int says[2];
    int ends[2];

    assert_int_equal(pipe(says), 0);
    assert_int_equal(pipe(ends), 0);
    program.pid = bound_fork();
    assert_true(program.pid >= 0);
    if (program.pid == 0) {
        close(ends[1]);
        run_program(uid, settings, act, says[1], ends[0]);
    }
    close(says[1]);
    close(ends[0]);
    assert_int_equal(read(says[0], &program.said, sizeof program.said), sizeof program.said);
    close(says[0]);
    program.end = ends[1];
    return program;
}

static struct program start(uid_t uid, const char *settings)
{
    return start_and_do(uid, settings, NULL);
}

static void finish(struct program program)
{
    int status;

    (void)!write(program.end, "", 1); /* one that was refused has ended */
    close(program.end);
    assert_int_equal(waitpid(program.pid, &status, 0), program.pid);
    assert_int_equal(status, 0);
}

static void kill_program(struct program program)
{
    close(program.end);
    assert_int_equal(kill(program.pid, SIGKILL), 0);
    assert_int_equal(waitpid(program.pid, NULL, 0), program.pid);
}

static void assert_open(struct program program, uint32_t worker)
{
    if (program.said.why.code != FRAZIL_OK)
        fail_msg("%s", program.said.why.message);
    assert_int_equal(program.said.worker, worker);
}

static void assert_refused(struct program program, frazil_err code, const char *part)
{
    if (program.said.why.code != code || strstr(program.said.why.message, part) == NULL)
        fail_msg("%d: %s", program.said.why.code, program.said.why.message);
    finish(program);
}

/* ---- numbers that are given ---------------------------------------------------- */

TEST("A number that is given is refused to a second user while the first one has it, in whatever way that one ends")
{
    struct program alice = start(ALICE, "worker=fixed:7");
    assert_open(alice, 7);
    assert_refused(start(BOB, "worker=fixed:7"), FRAZIL_EWORKER,
                   "worker id 7 is in use on this host by uid 12345 with the run directory");
    struct program other = start(BOB, "worker=fixed:8");
    assert_open(other, 8);
    finish(other);
    finish(alice);

    struct program bob = start(BOB, "worker=fixed:7");
    assert_open(bob, 7);
    assert_refused(start(ALICE, "worker=fixed:7"), FRAZIL_EWORKER, "in use on this host by uid 65534");
    kill_program(bob);
    alice = start(ALICE, "worker=fixed:7");
    assert_open(alice, 7);
    finish(alice);
}

TEST("Processes of one user share the number, and it is theirs until the last of them has ended")
{
    struct program first = start(ALICE, "worker=fixed:7");
    struct program second = start(ALICE, "worker=fixed:7");

    assert_open(first, 7);
    assert_open(second, 7);
    kill_program(first);
    assert_refused(start(BOB, "worker=fixed:7"), FRAZIL_EWORKER, "uid 12345");
    finish(second);
    struct program bob = start(BOB, "worker=fixed:7");
    assert_open(bob, 7);
    finish(bob);
}

static int child_ends[2];

static void leave_to_child(frazil *gen)
{
    char byte;
    pid_t child = fork();

    if (child < 0)
        _exit(97);
    if (child == 0) {
        close(child_ends[1]);
        while (read(child_ends[0], &byte, 1) < 0 && errno == EINTR) {
        }
        frazil_close(gen);
        _exit(0);
    }
    frazil_close(gen);
    _exit(0);
}

TEST("A child has the number for as long as it lives, though its parent has closed the generator and ended")
{
    assert_int_equal(pipe(child_ends), 0);
    struct program alice = start_and_do(ALICE, "worker=fixed:7", leave_to_child);
    assert_open(alice, 7);
    assert_int_equal(waitpid(alice.pid, NULL, 0), alice.pid);
    close(child_ends[0]);
    close(alice.end);
    assert_refused(start(BOB, "worker=fixed:7"), FRAZIL_EWORKER, "uid 12345");
    close(child_ends[1]);
    /* The child is nobody's here who could wait for it. */
    struct program bob = start(BOB, "worker=fixed:7");
    while (bob.said.why.code == FRAZIL_EWORKER) {
        finish(bob);
        bob = start(BOB, "worker=fixed:7");
    }
    assert_open(bob, 7);
    finish(bob);
}

static void close_all_descriptors(frazil *gen)
{
    static const char byte = 1;

    (void)gen;
    for (int fd = 3; fd < 256; fd++)
        close(fd);
    if (write(STDOUT_FILENO, &byte, 1) != 1)
        _exit(96);
    for (;;)
        pause();
}

TEST("A program that closes all descriptors, as daemons do, keeps its number")
{
    int out[2];
    char byte;
    int saved = dup(STDOUT_FILENO);

    assert_int_equal(pipe(out), 0);
    assert_int_equal(dup2(out[1], STDOUT_FILENO), STDOUT_FILENO);
    struct program alice = start_and_do(ALICE, "worker=fixed:7", close_all_descriptors);
    assert_int_equal(read(out[0], &byte, 1), 1);
    assert_int_equal(dup2(saved, STDOUT_FILENO), STDOUT_FILENO);
    close(saved);
    close(out[0]);
    close(out[1]);
    assert_open(alice, 7);
    assert_refused(start(BOB, "worker=fixed:7"), FRAZIL_EWORKER, "uid 12345");
    kill_program(alice);
}

TEST("Other layouts are apart, as one namespace is each user's own")
{
    struct program alice = start(ALICE, "worker=fixed:7");
    struct program bob = start(BOB, "worker=fixed:7 layout=twitter");

    assert_open(alice, 7);
    assert_open(bob, 7);
    finish(alice);
    finish(bob);
}

TEST("Disjoint sequence numbers and other namespaces are apart; overlapping sequence numbers are not")
{
    static const char *const apart[][2] = {
        {"worker=fixed:7 seq_max=99", "worker=fixed:7 seq_min=100"},
        {"worker=fixed:7 of alice", "worker=fixed:7 of bob"},
    };

    for (size_t i = 0; i < sizeof apart / sizeof apart[0]; i++) {
        struct program alice = start(ALICE, apart[i][0]);
        struct program bob = start(BOB, apart[i][1]);
        assert_open(alice, 7);
        assert_open(bob, 7);
        finish(alice);
        finish(bob);
    }
    struct program alice = start(ALICE, "worker=fixed:7 seq_max=100");
    assert_open(alice, 7);
    assert_refused(start(BOB, "worker=fixed:7 seq_min=100"), FRAZIL_EWORKER, "uid 12345");
    assert_refused(start(BOB, "worker=fixed:7"), FRAZIL_EWORKER, "uid 12345");
    finish(alice);
}

/* ---- file-lock --------------------------------------------------------------------- */

TEST("file-lock gives each process of the host a number of its own, whoever asks, and says who has them all")
{
    struct program programs[4];

    for (uint32_t i = 0; i < 4; i++) {
        programs[i] = start(i % 2 == 0 ? ALICE : BOB, "worker=file-lock count=4");
        assert_open(programs[i], i);
    }
    assert_refused(start(BOB, "worker=file-lock count=4 open_wait=0s"), FRAZIL_EPOOL,
                   "2 of them by other users or run directories: worker id 2 is in use on this host by uid 12345");
    assert_refused(start(BOB, "worker=fixed:0"), FRAZIL_EWORKER, "uid 12345");
    kill_program(programs[2]);
    programs[2] = start(BOB, "worker=file-lock count=4");
    assert_open(programs[2], 2);
    for (size_t i = 0; i < 4; i++)
        finish(programs[i]);
}

TEST("Not even with other sequence numbers does file-lock give a number to two users")
{
    struct program alice = start(ALICE, "worker=file-lock seq_max=99");
    struct program bob = start(BOB, "worker=file-lock seq_min=100");

    assert_open(alice, 0);
    assert_open(bob, 1);
    finish(alice);
    finish(bob);
}

/* ---- one user with two run directories ------------------------------------------------- */

TEST("One user with two pairs of directories is refused, and told how to have one number: which works")
{
    char other[1024];
    frazil_error why;
    frazil *gens[3];
    char first[1024];

    snprintf(first, sizeof first, "worker=fixed:7 state=file run_dir=%s/a state_dir=%s/b", scratch, scratch);
    snprintf(other, sizeof other, "worker=fixed:7 state=file run_dir=%s/c state_dir=%s/d", scratch, scratch);
    assert_int_equal(frazil_open(&gens[0], first, &why), FRAZIL_OK);
    assert_int_equal(frazil_open(&gens[1], other, &why), FRAZIL_EWORKER);
    char said[1024];
    snprintf(said, sizeof said, "the run directory '%s/a': give both the same run_dir= and state_dir=", scratch);
    assert_non_null(strstr(why.message, said));
    assert_int_equal(frazil_open(&gens[1], "worker=fixed:7 state=memory", &why), FRAZIL_EWORKER);
    snprintf(other, sizeof other, "worker=file-lock base=7 state=file run_dir=%s/c state_dir=%s/d", scratch, scratch);
    assert_int_equal(frazil_open(&gens[1], other, &why), FRAZIL_OK);
    assert_int_equal(frazil_open(&gens[2], first, &why), FRAZIL_OK);
    for (size_t i = 0; i < 3; i++)
        frazil_close(gens[i]);
}

TEST("State in memory: a second generator of the number is refused, here and elsewhere, until the first one is closed")
{
    static const char *const apart[] = {"worker=fixed:8", "worker=fixed:7 of other", "worker=fixed:7 layout=twitter",
                                        "worker=fixed:7 clock=frozen:2026-01-01T00:00:00Z"};
    char same[1024];
    frazil_error why;
    frazil *gen;
    frazil *other;

    setenv("FRAZIL_STATE", "memory", 1);
    snprintf(same, sizeof same, "%s", spec_of(0, "worker=fixed:7"));
    assert_int_equal(frazil_open(&gen, same, &why), FRAZIL_OK);
    assert_int_equal(frazil_open(&other, same, &why), FRAZIL_EWORKER);
    assert_non_null(strstr(why.message, "state=file"));
    assert_refused(start(ALICE, "worker=fixed:7"), FRAZIL_EWORKER, "uid 0 (root) with state=memory");
    assert_refused(start(ALICE, "worker=fixed:7 state=file"), FRAZIL_EWORKER, "uid 0 (root) with state=memory");
    for (size_t i = 0; i < sizeof apart / sizeof apart[0]; i++) {
        if (frazil_open(&other, spec_of(0, apart[i]), &why) != FRAZIL_OK)
            fail_msg("%s", why.message);
        frazil_close(other);
    }
    frazil_close(gen);
    struct program alice = start(ALICE, "worker=fixed:7");
    assert_open(alice, 7);
    finish(alice);
    unsetenv("FRAZIL_STATE");
}

TEST("A child of a generator in memory has the number, though its parent has closed it")
{
    int end[2];
    char byte;
    int status;
    frazil *gen;
    frazil *other;

    assert_int_equal(pipe(end), 0);
    assert_int_equal(frazil_open(&gen, "worker=fixed:7 state=memory", NULL), FRAZIL_OK);
    pid_t pid = bound_fork();
    if (pid == 0) {
        close(end[1]);
        _exit(read(end[0], &byte, 1) == 0 ? 0 : 1);
    }
    frazil_close(gen);
    assert_int_equal(frazil_open(&other, "worker=fixed:7 state=memory", NULL), FRAZIL_EWORKER);
    close(end[0]);
    close(end[1]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(frazil_open(&other, "worker=fixed:7 state=memory", NULL), FRAZIL_OK);
    frazil_close(other);
}

TEST("Without a host directory a number is refused, with the key that cures it; state in memory goes on unless one is "
     "named")
{
    frazil_error why;
    frazil *gen;
    char spec[1024];

    setenv("FRAZIL_HOST_DIR", "/proc/none/here", 1);
    snprintf(spec, sizeof spec, "worker=fixed:7 state=file run_dir=%s/a state_dir=%s/b", scratch, scratch);
    assert_int_equal(frazil_open(&gen, spec, &why), FRAZIL_ESYS);
    assert_non_null(strstr(why.message, "host_dir="));
    assert_int_equal(frazil_open(&gen, "worker=fixed:7 state=memory", &why), FRAZIL_ESYS);
    snprintf(strchr(spec, '\0'), 256, " host_dir=%s/host", scratch);
    assert_int_equal(frazil_open(&gen, spec, &why), FRAZIL_OK);
    frazil_close(gen);
}

/* ---- ids ------------------------------------------------------------------------------ */

/* Opens, and takes ids in itself and in a child that it forks. */
static void take_ids_as(uid_t uid, const char *settings, struct idset *sets)
{
    frazil_error why;
    frazil *gen;
    uint64_t id;

    become(uid);
    if (frazil_open(&gen, spec_of(uid, settings), &why) != FRAZIL_OK)
        _exit(why.code == FRAZIL_EWORKER ? 0 : 95);
    pid_t child = bound_fork();
    for (int i = 0; i < IDS; i++) {
        if (frazil_take(gen, &id, 1, FRAZIL_WAIT_DEFAULT, &why) != FRAZIL_OK)
            _exit(94);
        idset_add(&sets[child == 0], id);
    }
    if (child != 0 && waitpid(child, NULL, 0) != child)
        _exit(93);
    frazil_close(gen);
    _exit(0);
}

static void assert_ids_unique(const char *settings, size_t least)
{
    enum { PROCESSES = 4 };
    struct idset *sets = idsets_open(2 * PROCESSES, IDS);
    pid_t pids[PROCESSES];
    int status;

    for (size_t i = 0; i < PROCESSES; i++) {
        pids[i] = bound_fork();
        if (pids[i] == 0)
            take_ids_as(i % 2 == 0 ? ALICE : BOB, settings, &sets[2 * i]);
    }
    for (size_t i = 0; i < PROCESSES; i++) {
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
    }
    assert_true(idsets_count(sets, 2 * PROCESSES) >= least);
    idsets_assert_unique_and_increasing(sets, 2 * PROCESSES);
    idsets_close(sets, 2 * PROCESSES);
}

TEST("Hundreds of thousands of ids of two users, with a fork in between: none is a duplicate")
{
    assert_ids_unique("worker=file-lock", 8 * IDS);
    assert_ids_unique("worker=fixed:7", 0); /* at once: either user may be refused, and both */
}

/* ---- one user after the other ------------------------------------------------------------- */

/* Ticks of a second, so that one user begins in the tick in which another one has ended. */
static void take_turn(uid_t uid, struct idset *set, size_t count, bool is_killed)
{
    frazil_error why;
    frazil *gen;
    uint64_t id;

    become(uid);
    if (frazil_open(&gen, spec_of(uid, "worker=fixed:7 layout='31/10/22 epoch=2026-01-01 tick=1s'"), &why) != FRAZIL_OK)
        _exit(92);
    while (count-- > 0) {
        if (frazil_take(gen, &id, 1, FRAZIL_WAIT_DEFAULT, &why) != FRAZIL_OK)
            _exit(91);
        idset_add(set, id);
    }
    if (is_killed)
        (void)kill(getpid(), SIGKILL);
    frazil_close(gen);
    _exit(0);
}

TEST("Users who have the number in turns, some of them killed, never make the same id, also within one tick")
{
    enum { TURNS = 6, EACH = 5000 };
    struct idset *sets = idsets_open(TURNS, EACH);
    int status;

    for (size_t i = 0; i < TURNS; i++) {
        pid_t pid = bound_fork();
        assert_true(pid >= 0);
        if (pid == 0)
            take_turn(i % 2 == 0 ? ALICE : BOB, &sets[i], EACH, i == 2);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, i == 2 ? SIGKILL : 0);
    }
    idsets_assert_unique_and_increasing(sets, TURNS);
    assert_int_equal(idsets_count(sets, TURNS), TURNS * EACH);
    idsets_close(sets, TURNS);
}
