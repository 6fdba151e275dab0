/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a program forks while its other threads load a part, connect to a coordinator and take its worker
 * ids.  Each child opens, takes and closes, or is told that it was forked in a bad moment.  None crashes, hangs for
 * what a thread of its parent's held, or repeats an id.  Nor does a program crash that ends while its threads do so
 * over TLS.
 *
 * The program is openers.c.  It forks 1,000 times over each coordinator, and ends 60 times; 40 and 10 times where
 * TEST_EVERY wants a sample; `make nemesis` does it ten times as often.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/bound.h"
#include "lib/callers.h"
#include "lib/insider.h"
#include "lib/nemesis.h"
#include "lib/new_namespace.h"
#include "lib/patience.h"
#include "lib/ports.h"
#include "lib/proxy.h"
#include "lib/register_kinds.h"
#include "lib/register_rig.h"
#include "lib/test.h"
#include "os/clients.h"

#ifdef FRAZIL_HAVE_ETCD
#include "lib/etcd_server.h"
#endif
#ifdef FRAZIL_HAVE_MYSQL
#include "lib/mysql_server.h"
#endif
#ifdef FRAZIL_HAVE_POSTGRESQL
#include "lib/postgresql_server.h"
#endif

/* Of 20 forks each, or of one end. */
enum { LIVES = 50, LIVES_OF_SAMPLE = 2, EXITS = 60, EXITS_OF_SAMPLE = 10 };

/* A child keeps what it inherited until it ends, so a lease is given back by its end only: there are many of them. */
static const char layout_text[] = "41/16/6 epoch=2026-01-01";

