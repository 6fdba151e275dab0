/* SPDX-License-Identifier: MIT */
#include <stddef.h> /* an empty unit would be none */

#ifdef FRAZIL_HAVE_ETCD
#include "lib/etcd_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

struct fz_register etcd_open_url(const char *format, ...)
{
    struct fz_register reg;
    frazil_error err;
    char url[512];
    va_list args;

    va_start(args, format);
    vsnprintf(url, sizeof url, format, args);
    va_end(args);
    if (fz_etcd_register_open(&reg, url, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    return reg;
}

#endif
