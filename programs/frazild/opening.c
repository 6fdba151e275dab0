/* SPDX-License-Identifier: MIT */
#include "opening.h"

#include "clock.h"
#include "default_worker.h"
#include "log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LATE_NS NS_PER_S /* for a worker id that nobody needs any more; the process may end before */

enum opening_phase {
    PHASE_RESTS, /* it waits, or has not begun, or is over: anybody may take what is open */
    PHASE_WORKS,
    PHASE_GIVEN_UP,
};

/* From here to opening_go_on this thread touches nothing that is open: these engines, and those of the set. */
static void rest(struct opening *opening, struct engine *engines)
{
    opening->engines = engines;
    atomic_store(&opening->phase, PHASE_RESTS);
}

void opening_go_on(struct opening *opening, frazil *gen)
{
    int phase = PHASE_RESTS;

    if (atomic_compare_exchange_strong(&opening->phase, &phase, PHASE_WORKS) || phase == PHASE_WORKS)
        return;
    if (gen != NULL)
        (void)!frazil_close_within(gen, LATE_NS);
    for (;;)
        (void)pause();
}

/* Begins with an empty set. */
static void begin(struct opening *opening, struct generators *set)
{
    opening_go_on(opening, NULL);
    *set = (struct generators){0};
    opening->set = set;
}

void opening_end(struct opening *opening)
{
    opening_go_on(opening, NULL);
    opening->set = NULL;
    rest(opening, NULL);
}

bool opening_give_up(struct opening *opening, uint64_t wait_ns)
{
    int phase = PHASE_RESTS;

    if (!atomic_compare_exchange_strong(&opening->phase, &phase, PHASE_GIVEN_UP))
        return false;
    if (opening->engines != NULL) /* there is room: it would have been the next */
        opening->set->rows[opening->set->count++] = (struct generator){.engine = opening->engines};
    if (opening->set != NULL)
        generators_close(opening->set, wait_ns);
    return true;
}

/* Reads how the generator waits for a tick. */
static void read_policies(struct engine *engine, const frazil_options *options)
{
    char text[WORKER_SIZE];

    engine->is_strict = frazil_options_get(options, "on_full", text, sizeof text, NULL, NULL) == FRAZIL_OK &&
                        strcmp(text, "error") == 0;
    engine->lead_ns = UINT64_MAX;
    if (frazil_options_get(options, "max_lead", text, sizeof text, NULL, NULL) == FRAZIL_OK && text[0] >= '0' &&
        text[0] <= '9')
        engine->lead_ns = strtoull(text, NULL, 10);
}

/* Opens the one behind the others.  This may wait for a coordinator. */
static frazil_err open_gen(frazil **ret, struct opening *opening, struct engine *others, const frazil_options *options,
                           frazil_error *reterr)
{
    rest(opening, others);
    frazil_err err = frazil_open_with(ret, options, reterr);
    opening_go_on(opening, err == FRAZIL_OK ? *ret : NULL);
    return err;
}

static struct engine *open_one(struct opening *opening, const struct generator_settings *settings,
                               struct engine *others, struct bytes *errors)
{
    struct engine *engine = calloc(1, sizeof *engine);
    frazil_info info;
    frazil_err code = FRAZIL_ENOMEM;
    frazil_error err = {.message = "out of memory"};

    if (engine != NULL)
        code = open_gen(&engine->gen, opening, others, settings->options, &err);
    if (code != FRAZIL_OK) {
        config_complain(errors, settings->place, "[generator %s]: %s%s", settings->name, err.message,
                        code == FRAZIL_EWORKER || code == FRAZIL_EPOOL ? opening->goes : "");
        free(engine);
        return NULL;
    }
    if (settings->assumes_worker)
        log_line(LOG_ALWAYS, DEFAULT_WORKER_NOTE);
    memcpy(engine->name, settings->name, strlen(settings->name) + 1);
    (void)!frazil_options_get(settings->options, "worker", engine->worker, sizeof engine->worker, NULL, NULL);
    if (strcmp(engine->worker, UNCLAIMED_WORKER) == 0)
        log_line(LOG_ALWAYS, UNCLAIMED_WORKER_NOTE);
    read_policies(engine, settings->options);
    frazil_get_info(engine->gen, &info, sizeof info);
    engine->layout = *info.layout;
    engine->seen.worker = info.worker;
    engine->is_sno = engine->layout.kind == FRAZIL_LAYOUT_SNO;
    atomic_init(&engine->holders, 1);
    if (info.state == FRAZIL_STATE_SLOTS)
        engine->taker = take_thread_start(engine->gen, engine->is_sno);
    if (info.state != FRAZIL_STATE_SLOTS || engine->taker != NULL)
        return engine;
    config_complain(errors, settings->place, "[generator %s]: out of memory or threads", settings->name);
    engine_release(engine, NS_PER_S);
    return NULL;
}

static uint32_t worker_of(const struct engine *engine)
{
    frazil_info info;

    frazil_get_info(engine->gen, &info, sizeof info);
    return info.worker;
}

/* Whether one of the others has this worker id. */
static bool has_worker(const struct engine *others, uint32_t worker)
{
    while (others != NULL && worker_of(others) != worker)
        others = others->next;
    return others != NULL;
}

/* Opens one more, which holds the others.  NULL: errors says why not, and the others are let go. */
static struct engine *open_next(struct opening *opening, const struct generator_settings *settings,
                                struct engine *others, struct bytes *errors)
{
    struct engine *engine = open_one(opening, settings, others, errors);

