/* SPDX-License-Identifier: MIT */
/*
 * Settings: the keys of a spec with their values as text, from wherever they
 * were given.  The spec wins over the environment, which wins over the file.
 */
#ifndef FZ_SPEC_SETTINGS_H
#define FZ_SPEC_SETTINGS_H

#include <stdbool.h>

#include "frazil/error.h"
#include "keys.h"

struct fz_settings {
    char *value[FZ_KEYS_TOTAL];         /* NULL: not given; owned */
    bool from_elsewhere[FZ_KEYS_TOTAL]; /* given in the environment or in the config file, which are for many specs */
};

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

/* Frees a value, and wipes it first, as it may hold a URL with its password; NULL is allowed. */
FZ_PRIVATE void fz_settings_forget(char *value);

/* Frees the values. */
FZ_PRIVATE void fz_settings_free(struct fz_settings *settings);

#endif
