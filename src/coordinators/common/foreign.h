/* SPDX-License-Identifier: MIT */
/*
 * Keys of other generators' that a coordinator serves beside frazil's own.  Each kind is a frazil_coordinator of its
 * own in compat/, without a part and schemes; a coordinator has one row for each.
 */
#ifndef FZ_COMMON_FOREIGN_H
#define FZ_COMMON_FOREIGN_H

#include "lease/coordinator.h"

struct fz_foreign {
    const char *prefix; /* its URLs begin with this, before the coordinator's own scheme: "sfid+" */
    const frazil_coordinator *served_by;
};

/* Worker ids in the keys of sfid, and slots in those of konayuki; both in a Redis. */
extern const frazil_coordinator fz_sfid_keys;
extern const frazil_coordinator fz_konayuki_keys;

/*
 * Slots in konayuki's counters, in a folder of this host (konayuki+file:///PATH), which is made with those above it.
 * FRAZIL_ESPEC: the URL; FRAZIL_ESYS: the folder cannot be made or written; FRAZIL_ENOMEM.  take: FRAZIL_ESTATE if the
 * count is damaged; FRAZIL_ESYS.  self is not used: it is an open_slots of frazil_coordinator.
 */
FZ_PRIVATE frazil_err fz_konayuki_counter_open(const frazil_coordinator *self, const struct fz_slots_request *request,
                                               struct fz_slot_source *ret, frazil_error *reterr);

#endif
