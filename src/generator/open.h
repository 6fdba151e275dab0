/* SPDX-License-Identifier: MIT */
/* Opening and closing a generator from inside the library. */
#ifndef FZ_GENERATOR_OPEN_H
#define FZ_GENERATOR_OPEN_H

#include "config/decision.h"
#include "core/deadline.h"
#include "frazil/options.h"

/* The ports that the program brings in place of the system's; NULL: the system's. */
struct fz_ports {
    const frazil_clock *clock;                     /* copied; its ctx must outlive the generator */
    const frazil_random *random;                   /* likewise */
    const frazil_granter *granter;                 /* likewise */
    const frazil_coordinator *const *coordinators; /* NULL at the end; there during the call */
};

/* Opens what has been decided, up to the deadline, which is that of the call: its open_wait.  Errors as frazil_open. */
FZ_PRIVATE frazil_err fz_open_decided(frazil **ret, const struct fz_decision *decision, const struct fz_ports *ports,
                                      struct fz_deadline deadline, frazil_error *reterr);

/* frazil_open_with for a worker id that is used without the generator.  FRAZIL_ESPEC: nobody grants it. */
FZ_PRIVATE frazil_err fz_open_leased(frazil **ret, const frazil_options *options, frazil_error *reterr);

/*
 * Closes a generator that nobody of this process uses any more.  A worker id that is not given back up to the deadline
 * is free when its grant has ended.  FRAZIL_OK: no worker id is left to its horizon.
 */
FZ_PRIVATE frazil_err fz_close_opened(frazil *gen, struct fz_deadline deadline);

/* Makes a new sno generator go on behind the snapshot that its partition and bounds come from. */
FZ_PRIVATE void fz_continue_from(frazil *gen, const struct fz_snapshot *snapshot);

#endif
