/* SPDX-License-Identifier: MIT */
/* Goal of this test: the path of a unix socket has one owner, whoever starts or ends at the same moment. */
#include "lib/test.h"
#include "unix_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static char folder[64], path[UNIX_PATH_SIZE];

/* Runs once, when somebody has found out that nobody listens at the path, and nothing is done about that yet. */
static void (*meanwhile)(void);

#pragma GCC visibility push(default)
int __real_connect(int fd, const struct sockaddr *name, socklen_t len);
int __wrap_connect(int fd, const struct sockaddr *name, socklen_t len);
#pragma GCC visibility pop

int __wrap_connect(int fd, const struct sockaddr *name, socklen_t len)
{
    void (*run)(void) = meanwhile;
    int ret = __real_connect(fd, name, len), why = errno;

    meanwhile = NULL;
    if (run != NULL)
        run();
    errno = why;
    return ret;
}

static struct sockaddr_un name_of_path(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};

    memcpy(name.sun_path, path, sizeof name.sun_path);
    return name;
}

/* Whether a client at the path reaches this socket. */
static bool is_reached(const struct unix_socket *its)
{
    const struct sockaddr_un name = name_of_path();
    int client = socket(AF_UNIX, SOCK_STREAM, 0);
    bool connects = __real_connect(client, (const struct sockaddr *)&name, sizeof name) == 0;
    int server = connects ? accept(its->fd, NULL, NULL) : -1; /* it does not wait */

    if (server >= 0)
        (void)close(server);
    (void)close(client);
    return server >= 0;
}

/* As a daemon leaves it that was killed. */
static void leave_a_socket(void)
{
    const struct sockaddr_un name = name_of_path();
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    assert_int_equal(bind(fd, (const struct sockaddr *)&name, sizeof name), 0);
    (void)close(fd);
}

BEFORE_EACH
{
    (void)snprintf(folder, sizeof folder, "/tmp/frazild-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    memset(path, 0, sizeof path);
    (void)snprintf(path, sizeof path, "%s/socket", folder);
    meanwhile = NULL;
}

AFTER_EACH
{
    (void)unlink(path);
    (void)rmdir(folder);
}

static struct unix_socket other;
static const char *others_failure;

static void start_another(void)
{
    others_failure = unix_socket_open(&other, path, 0660, 1);
}

TEST("Of two that start at once where a socket is left over, one listens, and the other is told so")
{
    struct unix_socket its;

    leave_a_socket();
    meanwhile = start_another;
    assert_null(unix_socket_open(&its, path, 0660, 1));
    assert_true(is_reached(&its));
    assert_non_null(others_failure);
    assert_int_equal(other.fd, -1);
    start_another(); /* it does not wait for the first one's end */
    assert_non_null(strstr(others_failure, "another program listens there"));
    assert_true(is_reached(&its));
    unix_socket_close(&its);
    assert_int_equal(access(path, F_OK), -1);
}

TEST("One that ends removes no socket that another has made there")
{
    struct unix_socket its;

    assert_null(unix_socket_open(&its, path, 0660, 1));
    assert_int_equal(shutdown(its.fd, SHUT_RDWR), 0); /* as a drain does: who starts finds that nobody listens */
    start_another();
    assert_null(others_failure);
    unix_socket_close(&its);
    assert_true(is_reached(&other));
    unix_socket_close(&other);
    assert_int_equal(access(path, F_OK), -1);
}

TEST("While somebody else holds the folder no socket is made or removed, and nothing waits for long")
{
    struct unix_socket its;

    int fd = open(folder, O_RDONLY | O_DIRECTORY);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    const char *why = unix_socket_open(&its, path, 0660, 1);
    assert_non_null(strstr(why, "has locked the folder"));
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(flock(fd, LOCK_UN), 0);
    assert_null(unix_socket_open(&its, path, 0660, 1));
    assert_int_equal(flock(fd, LOCK_EX), 0);
    unix_socket_close(&its);
    assert_int_equal(access(path, F_OK), 0);
    (void)close(fd);
    assert_null(unix_socket_open(&its, path, 0600, 1)); /* what was left is removed by the next one */
    assert_true(is_reached(&its));
    unix_socket_close(&its);
}

TEST("The mode is that of the socket, and a file that is none stays")
{
    struct unix_socket its;
    struct stat about;

    for (uint32_t mode = 0600; mode <= 0666; mode += 033) {
        assert_null(unix_socket_open(&its, path, mode, 1));
        assert_int_equal(stat(path, &about), 0);
        assert_int_equal(about.st_mode & 0777, mode);
        unix_socket_close(&its);
    }
    int file = open(path, O_CREAT | O_WRONLY, 0600);
    assert_non_null(strstr(unix_socket_open(&its, path, 0600, 1), "another program"));
    assert_int_equal(fstat(file, &about), 0);
    assert_int_equal(about.st_nlink, 1);
    (void)close(file);
}
