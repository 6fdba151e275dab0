/* SPDX-License-Identifier: MIT */
/*
 * Errors: one table, fixed for ever.
 *
 * Conventions of the whole library:
 * - A function that can fail returns frazil_err; 0 (FRAZIL_OK) is success.
 * - On failure nothing has changed: outputs named ret_* are untouched and the
 *   generator is as if the call had not been made.
 * - Functions ending in _explain do the same as their namesake and also tell
 *   why they failed, in a frazil_error of the caller's (which may be NULL).
 * - The library never prints, exits, or keeps an error in hidden state.
 */
#ifndef FRAZIL_ERROR_H
#define FRAZIL_ERROR_H

#include "base.h"

FRAZIL_BEGIN_DECLS

/*
 * What the caller can do about an error.  usage: correct the call or the
 * configuration.  retry: the same call can succeed later.  fenced: the
 * generator lost its worker id.  fatal: it will not get better by itself.
 */
typedef enum frazil_err_class {
    FRAZIL_CLASS_NONE = 0,
    FRAZIL_CLASS_USAGE = 1,
    FRAZIL_CLASS_RETRY = 2,
    FRAZIL_CLASS_FENCED = 3,
    FRAZIL_CLASS_FATAL = 4
} frazil_err_class;

/* clang-format off */
/* X(name, number, class, sentence): the only list of errors there is. */
#define FRAZIL_ERRORS(X) \
    X(OK,            0, NONE,   "success") \
    X(EINVAL,       -1, USAGE,  "an argument is outside what the function accepts") \
    X(ESPEC,        -2, USAGE,  "the spec cannot be understood") \
    X(ELAYOUT,      -3, USAGE,  "the layout is not valid") \
    X(ERANGE,       -4, USAGE,  "the value does not fit its field") \
    X(EPARSE,       -5, USAGE,  "the text is not in the stated form") \
    X(ECHECKSUM,    -6, USAGE,  "the check digits do not match: altered text, or another salt or key") \
    X(EBUFFER,      -7, USAGE,  "the buffer is too small") \
    X(ENOWORKER,    -8, USAGE,  "no worker id was given, and none is ever guessed") \
    X(EWORKER,      -9, USAGE,  "the source of the worker id gave no usable number") \
    X(ESHORTLIFE,  -10, USAGE,  "the layout has less than ten years left") \
    X(EKIND,       -11, USAGE,  "the call does not suit this kind of layout (64-bit ids or snos)") \
    X(ENOTBUILT,   -12, USAGE,  "this part was not built into the library") \
    X(EAGAIN,      -20, RETRY,  "no id is free right now") \
    X(EFULL,       -21, RETRY,  "the tick is full and the call may not wait long enough for the next") \
    X(ECLOCK,      -22, RETRY,  "the clock is behind ids already issued, or before the layout's epoch") \
    X(ELEASE,      -30, FENCED, "the grant of the worker id has ended") \
    X(EEXHAUSTED,  -40, FATAL,  "the layout has no tick left") \
    X(ENOMEM,      -41, FATAL,  "out of memory") \
    X(ESYS,        -42, FATAL,  "a system call failed") \
    X(EPOOL,       -43, FATAL,  "all worker ids are taken") \
    X(ESTATE,      -44, FATAL,  "a state file is damaged, or is of another layout, worker or version")
/* clang-format on */

/* The errors of the table, by number. */
typedef enum frazil_err {
#define FRAZIL_ERR_ENUM(name, number, err_class, sentence) FRAZIL_##name = number,
    FRAZIL_ERRORS(FRAZIL_ERR_ENUM)
#undef FRAZIL_ERR_ENUM
        FRAZIL_ERR_FORCE_INT = 0x7fffffff /* not an error: makes the enum an int everywhere */
} frazil_err;

/*
 * Bytes in frazil_error.message, terminator included; longer sentences are cut.  It
 * has room for the list of those who hold all worker ids; a frazil_error is 4 KiB.
 */
#define FRAZIL_ERROR_MESSAGE_SIZE 4072

/*
 * Why a call failed.  Filled on failure only.
 */
typedef struct frazil_error {
    frazil_err code;   /* what the call returned */
    int sys_errno;     /* errno for FRAZIL_ESYS, else 0 */
    int64_t behind_us; /* FRAZIL_ECLOCK: microseconds by which the clock is behind the highest time seen; else 0 */
    uint64_t retry_ns; /* FRAZIL_EAGAIN, EFULL, ECLOCK: nanoseconds after which the call can succeed; else 0 */
    char message[FRAZIL_ERROR_MESSAGE_SIZE]; /* one sentence: what, where, what would be right */
} frazil_error;

/*
 * The sentence of the table for err; a fixed sentence for a number that is no
 * error of frazil.  Never NULL, never freed.  Any thread.
 */
FRAZIL_API const char *frazil_strerror(frazil_err err);

/*
 * The name of err, as "FRAZIL_EFULL"; "FRAZIL_?" for an unknown number.
 * Never NULL, never freed.  Any thread.
 */
FRAZIL_API const char *frazil_err_name(frazil_err err);

/*
 * What the caller can do about err; FRAZIL_CLASS_FATAL for an unknown number.
 * Any thread.
 */
FRAZIL_API frazil_err_class frazil_err_classify(frazil_err err);

FRAZIL_END_DECLS

#endif
