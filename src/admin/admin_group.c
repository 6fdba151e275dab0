/* SPDX-License-Identifier: MIT */
/* Generators that must be open at one time.  config/identity.h tells which ones are the same. */
#include <stdlib.h>
#include <string.h>

#include "config/coordinators.h"
#include "config/decide.h"
#include "config/identity.h"
#include "core/sentence.h"
#include "folders.h"
#include "frazil/admin.h"
#include "target.h"

/* A spec of the group. */
struct member {
    char *name;
    struct fz_decision decision;
    uint32_t worker_ids;
};

struct frazil_admin_group {
    struct member *members;
    size_t count;
    size_t room;
};

frazil_err frazil_admin_group_open(frazil_admin_group **ret, frazil_error *reterr)
{
    frazil_admin_group *group = calloc(1, sizeof *group);

    if (group == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    *ret = group;
    return FRAZIL_OK;
}

void frazil_admin_group_close(frazil_admin_group *group)
{
    if (group == NULL)
        return;
    for (size_t i = 0; i < group->count; i++) {
        fz_decision_free(&group->members[i].decision);
        free(group->members[i].name);
    }
    free(group->members);
    free(group);
}

/* ---- worker ids -------------------------------------------------------------------------- */

/* A source that the others take their worker ids from as well. */
static bool have_one_source(const struct fz_decision *one, const struct fz_decision *other)
{
    struct fz_worker_range a = fz_worker_range_of(one), b = fz_worker_range_of(other);

    return a.first == b.first && a.count == b.count && fz_relation_of(one, other) == FZ_RELATION_SHARED;
}

static frazil_err check_worker_ids(const frazil_admin_group *group, const struct member *member, frazil_error *reterr)
{
    const struct fz_worker_choice *worker = &member->decision.worker;
    uint64_t has = fz_worker_range_of(&member->decision).count, taken = 0;

    if (member->worker_ids == 0)
        return fz_fail(reterr, FRAZIL_EINVAL, "worker_ids=0: must be at least 1");
    if (worker->in_process)
        return FRAZIL_OK;
    if (worker->url == NULL && !worker->lock) /* its generators share the number */
        return member->worker_ids == 1 ? FRAZIL_OK
                                       : fz_fail(reterr, FRAZIL_EPOOL,
                                                 "worker= gives one number: worker_ids=%u needs a source with several, "
                                                 "such as file-lock or a coordinator",
                                                 (uint64_t)member->worker_ids);
    for (size_t i = 0; i < group->count; i++) {
        if (have_one_source(&group->members[i].decision, &member->decision))
            taken += group->members[i].worker_ids;
    }
    if (member->worker_ids + taken <= has)
        return FRAZIL_OK;
    return fz_fail(reterr, FRAZIL_EPOOL,
                   "worker_ids=%u, but its source has %u worker ids (base=, count=, workers=, layout=), of which other "
                   "generators take %u",
                   (uint64_t)member->worker_ids, has, taken);
}

/* ---- ids ----------------------------------------------------------------------------------- */

static frazil_err check_ids(const frazil_admin_group *group, const struct member *member, frazil_error *reterr)
{
    for (size_t i = 0; i < group->count; i++) {
        const struct member *other = &group->members[i];
        if (fz_relation_of(&other->decision, &member->decision) != FZ_RELATION_TWINS)
            continue;
        uint64_t first = fz_worker_range_of(&other->decision).first, own = fz_worker_range_of(&member->decision).first;
        return fz_fail(
            reterr, FRAZIL_EWORKER,
            "it can make the same ids as %s: both have worker id %u of one layout. Give them different worker "
            "ids (worker=, base=, count=), or layouts, or seq_min= and seq_max= that do not overlap",
            other->name, first > own ? first : own);
    }
    return FRAZIL_OK;
}

/* ---- adding ------------------------------------------------------------------------------ */

/* The URL of worker= or of state=; they do not go together. */
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

static frazil_err make_room(frazil_admin_group *group, frazil_error *reterr)
{
    size_t room = group->room == 0 ? 16 : 2 * group->room;

    if (group->count < group->room)
        return FRAZIL_OK;
    struct member *larger = realloc(group->members, room * sizeof *larger);
    if (larger == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    group->members = larger;
    group->room = room;
    return FRAZIL_OK;
}

static frazil_err add(frazil_admin_group *group, struct member *member, const char *name, frazil_error *reterr)
{
    frazil_err err = check_worker_ids(group, member, reterr);

    if (err == FRAZIL_OK)
        err = check_ids(group, member, reterr);
    if (err == FRAZIL_OK)
        err = make_room(group, reterr);
    if (err != FRAZIL_OK)
        return err;
    member->name = strdup(name);
    if (member->name == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    group->members[group->count++] = *member;
    return FRAZIL_OK;
}

frazil_err frazil_admin_group_add(frazil_admin_group *group, const char *name, const char *spec,
                                  const frazil_coordinator *const *coordinators, uint32_t worker_ids,
                                  frazil_error *reterr)
{
    const struct fz_occasion occasion = {.opening = FZ_OPENING_GENERATOR};
    struct member member = {.worker_ids = worker_ids};

    frazil_err err = fz_decide_complete(&member.decision, spec, &occasion, reterr);
    if (err != FRAZIL_OK)
        return err;
    err = check_url(&member.decision, coordinators, reterr);
    if (err == FRAZIL_OK)
        err = add(group, &member, name, reterr);
    if (err != FRAZIL_OK)
        fz_decision_free(&member.decision);
    return err;
}
