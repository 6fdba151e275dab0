/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: what is etcd's own: its users, a cluster of several members, and
 * sockets that frazil itself opens.
 */
#include <sys/socket.h>
#include <unistd.h>

#include "lib/etcd_server.h"
#include "lib/patience.h"
#include "lib/proxy.h"
#include "lib/test.h"

/* ---- users ---------------------------------------------------------------------- */

/* joe may read and write what belongs to the namespace orders, and nothing else. */
static void enable_users(const struct server *server)
{
    static const char *const commands[] = {
        "user add root:r00t",  "user grant-role root root",
        "role add orders",     "role grant-permission orders readwrite frazil/lease/orders/ --prefix=true",
        "user add joe:s3cret", "user grant-role joe orders",
        "auth enable"};

    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        etcd_server_must(server, commands[i]);
}

BEFORE_ALL
{
    test_need(etcd_server_installed());
}

TEST("A client without a user, password or permission is refused and told so; no sentence has the password")
{
    struct server server;
    struct fz_record record;
    uint64_t version;

    etcd_server_start(&server, NULL);
    enable_users(&server);
    unsigned port = server.port;
    struct fz_register nobody = etcd_open_url("etcd://127.0.0.1:%u/orders", port);
    assert_int_equal(register_swap(&nobody, 0, 0, "x", &version), FZ_REGISTER_REFUSED);
    register_assert_said("has users, and the URL names none");
    struct fz_register wrong = etcd_open_url("etcd://joe:wr0ng@127.0.0.1:%u/orders?timeout=60s", port);
    assert_int_equal(register_swap(&wrong, 0, 0, "x", &version), FZ_REGISTER_REFUSED);
    register_assert_said("invalid user ID or password");
    assert_null(strstr(register_said.message, "wr0ng"));
    struct fz_register elsewhere = etcd_open_url("etcd://joe:s3cret@127.0.0.1:%u/bills?timeout=60s", port);
    assert_int_equal(register_swap(&elsewhere, 0, 0, "x", &version), FZ_REGISTER_REFUSED);
    register_assert_said("permission denied");
    assert_int_equal(register_read(&elsewhere, 0, &record), FZ_REGISTER_REFUSED);
    struct fz_register right = etcd_open_url("etcd://joe:s3cret@127.0.0.1:%u/orders?timeout=60s", port);
    version = register_must_swap(&right, 0, 0, "first");
    assert_int_equal(register_must_read(&right, 0).version, version);
    register_close(&nobody);
    register_close(&wrong);
    register_close(&elsewhere);
    register_close(&right);
    server_stop(&server);
}

TEST("A token that is no longer accepted is renewed, and what was asked with it is not in doubt")
{
    struct server server;

    etcd_server_start(&server, NULL);
    struct fz_register reg = etcd_open_url("etcd://joe:s3cret@127.0.0.1:%u/orders?timeout=60s", (unsigned)server.port);
    uint64_t version = register_must_swap(&reg, 0, 0, "no users yet");
    enable_users(&server);
    version = register_must_swap(&reg, 0, version, "users since then");
    server_kill(&server);
    etcd_server_restart(&server, NULL); /* it forgets its tokens */
    version = register_must_swap(&reg, 0, version, "logged in again");
    etcd_server_must(&server, "--user root:r00t auth disable");
    register_must_swap(&reg, 0, version, "no users any more");
    register_close(&reg);
    server_stop(&server);
}

TEST("Without an answer to the password nothing that matters was asked: nothing is in doubt")
{
    struct server server;
    uint64_t version;

    etcd_server_start(&server, NULL);
    enable_users(&server);
    struct proxy *proxy = proxy_start(server.port);
    struct fz_register reg =
        etcd_open_url("etcd://joe:s3cret@127.0.0.1:%u/orders?timeout=200ms", (unsigned)proxy->port);
    proxy_set(proxy, PROXY_HOLD_REPLIES);
    assert_int_equal(register_swap(&reg, 0, 0, "x", &version), FZ_REGISTER_UNREACHABLE);
    register_assert_said("did not answer within ");
    register_close(&reg);
    proxy_stop(proxy);
    server_stop(&server);
}

