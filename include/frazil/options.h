/* SPDX-License-Identifier: MIT */
/*
 * Options: a spec as an object, for programs that have its values one by one, or supply their own clock, random
 * numbers, granter or coordinators.
 *
 *   frazil_options *options;
 *   frazil *gen;
 *   frazil_error err;
 *   if (frazil_options_open(&options, &err) != FRAZIL_OK)
 *       errx(1, "%s", err.message);
 *   if (frazil_options_set(options, "worker", url, strlen(url), &err) || frazil_open_with(&gen, options, &err))
 *       errx(1, "%s", err.message);
 *   frazil_options_close(options);
 *
 * Options belong to one thread at a time.  They can be used for any number of openings, and closed at any time after
 * one: a generator keeps only what the functions below say.
 */
#ifndef FRAZIL_OPTIONS_H
#define FRAZIL_OPTIONS_H

#include "generator.h"

FRAZIL_BEGIN_DECLS

/* Opened by frazil_options_open, closed by frazil_options_close. */
typedef struct frazil_options frazil_options;

/*
 * Which environment variables set the keys that the options do not set.
 * A program with more rights than the user who starts it (set-user-ID, file capabilities) never reads them: one that it
 * would have read is FRAZIL_ESPEC when the options are used.  Except with FRAZIL_ENVIRONMENT_NONE, so is a variable
 * FRAZIL_... that is no setting, such as FRAZIL_WORKER_ID.
 */
typedef enum frazil_environment {
    /*
     * Those that say where the program runs.  Those that say what ids look like only if the options are empty, see
     * frazil.spec(5).  frazil_open does the same.
     */
    FRAZIL_ENVIRONMENT_BY_KEY = 0,
    FRAZIL_ENVIRONMENT_NONE = 1, /* none of them */
    FRAZIL_ENVIRONMENT_ALL = 2,  /* all of them */
    FRAZIL_ENUM_IS_INT(FRAZIL_ENVIRONMENT)
} frazil_environment;

/* Creates empty options, which the caller closes.  FRAZIL_ENOMEM. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_options_open(frazil_options **ret, frazil_error *reterr) FRAZIL_NONNULL(1);

/* Frees them, and wipes the values first, because a URL may hold a password; NULL is allowed. */
FRAZIL_API void frazil_options_close(frazil_options *options);

