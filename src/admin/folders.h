/* SPDX-License-Identifier: MIT */
/* The folders of this host that generators need, looked at and not made. */
#ifndef FZ_ADMIN_FOLDERS_H
#define FZ_ADMIN_FOLDERS_H

#include "config/decision.h"

/* The folder of this host that the URL of worker=, or that of state=, names; NULL: it names none, or is wrong. */
const char *fz_folder_of_worker(const char *url);
const char *fz_folder_of_slots(const char *url);

/*
 * Whether the folders are there or can be made, and this process may make files in them.  Errors as frazil_open has
 * them, with its sentences.
 */
frazil_err fz_folders_look(const struct fz_decision *decision, frazil_error *reterr);

#endif
