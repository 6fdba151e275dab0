/* SPDX-License-Identifier: MIT */
/*
 * PostgreSQL as a dialect of common/sql_register.h: one table, by default public.frazil_lease.  A standby is not asked.
 *
 * The incarnation is SYSTEM.TIMELINE.START.DATABASE.TABLE: the cluster's identifier,
 * its timeline, when the server was started, and the oids of database and table.  A
 * database that is copied as a template has tables of the same oids.  The incarnation
 * changes when a standby was promoted, a backup or a disk was put back, a copy got the
 * name of its original, or the table was made again: then a swap that was answered may
 * be lost.
 */
#ifndef FZ_COORDINATORS_POSTGRESQL_REGISTER_H
#define FZ_COORDINATORS_POSTGRESQL_REGISTER_H

#include "lease/coordinator.h"

/*
 * Makes a register of a URL (see postgresql_url.h), without connecting; as open_register in
 * lease/coordinator.h.  FRAZIL_ESPEC, ESYS: the URL or its password file; FRAZIL_ENOMEM.
 */
frazil_err fz_postgresql_register_open(const char *url, struct fz_register *ret, char *ret_name, frazil_error *reterr);

#endif
