/* SPDX-License-Identifier: MIT */
/* A granter of the program's own (frazil/granter.h) as the granter that a keeper asks. */
#ifndef FZ_GENERATOR_PORT_GRANTER_H
#define FZ_GENERATOR_PORT_GRANTER_H

#include "frazil/granter.h"
#include "frazil/layout.h"
#include "lease/granter.h"

/*
 * Copies the port and the layout.  Every answer of the program's functions is checked before it counts.  FRAZIL_EWORKER
 * if it gives a worker id that the layout does not have, a grant without a whole tick, one that has ended, one that
 * takes back what is held, or an error that there is not.  FRAZIL_EINVAL if the port is of another size or lacks a
 * function; FRAZIL_ENOMEM.
 */
FZ_PRIVATE frazil_err fz_port_granter_open(struct fz_granter *ret, const frazil_granter *port,
                                           const frazil_layout *layout, frazil_error *reterr);

#endif
