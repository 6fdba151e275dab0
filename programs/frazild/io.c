/* SPDX-License-Identifier: MIT */
#include "io.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

static ssize_t result_of(ssize_t n)
{
    if (n >= 0)
        return n;
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? IO_AGAIN : IO_BROKEN;
}

void io_open(struct io *io, int fd)
{
    *io = (struct io){.fd = fd};
}

ssize_t io_read(struct io *io, void *to, size_t size)
{
    return result_of(recv(io->fd, to, size, 0));
}

ssize_t io_write(struct io *io, const void *from, size_t len)
{
    return result_of(send(io->fd, from, len, MSG_NOSIGNAL));
}

void io_end(struct io *io)
{
    (void)shutdown(io->fd, SHUT_WR);
}

void io_close(struct io *io)
{
    (void)close(io->fd);
    io->fd = -1;
}
