/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: processes come, share a word, extend its grant and are killed
 * at any instruction.  No two words are ever told of the same tick, and no files are
 * left behind that the next process cannot use.
 *
 * Each child opens the word and the grants of one worker and extends as fast as
 * it can.  It tells what it was granted through a pipe before it would use it; a
 * killed one may have been granted more than it told, which does not matter.
 * From time to time the run directory is wiped.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/bound.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "os/word_file.h"
#include "state/grant_store.h"
#include "state/store_files.h"

enum { CHILDREN = 4, KILLS = 600, RESERVE = 50 };

static const char fingerprint[] = "41/10/12 epoch=0 tick=1ms";

static const char *scratch;
static char word_path[512];
static char grant_path[512];

BEFORE_EACH
{
    scratch = scratch_make();
    snprintf(word_path, sizeof word_path, "%s/worker-7.word", scratch);
    snprintf(grant_path, sizeof grant_path, "%s/worker-7.grant", scratch);
}

AFTER_EACH
{
    scratch_remove(scratch);
}

/* A child's message: small enough for a pipe to take it at once. */
struct message {
    uint64_t nonce;
    struct fz_grant grant;
    int32_t err; /* instead of a grant */
    char why[200];
};

static void say(int fd, struct message message)
{
    if (write(fd, &message, sizeof message) != sizeof message)
        _exit(9);
}

static void complain(int fd, frazil_err err, const frazil_error *why)
{
    struct message message = {.err = err};

    snprintf(message.why, sizeof message.why, "%.199s", why->message);
    say(fd, message);
    _exit(1);
}

/* Goes up and down by a few hundred ticks: a clock that is all over the place. */
static uint64_t clock_of(uint64_t step)
{
    return 10000 + step * 7 % 601 + step / 10;
}

static void child(int fd, uint64_t step)
{
    struct fz_word_identity identity = {.fingerprint = fingerprint, .worker = 7};
    struct fz_grant_owner owner = {.fingerprint = "41/10/12 epoch=0 tick=1ms", .worker = 7};
    struct fz_word_file word;
    struct fz_granter granter;
    struct message message = {.err = FRAZIL_OK};
    frazil_error why;

    frazil_err err = fz_word_file_open(&word, word_path, &identity, 64, FZ_DEADLINE_NONE, &why);
    if (err != FRAZIL_OK)
        complain(fd, err, &why);
    message.nonce = owner.nonce = word.nonce;
    owner.place = fz_store_place(word.device, word.path);
    err = fz_grant_store_open(&granter, grant_path, &owner, RESERVE, &why);
    if (err == FRAZIL_OK) {
        do /* on a slow disk the others may hold the guard for longer than anybody waits for it */
            err = granter.acquire(granter.ctx, FZ_DEADLINE_NONE, clock_of(step), &message.grant, &why);
        while (err == FRAZIL_EAGAIN);
    }
    if (err != FRAZIL_OK)
        complain(fd, err, &why);
    for (;;) {
        atomic_fetch_add((_Atomic uint64_t *)word.payload, 1);
        say(fd, message);
        err = granter.extend(granter.ctx, FZ_DEADLINE_NONE, clock_of(++step), &message.grant, &message.grant, &why);
        if (err == FRAZIL_ELEASE) /* the run directory was wiped */
            _exit(0);
        if (err != FRAZIL_OK && err != FRAZIL_EAGAIN)
            complain(fd, err, &why);
    }
}

/* ---- the oracle ---------------------------------------------------------- */

/* The process that was told of each tick.  The clock of this test stays below. */
enum { TICKS = 1000000 };
static uint64_t owner_of[TICKS];
static unsigned long grants;

static void check(const struct message *message)
{
    if (message->err != FRAZIL_OK)
        fail_msg("%d: %s", message->err, message->why);
    grants++;
    assert_in_range(message->grant.until, message->grant.floor, TICKS - 1);
    for (uint64_t tick = message->grant.floor; tick <= message->grant.until; tick++) {
        if (owner_of[tick] != 0 && owner_of[tick] != message->nonce)
            fail_msg("tick %lu was granted to two words", (unsigned long)tick);
        owner_of[tick] = message->nonce;
    }
}

/* Reads what there is. */
static void listen_to_children(int fd, int timeout_ms)
{
    struct pollfd waiting = {.fd = fd, .events = POLLIN};
    struct message message;

    while (poll(&waiting, 1, timeout_ms) == 1 && (waiting.revents & POLLIN) != 0) {
        assert_int_equal(read(fd, &message, sizeof message), sizeof message);
        check(&message);
        timeout_ms = 0;
    }
}

TEST("No tick is granted to two words, wherever a process that opens and extends is killed")
{
    pid_t pids[CHILDREN] = {0};
    int fds[2];

    assert_int_equal(pipe(fds), 0);
    for (unsigned kill_count = 0; kill_count < KILLS; kill_count++) {
        pid_t *pid = &pids[kill_count % CHILDREN];
        if (*pid != 0) {
            kill(*pid, SIGKILL);
            assert_int_equal(waitpid(*pid, NULL, 0), *pid);
        }
        if (kill_count % 50 == 49)
            unlink(word_path);
        *pid = bound_fork();
        assert_true(*pid >= 0);
        if (*pid == 0) {
            close(fds[0]);
            child(fds[1], kill_count * 13);
        }
        /* Sometimes at once, so that a child dies while it opens; sometimes after it has said something. */
        listen_to_children(fds[0], kill_count % 3 == 0 ? 0 : 10000);
    }
    for (unsigned i = 0; i < CHILDREN; i++) {
        kill(pids[i], SIGKILL);
        assert_int_equal(waitpid(pids[i], NULL, 0), pids[i]);
    }
    close(fds[1]);
    listen_to_children(fds[0], 0);
    close(fds[0]);
    print_message("%lu grants\n", grants);
    assert_true(grants >= KILLS / 2);
}

TEST("Many that come at once make one word, and are told one grant")
{
    pid_t pids[16];
    uint64_t nonce = 0;
    int fds[2];

    assert_int_equal(pipe(fds), 0);
    for (unsigned i = 0; i < 16; i++) {
        pids[i] = bound_fork();
        assert_true(pids[i] >= 0);
        if (pids[i] == 0)
            child(fds[1], 0);
    }
    for (unsigned i = 0; i < 200; i++) {
        struct message message;
        assert_int_equal(read(fds[0], &message, sizeof message), sizeof message);
        if (message.err != FRAZIL_OK)
            fail_msg("%d: %s", message.err, message.why);
        assert_true(nonce == 0 || message.nonce == nonce);
        nonce = message.nonce;
    }
    for (unsigned i = 0; i < 16; i++) {
        kill(pids[i], SIGKILL);
        assert_int_equal(waitpid(pids[i], NULL, 0), pids[i]);
    }
    close(fds[0]);
    close(fds[1]);
}
