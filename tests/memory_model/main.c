/* SPDX-License-Identifier: MIT */
/*
 * memory-model [--quick] [SCENARIO]: runs the scenarios, or the one of that name, through
 * all orders, and then with each operation made weaker: what must break has to.
 * --quick: through the first orders of each, which break all of those that must.
 * An operation that the list of variants does not know is an error, as is one that
 * it has and the code has not: the list is about the code as it is.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "scenarios.h"
#include "variants.h"

static const struct scenario *const lists[] = {parts_scenarios, taking_scenarios, sides_scenarios, grants_scenarios};

enum { LISTS = sizeof lists / sizeof lists[0], QUICK_RUNS = 50000, WHOLE_RUNS = 5000000 };

/* After how many runs the search of a scenario ends.  A whole search that needs more is an error: it may take days. */
static uint64_t most_runs = WHOLE_RUNS;

static bool is_too_long(const struct model_result *result)
{
    return result->cut && most_runs == WHOLE_RUNS;
}

static const char *const weakness_names[] = {
    [MODEL_NO_ACQUIRE] = "without acquire",
    [MODEL_NO_RELEASE] = "without release",
    [MODEL_IN_TWO] = "as load and store",
};

/* Seconds of processor time: others may be at work on this machine. */
static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* ---- the code as it is ---------------------------------------------------------- */

/* False: a run broke a rule; it is printed. */
static bool hold(const struct scenario *scenario)
{
    double began = seconds();
    struct model_result result = model_check(scenario, -1, MODEL_AS_IT_IS, most_runs, true);
    char bound[16] = "all";

    if (scenario->bound != 0)
        snprintf(bound, sizeof bound, "%u", scenario->bound);
    printf("%-14s %u threads, %3s switches %9" PRIu64 " runs %6.2f s  %s\n", scenario->name, scenario->threads, bound,
           result.runs, seconds() - began, result.broken ? result.what : scenario->rule);
    if (is_too_long(&result))
        printf("%14s TOO LONG: give it fewer threads or switches\n", "");
    else if (result.cut)
        printf("%14s the rest is left to the whole search\n", "");
    return !result.broken && !is_too_long(&result);
}

static const struct scenario *scenario_named(const char *name)
{
    for (unsigned l = 0; l < LISTS; l++) {
        for (const struct scenario *s = lists[l]; s->name != NULL; s++) {
            if (strcmp(s->name, name) == 0)
                return s;
        }
    }
    return NULL;
}

static unsigned hold_all(const char *only)
{
    unsigned broken = 0;

    for (unsigned l = 0; l < LISTS; l++) {
        for (const struct scenario *s = lists[l]; s->name != NULL; s++) {
            if (only == NULL || strcmp(s->name, only) == 0)
                broken += !hold(s);
        }
    }
    return broken;
}

/* ---- made weaker -------------------------------------------------------------------- */

/* Whether an operation can be made weaker in that way. */
static bool applies(const struct model_site *site, enum model_weakness weakness)
{
    bool acquires = site->order == MODEL_ACQUIRE || site->order == MODEL_ACQ_REL;
    bool releases = site->order == MODEL_RELEASE || site->order == MODEL_ACQ_REL;

    return (weakness == MODEL_NO_ACQUIRE && acquires) || (weakness == MODEL_NO_RELEASE && releases) ||
           (weakness == MODEL_IN_TWO && site->operation != MODEL_LOAD && site->operation != MODEL_STORE);
}

static bool is_about(const struct variant *variant, const struct model_site *site, enum model_weakness weakness)
{
    return variant->weakness == weakness && strcmp(variant->function, site->function) == 0 &&
           strcmp(variant->operand, site->operand) == 0;
}

/* The number of the variant's operation; -1: the code has none. */
static int site_of(const struct variant *variant)
{
    const struct model_site *site;

    for (int i = 0; (site = model_site_at(i)) != NULL; i++) {
        if (applies(site, variant->weakness) && is_about(variant, site, variant->weakness))
            return i;
    }
    return -1;
}

