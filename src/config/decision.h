/* SPDX-License-Identifier: MIT */
/*
 * The meaning of a spec, decided once.  The spec's text, the environment and the config
 * file become one fz_decision; the code that opens, keeps, examines or repairs something
 * reads that and no setting.  After fz_decide nobody changes it.
 */
#ifndef FZ_CONFIG_DECISION_H
#define FZ_CONFIG_DECISION_H

#include "core/bounds.h"
#include "core/slot.h"
#include "core/sno_internal.h"
#include "frazil/generator.h"
#include "frazil/layout.h"

/* The purpose of the decision. */
enum fz_opening {
    FZ_OPENING_GENERATOR,
    FZ_OPENING_LEASE,     /* a worker id without a generator: a granter must give it, and it is not replaced unasked */
    FZ_OPENING_SNAPSHOT,  /* a sno generator: partition and bounds are the snapshot's */
    FZ_OPENING_NAMESPACE, /* an operator's look at a coordinator, which the worker must name */
    FZ_OPENING_FILES,     /* an operator's look at what is kept on this host; worker=file-lock if none is named */
    FZ_OPENING_EXAMINATION, /* the doctor's: both of these, and a worker source that gives no number is no error */
};

/* Facts from outside the text. */
struct fz_occasion {
    enum fz_opening opening;
    bool has_granter;                   /* the program's own gives the worker id */
    bool has_clock;                     /* the program's own tells the time */
    const struct fz_snapshot *snapshot; /* FZ_OPENING_SNAPSHOT */
};

/* The keeper: extends the grant. */
enum fz_keeper_mode {
    FZ_KEEPER_THREAD, /* a thread of the library's */
    FZ_KEEPER_HOOK,   /* the user calls frazil_keep */
    FZ_KEEPER_INLINE, /* callers do it */
    FZ_KEEPER_OTHER   /* another process of the host does it, with FZ_STATE_SHARED */
};

/* The worker id. */
struct fz_worker_choice {
    const struct fz_worker_source *source; /* config/worker_sources.h; NULL: the partition, a snapshot or a granter */
    uint32_t first;                        /* the number; with lock, the lowest of those to try */
    uint32_t count;                        /* with lock or url: how many there are; 0: all that the coordinator has */
    bool lock;                             /* take the lowest number that no other process of this host holds */
    const char *url;  /* of the coordinator that gives it, one of count numbers from first on; NULL: none is asked */
    bool by_program;  /* the granter in the ports gives it */
    bool is_granted;  /* one of these two: it must be given back, and nothing is kept here */
    bool in_process;  /* drawn in this process when it is opened: there is nothing to keep for the next one */
    bool was_default; /* none was named, and the occasion has a default */
    uint32_t expect;  /* how many hosts the spec says there are; 0: it does not */
    uint32_t collision_ppm; /* how likely it is that two hosts have the same; 0: the source does not say */
};

/* Where the state is. */
enum fz_state_kind {
    FZ_STATE_MEMORY, /* it lives and dies with the process and its children */
    FZ_STATE_FILES,  /* a word in the run directory, a grant in the state directory */
    FZ_STATE_SHARED, /* a word in the run directory, and with it a coordinator's lease, for all processes of the host */
    FZ_STATE_URL     /* slots are taken from a coordinator */
};

struct fz_state_choice {
    enum fz_state_kind kind;
    const char *url; /* FZ_STATE_URL */
    uint64_t batch;  /* FZ_STATE_URL: how many slots are taken at a time */
};

/* Two hashes of all that processes must have in common to share a lease: the file's name, and what it has inside. */
struct fz_lease_identity {
    uint64_t name;
    uint64_t check;
};

/* The settings of a worker id from a coordinator. */
struct fz_lease_terms {
    int64_t max_skew_ms;               /* how far clocks may differ from the coordinator's */
    bool max_skew_is_set;              /* if not, that is the default */
    uint64_t horizon_ms;               /* of a namespace to be created, or that is expected; 0: as it is */
    uint64_t workers;                  /* likewise, how many worker ids it has */
    bool stay;                         /* on_loss=stop: keep to the first worker id, or to none */
    struct fz_lease_identity identity; /* FZ_STATE_SHARED: which lease it is */
};

/* How long opening may take unless open_wait= says it. */
#define FZ_OPEN_WAIT_DEFAULT_NS UINT64_C(10000000000)

/* Bytes of a namespace's name, terminator included. */
#define FZ_NAMESPACE_SIZE 65

/* Where.  A state that is neither FZ_STATE_FILES nor FZ_STATE_SHARED has no directories but the last one. */
struct fz_places {
    char value[FRAZIL_FINGERPRINT_SIZE]; /* of the layout (fz_layout_value), filled up with zeros */
    char name[FZ_NAMESPACE_SIZE];        /* of the folder in both directories */
    const char *run_dir;                 /* NULL: the host's */
    const char *state_dir;               /* likewise */
    const char *host_dir;                /* of claims; NULL: the host's */
};

/* How many texts a decision keeps, and which of them is the value of worker=, NULL if none is given. */
enum { FZ_TEXT_WORKER = 0, FZ_DECISION_TEXTS = 6 };

struct fz_decision {
    frazil_layout layout;
    struct fz_slot_rules rules;
    struct fz_bounds bounds; /* of the sequence */
    uint64_t max_wait_ns;    /* FRAZIL_WAIT_FOREVER: no bound */
    uint64_t open_wait_ns;   /* likewise: how long opening may take */
    bool allow_short_life;
    bool from_snapshot; /* partition and bounds are a snapshot's */
    bool frozen;        /* the clock stands at frozen_unix_ms */
    int64_t frozen_unix_ms;
    enum fz_keeper_mode keeper;
    struct fz_worker_choice worker;
    struct fz_state_choice state;
    struct fz_lease_terms lease;
    struct fz_places places;
    bool is_of_process; /* what is taken is known in this process alone */
    bool is_claimed;    /* the worker id, on this host (os/claim.h): nobody but its processes knows that it is in use */

    /* For the doctor. */
    bool as_konayuki;      /* behaviour=konayuki */
    const char *host_name; /* hostname=; NULL: the host's own */
    uint64_t idle;         /* keys without effect, given where many specs are meant: 1 << key */
    uint64_t passed_over;  /* those that say what ids look like, in the environment of a program that says it */
    frazil_error unusable; /* FZ_OPENING_EXAMINATION: why there is no worker id; code FRAZIL_OK: there is one */

    char *texts[FZ_DECISION_TEXTS]; /* the texts that the pointers above point into; owned */
};

/* Called for a key that is given and has no effect, with the words for where it would have one. */
typedef void (*fz_idle_visitor)(void *ctx, const char *key, const char *where);

/* The keys of the environment and the config file that have no effect here.  In the spec itself they are errors. */
FZ_PRIVATE void fz_decision_idle_keys(const struct fz_decision *decision, fz_idle_visitor visit, void *ctx);

#endif
