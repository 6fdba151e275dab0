/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: what bindings/conformance/cases.jsonl says of frazil is so.  It knows the public headers only, so
 * that it is linked with libfrazil and with frazil.c alike, and is an example for the runners of other languages.
 *
 *   run CASES...
 */
#define _XOPEN_SOURCE 700 /* nftw */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"

/* A folder of its own, which is gone at the end. */
static char scratch[] = "/tmp/frazil-conformance-XXXXXX";

/* ---- an error, where one is expected ------------------------------------------- */

/* Holds the name and the class of what a call returned against the members "error" and "class". */
static void compare_error(struct step *step, frazil_err err)
{
    const json_t *expected = json_object_get(step->left, "error");
    frazil_err_class err_class = frazil_err_classify(err);

    if (expected == NULL) {
        if (err != FRAZIL_OK)
            step_wrong(step, "%s: %s", frazil_err_name(err), step->err.message);
        return;
    }
    if (err == FRAZIL_OK) {
        step_wrong(step, "it succeeds, expected was %s", json_string_value(expected));
        return;
    }
    if (json_object_get(step->left, "class") == NULL)
        step_wrong(step, "it needs a member 'class' beside 'error'");
    out_text(step, "error", frazil_err_name(err));
    out_text(step, "class", frazil_err_class_name(err_class));
    if (step->err.code == 0) /* the function tells no more than the number */
        return;
    out_i64(step, "position", step->err.position);
    if (step->err.code != (int32_t)err || step->err.err_class != (int32_t)err_class)
        step_wrong(step, "the error's own code and class differ from it");
}

/* ---- calls ---------------------------------------------------------------------- */

static const struct call *call_named(const char *name)
{
    static const struct call *const tables[] = {calls_of_generators, calls_of_layouts, calls_of_texts, calls_of_snos};

    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        for (const struct call *call = tables[i]; call->name != NULL; call++) {
            if (strcmp(call->name, name) == 0)
                return call;
        }
    }
    return NULL;
}

static bool has_what_it_needs(const struct subject *subject, enum needs needs)
{
    switch (needs) {
    case NEEDS_SPEC:
        return subject->gen != NULL;
    case NEEDS_LAYOUT:
        return subject->layout.name[0] != '\0';
    case NEEDS_CLOCK:
        return subject->clock != NULL;
    case NEEDS_NOTHING:
        break;
    }
    return true;
}

/* Makes one call.  False: it is not as the case says, which was said. */
static bool make_call(struct subject *subject, json_t *members, const char *where, size_t number)
{
    struct step step;

    step_begin(&step, members);
    const char *name = in_text(&step, "call");
    const struct call *call = call_named(name);
    if (call == NULL)
        step_wrong(&step, "there is no such call");
    else if (!has_what_it_needs(subject, call->needs))
        step_wrong(&step, "the case lacks what this call is made on");
    else {
        frazil_err err = call->make(subject, &step);
        compare_error(&step, err);
        step_finish(&step, err == FRAZIL_OK);
    }
    bool good = step.why[0] == '\0';
    if (!good)
        printf("%s call %zu, %s: %s\n", where, number, name, step.why);
    step_end(&step);
    return good;
}

/* ---- cases ---------------------------------------------------------------------- */

static void set_environment(struct step *step, bool begin)
{
    json_t *variables = json_object_get(step->left, "environment");
    const char *name;
    json_t *value;

    json_object_foreach(variables, name, value)
    {
        if (begin)
            (void)setenv(name, json_string_value(value), 1);
        else
            (void)unsetenv(name);
    }
    if (!begin)
        (void)json_object_del(step->left, "environment");
}

enum { SPEC_SIZE = 2048 };

/* The spec of a key, with the runner's own folder in place of SCRATCH. */
static void in_spec(struct step *step, const char *key, char ret[SPEC_SIZE])
{
    static const char word[] = "SCRATCH";
    const char *text = in_text(step, key);
    const char *found;
    size_t len = 0;

    ret[0] = '\0';
    while ((found = strstr(text, word)) != NULL && len < SPEC_SIZE) {
        len += (size_t)snprintf(ret + len, SPEC_SIZE - len, "%.*s%s", (int)(found - text), text, scratch);
        text = found + strlen(word);
    }
    if (len + strlen(text) >= SPEC_SIZE)
        step_wrong(step, "its spec is too long");
    else
        memcpy(ret + len, text, strlen(text) + 1);
}

