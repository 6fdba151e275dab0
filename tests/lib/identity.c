/* SPDX-License-Identifier: MIT */
#include "lib/identity.h"

#include "config/canonical.h"
#include "lib/test.h"

static void place_of(const struct fz_decision *decision, char ret[IDENTITY_SIZE])
{
    const struct fz_places *places = &decision->places;
    const struct fz_lease_identity *lease = &decision->lease.identity;

    ret[0] = '\0';
    if (decision->state.kind == FZ_STATE_SHARED)
        snprintf(ret, IDENTITY_SIZE, "%s/%s: %s %llx %llx", places->run_dir, places->name, places->value,
                 (unsigned long long)lease->name, (unsigned long long)lease->check);
    if (decision->state.kind == FZ_STATE_FILES)
        snprintf(ret, IDENTITY_SIZE, "%s %s/%s: %s %u %u-%u", places->run_dir, places->state_dir, places->name,
                 places->value, decision->worker.first, (unsigned)decision->bounds.min, (unsigned)decision->bounds.max);
}

void identity_of(const struct fz_decision *decision, struct identity *ret)
{
    size_t len;

    place_of(decision, ret->place);
    assert_int_equal(fz_canonical_text(decision, FZ_TEXT_KEY, ret->generator, IDENTITY_SIZE, &len), FRAZIL_OK);
}

int identity_apart(const struct identity *one, const struct identity *other)
{
    return (strcmp(one->place, other->place) != 0 ? 1 : 0) | (strcmp(one->generator, other->generator) != 0 ? 2 : 0);
}
