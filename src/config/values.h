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

/* The member of a key, by the kind of its value; the settings have the texts. */
#define FZ_VALUE_TEXT(member)
#define FZ_VALUE_WORD(member) int member;
#define FZ_VALUE_NUMBER(member) uint64_t member;
#define FZ_VALUE_DURATION(member) uint64_t member;
#define FZ_VALUE_LAYOUT(member) frazil_layout member;
#define FZ_VALUE_PART(member)
#define FZ_VALUE_CLOCK(member) int64_t member;
#define FZ_VALUE_MEMBER(identifier, name, whose, kind, member, needs, where) FZ_VALUE_##kind(member)

struct fz_values {
    const struct fz_settings *settings; /* not owned */
    bool frozen;                        /* the clock stands at frozen_unix_ms */
    /*
     * A member for each key, 0 where it is not given (fz_is_given tells): the choice of its word (values.c), a number,
     * nanoseconds (FZ_DURATION_NONE: unlimited), a layout that is valid with its epoch and tick.
     */
    FZ_KEYS(FZ_VALUE_MEMBER)
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
