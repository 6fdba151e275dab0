/* SPDX-License-Identifier: MIT */
#include "unix_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define TRY_MS 5 /* others hold the lock for less */
#define OPEN_TRIES 200
#define CLOSE_TRIES 20 /* what is left there is removed by the next start */

_Static_assert(UNIX_PATH_SIZE == sizeof((struct sockaddr_un *)NULL)->sun_path, "a path is one of the system");

/*
 * Locks the folder of a path for this process; -1 and errno: it cannot.  All daemons do so before they look which one
 * listens there, so none removes what another has put there since.  A file system without locks does without.
 */
static int lock_folder(const char *path, unsigned tries)
{
    char folder[UNIX_PATH_SIZE] = ".";
    const char *slash = strrchr(path, '/');

    if (slash != NULL)
        (void)snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        if (--tries == 0) {
            (void)close(fd);
            errno = EWOULDBLOCK;
            return -1;
        }
        (void)poll(NULL, 0, TRY_MS);
    }
    return fd;
}

/*
 * A socket that is there, but that nobody listens on, is left over from a daemon that was killed.  A program that
 * listens and is stopped may have no room for one more: the socket does not block, so nobody waits for it.  A program
 * between bind and listen looks as if it were gone: /proc/net/unix, which tells them apart, shows one network namespace
 * alone.  Returns the error of a socket that is there all the same: EPERM if it is another user's.
 */
static int remove_left_over(const struct sockaddr_un *name)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int ret = EADDRINUSE;
    struct stat status;

    if (fd < 0)
        return ret;
    if (lstat(name->sun_path, &status) == 0 && S_ISSOCK(status.st_mode) &&
        connect(fd, (const struct sockaddr *)name, sizeof *name) != 0 &&
        (errno == EACCES || (errno == ECONNREFUSED && unlink(name->sun_path) != 0 && errno != ENOENT)))
        ret = EPERM;
    (void)close(fd);
    return ret;
}

/* Listens there; false and errno: it cannot. */
static bool listen_there(const struct unix_socket *its, uint32_t mode, int backlog)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};

    memcpy(name.sun_path, its->path, sizeof name.sun_path);
    int taken = remove_left_over(&name);
    mode_t before = umask(0777 & ~(mode_t)mode);
    bool bound = bind(its->fd, (const struct sockaddr *)&name, sizeof name) == 0;
    int why = errno;
    (void)umask(before);
    errno = !bound && why == EADDRINUSE ? taken : why;
    return bound && listen(its->fd, backlog) == 0;
}

/* Says why the system refuses to listen there. */
static const char *reason(int error)
{
    if (error == EADDRINUSE)
        return SOMEBODY_LISTENS;
    if (error == EPERM)
        return "a socket of another user is there, which this user may not remove: remove it if no program listens "
               "there (ss -lxp), or name another path";
    if (error == EWOULDBLOCK)
        return "another program has locked the folder of the socket (flock) for a second: unless it is a daemon that "
               "is starting, name a path in another folder";
    return strerror(error);
}

const char *unix_socket_open(struct unix_socket *ret, const char *path, uint32_t mode, int backlog)
{
    struct stat about = {0};

    *ret = (struct unix_socket){.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    (void)snprintf(ret->path, sizeof ret->path, "%.107s", path);
    int lock = ret->fd >= 0 ? lock_folder(path, OPEN_TRIES) : -1;
    bool listens = lock >= 0 && listen_there(ret, mode, backlog) && lstat(path, &about) == 0;
    int why = errno;
    ret->device = about.st_dev;
    ret->inode = about.st_ino;
    if (lock >= 0)
        (void)close(lock);
    if (listens)
        return NULL;
    if (ret->fd >= 0)
        (void)close(ret->fd);
    ret->fd = -1;
    return reason(why);
}

bool unix_socket_is_there(const struct unix_socket *its)
{
    struct stat about;

    return lstat(its->path, &about) == 0 && about.st_dev == its->device && about.st_ino == its->inode;
}

/* As long as it is open no other socket can have its inode. */
void unix_socket_close(const struct unix_socket *its)
{
    int lock = lock_folder(its->path, CLOSE_TRIES);

    if (lock >= 0 && unix_socket_is_there(its))
        (void)unlink(its->path);
    if (lock >= 0)
        (void)close(lock);
    (void)close(its->fd);
}