/* Runs the openers for so many lives, or a sample of them, over the coordinator at that URL.  how: NULL, or "exit". */
static void live_over(const char *url, unsigned whole, unsigned sample, const char *how)
{
    unsigned count = (getenv("TEST_EVERY") == NULL ? whole : sample) * nemesis_scale();
    char spec[600];
    char lives[16];
    int status = -1;

    snprintf(spec, sizeof spec, "layout='%s' worker=%s max_wait=120s open_wait=120s", layout_text, url);
    snprintf(lives, sizeof lives, "%u", count);
    pid_t program = bound_fork();
    assert_true(program >= 0);
    if (program == 0) {
        (void)execl(FRAZIL_OPENERS, "openers", spec, lives, how, (char *)NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(program, &status, 0), program);
    assert_int_equal(status, 0);
}

static void hold_forks(const frazil_coordinator *coordinator, const char *url)
{
    if (INSTRUMENT_SLOWDOWN != 1)
        skip(); /* a sanitizer's own locks are not made for a fork among threads */
    new_namespace(coordinator, url, layout_text, 0, 60000);
    live_over(url, LIVES, LIVES_OF_SAMPLE, NULL);
}

#if defined FRAZIL_HAVE_ETCD || defined FRAZIL_HAVE_MYSQL || defined FRAZIL_HAVE_POSTGRESQL
/* An opening whose answers do not come, in memory that processes share. */
struct late_opening {
    const frazil_coordinator *coordinators[2];
    char spec[600];
    _Atomic bool is_over;
};

static void *open_late(void *ctx)
{
    struct late_opening *late = ctx;
    const struct ports ports = {.coordinators = late->coordinators};
    frazil *gen;

    if (ports_open(&gen, late->spec, &ports, NULL) == FRAZIL_OK)
        frazil_close(gen);
    late->is_over = true;
    return NULL;
}

/* Ends with a thread that waits for the server, and one that never leaves a client library. */
_Noreturn static void end_amid_openings(struct late_opening *late, int go)
{
    struct insider insider;
    pthread_t thread;
    char byte;

    if (pthread_create(&thread, NULL, open_late, late) != 0 || read(go, &byte, 1) != 1)
        _exit(2);
    insider_start(&insider);
    exit(late->is_over ? 3 : 0);
}

/*
 * exit neither waits for ever for who is inside, nor for a request at all.  The answer to that many requests is waited
 * for in TLS's handshake; the answers before it come slowly, so that no opening is over by then.
 */
static void hold_exit(const frazil_coordinator *coordinator, const char *url, uint16_t port, unsigned requests)
{
    const char *rest = strchr(strstr(url, "127.0.0.1:") + strlen("127.0.0.1:"), '/');
    int host_len = (int)(strstr(url, "127.0.0.1:") - url);
    struct proxy *proxy = proxy_start(port);
    struct late_opening *late = mmap(NULL, sizeof *late, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status = -1;
    int go[2];

    assert_ptr_not_equal(late, MAP_FAILED);
    assert_int_equal(pipe(go), 0);
    late->coordinators[0] = coordinator;
    snprintf(late->spec, sizeof late->spec, "layout='%s' worker=%.*s127.0.0.1:%u%s open_wait=10m", layout_text,
             host_len, url, (unsigned)proxy->port, rest);
    proxy_set(proxy, PROXY_DRIBBLE);
    pid_t child = bound_fork();
    assert_true(child >= 0);
    if (child == 0)
        end_amid_openings(late, go[0]);
    proxy_await(&proxy->requests, requests);
    proxy_set(proxy, PROXY_HOLD_REPLIES);
    assert_int_equal(write(go[1], "", 1), 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_false(late->is_over);
    assert_int_equal(close(go[0]) | close(go[1]) | munmap(late, sizeof *late), 0);
    proxy_stop(proxy);
}

/* The same through TLS; and a process that ends while its threads are in there ends well, and soon. */
static void hold_forks_and_exits(const frazil_coordinator *coordinator, const char *url, uint16_t port,
                                 unsigned requests)
{
    hold_forks(coordinator, url);
    live_over(url, EXITS, EXITS_OF_SAMPLE, "exit");
    hold_exit(coordinator, url, port, requests);
}
#endif

TEST_OF_KINDS(for_each_server, "Children that are forked while others open succeed, or are told why they cannot")
{
    char url[256];

    kind->url(0, "orders", ANSWER_MS, url, sizeof url);
    hold_forks(kind->coordinator(), url);
}

/* ---- connections that were inherited ------------------------------------------------------------- */

static const char folder_url[] = "file:///nowhere/orders";

/* In the child.  The register is its parent's, and was at rest. */
static int go_on_barred(const struct register_kind *kind, struct fz_register *reg)
{
    const frazil_coordinator *const given[] = {kind->coordinator(), NULL};
    const frazil_coordinator *found;
    struct fz_record record;
    frazil_error why;
    char url[256];

    (void)alarm(PATIENCE_S);
    reg->after_fork(reg->ctx);
    if (reg->read(reg->ctx, FZ_DEADLINE_NONE, 0, &record, NULL, &why) != FZ_REGISTER_UNREACHABLE ||
        strstr(why.message, "this process was forked") == NULL)
        return 1;
    reg->close(reg->ctx);
    kind->url(0, "orders", ANSWER_MS, url, sizeof url);
    if (fz_coordinator_for("worker", url, given, &found, NULL) != FRAZIL_ESYS)
        return 2;
    /* A folder has no client library, and its part is there already. */
    return fz_coordinator_for("worker", folder_url, NULL, &found, NULL) == FRAZIL_OK ? 0 : 3;
}

TEST_OF_KINDS(for_each_server, "A child that was forked while a thread was inside asks nobody through what it "
                               "inherited, opens nothing, and leaves its parent's connection alone")
{
    struct fz_register reg = kind_open(kind, 0, 60000);
    const frazil_coordinator *found;
    struct insider insider;
    int status = -1;

    assert_int_equal(fz_coordinator_for("worker", folder_url, NULL, &found, NULL), FRAZIL_OK);
    register_prepare(&reg);
    uint64_t version = register_must_swap(&reg, 0, 0, "first");
    insider_start(&insider);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(go_on_barred(kind, &reg));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    insider_end(&insider);
    (void)register_must_swap(&reg, 0, version, "second");
    register_close(&reg);
}

TEST_OF_KINDS(for_each_server, "A part that is loaded counts together with its loader who is inside")
{
    const frazil_coordinator *loaded = NULL;
    frazil_error why;
    char url[256];

    kind->url(0, "orders", ANSWER_MS, url, sizeof url);
    if (fz_coordinator_for("worker", url, NULL, &loaded, &why) != FRAZIL_OK)
        fail_msg("%s", why.message);
    assert_ptr_not_equal(loaded, kind->coordinator()); /* which is linked to this program */
    assert_ptr_equal(loaded->share_clients(NULL), fz_clients_share(NULL));
}

/* ---- waiting for a server ------------------------------------------------------------- */

struct asking {
    const struct fz_register *reg;
    _Atomic bool is_over;
};

static void *ask(void *ctx)
{
    struct asking *asking = ctx;
    struct fz_record record;

    (void)asking->reg->read(asking->reg->ctx, FZ_DEADLINE_NONE, 0, &record, NULL, NULL);
    asking->is_over = true;
    return NULL;
}

static bool child_may_enter(void)
{
    int status = -1;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0)
        _exit(fz_clients_enter(NULL) == FRAZIL_OK ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status) == 0;
}

/* Asks in another thread, whose answer does not come, and forks once the counter shows that it has begun. */
static void fork_while_asking(struct proxy *proxy, const struct fz_register *reg, _Atomic unsigned *counter)
{
    struct asking asking = {.reg = reg};
    unsigned begun = *counter;
    pthread_t thread;

    proxy_set(proxy, PROXY_HOLD_REPLIES);
    assert_int_equal(pthread_create(&thread, NULL, ask, &asking), 0);
    proxy_await(counter, begun + 1);
    while (!child_may_enter())
        assert_false(asking.is_over);
    assert_false(asking.is_over);
    proxy_set(proxy, PROXY_PASS);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

TEST_OF_KINDS(for_each_server,
              "A child that is forked while a thread waits for a connection or an answer is not barred")
{
    struct proxy *proxy = proxy_start(kind->server->port);
    struct fz_register reg = kind_open(kind, 0, 60000);

    register_prepare(&reg);
    register_close(&reg);
    reg = kind_open(kind, proxy->port, 60000);
    fork_while_asking(proxy, &reg, &proxy->accepted);
    fork_while_asking(proxy, &reg, &proxy->requests);
    register_close(&reg);
    proxy_stop(proxy);
}

/* ---- over TLS ---------------------------------------------------------------------- */

TEST("The same over TLS to etcd, and processes that end meanwhile do not crash")
{
#ifdef FRAZIL_HAVE_ETCD
    static const char *const options[] = {"--cert-file", "ids.pem", "--key-file", "ids.key", NULL};
    struct server server;
    char url[256];

    if (!etcd_server_installed())
        skip();
    server_prepare(&server, "etcd");
    server_certify(&server);
    etcd_server_restart(&server, options);
    snprintf(url, sizeof url, "etcds://127.0.0.1:%u/orders?ca=%s/ids.pem&timeout=60s", (unsigned)server.port,
             server.folder);
    hold_forks_and_exits(frazil_coordinator_etcd(), url, server.port, 1);
    server_stop(&server);
#else
    skip();
#endif
}

TEST("The same over TLS to PostgreSQL, and processes that end meanwhile do not crash")
{
#ifdef FRAZIL_HAVE_POSTGRESQL
    static const char *const settings[] = {"fsync=off", "ssl=on", NULL};
    struct server server;
    char url[256];

    if (!postgresql_server_installed())
        skip();
    postgresql_server_start(&server, NULL);
    postgresql_server_certify(&server);
    postgresql_server_crash(&server);
    postgresql_server_restart(&server, settings);
    snprintf(url, sizeof url, "postgres://owner@127.0.0.1:%u/postgres/orders?sslmode=require&timeout=60s",
             (unsigned)server.port);
    hold_forks_and_exits(frazil_coordinator_postgresql(), url, server.port, 2); /* the first asks for TLS */
    postgresql_server_stop(&server);
#else
    skip();
#endif
}

TEST("The same over TLS to MySQL, and processes that end meanwhile do not crash")
{
#ifdef FRAZIL_HAVE_MYSQL
    struct server server;
    char url[256];

    if (!mysql_server_installed())
        skip();
    mysql_server_start_tls(&server);
    snprintf(url, sizeof url, "mysql://guarded:s3cret@127.0.0.1:%u/app/orders?ssl-ca=%s/ids.pem&timeout=60s",
             (unsigned)server.port, server.folder);
    hold_forks_and_exits(frazil_coordinator_mysql(), url, server.port, 1); /* the server speaks first */
    server_stop(&server);
#else
    skip();
#endif
}
