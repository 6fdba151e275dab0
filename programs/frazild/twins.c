/* SPDX-License-Identifier: MIT */
/*
 * What only shows when the generators of one configuration are looked at together: two that can make the same ids, and
 * more worker ids than their source has.
 */
#include "settings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PAIRS_MAX 48 /* a spec has fewer keys */

enum source {
    SOURCE_NUMBER,  /* fixed:N, and what derives a number */
    SOURCE_LOCK,    /* a number that is free on this host */
    SOURCE_GRANTED, /* a coordinator's */
    SOURCE_RANDOM   /* unique in this process */
};

/* A generator as its spec means it. */
struct meaning {
    const struct generator_settings *settings;
    char *spec; /* as the library writes it; the pairs are in it */
    const char *keys[PAIRS_MAX];
    const char *values[PAIRS_MAX];
    size_t count;
    frazil_layout layout;
    enum source source;
    uint64_t first; /* of its worker ids */
    uint64_t workers;
    bool is_all; /* workers is what the layout has: the coordinator may have fewer */
    uint64_t seq_min;
    uint64_t seq_max;
};

/* "" where the spec does not have the key. */
static const char *value_of(const struct meaning *meaning, const char *key)
{
    for (size_t i = 0; i < meaning->count; i++) {
        if (strcmp(meaning->keys[i], key) == 0)
            return meaning->values[i];
    }
    return "";
}

static uint64_t number_of(const struct meaning *meaning, const char *key, uint64_t otherwise)
{
    const char *value = value_of(meaning, key);

    return *value != '\0' ? strtoull(value, NULL, 10) : otherwise;
}

static bool have_same(const struct meaning *a, const struct meaning *b, const char *key)
{
    return strcmp(value_of(a, key), value_of(b, key)) == 0;
}

/* Takes the quotes off a value, and ends it.  Returns what is behind it. */
static char *cut_value(char *at)
{
    bool quoted = *at == '\'';
    char *to = at;

    for (at += quoted; *at != '\0' && *at != (quoted ? '\'' : ' '); at++) {
        if (quoted && *at == '\\')
            at++;
        *to++ = *at;
    }
    at += quoted;
    char *next = *at == ' ' ? at + 1 : at;
    *to = '\0';
    return next;
}

/* Takes the spec apart. */
static void cut_pairs(struct meaning *meaning)
{
    char *at = meaning->spec;

    while (*at != '\0' && meaning->count < PAIRS_MAX) {
        char *equals = strchr(at, '=');
        if (equals == NULL)
            break;
        *equals = '\0';
        meaning->keys[meaning->count] = at;
        at = equals + 1;
        meaning->values[meaning->count++] = at;
        at = cut_value(at);
    }
}

static void find_workers(struct meaning *meaning)
{
    const char *worker = value_of(meaning, "worker");
    frazil_layout_info info;

    frazil_layout_get_info(&meaning->layout, &info, sizeof info);
    meaning->workers = 1;
    if (strncmp(worker, "fixed:", 6) == 0) {
        meaning->source = SOURCE_NUMBER;
        meaning->first = strtoull(worker + 6, NULL, 10);
        return;
    }
    bool is_url = strstr(worker, "://") != NULL;
    meaning->source = is_url ? SOURCE_GRANTED : (strcmp(worker, "file-lock") == 0 ? SOURCE_LOCK : SOURCE_RANDOM);
    meaning->first = number_of(meaning, "base", 0);
    meaning->workers = info.workers - meaning->first;
    meaning->is_all = is_url && *value_of(meaning, "count") == '\0' && *value_of(meaning, "workers") == '\0';
    uint64_t of_namespace = number_of(meaning, "workers", info.workers);
    uint64_t left = of_namespace > meaning->first ? of_namespace - meaning->first : 0;
    uint64_t count = number_of(meaning, "count", meaning->workers);
    meaning->workers = count < left ? count : left;
}

/* False: there is no memory, or the spec has no text. */
static bool read_meaning(struct meaning *meaning, const struct generator_settings *settings)
{
    size_t len = 0;
    char none[1];

    meaning->settings = settings;
    (void)!frazil_options_text(settings->options, 0, none, sizeof none, &len, NULL);
    meaning->spec = malloc(len + 1);
    if (meaning->spec == NULL ||
        frazil_options_text(settings->options, 0, meaning->spec, len + 1, NULL, NULL) != FRAZIL_OK)
        return false;
    cut_pairs(meaning);
    const char *layout = value_of(meaning, "layout");
    if (frazil_layout_parse(layout, strlen(layout), &meaning->layout, NULL) != FRAZIL_OK)
        return false;
    find_workers(meaning);
    meaning->seq_min = number_of(meaning, "seq_min", 0);
    meaning->seq_max = number_of(meaning, "seq_max", UINT64_MAX);
    return true;
}

/* ---- two of them ------------------------------------------------------------------------- */

