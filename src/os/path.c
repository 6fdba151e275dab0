/* SPDX-License-Identifier: MIT */
#include "path.h"

#include <errno.h>
#include <string.h>

int fz_path_join(char buf[FZ_PATH_SIZE], const char *a, const char *b, const char *c)
{
    size_t a_len = strlen(a);
    size_t b_len = strlen(b);
    size_t c_len = strlen(c);

    if (a_len >= FZ_PATH_SIZE || b_len >= FZ_PATH_SIZE || c_len >= FZ_PATH_SIZE ||
        a_len + b_len + c_len >= FZ_PATH_SIZE)
        return ENAMETOOLONG;
    memmove(buf, a, a_len);
    memcpy(buf + a_len, b, b_len);
    memcpy(buf + a_len + b_len, c, c_len + 1);
    return 0;
}
