/* SPDX-License-Identifier: MIT */
/*
 * Coordinators: the systems from which a fleet gets its worker ids.
 *
 * A spec that names one, such as worker=redis://127.0.0.1/orders, is enough.  Its part, the driver
 * (libfrazil-redis.so.1), is loaded on first use from the dynamic linker's path.  A program can link the parts itself,
 * because it is static or must not load code at run time.  It takes them from frazil/coordinators.h and passes them to
 * frazil_options_coordinator.
 */
#ifndef FRAZIL_COORDINATOR_H
#define FRAZIL_COORDINATOR_H

#include "error.h"

FRAZIL_BEGIN_DECLS

/* A part: the driver for one kind of coordinator. */
typedef struct frazil_coordinator frazil_coordinator;

/*
 * Loads a part by its name ("redis"), before a program forks or drops privileges.  It stays loaded, so no opening has
 * to load it.  ret may be NULL; *ret is never freed.  FRAZIL_ENOTBUILT: the part is not installed, or its version or
 * build differs from this library's.  FRAZIL_EINVAL: there is no such part; the message lists them.  FRAZIL_ESYS: this
 * process was forked while another thread was loading a part (generator.h).  Any thread.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_coordinator_load(const frazil_coordinator **ret, const char *part,
                                                           frazil_error *reterr) FRAZIL_NONNULL(2);

FRAZIL_END_DECLS

#endif
