/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: what is ZooKeeper's own about a register over it: sessions
 * that expire or are inherited, permissions, servers that are dead or silent, nodes
 * of somebody else, and a client library that keeps quiet.
 */
#define _DEFAULT_SOURCE /* random */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "coordinators/zookeeper/zookeeper_connection.h"
#include "frazil/coordinators.h"
#include "lib/findings.h"
#include "lib/proxy.h"
#include "lib/test.h"
#include "lib/zookeeper_server.h"

static const char *const settings[] = {"4lw.commands.whitelist=*", NULL};
static const char *const short_sessions[] = {"maxSessionTimeout=5000", "4lw.commands.whitelist=*", NULL};

static struct server server;

BEFORE_ALL
{
    test_need(zookeeper_server_installed());
    zookeeper_server_start(&server, settings);
}

AFTER_ALL
{
    server_stop(&server);
}

/* ---- shorthands ----------------------------------------------------------------- */

/* A register of namespace "orders" below this path, as this user ("NAME:PASSWORD@" or nothing). */
static struct fz_register open_as(const char *user, const char *path)
{
    return zookeeper_open_url("zookeeper://%s127.0.0.1:%u/orders?timeout=60s&path=%s", user, (unsigned)server.port,
                              path);
}

static enum fz_register_result read_first(const struct fz_register *reg)
{
    struct fz_record record;

    return register_read(reg, 0, &record);
}

/* ---- sessions ------------------------------------------------------------------- */

/* The child: swaps, says so, and does it again when it is told to.  Exits with 0 if both were done. */
static void swap_twice(int told, int tell)
{
    struct fz_register reg = open_as("", "/expiry");
    uint64_t version = 0;
    char byte;

    if (register_swap(&reg, 0, 0, "x", &version) != FZ_REGISTER_OK || write(tell, "x", 1) != 1 ||
        read(told, &byte, 1) != 1)
        _exit(1);
    enum fz_register_result result = register_swap(&reg, 0, version, "x", &version);
    register_close(&reg);
    _exit(result == FZ_REGISTER_OK ? 0 : 2);
}

