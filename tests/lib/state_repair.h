/* SPDX-License-Identifier: MIT */
/* `frazil state`, for tests. */
#ifndef TESTS_LIB_STATE_REPAIR_H
#define TESTS_LIB_STATE_REPAIR_H

#include <stdbool.h>

#include "admin/state.h"
#include "frazil/admin.h"

/*
 * Makes anew what is wrong with the files of a spec's workers, or with `all` all of them, row by row until one fails;
 * shows each as it was when it is done.
 */
frazil_err state_repair(const char *spec, bool all, void (*visit)(void *ctx, const frazil_admin_kept *kept), void *ctx,
                        frazil_error *reterr);

/* fz_state_look for a spec. */
frazil_err state_look(const char *spec, struct fz_state *ret, frazil_error *reterr);

#endif
