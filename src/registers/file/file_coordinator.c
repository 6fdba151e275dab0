/* SPDX-License-Identifier: MIT */
/*
 * A folder as a coordinator, for several processes of one host: worker ids in
 * file:///PATH/OF/NAMESPACE, and konayuki's counters in konayuki+file:///PATH.
 */
#include <string.h>

#include "core/sentence.h"
#include "file_register.h"
#include "file_slots.h"
#include "lease/coordinator.h"

static const char prefix[] = "file://";
static const char *const schemes[] = {"file", "konayuki+file", NULL};

/* The last component of the path; a longer name is shown cut. */
static void show_name(const char *path, char *ret_name)
{
    struct fz_sentence name = fz_sentence_in(ret_name, FZ_LEASE_NAME_SIZE);
    const char *slash = strrchr(path, '/');

    fz_sentence_str(&name, slash[1] == '\0' ? path : slash + 1);
}

static frazil_err open_register(const char *url, struct fz_register *ret, char *ret_name, frazil_error *reterr)
{
    const char *path = url + sizeof prefix - 1;

    if (strncmp(url, prefix, sizeof prefix - 1) != 0 || path[0] != '/')
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "%q: must be file:// and an absolute path, as in file:///var/lib/frazil/orders", url);
    frazil_err err = fz_file_register_open(ret, path, reterr);
    if (err == FRAZIL_OK)
        show_name(path, ret_name);
    return err;
}

static frazil_err open_slots(const frazil_coordinator *self, const struct fz_slots_request *request,
                             struct fz_slot_source *ret, frazil_error *reterr)
{
    (void)self;
    return fz_file_slots_open(request, ret, reterr);
}

const frazil_coordinator *frazil_file(void)
{
    static const frazil_coordinator file = {FZ_LEASE_COORDINATOR,           .part = "file",
                                            .client = "none needed",        .schemes = schemes,
                                            .open_register = open_register, .open_slots = open_slots};

    return &file;
}
