/* SPDX-License-Identifier: MIT */
#include "store_files.h"

#include <string.h>

#include "core/crc32.h"
#include "core/sentence.h"
#include "os/fail_errno.h"
#include "os/host.h"
#include "os/shards.h"

/* FOLDER/NAMESPACE.  ret_path may be folder itself. */
static frazil_err join(char ret_path[FZ_PATH_SIZE], const char *folder, const char *name, frazil_error *reterr)
{
    int sys = fz_path_join(ret_path, folder, "/", name);

    return sys == 0 ? FRAZIL_OK : fz_fail_errno(reterr, sys, "cannot name the folder of the namespace", name, "");
}

frazil_err fz_store_find_folder(char ret_path[FZ_PATH_SIZE], enum fz_dir which, const char *wanted, const char *name,
                                frazil_error *reterr)
{
    frazil_err err = fz_dir_find(ret_path, which, wanted, reterr);

    return err == FRAZIL_OK ? join(ret_path, ret_path, name, reterr) : err;
}

frazil_err fz_store_prepare_shards(const char *path, const struct fz_bounds *bounds, enum fz_dir which,
                                   frazil_error *reterr)
{
    char folder[FZ_PATH_SIZE];

    if (fz_bounds_are_all(bounds))
        return FRAZIL_OK;
    int sys = fz_shards_folder(folder, path);
    return sys == 0 ? fz_dir_prepare(folder, which, folder, reterr)
                    : fz_fail_errno(reterr, sys, "cannot name the folder beside", path, "");
}

frazil_err fz_store_lease_file(char ret_path[FZ_PATH_SIZE], const char *folder, uint64_t number, frazil_error *reterr)
{
    static const char digits[] = "0123456789abcdef";
    char file[64];
    struct fz_sentence text = fz_sentence_in(file, sizeof file);

    fz_sentence_str(&text, "/lease-");
    for (int shift = 60; shift >= 0; shift -= 4)
        fz_sentence_char(&text, digits[number >> shift & 15]);
    int sys = fz_path_join(ret_path, folder, file, FZ_STORE_WORD_SUFFIX);
    return sys == 0 ? FRAZIL_OK : fz_fail_errno(reterr, sys, "cannot name the file of a lease in", folder, "");
}

frazil_err fz_store_file(char ret_path[FZ_PATH_SIZE], const char *folder, uint32_t worker, const char *suffix,
                         frazil_error *reterr)
{
    char file[64];
    struct fz_sentence text = fz_sentence_in(file, sizeof file);

    fz_sentence_str(&text, "/" FZ_STORE_FILE_PREFIX);
    fz_sentence_u64(&text, worker);
    int sys = fz_path_join(ret_path, folder, file, suffix);
    return sys == 0 ? FRAZIL_OK : fz_fail_errno(reterr, sys, "cannot name the file of a worker in", folder, "");
}

frazil_err fz_store_pair(char ret_word[FZ_PATH_SIZE], const char *run_folder, char ret_grant[FZ_PATH_SIZE],
                         const char *state_folder, uint32_t worker, frazil_error *reterr)
{
    frazil_err err = fz_store_file(ret_word, run_folder, worker, FZ_STORE_WORD_SUFFIX, reterr);

    return err == FRAZIL_OK ? fz_store_file(ret_grant, state_folder, worker, FZ_STORE_GRANT_SUFFIX, reterr) : err;
}

uint64_t fz_store_place(uint64_t device, const char *path)
{
    const uint64_t numbers[] = {device, fz_mount_space()};
    const uint64_t of_path = fz_crc32(path, strlen(path));

    return of_path << 32 | fz_crc32(numbers, sizeof numbers) | 1;
}

frazil_err fz_store_refuse_state(uint32_t worker, const char *run_dir, const char *theirs, const char *ours,
                                 frazil_error *reterr)
{
    if (strcmp(theirs, ours) == 0)
        return fz_fail(reterr, FRAZIL_EWORKER,
                       "worker id %u is in use with the run directory %q by a process whose state directory %q is "
                       "another folder than the one here: it was removed and made anew, or is that of another "
                       "container.  End that process, or give this one another run_dir= and another worker id",
                       (uint64_t)worker, run_dir, theirs);
    return fz_fail(reterr, FRAZIL_EWORKER,
                   "worker id %u is in use with the run directory %q by a process whose state is in %q, and here it is "
                   "%q: give both one state_dir=, or this one another run_dir= and another worker id",
                   (uint64_t)worker, run_dir, theirs, ours);
}
