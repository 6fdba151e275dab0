/* SPDX-License-Identifier: MIT */
/* Goal of this test: no server outlives a test program that is killed, not even one that has become another user. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/patience.h"
#include "lib/register_kinds.h"
#include "lib/test.h"

static bool listens(const struct server *server)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(server->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    assert_true(fd >= 0);
    bool does = connect(fd, (const struct sockaddr *)&address, sizeof address) == 0;
    close(fd);
    return does;
}

/* Starts one in a child that is killed.  false: what it needs is not installed. */
static bool start_and_die(const struct register_kind *kind, struct server *ret)
{
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (kind->start())
            assert_int_equal(write(ends[1], kind->server, sizeof *kind->server), sizeof *kind->server);
        raise(SIGKILL);
    }
    close(ends[1]);
    bool started = read(ends[0], ret, sizeof *ret) == (ssize_t)sizeof *ret;
    close(ends[0]);
    assert_int_equal(waitpid(child, NULL, 0), child);
    return started;
}

TEST("A server of each kind ends with a test that is killed")
{
    struct server server;

    for (size_t i = 0; i < register_kind_count; i++) {
        const struct register_kind *kind = register_kinds[i];
        if (kind == NULL || kind->server == NULL || !start_and_die(kind, &server))
            continue;
        print_message("%s\n", kind->name);
        while (listens(&server))
            pause_shortly();
        server_stop(&server);
    }
}
