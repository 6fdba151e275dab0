/* SPDX-License-Identifier: MIT */
/* Which source gives the worker id, and whether the other settings go with it. */
#include "decide_internal.h"

#include <string.h>

#include "coordinators.h"
#include "core/decimal.h"
#include "core/layout_internal.h"
#include "core/nearest.h"
#include "core/sentence.h"
#include "worker_ask.h"

/* The numbers that the source may give: those of the datacenter, from the base on. */
static frazil_err find_space(struct fz_worker_space *ret, const struct fz_values *values, frazil_error *reterr)
{
    uint64_t workers = fz_layout_max_worker(&values->layout) + 1;
    uint64_t datacenters = UINT64_C(1) << values->layout.datacenter_bits;

    if (fz_is_given(values, FZ_KEY_DATACENTER)) {
        if (datacenters == 1)
            return fz_fail(
                reterr, FRAZIL_ESPEC,
                "datacenter is given, but the layout does not split its worker: describe it as in 41/5+5/12");
        workers /= datacenters;
    }
    uint64_t rest = workers - values->base;
    frazil_err err = fz_value_between(values, FZ_KEY_DATACENTER, values->datacenter, 0, datacenters - 1, reterr);
    if (err == FRAZIL_OK)
        err = fz_value_between(values, FZ_KEY_BASE, values->base, 0, workers - 1, reterr);
    if (err == FRAZIL_OK)
        err = fz_value_between(values, FZ_KEY_COUNT, values->count, 1, rest, reterr);
    *ret = (struct fz_worker_space){.count = fz_is_given(values, FZ_KEY_COUNT) ? values->count : rest,
                                    .base = values->base,
                                    .high = values->datacenter * workers};
    return err;
}

/* ---- no source ---------------------------------------------------------------- */

/* The source that was meant, if only a slip away; a number or a name stands behind the ':' of some. */
static void say_meant(struct fz_sentence *s, const char *given)
{
    struct fz_nearest near = fz_nearest_to(given, strlen(given));
    const struct fz_worker_source *source;
    const char *argument = "";

    for (size_t i = 0; (source = fz_worker_source_at(i)) != NULL; i++) {
        if (source->name[0] == '\0')
            continue; /* any URL */
        near.len = strcspn(given, source->argument[0] == ':' ? ":=" : "");
        fz_nearest_offer(&near, source->name);
        if (near.word == source->name)
            argument = source->argument;
    }
    fz_sentence_str(s, near.word == NULL ? "; they are " : ": did you mean ");
    fz_sentence_str(s, near.word == NULL ? fz_worker_sources_in_words() : near.word);
    fz_sentence_str(s, argument);
    fz_sentence_str(s, near.word == NULL ? "" : "?");
}

static frazil_err unknown_source(const char *given, frazil_error *reterr)
{
    char advice[640];
    struct fz_sentence s = fz_sentence_in(advice, sizeof advice);
    uint64_t number;

    if (fz_decimal_parse(given, strlen(given), &number))
        return fz_fail(reterr, FRAZIL_ESPEC, "worker=%u names no source: write worker=fixed:%u", number, number);
    if (fz_is_scheme(given))
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "worker=%q is not a source of worker ids: a coordinator is named by its URL, such as "
                       "redis://HOST/NAMESPACE; frazil help worker shows them all",
                       given);
    say_meant(&s, given);
    return fz_fail(reterr, FRAZIL_ESPEC, "worker=%q is not a source of worker ids%s", given, advice);
}

static frazil_err no_worker(const frazil_layout *layout, frazil_error *reterr)
{
    return fz_fail(reterr, FRAZIL_ENOWORKER,
                   "no worker id is given, and none is guessed: set worker= to one of the sources %s; the number must "
                   "be from 0 to %u and belong to this generator alone",
                   fz_worker_sources_in_words(), fz_layout_max_worker(layout));
}

/* ---- keys without effect --------------------------------------------------------- */

static const uint8_t needs_of[] = {
#define NEEDS_ROW(identifier, name, whose, kind, member, needs, where) FZ_FOR_##needs,
    FZ_KEYS(NEEDS_ROW)
#undef NEEDS_ROW
};

/* The worker ids that a key has an effect with, in words. */
static const char *words_for(enum fz_key key)
{
    switch (key) {
#define WORDS_CASE(identifier, name, whose, kind, member, needs, where)                                                \
    case FZ_KEY_##identifier:                                                                                          \
        return where;
        FZ_KEYS(WORDS_CASE) /* NOLINT(bugprone-branch-clone): a row for each */
#undef WORDS_CASE
    default:
        return ""; /* not reached */
    }
}

void fz_decision_idle_keys(const struct fz_decision *decision, fz_idle_visitor visit, void *ctx)
{
    for (int key = 0; key < FZ_KEYS_TOTAL; key++) {
        if ((decision->idle >> key & 1) != 0)
            visit(ctx, fz_key_name((enum fz_key)key), words_for((enum fz_key)key));
    }
    for (int key = 0; key < FZ_KEYS_TOTAL; key++) {
        if ((decision->passed_over >> key & 1) != 0)
            visit(ctx, fz_key_name((enum fz_key)key),
                  "programs with an empty spec, because a spec says what ids look like");
    }
}

