/* SPDX-License-Identifier: MIT */
/* Shared by grant_file.c and grant_repair.c: records of a grant file that was entered. */
#ifndef FZ_LEASE_GRANT_FILE_INTERNAL_H
#define FZ_LEASE_GRANT_FILE_INTERNAL_H

#include "grant_file.h"

/*
 * The newest record; *ret is set if the file exists.  FRAZIL_ESTATE: the file is damaged or of another version.
 * FRAZIL_ESYS.
 */
FZ_PRIVATE frazil_err fz_grant_file_load(const struct fz_file_port *port, bool *ret_exists, struct fz_grant_record *ret,
                                         frazil_error *reterr);

/* The same; FRAZIL_ESTATE also if the record is not the owner's, see fz_grant_file_check. */
FZ_PRIVATE frazil_err fz_grant_file_load_own(const struct fz_grant_file *file, bool *ret_exists,
                                             struct fz_grant_record *ret, frazil_error *reterr);

/* A record of the owner's layout and worker, which was granted nothing yet; not valid before something is used. */
FZ_PRIVATE struct fz_grant_record fz_grant_file_blank(const struct fz_grant_owner *owner);

/* Makes the file durably, in place of any that is there, with this one record.  FRAZIL_ESYS. */
FZ_PRIVATE frazil_err fz_grant_file_create(struct fz_grant_file *file, const struct fz_grant_record *record,
                                           frazil_error *reterr);

#endif
