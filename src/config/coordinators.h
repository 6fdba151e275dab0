/* SPDX-License-Identifier: MIT */
/*
 * The kinds of coordinators: one table.  The parser, the build (FrazilCoordinators.cmake), the packages, the help, the
 * completion and the tests read it.  CONTRIBUTING.md says what a new row needs.
 */
#ifndef FZ_CONFIG_COORDINATORS_H
#define FZ_CONFIG_COORDINATORS_H

#include "decision.h"
#include "lease/coordinator.h"

/* clang-format off */
/*
 * X(part, schemes, port, help): the part is the library libfrazil-PART, made of src/coordinators/PART; its URLs begin with
 * one of the schemes, of which the first is the usual one.  A host without a port has this one; 0: the client decides.
 * Help has the URLs as `frazil help worker` prints them.
 */
#define FZ_COORDINATORS(X) \
    X(file,       "file konayuki+file", 0, \
      "  file:///FOLDER (one host)\n") \
    X(redis,      "redis redis+unix rediss sfid+redis sfid+redis+unix konayuki+redis konayuki+redis+unix", 6379, \
      "  redis://[[USER]:PASSWORD@]HOST[:PORT]/NAMESPACE  redis+unix:// (no rediss://)\n" \
      "  sfid+redis://HOST/APP (beside generators of sfid)\n") \
    X(etcd,       "etcd etcds", 2379, \
      "  etcd://[USER:PASSWORD@]HOST[:PORT][,...]/NAMESPACE  etcds:// (TLS)\n") \
    X(zookeeper,  "zookeeper", 2181, \
      "  zookeeper://[USER:PASSWORD@]HOST[:PORT][,...]/NAMESPACE\n") \
    X(postgresql, "postgres postgresql", 0, \
      "  postgres://[USER[:PASSWORD]@][HOST[:PORT][,...]]/DATABASE/NAMESPACE\n") \
    X(mysql,      "mysql mariadb", 3306, \
      "  mysql://USER[:PASSWORD]@HOST[:PORT][,...]/DATABASE/NAMESPACE  mariadb://\n")
/* clang-format on */

/* The name of the part of this index, in the order of the table; NULL: the index is too large. */
FZ_PRIVATE const char *fz_coordinator_part(size_t index);

/* Whether a value is a URL, of whatever kind. */
FZ_PRIVATE bool fz_is_url(const char *text);

/* Whether a value is what URLs of a coordinator begin with, and no URL. */
FZ_PRIVATE bool fz_is_scheme(const char *text);

/* Whether a state=URL names counters of konayuki's. */
FZ_PRIVATE bool fz_coordinator_is_konayuki(const char *url);

/* The port of a host that a URL names without one; 0: none, or the client decides. */
FZ_PRIVATE uint16_t fz_coordinator_port(const char *url);

/* How many slots are taken at a time from a state=URL that says no batch. */
FZ_PRIVATE uint64_t fz_coordinator_batch(const char *url);

/*
 * The part for a URL: one of those given (NULL at the end, or NULL) if one of them
 * has its scheme, else the one that is loaded for it.  what is the key that the URL
 * is the value of, for sentences.  FRAZIL_ESPEC: no part knows its scheme;
 * FRAZIL_ENOTBUILT: the part is not installed, or of another version
 * or build, which all of those given must not be either; FRAZIL_ESYS: this process was forked where it may use none
 * (os/clients.h).
 */
FZ_PRIVATE frazil_err fz_coordinator_for(const char *what, const char *url, const frazil_coordinator *const *given,
                                         const frazil_coordinator **ret, frazil_error *reterr);

/*
 * Opens the slots of one worker that a decision's state=URL names.  No coordinator is asked before some are taken.
 * random is copied.  FRAZIL_ESPEC: the coordinator has no slots; otherwise errors as fz_coordinator_for and a
 * coordinator's open_slots.  On success the caller closes *ret.
 */
FZ_PRIVATE frazil_err fz_coordinator_open_slots(const struct fz_decision *decision, uint32_t worker,
                                                const frazil_random *random, const frazil_coordinator *const *given,
                                                struct fz_slot_source *ret, frazil_error *reterr);

#endif
