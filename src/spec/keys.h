/* SPDX-License-Identifier: MIT */
/* The keys that a spec may have: one table, of which all lists of keys are made or checked. */
#ifndef FZ_SPEC_KEYS_H
#define FZ_SPEC_KEYS_H

#include <stddef.h>

/* X(identifier, name): every key there is.  The environment's name is FRAZIL_ and the name in upper case. */
#define FZ_KEYS(X)                                                                                                     \
    X(LAYOUT, "layout")                                                                                                \
    X(EPOCH, "epoch")                                                                                                  \
    X(TICK, "tick")                                                                                                    \
    X(BEHAVIOUR, "behaviour")                                                                                          \
    X(WORKER, "worker")                                                                                                \
    X(PARTITION, "partition")                                                                                          \
    X(DATACENTER, "datacenter")                                                                                        \
    X(BASE, "base")                                                                                                    \
    X(COUNT, "count")                                                                                                  \
    X(HOSTNAME, "hostname")                                                                                            \
    X(IP, "ip")                                                                                                        \
    X(EXPECT, "expect")                                                                                                \
    X(ON_FULL, "on_full")                                                                                              \
    X(ON_BACKWARD, "on_backward")                                                                                      \
    X(MAX_LEAD, "max_lead")                                                                                            \
    X(MAX_WAIT, "max_wait")                                                                                            \
    X(START, "start")                                                                                                  \
    X(SEQ_MIN, "seq_min")                                                                                              \
    X(SEQ_MAX, "seq_max")                                                                                              \
    X(CLOCK, "clock")                                                                                                  \
    X(STATE, "state")                                                                                                  \
    X(BATCH, "batch")                                                                                                  \
    X(NAMESPACE, "namespace")                                                                                          \
    X(RUN_DIR, "run_dir")                                                                                              \
    X(STATE_DIR, "state_dir")                                                                                          \
    X(KEEPER, "keeper")                                                                                                \
    X(MAX_SKEW, "max_skew")                                                                                            \
    X(ON_LOSS, "on_loss")                                                                                              \
    X(HORIZON, "horizon")                                                                                              \
    X(WORKERS, "workers")                                                                                              \
    X(ALLOW_SHORT_LIFE, "allow_short_life")                                                                            \
    X(CONFIG, "config")

enum fz_key {
#define FZ_KEY_ENUM(identifier, name) FZ_KEY_##identifier,
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

/* The name of its variable in the environment. */
FZ_PRIVATE void fz_key_variable(enum fz_key key, char name[FZ_KEY_VARIABLE_SIZE]);

/* The key with this name; FZ_KEYS_TOTAL: there is none. */
FZ_PRIVATE enum fz_key fz_key_named(const char *name, size_t len);

/* Calls visit for a variable of the environment that is one slip away from a key's, with the key's. */
typedef void (*fz_key_slip)(void *ctx, const char *name, const char *meant);
FZ_PRIVATE void fz_key_find_slips(fz_key_slip visit, void *ctx);

#endif
