/* SPDX-License-Identifier: MIT */
/*
 * Settings as numbers and choices.  One pass over the table of keys reads each text by its kind, and nobody reads it
 * again: what goes together is decided of these.
 */
#ifndef FZ_CONFIG_VALUES_H
#define FZ_CONFIG_VALUES_H

#include "frazil/layout.h"
#include "settings.h"

/* The words of state=, and a URL. */
enum fz_state_setting { FZ_STATE_UNSET, FZ_STATE_SET_FILE, FZ_STATE_SET_MEMORY, FZ_STATE_SET_URL };

struct fz_values {
    const struct fz_settings *settings; /* the texts: of names, and for sentences; not owned */
    frazil_layout layout;               /* valid, with its epoch and tick */

    /* 0 where the key is not given: fz_is_given tells. */
    int behaviour; /* FZ_BEHAVIOUR_ */
    int on_full;
    int on_backward;
    int start;
    int state; /* fz_state_setting */
    int keeper;
    int on_loss;          /* 1: stop */
    int share;            /* 1: host */
    int allow_short_life; /* 1: yes */
    uint64_t max_lead_ns; /* FZ_DURATION_NONE: unlimited; likewise the others */
    uint64_t max_wait_ns;
    uint64_t open_wait_ns;
    uint64_t max_skew_ns;
    uint64_t horizon_ns;
    uint64_t seq_min;
    uint64_t seq_max;
    uint64_t batch;
    uint64_t workers;
    uint64_t datacenter;
    uint64_t base;
    uint64_t count;
    bool frozen; /* the clock stands at frozen_unix_ms */
    int64_t frozen_unix_ms;
};

/*
 * Reads all settings, which must outlive what is read.  Each number is checked by itself; the code that uses
 * them checks whether they fit the layout and each other.  FRAZIL_ESPEC, ELAYOUT; *ret then holds what was read so far.
 */
FZ_PRIVATE frazil_err fz_values_read(struct fz_values *ret, const struct fz_settings *settings, frazil_error *reterr);

/* Whether a key is given. */
static inline bool fz_is_given(const struct fz_values *values, enum fz_key key)
{
    return values->settings->value[key] != NULL;
}

/* The text of a key; NULL: it is not given. */
static inline const char *fz_given_text(const struct fz_values *values, enum fz_key key)
{
    return values->settings->value[key];
}

/* Says that a value cannot be understood, and what would be right.  Returns FRAZIL_ESPEC. */
FZ_PRIVATE frazil_err fz_value_refuse(const struct fz_values *values, enum fz_key key, const char *right,
                                      frazil_error *reterr);

/* Whether a number goes with the layout; that of a key that is not given does.  FRAZIL_ERANGE. */
FZ_PRIVATE frazil_err fz_value_between(const struct fz_values *values, enum fz_key key, uint64_t number, uint64_t min,
                                       uint64_t max, frazil_error *reterr);

/* Reads the number of a key that is a TEXT, as it counts in some cases only.  FRAZIL_ESPEC. */
FZ_PRIVATE frazil_err fz_value_number(const struct fz_values *values, enum fz_key key, uint64_t *ret,
                                      frazil_error *reterr);

/* The word that a key has for a choice.  Never freed. */
FZ_PRIVATE const char *fz_value_word(enum fz_key key, int choice);

#endif
