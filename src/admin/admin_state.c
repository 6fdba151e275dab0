/* SPDX-License-Identifier: MIT */
/* The public face of state.h. */
#include <stdlib.h>

#include "config/coordinators.h"
#include "config/decide.h"
#include "core/sentence.h"
#include "core/sized.h"
#include "folders.h"
#include "frazil/admin.h"
#include "state.h"
#include "target.h"

struct frazil_admin_state {
    struct fz_decision decision;
    struct fz_state state;
};

static frazil_err look(frazil_admin_state *state, const char *spec, frazil_error *reterr)
{
    frazil_err err = fz_state_decide(&state->decision, spec, reterr);

    if (err != FRAZIL_OK)
        return err;
    err = fz_state_look(&state->decision, &state->state, reterr);
    if (err != FRAZIL_OK)
        fz_decision_free(&state->decision);
    return err;
}

frazil_err frazil_admin_state_open(frazil_admin_state **ret, const char *spec, frazil_error *reterr)
{
    frazil_admin_state *state = malloc(sizeof *state);

    if (state == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    frazil_err err = look(state, spec, reterr);
    if (err != FRAZIL_OK) {
        free(state);
        return err;
    }
    *ret = state;
    return FRAZIL_OK;
}

void frazil_admin_state_get_info(const frazil_admin_state *state, frazil_admin_state_info *ret, size_t size)
{
    const frazil_admin_state_info info = {.layout = state->state.layout,
                                          .run_folder = state->state.run_folder,
                                          .state_folder = state->state.state_folder,
                                          .rows = state->state.count};

    fz_give_sized(ret, size, &info, sizeof info);
}

static frazil_admin_file file_of(const struct fz_kept_file *file)
{
    bool is_wrong = file->wrong.code != FRAZIL_OK;

    return (frazil_admin_file){.path = file->path,
                               .exists = file->exists,
                               .in_use = file->in_use,
                               .stale = file->stale,
                               .wrong_code = (int32_t)file->wrong.code,
                               .wrong = is_wrong ? file->wrong.message : ""};
}

frazil_err frazil_admin_state_row(const frazil_admin_state *state, size_t index, frazil_admin_kept *ret, size_t size)
{
    if (index >= state->state.count)
        return FRAZIL_ERANGE;
    const struct fz_kept *kept = &state->state.workers[index];
    const frazil_admin_kept row = {.worker = kept->worker,
                                   .is_wrong = fz_kept_is_wrong(kept),
                                   .is_part = kept->is_part,
                                   .has_grant = kept->grant.exists && kept->grant.wrong.code == FRAZIL_OK,
                                   .seq_min = kept->seq_min,
                                   .seq_max = kept->seq_max,
                                   .word = file_of(&kept->word),
                                   .grant = file_of(&kept->grant),
                                   .pid = kept->pid,
                                   .from_unix_ms = kept->from_unix_ms,
                                   .until_unix_ms = kept->until_unix_ms,
                                   .highest_unix_ms = kept->highest_unix_ms,
                                   .is_lease = kept->is_lease};
    fz_give_sized(ret, size, &row, sizeof row);
    return FRAZIL_OK;
}

frazil_err frazil_admin_state_renew(frazil_admin_state *state, size_t index, uint32_t flags, frazil_error *reterr)
{
    if ((flags & ~FRAZIL_ADMIN_ALL) != 0)
        return fz_fail(reterr, FRAZIL_EINVAL, "flags %u of frazil_admin_state_renew: 0 or FRAZIL_ADMIN_ALL",
                       (uint64_t)flags);
    if (index >= state->state.count)
        return fz_fail(reterr, FRAZIL_ERANGE, "there is no row %u: there are %u", (uint64_t)index,
                       (uint64_t)state->state.count);
    return fz_state_renew(&state->decision, &state->state.workers[index], flags != 0, reterr);
}

void frazil_admin_state_close(frazil_admin_state *state)
{
    if (state == NULL)
        return;
    fz_state_free(&state->state);
    fz_decision_free(&state->decision);
    free(state);
}

frazil_err frazil_admin_state_check(const char *spec, frazil_error *reterr)
{
    const struct fz_occasion occasion = {.opening = FZ_OPENING_GENERATOR};
    struct fz_decision decision;

    frazil_err err = fz_decide_complete(&decision, spec, &occasion, reterr);
    if (err != FRAZIL_OK)
        return err;
    err = fz_folders_look(&decision, reterr);
    fz_decision_free(&decision);
    return err;
}

/* worker= and state= do not both have a URL. */
static frazil_err check_url(const struct fz_decision *decision, const frazil_coordinator *const *given,
                            frazil_error *reterr)
{
    const frazil_random unused = {.size = sizeof unused};
    struct fz_slot_source slots;
    struct fz_target target;
    frazil_err err = FRAZIL_OK;

    if (decision->worker.url != NULL) {
        err = fz_target_find(&target, decision, given, reterr);
        return err == FRAZIL_OK ? fz_target_check(&target, reterr) : err;
    }
    if (decision->state.url == NULL ||
        fz_folder_of_slots(decision->state.url) != NULL) /* opening would make the folder */
        return FRAZIL_OK;
    err = fz_coordinator_open_slots(decision, decision->worker.first, &unused, given, &slots, reterr);
    if (err == FRAZIL_OK)
        slots.close(slots.ctx);
    return err;
}

frazil_err frazil_admin_url_check(const char *spec, const frazil_coordinator *const *coordinators, frazil_error *reterr)
{
    const struct fz_occasion occasion = {.opening = FZ_OPENING_GENERATOR};
    struct fz_decision decision;

    frazil_err err = fz_decide_complete(&decision, spec, &occasion, reterr);
    if (err != FRAZIL_OK)
        return err;
    err = check_url(&decision, coordinators, reterr);
    fz_decision_free(&decision);
    return err;
}
