/* SPDX-License-Identifier: MIT */
/*
 * The register port: a coordinator seen as one thing only, a set of numbered
 * records that can be read and compare-and-swapped.  The lease protocol is
 * written once over it.
 *
 * A register is bound to one namespace when it is made.  Record FZ_NAMESPACE
 * says what the namespace is; records 0, 1, 2 ... are those of the workers.  A
 * record's version grows with every swap and never comes back, not even after
 * the record was lost and made again: a process that still knows an old version
 * must not pass for the owner.  0 is the version of a record that does not exist.
 */
#ifndef FZ_LEASE_REGISTER_H
#define FZ_LEASE_REGISTER_H

#include <stddef.h>
#include <stdint.h>

#include "core/deadline.h"
#include "frazil/error.h"

#define FZ_NAMESPACE UINT32_MAX

/* The most bytes that a record may have. */
#define FZ_RECORD_SIZE_MAX 512

/* The most bytes that a coordinator may answer in one exchange: room for 80,000 records. */
#define FZ_ANSWER_SIZE_MAX (16 << 20)

/* The most records that can be requested by number at once. */
#define FZ_READ_MANY_MAX 1024

/* Bytes of an incarnation, terminator included. */
#define FZ_INCARNATION_SIZE 96

enum fz_register_result {
    FZ_REGISTER_OK,
    FZ_REGISTER_CONFLICT, /* the version was another one: nothing has changed */
    FZ_REGISTER_UNKNOWN,  /* no answer: it may have been carried out, or may still be */
    /*
     * It certainly was not carried out.  The code in reterr says why: FRAZIL_EUNREACHABLE, it does not answer;
     * FRAZIL_EAGAIN, it answers that it cannot, and that passes by itself; FRAZIL_EREFUSED or FRAZIL_ESYS, likewise,
     * and an operator has to fix it.
     */
    FZ_REGISTER_UNREACHABLE,
    FZ_REGISTER_REFUSED /* the coordinator said no (permissions, wrong type, bad configuration); reterr says why */
};

/* How far a coordinator can be trusted not to go back. */
enum fz_register_class {
    FZ_REGISTER_STRICT,       /* a record never goes back */
    FZ_REGISTER_ASYNCHRONOUS, /* it may after a fail-over: quarantine when the incarnation changed */
    FZ_REGISTER_ONE_HOST      /* this host only */
};

struct fz_record {
    uint64_t version; /* 0: does not exist */
    size_t len;
    char data[FZ_RECORD_SIZE_MAX];
};

/* A compare-and-swap: the record's number, the version that it must have, and what replaces it. */
struct fz_swap {
    uint32_t number;
    uint64_t expected; /* 0: the record must not exist */
    const char *data;
    size_t len; /* at most FZ_RECORD_SIZE_MAX */
};

/* A coordinator tells this about itself with each answer. */
struct fz_register_status {
    bool has_clock;
    int64_t unix_ms;                       /* its clock when it answered showed this, or up to clock_width_ms more: */
    uint32_t clock_width_ms;               /* some tell whole seconds only; 0: to the millisecond */
    char incarnation[FZ_INCARNATION_SIZE]; /* changes when it may have lost records; empty: it never does.
                                              Letters, digits and "._:-" */
};

/* How good a finding is. */
enum fz_finding_level {
    FZ_FINDING_OK,
    FZ_FINDING_WARN, /* works, and may not be what is wanted */
    FZ_FINDING_FAIL  /* unsafe, or does not work */
};

/* Bytes of a finding, terminator included. */
#define FZ_FINDING_SIZE 512

/*
 * The beginning of the finding that tells how far the coordinator's clock is ahead of
 * ours: a whole number, perhaps negative, and " ms" follow, and nothing else.
 * Others begin with what they are about and a colon, as "eviction: ".
 */
#define FZ_FINDING_SKEW "its clock minus ours: "

/*
 * The beginnings of the findings that nothing can be asked of it; the reason follows.  That it cannot serve for a while
 * passes by itself.
 */
#define FZ_FINDING_REFUSED "the coordinator refuses: "
#define FZ_FINDING_BUSY "the coordinator cannot serve for a while: "
#define FZ_FINDING_BROKEN "the coordinator cannot serve until that is fixed: "
#define FZ_FINDING_SILENT "the coordinator does not answer: "

/* The beginning of the finding that tells how long a read takes: a whole number, " us", and nothing else. */
#define FZ_FINDING_ROUND_TRIP "round trip: "

/* One thing that an operator should know, as a sentence; a warning or a failure says what would be right. */
typedef void (*fz_finding_visitor)(void *ctx, enum fz_finding_level level, const char *sentence);

typedef void (*fz_record_visitor)(void *ctx, uint32_t number, const struct fz_record *record);

/*
 * One caller at a time.  Each function but after_fork and close takes the deadline of the call that it serves, so that
 * no request can be made without one.  A request takes no longer than what is left of that, nor than the URL's timeout;
 * if nothing is left it is not sent, and the result is FZ_REGISTER_UNREACHABLE.
 */
struct fz_register {
    void *ctx;
    enum fz_register_class register_class;

    /* One record; version 0 if there is none.  status may be NULL. */
    enum fz_register_result (*read)(void *ctx, struct fz_deadline deadline, uint32_t number, struct fz_record *ret,
                                    struct fz_register_status *status, frazil_error *reterr);

    /*
     * All records of the namespace, in any order, in as few round trips as can be.
     * One that is damaged beyond its version is shown with version 1 and no data.
     */
    enum fz_register_result (*read_all)(void *ctx, struct fz_deadline deadline, fz_record_visitor visit,
                                        void *visit_ctx, struct fz_register_status *status, frazil_error *reterr);

    /*
     * The records of n numbers, which are all different: 1 to FZ_READ_MANY_MAX, FZ_NAMESPACE may be among them.  In any
     * order, and in one round trip if the coordinator has one for that many.  Those that do not exist are not shown.
     * One that is damaged is shown, or refused, as by read_all.  Of those behind the first `whole`, FZ_NAMESPACE not
     * among them, it is enough to show that they exist: with version 1 and no data.
     */
    enum fz_register_result (*read_many)(void *ctx, struct fz_deadline deadline, const uint32_t *numbers, size_t n,
                                         size_t whole, fz_record_visitor visit, void *visit_ctx,
                                         struct fz_register_status *status, frazil_error *reterr);
    bool finds_for_less; /* to show that a record exists takes fewer bytes than to show it */

    /*
     * Replaces the record if its version is still the expected one.  Durable, as far as the class goes, before it
     * returns FZ_REGISTER_OK.
     */
    enum fz_register_result (*swap)(void *ctx, struct fz_deadline deadline, const struct fz_swap *swap,
                                    uint64_t *ret_version, struct fz_register_status *status, frazil_error *reterr);

    /*
     * Makes what records are kept in, if it is not there.  fz_lease_init calls it; before it was called,
     * nothing is found and no record can be made.  NULL: there is nothing to make.
     */
    enum fz_register_result (*prepare)(void *ctx, struct fz_deadline deadline, frazil_error *reterr);

    /*
     * Shows what there is to say of the coordinator's own settings: persistence,
     * eviction, replication, permissions.  NULL: nothing.
     */
    enum fz_register_result (*diagnose)(void *ctx, struct fz_deadline deadline, fz_finding_visitor visit,
                                        void *visit_ctx, frazil_error *reterr);

    /* Drops connections that a child process inherited, without touching the parent's.  NULL: nothing to do. */
    void (*after_fork)(void *ctx);

    void (*close)(void *ctx);
};

#endif
