/* SPDX-License-Identifier: MIT */
/*
 * One value of a setting as a number, a duration or a choice.  A key that is not
 * given leaves what it is read into untouched: the caller has put the default there.
 */
#ifndef FZ_SPEC_VALUES_H
#define FZ_SPEC_VALUES_H

#include "settings.h"

/* A word that a key can have, with what it stands for.  The last one's is empty. */
struct fz_value_word {
    char word[16];
    int value;
};

/* Says that a value cannot be understood, and what would be right.  Returns FRAZIL_ESPEC. */
FZ_PRIVATE frazil_err fz_value_refuse(const struct fz_settings *settings, enum fz_key key, const char *right,
                                      frazil_error *reterr);

/* One of the words; or_else names what else the key can be, in the sentence that refuses.  FRAZIL_ESPEC. */
FZ_PRIVATE frazil_err fz_value_word(const struct fz_settings *settings, enum fz_key key,
                                    const struct fz_value_word *words, const char *or_else, int *ret,
                                    frazil_error *reterr);

/* A duration in nanoseconds.  FRAZIL_ESPEC. */
FZ_PRIVATE frazil_err fz_value_duration(const struct fz_settings *settings, enum fz_key key, uint64_t *ret_ns,
                                        frazil_error *reterr);

/* A duration of whole milliseconds up to max_ms; right is what the sentence says that refuses others.  FRAZIL_ESPEC. */
FZ_PRIVATE frazil_err fz_value_ms(const struct fz_settings *settings, enum fz_key key, uint64_t max_ms,
                                  const char *right, uint64_t *ret_ms, frazil_error *reterr);

/* A whole number from min to max.  FRAZIL_ERANGE, ESPEC. */
FZ_PRIVATE frazil_err fz_value_number(const struct fz_settings *settings, enum fz_key key, uint64_t min, uint64_t max,
                                      uint64_t *ret, frazil_error *reterr);

#endif
