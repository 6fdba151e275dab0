/* SPDX-License-Identifier: MIT */
/*
 * Errors: what a call that fails returns.  One table, fixed for ever.
 */
#ifndef FRAZIL_ERROR_H
#define FRAZIL_ERROR_H

#include "base.h"

FRAZIL_BEGIN_DECLS

/*
 * The remedy for an error.  usage: correct the call or the configuration.  retry: the same call can succeed later.
 * fenced: this generator cannot issue ids now; use another one or wait.  fatal: waiting will not help.
 */
typedef enum frazil_err_class {
    FRAZIL_CLASS_NONE = 0,
    FRAZIL_CLASS_USAGE = 1,
    FRAZIL_CLASS_RETRY = 2,
    FRAZIL_CLASS_FENCED = 3,
    FRAZIL_CLASS_FATAL = 4,
    FRAZIL_ENUM_IS_INT(FRAZIL_CLASS)
} frazil_err_class;

/* clang-format off */
/*
 * X(name, number, class, sentence): the only list of errors.  Numbers never change.  Each class has its own range:
 * usage to -19, retry to -29, fenced to -39, fatal from -40 on.  A retired number (-43) is not reused.
 */
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
    X(ENOTBUILT,   -12, USAGE,  "this part was not built into the library, or is not installed") \
    X(EREFUSED,    -13, USAGE,  "the coordinator refuses: a permission, a password, or a setting of its own") \
    X(ENAMESPACE,  -14, USAGE,  "the namespace is missing, was wiped, or was created for something else") \
    X(EAGAIN,      -20, RETRY,  "no id is free right now") \
    X(EFULL,       -21, RETRY,  "the tick is full and the call may not wait long enough for the next") \
    X(ECLOCK,      -22, RETRY,  "the clock is behind ids already issued, or before the layout's epoch") \
    X(EUNREACHABLE,-23, RETRY,  "the coordinator does not answer") \
    X(EPOOL,       -24, RETRY,  "all worker ids are taken") \
    X(ELEASE,      -30, FENCED, "the grant of the worker id has ended") \
    X(EEXHAUSTED,  -40, FATAL,  "the layout has no tick left") \
    X(ENOMEM,      -41, FATAL,  "out of memory") \
    X(ESYS,        -42, FATAL,  "a system call failed") \
    X(ESTATE,      -44, FATAL,  "a state file is damaged, or is of another layout, worker or version") \
    X(ESTOPPED,    -45, FATAL,  "the generator was stopped or closed")
/* clang-format on */

/* The errors of the table, by number.  Later versions may add some: for an unknown one, use its class. */
typedef enum frazil_err {
#define FRAZIL_ERR_ENUM(name, number, err_class, sentence) FRAZIL_##name = number,
    FRAZIL_ERRORS(FRAZIL_ERR_ENUM)
#undef FRAZIL_ERR_ENUM
        FRAZIL_ENUM_IS_INT(FRAZIL_ERR)
} frazil_err;

/*
 * The sentence of the table for err; a fixed sentence for a number that is not an error of frazil.  Never NULL, never
 * freed.  Any thread.
 */
FRAZIL_API const char *frazil_strerror(frazil_err err);

/* The name of err, such as "FRAZIL_EFULL"; "FRAZIL_?" for an unknown number.  Never NULL, never freed.  Any thread. */
FRAZIL_API const char *frazil_err_name(frazil_err err);

/*
 * The remedy for err; FRAZIL_CLASS_FATAL for an unknown number.
 * Any thread.
 */
FRAZIL_API frazil_err_class frazil_err_classify(frazil_err err);

/* The name of a class in lower case, such as "retry"; "?" for an unknown one.  Never NULL, never freed.  Any thread. */
FRAZIL_API const char *frazil_err_class_name(frazil_err_class err_class);

/* Bytes in frazil_error.message, terminator included; longer messages are truncated. */
#define FRAZIL_ERROR_MESSAGE_SIZE 968

/* The value of frazil_error.position if the error has no position in a text. */
#define FRAZIL_NO_POSITION (-1)

/*
 * Why a call failed, in 1,024 bytes.  Filled on failure only.  The bytes after the message's terminator do not change.
 */
typedef struct frazil_error {
    int32_t code;      /* the result of the call, a frazil_err */
    int32_t err_class; /* its remedy, a frazil_err_class */
    int32_t sys_errno; /* errno for FRAZIL_ESYS, else 0 */
    uint32_t length;   /* bytes of the message, without its terminator */
    int64_t position;  /* in a parsed text: bytes before the error; else FRAZIL_NO_POSITION */
    /*
     * if that is the reason (FRAZIL_ECLOCK, or EAGAIN of a call that never waits): microseconds by which the clock is
     * behind the highest time seen; else 0
     */
    int64_t behind_us;
    /*
     * class retry: nanoseconds until the call can succeed, if known; else 0.  After FRAZIL_EPOOL an earlier retry may
     * succeed if a holder closes
     */
    uint64_t retry_ns;
    uint64_t reserved[2];                    /* 0 */
    char message[FRAZIL_ERROR_MESSAGE_SIZE]; /* one sentence: what failed, where, what to do */
} frazil_error;

FRAZIL_END_DECLS

#endif
