/* SPDX-License-Identifier: MIT */
/* Generators that must be open at one time.  config/identity.h tells which ones are the same. */
#include <stdlib.h>
#include <string.h>

#include "config/decide.h"
#include "config/identity.h"
#include "core/sentence.h"
#include "frazil/admin.h"

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

/* Whether generators take their worker ids from a source that has several; others of one number share it. */
static bool has_pool(const struct fz_decision *decision)
{
    return decision->worker.url != NULL || decision->worker.lock;
}

/* Whether it can be known which worker ids a generator may have. */
static bool knows_worker_ids(const struct fz_decision *decision)
{
    return !decision->worker.in_process && !decision->worker.by_program;
}

/* How many worker ids a member takes, and from which on and before which one. */
struct demand {
    const struct fz_decision *decision;
    uint64_t first;
    uint64_t end;
    uint64_t count;
};

static struct demand demand_of(const struct member *member)
{
    struct fz_worker_range range = fz_worker_range_of(&member->decision);

    return (struct demand){&member->decision, range.first, range.first + range.count, member->worker_ids};
}

/* Brings those of n demands to the front that are of the first one's source.  Returns how many they are. */
static size_t gather_source(struct demand *demands, size_t n)
{
    size_t its = 1;

    for (size_t i = 1; i < n; i++) {
        struct demand found = demands[i];
        if (!fz_have_one_source(demands[0].decision, found.decision))
            continue;
        demands[i] = demands[its];
        demands[its++] = found;
    }
    return its;
}

static int by_range(const void *one, const void *other)
{
    const struct demand *a = one, *b = other;

    return a->end != b->end ? (a->end > b->end) - (a->end < b->end) : (a->first > b->first) - (a->first < b->first);
}

/*
 * The ranges of one source may overlap.  By Hall's theorem all members get their worker ids if and only if no run of
 * them has fewer than what is demanded of that run alone.  Looks for one that has, among those that own's range is in.
 * demands: of all members, own among them, in the order of by_range.
 */
static bool find_shortage(const struct demand *demands, size_t n, const struct demand *own, struct demand *ret)
{
    for (size_t i = 0; i < n; i++) {
        struct demand run = {.first = demands[i].first};
        if (run.first > own->first || (i > 0 && run.first == demands[i - 1].first))
            continue;
        for (size_t k = 0; k < n; k++) {
            run.end = demands[k].end;
            run.count += demands[k].first >= run.first ? demands[k].count : 0;
            bool is_whole = k + 1 == n || demands[k + 1].end > run.end;
            if (!is_whole || run.end < own->end || run.count <= run.end - run.first)
                continue;
            *ret = run;
            return true;
        }
    }
    return false;
}

/* Counts a number once, however many have it together: those of a fixed one, and of one source. */
static size_t merge_fixed(struct demand *demands, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        bool is_counted = false;
        for (size_t k = 0; k < kept && !has_pool(demands[i].decision) && !is_counted; k++)
            is_counted = demands[k].first == demands[i].first && !has_pool(demands[k].decision);
        if (!is_counted)
            demands[kept++] = demands[i];
    }
    return kept;
}

/* Numbers that are given are their own range each: there are never too few of them. */
static bool all_are_given(const struct demand *demands, size_t n)
{
    while (n > 0 && !has_pool(demands[n - 1].decision))
        n--;
    return n == 0;
}

static frazil_err tell_shortage(const struct demand *own, const struct demand *run, frazil_error *reterr)
{
    uint64_t size = run->end - run->first, taken = run->count - own->count;

    if (!has_pool(own->decision))
        return fz_fail(reterr, FRAZIL_EPOOL,
                       "worker id %u is one of %u from %u to %u, and other generators take %u (worker_ids=, base=, "
                       "count=)",
                       own->first, size, run->first, run->end - 1, taken);
    return fz_fail(
        reterr, FRAZIL_EPOOL,
        "worker_ids=%u, but its source has %u worker id%s from %u to %u (base=, count=, workers=, layout=), of "
        "which other generators take %u",
        own->count, size, size == 1 ? "" : "s", run->first, run->end - 1, taken);
}

