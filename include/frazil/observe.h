/* SPDX-License-Identifier: MIT */
/*
 * Inspecting a generator: statistics, facts, health and events.
 *
 * No call here takes an id or extends a grant.  A generator that frazil_stop has stopped can be inspected as before.
 *
 * Threads: any, several at once, unless a function says otherwise.  Fork: as generator.h says.
 */
#ifndef FRAZIL_OBSERVE_H
#define FRAZIL_OBSERVE_H

#include "generator.h"

FRAZIL_BEGIN_DECLS

/* ---- statistics ----------------------------------------------------------- */

/* clang-format off */
/*
 * X(name in capitals, number, name, what): the only list of statistics.  New ones are added at the end, and none is
 * removed.
 */
#define FRAZIL_STATS(X) \
    X(ISSUED,           0, "issued",          "ids taken; exact when no call is running; blocks of handles count when taken") \
    X(FULL,             1, "full",            "ticks of the clock that had no id left for a call") \
    X(BACKWARD_STEPS,   2, "backward_steps",  "times the clock was seen to go back") \
    X(BACKWARD_MAX_US,  3, "backward_max_us", "the largest of them") \
    X(LEAD_US,          4, "lead_us",         "how far the next id is ahead of the clock now") \
    X(LEAD_MAX_US,      5, "lead_max_us",     "the furthest any id was stamped ahead") \
    X(WAITS,            6, "waits",           "calls that had to wait") \
    X(WAITED_US,        7, "waited_us",       "for how long, together") \
    X(TICKTOCKS,        8, "ticktocks",       "times the tick-tock bit was toggled") \
    X(EXTENSIONS,       9, "extensions",      "grants that continued the one before") \
    X(MOVES,           10, "moves",           "grants that did not: another worker id, or ticks left out")
/* clang-format on */

/* The statistics by number: their index in the array that frazil_get_stats fills. */
typedef enum frazil_stat_number {
#define FRAZIL_STAT_MEMBER(capitals, number, name, what) FRAZIL_STAT_##capitals = number,
    FRAZIL_STATS(FRAZIL_STAT_MEMBER)
#undef FRAZIL_STAT_MEMBER
        FRAZIL_ENUM_IS_INT(FRAZIL_STAT)
} frazil_stat_number;

/* A statistic: its name and a count of what happened so far to the generator and all processes that share it.  It does
 * not grow. */
typedef struct frazil_stat {
    const char *name; /* as in the table.  Never freed */
    uint64_t value;   /* in the unit at the end of its name, if any */
} frazil_stat;

/* Room for the statistics of every version with this soname. */
#define FRAZIL_STATS_MOST 64

/*
 * Fills ret with at most n statistics, in the order of their numbers, all of one instant.  Returns how many there are
 * in this library, which may be more than n.  An exporter that shows all of them need not change when later versions
 * add some.  ret may be NULL if n is 0.
 */
FRAZIL_API size_t frazil_get_stats(frazil *gen, frazil_stat *ret, size_t n) FRAZIL_NONNULL(1);

/* ---- facts and health ----------------------------------------------------- */

/* Where the state of a generator is kept, in frazil_info.state.  More may be added. */
typedef enum frazil_state_kind {
    FRAZIL_STATE_MEMORY = 0, /* in this process, and its last tick in the claim of this host: lost at a boot */
    FRAZIL_STATE_FILE = 1,   /* in files of this host */
    FRAZIL_STATE_GRANT = 2,  /* with the coordinator or granter that gives the worker id */
    FRAZIL_STATE_SLOTS = 3,  /* with the coordinator that gives the slots: state=URL */
    FRAZIL_ENUM_IS_INT(FRAZIL_STATE)
} frazil_state_kind;

