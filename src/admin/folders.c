/* SPDX-License-Identifier: MIT */
#include "folders.h"

#include <string.h>

#include "lease/lease.h"
#include "os/claim.h"
#include "os/dirs.h"
#include "os/file.h"

/* The rest of a URL behind its beginning, if that is an absolute path. */
static const char *path_behind(const char *url, const char *beginning)
{
    size_t len = strlen(beginning);

    return url != NULL && strncmp(url, beginning, len) == 0 && url[len] == '/' ? url + len : NULL;
}

const char *fz_folder_of_worker(const char *url)
{
    return path_behind(url, "file://");
}

const char *fz_folder_of_slots(const char *url)
{
    return path_behind(url, "konayuki+file://");
}

/* path may be NULL. */
static frazil_err look_at(enum fz_dir which, const char *path, frazil_error *reterr)
{
    return path == NULL ? FRAZIL_OK : fz_dir_look(which, path, NULL, reterr);
}

/* A generator finds the folder of its namespace, or does not start: frazil lease init makes it. */
static frazil_err look_at_namespace(const char *path, frazil_error *reterr)
{
    frazil_err err = look_at(FZ_DIR_URL, path, reterr);

    if (err != FRAZIL_OK || path == NULL || fz_file_exists(path))
        return err;
    const char *name = strrchr(path, '/') + 1;
    return fz_lease_no_namespace(name[0] != '\0' ? name : path, reterr);
}

frazil_err fz_folders_look(const struct fz_decision *decision, frazil_error *reterr)
{
    const struct fz_places *places = &decision->places;
    const bool keeps_files = decision->state.kind == FZ_STATE_FILES;
    frazil_err err = look_at_namespace(fz_folder_of_worker(decision->worker.url), reterr);

    if (err == FRAZIL_OK)
        err = look_at(FZ_DIR_TREE, fz_folder_of_slots(decision->state.url), reterr);
    if (err == FRAZIL_OK && (keeps_files || decision->state.kind == FZ_STATE_SHARED))
        err = fz_dir_look(keeps_files ? FZ_DIR_RUN : FZ_DIR_LEASE, places->run_dir, places->name, reterr);
    if (err == FRAZIL_OK && keeps_files)
        err = fz_dir_look(FZ_DIR_STATE, places->state_dir, places->name, reterr);
    if (err == FRAZIL_OK && (keeps_files || decision->is_claimed))
        err = fz_claim_folder_look(places->host_dir, reterr);
    return err;
}
