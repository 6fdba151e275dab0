/* SPDX-License-Identifier: MIT */
#include "target.h"

#include <string.h>

#include "config/coordinators.h"
#include "config/decide.h"
#include "folders.h"

frazil_err fz_target_find(struct fz_target *ret, const struct fz_decision *decision,
                          const frazil_coordinator *const *given, frazil_error *reterr)
{
    const frazil_coordinator *coordinator;

    frazil_err err = fz_coordinator_for("worker", decision->worker.url, given, &coordinator, reterr);
    if (err == FRAZIL_OK)
        *ret = (struct fz_target){.decision = decision, .coordinator = coordinator};
    return err;
}

frazil_err fz_target_open(struct fz_target *ret, struct fz_decision *ret_decision, const char *spec_or_url,
                          const frazil_coordinator *const *given, frazil_error *reterr)
{
    const struct fz_occasion occasion = {.opening = FZ_OPENING_NAMESPACE};

    frazil_err err = fz_decide_spec_or_url(ret_decision, spec_or_url, &occasion, reterr);
    if (err != FRAZIL_OK)
        return err;
    err = fz_target_find(ret, ret_decision, given, reterr);
    if (err != FRAZIL_OK)
        fz_decision_free(ret_decision);
    return err;
}

frazil_err fz_target_check(const struct fz_target *target, frazil_error *reterr)
{
    struct fz_register reg;
    char name[FZ_LEASE_NAME_SIZE];

    if (fz_folder_of_worker(target->decision->worker.url) != NULL) /* its register would make the folder */
        return FRAZIL_OK;
    frazil_err err = target->coordinator->open_register(target->decision->worker.url, &reg, name, reterr);
    if (err == FRAZIL_OK)
        reg.close(reg.ctx);
    return err;
}

bool fz_target_is_folder(const struct fz_target *target)
{
    return strcmp(target->coordinator->part, "file") == 0;
}