/* The facts about a generator. */
typedef struct frazil_info {
    const frazil_layout *layout;   /* of its ids; does not change, and is valid as long as the generator */
    uint32_t id_size;              /* bytes of an id: 8, or FRAZIL_SNO_SIZE */
    uint32_t worker;               /* for sno: the partition */
    uint32_t datacenter;           /* of the worker, as in frazil_fields */
    uint32_t worker_in_datacenter; /* likewise */
    uint32_t sequence_min;         /* the lowest number that its sequence takes */
    uint32_t sequence_max;         /* the highest */
    uint32_t sequence;             /* the next id's, if it were taken now; sequence_min if that enters a new tick */
    uint32_t state;                /* where its state is kept, a frazil_state_kind */
    uint64_t capacity;             /* how many sequence numbers a tick has */
    uint64_t available;            /* how many are left of this tick; 0: the next call would wait or fail */
    uint32_t counter_in_use;       /* 1: the processor's counter saves clock readings; 0: it does not */
    uint32_t state_is_new; /* 1: no generator had this worker on this host since its boot, as with state=memory */
    /*
     * ip-hash, hostname-hash: the probability that two of the expected hosts share a worker id, in parts per million,
     * rounded up; 0 for all other sources
     */
    uint32_t collision_ppm;
    uint32_t reserved; /* 0 */
} frazil_info;

/* Fills ret with the facts about a generator.  size is sizeof *ret (frazil.h).  Cannot fail.  Any thread. */
FRAZIL_API void frazil_get_info(frazil *gen, frazil_info *ret, size_t size) FRAZIL_NONNULL(1, 2);

/* The state of a generator now, in frazil_health.state.  More may be added. */
typedef enum frazil_health_state {
    FRAZIL_HEALTH_SERVING = 0,     /* it issues ids, as its policies allow */
    FRAZIL_HEALTH_NEEDS_GRANT = 1, /* it issues ids, but its grant ends soon: extending has failed, or is overdue */
    FRAZIL_HEALTH_BEHIND = 2,      /* its clock is before its last id, the grant or the layout's epoch: it waits */
    FRAZIL_HEALTH_FENCED = 3,      /* its grant has ended: it issues no ids until it has another */
    FRAZIL_HEALTH_EXHAUSTED = 4,   /* the layout's last tick is over or used up: it issues no ids */
    FRAZIL_HEALTH_STOPPED = 5,     /* frazil_stop was called in this process */
    FRAZIL_ENUM_IS_INT(FRAZIL_HEALTH)
} frazil_health_state;

/* The health of a generator, for health checks. */
typedef struct frazil_health {
    int32_t state;             /* a frazil_health_state */
    int32_t last_code;         /* why extending the grant failed last, a frazil_err; FRAZIL_OK after a success */
    uint32_t worker;           /* for sno: the partition */
    uint32_t needs_grant;      /* 1: its worker id is granted for a limited time; 0: for ever */
    int64_t grant_end_unix_ms; /* no id is issued for this time or a later one; INT64_MAX without a grant */
    uint64_t horizon_ns;       /* how far a fresh grant reaches; 0 without one */
    uint64_t next_keep_ns;     /* when to extend it, from now; FRAZIL_WAIT_FOREVER: never, or another process does */
    uint64_t failures;         /* consecutive failures to extend it */
} frazil_health;

/*
 * Fills ret with the present health.  ret_failure may be NULL.  If last_code is an error, *ret_failure says why
 * extending the grant failed last, in any process, and when the next try is due; else it is untouched.  It asks neither
 * disk nor coordinator and takes no lock, so it returns even while another thread waits in frazil_keep.  size is sizeof
 * *ret (frazil.h).  Cannot fail.  Any thread, any process.
 */
FRAZIL_API void frazil_get_health(frazil *gen, frazil_health *ret, size_t size, frazil_error *ret_failure)
    FRAZIL_NONNULL(1, 2);

/* ---- overflowing ticks ---------------------------------------------------- */

/* The message to an overflow callback, in 32 bytes. */
typedef struct frazil_overflow {
    int64_t unix_ms;      /* now */
    uint32_t waiting;     /* callers waiting for a sequence number; 0: the overflow has ended */
    uint32_t ticks;       /* for how many ticks it has lasted */
    uint64_t reserved[2]; /* 0 */
} frazil_overflow;

/* Called as frazil_on_overflow says, with the ctx that it was given. */
typedef void (*frazil_overflow_fn)(void *ctx, const frazil_overflow *overflow);

/*
 * Calls fn when ticks overflow: once a tick while callers wait, and once at the end, which the first call in a quiet
 * tick or frazil_close notices.  One of the waiting callers calls it, and holds no lock that another caller needs.  fn
 * must not call back into the generator.  While a slow fn still runs, another thread may call it for the next tick.
 * NULL removes it.  Set it before the generator is shared; a child process keeps it.
 */