/* The result of a variant. */
enum verdict { AS_IT_SHOULD, LEFT_OUT, WRONG };

/* Whether what must break does, and what must not does not. */
static enum verdict judge(const struct variant *variant)
{
    const struct scenario *scenario = scenario_named(variant->scenario);
    int site = site_of(variant);

    printf("%s, %s, %s, in %s: ", variant->function, variant->operand, weakness_names[variant->weakness],
           variant->scenario);
    if (scenario == NULL || site < 0) {
        printf("NO SUCH %s\n", scenario == NULL ? "SCENARIO" : "OPERATION");
        return WRONG;
    }
    struct model_result result = model_check(scenario, site, variant->weakness, most_runs, false);
    if (result.cut) {
        printf("%s\n", is_too_long(&result) ? "TOO LONG: name a smaller scenario" : "left to the whole search");
        return is_too_long(&result) ? WRONG : LEFT_OUT;
    }
    if (result.broken)
        printf("%s, run %" PRIu64 "%s\n", result.what, result.runs,
               variant->unseen == NULL ? "" : ": THE LIST SAYS THAT NONE BREAKS");
    else
        printf("%s\n", variant->unseen == NULL ? "NOT FOUND" : variant->unseen);
    if (!model_met(site))
        printf("NOT MET in this scenario\n");
    return result.broken == (variant->unseen == NULL) && model_met(site) ? AS_IT_SHOULD : WRONG;
}

struct figures {
    unsigned broken;
    unsigned unseen;
    unsigned left_out;
    unsigned wrong;
};

static struct figures judge_all(const char *only)
{
    struct figures figures = {0};

    for (const struct variant *v = variants; v->function != NULL; v++) {
        if (only != NULL && strcmp(v->scenario, only) != 0)
            continue;
        enum verdict verdict = judge(v);
        figures.broken += verdict == AS_IT_SHOULD && v->unseen == NULL;
        figures.unseen += verdict == AS_IT_SHOULD && v->unseen != NULL;
        figures.left_out += verdict == LEFT_OUT;
        figures.wrong += verdict == WRONG;
    }
    return figures;
}

static bool is_listed(const struct model_site *site, enum model_weakness weakness)
{
    for (const struct variant *v = variants; v->function != NULL; v++) {
        if (is_about(v, site, weakness))
            return true;
    }
    return false;
}

/* Operations that were met, and that no variant is about. */
static unsigned count_unlisted(void)
{
    const struct model_site *site;
    unsigned unlisted = 0;

    for (int i = 0; (site = model_site_at(i)) != NULL; i++) {
        for (enum model_weakness w = MODEL_NO_ACQUIRE; w <= MODEL_IN_TWO; w++) {
            if (!applies(site, w) || is_listed(site, w))
                continue;
            printf("%s, %s, %s: no variant in variants.c (%s:%d)\n", site->function, site->operand, weakness_names[w],
                   site->file, site->line);
            unlisted++;
        }
    }
    return unlisted;
}

int main(int argc, char **argv)
{
    bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    const char *only = argc > 1 + quick ? argv[1 + quick] : NULL;

    if (quick)
        most_runs = QUICK_RUNS;
    if (argc > 2 + quick || (only != NULL && scenario_named(only) == NULL)) {
        fprintf(stderr, "usage: memory-model [--quick] [SCENARIO]\n");
        return 2;
    }
    if (hold_all(only) != 0)
        return 1;
    printf("\nEach operation made weaker, and the run that breaks a rule, or why none does:\n\n");
    struct figures figures = judge_all(only);
    figures.wrong += count_unlisted();
    printf("\n%u variants that break a rule, %u that do not for a reason, %u left to the whole search, %u not as they "
           "should "
           "be; %.1f s of processor time\n",
           figures.broken, figures.unseen, figures.left_out, figures.wrong, seconds());
    return figures.wrong == 0 ? 0 : 1;
}
