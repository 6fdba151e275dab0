/* SPDX-License-Identifier: MIT */
/* POSIX does not say how much a socket has received. */
#include "os/socket.h"

bool fz_socket_received(int fd, uint64_t *ret)
{
    (void)fd;
    (void)ret;
    return false;
}
