/* SPDX-License-Identifier: MIT */
/* A plug-in that holds frazil in itself, as one with frazil.c does: it can be unloaded. */
#include <frazil.h>
#include <stddef.h>

/* Nobody is at that port. */
static const char spec[] = "worker=redis://127.0.0.1:1/orders open_wait=1ms";

__attribute__((visibility("default"))) void use_a_part(void);

void use_a_part(void)
{
    frazil *gen;

    if (frazil_open(&gen, spec, NULL) == FRAZIL_OK)
        frazil_close(gen);
}
