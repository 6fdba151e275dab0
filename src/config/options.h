/* SPDX-License-Identifier: MIT */
/* Options from within, so that a spec alone needs no allocation for them. */
#ifndef FZ_CONFIG_OPTIONS_H
#define FZ_CONFIG_OPTIONS_H

#include "decide_internal.h"
#include "frazil/options.h"

enum { FZ_OPTIONS_COORDINATORS = 16 };

struct frazil_options {
    struct fz_settings settings; /* all that was set */
    frazil_environment environment;
    bool has_clock;
    bool has_random;
    bool has_granter;
    bool has_snapshot;
    frazil_clock clock;
    frazil_random random;
    frazil_granter granter;
    struct fz_snapshot snapshot;
    const frazil_coordinator *coordinators[FZ_OPTIONS_COORDINATORS + 1]; /* NULL at the end */
};

/* Says a spec (NULL: empty) in empty options, whose settings the caller frees, also after a failure. */
FZ_PRIVATE frazil_err fz_options_of_spec(frazil_options *options, const char *spec, frazil_error *reterr);

/* Decides what options mean.  Errors as frazil_open.  On success the caller frees it. */
FZ_PRIVATE frazil_err fz_options_decide(struct fz_decision *ret, const frazil_options *options, enum fz_opening opening,
                                        frazil_error *reterr);

/* Forgets all that was said, and wipes it. */
FZ_PRIVATE void fz_options_forget(frazil_options *options);

#endif
