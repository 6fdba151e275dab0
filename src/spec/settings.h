/* SPDX-License-Identifier: MIT */
/*
 * Settings: the keys of a spec with their values as text, from wherever they
 * were given.  The spec wins over the environment, which wins over the file.
 */
#ifndef FZ_SPEC_SETTINGS_H
#define FZ_SPEC_SETTINGS_H

#include <stdbool.h>

#include "frazil/error.h"

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

struct fz_settings {
    char *value[FZ_KEYS_TOTAL];         /* NULL: not given; owned */
    bool from_elsewhere[FZ_KEYS_TOTAL]; /* given in the environment or in the config file, which are for many specs */
};

/* The name of a key.  Never freed. */
FZ_PRIVATE const char *fz_key_name(enum fz_key key);

/*
 * Gathers the settings of a spec (NULL: empty), the environment and the config
 * file.  FRAZIL_ESPEC, ENOMEM, ESYS (the file cannot be read).  On success the
 * caller frees them.  The environment is not read where it is not to be trusted
 * (os/host.h).
 */
FZ_PRIVATE frazil_err fz_settings_gather(struct fz_settings *ret, const char *spec, frazil_error *reterr);

/*
 * Adds the pairs in text, one source: a key given twice in it is an error, one
 * that an earlier source has given is left as it is.  where names the source in
 * sentences.  FRAZIL_ESPEC, ENOMEM; what was added before the error stays.
 */
FZ_PRIVATE frazil_err fz_settings_add_text(struct fz_settings *settings, const char *text, const char *where,
                                           frazil_error *reterr);

/*
 * Adds the lines of a config file: blank, `# comment`, or one pair each.  They end
 * with LF or CR LF, and a carriage return elsewhere is an error.  Errors likewise;
 * their sentences name the line and quote nothing of it, as the file may be another
 * one than was meant, and may hold a password.
 */
FZ_PRIVATE frazil_err fz_settings_add_lines(struct fz_settings *settings, const char *text, const char *where,
                                            frazil_error *reterr);

/* Calls visit for a variable of the environment that is one slip away from a key's, with the key's. */
typedef void (*fz_settings_slip)(void *ctx, const char *name, const char *meant);
FZ_PRIVATE void fz_settings_find_slips(fz_settings_slip visit, void *ctx);

/* Frees the values. */
FZ_PRIVATE void fz_settings_free(struct fz_settings *settings);

#endif
