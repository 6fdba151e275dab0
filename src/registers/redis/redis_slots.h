/* SPDX-License-Identifier: MIT */
/*
 * Slots of one worker, reserved in Redis in batches, for hosts that issue ids of one worker
 * and share no memory.  Each reservation is one call of a script; whatever had no answer is
 * burned.
 *
 *   redis://HOST/NAMESPACE              frazil's own: a hash "frazil:slots:NAMESPACE" with the next free slot of each
 *                                       worker, "TICK PLACE LIFE", and "terms", what all who share it must agree about
 *   konayuki+redis://HOST[/PREFIX]      konayuki's keys, so that its generators can share them: PREFIX:WORKER:TICK is
 * the last place taken in that tick (ticks count from the epoch), and expires after 2 s; PREFIX is "konayuki:seq" if it
 * is not said.  Beside them frazil keeps PREFIX:_frazil:WORKER, "FLOOR LIFE", in the place of konayuki's sentinel:
 * whoever notices a wipe tells all others of it, too.
 *
 * LIFE is the server's run id and replication id.  When it has changed, or the record is not there, slots may have been
 * lost, and others take their place only where none can have been taken before:
 * - frazil's own: every slot lay at or below its taker's clock + max_lead, and that clock was within max_skew of the
 *   server's; so above the server's clock + max_lead + 2 max_skew;
 * - konayuki's never lie ahead of their taker's clock: above all clocks, as far as these are within max_skew.
 *
 * Clocks are compared with the server's in each call.
 */
#ifndef FZ_REGISTERS_REDIS_SLOTS_H
#define FZ_REGISTERS_REDIS_SLOTS_H

#include "lease/register.h"
#include "lease/slot_source.h"

#define FZ_KONAYUKI_SCHEME_PREFIX "konayuki+"
#define FZ_KONAYUKI_PREFIX "konayuki:seq"

enum { FZ_KONAYUKI_EXPIRY_MS = 2000 };

/*
 * Makes a source of slots, without connecting.  FRAZIL_ESPEC, ESYS, ENOTBUILT:
 * the URL; FRAZIL_ERANGE: no bound on max_lead; for konayuki's keys also max_lead and max_skew
 * that do not go with their expiry; FRAZIL_ENOMEM.  Beyond what slot_source.h says take fails with
 * FRAZIL_EWORKER when those who share the slots do not agree about layout,
 * capacity, max_lead and max_skew, or when the server evicts.
 */
frazil_err fz_redis_slots_open(const struct fz_slots_request *request, struct fz_slot_source *ret,
                               frazil_error *reterr);

/* What there is to know of the server for konayuki's keys; as `examine` in lease/coordinator.h. */
frazil_err fz_redis_slots_examine(const char *url, fz_finding_visitor visit, void *ctx, frazil_error *reterr);

#endif
