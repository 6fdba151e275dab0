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

/*
 * Loads a part by its name ("redis"), before a program forks or gives up its rights.  It stays loaded, and no opening
 * has to load it.  ret may be NULL; what it gets is never freed.  FRAZIL_ENOTBUILT: the part is not installed, or is of
 * another version or build than this library.  FRAZIL_EINVAL: there is no such part; the sentence lists them.
 * FRAZIL_ESYS: this process was forked while another thread was loading a part (generator.h).  Any thread.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_coordinator_load(const frazil_coordinator **ret, const char *part,
                                                           frazil_error *reterr) FRAZIL_NONNULL(2);

FRAZIL_END_DECLS

#endif
