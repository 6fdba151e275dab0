/* SPDX-License-Identifier: MIT */
/* What the settings mean: text turned into numbers, checked against each other. */
#ifndef FZ_SPEC_CONFIG_H
#define FZ_SPEC_CONFIG_H

#include "core/bounds.h"
#include "core/slot.h"
#include "frazil/layout.h"
#include "settings.h"

/* Who extends the grant. */
enum fz_keeper_mode {
    FZ_KEEPER_THREAD, /* a thread of the library's */
    FZ_KEEPER_HOOK,   /* the user calls frazil_keep */
    FZ_KEEPER_INLINE  /* callers do it */
};

struct fz_config {
    frazil_layout layout;
    struct fz_slot_rules rules;
    uint64_t max_wait_ns; /* FRAZIL_WAIT_FOREVER: no bound */
    bool allow_short_life;
    enum fz_keeper_mode keeper;
    bool in_memory;        /* state=memory */
    bool in_file;          /* state=file, said explicitly */
    const char *slots_url; /* state=URL: slots are taken from there; lies in the settings; NULL: no */
    uint64_t batch;        /* how many at a time; 0: not said */
    int64_t max_skew_ms;   /* how far clocks may differ from the coordinator's */
    bool max_skew_said;    /* if not, that is the default */
    uint64_t horizon_ms;   /* of a namespace to be created, or that is expected; 0: as it is */
    uint64_t workers;      /* likewise, how many worker ids it has */
    bool stay;             /* on_loss=stop: keep to the first worker id, or to none */
    bool frozen;
    int64_t frozen_unix_ms;
};

/*
 * Reads everything but the worker.  FRAZIL_ESPEC, ELAYOUT, ERANGE with a sentence
 * that names the key.
 */
FZ_PRIVATE frazil_err fz_config_read(struct fz_config *ret, const struct fz_settings *settings, frazil_error *reterr);

/*
 * Sets the bounds of the sequence, given in either order; 0 and 0 stand for the
 * whole range.  FRAZIL_ERANGE: equal, outside the layout, or for sno closer than
 * four.
 */
FZ_PRIVATE frazil_err fz_config_set_bounds(struct fz_config *config, uint64_t a, uint64_t b, frazil_error *reterr);

/* The bounds that are set. */
FZ_PRIVATE struct fz_bounds fz_config_bounds(const struct fz_config *config);

/* Reads a key whose value is a whole number from min to max; absent: *ret is untouched.  FRAZIL_ERANGE, ESPEC. */
FZ_PRIVATE frazil_err fz_config_number(const struct fz_settings *settings, enum fz_key key, uint64_t min, uint64_t max,
                                       uint64_t *ret, frazil_error *reterr);

/* What a source says about the worker id. */
struct fz_worker_choice {
    uint32_t first;  /* the number; with lock, the lowest of those to try */
    uint32_t count;  /* with lock or url: how many there are; 0: all that the coordinator has */
    bool lock;       /* take the lowest number that no other process of this host holds */
    const char *url; /* of the coordinator that gives it, one of count numbers from first on; NULL: none is asked */
    bool by_program; /* the granter in the ports gives it */
    bool in_process; /* unique in this process alone: there is nothing to keep for the next one */
    uint32_t collision_ppm; /* how likely it is that two hosts have the same; 0: the source does not say */
};

/* Whether somebody grants it, so that it must be given back, and nothing is kept here. */
static inline bool fz_worker_is_granted(const struct fz_worker_choice *choice)
{
    return choice->url != NULL || choice->by_program;
}

/* The choice of a program with a granter of its own.  FRAZIL_ESPEC: the settings name a source as well. */
FZ_PRIVATE frazil_err fz_worker_by_program(const struct fz_settings *settings, struct fz_worker_choice *ret,
                                           frazil_error *reterr);

/* Called for a key that is given and has no effect, with the words for where it would have one. */
typedef void (*fz_worker_idle)(void *ctx, enum fz_key key, const char *where);

/* Finds the keys that have no effect beside a source of worker ids (NULL: the partition), wherever they were given. */
FZ_PRIVATE void fz_worker_find_idle(const struct fz_settings *settings, const char *source, fz_worker_idle visit,
                                    void *ctx);

/* FRAZIL_ESPEC if the spec itself gives such a key: whoever wrote it expects something of it. */
FZ_PRIVATE frazil_err fz_worker_refuse_idle(const struct fz_settings *settings, const char *source,
                                            frazil_error *reterr);

/* What the source in the settings gives.  FRAZIL_ENOWORKER, EWORKER, ESPEC, ERANGE, EPOOL, ESYS. */
FZ_PRIVATE frazil_err fz_worker_resolve(const struct fz_settings *settings, const frazil_layout *layout,
                                        struct fz_worker_choice *ret, frazil_error *reterr);

#endif
