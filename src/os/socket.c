/* SPDX-License-Identifier: MIT */
#include "socket.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>

#include "clients.h"
#include "clock.h"

/* ---- how long -------------------------------------------------------------- */

static uint64_t deadline_now_ns(void)
{
    frazil_clock clock = fz_real_clock();

    return clock.monotonic_ns(clock.ctx);
}

static uint64_t deadline_left_ns(const struct fz_deadline *deadline)
{
    uint64_t now_ns = deadline_now_ns();

    return now_ns >= deadline->at_ns ? 0 : deadline->at_ns - now_ns;
}

struct fz_deadline fz_deadline_in(uint32_t timeout_ms)
{
    return (struct fz_deadline){deadline_now_ns() + UINT64_C(1000000) * timeout_ms, timeout_ms};
}

struct fz_deadline fz_deadline_part(const struct fz_deadline *deadline, uint32_t parts)
{
    uint64_t left = deadline_left_ns(deadline);

    assert(parts >= 1);
    return (struct fz_deadline){deadline->at_ns - left + left / parts, deadline->timeout_ms};
}

int fz_deadline_poll(const struct fz_deadline *deadline, int fd, short events, short *ret_ready)
{
    for (;;) {
        struct pollfd poll_fd = {.fd = fd, .events = events};
        uint64_t left = deadline_left_ns(deadline);
        /* Looked at first: a peer that never stops sending is always ready. */
        if (left == 0)
            return ETIMEDOUT;
        uint64_t left_ms = (left + 999999) / 1000000;
        fz_clients_pause();
        int ready = poll(&poll_fd, 1, left_ms < INT_MAX ? (int)left_ms : INT_MAX);
        int sys = errno;
        fz_clients_resume();
        if (ready > 0) {
            *ret_ready = poll_fd.revents;
            return 0;
        }
        if (ready < 0 && sys != EINTR)
            return sys;
    }
}

int fz_deadline_wait(const struct fz_deadline *deadline, int fd, short events)
{
    short ready;

    return fz_deadline_poll(deadline, fd, events, &ready);
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
