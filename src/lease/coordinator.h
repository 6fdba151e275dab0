/* SPDX-License-Identifier: MIT */
/*
 * Coordinators: what a generator, and an operator, can ask of a Redis, an etcd
 * and so on.  Each is a library of its own, which links its client library; it
 * is loaded when a spec names one of its URLs, or given to frazil_options_coordinator.
 *
 * A coordinator is a register with a name.  The lease protocol over it is linked
 * into each of them from here (FZ_LEASE_COORDINATOR): libfrazil itself needs the
 * granter only.
 */
#ifndef FZ_LEASE_COORDINATOR_H
#define FZ_LEASE_COORDINATOR_H

#include "frazil.h"
#include "frazil/coordinators.h"
#include "granter.h"
#include "lease.h"
#include "slot_source.h"

struct fz_clients; /* os/clients.h */

/* The request of a generator to a coordinator.  Everything is copied but the object behind random->ctx. */
struct fz_lease_request {
    const char *url;
    const char *owner; /* this process, as "host:pid" */
    const frazil_layout *layout;
    const frazil_random *random;
    const frazil_clock *clock;
    uint32_t base; /* worker ids base .. base + count - 1 are used */
    uint32_t count;
    int64_t max_skew_ms;                /* how far clocks may differ */
    bool max_skew_is_set;               /* if not, that is the default: a namespace that says something else is right */
    bool stay;                          /* never take another worker id than the first one */
    uint64_t horizon_ms;                /* the horizon that the namespace must have; 0: any */
    uint64_t workers;                   /* likewise */
    const struct fz_lease_group *group; /* NULL: the caller and its children are the only ones */
};

/*
 * The number of the structures that a part and its loader exchange.  Each change of one of them raises it: builds of
 * one version can differ in it.  tests/style/structures.sh knows them all.
 */
#define FZ_STRUCTURES 10

/* Texts in it are never freed.  Any thread. */
struct frazil_coordinator {
    /* These four stay where they are: they are read before anybody knows whether the rest is as it looks. */
    uint32_t size;       /* of this structure, in the part's build */
    uint32_t structures; /* FZ_STRUCTURES of that build */
    const char *version; /* its FRAZIL_VERSION */
    const char *part;    /* "redis" */

    const char *client; /* the client library and its version: "hiredis 0.14.1" */

    /* Of its URLs, without "://"; NULL at the end.  NULL: those of the part's row in FZ_COORDINATORS. */
    const char *const *schemes;

    /* fz_clients_share of the part: it counts the threads inside its client library.  NULL: it has none. */
    struct fz_clients *(*share_clients)(struct fz_clients *given);

    /*
     * Makes a register of a URL without connecting; ret_name, of
     * FZ_LEASE_NAME_SIZE bytes, is what sentences call the namespace.  FRAZIL_ESPEC: the URL;
     * FRAZIL_ESYS: a file that it names; FRAZIL_ENOTBUILT; FRAZIL_ENOMEM.
     */
    frazil_err (*open_register)(const char *url, struct fz_register *ret, char *ret_name, frazil_error *reterr);

    /* A granter of worker ids and ticks.  Errors as open_register and fz_lease_open. */
    frazil_err (*open_granter)(const frazil_coordinator *self, const struct fz_lease_request *request,
                               struct fz_granter *ret, frazil_error *reterr);

    /* Slots of one worker, for hosts that cannot share memory (the key `state`).  NULL: it has none. */
    frazil_err (*open_slots)(const frazil_coordinator *self, const struct fz_slots_request *request,
                             struct fz_slot_source *ret, frazil_error *reterr);

    /* ---- for operators: each connects, does its work and disconnects ---- */

    /* fz_lease_init; options->name need not be set. */
    frazil_err (*init)(const frazil_coordinator *self, const char *url, const struct fz_namespace_options *options,
                       frazil_error *reterr);

    /* fz_lease_list. */
    frazil_err (*list)(const frazil_coordinator *self, const char *url, fz_lease_visitor visit, void *ctx,
                       struct fz_namespace_record *ret, frazil_error *reterr);

    /* fz_lease_release_by_hand. */
    frazil_err (*release)(const frazil_coordinator *self, const char *url, uint32_t worker, frazil_error *reterr);

    /*
     * Diagnoses the coordinator: whether it answers and how fast,
     * its class, its clock, its settings.  Fails only when the URL does: a
     * coordinator that does not answer is a finding.
     */
    frazil_err (*diagnose)(const frazil_coordinator *self, const char *url, const frazil_clock *clock,
                           fz_finding_visitor visit, void *ctx, frazil_error *reterr);

    /* The same where slots come from (the key `state`).  NULL: there is nobody to ask. */
    frazil_err (*diagnose_slots)(const frazil_coordinator *self, const char *url, const frazil_clock *clock,
                                 fz_finding_visitor visit, void *ctx, frazil_error *reterr);
};

/* How a part and its loader recognise each other. */
#define FZ_COORDINATOR_BUILD .size = sizeof(frazil_coordinator), .structures = FZ_STRUCTURES, .version = FRAZIL_VERSION

/* The functions of a coordinator whose worker ids are leases over its register. */
#define FZ_LEASE_COORDINATOR                                                                                           \
    FZ_COORDINATOR_BUILD, .open_granter = fz_lease_open_granter, .init = fz_lease_init_url, .list = fz_lease_list_url, \
                          .release = fz_lease_release_url, .diagnose = fz_lease_diagnose_url

/* Each does over self->open_register what its namesake in frazil_coordinator says. */
FZ_PRIVATE frazil_err fz_lease_open_granter(const frazil_coordinator *self, const struct fz_lease_request *request,
                                            struct fz_granter *ret, frazil_error *reterr);
FZ_PRIVATE frazil_err fz_lease_init_url(const frazil_coordinator *self, const char *url,
                                        const struct fz_namespace_options *options, frazil_error *reterr);
FZ_PRIVATE frazil_err fz_lease_list_url(const frazil_coordinator *self, const char *url, fz_lease_visitor visit,
                                        void *ctx, struct fz_namespace_record *ret, frazil_error *reterr);
FZ_PRIVATE frazil_err fz_lease_release_url(const frazil_coordinator *self, const char *url, uint32_t worker,
                                           frazil_error *reterr);
FZ_PRIVATE frazil_err fz_lease_diagnose_url(const frazil_coordinator *self, const char *url, const frazil_clock *clock,
                                            fz_finding_visitor visit, void *ctx, frazil_error *reterr);

#endif