/* A generator that is there while the case is tried. */
static void open_beside(struct subject *subject, struct step *step)
{
    char spec[SPEC_SIZE];

    if (json_object_get(step->left, "beside") == NULL)
        return;
    in_spec(step, "beside", spec);
    if (frazil_open(&subject->beside, spec, &step->err) != FRAZIL_OK)
        step_wrong(step, "the generator beside it: %s", step->err.message);
}

static frazil_err open_generator(struct subject *subject, struct step *step)
{
    char spec[SPEC_SIZE];
    frazil_options *options;
    frazil_clock clock;
    frazil_info info;

    in_spec(step, "spec", spec);
    open_beside(subject, step);
    frazil_err err = frazil_options_open(&options, &step->err);
    if (err != FRAZIL_OK)
        return err;
    err = frazil_options_spec(options, spec, strlen(spec), &step->err);
    if (err == FRAZIL_OK && json_object_get(step->left, "clock_unix_ms") != NULL) {
        err = frazil_manual_clock_open(&subject->clock, in_i64(step, "clock_unix_ms"), 0, NULL);
        if (err == FRAZIL_OK) {
            frazil_manual_clock_port(subject->clock, &clock, sizeof clock);
            err = frazil_options_clock(options, &clock, &step->err);
        }
    }
    if (err == FRAZIL_OK)
        err = frazil_open_with(&subject->gen, options, &step->err);
    frazil_options_close(options);
    if (err == FRAZIL_OK) {
        frazil_get_info(subject->gen, &info, sizeof info);
        subject->layout = *info.layout;
    }
    return err;
}

static frazil_err open_subject(struct subject *subject, struct step *step)
{
    if (json_object_get(step->left, "spec") != NULL)
        return open_generator(subject, step);
    if (json_object_get(step->left, "layout") == NULL)
        return FRAZIL_OK;
    const char *text = in_text(step, "layout");
    return frazil_layout_parse(text, strlen(text), &subject->layout, &step->err);
}

static void close_subject(struct subject *subject)
{
    frazil_local_close(subject->local);
    frazil_close(subject->gen);
    frazil_close(subject->beside);
    frazil_manual_clock_close(subject->clock);
}

static bool run_case(json_t *members, const char *where)
{
    struct subject subject = {.gen = NULL};
    struct step step;
    json_t *member;
    size_t i;
    bool good = true;

    step_begin(&step, members);
    const char *name = in_text(&step, "name");
    json_t *calls = json_object_get(members, "calls");
    set_environment(&step, true);
    frazil_err err = open_subject(&subject, &step);
    set_environment(&step, false);
    compare_error(&step, err);
    (void)json_object_del(step.left, "calls");
    step_finish(&step, false);
    if (err == FRAZIL_OK && json_array_size(calls) == 0)
        step_wrong(&step, "the case makes no call");
    if (step.why[0] != '\0') {
        printf("%s \"%s\": %s\n", where, name, step.why);
        good = false;
    }
    json_array_foreach(calls, i, member)
    {
        good = good && make_call(&subject, member, where, i + 1);
    }
    close_subject(&subject);
    step_end(&step);
    return good;
}

/* Returns how many cases failed, and adds up how many there are. */
static unsigned run_file(const char *path, unsigned *cases)
{
    enum { LINE_SIZE = 65536 };
    static char line[LINE_SIZE];
    FILE *file = fopen(path, "r");
    unsigned failed = 0;
    char where[WHY_SIZE];
    json_error_t error;

    if (file == NULL) {
        perror(path);
        return 1;
    }
    for (unsigned number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        json_t *members = json_loads(line, JSON_REJECT_DUPLICATES, &error);
        (void)snprintf(where, sizeof where, "%s:%u:", path, number);
        if (members == NULL)
            printf("%s %s\n", where, error.text);
        failed += members == NULL || !run_case(members, where);
        (*cases)++;
        json_decref(members);
    }
    (void)fclose(file);
    return failed;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

int main(int argc, char **argv)
{
    unsigned cases = 0;
    unsigned failed = 0;

    if (mkdtemp(scratch) == NULL) {
        perror(scratch);
        return 1;
    }

    for (int i = 1; i < argc; i++)
        failed += run_file(argv[i], &cases);
    (void)nftw(scratch, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    printf("%u cases, %u failed\n", cases, failed);
    return failed != 0 || cases == 0;
}
