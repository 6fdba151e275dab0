/* SPDX-License-Identifier: MIT */
/*
 * Reading and writing a socket that never blocks.
 */
#ifndef FRAZILD_IO_H
#define FRAZILD_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct io {
    int fd;
};

enum io_result {
    IO_AGAIN = -1, /* nothing now */
    IO_BROKEN = -2 /* the connection is broken */
};

/* Takes a socket over. */
void io_open(struct io *io, int fd);

/* Reads up to size bytes: how many, 0 at the end, or an io_result. */
ssize_t io_read(struct io *io, void *to, size_t size);

/* Writes up to len bytes: how many, or an io_result. */
ssize_t io_write(struct io *io, const void *from, size_t len);

/* Says that nothing more will be written. */
void io_end(struct io *io);

/* Closes it. */
void io_close(struct io *io);

#endif
