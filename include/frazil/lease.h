/* SPDX-License-Identifier: MIT */
/*
 * Leasing a worker id without a generator, for programs that make their ids themselves, or need a number for something
 * else.
 *
 *   frazil_lease *lease;
 *   frazil_lease_info info;
 *   frazil_error err;
 *   if (frazil_lease_open(&lease, "worker=redis://db1/orders", &err) != FRAZIL_OK)
 *       errx(1, "%s", err.message);
 *   if (frazil_lease_get_info(lease, &info, sizeof info, &err) == FRAZIL_OK)
 *       printf("%" PRIu32 " until %" PRId64 "\n", info.worker, info.end_unix_ms);
 *   frazil_lease_close(lease, FRAZIL_LEASE_ALL_USED);
 *
 * The program has the number only for a limited time: from from_unix_ms until before end_unix_ms, as
 * frazil_lease_get_info says.  An extension moves the end.  After the end another process may have the number, so the
 * program must compare each time that it stamps with that end.  A generator does this by itself: use one where you can.
 *
 * Threads: every function may be called from any thread, except frazil_lease_close, which must be the last call.
 *
 * Fork: parent and child share the number, and the program must keep their ids apart.  Each closes its own copy; the
 * last close releases the number.  generator.h says when a process may fork.
 */
#ifndef FRAZIL_LEASE_H
#define FRAZIL_LEASE_H

#include "options.h"

FRAZIL_BEGIN_DECLS

/* A leased worker id: opened by frazil_lease_open, closed by frazil_lease_close. */
typedef struct frazil_lease frazil_lease;

/* The number of a lease, and the time for which it holds. */
typedef struct frazil_lease_info {
    uint32_t worker;      /* the number, with base and datacenter in it; for sno the partition */
    uint32_t reserved;    /* 0 */
    int64_t from_unix_ms; /* nothing may be stamped before: another process may have had the number then */
    int64_t end_unix_ms;  /* nor at this time or later, unless an extension moves it */
} frazil_lease_info;

/*
 * Leases a worker id.  The spec is that of frazil_open; worker= is the URL of a coordinator.  keeper=thread, the
 * default, extends the lease by itself.  on_loss is `stop` unless the spec says `move`: a lost number is not replaced
 * unnoticed.  FRAZIL_ESPEC: the worker id comes from elsewhere; other errors as frazil_open.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_lease_open(frazil_lease **ret, const char *spec, frazil_error *reterr)
    FRAZIL_NONNULL(1);

/* The same for options, whose granter may replace a coordinator. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_lease_open_with(frazil_lease **ret, const frazil_options *options,
                                                          frazil_error *reterr) FRAZIL_NONNULL(1, 2);

/*
 * Fills ret with the state of the lease, without blocking.  size is sizeof *ret (frazil.h).  FRAZIL_ELEASE: it has
 * ended.  FRAZIL_ECLOCK: the clock is before from_unix_ms; reterr->retry_ns says for how long.  Success means that the
 * program has the number at this instant of its own clock.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_lease_get_info(frazil_lease *lease, frazil_lease_info *ret, size_t size,
                                                         frazil_error *reterr) FRAZIL_NONNULL(1, 2);

/* Extends the lease if it is due, for keeper=hook: as frazil_keep, with the same errors. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_lease_keep(frazil_lease *lease, uint64_t wait_ns, uint64_t *ret_next_ns,
                                                     frazil_error *reterr) FRAZIL_NONNULL(1, 3);

/* For frazil_lease_close: anything up to the end of the lease may have been used. */
#define FRAZIL_LEASE_ALL_USED INT64_MAX

/*
 * Releases the number; NULL is allowed.  The program promises that it stamped nothing later than used_unix_ms: the next
 * owner begins after that.  If that time is too early, the next owner can repeat the program's ids.
 * FRAZIL_LEASE_ALL_USED is always safe, and keeps the number out of use until its end.
 */
FRAZIL_API void frazil_lease_close(frazil_lease *lease, int64_t used_unix_ms);

FRAZIL_END_DECLS

#endif
