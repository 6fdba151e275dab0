/* SPDX-License-Identifier: MIT */
#include "generators.h"

#include "clock.h"
#include "log.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAYOUT_SIZE 4096
#define CLOSERS 32 /* threads that wait for coordinators at the end */

bool pattern_fits(struct slice pattern, struct slice text)
{
    size_t at = 0, seen = 0, star = SIZE_MAX, after = 0;

    while (seen < text.len) {
        if (at < pattern.len && pattern.at[at] == '*') {
            star = at++;
            after = seen;
        } else if (at < pattern.len && pattern.at[at] == text.at[seen]) {
            at++;
            seen++;
        } else if (star != SIZE_MAX) {
            at = star + 1; /* the last star takes one more */
            seen = ++after;
        } else {
            return false;
        }
    }
    while (at < pattern.len && pattern.at[at] == '*')
        at++;
    return at == pattern.len;
}

/* Compares as strcmp does; the name is a client's, and may hold a zero byte. */
static int compare_name(const char *own, struct slice name)
{
    size_t own_len = strlen(own), least = own_len < name.len ? own_len : name.len;
    int order = least > 0 ? memcmp(own, name.at, least) : 0;

    return order != 0 || own_len == name.len ? order : (own_len < name.len ? -1 : 1);
}

struct generator *generators_find(const struct generators *set, struct slice name)
{
    size_t low = 0, high = set->count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = compare_name(set->rows[middle].name, name);
        if (order == 0)
            return &set->rows[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

struct generator *generators_default(const struct generators *set)
{
    struct generator *named = generators_find(set, slice_of("main"));

    return named == NULL && set->count == 1 ? &set->rows[0] : named;
}

/* The length of the longest of the patterns that fits; 0: none does. */
static size_t longest_pattern(const char *patterns, struct slice key)
{
    struct slice pattern;
    size_t longest = 0;

    while (slice_next_word(&patterns, &pattern)) {
        if (pattern.len > longest && pattern_fits(pattern, key))
            longest = pattern.len;
    }
    return longest;
}

struct generator *generators_by_key(const struct generators *set, struct slice key)
{
    struct generator *found = key.len <= NAME_MAX_LEN ? generators_find(set, key) : NULL;
    size_t longest = 0;

    for (size_t i = 0; found == NULL && i < set->count; i++) {
        size_t pattern = longest_pattern(set->rows[i].keys, key);
        if (pattern > longest)
            longest = pattern;
    }
    for (size_t i = 0; found == NULL && longest > 0 && i < set->count; i++) {
        if (longest_pattern(set->rows[i].keys, key) == longest)
            found = &set->rows[i];
    }
    return found;
}

/* ---- keys that would mean two generators ------------------------------------------------- */

/* A pattern of keys=, or the name of a generator, which comes before all patterns. */
struct claim {
    struct slice text;
    const struct generator_settings *by;
};

/* By text; of those that are equal, the first of the configuration is the first. */
static int by_text(const void *a, const void *b)
{
    const struct claim *x = a, *y = b;
    int order = memcmp(x->text.at, y->text.at, x->text.len < y->text.len ? x->text.len : y->text.len);

    if (order == 0)
        order = (x->text.len > y->text.len) - (x->text.len < y->text.len);
    return order != 0 ? order : (x->by > y->by) - (x->by < y->by);
}

static size_t count_claims(const struct settings *settings)
{
    size_t count = settings->generator_count;
    struct slice ignored;

    for (size_t i = 0; i < settings->generator_count; i++) {
        for (const char *keys = settings->generators[i].keys; slice_next_word(&keys, &ignored);)
            count++;
    }
    return count;
}

static void list_claims(const struct settings *settings, struct claim *claims)
{
    for (size_t i = 0; i < settings->generator_count; i++) {
        const struct generator_settings *by = &settings->generators[i];
        *claims++ = (struct claim){slice_of(by->name), by};
        for (const char *keys = by->keys; slice_next_word(&keys, &claims->text); claims++)
            claims->by = by;
    }
}

void generators_check_keys(const struct settings *settings, struct bytes *errors)
{
    size_t count = count_claims(settings);
    struct claim *claims = config_memory(malloc((count + 1) * sizeof *claims), errors);

    if (claims == NULL)
        return;
    list_claims(settings, claims);
    qsort(claims, count, sizeof *claims, by_text);
    for (size_t i = 1; i < count; i++) {
        const struct claim *before = &claims[i - 1], *its = &claims[i];
        if (slice_equals(its->text, before->text) && strcmp(its->by->name, before->by->name) != 0)
            config_complain(errors, its->by->place,
                            "[generator %s]: the key %.*s of INCR is that of [generator %s] already, by its name or "
                            "its keys=: name it in one of them",
                            its->by->name, (int)its->text.len, its->text.at, before->by->name);
    }
    free(claims);
}

/* ---- URLs ------------------------------------------------------------------------------- */

/* Whether one of that name runs, and means the same. */
static bool is_running(const struct generators *set, const char *name, const char *meaning)
{
    const struct generator *row = set != NULL ? generators_find(set, slice_of(name)) : NULL;

    return row != NULL && strcmp(row->engine->meaning.text, meaning) == 0;
}

void generators_check_urls(struct settings *settings, const struct generators *before, struct bytes *errors)
{
    frazil_error err;

    for (size_t i = 0; i < settings->generator_count; i++) {
        struct generator_settings *row = &settings->generators[i];
        if (!row->is_understood)
            continue;
        struct spec spec = settings_spec(row, errors);
        row->is_in_use = spec.text != NULL && is_running(before, row->name, spec.text);
        row->is_understood =
            spec.text != NULL && (row->is_in_use || frazil_admin_url_check(spec.text, NULL, &err) == FRAZIL_OK);
        if (spec.text != NULL && !row->is_understood)
            config_complain(errors, row->place, "[generator %s]: %s", row->name, err.message);
        spec_free(&spec);
    }
}

/* ---- layouts whose ids can be equal -------------------------------------------------------- */

/* Its layout; that of snos, which is compared with none, where it has none. */
static frazil_layout layout_of(const struct generator_settings *generator)
{
    frazil_layout layout = {.kind = FRAZIL_LAYOUT_SNO};
    char text[LAYOUT_SIZE];
    size_t len;

    if (generator->is_understood &&
        frazil_options_get(generator->options, "layout", text, sizeof text, &len, NULL) == FRAZIL_OK)
        (void)!frazil_layout_parse(text, len, &layout, NULL);
    return layout;
}

/* Whether ids of one time have the same bits above their workers and sequences, but these are divided otherwise. */
static bool differ_below_the_time(const frazil_layout *a, const frazil_layout *b)
{
    unsigned below = a->worker_bits + a->sequence_bits;

    return a->kind != FRAZIL_LAYOUT_SNO && b->kind != FRAZIL_LAYOUT_SNO && a->epoch_unix_ms == b->epoch_unix_ms &&
           a->tick_ms == b->tick_ms && below == (unsigned)(b->worker_bits + b->sequence_bits) &&
           !frazil_layout_equal(a, b);
}

void generators_look_at_layouts(const struct settings *settings, struct bytes *warnings)
{
    const struct generator_settings *rows = settings->generators;
    frazil_layout *layouts = config_memory(malloc(settings->generator_count * sizeof *layouts), warnings);

    for (size_t i = 0; layouts != NULL && i < settings->generator_count; i++) {
        size_t other = 0;
        layouts[i] = layout_of(&rows[i]);
        while (other < i && !differ_below_the_time(&layouts[other], &layouts[i]))
            other++;
        if (other < i)
            config_complain(warnings, rows[i].place,
                            "warning: [generator %s]: its ids can equal those of [generator %s], because their layouts "
                            "divide the same bits between worker and sequence: use one layout where ids must differ",
                            rows[i].name, rows[other].name);
    }
    free(layouts);
}

/* ---- engines ------------------------------------------------------------------------------ */

void engine_hold(struct engine *engine)
{
    (void)atomic_fetch_add(&engine->holders, 1);
}

static void free_engine(struct engine *engine)
{
    spec_free(&engine->meaning);
    take_thread_free(engine->taker);
    free(engine);
}

/* Its take_thread calls this, long after the daemon has let it go. */
static void close_late(void *arg)
{
    struct engine *engine = arg;

    (void)!frazil_close_within(engine->gen, 0);
    free_engine(engine);
}

/* waits: time was given for it.  Otherwise the library goes on in a thread, and that is no news. */
static void close_engine(struct engine *engine, bool waits, uint64_t wait_ns)
{
    const uint64_t end_ns = waits ? clock_ns() + wait_ns : 0;
    char name[sizeof engine->name];
    frazil_info info;

    memcpy(name, engine->name, sizeof name);
    if (engine->taker != NULL && !take_thread_stop(engine->taker, wait_ns, close_late, engine)) {
        if (waits)
            log_line(LOG_ALWAYS, "generator %s: a request for ids was cut: its coordinator did not answer in time",
                     name);
        return;
    }
    frazil_get_info(engine->gen, &info, sizeof info);
    const uint64_t now_ns = waits ? clock_ns() : 0;
    frazil_err err = frazil_close_within(engine->gen, end_ns > now_ns ? end_ns - now_ns : 0);

    if (err != FRAZIL_OK && (waits || err != FRAZIL_EAGAIN))
        log_line(LOG_ALWAYS, "generator %s: the release of its worker id %" PRIu32 " was not confirmed: %s",
                 engine->name, info.worker,
                 err == FRAZIL_EAGAIN ? "its coordinator or its disk did not answer in time" : frazil_strerror(err));
    free_engine(engine);
}

void engine_release(struct engine *engine, uint64_t wait_ns)
{
    uint64_t end_ns = wait_ns > 0 ? clock_ns() + wait_ns : 0; /* of all that this one holds */

    while (engine != NULL && atomic_fetch_sub(&engine->holders, 1) == 1) {
        struct engine *next = engine->next;
        uint64_t now_ns = wait_ns > 0 ? clock_ns() : 0;
        close_engine(engine, wait_ns > 0, end_ns > now_ns ? end_ns - now_ns : 0);
        engine = next;
    }
}

uint32_t generator_worker_ids(const struct generator *generator)
{
    uint32_t count = 0;

    for (const struct engine *engine = generator->engine; engine != NULL; engine = engine->next)
        count++;
    return count;
}

uint64_t generator_ids(const struct generator *generator)
{
    uint64_t total = 0;

    for (const struct engine *engine = generator->engine; engine != NULL; engine = engine->next)
        total += atomic_load(&engine->ids);
    return total;
}

uint64_t generator_waiting(const struct generator *generator)
{
    uint64_t total = 0;

    for (const struct engine *engine = generator->engine; engine != NULL; engine = engine->next)
        total += atomic_load(&engine->waiting);
    return total;
}

void engine_health(const struct engine *engine, frazil_health *ret, frazil_error *why)
{
    frazil_get_health(engine->gen, ret, sizeof *ret, why);
    if (engine->taker != NULL)
        take_thread_add_health(engine->taker, ret, why);
}

bool is_kept_elsewhere(const frazil_health *health)
{
    return health->needs_grant != 0 && health->next_keep_ns == FRAZIL_WAIT_FOREVER;
}

const struct engine *generator_worst(const struct generator *generator)
{
    const struct engine *worst = NULL;
    frazil_health health;
    int state = -1;

    for (const struct engine *engine = generator->engine; engine != NULL; engine = engine->next) {
        engine_health(engine, &health, NULL);
        if ((int)health.state > state) {
            state = (int)health.state;
            worst = engine;
        }
    }
    return worst;
}

/* Shared by the threads that close generators. */
struct closing {
    struct generators *set;
    _Atomic size_t next;
    uint64_t end_ns; /* nobody is waited for any longer */
};

static void *close_some(void *arg)
{
    struct closing *closing = arg;
    size_t i;

    while ((i = atomic_fetch_add(&closing->next, 1)) < closing->set->count) {
        uint64_t now_ns = clock_ns();
        /* Not 0: a time that is over was given. */
        engine_release(closing->set->rows[i].engine, closing->end_ns > now_ns ? closing->end_ns - now_ns : 1);
    }
    return NULL;
}

/* Coordinators are waited for side by side, not one after the other. */
void generators_close(struct generators *set, uint64_t wait_ns)
{
    struct closing closing = {.set = set, .end_ns = clock_ns() + wait_ns};
    pthread_t threads[CLOSERS];
    size_t count = 0;

    while (count < CLOSERS && count + 1 < set->count &&
           pthread_create(&threads[count], NULL, close_some, &closing) == 0)
        count++;
    (void)close_some(&closing);
    while (count > 0)
        (void)pthread_join(threads[--count], NULL);
    for (size_t i = 0; i < set->count; i++)
        free(set->rows[i].keys);
    free(set->rows);
    *set = (struct generators){0};
}
