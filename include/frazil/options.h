/* SPDX-License-Identifier: MIT */
/*
 * Options: a spec as an object, for programs that have its values one by one, or bring a clock, random numbers, a
 * granter or coordinators of their own.
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
 * Options belong to one thread at a time.  They can be used for any number of openings, and freed at any time after
 * one: a generator keeps nothing of them but what their contracts say.
 */
#ifndef FRAZIL_OPTIONS_H
#define FRAZIL_OPTIONS_H

#include "generator.h"

FRAZIL_BEGIN_DECLS

/* Made by frazil_options_open, freed by frazil_options_close. */
typedef struct frazil_options frazil_options;

/*
 * Which variables of the environment count where the options do not say a key.  Those that a set-user-ID program may
 * not believe never do.  But with FRAZIL_ENVIRONMENT_NONE, a variable FRAZIL_... that is no setting, such as
 * FRAZIL_WORKER_ID, is FRAZIL_ESPEC when the options are used.
 */
typedef enum frazil_environment {
    /*
     * Those that say where the program runs; those that say what ids look like only if the options say nothing at
     * all, see frazil.spec(5).  This is what frazil_open does.
     */
    FRAZIL_ENVIRONMENT_BY_KEY = 0,
    FRAZIL_ENVIRONMENT_NONE = 1, /* none of them */
    FRAZIL_ENVIRONMENT_ALL = 2,  /* all of them */
    FRAZIL_ENUM_IS_INT(FRAZIL_ENVIRONMENT)
} frazil_environment;

/* Empty options, which the caller frees.  FRAZIL_ENOMEM. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_options_open(frazil_options **ret, frazil_error *reterr) FRAZIL_NONNULL(1);

/* Frees them, and wipes the values first, as a URL holds a password; NULL is allowed. */
FRAZIL_API void frazil_options_close(frazil_options *options);

/*
 * Says the value of a key of frazil_open: len characters as they are, without quotes, copied.  It replaces what was
 * said before; value NULL takes that back.  FRAZIL_ESPEC: no such key, an empty value, a zero byte; what a value means
 * is looked at by frazil_options_check and frazil_open_with.  FRAZIL_ENOMEM.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_options_set(frazil_options *options, const char *key, const char *value,
                                                      size_t len, frazil_error *reterr) FRAZIL_NONNULL(1, 2);

/* Says all pairs of a spec, likewise.  FRAZIL_ESPEC with the position of what is wrong, ENOMEM. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_options_spec(frazil_options *options, const char *spec, size_t len,
                                                       frazil_error *reterr) FRAZIL_NONNULL(1, 2);

/*
 * The program's own clock, which wins over the key `clock`; copied, and its ctx must outlive the generators; NULL:
 * none.  FRAZIL_EINVAL: it is of another size, or a function is NULL.
 * It needs the key `state`, unless a granter or a coordinator gives the worker id: with file the host keeps the times
 * that it shows, with memory ids repeat when it goes back.  Opening fails without, FRAZIL_ESPEC.  With memory and such
 * a clock nothing is claimed: two such generators, and one beside another process, make the same ids.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_options_clock(frazil_options *options, const frazil_clock *clock,
                                                        frazil_error *reterr) FRAZIL_NONNULL(1);

/* The program's own random numbers; otherwise as frazil_options_clock. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_options_random(frazil_options *options, const frazil_random *random,
                                                         frazil_error *reterr) FRAZIL_NONNULL(1);

/*
 * The program's own granter, which gives the worker id in place of the key `worker`: the options and the environment
 * may then name no worker, and nothing is kept in files.  Otherwise as frazil_options_clock.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_options_granter(frazil_options *options, const frazil_granter *granter,
                                                          frazil_error *reterr) FRAZIL_NONNULL(1);

/*
 * Adds a part that is not to be loaded, from frazil/coordinators.h.  It is used for the URLs that it knows; all others
 * are loaded.  Opening fails with FRAZIL_ENOTBUILT if it is not of the build of this library.  FRAZIL_EINVAL: more
 * than 16.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_options_coordinator(frazil_options *options,
                                                              const frazil_coordinator *coordinator,
                                                              frazil_error *reterr) FRAZIL_NONNULL(1, 2);

/*
 * A snapshot of frazil_sno_snapshot, len characters, from which a sno generator continues without repeating an id;
 * copied; NULL: none.  Absent members are zero.  The bounds stand in either order, and a sequenceMax of zero is 65535,
 * as in sno, unless sequenceMin is that number.  layout=sno is then understood.  The options may not name worker,
 * partition, base, count, seq_min or seq_max, which come from the snapshot; in the environment and in a config file
 * they do not count here.  FRAZIL_EPARSE: not such an object, or a member that is unknown, given twice or outside its
 * range; what was said before stays.
 *
 * frazil_options_check and frazil_open_with refuse a wrong one.  FRAZIL_ERANGE: bounds equal or closer than four,
 * sequence below the lower one; FRAZIL_EKIND: the layout is another; FRAZIL_EINVAL: a granter is given, too;
 * FRAZIL_EWORKER: another generator of its partition, whose bounds overlap, is open in this process.  Nobody knows of
 * those in other processes.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_options_snapshot(frazil_options *options, const char *text, size_t len,
                                                           frazil_error *reterr) FRAZIL_NONNULL(1);

/* Which variables of the environment count; FRAZIL_ENVIRONMENT_BY_KEY unless this is called.  FRAZIL_EINVAL. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_options_environment(frazil_options *options, frazil_environment which,
                                                              frazil_error *reterr) FRAZIL_NONNULL(1);

/*
 * Whether the options can be understood, with environment and config file.  It opens nothing: it reads the config file
 * if one is named, asks the host for its name or address if the worker id derives from them, and neither makes a file,
 * nor connects, nor takes a worker id.  Returns the errors of frazil_open that can be found this way.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_options_check(const frazil_options *options, frazil_error *reterr)
    FRAZIL_NONNULL(1);

/* For frazil_options_text: passwords as they are, where they are otherwise replaced by "...". */
#define FRAZIL_OPTIONS_WITH_SECRETS UINT32_C(1)

