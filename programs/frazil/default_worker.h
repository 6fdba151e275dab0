/* SPDX-License-Identifier: MIT */
/* The source of the worker id where none is named: right for one host, and for no more. */
#ifndef DEFAULT_WORKER_H
#define DEFAULT_WORKER_H

#include <frazil/options.h>
#include <stdbool.h>

/* The warning about ids whose worker nobody named. */
#define DEFAULT_WORKER_NOTE                                                                                            \
    "no worker= was given: the ids are unique on this host (worker=file-lock), not among several; see WORKER IDS in "  \
    "man frazil.spec"

/* The same of a source that keeps no other process from the worker id (the event warn-unclaimed). */
#define UNCLAIMED_WORKER_NOTE                                                                                          \
    "worker=auto is unique within this process only: processes that start together repeat each other's ids; see "      \
    "WORKER IDS in man frazil.spec"
#define UNCLAIMED_WORKER "auto"

/*
 * Whether the options can be understood, as frazil_options_check has it.  If they name no worker, they name file-lock
 * from then on, and *ret_assumed is true; where that does not suit them, err says both.
 */
frazil_err default_worker_check(frazil_options *options, bool *ret_assumed, frazil_error *err);

#endif
