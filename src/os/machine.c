/* SPDX-License-Identifier: MIT */
#include "machine.h"

#include <errno.h>
#include <string.h>

#include "file.h"

int fz_machine_id(char ret[FZ_MACHINE_ID_SIZE])
{
    char text[FZ_MACHINE_ID_SIZE];
    size_t len;

    int err = fz_file_read("/etc/machine-id", text, sizeof text, &len);
    if (err != 0)
        return err;
    text[strcspn(text, "\n")] = '\0';
    if (text[0] == '\0' || strcmp(text, "uninitialized") == 0)
        return ENOENT;
    memcpy(ret, text, sizeof text);
    return 0;
}

bool fz_machine_has_generation(void)
{
    return fz_file_exists("/sys/bus/acpi/drivers/vmgenid/bind") ||
           fz_file_exists("/sys/bus/platform/drivers/vmgenid/bind");
}
