/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* getentropy */
#include "host.h"

#include <errno.h>
#include <unistd.h>

int fz_host_name(char *buf, size_t size)
{
    if (gethostname(buf, size) != 0)
        return errno;
    buf[size - 1] = '\0'; /* a name that was cut may come without */
    return 0;
}

int fz_host_entropy(uint64_t *ret)
{
    return getentropy(ret, sizeof *ret) == 0 ? 0 : errno;
}
