/* SPDX-License-Identifier: MIT */
#include "secret.h"

#include "os/file.h"

bool fz_secret_is_kept(int fd)
{
    return fz_file_check_secret(fd) == 0;
}
