/* SPDX-License-Identifier: MIT */
/*
 * Identities.  Everything that processes share has its name from here, or from one of these:
 * - a generator of the process: fz_canonical_text with FZ_TEXT_KEY (canonical.h)
 * - the place of a URL: fz_canonical_url_write (canonical_url.h)
 * - a layout: fz_layout_value, and frazil_layout_equal where text is no use (core/)
 * It decides by values that were parsed, never by the text that somebody typed or is shown.
 */
#ifndef FZ_CONFIG_IDENTITY_H
#define FZ_CONFIG_IDENTITY_H

#include "decision.h"

/*
 * Names the word and the grant of each worker: fills in decision->places.value and .name, from the layout.  `wanted` is
 * namespace=, NULL if it is not said.  FRAZIL_ESPEC: it is no name.
 */
FZ_PRIVATE frazil_err fz_identify_words(struct fz_decision *decision, const char *wanted, frazil_error *reterr);

/*
 * Names the lease that all processes share whose specs agree in all that decides what is granted, and to whom: fills in
 * decision->lease.identity, from all that is decided already, places.value included.  A password is no part of it, so
 * that a new one does not part the processes, unless it alone is the identity (fz_url_is_of_password).  Cannot fail.
 */
FZ_PRIVATE void fz_identify_lease(struct fz_decision *decision);

/* The worker ids that generators of a decision may have. */
struct fz_worker_range {
    uint64_t first;
    uint64_t count; /* 1 at least */
};

/* All that they may have: where nobody can know which ones, all of the layout.  Cannot fail. */
FZ_PRIVATE struct fz_worker_range fz_worker_range_of(const struct fz_decision *decision);

/*
 * Whether both take their worker ids from one pool, whatever their bounds are: from one namespace of a coordinator, or
 * by claims of one name in one folder of this host.  Cannot fail.
 */
FZ_PRIVATE bool fz_have_one_source(const struct fz_decision *one, const struct fz_decision *other);

/* How generators of two decisions stand to each other that are open at one time, on one host. */
enum fz_relation {
    FZ_RELATION_APART,  /* no id is in the reach of both, or two namespaces of coordinators part them on purpose */
    FZ_RELATION_SHARED, /* one word, one line of slots or one source of worker ids keeps each id from a second one */
    FZ_RELATION_TWINS   /* both can make the same ids, or nobody can know that they cannot */
};

/* Compares them, by all that was parsed and by no text.  Both are decided as for a generator.  Cannot fail. */
FZ_PRIVATE enum fz_relation fz_relation_of(const struct fz_decision *one, const struct fz_decision *other);

#endif
