/* SPDX-License-Identifier: MIT */
#include <stddef.h> /* an empty unit would be none */

#ifdef FRAZIL_HAVE_ZOOKEEPER
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "coordinators/zookeeper/zookeeper_connection.h"
#include "lib/asserts.h"
#include "lib/patience.h"
#include "lib/zookeeper_server.h"

/* The client loses what it keeps of the parts of a multi when its answer names fewer of them: 80 bytes a part. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
    return "leak:zoo_amulti\n";
}

enum { SILENT_MS = 2000 }; /* then it is asked again */

#define JARS "/usr/share/java/"
#define LAUNCHER "/usr/share/zookeeper/bin/zkServer.sh"

static const char class_path[] =
    JARS "zookeeper.jar:" JARS "zookeeper-jute.jar:" JARS "slf4j-api.jar:" JARS "slf4j-nop.jar:" JARS
         "netty-all.jar:" JARS "metrics-core.jar:" JARS "snappy-java.jar";

bool zookeeper_server_installed(void)
{
    return server_installed("java") && server_installed(LAUNCHER);
}

/* The length of the answer; -1: nobody listens. */
static ssize_t ask_once(const struct server *server, const char *letters, char *ret, size_t size)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(server->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct pollfd poll_fd = {.fd = socket(AF_INET, SOCK_STREAM, 0), .events = POLLIN};
    ssize_t len = -1;

    assert_true(poll_fd.fd >= 0);
    if (connect(poll_fd.fd, (struct sockaddr *)&address, sizeof address) == 0 &&
        send(poll_fd.fd, letters, strlen(letters), MSG_NOSIGNAL) == (ssize_t)strlen(letters)) {
        len = 0;
        while ((size_t)len < size - 1 && poll(&poll_fd, 1, SILENT_MS) > 0) {
            ssize_t got = read(poll_fd.fd, ret + len, size - 1 - (size_t)len);
            if (got <= 0)
                break;
            len += got;
        }
    }
    close(poll_fd.fd);
    return len;
}

/* A server that is just starting may take a connection and never answer: it is asked again. */
const char *zookeeper_server_ask(const struct server *server, const char *letters)
{
    static char reply[16384];
    ssize_t len = 0;

    for (uint64_t end_ns = patience_end_ns(); len == 0 && !patience_is_over(end_ns); pause_shortly())
        len = ask_once(server, letters, reply, sizeof reply);
    reply[len < 0 ? 0 : len] = '\0';
    return reply;
}

void zookeeper_server_await(const struct server *server, const char *letters, const char *words)
{
    AWAIT(strstr(zookeeper_server_ask(server, letters), words) != NULL, "%s never holds: %s", letters, words);
}

/* Serves when it tells its mode, or that it may not tell: before, it answers that it does not. */
static bool answers(const struct server *server)
{
    const char *reply = zookeeper_server_ask(server, "srvr");

    return strstr(reply, "Mode: ") != NULL || strstr(reply, "whitelist") != NULL;
}

/* One of an ensemble serves when the others are there, too. */
static bool is_there(const struct server *server)
{
    return zookeeper_server_ask(server, "srvr")[0] != '\0';
}

static void write_configuration(const struct server *server, const char *const *settings, char path[128])
{
    snprintf(path, 128, "%s/zoo.cfg", server->folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "tickTime=200\nmaxSessionTimeout=40000\ndataDir=%s/data\nclientPort=%u\nclientPortAddress=127.0.0.1\n"
            "maxClientCnxns=0\nadmin.enableServer=false\n",
            server->folder, (unsigned)server->port);
    for (; settings != NULL && *settings != NULL; settings++)
        fprintf(file, "%s\n", *settings);
    assert_int_equal(fclose(file), 0);
}

static void run(struct server *server, const char *const *settings, const char *class_name,
                bool (*ready)(const struct server *server))
{
    char path[128];
    const char *argv[] = {"java",
                          "-Xmx128m",
                          "-XX:TieredStopAtLevel=1",
                          "-XX:+UseSerialGC",
                          "-XX:-UsePerfData",
                          "-cp",
                          class_path,
                          class_name,
                          path,
                          NULL};

    write_configuration(server, settings, path);
    server_run(server, argv, ready);
}

