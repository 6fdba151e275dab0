/* SPDX-License-Identifier: MIT */
/* The steps of fz_decide, for whoever has the settings in another way than as a spec. */
#ifndef FZ_CONFIG_DECIDE_INTERNAL_H
#define FZ_CONFIG_DECIDE_INTERNAL_H

#include "decide.h"
#include "frazil/options.h"
#include "settings.h"

/* Decides from the program's settings, which do not change, completed from the environment and the config file. */
FZ_PRIVATE frazil_err fz_decide_given(struct fz_decision *ret, const struct fz_settings *given,
                                      frazil_environment environment, const struct fz_occasion *occasion,
                                      frazil_error *reterr);

/* Decides what settings mean, and takes from them the texts that the decision keeps.  Otherwise as fz_decide. */
FZ_PRIVATE frazil_err fz_decide_settings(struct fz_decision *ret, struct fz_settings *settings,
                                         const struct fz_occasion *occasion, frazil_error *reterr);

#endif
