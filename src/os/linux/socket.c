/* SPDX-License-Identifier: MIT */
/*
 * A file of its own, because only coordinators need it.  The library, and so frazil.c, uses no headers of the
 * kernel, which some libcs lack.
 */
#include "os/socket.h"

#include <linux/tcp.h> /* libc's own has no bytes_received */
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

bool fz_socket_received(int fd, uint64_t *ret)
{
    struct tcp_info info;
    socklen_t len = sizeof info;

    memset(&info, 0, sizeof info);
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) != 0 ||
        len < offsetof(struct tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received)
        return false;
    *ret = info.tcpi_bytes_received;
    return true;
}
