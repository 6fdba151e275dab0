/* SPDX-License-Identifier: MIT */
/*
 * Worker ids out of a fleet that is shared with sfid: a granter over its keys.  sfid.h says
 * which promises hold, and which do not.
 */
#ifndef FZ_COORDINATORS_SFID_GRANTER_H
#define FZ_COORDINATORS_SFID_GRANTER_H

#include "lease/coordinator.h"

/*
 * Makes a granter of sfid+redis://..., without connecting.  FRAZIL_ESPEC, ESYS,
 * ENOTBUILT: the URL; FRAZIL_ERANGE: worker ids that the layout does not have or a key
 * cannot hold, ticks too long, max_skew of a minute or more; FRAZIL_ENOMEM.
 *
 * Beyond what granter.h says:
 *
 * acquire: FRAZIL_EPOOL: all are taken.  FRAZIL_ENAMESPACE: frazils of another layout
 * use this app, the server evicts, or it refuses.  FRAZIL_ECLOCK: the clocks differ too
 * much.  FRAZIL_EUNREACHABLE: no answer, or a slow one; a key that was taken is burned, and is free again when it
 * expires.  FRAZIL_EEXHAUSTED: the layout's life is over.
 *
 * extend: a request that was carried out without an answer is a loss, and another worker id
 * is taken; FRAZIL_ELEASE: lost, and none is free, or *held has ended; FRAZIL_EAGAIN as
 * long as it has not.
 *
 * release: the key goes when the ids that were issued are older than max_skew: at once
 * unless the last one is newer.
 */
frazil_err fz_sfid_open_granter(const frazil_coordinator *self, const struct fz_lease_request *request,
                                struct fz_granter *ret, frazil_error *reterr);

#endif
