/* SPDX-License-Identifier: MIT */
#include "fail_errno.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "core/sentence.h"

/* The remedies, where the caller knows no better one. */
static const struct {
    int sys_errno;
    char cure[64];
} cures[] = {
    {ENOSPC, ": make room on that disk"},
    {EDQUOT, ": free some space, or raise this user's disk quota"},
    {EFBIG, ": raise the process's limit on the size of files (ulimit -f)"},
    {EROFS, ": mount that file system so that it can be written to"},
    {EMFILE, ": raise the process's limit on open files (ulimit -n)"},
    {ENFILE, ": raise the system's limit on open files (sysctl fs.file-max)"},
    {ENOMEM, ": free some memory, or raise the process's limit (ulimit -v)"},
};

/* clang-format off */
/* X(refusal, errno, reason).  Switches are made of it: a table of texts as different leaves a third of itself unused. */
#define REFUSALS(X) \
    X(KIND, ENXIO, "it is not a regular file: remove it, frazil creates a new one") \
    X(FIFO, ENXIO, "it is a FIFO, not a regular file: name a regular file") \
    X(LENGTH, EFBIG, "it is longer than expected: check that it is the right file") \
    X(OWNER, EPERM, "it belongs to another user: run as that user, or name another directory") \
    X(MODE, EPERM, "other users may write to it: check who did, then `chmod 600` it") \
    X(NAMES, EMLINK, "it has a second name (a hard link), through which it can be changed: remove that name") \
    X(LINK, ELOOP, "it is a symbolic link, which frazil does not follow: remove it") \
    X(SECRET, EPERM, "users other than its owner may use it: `chmod 600` it, or mount it read-only") \
    X(DIR_OWNER, EPERM, "it belongs to another user, who could change what is in it") \
    X(DIR_MODE, EPERM, "other users may write to it: name a folder inside it, which frazil makes, or `chmod o-w` it") \
    X(DIR_LINK, ELOOP, "it is a symbolic link that another user made, who could change where it leads: remove it") \
    X(ELSEWHERE, ESTALE, "its folder is another one than at the opening: open after chroot() and mounts, or bind the same folder there")
/* clang-format on */

static const char *cure_of(int sys_errno)
{
    for (size_t i = 0; i < sizeof cures / sizeof cures[0]; i++) {
        if (cures[i].sys_errno == sys_errno)
            return cures[i].cure;
    }
    return "";
}

int fz_errno_of(int sys_errno)
{
    switch (sys_errno) {
#define ERRNO_CASE(refusal, instead, reason)                                                                           \
    case FZ_REFUSED_##refusal:                                                                                         \
        return instead;
        REFUSALS(ERRNO_CASE) /* NOLINT(bugprone-branch-clone): a row for each */
#undef ERRNO_CASE
    default:
        return sys_errno;
    }
}

static const char *refusal_in_words(enum fz_file_refusal refusal)
{
    switch (refusal) {
#define REASON_CASE(refusal, instead, reason)                                                                          \
    case FZ_REFUSED_##refusal:                                                                                         \
        return reason;
        REFUSALS(REASON_CASE)
#undef REASON_CASE
    default:
        return "";
    }
}

static void refuse(frazil_error *reterr, enum fz_file_refusal refusal, const char *what, const char *path,
                   const char *advice)
{
    const char *reason = refusal_in_words(refusal);

    if (path == NULL)
        fz_fail(reterr, FRAZIL_ESYS, "%s: %s%s", what, reason, advice);
    else
        fz_fail(reterr, FRAZIL_ESYS, "%s %q: %s%s", what, path, reason, advice);
    if (reterr != NULL)
        reterr->sys_errno = fz_errno_of((int)refusal);
}

/* The reason in words.  POSIX returns whether that went well; glibc, where more than POSIX is asked for, the words. */
static const char *reason_of(int sys_errno, char *buf, size_t size)
{
    const bool returns_words = _Generic(strerror_r(sys_errno, buf, size), char * : true, default : false);
    intptr_t returned = (intptr_t)strerror_r(sys_errno, buf, size);

    if (returns_words)
        return (const char *)returned;
    return returned == 0 ? buf : "";
}

frazil_err fz_fail_errno(frazil_error *reterr, int sys_errno, const char *what, const char *path, const char *advice)
{
    char buf[128];

    if (sys_errno < 0) {
        refuse(reterr, (enum fz_file_refusal)sys_errno, what, path, advice);
        return FRAZIL_ESYS;
    }
    /* For want of a descriptor nothing was looked at, so that no advice on it is right. */
    if (advice[0] == '\0' || sys_errno == EMFILE || sys_errno == ENFILE)
        advice = cure_of(sys_errno);
    const char *reason = reason_of(sys_errno, buf, sizeof buf);
    if (path == NULL)
        fz_fail(reterr, FRAZIL_ESYS, "%s: %s (errno %d)%s", what, reason, (int64_t)sys_errno, advice);
    else
        fz_fail(reterr, FRAZIL_ESYS, "%s %q: %s (errno %d)%s", what, path, reason, (int64_t)sys_errno, advice);
    if (reterr != NULL)
        reterr->sys_errno = sys_errno;
    return FRAZIL_ESYS;
}

int fz_errno_said(const char *sentence)
{
    /* What is said of EMFILE begins what is said of ENFILE. */
    static const int known[] = {ENFILE, EMFILE, ENOMEM, EACCES, ENOENT};
    char buf[128];

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const char *reason = reason_of(known[i], buf, sizeof buf);
        if (reason[0] != '\0' && strstr(sentence, reason) != NULL)
            return known[i];
    }
    return 0;
}
