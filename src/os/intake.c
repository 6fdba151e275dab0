/* SPDX-License-Identifier: MIT */
#include "intake.h"

#include <sys/socket.h>

#ifdef __linux__
#include <linux/tcp.h> /* libc's own has no bytes_received */
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>

static bool received(int fd, uint64_t *ret)
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
#else
static bool received(int fd, uint64_t *ret)
{
    (void)fd;
    (void)ret;
    return false;
}
#endif

struct fz_intake fz_intake_of(int fd)
{
    struct fz_intake intake = {.begun = 0};

    intake.is_known = received(fd, &intake.begun);
    return intake;
}

bool fz_intake_exceeds(const struct fz_intake *intake, int fd, uint64_t max)
{
    uint64_t now;

    return intake->is_known && received(fd, &now) && now > intake->begun && now - intake->begun > max;
}
