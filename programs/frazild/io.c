/* SPDX-License-Identifier: MIT */
#include "io.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

static ssize_t result_of(ssize_t n)
{
    if (n >= 0)
        return n;
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? IO_AGAIN : IO_BROKEN;
}

/* A warning of the peer, or its wish to negotiate anew, is passed over. */
static ssize_t result_of_tls(ssize_t n)
{
    if (n >= 0)
        return n;
    return gnutls_error_is_fatal((int)n) != 0 ? IO_BROKEN : IO_AGAIN;
}

bool io_open(struct io *io, int fd, struct tls *tls)
{
    *io = (struct io){.fd = fd};
    if (tls == NULL)
        return true;
    io->session = tls_begin(tls, fd);
    if (io->session == NULL)
        return false;
    io->tls = tls_hold(tls);
    io->in_handshake = true;
    return true;
}

/* Goes on with the handshake; the peer is told why it fails. */
static ssize_t handshake(struct io *io)
{
    int err = tls_has_memory() ? gnutls_handshake(io->session) : GNUTLS_E_MEMORY_ERROR;
    ssize_t ret = result_of_tls(err);

    if (ret == IO_BROKEN) {
        io->why = gnutls_strerror(err);
        (void)gnutls_alert_send_appropriate(io->session, err);
    }
    io->in_handshake = ret < 0;
    return ret;
}

ssize_t io_read(struct io *io, void *to, size_t size)
{
    if (io->session == NULL)
        return result_of(recv(io->fd, to, size, 0));
    ssize_t n = io->in_handshake ? handshake(io) : 0;
    if (n < 0)
        return n;
    return result_of_tls(gnutls_record_recv(io->session, to, size));
}

ssize_t io_write(struct io *io, const void *from, size_t len)
{
    if (io->session == NULL)
        return result_of(send(io->fd, from, len, MSG_NOSIGNAL));
    return result_of_tls(gnutls_record_send(io->session, from, len));
}

bool io_reads_by_writing(const struct io *io)
{
    return io->in_handshake && gnutls_record_get_direction(io->session) == 1;
}

bool io_has_more(const struct io *io)
{
    return io->session != NULL && !io->in_handshake && gnutls_record_check_pending(io->session) > 0;
}

void io_hold_back(const struct io *io, bool holds)
{
    int on = holds;

    (void)setsockopt(io->fd, IPPROTO_TCP, TCP_CORK, &on, sizeof on); /* a unix socket has no segments */
}

void io_end(struct io *io)
{
    if (io->session != NULL && !io->in_handshake)
        (void)gnutls_bye(io->session, GNUTLS_SHUT_WR);
    (void)shutdown(io->fd, SHUT_WR);
}

void io_close(struct io *io)
{
    if (io->session != NULL)
        gnutls_deinit(io->session);
    tls_release(io->tls);
    (void)close(io->fd);
    *io = (struct io){.fd = -1};
}
