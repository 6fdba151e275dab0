/* SPDX-License-Identifier: MIT */
/*
 * Slots of one worker, counted in a folder of this host: konayuki's file counter.
 *
 *   konayuki+file:///PATH    a file "worker-N.count" for each worker, "TICK PLACE",
 *                            the last slot taken, under its guard "worker-N.lock"
 *
 * A tick's first place is 0 or a random one, then one more each time, and when the
 * tick is full, or the clock has gone back, callers wait.  A count that is not
 * there may have been wiped: no slot of the present tick is taken then.
 *
 * The folder is made with those above it, as konayuki makes it.  Nothing in it is
 * synced, and every slot costs a lock: it is for those who have konayuki's set-up.
 * The key state=file does the same through shared memory, and survives a restart.
 */
#ifndef FZ_REGISTERS_FILE_SLOTS_H
#define FZ_REGISTERS_FILE_SLOTS_H

#include "lease/slot_source.h"

/*
 * Makes a source of slots; the folder is made, too, if only its last component is
 * missing.  FRAZIL_ESPEC: the URL; FRAZIL_ESYS: the folder cannot be made or written;
 * FRAZIL_ENOMEM.  take: FRAZIL_ESTATE if the count is damaged; FRAZIL_ESYS.
 */
FZ_PRIVATE frazil_err fz_file_slots_open(const struct fz_slots_request *request, struct fz_slot_source *ret,
                                         frazil_error *reterr);

#endif
