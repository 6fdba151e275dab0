/* SPDX-License-Identifier: MIT */
/* What the sources of worker ids share. */
#ifndef FZ_SPEC_WORKER_INTERNAL_H
#define FZ_SPEC_WORKER_INTERNAL_H

#include "config.h"

/* The numbers that a source may give, and what is made of them. */
struct fz_worker_space {
    uint64_t count; /* the source's number must be below this; 1 to 2^32 */
    uint64_t base;  /* is added to it */
    uint64_t high;  /* the datacenter, where it lies in the worker */
};

/* The worker that a source's number stands for, which must be below count. */
FZ_PRIVATE uint32_t fz_worker_in(const struct fz_worker_space *space, uint64_t number);

/* Turns the text that a source gave into a worker.  FRAZIL_EWORKER: no number, or not below count. */
FZ_PRIVATE frazil_err fz_worker_number(const struct fz_worker_space *space, const char *source, const char *text,
                                       size_t len, uint32_t *ret, frazil_error *reterr);

/* ---- worker_host.c: out of what the host is called and where it is ---------- */
/*
 * Each fills in first, and the hashes collision_ppm.  FRAZIL_EWORKER: name or
 * address do not suit the source.  FRAZIL_ESPEC, ERANGE: the settings do not.
 * FRAZIL_ESYS: the host does not say.
 */
FZ_PRIVATE frazil_err fz_worker_from_ordinal(const struct fz_worker_space *space, const struct fz_settings *settings,
                                             struct fz_worker_choice *choice, frazil_error *reterr);
FZ_PRIVATE frazil_err fz_worker_from_last_octet(const struct fz_worker_space *space, const struct fz_settings *settings,
                                                struct fz_worker_choice *choice, frazil_error *reterr);
FZ_PRIVATE frazil_err fz_worker_from_ip_hash(const struct fz_worker_space *space, const struct fz_settings *settings,
                                             struct fz_worker_choice *choice, frazil_error *reterr);
FZ_PRIVATE frazil_err fz_worker_from_hostname_hash(const struct fz_worker_space *space,
                                                   const struct fz_settings *settings, struct fz_worker_choice *choice,
                                                   frazil_error *reterr);

#endif
