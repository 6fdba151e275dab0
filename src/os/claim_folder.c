/* SPDX-License-Identifier: MIT */
/* The host directory, in which claims lie. */
#define _XOPEN_SOURCE 700 /* S_ISVTX */
#include "claim_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/sentence.h"
#include "dirs.h"
#include "fail_errno.h"

/*
 * The one folder that all users of a host have.  There is no second choice: a process that does not see the first one,
 * as in a chroot, would claim where no other process looks.
 */
static frazil_err find_default_folder(char ret[FZ_PATH_SIZE], frazil_error *reterr)
{
    const mode_t wanted = S_ISVTX | S_IWOTH | S_IXOTH | S_IROTH;
    struct stat status;

    /* The folders above belong to root, so a symbolic link here is root's as well. */
    int sys = stat(fz_default_host_dir, &status) == 0 ? 0 : errno;
    if (sys == ENOENT || sys == ENOTDIR ||
        (sys == 0 && (!S_ISDIR(status.st_mode) || (status.st_mode & wanted) != wanted)))
        return fz_fail(reterr, FRAZIL_ESYS,
                       "the processes of this host cannot see each other's worker ids, because %q is not a folder of "
                       "mode 1777: mount one there (in a chroot, the host's), or " FZ_OTHER_HOST_DIR,
                       fz_default_host_dir);
    if (sys != 0)
        return fz_fail_errno(reterr, sys, "the host directory", fz_default_host_dir, "; " FZ_OTHER_HOST_DIR);
    memcpy(ret, fz_default_host_dir, FZ_DEFAULT_HOST_DIR_SIZE);
    return FRAZIL_OK;
}

int fz_claim_folder_make(const char *path)
{
    const mode_t everybody = S_ISVTX | S_IRWXU | S_IRWXG | S_IRWXO;

    if (mkdir(path, S_IRWXU) != 0)
        return errno == EEXIST ? 0 : errno;
    return chmod(path, everybody) == 0 ? 0 : errno; /* mkdir minds the umask */
}

/* 0 if it is there and nobody else than its owner can remove the files of others; or an errno or a refusal. */
static int check_host_dir(const char *path)
{
    struct stat status;

    if (stat(path, &status) != 0)
        return errno;
    if (!S_ISDIR(status.st_mode))
        return ENOTDIR;
    bool is_shared = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
    return is_shared && (status.st_mode & S_ISVTX) == 0 ? FZ_REFUSED_DIR_MODE : 0;
}

/* The folder that host_dir= names, whether it is there or not. */
static frazil_err name_folder(char ret[FZ_PATH_SIZE], const char *wanted, frazil_error *reterr)
{
    if (wanted[0] != '/')
        return fz_fail(reterr, FRAZIL_ESPEC, "host_dir is %q: must be an absolute path", wanted);
    if (fz_path_join(ret, wanted, "", "") != 0)
        return fz_fail(reterr, FRAZIL_ESPEC, "host_dir is longer than the %u bytes that a path may have",
                       (uint64_t)FZ_PATH_SIZE - 1);
    return FRAZIL_OK;
}

static frazil_err judge_folder(int sys, const char *folder, frazil_error *reterr)
{
    if (sys == FZ_REFUSED_DIR_MODE)
        return fz_fail_errno(reterr, sys, "the host directory (from host_dir)", folder,
                             "; give it the sticky bit (chmod 1777), or " FZ_OTHER_HOST_DIR);
    return sys == 0 ? FRAZIL_OK
                    : fz_fail_errno(reterr, sys, "the host directory (from host_dir)", folder, "; " FZ_OTHER_HOST_DIR);
}

frazil_err fz_claim_folder(char ret[FZ_PATH_SIZE], const char *wanted, frazil_error *reterr)
{
    if (wanted == NULL || wanted[0] == '\0')
        return find_default_folder(ret, reterr);
    frazil_err err = name_folder(ret, wanted, reterr);
    if (err != FRAZIL_OK)
        return err;
    int sys = check_host_dir(ret);
    if (sys == ENOENT) {
        sys = fz_claim_folder_make(ret);
        if (sys == 0)
            sys = check_host_dir(ret);
    }
    return judge_folder(sys, ret, reterr);
}

frazil_err fz_claim_folder_look(const char *wanted, frazil_error *reterr)
{
    char folder[FZ_PATH_SIZE];
    bool is_default = wanted == NULL || wanted[0] == '\0';

    frazil_err err = is_default ? find_default_folder(folder, reterr) : name_folder(folder, wanted, reterr);
    if (err != FRAZIL_OK)
        return err;
    int sys = is_default ? 0 : check_host_dir(folder);
    if (sys == ENOENT)
        return judge_folder(fz_dir_can_make(folder, 1), folder, reterr);
    return sys == 0 ? fz_claim_folder_check(folder, reterr) : judge_folder(sys, folder, reterr);
}

frazil_err fz_claim_folder_check(const char *folder, frazil_error *reterr)
{
    if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0)
        return FRAZIL_OK;
    return fz_fail_errno(reterr, errno, "no file can be made in the host directory", folder, "; " FZ_OTHER_HOST_DIR);
}
