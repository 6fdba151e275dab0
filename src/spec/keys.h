/* SPDX-License-Identifier: MIT */
/* The keys that a spec may have: one table, of which all lists of keys are made or checked. */
#ifndef FZ_SPEC_KEYS_H
#define FZ_SPEC_KEYS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * X(identifier, name, whose): every key there is.  The environment's name is FRAZIL_ and the name in upper case.  IDS:
 * it says what ids look like, which is the program's affair, so the environment counts only where the program says
 * nothing. PLACE: it says where the program runs, which is the operator's, so the environment fills in what the spec
 * leaves out.
 */
#define FZ_KEYS(X)                                                                                                     \
    X(LAYOUT, "layout", IDS)                                                                                           \
    X(EPOCH, "epoch", IDS)                                                                                             \
    X(TICK, "tick", IDS)                                                                                               \
    X(BEHAVIOUR, "behaviour", IDS)                                                                                     \
    X(WORKER, "worker", PLACE)                                                                                         \
    X(PARTITION, "partition", PLACE)                                                                                   \
    X(DATACENTER, "datacenter", PLACE)                                                                                 \
    X(BASE, "base", PLACE)                                                                                             \
    X(COUNT, "count", PLACE)                                                                                           \
    X(HOSTNAME, "hostname", PLACE)                                                                                     \
    X(IP, "ip", PLACE)                                                                                                 \
    X(EXPECT, "expect", PLACE)                                                                                         \
    X(ON_FULL, "on_full", IDS)                                                                                         \
    X(ON_BACKWARD, "on_backward", IDS)                                                                                 \
    X(MAX_LEAD, "max_lead", IDS)                                                                                       \
    X(MAX_WAIT, "max_wait", IDS)                                                                                       \
    X(START, "start", IDS)                                                                                             \
    X(SEQ_MIN, "seq_min", IDS)                                                                                         \
    X(SEQ_MAX, "seq_max", IDS)                                                                                         \
    X(CLOCK, "clock", IDS)                                                                                             \
    X(STATE, "state", PLACE)                                                                                           \
    X(BATCH, "batch", PLACE)                                                                                           \
    X(NAMESPACE, "namespace", PLACE)                                                                                   \
    X(RUN_DIR, "run_dir", PLACE)                                                                                       \
    X(STATE_DIR, "state_dir", PLACE)                                                                                   \
    X(KEEPER, "keeper", PLACE)                                                                                         \
    X(MAX_SKEW, "max_skew", PLACE)                                                                                     \
    X(ON_LOSS, "on_loss", PLACE)                                                                                       \
    X(HORIZON, "horizon", PLACE)                                                                                       \
    X(WORKERS, "workers", PLACE)                                                                                       \
    X(ALLOW_SHORT_LIFE, "allow_short_life", IDS)                                                                       \
    X(CONFIG, "config", PLACE)

enum fz_key {
#define FZ_KEY_ENUM(identifier, name, whose) FZ_KEY_##identifier,
    FZ_KEYS(FZ_KEY_ENUM)
#undef FZ_KEY_ENUM
        FZ_KEYS_TOTAL
};

/* What the name of a key begins with in the environment. */
#define FZ_ENVIRONMENT_PREFIX "FRAZIL_"

/* Bytes of the name that a key has in the environment, terminator included. */
#define FZ_KEY_VARIABLE_SIZE 64

/* The name of a key.  Never freed. */
FZ_PRIVATE const char *fz_key_name(enum fz_key key);

/* Whether a key says what ids look like, and not where the program runs. */
FZ_PRIVATE bool fz_key_is_of_ids(enum fz_key key);

/* The name of its variable in the environment. */
FZ_PRIVATE void fz_key_variable(enum fz_key key, char name[FZ_KEY_VARIABLE_SIZE]);

/* The key with this name; FZ_KEYS_TOTAL: there is none. */
FZ_PRIVATE enum fz_key fz_key_named(const char *name, size_t len);

/* Calls visit for a variable of the environment that is one slip away from a key's, with the key's. */
typedef void (*fz_key_slip)(void *ctx, const char *name, const char *meant);
FZ_PRIVATE void fz_key_find_slips(fz_key_slip visit, void *ctx);

#endif