/* Whether all members get the worker ids that they take, with one more. */
static frazil_err check_pool(const struct frazil_admin_group *group, const struct member *member, frazil_error *reterr)
{
    const struct demand own = demand_of(member);
    struct demand *demands = malloc((group->count + 1) * sizeof *demands), run;

    if (demands == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    size_t n = 0;
    demands[n++] = own;
    for (size_t i = 0; i < group->count; i++) {
        if (knows_worker_ids(&group->members[i].decision))
            demands[n++] = demand_of(&group->members[i]);
    }
    n = gather_source(demands, n);
    bool is_short = false;
    if (!all_are_given(demands, n)) { /* looking for it takes long where there are many of them */
        n = merge_fixed(demands, n);
        qsort(demands, n, sizeof *demands, by_range);
        is_short = find_shortage(demands, n, &own, &run);
    }
    free(demands);
    return is_short ? tell_shortage(&own, &run, reterr) : FRAZIL_OK;
}

static frazil_err check_worker_ids(const frazil_admin_group *group, const struct member *member, frazil_error *reterr)
{
    const struct fz_worker_choice *worker = &member->decision.worker;

    if (member->worker_ids == 0)
        return fz_fail(reterr, FRAZIL_EINVAL, "worker_ids=0: must be at least 1");
    if (worker->in_process)
        return FRAZIL_OK;
    if (!has_pool(&member->decision) && member->worker_ids != 1)
        return fz_fail(reterr, FRAZIL_EPOOL,
                       "worker= gives one number: worker_ids=%u needs a source with several, such as file-lock or a "
                       "coordinator",
                       (uint64_t)member->worker_ids);
    return knows_worker_ids(&member->decision) ? check_pool(group, member, reterr) : FRAZIL_OK;
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

/* ---- namespaces -------------------------------------------------------------------------- */

/* The key that two of one namespace say different things of; NULL: none.  What is not said goes with everything. */
static const char *find_difference(const struct fz_decision *one, const struct fz_decision *other)
{
    const struct fz_lease_terms *a = &one->lease, *b = &other->lease;

    if (!frazil_layout_equal(&one->layout, &other->layout) || one->layout.time_bits != other->layout.time_bits)
        return "layout";
    if (a->max_skew_is_set && b->max_skew_is_set && a->max_skew_ms != b->max_skew_ms)
        return "max_skew";
    if (a->horizon_ms != 0 && b->horizon_ms != 0 && a->horizon_ms != b->horizon_ms)
        return "horizon";
    return a->workers != 0 && b->workers != 0 && a->workers != b->workers ? "workers" : NULL;
}

/* A namespace has one layout, and one of each of its terms: an opening refuses those that say another one. */
static frazil_err check_namespace(const frazil_admin_group *group, const struct member *member, frazil_error *reterr)
{
    for (size_t i = 0; i < group->count && member->decision.worker.url != NULL; i++) {
        const struct member *other = &group->members[i];
        const char *key = fz_have_one_source(&other->decision, &member->decision)
                              ? find_difference(&other->decision, &member->decision)
                              : NULL;
        if (key != NULL)
            return fz_fail(reterr, FRAZIL_ENAMESPACE,
                           "it has the namespace of %s and another %s=: give both the same one, or each a namespace of "
                           "its own",
                           other->name, key);
    }
    return FRAZIL_OK;
}

/* ---- adding ------------------------------------------------------------------------------ */

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
    frazil_err err = check_namespace(group, member, reterr);

    if (err == FRAZIL_OK)
        err = check_worker_ids(group, member, reterr);
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

frazil_err frazil_admin_group_add(frazil_admin_group *group, const char *name, const char *spec, uint32_t worker_ids,
                                  frazil_error *reterr)
{
    const struct fz_occasion occasion = {.opening = FZ_OPENING_GENERATOR};
    struct member member = {.worker_ids = worker_ids};

    frazil_err err = fz_decide_complete(&member.decision, spec, &occasion, reterr);
    if (err != FRAZIL_OK)
        return err;
    err = add(group, &member, name, reterr);
    if (err != FRAZIL_OK)
        fz_decision_free(&member.decision);
    return err;
}
