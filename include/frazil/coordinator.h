/* SPDX-License-Identifier: MIT */
/*
 * Coordinators: the systems from which a fleet gets its worker ids.
 *
 * A spec that names one, as in worker=redis://127.0.0.1/orders, is all that is
 * needed: the part that knows it (libfrazil-redis.so.1) is loaded when it is first
 * used, from where the dynamic linker looks.  A program that links the parts itself, because it is static or wants
 * nothing loaded behind its back, takes them from frazil/coordinators.h and gives them to
 * frazil_options_coordinator.
 */
#ifndef FRAZIL_COORDINATOR_H
#define FRAZIL_COORDINATOR_H

#include "error.h"

FRAZIL_BEGIN_DECLS

/* A part that knows a kind of coordinator. */
typedef struct frazil_coordinator frazil_coordinator;

/* The names of all parts there are: "file", "redis" and so on; NULL at the end.  Never freed.  Any thread. */
FRAZIL_API const char *const *frazil_coordinator_parts(void);

/*
 * Loads a part by its name; it stays loaded, and no opening has to load it.  FRAZIL_ESYS: this process was forked while
 * another thread was doing so (generator.h).  FRAZIL_ENOTBUILT: it is not
 * installed, or is of another version than this library, or of another build of it
 * whose structures differ; FRAZIL_EINVAL: there is no such part.  Any thread.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_coordinator_load(const frazil_coordinator **ret, const char *part,
                                                           frazil_error *reterr) FRAZIL_NONNULL(1, 2);

/* The client library that a part uses, with its version: "hiredis 0.14.1".  Never freed.  Any thread. */
FRAZIL_API const char *frazil_coordinator_client(const frazil_coordinator *coordinator) FRAZIL_NONNULL(1);

FRAZIL_END_DECLS

#endif