void zookeeper_server_restart(struct server *server, const char *const *settings)
{
    run(server, settings, "org.apache.zookeeper.server.ZooKeeperServerMain", answers);
}

void zookeeper_server_start(struct server *server, const char *const *settings)
{
    server_prepare(server, "zookeeper");
    zookeeper_server_restart(server, settings);
}

static void write_id(const struct server *server, size_t id)
{
    char path[128];

    snprintf(path, sizeof path, "%s/data", server->folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/data/myid", server->folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%zu\n", id);
    assert_int_equal(fclose(file), 0);
}

enum { SERVERS_MAX = 5 };

/* What makes n servers an ensemble. */
struct ensemble {
    char lines[SERVERS_MAX][64];
    const char *settings[SERVERS_MAX + 3];
};

static void ensemble_of(struct ensemble *ret, size_t n)
{
    *ret = (struct ensemble){.settings = {"initLimit=100", "syncLimit=50"}};
    assert_true(n <= SERVERS_MAX);
    for (size_t i = 0; i < n; i++) {
        snprintf(ret->lines[i], sizeof ret->lines[i], "server.%zu=127.0.0.1:%u:%u", i + 1, (unsigned)free_port(),
                 (unsigned)free_port());
        ret->settings[2 + i] = ret->lines[i];
    }
}

static void start_member(struct server *server, const struct ensemble *ensemble, size_t id)
{
    server_prepare(server, "zookeeper");
    write_id(server, id);
    run(server, ensemble->settings, "org.apache.zookeeper.server.quorum.QuorumPeerMain", is_there);
}

void zookeeper_ensemble_start(struct server *servers, size_t n)
{
    struct ensemble ensemble;

    ensemble_of(&ensemble, n);
    for (size_t i = 0; i < n; i++)
        start_member(&servers[i], &ensemble, i + 1);
    for (size_t i = 0; i < n; i++)
        zookeeper_server_await(&servers[i], "srvr", "Mode: ");
}

void zookeeper_minority_start(struct server *server)
{
    struct ensemble ensemble;

    ensemble_of(&ensemble, 3);
    start_member(server, &ensemble, 1);
}

/* Makes a node, or gives it permissions. */
struct foreign_call {
    struct fz_zookeeper_batch batch;
    const char *path;
    const char *data; /* NULL: permissions only */
    struct ACL_vector *acl;
    int rc;
};

static void on_created(int rc, const char *value, const void *data)
{
    struct foreign_call *call = (struct foreign_call *)(uintptr_t)data;

    (void)value;
    call->rc = rc;
    call->batch.awaited--;
}

static void on_set(int rc, const void *data)
{
    on_created(rc, NULL, data);
}

static int send_foreign(struct fz_zookeeper_batch *batch, zhandle_t *handle)
{
    struct foreign_call *call = (struct foreign_call *)batch;

    batch->awaited++;
    if (call->data == NULL)
        return zoo_aset_acl(handle, call->path, -1, call->acl, on_set, call);
    return zoo_acreate(handle, call->path, call->data, (int)strlen(call->data), call->acl, ZOO_PERSISTENT, on_created,
                       call);
}

void zookeeper_server_put(const struct server *server, const char *path, const char *data, struct ACL_vector *acl)
{
    struct fz_zookeeper_connection connection;
    struct fz_zookeeper_url url;
    struct foreign_call call = {.batch.send = send_foreign, .path = path, .data = data, .acl = acl, .rc = 1};
    char text[64];

    snprintf(text, sizeof text, "zookeeper://127.0.0.1:%u/x?timeout=60s", (unsigned)server->port);
    assert_int_equal(fz_url_parse(fz_zookeeper_url_kind, text, &url.common, NULL), FRAZIL_OK);
    fz_zookeeper_connection_start(&connection, &url);
    assert_int_equal(
        fz_zookeeper_exchange(&connection, &call.batch, fz_zookeeper_deadline(&connection, FZ_DEADLINE_NONE), NULL),
        FZ_REGISTER_OK);
    assert_int_equal(call.rc, ZOK);
    fz_zookeeper_connection_stop(&connection);
}

#endif
