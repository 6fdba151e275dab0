/* SPDX-License-Identifier: MIT */
/* The question to a source of worker ids, and the functions that answer: one for each row of the table. */
#ifndef FZ_CONFIG_WORKER_ASK_H
#define FZ_CONFIG_WORKER_ASK_H

#include "values.h"
#include "worker_sources.h"

/* The numbers that a source may give, and what is made of them. */
struct fz_worker_space {
    uint64_t count; /* the source's number must be below this; 1 to 2^32 */
    uint64_t base;  /* is added to it */
    uint64_t high;  /* the datacenter, where it lies in the worker */
};

/* The question to the function of a source. */
struct fz_worker_ask {
    const struct fz_values *values;
    struct fz_worker_space space;
    const char *given;    /* the value of worker= */
    const char *argument; /* the text behind the source's name and ':' */
};

/* The worker that a source's number stands for, which must be below count. */
FZ_PRIVATE uint32_t fz_worker_in(const struct fz_worker_space *space, uint64_t number);

/*
 * The functions of the table, one for each source.  choice holds one number, and nothing else is said of it.
 * FRAZIL_EWORKER: the source gives no number, or none below count.  FRAZIL_ESPEC, ERANGE: the settings do not go with
 * it.  FRAZIL_ESYS: the host does not say.  FRAZIL_EPOOL, ENOMEM.
 */
#define FZ_WORKER_READER(function, name, argument, verdict, keys, words)                                               \
    FZ_PRIVATE frazil_err fz_worker_from_##function(const struct fz_worker_ask *ask, struct fz_worker_choice *choice,  \
                                                    frazil_error *reterr);
FZ_WORKER_SOURCES(FZ_WORKER_READER)
#undef FZ_WORKER_READER

/* All sources, as sentences list them.  Never freed. */
FZ_PRIVATE const char *fz_worker_sources_in_words(void);

#endif
