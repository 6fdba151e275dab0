/* SPDX-License-Identifier: MIT */
/*
 * Records: what stands in a register, as text.  Pure; any thread.
 *
 *   frazil1 worker until=7130 floor=5000 token=0123456789abcdef0123456789abcdef owner=web-3:411 since=1767225600000
 *       released=no owners=3 extensions=17
 *   frazil1 namespace layout="41/10/12 epoch=1767225600000 tick=1ms" horizon=60000 max_skew=1000 workers=1024 token=...
 *       created=... quarantine=0 losses=0 incarnation=...
 *
 * (each in one line).  The number behind "frazil" is the version of the form.  A reader takes exactly these fields in
 * exactly this order, each in its range, and nothing behind them; another field needs another version.
 */
#ifndef FZ_LEASE_RECORD_H
#define FZ_LEASE_RECORD_H

#include "frazil/layout.h"
#include "register.h"

/* A number that nobody else has; only ever shown and compared for alarms, never believed: a cloned machine has it, too.
 */
struct fz_token {
    uint64_t high;
    uint64_t low;
};

/* Bytes of an owner's text, terminator included. */
#define FZ_OWNER_SIZE 64

/* Ticks have at most 63 bits. */
#define FZ_TICK_MAX (UINT64_MAX >> 1)

#define FZ_HORIZON_MS_MIN 100
#define FZ_HORIZON_MS_MAX 604800000 /* a week */

#define FZ_SKEW_MS_MAX 604800000 /* no more than the longest horizon */
#define FZ_SKEW_MS_DEFAULT 250

/* As the max_skew of a lease: whatever the namespace has. */
#define FZ_SKEW_UNSET (-1)

/* The owner of a worker id, and its last tick. */
struct fz_worker_record {
    uint64_t until;        /* no tick above it is anybody's; every one up to it is taken for ever */
    uint64_t floor;        /* first tick that this owner may use; at most until + 1 */
    struct fz_token token; /* of the owner's */
    char owner[FZ_OWNER_SIZE];
    int64_t since_unix_ms; /* when the owner took it */
    bool released;         /* nobody holds it */
    uint64_t owners;       /* how many have taken it up to now, this one included */
    uint64_t extensions;   /* by this owner */
};

/* The settings that all users of a namespace must agree about. */
struct fz_namespace_record {
    char layout[FRAZIL_FINGERPRINT_SIZE];
    uint64_t horizon_ms;   /* a grant reaches at most this far beyond the moment in which it is made */
    int64_t max_skew_ms;   /* how far the clocks of all that take part may differ */
    uint64_t workers;      /* worker ids 0 .. workers - 1 */
    struct fz_token token; /* tells it from another one of the same name, created before or after */
    int64_t created_unix_ms;
    uint64_t quarantine_until; /* no tick up to this one is granted any more; 0: none */
    uint64_t losses;           /* how often it was raised since the namespace was created */
    char incarnation[FZ_INCARNATION_SIZE];
};

/*
 * Makes an owner's text of any: what is not a letter, a digit or one of "._:-"
 * becomes '_', what does not fit is cut, an empty one becomes "_".
 */
FZ_PRIVATE void fz_owner_sanitise(const char *text, char ret[FZ_OWNER_SIZE]);

/* True if both are the same. */
FZ_PRIVATE bool fz_token_equal(struct fz_token a, struct fz_token b);

/* Writes a record as text, without terminator; returns its length.  Every field must be in its range. */
FZ_PRIVATE size_t fz_worker_record_format(const struct fz_worker_record *record, char buf[FZ_RECORD_SIZE_MAX]);
FZ_PRIVATE size_t fz_namespace_record_format(const struct fz_namespace_record *record, char buf[FZ_RECORD_SIZE_MAX]);

/*
 * Reads exactly len characters.  FRAZIL_EPARSE: anything but what the functions
 * above write; reterr (may be NULL) says where, or that a newer frazil wrote it.
 */
FZ_PRIVATE frazil_err fz_worker_record_parse(const char *text, size_t len, struct fz_worker_record *ret,
                                             frazil_error *reterr);
FZ_PRIVATE frazil_err fz_namespace_record_parse(const char *text, size_t len, struct fz_namespace_record *ret,
                                                frazil_error *reterr);

#endif