/*
 * Sets a key of frazil_open: len characters as they are, without quotes, copied.  It replaces an earlier value; value
 * NULL unsets the key.  FRAZIL_ESPEC: no such key, an empty value, a zero byte.  frazil_options_check and
 * frazil_open_with check what the value means.  FRAZIL_ENOMEM.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_options_set(frazil_options *options, const char *key, const char *value,
                                                      size_t len, frazil_error *reterr) FRAZIL_NONNULL(1, 2);

/* Sets all pairs of a spec, likewise.  FRAZIL_ESPEC with the position of the error, ENOMEM. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_options_spec(frazil_options *options, const char *spec, size_t len,
                                                       frazil_error *reterr) FRAZIL_NONNULL(1, 2);

/*
 * Sets the program's own clock, which overrides the key `clock`; copied, and its ctx must outlive the generators; NULL:
 * none.  FRAZIL_EINVAL: it has a wrong size, or a function is NULL.  Opening then needs the key `state` (else
 * FRAZIL_ESPEC), unless a granter or a coordinator gives the worker id.  With state=file the host stores the times of
 * this clock; with state=memory ids repeat if it goes back.  With state=memory nothing claims the worker id: two such
 * generators, even in different processes, issue the same ids.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_options_clock(frazil_options *options, const frazil_clock *clock,
                                                        frazil_error *reterr) FRAZIL_NONNULL(1);

/* Sets the program's own random numbers; otherwise as frazil_options_clock. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_options_random(frazil_options *options, const frazil_random *random,
                                                         frazil_error *reterr) FRAZIL_NONNULL(1);

/*
 * Sets the program's own granter, which replaces the key `worker`.  The options and the environment must then name no
 * worker, and no state is kept in files.  Otherwise as frazil_options_clock.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_options_granter(frazil_options *options, const frazil_granter *granter,
                                                          frazil_error *reterr) FRAZIL_NONNULL(1);

/*
 * Adds a linked part from frazil/coordinators.h.  It serves its own kinds of URLs; for others, parts are loaded.
 * Opening fails with FRAZIL_ENOTBUILT if its build differs from this library's.  FRAZIL_EINVAL: more than 16.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_options_coordinator(frazil_options *options,
                                                              const frazil_coordinator *coordinator,
                                                              frazil_error *reterr) FRAZIL_NONNULL(1, 2);

/*
 * Sets a snapshot of frazil_sno_snapshot, len characters, copied, from which a sno generator continues without
 * repeating an id; NULL: none.  Missing members are zero.  The bounds may be in either order, and a sequenceMax of zero
 * is 65535, as in sno, unless sequenceMin is that number.  layout=sno is then implied.  The options must not name
 * worker, partition, base, count, seq_min or seq_max, which come from the snapshot.  In the environment and a config
 * file these keys are ignored.  FRAZIL_EPARSE: not such an object, or a member is unknown, given twice or out of range;
 * the earlier snapshot stays.
 *
 * frazil_options_check and frazil_open_with reject an invalid one.  FRAZIL_ERANGE: the bounds leave fewer than four
 * numbers, or sequence is below the lower one; FRAZIL_EKIND: the layout is not sno; FRAZIL_EINVAL: a granter is also
 * set; FRAZIL_EWORKER: a generator with the same partition and overlapping bounds is open in this process.  Other
 * processes are not checked.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_options_snapshot(frazil_options *options, const char *text, size_t len,
                                                           frazil_error *reterr) FRAZIL_NONNULL(1);

/* Selects the environment variables that are read; FRAZIL_ENVIRONMENT_BY_KEY unless this is called.  FRAZIL_EINVAL. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_options_environment(frazil_options *options, frazil_environment which,
                                                              frazil_error *reterr) FRAZIL_NONNULL(1);

/*
 * Checks the options, with the environment and the config file, without opening a generator.  It reads the config file
 * if one is named, the clock, and the host's name or address if the worker id derives from it.  It creates no file,
 * makes no connection and takes no worker id.  Returns the errors of frazil_open that can be found this way, such as
 * FRAZIL_ESHORTLIFE.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_options_check(const frazil_options *options, frazil_error *reterr)
    FRAZIL_NONNULL(1);

/* For frazil_options_text: writes passwords as they are, instead of "...". */
#define FRAZIL_OPTIONS_WITH_SECRETS UINT32_C(1)

/*
 * Writes the options as a spec with a terminator, which *ret_len (may be NULL) does not count.  Two options that mean
 * the same have the same text: keys have a fixed order, defaults are written out, and a time has the largest unit of
 * which it is a whole number.  Only a layout is written as it was given, by the name of a preset or by its fingerprint.
 * A source that gives a number is written as that number (fixed:N), and a URL as it was given.  Parsed again it means
 * the same, except for passwords, and for what has no text: clock, random numbers, granter, coordinators, snapshot.
 * FRAZIL_EBUFFER: size is too small: nothing is written, and *ret_len is the number of characters; EINVAL: an unknown
 * flag; otherwise as frazil_options_check, but no clock is read.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_options_text(const frazil_options *options, uint32_t flags, char *buf,
                                                       size_t size, size_t *ret_len, frazil_error *reterr)
    FRAZIL_NONNULL(1, 3);

/*
 * Writes the effective value of one key, as in frazil_options_text, without quotes, and with "..." for passwords.  A
 * worker number is "fixed:7", a time "2000000000ns" (of this unit always) or "unlimited".  The value is empty if that
 * text does not have the key.  Terminator, *ret_len and FRAZIL_EBUFFER as there.  FRAZIL_ESPEC: no such key; otherwise
 * as frazil_options_text.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_options_get(const frazil_options *options, const char *key, char *buf,
                                                      size_t size, size_t *ret_len, frazil_error *reterr)
    FRAZIL_NONNULL(1, 2, 3);

/* Opens a generator.  Errors as frazil_open; FRAZIL_EWORKER also if the granter gave an invalid grant. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_open_with(frazil **ret, const frazil_options *options, frazil_error *reterr)
    FRAZIL_NONNULL(1, 2);

/*
 * Opens the generator of all openings of the process that mean the same, as frazil_open_shared.  FRAZIL_EINVAL: the
 * options have a clock, random numbers, a granter or a snapshot, by which no other opening could find it.  Parts of
 * frazil_options_coordinator count for the opening that comes first.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_open_shared_with(frazil **ret, const frazil_options *options,
                                                           frazil_error *reterr) FRAZIL_NONNULL(1, 2);

FRAZIL_END_DECLS

#endif
