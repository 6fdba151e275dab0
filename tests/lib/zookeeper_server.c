/* SPDX-License-Identifier: MIT */
#include <stddef.h> /* an empty unit would be none */

#ifdef FRAZIL_HAVE_ZOOKEEPER
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/zookeeper_server.h"
#include "registers/zookeeper/zookeeper_register.h"

#define JARS "/usr/share/java/"
#define LAUNCHER "/usr/share/zookeeper/bin/zkServer.sh"

static const char class_path[] =
    JARS "zookeeper.jar:" JARS "zookeeper-jute.jar:" JARS "slf4j-api.jar:" JARS "slf4j-nop.jar:" JARS
         "netty-all.jar:" JARS "metrics-core.jar:" JARS "snappy-java.jar";

bool zookeeper_server_installed(void)
{
    return server_installed("java") && server_installed(LAUNCHER);
}

/* Serves when it tells its mode: before, it answers that it does not. */
static bool answers(const struct server *server)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(server->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct pollfd poll_fd = {.fd = socket(AF_INET, SOCK_STREAM, 0), .events = POLLIN};
    char reply[1024];
    size_t len = 0;

    assert_true(poll_fd.fd >= 0);
    if (connect(poll_fd.fd, (struct sockaddr *)&address, sizeof address) == 0 &&
        send(poll_fd.fd, "srvr", 4, MSG_NOSIGNAL) == 4) {
        while (len < sizeof reply - 1 && poll(&poll_fd, 1, 5000) > 0) {
            ssize_t got = read(poll_fd.fd, reply + len, sizeof reply - 1 - len);
            if (got <= 0)
                break;
            len += (size_t)got;
        }
    }
    close(poll_fd.fd);
    reply[len] = '\0';
    return strstr(reply, "Mode: ") != NULL;
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

void zookeeper_server_restart(struct server *server, const char *const *settings)
{
    char path[128];
    const char *argv[] = {"java",
                          "-Xmx128m",
                          "-XX:TieredStopAtLevel=1",
                          "-XX:+UseSerialGC",
                          "-XX:-UsePerfData",
                          "-cp",
                          class_path,
                          "org.apache.zookeeper.server.ZooKeeperServerMain",
                          path,
                          NULL};

    write_configuration(server, settings, path);
    server_run(server, argv, answers);
}

void zookeeper_server_start(struct server *server, const char *const *settings)
{
    server_prepare(server, "zookeeper");
    zookeeper_server_restart(server, settings);
}

struct fz_register zookeeper_open_url(const char *format, ...)
{
    struct fz_register reg;
    frazil_error err;
    char url[512];
    va_list args;

    va_start(args, format);
    vsnprintf(url, sizeof url, format, args);
    va_end(args);
    if (fz_zookeeper_register_open(&reg, url, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    return reg;
}
#endif
