/* SPDX-License-Identifier: MIT */
/*
 * An operator's work on the worker ids of a namespace: create it, see which process holds which id until when.  Each
 * call connects and disconnects.
 * given: as for fz_target_find.
 */
#ifndef FZ_ADMIN_LEASES_H
#define FZ_ADMIN_LEASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frazil/coordinator.h"
#include "frazil/error.h"
#include "frazil/layout.h"

/* The states of a worker id that was once taken. */
enum fz_holding {
    FZ_HOLDING_HELD,
    FZ_HOLDING_ABANDONED, /* its grant has ended, and nobody gave it back: the next one takes it */
    FZ_HOLDING_RELEASED,
    FZ_HOLDING_UNREADABLE
};

/* Bytes of the text of a row, terminator included. */
#define FZ_LEASE_TEXT_SIZE 128

struct fz_lease_row {
    uint32_t worker;
    enum fz_holding holding;
    char text[FZ_LEASE_TEXT_SIZE]; /* its last owner, "host:pid"; FZ_HOLDING_UNREADABLE: why it is, perhaps cut */
    int64_t until_unix_ms;         /* the last tick that its owner may have used */
    int64_t since_unix_ms;         /* when its owner took it */
    uint64_t owners;               /* how many have had it */
    uint64_t extensions;           /* by this owner */
};

/* A namespace, and every worker id of it that was ever taken, in the order of their numbers. */
struct fz_leases {
    char layout[FRAZIL_FINGERPRINT_SIZE];
    uint64_t horizon_ms;
    int64_t max_skew_ms;
    uint64_t workers;
    int64_t created_unix_ms;    /* 0: nobody noted it */
    int64_t quarantine_unix_ms; /* nothing up to here is granted any more; 0: there is none */
    size_t held;                /* how many are held now */
    size_t count;
    struct fz_lease_row *rows;
};

/*
 * Creates the namespace that a spec (or a URL alone) names, with its layout, its
 * horizon and its max_skew.  never_used: nobody ever had ids from it, so that the first
 * ones need not wait for what could have been granted before; if not, the spec must say
 * horizon and max_skew, or it is FRAZIL_ESPEC.  *ret_opens_unix_ms: from
 * when on ids are granted.  Errors as fz_target_open and fz_lease_init.
 */
frazil_err fz_leases_init(const char *spec_or_url, const frazil_coordinator *const *given, bool never_used,
                          int64_t *ret_opens_unix_ms, frazil_error *reterr);

/* Looks at a namespace.  Errors as fz_target_open and fz_lease_list.  The caller frees what it returns. */
frazil_err fz_leases_list(const char *spec_or_url, const frazil_coordinator *const *given, struct fz_leases *ret,
                          frazil_error *reterr);

/* Frees the rows. */
void fz_leases_free(struct fz_leases *leases);

#endif
