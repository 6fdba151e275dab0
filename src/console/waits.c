/* SPDX-License-Identifier: MIT */
#include "waits.h"

#include "generator/waits.h"

void fz_console_end_waits(bool end)
{
    fz_waits_end(end);
}
