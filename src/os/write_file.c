/* SPDX-License-Identifier: MIT */
#include "write_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "quiet_signal.h"

static int write_all(int fd, uint64_t offset, const char *bytes, size_t len)
{
    for (size_t done = 0; done < len;) {
        ssize_t put = pwrite(fd, bytes + done, len - done, (off_t)(offset + done));
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return put < 0 ? errno : EIO;
        done += (size_t)put;
    }
    return 0;
}

int fz_file_write(int fd, uint64_t offset, const void *buf, size_t len)
{
    struct fz_quiet_signal quiet;

    fz_quiet_signal_begin(&quiet, SIGXFSZ);
    int sys = write_all(fd, offset, buf, len);
    fz_quiet_signal_end(&quiet);
    return sys;
}

int fz_file_reserve(int fd, uint64_t size)
{
    struct fz_quiet_signal quiet;
    int sys;

    fz_quiet_signal_begin(&quiet, SIGXFSZ);
    do
        sys = posix_fallocate(fd, 0, (off_t)size);
    while (sys == EINTR);
    fz_quiet_signal_end(&quiet);
    return sys;
}
