/* SPDX-License-Identifier: MIT */
/* What every system tells of the host. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "os/host.h"

/* No part of POSIX, but everywhere. */
#define RANDOM_FILE "/dev/urandom"

static int read_fully(int fd, char *buf, size_t size)
{
    for (size_t len = 0; len < size;) {
        ssize_t got = read(fd, buf + len, size - len);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? errno : EIO;
        len += (size_t)got;
    }
    return 0;
}

int fz_host_entropy(uint64_t *ret)
{
    uint64_t bits;
    int fd;

    do
        fd = open(RANDOM_FILE, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return errno;
    int err = read_fully(fd, (char *)&bits, sizeof bits);
    close(fd);
    if (err == 0)
        *ret = bits;
    return err;
}

int fz_boot_id(char ret[FZ_BOOT_ID_SIZE])
{
    (void)ret;
    return ENOTSUP;
}

bool fz_machine_has_generation(void)
{
    return false;
}

bool fz_environment_is_foreign(void)
{
    return getuid() != geteuid() || getgid() != getegid();
}
