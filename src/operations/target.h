/* SPDX-License-Identifier: MIT */
/* What an operator's command is about: a namespace of a coordinator. */
#ifndef FZ_OPERATIONS_TARGET_H
#define FZ_OPERATIONS_TARGET_H

#include "lease/coordinator.h"
#include "spec/config.h"

struct fz_target {
    struct fz_settings settings; /* owned */
    struct fz_config config;
    const char *url; /* in settings */
    const frazil_coordinator *coordinator;
};

/*
 * Reads a spec whose worker is a URL, or such a URL alone, and loads the part that
 * it needs.  Errors as frazil_open; FRAZIL_ESPEC also if no coordinator is named.
 * On success the caller closes it.
 */
frazil_err fz_target_open(struct fz_target *ret, const char *spec_or_url, frazil_error *reterr);

/* Frees the settings. */
void fz_target_close(struct fz_target *target);

/* Reads a spec; a URL alone stands for worker=URL.  Errors as fz_settings_gather; on success the caller frees them. */
frazil_err fz_target_settings(struct fz_settings *ret, const char *spec_or_url, frazil_error *reterr);

/*
 * Sets the worker that `frazil next` takes when it is told none, file-lock, unless
 * one is set or a sno's layout stands for one.  *ret_set (may be NULL): whether it
 * did.  FRAZIL_ENOMEM.
 */
frazil_err fz_target_default_worker(struct fz_settings *settings, const struct fz_config *config, bool *ret_set,
                                    frazil_error *reterr);

#endif