TEST("The environment's proxies are for browsers: a coordinator is asked directly")
{
    struct server server;
    char proxy[64];

    etcd_server_start(&server, NULL);
    snprintf(proxy, sizeof proxy, "http://127.0.0.1:%u", (unsigned)free_port());
    assert_int_equal(setenv("http_proxy", proxy, 1), 0);
    assert_int_equal(setenv("all_proxy", proxy, 1), 0);
    struct fz_register reg = etcd_open_url("etcd://127.0.0.1:%u/orders?timeout=60s", (unsigned)server.port);
    register_must_swap(&reg, 0, 0, "directly");
    assert_int_equal(unsetenv("http_proxy"), 0);
    assert_int_equal(unsetenv("all_proxy"), 0);
    register_close(&reg);
    server_stop(&server);
}

/* ---- several members ---------------------------------------------------------------- */

TEST("A member that cannot be reached is passed over at once, for writing, too")
{
    struct server server;

    etcd_server_start(&server, NULL);
    struct fz_register reg = etcd_open_url("etcd://127.0.0.1:%u,127.0.0.1:%u/orders?timeout=60s", (unsigned)free_port(),
                                           (unsigned)server.port);
    uint64_t version = register_must_swap(&reg, 0, 0, "first");
    assert_int_equal(register_must_read(&reg, 0).version, version);
    register_close(&reg);
    server_stop(&server);
    reg = etcd_open_url("etcd://127.0.0.1:%u/orders?timeout=60s", (unsigned)free_port());
    assert_int_equal(register_swap(&reg, 0, 0, "x", &version), FZ_REGISTER_UNREACHABLE);
    register_assert_said("cannot connect: Failed to connect to 127.0.0.1 port");
    register_close(&reg);
}

TEST("One that hangs leaves a write in doubt; it is not asked a second time elsewhere, and the next one is asked next")
{
    struct server server;
    uint64_t version;

    etcd_server_start(&server, NULL);
    struct proxy *proxy = proxy_start(server.port);
    struct fz_register reg = etcd_open_url("etcd://127.0.0.1:%u,127.0.0.1:%u/orders?timeout=6s", (unsigned)proxy->port,
                                           (unsigned)server.port);
    proxy_set(proxy, PROXY_LOSE_REPLIES);
    assert_int_equal(register_swap(&reg, 0, 0, "in doubt", &version), FZ_REGISTER_UNKNOWN);
    register_assert_said("did not answer within ");
    (void)register_must_swap(&reg, 1, 0, "asked of the next one");
    struct fz_record record = {.version = 0};
    AWAIT(register_read(&reg, 0, &record) == FZ_REGISTER_OK && record.version != 0, "what was in doubt is not done");
    assert_memory_equal(record.data, "in doubt", 8);
    register_close(&reg);

    /* A question that changes nothing is asked elsewhere. */
    reg = etcd_open_url("etcd://127.0.0.1:%u,127.0.0.1:%u/orders?timeout=6s", (unsigned)proxy->port,
                        (unsigned)server.port);
    assert_int_equal(register_must_read(&reg, 0).version, record.version);
    register_close(&reg);
    proxy_stop(proxy);
    server_stop(&server);
}

enum { MEMBERS = 3 };

struct cluster {
    struct server members[MEMBERS];
    uint16_t peers[MEMBERS];
    char all[256];
};

static void launch_member(struct cluster *cluster, size_t i)
{
    char name[8];
    char peer[64];
    const char *const arguments[] = {
        "--name",     name, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster",
        cluster->all, NULL};

    snprintf(name, sizeof name, "m%zu", i);
    snprintf(peer, sizeof peer, "http://127.0.0.1:%u", (unsigned)cluster->peers[i]);
    etcd_server_launch(&cluster->members[i], arguments);
}

