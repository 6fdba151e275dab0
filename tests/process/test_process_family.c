/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a process that leaves a process count is told whether it is the last,
 * whatever the others do with their descriptors and however they end.  So a leased
 * worker id is not given back while another process still uses it (I1, I5).
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frazil.h"
#include "frazil/coordinators.h"
#include "lease/coordinator.h"
#include "lib/new_namespace.h"
#include "lib/ports.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "os/process_family.h"

enum { FDS_MAX = 64 };

/* The work of a child before it waits for its end. */
enum deed { KEEPS_ALL, CLOSES_ALL_DESCRIPTORS, EXECUTES };

struct child {
    pid_t pid;
    int end_fd; /* it ends when this is closed */
};

static void close_all_but(int kept)
{
    for (int fd = 0; fd < FDS_MAX; fd++) {
        if (fd != kept)
            close(fd);
    }
}

/* A child that has done its deed and lives on. */
static struct child start_child(enum deed deed)
{
    int end[2];
    int ready[2];
    char byte;

    assert_int_equal(pipe(end), 0);
    assert_int_equal(pipe(ready), 0);
    struct child child = {.pid = fork(), .end_fd = end[1]};
    assert_true(child.pid >= 0);
    if (child.pid == 0) {
        close(end[1]);
        if (deed == CLOSES_ALL_DESCRIPTORS)
            close_all_but(end[0]);
        fcntl(ready[1], F_SETFD, FD_CLOEXEC);
        if (deed == EXECUTES && dup2(end[0], 0) == 0)
            execl("/bin/sh", "sh", "-c", "read line", (char *)NULL);
        close(ready[1]);
        _exit(read(end[0], &byte, 1) == 0 ? 0 : 1);
    }
    close(end[0]);
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 0);
    close(ready[0]);
    return child;
}

static void end_child(const struct child *child)
{
    close(child->end_fd);
    assert_int_equal(waitpid(child->pid, NULL, 0), child->pid);
}

static struct fz_process_family counted(void)
{
    struct fz_process_family processes;

    assert_int_equal(fz_process_family_open(&processes), 0);
    return processes;
}

TEST("Alone is the last, and nothing stays open")
{
    unsigned fds = scratch_open_fds();

    struct fz_process_family processes = counted();
    assert_true(fz_process_family_leave(&processes));
    assert_int_equal(scratch_open_fds(), fds);
}

TEST("It has no number of a standard stream that is closed, to which programs print")
{
    int saved[] = {dup(STDIN_FILENO), dup(STDOUT_FILENO)};
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    struct fz_process_family processes;
    int err = fz_process_family_open(&processes);
    bool first_is_closed = fcntl(STDIN_FILENO, F_GETFD) < 0, second_is_closed = fcntl(STDOUT_FILENO, F_GETFD) < 0;
    dup2(saved[0], STDIN_FILENO);
    dup2(saved[1], STDOUT_FILENO);
    close(saved[0]);
    close(saved[1]);
    assert_int_equal(err, 0);
    assert_true(first_is_closed);
    assert_true(second_is_closed);
    assert_true(fz_process_family_leave(&processes));
}

TEST("A child counts from its birth to its end, also if it is killed")
{
    struct fz_process_family processes = counted();
    struct child child = start_child(KEEPS_ALL);
    assert_false(fz_process_family_leave(&processes));
    end_child(&child);

    processes = counted();
    child = start_child(KEEPS_ALL);
    assert_int_equal(kill(child.pid, SIGKILL), 0);
    end_child(&child);
    assert_true(fz_process_family_leave(&processes));
}

TEST("A child that has closed all descriptors, as a daemon does, still has what it inherited: it counts")
{
    struct fz_process_family processes = counted();
    struct child child = start_child(CLOSES_ALL_DESCRIPTORS);
    assert_false(fz_process_family_leave(&processes));
    end_child(&child);
}

TEST("One that executes another program has left")
{
    struct fz_process_family processes = counted();
    struct child child = start_child(EXECUTES);
    assert_true(fz_process_family_leave(&processes));
    end_child(&child);
}

TEST("A process that closed its descriptors does not know, and closes none of others with the same number")
{
    struct fz_process_family processes = counted();
    int held = processes.held.fd;
    int probe = processes.probe.fd;
    int other = open("/dev/null", O_RDONLY);
    assert_int_equal(dup2(other, held), held);
    assert_int_equal(dup2(other, probe), probe);
    assert_false(fz_process_family_leave(&processes));
    assert_int_equal(fcntl(held, F_GETFD), 0);
    assert_int_equal(fcntl(probe, F_GETFD), 0);
    close(held);
    close(probe);
    close(other);
}

/* ---- a leased worker id ---------------------------------------------------------- */

static void note_if_held(void *ctx, const struct fz_lease_entry *entry)
{
    bool *is_held = ctx;

    *is_held = entry->readable && !entry->record.released;
}

static bool is_held(const char *url)
{
    struct fz_namespace_record record;
    frazil_error err;
    bool held = false;

    if (frazil_coordinator_file()->list(frazil_coordinator_file(), url, note_if_held, &held, &record, &err) !=
        FRAZIL_OK)
        fail_msg("%s", err.message);
    return held;
}

/* Takes an id without any descriptor, says so, and closes when the parent does not wait any more. */
static void live_as_daemon(frazil *gen, int ready_fd, int end_fd)
{
    uint64_t id;
    char byte = 0;

    for (int fd = 0; fd < FDS_MAX; fd++) {
        if (fd != ready_fd && fd != end_fd)
            close(fd);
    }
    bool good = frazil_next(gen, &id) == FRAZIL_OK && write(ready_fd, &byte, 1) == 1;
    good = read(end_fd, &byte, 1) == 0 && good;
    frazil_close(gen);
    _exit(good ? 0 : 1);
}

TEST("The parent closes its generator; the child that has closed all descriptors keeps the worker id")
{
    static const frazil_coordinator *coordinators[2];
    const struct ports ports = {.coordinators = coordinators};
    const char *dir = scratch_make();
    frazil_error err;
    char url[256];
    char spec[512];
    frazil *gen;
    int ready[2];
    int end[2];
    int status;
    char byte;

    coordinators[0] = frazil_coordinator_file();
    snprintf(url, sizeof url, "file://%s", dir);
    snprintf(spec, sizeof spec, "worker='%s'", url);
    new_namespace(frazil_coordinator_file(), url, "frazil", 1, 60000);
    if (ports_open(&gen, spec, &ports, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(end), 0);
    pid_t pid = fork();
    if (pid == 0)
        live_as_daemon(gen, ready[1], end[0]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    frazil_close(gen);
    assert_true(is_held(url));
    for (unsigned i = 0; i < 2; i++) {
        close(ready[i]);
        close(end[i]);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    scratch_remove(dir);
}