/* Whether there are ids that both could make, if nothing kept them apart. */
static bool overlap(const struct meaning *a, const struct meaning *b)
{
    return frazil_layout_equal(&a->layout, &b->layout) && a->first < b->first + b->workers &&
           b->first < a->first + a->workers && a->seq_min <= b->seq_max && b->seq_min <= a->seq_max;
}

static bool has_claim(const struct meaning *meaning)
{
    return *value_of(meaning, "namespace") != '\0' && meaning->source != SOURCE_GRANTED;
}

/* Whether each sees which worker ids the other one has on this host: their claims have one folder and one name. */
static bool see_each_other(const struct meaning *a, const struct meaning *b)
{
    return has_claim(a) && has_claim(b) && have_same(a, b, "namespace") && have_same(a, b, "host_dir");
}

/* Whether two of one number take from the same word, or from the same slots of a coordinator. */
static bool take_from_one(const struct meaning *a, const struct meaning *b)
{
    return a->seq_min == b->seq_min && a->seq_max == b->seq_max && have_same(a, b, "state") &&
           strcmp(value_of(a, "state"), "memory") != 0 && have_same(a, b, "namespace") && have_same(a, b, "host_dir") &&
           have_same(a, b, "run_dir") && have_same(a, b, "state_dir");
}

/*
 * Whether two that overlap are kept apart, or share.  Two that coordinators grant are parted by these: one of them
 * gives a number once, and the namespaces of fleets are apart on purpose.
 */
static bool are_apart(const struct meaning *a, const struct meaning *b)
{
    bool granted = a->source == SOURCE_GRANTED, other = b->source == SOURCE_GRANTED;

    if (a->source == SOURCE_RANDOM || b->source == SOURCE_RANDOM || (granted && other))
        return true;
    if (granted || other) /* the numbers of a namespace whose size is not said are not known */
        return a->is_all || b->is_all;
    if (a->source == SOURCE_NUMBER && b->source == SOURCE_NUMBER)
        return take_from_one(a, b);
    return see_each_other(a, b);
}

static void complain_of_twins(const struct meaning *a, const struct meaning *b, struct bytes *errors)
{
    const struct generator_settings *settings = b->settings;

    config_complain(errors, settings->place,
                    "[generator %s] can make the same ids as [generator %s]: both have worker id %" PRIu64
                    " of one layout. Give them different worker ids (worker=, base=, count=), or layouts, or seq_min= "
                    "and seq_max= that do not overlap",
                    settings->name, a->settings->name, a->first > b->first ? a->first : b->first);
}

/* ---- how many worker ids --------------------------------------------------------------- */

/* How many worker ids of the same source the generators before this one take. */
static uint64_t taken_before(const struct meaning *rows, const struct meaning *meaning)
{
    uint64_t taken = 0;

    for (const struct meaning *row = rows; row < meaning; row++) {
        if (row->source == SOURCE_LOCK && meaning->source == SOURCE_LOCK && row->first == meaning->first &&
            row->workers == meaning->workers && overlap(row, meaning) && see_each_other(row, meaning))
            taken += row->settings->worker_ids;
    }
    return taken;
}

static void check_count(const struct meaning *rows, const struct meaning *meaning, struct bytes *errors)
{
    const struct generator_settings *settings = meaning->settings;
    uint64_t taken = taken_before(rows, meaning);

    if (settings->worker_ids + taken <= meaning->workers || meaning->source == SOURCE_RANDOM)
        return;
    if (meaning->source == SOURCE_NUMBER)
        config_complain(errors, settings->place,
                        "[generator %s]: worker= gives one number: worker_ids=%" PRIu32
                        " needs a source of several, as file-lock or a coordinator",
                        settings->name, settings->worker_ids);
    else
        config_complain(errors, settings->place,
                        "[generator %s]: worker_ids=%" PRIu32 ", but its source has %" PRIu64
                        " worker ids (base=, count=, workers=, layout=), of which other generators take %" PRIu64,
                        settings->name, settings->worker_ids, meaning->workers, taken);
}

void twins_check(const struct settings *settings, struct bytes *errors)
{
    size_t count = settings->built_in ? 0 : settings->generator_count;
    struct meaning *rows = config_memory(calloc(count + 1, sizeof *rows), errors);

    if (rows == NULL)
        return;
    for (size_t i = 0; i < count; i++) {
        if (!read_meaning(&rows[i], &settings->generators[i])) {
            (void)config_memory(NULL, errors);
            break;
        }
        check_count(rows, &rows[i], errors);
        size_t twin = 0;
        while (twin < i && (!overlap(&rows[twin], &rows[i]) || are_apart(&rows[twin], &rows[i])))
            twin++;
        if (twin < i)
            complain_of_twins(&rows[twin], &rows[i], errors);
    }
    for (size_t i = 0; i < count; i++)
        free(rows[i].spec);
    free(rows);
}
