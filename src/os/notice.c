/* SPDX-License-Identifier: MIT */
#include "notice.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "socket.h"

int fz_notice_open(struct fz_notice *ret)
{
    struct fz_notice notice = {.reader = FZ_KEPT_NONE, .writer = FZ_KEPT_NONE};
    int ends[2];

    if (fz_socket_pair(ends) != 0)
        return errno;
    int reader_err = fz_kept_fd_take(&notice.reader, fz_fd_above_standard(ends[0]));
    int writer_err = fz_kept_fd_take(&notice.writer, fz_fd_above_standard(ends[1]));
    if (reader_err == 0 && writer_err == 0) {
        *ret = notice;
        return 0;
    }
    fz_notice_close(&notice);
    return reader_err != 0 ? reader_err : writer_err;
}

int fz_notice_fd(const struct fz_notice *notice)
{
    return fz_kept_fd_get(&notice->writer) < 0 ? -1 : fz_kept_fd_get(&notice->reader);
}

void fz_notice_signal(const struct fz_notice *notice)
{
    int fd = fz_kept_fd_get(&notice->writer);
    ssize_t sent;

    /* Where there is no room for one more, it is readable already. */
    do
        sent = fd < 0 ? 0 : send(fd, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
}

bool fz_notice_drain(const struct fz_notice *notice)
{
    int fd = fz_kept_fd_get(&notice->reader);
    bool was_readable = false;
    ssize_t got;
    char byte;

    if (fd < 0)
        return false;
    do {
        got = recv(fd, &byte, sizeof byte, MSG_DONTWAIT);
        was_readable = was_readable || got > 0;
    } while (got > 0 || (got < 0 && errno == EINTR));
    return was_readable;
}

void fz_notice_close(struct fz_notice *notice)
{
    fz_kept_fd_close(&notice->reader);
    fz_kept_fd_close(&notice->writer);
}
