/* SPDX-License-Identifier: MIT */
/* The layouts that a guess tries: the user's own, the presets, and those of other generators that no preset reads. */
#include "guess.h"

#include <assert.h>
#include <string.h>

/*
 * Generators whose ids no preset reads; docs/migration.md says where their bits are documented, and which others a
 * preset reads.  "sharding" counts from midnight in the time zone of the machine; here that is UTC.
 */
static const struct {
    const char *name;
    const char *layout;
    bool is_random;
} others[] = {
    {"tsid", "42/10/12 epoch=2020-01-01", true},
    {"pgedge", "41/10/12 epoch=2023-01-01", false},
    {"sharding", "41/10/12 epoch=2016-11-01", false},
    {"yitter", "51/6/6 epoch=1582136402000", false},
    {"baidu", "28/22/13 epoch=1463673600000 tick=1s", false},
    {"tiktok", "32/0/32 epoch=1970-01-01 tick=1s", true},
};

/*
 * Since when ids of a layout can have been issued, where that is later than its
 * epoch.  Nothing of this family is older than Snowflake itself, of June 2010.
 */
static const struct {
    const char *name;
    int64_t unix_ms;
} first_used[] = {
    {"mastodon", INT64_C(1506816000000)}, /* 2017-10-01 */
    {"sno", INT64_C(1546300800000)},      /* 2019-01-01 */
    {"tiktok", INT64_C(1472688000000)},   /* 2016-09-01 */
};
static const int64_t family_first_used_unix_ms = INT64_C(1275350400000); /* 2010-06-01 */

/* Mastodon hashes, Instagram takes the remainder of a row's number. */
static const char *const random_presets[] = {"mastodon", "instagram"};

static int64_t first_use(const struct candidate *candidate)
{
    int64_t first = family_first_used_unix_ms;

    for (size_t i = 0; i < sizeof first_used / sizeof first_used[0]; i++) {
        if (strcmp(first_used[i].name, candidate->name) == 0)
            first = first_used[i].unix_ms;
    }
    return candidate->layout.layout.epoch_unix_ms > first ? candidate->layout.layout.epoch_unix_ms : first;
}

static struct candidate preset(const frazil_layout *layout)
{
    struct candidate candidate = {.name = layout->name};

    candidate.layout.layout = *layout;
    for (size_t i = 0; i < sizeof random_presets / sizeof random_presets[0]; i++)
        candidate.is_random = candidate.is_random || strcmp(layout->name, random_presets[i]) == 0;
    return candidate;
}

static struct candidate other(size_t i)
{
    struct candidate candidate = {.name = others[i].name, .is_random = others[i].is_random};
    frazil_err err = frazil_layout_parse(others[i].layout, strlen(others[i].layout), &candidate.layout.layout, NULL);

    assert(err == FRAZIL_OK);
    (void)err;
    return candidate;
}

static size_t add(struct candidate next, struct candidate *list, size_t count)
{
    assert(count < CANDIDATES_MAX);
    ids_layout_label(&next.layout);
    next.first_unix_ms = first_use(&next);
    list[count] = next;
    return count + 1;
}

size_t candidates_list(const struct ids_layout *own, struct candidate ret[CANDIDATES_MAX])
{
    size_t count = 0;

    if (own != NULL && strcmp(own->layout.name, "custom") == 0)
        count = add((struct candidate){.name = "yours", .layout = *own, .is_own = true}, ret, count);
    for (size_t i = 0; frazil_layout_preset(i) != NULL; i++) {
        count = add(preset(frazil_layout_preset(i)), ret, count);
        ret[count - 1].is_own = own != NULL && strcmp(own->layout.name, ret[count - 1].name) == 0;
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        count = add(other(i), ret, count);
    return count;
}