FRAZIL_API void frazil_on_overflow(frazil *gen, frazil_overflow_fn fn, void *ctx) FRAZIL_NONNULL(1);

/* ---- events --------------------------------------------------------------- */

/* clang-format off */
/*
 * X(kind, number, name, what): the only list of kinds of events.  New ones are added at the end, and none is removed.
 */
#define FRAZIL_EVENTS(X) \
    X(MOVED,            1, "moved",            "the worker id changed; value: the one before") \
    X(LOST,             2, "lost",             "the worker id is lost or its grant has ended, and there is no other yet; code says why") \
    X(EXTENSION_FAILED, 3, "extension-failed", "extending the grant failed; code says why; told again when the reason changes") \
    X(CLOCK_BACK,       4, "clock-back",       "the clock went back; value: by how many microseconds") \
    X(OVERFLOW,         5, "overflow",         "a call waited for a full tick, the first one to do so for a second") \
    X(WARN_COLLISION,   6, "warn-collision",   "at opening: two hosts may have one worker id; value: parts per million") \
    X(WARN_SHORT_LIFE,  7, "warn-short-life",  "at opening: the layout ends within ten years; value: its last unix_ms") \
    X(WARN_EARLY_CLOCK, 8, "warn-early-clock", "at opening: the clock is before the layout's epoch; value: by how many milliseconds") \
    X(WARN_UNCLAIMED,   9, "warn-unclaimed",   "at opening: nothing keeps another generator from the worker id: worker=auto, a snapshot, or a clock that is frozen or the program's, with state=memory")
/* clang-format on */

/* The kind of an event, in frazil_event.kind.  More may be added. */
typedef enum frazil_event_kind {
#define FRAZIL_EVENT_MEMBER(kind, number, name, what) FRAZIL_EVENT_##kind = number,
    FRAZIL_EVENTS(FRAZIL_EVENT_MEMBER)
#undef FRAZIL_EVENT_MEMBER
        FRAZIL_ENUM_IS_INT(FRAZIL_EVENT)
} frazil_event_kind;

/* Something that happened to a generator, for a program's log. */
typedef struct frazil_event {
    uint32_t kind;     /* a frazil_event_kind */
    int32_t code;      /* a frazil_err where the kind says so, else FRAZIL_OK */
    uint32_t worker;   /* after it; for sno: the partition */
    uint32_t reserved; /* 0 */
    int64_t unix_ms;   /* when, on the generator's clock */
    uint64_t value;    /* as the kind says; else 0 */
    uint64_t missed;   /* events between the last one read with this cursor and this one, which are lost */
} frazil_event;

/*
 * Reads the next event after the cursor, and advances the cursor.  Returns false if there is none yet; then both are
 * untouched.  A cursor begins as 0, which reads from the oldest event that is kept; each reader has its own.  The last
 * 64 events are kept: `missed` counts those that a slow reader has lost.
 *
 * A process has the events that its own threads saw or caused.  Each process that shares the generator gets MOVED when
 * it next reads, takes an id or keeps the grant.  A child goes on with its copy of a cursor; events from before the
 * fork may count as missed there.
 *
 * The call asks neither disk nor coordinator and takes no lock.  size is sizeof *ret (frazil.h).  Any thread, several
 * at once with cursors of their own; not in a signal handler.
 */
FRAZIL_API bool frazil_next_event(frazil *gen, uint64_t *cursor, frazil_event *ret, size_t size)
    FRAZIL_NONNULL(1, 2, 3);

/*
 * Returns a descriptor for poll(2) and the like.  An event makes it readable, until frazil_next_event returns false.
 * The first call creates it, and later ones in this process return the same, unless the program has closed it; a child
 * creates its own.  It is readable at first.  It belongs to the generator: only poll it, and stop before frazil_close.
 * It wakes one reader, so let only one thread poll it.  An event from another process arrives when a thread of this
 * process next takes an id or keeps the grant.  FRAZIL_ESYS: the system gives no descriptor; ENOMEM.  Any thread.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_event_fd(frazil *gen, int *ret_fd, frazil_error *reterr) FRAZIL_NONNULL(1, 2);

/* The name of a kind as in the table; "?" for one that this library does not know.  Never freed.  Any thread. */
FRAZIL_API const char *frazil_event_name(uint32_t kind);

FRAZIL_END_DECLS

#endif
