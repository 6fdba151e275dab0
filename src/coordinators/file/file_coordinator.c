/* SPDX-License-Identifier: MIT */
/*
 * A folder as a coordinator, for several processes of one host: worker ids in
 * file:///PATH/OF/NAMESPACE, and konayuki's counters (in compat/).
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "common/foreign.h"
#include "core/sentence.h"
#include "file_register.h"
#include "lease/coordinator.h"

static const char file_prefix[] = "file://";

/* The last component of the path; a longer name is shown cut. */
static void show_name(const char *path, char *ret_name)
{
    struct fz_sentence name = fz_sentence_in(ret_name, FZ_LEASE_NAME_SIZE);
    const char *slash = strrchr(path, '/');

    fz_sentence_str(&name, slash[1] == '\0' ? path : slash + 1);
}

/* The folder that a URL names.  NULL: it is no such URL. */
static const char *folder_of(const char *url)
{
    const char *path = url + sizeof file_prefix - 1;

    return strncmp(url, file_prefix, sizeof file_prefix - 1) == 0 && path[0] == '/' ? path : NULL;
}

static frazil_err open_register(const char *url, struct fz_register *ret, char *ret_name, frazil_error *reterr)
{
    const char *path = folder_of(url);

    if (path == NULL)
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "%q: must be file:// and an absolute path, as in file:///var/lib/frazil/orders", url);
    frazil_err err = fz_file_register_open(ret, path, reterr);
    if (err == FRAZIL_OK)
        show_name(path, ret_name);
    return err;
}

/* ---- what makes no folder: all but lease init ----------------------------------------------- */

/*
 * true: the URL names a folder that is not there; ret_name is what sentences call it.  If the folder cannot be read,
 * the call that opens it reports the reason.
 */
static bool is_missing(const char *url, char *ret_name)
{
    const char *path = folder_of(url);
    struct stat status;

    if (path == NULL || lstat(path, &status) == 0 || errno != ENOENT)
        return false;
    show_name(path, ret_name);
    return true;
}

static frazil_err open_granter_in_folder(const frazil_coordinator *self, const struct fz_lease_request *request,
                                         struct fz_granter *ret, frazil_error *reterr)
{
    char name[FZ_LEASE_NAME_SIZE];

    if (is_missing(request->url, name))
        return fz_lease_no_namespace(name, reterr);
    return fz_lease_open_granter(self, request, ret, reterr);
}

static frazil_err list(const frazil_coordinator *self, const char *url, fz_lease_visitor visit, void *ctx,
                       struct fz_namespace_record *ret, frazil_error *reterr)
{
    char name[FZ_LEASE_NAME_SIZE];

    if (is_missing(url, name))
        return fz_lease_no_namespace(name, reterr);
    return fz_lease_list_url(self, url, visit, ctx, ret, reterr);
}

static frazil_err release_in_folder(const frazil_coordinator *self, const char *url, uint32_t worker,
                                    frazil_error *reterr)
{
    char name[FZ_LEASE_NAME_SIZE];

    if (is_missing(url, name))
        return fz_lease_no_namespace(name, reterr);
    return fz_lease_release_url(self, url, worker, reterr);
}

static frazil_err diagnose_folder(const frazil_coordinator *self, const char *url, const frazil_clock *clock,
                                  fz_finding_visitor visit, void *ctx, frazil_error *reterr)
{
    char name[FZ_LEASE_NAME_SIZE];
    char text[FZ_FINDING_SIZE];
    struct fz_sentence sentence = fz_sentence_in(text, sizeof text);

    if (!is_missing(url, name))
        return fz_lease_diagnose_url(self, url, clock, visit, ctx, reterr);
    fz_sentence_str(&sentence, "there is no namespace ");
    fz_sentence_str(&sentence, name);
    visit(ctx, FZ_FINDING_FAIL, text);
    return FRAZIL_OK;
}

const frazil_coordinator *frazil_coordinator_file(void)
{
    static const frazil_coordinator file = {
        FZ_COORDINATOR_BUILD,
        .part = "file",
        .client = "none needed",
        .open_register = open_register,
        .open_granter = open_granter_in_folder,
        .open_slots = fz_konayuki_counter_open,
        .init = fz_lease_init_url,
        .list = list,
        .release = release_in_folder,
        .diagnose = diagnose_folder,
    };

    return &file;
}
