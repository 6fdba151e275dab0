/* SPDX-License-Identifier: MIT */
/* The public face of leases.h. */
#include <stdlib.h>

#include "core/sentence.h"
#include "core/sized.h"
#include "frazil/admin.h"
#include "leases.h"

struct frazil_admin_leases {
    struct fz_leases leases;
};

static const char *const holding_names[] = {[FRAZIL_ADMIN_HELD] = "held",
                                            [FRAZIL_ADMIN_ABANDONED] = "abandoned",
                                            [FRAZIL_ADMIN_RELEASED] = "released",
                                            [FRAZIL_ADMIN_UNREADABLE] = "unreadable"};

_Static_assert((int)FZ_HOLDING_HELD == (int)FRAZIL_ADMIN_HELD &&
                   (int)FZ_HOLDING_ABANDONED == (int)FRAZIL_ADMIN_ABANDONED &&
                   (int)FZ_HOLDING_RELEASED == (int)FRAZIL_ADMIN_RELEASED &&
                   (int)FZ_HOLDING_UNREADABLE == (int)FRAZIL_ADMIN_UNREADABLE,
               "numbers that programs know");

const char *frazil_admin_holding_name(uint32_t holding)
{
    return holding < sizeof holding_names / sizeof holding_names[0] ? holding_names[holding] : "?";
}

frazil_err frazil_admin_leases_open(frazil_admin_leases **ret, const char *spec,
                                    const frazil_coordinator *const *coordinators, frazil_error *reterr)
{
    frazil_admin_leases *leases = malloc(sizeof *leases);

    if (leases == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    frazil_err err = fz_leases_list(spec, coordinators, &leases->leases, reterr);
    if (err != FRAZIL_OK) {
        free(leases);
        return err;
    }
    *ret = leases;
    return FRAZIL_OK;
}

void frazil_admin_leases_get_info(const frazil_admin_leases *leases, frazil_admin_leases_info *ret, size_t size)
{
    const struct fz_leases *known = &leases->leases;
    const frazil_admin_leases_info info = {.layout = known->layout,
                                           .horizon_ms = known->horizon_ms,
                                           .max_skew_ms = known->max_skew_ms,
                                           .workers = known->workers,
                                           .held = known->held,
                                           .rows = known->count,
                                           .created_unix_ms = known->created_unix_ms,
                                           .quarantine_unix_ms = known->quarantine_unix_ms};

    fz_give_sized(ret, size, &info, sizeof info);
}

frazil_err frazil_admin_leases_row(const frazil_admin_leases *leases, size_t index, frazil_admin_lease *ret,
                                   size_t size)
{
    if (index >= leases->leases.count)
        return FRAZIL_ERANGE;
    const struct fz_lease_row *known = &leases->leases.rows[index];
    const frazil_admin_lease row = {.worker = known->worker,
                                    .holding = (uint32_t)known->holding,
                                    .text = known->text,
                                    .until_unix_ms = known->until_unix_ms,
                                    .since_unix_ms = known->since_unix_ms,
                                    .owners = known->owners,
                                    .extensions = known->extensions};
    fz_give_sized(ret, size, &row, sizeof row);
    return FRAZIL_OK;
}

void frazil_admin_leases_close(frazil_admin_leases *leases)
{
    if (leases == NULL)
        return;
    fz_leases_free(&leases->leases);
    free(leases);
}

frazil_err frazil_admin_leases_init(const char *spec, const frazil_coordinator *const *coordinators, uint32_t flags,
                                    int64_t *ret_opens_unix_ms, frazil_error *reterr)
{
    if ((flags & ~FRAZIL_ADMIN_NEVER_USED) != 0)
        return fz_fail(reterr, FRAZIL_EINVAL, "flags %u of frazil_admin_leases_init: 0 or FRAZIL_ADMIN_NEVER_USED",
                       (uint64_t)flags);
    return fz_leases_init(spec, coordinators, flags != 0, ret_opens_unix_ms, reterr);
}
