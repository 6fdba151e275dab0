/* SPDX-License-Identifier: MIT */
/*
 * Reading and writing a socket that never blocks, with TLS or without.
 */
#ifndef FRAZILD_IO_H
#define FRAZILD_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "tls.h"

struct io {
    int fd;
    bool in_handshake;        /* of TLS */
    struct tls *tls;          /* NULL: there is none */
    gnutls_session_t session; /* of TLS */
    const char *why;          /* the handshake failed */
};

enum io_result {
    IO_AGAIN = -1, /* nothing now */
    IO_BROKEN = -2 /* the connection is broken */
};

/* Takes a socket over; tls is held, or NULL.  False: no memory; the caller closes the socket. */
bool io_open(struct io *io, int fd, struct tls *tls);

/* Reads up to size bytes, after the handshake: how many, 0 at the end, or an io_result. */
ssize_t io_read(struct io *io, void *to, size_t size);

/* Writes up to len bytes: how many, or an io_result. After IO_AGAIN the next call begins with the same bytes. */
ssize_t io_write(struct io *io, const void *from, size_t len);

/* Whether reading waits until the socket takes bytes: the handshake has some. */
bool io_reads_by_writing(const struct io *io);

/* Whether there are bytes to read that the socket does not tell of. */
bool io_has_more(const struct io *io);

/* Keeps what is written until more comes, or the end; or sends it, and keeps nothing any more.  By TCP alone. */
void io_hold_back(const struct io *io, bool holds);

/* Says that nothing more will be written. */
void io_end(struct io *io);

/* Closes it. */
void io_close(struct io *io);

#endif
