/* SPDX-License-Identifier: MIT */
/*
 * A register in a directory of this host, for the processes of one user: a file
 * for each record, "worker-N" and "namespace" (record_file.h).  A swap is made under
 * the guard records.lock, in place and durably; readers need no guard.  Not for a
 * directory that hosts share: locks mean little there.
 */
#ifndef FZ_COORDINATORS_FILE_REGISTER_H
#define FZ_COORDINATORS_FILE_REGISTER_H

#include "lease/register.h"

/*
 * Makes a register of a directory (an absolute path), which is made, too, if only
 * its last component is missing.  FRAZIL_ESPEC: the path; FRAZIL_ESYS: it cannot be
 * made or written; FRAZIL_ENOMEM.
 */
FZ_PRIVATE frazil_err fz_file_register_open(struct fz_register *ret, const char *directory, frazil_error *reterr);

#endif