static void start_cluster(struct cluster *cluster)
{
    size_t len = 0;

    for (size_t i = 0; i < MEMBERS; i++) {
        server_prepare(&cluster->members[i], "etcd");
        cluster->peers[i] = free_port();
        len += (size_t)snprintf(cluster->all + len, sizeof cluster->all - len, "%sm%zu=http://127.0.0.1:%u",
                                i == 0 ? "" : ",", i, (unsigned)cluster->peers[i]);
    }
    for (size_t i = 0; i < MEMBERS; i++)
        launch_member(cluster, i);
}

static struct fz_register open_cluster(const struct cluster *cluster)
{
    return etcd_open_url("etcd://127.0.0.1:%u,127.0.0.1:%u,127.0.0.1:%u/orders?timeout=3s",
                         (unsigned)cluster->members[0].port, (unsigned)cluster->members[1].port,
                         (unsigned)cluster->members[2].port);
}

/* A swap that succeeds in the end; one that was in doubt counts as soon as it is found there. */
static uint64_t swap_in_the_end(const struct fz_register *reg, uint64_t expected, const char *text)
{
    uint64_t version = 0;

    for (uint64_t end_ns = patience_end_ns(); !patience_is_over(end_ns); pause_shortly()) {
        struct fz_record record = {.version = 0};
        if (register_swap(reg, 0, expected, text, &version) == FZ_REGISTER_OK)
            return version;
        if (register_read(reg, 0, &record) == FZ_REGISTER_OK && record.version > expected) {
            assert_int_equal(record.len, strlen(text));
            assert_memory_equal(record.data, text, record.len);
            return record.version;
        }
    }
    fail_msg("%s", register_said.message);
    return 0;
}

TEST("The cluster goes on while any one of its members is down, with what it has acknowledged; without most of them "
     "nothing is acknowledged")
{
    struct cluster cluster = {.all = ""};
    struct fz_record record;
    uint64_t version = 0;
    uint64_t untouched = 4711;

    start_cluster(&cluster);
    struct fz_register reg = open_cluster(&cluster);
    version = swap_in_the_end(&reg, 0, "all of them");
    for (size_t i = 0; i < MEMBERS; i++) {
        server_kill(&cluster.members[i]);
        version = swap_in_the_end(&reg, version, "two of them");
        launch_member(&cluster, i);
        version = swap_in_the_end(&reg, version, "all of them");
    }
    AWAIT(register_read(&reg, 0, &record) == FZ_REGISTER_OK, "%s", register_said.message);
    server_kill(&cluster.members[0]);
    server_kill(&cluster.members[1]);
    assert_int_not_equal(register_swap(&reg, 0, version, "one of them", &untouched), FZ_REGISTER_OK);
    assert_int_not_equal(register_read(&reg, 0, &record), FZ_REGISTER_OK);
    assert_int_equal(untouched, 4711);
    register_close(&reg);
    for (size_t i = 0; i < MEMBERS; i++)
        server_stop(&cluster.members[i]);
}

/* ---- connections ------------------------------------------------------------------ */

TEST("A program that has closed its standard input does not get the connection in its place")
{
    struct server server;
    struct fz_record record;
    struct sockaddr_storage peer = {.ss_family = AF_UNSPEC};
    socklen_t len = sizeof peer;

    etcd_server_start(&server, NULL);
    int input = dup(STDIN_FILENO);
    close(STDIN_FILENO);
    struct fz_register reg = etcd_open_url("etcd://127.0.0.1:%u/orders?timeout=60s", (unsigned)server.port);
    assert_int_equal(reg.read(reg.ctx, FZ_DEADLINE_NONE, FZ_NAMESPACE, &record, NULL, NULL), FZ_REGISTER_OK);
    (void)getpeername(STDIN_FILENO, (struct sockaddr *)&peer, &len);
    assert_int_not_equal(peer.ss_family, AF_INET);
    reg.close(reg.ctx);
    if (input >= 0)
        dup2(input, STDIN_FILENO);
    close(input);
    server_stop(&server);
}
