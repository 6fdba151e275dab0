/* SPDX-License-Identifier: MIT */
/* What Linux tells of the host, beyond POSIX. */
#define _DEFAULT_SOURCE /* getentropy */
#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "os/file.h"
#include "os/host.h"

#define BOOT_ID_FILE "/proc/sys/kernel/random/boot_id"

int fz_host_entropy(uint64_t *ret)
{
    return getentropy(ret, sizeof *ret) == 0 ? 0 : errno;
}

int fz_boot_id(char ret[FZ_BOOT_ID_SIZE])
{
    size_t len;
    int err = fz_file_read(BOOT_ID_FILE, ret, FZ_BOOT_ID_SIZE, &len);

    if (err == 0)
        ret[strcspn(ret, "\n")] = '\0';
    return err;
}

bool fz_machine_has_generation(void)
{
    return fz_file_exists("/sys/bus/acpi/drivers/vmgenid/bind") ||
           fz_file_exists("/sys/bus/platform/drivers/vmgenid/bind");
}

/* The kernel's word about the start: it also knows of capabilities, and giving the rights up does not change it. */
bool fz_environment_is_foreign(void)
{
    return getauxval(AT_SECURE) != 0;
}
