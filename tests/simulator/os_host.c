/* SPDX-License-Identifier: MIT */
/* A simulated host, as its processes see it. */
#include <errno.h>
#include <string.h>

#include "core/sentence.h"
#include "host.h"
#include "os/host.h"
#include "os/part.h"
#include "process.h"
#include "world.h"

int fz_host_name(char *buf, size_t size)
{
    if (size < 8)
        return ENAMETOOLONG;
    memcpy(buf, "host-0", 7);
    buf[5] = (char)('0' + self()->host->number % 10);
    return 0;
}

/* All names of a simulated host are seen by all of its processes. */
uint64_t fz_mount_space(void)
{
    return 1;
}

/* No simulated URL has a password, for which alone a boot's id would be needed. */
int fz_boot_id(char ret[FZ_BOOT_ID_SIZE])
{
    ret[0] = '\0';
    return ENOTSUP;
}

/* No simulated worker id comes from an address. */
int fz_host_address(char buf[FZ_ADDRESS_SIZE])
{
    (void)buf;
    return ENETUNREACH;
}

int fz_address_version(const char *text)
{
    (void)text;
    return 0;
}

frazil_err fz_part_load(const char *part, const void **ret, frazil_error *reterr)
{
    (void)ret;
    return fz_fail(reterr, FRAZIL_ENOTBUILT, "there is no part %s here", part);
}

int fz_host_entropy(uint64_t *ret)
{
    *ret = any_number();
    return 0;
}
