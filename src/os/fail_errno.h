/* SPDX-License-Identifier: MIT */
/* Failed system calls, and files that are refused, as errors. */
#ifndef FZ_OS_FAIL_ERRNO_H
#define FZ_OS_FAIL_ERRNO_H

#include "frazil/error.h"

/* Why a file or a directory is refused.  Below all errnos, so that one int can say either. */
enum fz_file_refusal {
    FZ_REFUSED_KIND = -100, /* no regular file */
    FZ_REFUSED_FIFO,        /* a FIFO, where the user named a file */
    FZ_REFUSED_LENGTH,      /* longer than what belongs into it */
    FZ_REFUSED_OWNER,       /* of another user than the effective one and root */
    FZ_REFUSED_MODE,        /* others may write to it */
    FZ_REFUSED_NAMES,       /* a hard link: it has another name */
    FZ_REFUSED_LINK,        /* a symbolic link */
    FZ_REFUSED_SECRET,      /* a secret that others may use */
    FZ_REFUSED_DIR_OWNER,   /* a directory of such a user */
    FZ_REFUSED_DIR_MODE,    /* a directory that others may write to */
    FZ_REFUSED_DIR_LINK,    /* a symbolic link of another user's to a directory */
    FZ_REFUSED_ELSEWHERE    /* in another folder than before (folder.h) */
};

/*
 * Fills *reterr (may be NULL) with FRAZIL_ESYS, sys_errno and the sentence
 * "<what> <path, quoted>: <what the system says> (errno N)<advice>", and returns
 * FRAZIL_ESYS.  path may be NULL.  advice begins with what separates it; where it
 * is empty, what can be done about a full disk and the like is said.  Where no
 * descriptor is free, what can be done about that takes the place of any advice.
 * sys_errno may be a refusal, too: it is told in words, and sys_errno is fz_errno_of(it).
 */
FZ_PRIVATE frazil_err fz_fail_errno(frazil_error *reterr, int sys_errno, const char *what, const char *path,
                                    const char *advice);

/*
 * EMFILE, ENFILE, ENOMEM, EACCES or ENOENT if a sentence of the system's gives that as the reason, as the loader's do;
 * 0: none of them.
 */
FZ_PRIVATE int fz_errno_said(const char *sentence);

/* The errno that a refusal comes nearest to; an errno is itself. */
FZ_PRIVATE int fz_errno_of(int sys_errno);

#endif
