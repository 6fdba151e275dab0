/* SPDX-License-Identifier: MIT */
/* A stranger's program: its worker id is a coordinator's, which does not answer. */
#include <frazil.h>
#include <stdio.h>

int main(void)
{
    frazil_error err;
    frazil *ids;

    if (frazil_open(&ids, "worker=redis://127.0.0.1:1/orders open_wait=0s", &err) == FRAZIL_OK)
        return 0;
    puts(err.message);
    return 1;
}
