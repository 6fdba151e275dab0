/* SPDX-License-Identifier: MIT */
/*
 * Settings: the keys of a spec with their values as text, from wherever they
 * were given.  The spec wins over the environment, which wins over the file.
 */
#ifndef FZ_CONFIG_SETTINGS_H
#define FZ_CONFIG_SETTINGS_H

#include <stdbool.h>

#include "frazil/options.h"
#include "keys.h"

struct fz_settings {
    char *value[FZ_KEYS_TOTAL];         /* NULL: not given; owned */
    bool from_elsewhere[FZ_KEYS_TOTAL]; /* given in the environment or in the config file, which are for many specs */
    bool passed_over[FZ_KEYS_TOTAL];    /* given in the environment, and only the program says what ids look like */
};

/*
 * Completes what a program has said: first from the environment, then from the config file.  The environment is not
 * read where it is not to be trusted (os/host.h).  FRAZIL_ESPEC, ENOMEM, ESYS (the file cannot be read); what was
 * added before the error stays.
 */
FZ_PRIVATE frazil_err fz_settings_complete(struct fz_settings *settings, frazil_environment environment,
                                           frazil_error *reterr);

/*
 * Refuses variables that look like settings and are none, as nobody would notice that FRAZIL_WORKER_ID has no effect.
 * Not where the environment does not count.  FRAZIL_ESPEC.
 */
FZ_PRIVATE frazil_err fz_settings_check_environment(const struct fz_settings *settings, frazil_environment environment,
                                                    frazil_error *reterr);

/* Copies settings with all their values, for the caller to free.  FRAZIL_ENOMEM. */
FZ_PRIVATE frazil_err fz_settings_copy(struct fz_settings *ret, const struct fz_settings *settings,
                                       frazil_error *reterr);

/* Finds the key that a program names; value, of len characters, is what it gives for it, or NULL.  FRAZIL_ESPEC. */
FZ_PRIVATE frazil_err fz_settings_find_key(enum fz_key *ret, const char *key, const char *value, size_t len,
                                           frazil_error *reterr);

/*
 * Says the value of a key, of len characters as they are; NULL takes back what was said of it.  FRAZIL_ESPEC: there is
 * no such key, or the value is empty or holds a zero byte; ENOMEM.  On failure nothing has changed.
 */
FZ_PRIVATE frazil_err fz_settings_set(struct fz_settings *settings, const char *key, const char *value, size_t len,
                                      frazil_error *reterr);

/* Says all pairs of a spec of len characters.  FRAZIL_ESPEC, ENOMEM.  On failure nothing has changed. */
FZ_PRIVATE frazil_err fz_settings_set_spec(struct fz_settings *settings, const char *text, size_t len,
                                           frazil_error *reterr);

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

/* Frees a value, and wipes it first, as it may hold a URL with its password; NULL is allowed. */
FZ_PRIVATE void fz_settings_forget(char *value);

/* Frees the values. */
FZ_PRIVATE void fz_settings_free(struct fz_settings *settings);

#endif