    if (engine != NULL && !has_worker(others, worker_of(engine))) {
        engine->next = others;
        return engine;
    }
    if (engine != NULL) {
        config_complain(errors, settings->place,
                        "[generator %s]: worker= gives %" PRIu32 " again: worker_ids=%" PRIu32
                        " needs a source with several, such as file-lock or a coordinator",
                        settings->name, worker_of(engine), settings->worker_ids);
        engine_release(engine, NS_PER_S);
    }
    engine_release(others, NS_PER_S);
    return NULL;
}

/* Opens an engine for each worker id that is wanted; takes the meaning over.  NULL: errors says why not. */
static struct engine *open_all(struct opening *opening, const struct generator_settings *settings, struct spec *meaning,
                               struct bytes *errors)
{
    struct engine *first = open_one(opening, settings, NULL, errors);

    for (uint32_t i = 1; first != NULL && i < settings->worker_ids; i++)
        first = open_next(opening, settings, first, errors);
    if (first != NULL) {
        first->meaning = *meaning;
        *meaning = (struct spec){NULL};
    }
    return first;
}

/* The engine of a generator: that of before, if it means the same, or a new one.  NULL: errors says why not. */
static struct engine *engine_for(const struct generator_settings *settings, const struct generators *before,
                                 struct opening *opening, struct bytes *errors)
{
    struct spec meaning = settings_spec(settings, errors);
    struct generator *old = before != NULL ? generators_find(before, slice_of(settings->name)) : NULL;
    struct engine *engine = NULL;

    if (meaning.text == NULL)
        return NULL;
    if (old == NULL) {
        engine = open_all(opening, settings, &meaning, errors);
    } else if (strcmp(old->engine->meaning.text, meaning.text) == 0 &&
               generator_worker_ids(old) == settings->worker_ids) {
        engine = old->engine;
        engine_hold(engine);
    } else {
        config_complain(errors, settings->place,
                        "[generator %s]: its layout, worker or another key of its spec changed, which needs a restart",
                        settings->name);
    }
    spec_free(&meaning);
    return engine;
}

static int by_name(const void *a, const void *b)
{
    const struct generator *x = a, *y = b;

    return strcmp(x->name, y->name);
}

#define GOES                                                                                                           \
    "a generator that this reload closes keeps its worker id until then: if it is that one, reload without both first"

static bool some_go(const struct settings *settings, const struct generators *before)
{
    size_t i = 0;

    while (before != NULL && i < before->count && settings_have_generator(settings, before->rows[i].name))
        i++;
    return before != NULL && i < before->count;
}

/* The generators that a reload closes, as a group, by what runs of them; NULL: errors says why. */
static frazil_admin_group *group_of_those_that_go(const struct settings *settings, const struct generators *before,
                                                  struct bytes *errors)
{
    frazil_admin_group *group = NULL;
    char name[sizeof "[generator ]" + NAME_MAX_LEN];
    frazil_error err;

    for (size_t i = 0; i < before->count; i++) {
        const struct generator *row = &before->rows[i];
        if (settings_have_generator(settings, row->name))
            continue;
        (void)snprintf(name, sizeof name, "[generator %s]", row->name);
        if ((group == NULL && frazil_admin_group_open(&group, &err) != FRAZIL_OK) ||
            frazil_admin_group_add(group, name, row->engine->meaning.text, generator_worker_ids(row), &err) !=
                FRAZIL_OK)
            bytes_format(errors, "%s: %s\n", name, err.message);
    }
    return group;
}

/*
 * Adds those new generators to errors that can make the same ids as one that goes: both are open for a moment, and not
 * all of them refuse each other then.  What runs is compared, whatever its files say by now; and where nothing is new,
 * nothing is compared that could fail.
 */
static void look_at_those_that_go(const struct settings *settings, const struct generators *before,
                                  struct bytes *errors)
{
    frazil_admin_group *group = NULL;
    frazil_error why;

    for (size_t i = 0; i < settings->generator_count; i++) {
        const struct generator_settings *row = &settings->generators[i];
        if (generators_find(before, slice_of(row->name)) != NULL)
            continue;
        if (group == NULL && (group = group_of_those_that_go(settings, before, errors)) == NULL)
            return;
        struct spec meaning = settings_spec(row, errors);
        if (meaning.text != NULL &&
            frazil_admin_group_add(group, row->name, meaning.text, row->worker_ids, &why) == FRAZIL_EWORKER)
            config_complain(errors, row->place, "[generator %s]: %s; " GOES, row->name, why.message);
        spec_free(&meaning); /* any other error is left to the opening, which follows */
    }
    frazil_admin_group_close(group);
}

void opening_generators(struct opening *opening, struct generators *set, const struct settings *settings,
                        const struct generators *before, struct bytes *errors)
{
    bool go = some_go(settings, before);

    begin(opening, set);
    /* A reload that fails has closed nothing, so those that go keep their worker ids until it is done. */
    opening->goes = go ? "; " GOES : "";
    if (go)
        look_at_those_that_go(settings, before, errors);
    *set = (struct generators){.rows = calloc(settings->generator_count + 1, sizeof *set->rows)};
    if (set->rows == NULL)
        bytes_add_text(errors, "out of memory\n");
    for (size_t i = 0; i < settings->generator_count && config_is_good(errors); i++) {
        const struct generator_settings *row = &settings->generators[i];
        struct generator generator = {.engine = engine_for(row, before, opening, errors),
                                      .keys = strdup(row->keys),
                                      .max_batch = row->max_batch,
                                      .rate = {.per_second = row->rate}};
        if (generator.engine == NULL) {
            free(generator.keys);
            break;
        }
        (void)config_memory(generator.keys, errors);
        generator.name = generator.engine->name;
        set->rows[set->count++] = generator;
    }
    if (set->rows != NULL)
        qsort(set->rows, set->count, sizeof *set->rows, by_name);
    if (config_is_good(errors))
        rest(opening, NULL);
}
