/* SPDX-License-Identifier: MIT */
/*
 * keeper=other: another process of the host holds the lease that this one shares.  This one finds the grant on the
 * page, asks no coordinator and loads no client.
 */
#ifndef FZ_GENERATOR_OTHER_KEEPER_H
#define FZ_GENERATOR_OTHER_KEEPER_H

#include "lease/granter.h"

/* Grants nothing: FRAZIL_EAGAIN, until the other process has put a grant on the page. */
FZ_PRIVATE struct fz_granter fz_other_keeper(void);

#endif