/*
 * Writes the options as a spec with a terminator, which *ret_len (may be NULL) does not count.  Two options that
 * mean the same have the same text: keys stand in one order, defaults are written out, times in one unit.  Only a
 * layout is written as it was given, by the name of a preset or by its fingerprint.  A source that gives a number is
 * written as that number (fixed:N), and a URL as it was given.  Read again it means the same, but for the passwords,
 * and for what is no text: clock, random numbers, granter, coordinators, snapshot.  FRAZIL_EBUFFER: size is too small:
 * nothing is written, and *ret_len says how many characters there are; EINVAL: another flag; otherwise as
 * frazil_options_check.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_options_text(const frazil_options *options, uint32_t flags, char *buf,
                                                       size_t size, size_t *ret_len, frazil_error *reterr)
    FRAZIL_NONNULL(1, 3);

/*
 * Writes what the options mean for one key: its value in frazil_options_text, without quotes, and with "..." for
 * passwords.  A number of a worker id is "fixed:7", a time "2000000000ns" or "unlimited".  The value is empty if that
 * text does not have the key.  Terminator, *ret_len and FRAZIL_EBUFFER as there.  FRAZIL_ESPEC: no such key; otherwise
 * as frazil_options_check.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_options_get(const frazil_options *options, const char *key, char *buf,
                                                      size_t size, size_t *ret_len, frazil_error *reterr)
    FRAZIL_NONNULL(1, 2, 3);

/* Opens a generator.  Errors as frazil_open, and what a granter gives is checked: FRAZIL_EWORKER. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_open_with(frazil **ret, const frazil_options *options, frazil_error *reterr)
    FRAZIL_NONNULL(1, 2);

/*
 * Opens the generator of all openings of the process that mean the same, as frazil_open_shared.  FRAZIL_EINVAL: the
 * options have a clock, random numbers, a granter or a snapshot, by which no other opening could find it.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_open_shared_with(frazil **ret, const frazil_options *options,
                                                           frazil_error *reterr) FRAZIL_NONNULL(1, 2);

FRAZIL_END_DECLS

#endif
