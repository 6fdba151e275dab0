/* SPDX-License-Identifier: MIT */
#include "socket.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>

#include "clients.h"
#include "core/duration.h"

/* ---- how long -------------------------------------------------------------- */

struct fz_allowance fz_allowance_of(uint32_t timeout_ms, struct fz_deadline deadline)
{
    uint64_t timeout_ns = FZ_NS_PER_MS * timeout_ms;
    uint64_t left_ns = fz_deadline_left_ns(deadline);

    if (left_ns >= timeout_ns)
        return (struct fz_allowance){fz_deadline_in(timeout_ns), timeout_ns / 1000};
    return (struct fz_allowance){deadline, left_ns / 1000};
}

struct fz_allowance fz_allowance_part(const struct fz_allowance *allowance, uint32_t parts)
{
    uint64_t left = fz_deadline_left_ns(allowance->until);

    assert(parts >= 1);
    return (struct fz_allowance){{allowance->until.at_ns - left + left / parts}, allowance->us};
}

int fz_allowance_poll(const struct fz_allowance *allowance, int fd, short events, short *ret_ready)
{
    for (;;) {
        struct pollfd poll_fd = {.fd = fd, .events = events};
        uint64_t left = fz_deadline_left_ns(allowance->until);
        /* Looked at first: a peer that never stops sending is always ready. */
        if (left == 0)
            return ETIMEDOUT;
        uint64_t left_ms = (left + 999999) / 1000000;
        fz_clients_pause();
        int ready = poll(&poll_fd, 1, left_ms < INT_MAX ? (int)left_ms : INT_MAX);
        int sys = errno;
        if (!fz_clients_resume())
            return ECANCELED;
        if (ready > 0) {
            *ret_ready = poll_fd.revents;
            return 0;
        }
        if (ready < 0 && sys != EINTR)
            return sys;
    }
}

int fz_allowance_wait(const struct fz_allowance *allowance, int fd, short events)
{
    short ready;

    return fz_allowance_poll(allowance, fd, events, &ready);
}

/* ---- how much -------------------------------------------------------------- */

struct fz_intake fz_intake_of(int fd)
{
    struct fz_intake intake = {.begun = 0};

    intake.is_known = fz_socket_received(fd, &intake.begun);
    return intake;
}

bool fz_intake_exceeds(const struct fz_intake *intake, int fd, uint64_t max)
{
    uint64_t now;

    return intake->is_known && fz_socket_received(fd, &now) && now > intake->begun && now - intake->begun > max;
}
