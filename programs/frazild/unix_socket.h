/* SPDX-License-Identifier: MIT */
/*
 * Unix sockets that listen at a path.  One daemon at a time has the path, even while others start or end.
 */
#ifndef FRAZILD_UNIX_SOCKET_H
#define FRAZILD_UNIX_SOCKET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define UNIX_PATH_SIZE 108

/* Why no socket of any kind can listen at an address that is in use. */
#define SOMEBODY_LISTENS "another program listens there (ss -lntxp names it): stop it, or name another address"

struct unix_socket {
    int fd; /* it listens */
    char path[UNIX_PATH_SIZE];
    dev_t device; /* of the socket at the path, to remove no successor's */
    ino_t inode;
};

/*
 * Listens at a path, with that mode and backlog, and removes one that a daemon left there that was killed.  Returns
 * NULL, or why not.
 */
const char *unix_socket_open(struct unix_socket *ret, const char *path, uint32_t mode, int backlog);

/* Whether its path leads to it. */
bool unix_socket_is_there(const struct unix_socket *its);

/* Removes it from its path, unless another has taken that, and closes it. */
void unix_socket_close(const struct unix_socket *its);

#endif