/*
 * A program that writes a key into the spec expects an effect.  Environment and config file are for many specs: a key
 * that one of them does not need is not wrong there, and the doctor says so.
 */
static frazil_err note_idle(struct fz_decision *decision, const struct fz_values *values,
                            const struct fz_worker_source *source, frazil_error *reterr)
{
    unsigned here = source == NULL ? 0 : source->keys;
    enum fz_key beside = source == NULL ? FZ_KEY_PARTITION : FZ_KEY_WORKER;
    const char *chosen = fz_given_text(values, beside);

    if (decision->state.kind == FZ_STATE_URL)
        here |= FZ_FOR_SLOTS;
    for (int i = 0; i < FZ_KEYS_TOTAL; i++) {
        enum fz_key key = (enum fz_key)i;
        if (!fz_is_given(values, key) || needs_of[key] == FZ_FOR_ANY || (needs_of[key] & here) != 0)
            continue;
        if (!values->settings->from_elsewhere[key])
            return fz_fail(reterr, FRAZIL_ESPEC, "%s=%q has no effect with %s=%v: it is for %s; leave it out",
                           fz_key_name(key), fz_given_text(values, key), fz_key_name(beside),
                           chosen != NULL ? chosen : source->name, words_for(key));
        decision->idle |= UINT64_C(1) << key;
    }
    return FRAZIL_OK;
}

/* ---- choosing ------------------------------------------------------------------ */

/* partition= is fixed:N for snos, in the spelling of their two bytes. */
static frazil_err from_partition(const struct fz_worker_ask *ask, uint32_t *ret, frazil_error *reterr)
{
    const struct fz_values *values = ask->values;
    const char *text = fz_given_text(values, FZ_KEY_PARTITION);
    uint16_t partition = 0;
    frazil_error why;

    if (values->layout.kind != FRAZIL_LAYOUT_SNO)
        return fz_fail(reterr, FRAZIL_ESPEC, "partition=%q is for layout=sno: for other layouts write worker=fixed:N",
                       text);
    if (ask->given != NULL)
        return fz_fail(reterr, FRAZIL_ESPEC, "partition=%q and worker=%q are both given: leave one of them out", text,
                       ask->given);
    if (frazil_sno_partition_parse(text, strlen(text), &partition, &why) != FRAZIL_OK)
        return fz_fail(reterr, FRAZIL_ESPEC, "partition: %s", why.message);
    if (partition >= ask->space.count)
        return fz_fail(reterr, FRAZIL_EWORKER, "partition=%v is %u: must be from 0 to %u", text, (uint64_t)partition,
                       ask->space.count - 1);
    *ret = fz_worker_in(&ask->space, partition);
    return FRAZIL_OK;
}

/* Whether file-lock stands for a worker= that is left out, as in `frazil next`, which the operator asks about. */
static bool has_default(enum fz_opening opening)
{
    return opening == FZ_OPENING_FILES || opening == FZ_OPENING_EXAMINATION;
}

frazil_err fz_worker_choose(struct fz_decision *decision, const struct fz_values *values, enum fz_opening opening,
                            frazil_error *reterr)
{
    bool by_partition = fz_is_given(values, FZ_KEY_PARTITION);
    struct fz_worker_ask ask = {.values = values, .given = fz_given_text(values, FZ_KEY_WORKER)};
    struct fz_worker_choice choice = {.count = 1};

    if (ask.given == NULL && !by_partition) {
        if (!has_default(opening))
            return no_worker(&values->layout, reterr);
        ask.given = "file-lock";
        choice.was_default = true;
    }
    frazil_err err = find_space(&ask.space, values, reterr);
    if (err != FRAZIL_OK)
        return err;
    if (by_partition) {
        err = from_partition(&ask, &choice.first, reterr);
    } else {
        choice.source = fz_worker_source_of(ask.given, &ask.argument);
        if (choice.source == NULL)
            return unknown_source(ask.given, reterr);
        err = choice.source->read(&ask, &choice, reterr);
    }
    if (err != FRAZIL_OK) {
        (void)note_idle(decision, values, choice.source, NULL); /* the doctor wants to know all the same */
        return err;
    }
    err = note_idle(decision, values, choice.source, reterr);
    if (err == FRAZIL_OK)
        decision->worker = choice;
    return err;
}

frazil_err fz_worker_by_program(struct fz_decision *decision, const struct fz_values *values, frazil_error *reterr)
{
    static const enum fz_key keys[] = {FZ_KEY_WORKER,     FZ_KEY_PARTITION, FZ_KEY_BASE,     FZ_KEY_COUNT,
                                       FZ_KEY_DATACENTER, FZ_KEY_EXPECT,    FZ_KEY_HOSTNAME, FZ_KEY_IP};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (fz_is_given(values, keys[i]))
            return fz_fail(reterr, FRAZIL_ESPEC,
                           "%s is given, and the program's own granter gives the worker id: leave %s out of the spec, "
                           "the environment and the config file",
                           fz_key_name(keys[i]), fz_key_name(keys[i]));
    }
    decision->worker = (struct fz_worker_choice){.count = 1, .by_program = true};
    return FRAZIL_OK;
}
