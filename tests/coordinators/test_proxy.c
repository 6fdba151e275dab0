/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: what the proxy of the other tests does to a stream, a
 * network could do as well.  Bytes are late, or the connection ends; none is
 * missing between two others.  A client may trust TCP for that, and some abort
 * where they cannot.
 */

#include "lib/patience.h"
#include "lib/proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "lib/test.h"

enum { REPLY_LEN = 300 };

/* A client and a server, and the proxy between them. */
struct connection {
    struct proxy *proxy;
    int client;
    int server;
};

static int connected_to(uint16_t port)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct timeval patience = {.tv_sec = PATIENCE_S};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static struct connection connect_through_proxy(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    struct connection connection;
    int listener = socket(AF_INET, SOCK_STREAM, 0);

    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
    connection.proxy = proxy_start(ntohs(address.sin_port));
    connection.client = connected_to(connection.proxy->port);
    connection.server = accept(listener, NULL, NULL);
    assert_true(connection.server >= 0);
    close(listener);
    return connection;
}

static void end(struct connection *connection)
{
    close(connection->client);
    close(connection->server);
    proxy_stop(connection->proxy);
}

static void reply(const struct connection *connection, char *ret)
{
    for (int i = 0; i < REPLY_LEN; i++)
        ret[i] = (char)(i % 100);
    assert_int_equal(send(connection->server, ret, REPLY_LEN, 0), REPLY_LEN);
}

TEST("A reply that dribbles while the proxy is told to pass on is whole")
{
    struct connection connection = connect_through_proxy();
    char sent[REPLY_LEN];
    char got[REPLY_LEN];

    proxy_set(connection.proxy, PROXY_DRIBBLE);
    reply(&connection, sent);
    assert_int_equal(recv(connection.client, got, 1, 0), 1);
    proxy_set(connection.proxy, PROXY_PASS);
    assert_int_equal(recv(connection.client, got + 1, REPLY_LEN - 1, MSG_WAITALL), REPLY_LEN - 1);
    assert_memory_equal(got, sent, REPLY_LEN);
    end(&connection);
}

TEST("After a reply that was lost comes the end, and not the next reply")
{
    struct connection connection = connect_through_proxy();
    char sent[REPLY_LEN];
    char got[REPLY_LEN];

    proxy_set(connection.proxy, PROXY_LOSE_REPLIES);
    reply(&connection, sent);
    proxy_await(&connection.proxy->replies, 1);
    proxy_set(connection.proxy, PROXY_PASS);
    reply(&connection, sent);
    assert_int_equal(recv(connection.client, got, sizeof got, 0), 0);
    end(&connection);
}