TEST("A client that was stopped for longer than its session goes on as if nothing had been: with another one, before "
     "it sends "
     "anything")
{
    int to_child[2];
    int from_child[2];
    char byte;
    int status;

    server_wipe(&server); /* with the sessions of tests that failed */
    zookeeper_server_restart(&server, short_sessions);
    assert_int_equal(pipe(to_child), 0);
    assert_int_equal(pipe(from_child), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        swap_twice(to_child[0], from_child[1]);
    close(to_child[0]);
    close(from_child[1]); /* or nobody would hear that the child has died */
    assert_int_equal(read(from_child[0], &byte, 1), 1);
    kill(child, SIGSTOP);
    zookeeper_server_await(&server, "mntr", "zk_global_sessions\t0\n");
    assert_int_equal(write(to_child[1], "x", 1), 1);
    kill(child, SIGCONT);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(to_child[1]);
    close(from_child[0]);
}

TEST("A register that is closed leaves no session behind; while it is used it keeps its own")
{
    struct fz_register reg = open_as("", "/closed");

    zookeeper_server_await(&server, "mntr", "zk_global_sessions\t0\n");
    uint64_t version = register_must_swap(&reg, 0, 0, "x");
    for (int i = 0; i < 20; i++)
        version = register_must_swap(&reg, 0, version, "x");
    assert_non_null(strstr(zookeeper_server_ask(&server, "mntr"), "zk_global_sessions\t1\n"));
    register_close(&reg);
    assert_non_null(strstr(zookeeper_server_ask(&server, "mntr"), "zk_global_sessions\t0\n"));
}

/* The session id in the answer to "cons". */
static void session_of(char ret[64])
{
    const char *sid = strstr(zookeeper_server_ask(&server, "cons"), "sid=0x");

    assert_non_null(sid);
    snprintf(ret, 64, "%.*s", (int)strcspn(sid, ","), sid);
}

TEST("A child that drops what it inherited, works on its own, and ends, does not end its parent's session")
{
    struct fz_register reg = open_as("", "/inherited");
    char before[64];
    char after[64];
    int status;

    zookeeper_server_await(&server, "mntr", "zk_global_sessions\t0\n");
    uint64_t version = register_must_swap(&reg, 0, 0, "x");
    session_of(before);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        reg.after_fork(reg.ctx);
        enum fz_register_result result = register_swap(&reg, 0, version, "x", &version);
        register_close(&reg);
        _exit(result == FZ_REGISTER_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(register_swap(&reg, 0, version, "x", &version), FZ_REGISTER_CONFLICT);
    session_of(after);
    assert_string_equal(after, before);
    register_close(&reg);
}

/* ---- permissions ---------------------------------------------------------------- */

TEST("The node of a user belongs to that user: others neither read nor write it, nor does the same name with another "
     "password")
{
    static const char *const others[] = {"", "joe:s3cret2@", "jane:s3cret@"};
    struct fz_register joe = open_as("joe:s3cret@", "/mine");
    uint64_t version = register_must_swap(&joe, 0, 0, "x");

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        struct fz_register other = open_as(others[i], "/mine");
        uint64_t untouched = 4711;
        assert_int_equal(read_first(&other), FZ_REGISTER_REFUSED);
        register_assert_said("the permissions of '/mine/orders/0', or of the node above it, do not allow this");
        assert_int_equal(register_swap(&other, 0, version, "x", &untouched), FZ_REGISTER_REFUSED);
        assert_int_equal(other.read_all(other.ctx, FZ_DEADLINE_NONE, register_ignore, NULL, NULL, &register_said),
                         FZ_REGISTER_REFUSED);
        register_assert_said("do not allow this");
        struct fz_register beside = zookeeper_open_url("zookeeper://%s127.0.0.1:%u/beside?timeout=60s&path=/mine",
                                                       others[i], (unsigned)server.port);
        assert_int_equal(register_swap(&beside, 0, 0, "x", &untouched), FZ_REGISTER_REFUSED);
        assert_int_equal(untouched, 4711);
        register_close(&beside);
        register_close(&other);
    }
    struct fz_register again = open_as("joe:s3cret@", "/mine");
    register_must_swap(&again, 0, version, "x");
    register_close(&again);
    register_close(&joe);
}

TEST("Only the namespace's own node has to be created: those above it may be anybody's, if they are there")
{
    struct fz_register first = open_as("joe:s3cret@", "/above/of");
    struct fz_register second =
        zookeeper_open_url("zookeeper://joe:s3cret@127.0.0.1:%u/second?timeout=60s&path=/above", (unsigned)server.port);
    struct fz_register third =
        zookeeper_open_url("zookeeper://127.0.0.1:%u/orders?timeout=60s&path=/elsewhere", (unsigned)server.port);
    uint64_t version = 0;

    register_must_swap(&first, 0, 0, "x");
    zookeeper_server_put(&server, "/", NULL, &ZOO_READ_ACL_UNSAFE);
    register_must_swap(&second, 0, 0, "x");
    assert_int_equal(register_swap(&third, 0, 0, "x", &version), FZ_REGISTER_REFUSED);
    register_assert_said("do not allow this");
    register_close(&first);
    register_close(&second);
    register_close(&third);
    /* The others need it as it was. */
    server_wipe(&server);
    zookeeper_server_restart(&server, settings);
}

/* ---- several servers -------------------------------------------------------------- */

TEST("Servers that are dead, or do not exist, or are silent, are passed over for one that answers; and remembered")
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    int silent = socket(AF_INET, SOCK_STREAM, 0);

    assert_true(silent >= 0);
    assert_int_equal(bind(silent, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(silent, 50), 0);
    assert_int_equal(getsockname(silent, (struct sockaddr *)&address, &len), 0);
    for (int i = 0; i < 8; i++) {
        struct fz_register dead =
            zookeeper_open_url("zookeeper://127.0.0.1:%u,nowhere.invalid,127.0.0.1:%u/orders?timeout=60s&path=/several",
                               (unsigned)free_port(), (unsigned)server.port);
        if (read_first(&dead) != FZ_REGISTER_OK)
            fail_msg("%s", register_said.message);
        register_close(&dead);
    }
    struct fz_register slow =
        zookeeper_open_url("zookeeper://127.0.0.1:%u,127.0.0.1:%u/orders?timeout=8s&path=/several",
                           (unsigned)ntohs(address.sin_port), (unsigned)server.port);
    for (int i = 0; i < 4; i++) {
        if (read_first(&slow) != FZ_REGISTER_OK)
            fail_msg("%s", register_said.message);
    }
    register_close(&slow);
    close(silent);
}

TEST("When none answers, the sentence names all of them and what was wrong with the last one")
{
    struct fz_register reg = zookeeper_open_url("zookeeper://127.0.0.1:1,127.0.0.1:1/orders");

    assert_int_equal(read_first(&reg), FZ_REGISTER_UNREACHABLE);
    register_assert_said("zookeeper://127.0.0.1:1,127.0.0.1:1/frazil/orders: 127.0.0.1:1: cannot connect: Connection "
                         "refused");
    register_close(&reg);
    reg = zookeeper_open_url("zookeeper://nowhere.invalid/orders");
    assert_int_equal(read_first(&reg), FZ_REGISTER_UNREACHABLE);
    register_assert_said("host 'nowhere.invalid': ");
    register_close(&reg);
}

TEST("The sentence tells who hangs up, as servers without a quorum do, from who says nothing")
{
    struct proxy *proxy = proxy_start(server.port);
    struct fz_register reg = zookeeper_open_url("zookeeper://127.0.0.1:%u/orders?timeout=60s", (unsigned)proxy->port);
    proxy_set(proxy, PROXY_CUT_REPLIES);
    assert_int_equal(read_first(&reg), FZ_REGISTER_UNREACHABLE);
    register_assert_said("cannot connect: the server closed the connection");
    register_close(&reg);
    reg = zookeeper_open_url("zookeeper://127.0.0.1:%u/orders?timeout=300ms", (unsigned)proxy->port);
    proxy_set(proxy, PROXY_HOLD_REPLIES);
    assert_int_equal(read_first(&reg), FZ_REGISTER_UNREACHABLE);
    register_assert_said("cannot connect within 300 ms");
    register_close(&reg);
    proxy_stop(proxy);
}

/* ---- nodes of somebody else ------------------------------------------------------- */

TEST("A foreign node is refused, or shown as damaged, and never overwritten")
{
    struct fz_register reg = open_as("", "/foreign");
    uint64_t versions[4] = {0};
    uint64_t version = 0;

    assert_int_equal(
        reg.swap(reg.ctx, FZ_DEADLINE_NONE, &(struct fz_swap){1, 0, "x", 1}, &version, NULL, &register_said),
        FZ_REGISTER_OK);
    zookeeper_server_put(&server, "/foreign/orders/0", "foreign", &ZOO_OPEN_ACL_UNSAFE);
    zookeeper_server_put(&server, "/foreign/orders/2", "", &ZOO_OPEN_ACL_UNSAFE);
    assert_int_equal(read_first(&reg), FZ_REGISTER_REFUSED);
    register_assert_said("node '/foreign/orders/0' was not written by frazil");
    uint64_t untouched = 4711;
    assert_int_equal(register_swap(&reg, 0, 0, "x", &untouched), FZ_REGISTER_CONFLICT);
    assert_int_equal(register_swap(&reg, 0, 1, "x", &untouched), FZ_REGISTER_CONFLICT);
    assert_int_equal(untouched, 4711);
    assert_int_equal(reg.read_all(reg.ctx, FZ_DEADLINE_NONE, register_note_versions, versions, NULL, &register_said),
                     FZ_REGISTER_OK);
    assert_int_equal(versions[0], 1);
    assert_true(versions[1] == version);
    assert_int_equal(versions[2], 1);
    assert_int_equal(versions[3], 0);
    zookeeper_server_put(&server, "/foreign/orders/worker", "7 x", &ZOO_OPEN_ACL_UNSAFE);
    assert_int_equal(reg.read_all(reg.ctx, FZ_DEADLINE_NONE, register_note_versions, versions, NULL, &register_said),
                     FZ_REGISTER_REFUSED);
    register_assert_said("node 'worker' was not written by frazil");
    register_close(&reg);
}

TEST("A namespace without the node below it is being deleted, and is refused: its records may be gone already")
{
    static const char step[] = "namespace 'orders' is being deleted: let deleteall /fallen/orders end, or run it again";
    struct fz_register reg = open_as("", "/leaves");
    struct fz_record record;

    register_prepare(&reg);
    uint64_t version = register_must_swap(&reg, FZ_NAMESPACE, 0, "the namespace");
    register_assert_record(&reg, FZ_NAMESPACE, version, "the namespace");
    register_close(&reg);

    reg = open_as("", "/fallen");
    register_prepare(&reg);
    zookeeper_server_put(&server, "/fallen/orders/namespace", "7 the namespace", &ZOO_OPEN_ACL_UNSAFE);
    assert_int_equal(register_read(&reg, FZ_NAMESPACE, &record), FZ_REGISTER_REFUSED);
    assert_int_equal(register_said.code, FRAZIL_ENAMESPACE);
    register_assert_said(step);
    assert_int_equal(register_init(&reg, &register_said), FRAZIL_ENAMESPACE);
    register_assert_said(step);
    assert_found(findings_at(frazil_coordinator_zookeeper(), "zookeeper://127.0.0.1:%u/orders?timeout=60s&path=/fallen",
                             (unsigned)server.port),
                 "FAIL the coordinator refuses: ");
    register_close(&reg);
}

enum { MANY = 1300 };

static void count_one(void *ctx, uint32_t number, const struct fz_record *record)
{
    unsigned char *seen = ctx;

    assert_true(number < MANY);
    assert_int_not_equal(record->version, 1);
    seen[number]++;
}

TEST("More records than are asked for at once: each is shown, once")
{
    struct fz_register reg = open_as("", "/many");
    unsigned char seen[MANY] = {0};
    uint64_t version;

    for (uint32_t i = 0; i < MANY; i++)
        assert_int_equal(
            reg.swap(reg.ctx, FZ_DEADLINE_NONE, &(struct fz_swap){i, 0, "x", 1}, &version, NULL, &register_said),
            FZ_REGISTER_OK);
    assert_int_equal(reg.read_all(reg.ctx, FZ_DEADLINE_NONE, count_one, seen, NULL, &register_said), FZ_REGISTER_OK);
    for (size_t i = 0; i < MANY; i++)
        assert_int_equal(seen[i], 1);
    register_close(&reg);
}

/* ---- the client library ------------------------------------------------------------- */

TEST("Nothing is ever written to standard error, and the program's random numbers are left alone")
{
    char path[] = "/tmp/frazil-stderr-XXXXXX";
    int file = mkstemp(path);
    int kept = dup(STDERR_FILENO);
    long (*const next)(void) = random; /* a program's own: nothing here depends on it */

    assert_true(file >= 0 && kept >= 0);
    srandom(7);
    long wanted = next();
    srandom(7);
    assert_int_equal(dup2(file, STDERR_FILENO), STDERR_FILENO);
    struct fz_register reg = open_as("joe:s3cret@", "/quiet");
    struct fz_register dead = zookeeper_open_url("zookeeper://127.0.0.1:1,nowhere.invalid/orders");
    zoo_set_debug_level(ZOO_LOG_LEVEL_DEBUG); /* as a program may for its own sessions */
    enum fz_register_result result = read_first(&reg);
    enum fz_register_result of_dead = read_first(&dead);
    register_close(&reg);
    register_close(&dead);
    zoo_set_debug_level((ZooLogLevel)0);
    assert_int_equal(dup2(kept, STDERR_FILENO), STDERR_FILENO);
    assert_int_equal(result, FZ_REGISTER_OK);
    assert_int_equal(of_dead, FZ_REGISTER_UNREACHABLE);
    assert_int_equal(lseek(file, 0, SEEK_END), 0);
    assert_int_equal(next(), wanted);
    close(kept);
    close(file);
    unlink(path);
}
