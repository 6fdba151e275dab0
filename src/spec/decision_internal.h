/* SPDX-License-Identifier: MIT */
/* The step of fz_decide behind the gathering of the settings, for whoever has gathered them in another way. */
#ifndef FZ_SPEC_DECISION_INTERNAL_H
#define FZ_SPEC_DECISION_INTERNAL_H

#include "decision.h"
#include "settings.h"

/* Decides what settings mean, and takes from them the texts that the decision keeps.  Otherwise as fz_decide. */
FZ_PRIVATE frazil_err fz_decide_settings(struct fz_decision *ret, struct fz_settings *settings,
                                         const struct fz_occasion *occasion, frazil_error *reterr);

#endif
