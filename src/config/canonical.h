/* SPDX-License-Identifier: MIT */
/* A decision as a spec again: one text for all specs that mean the same. */
#ifndef FZ_CONFIG_CANONICAL_H
#define FZ_CONFIG_CANONICAL_H

#include "decision.h"
#include "keys.h"

/* For whom the text is. */
enum fz_text_for {
    FZ_TEXT_SHOWN,        /* for people: passwords are left out, and a preset has its name */
    FZ_TEXT_WITH_SECRETS, /* likewise, to be opened again */
    FZ_TEXT_KEY           /* equal for two decisions if one generator can serve both; it never leaves the process */
};

/*
 * Writes what frazil_options_text promises, or the key, with a terminator; *ret_len, always set, does not count it.
 * FRAZIL_EBUFFER: it does not fit, and nothing is written.
 */
FZ_PRIVATE frazil_err fz_canonical_text(const struct fz_decision *decision, enum fz_text_for purpose, char *buf,
                                        size_t size, size_t *ret_len);

/* Writes the value of a key as that text has it for people, without quotes.  Empty: it is not there.  Likewise. */
FZ_PRIVATE frazil_err fz_canonical_value(const struct fz_decision *decision, enum fz_key key, char *buf, size_t size,
                                         size_t *ret_len);

#endif
