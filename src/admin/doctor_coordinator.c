/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "config/coordinators.h"
#include "config/decide.h"
#include "core/decimal.h"
#include "core/layout_internal.h"
#include "doctor_judge.h"
#include "lease/register.h"
#include "os/clock.h"
#include "target.h"

/* ---- the coordinator's own findings --------------------------------------------------------- */

enum { TOPIC_LEN_MAX = 24 };

/* The opening of a sentence that means more to us than to a part. */
static const char missing[] = "there is no namespace ";

static bool begins(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* "coordinator.eviction" of "eviction: maxmemory-policy ..."; "coordinator.other" where a sentence has no topic. */
static void write_id(char *buf, size_t size, const char *sentence)
{
    size_t len = strspn(sentence, "abcdefghijklmnopqrstuvwxyz ");
    struct fz_sentence s = fz_sentence_in(buf, size);

    fz_sentence_str(&s, "coordinator.");
    if (sentence[len] != ':' || len > TOPIC_LEN_MAX) {
        fz_sentence_str(&s, "other");
        return;
    }
    for (size_t i = 0; i < len; i++)
        fz_sentence_char(&s, sentence[i] == ' ' ? '-' : sentence[i]);
}

static void show_as_said(enum fz_finding_level level, const char *sentence, const struct fz_findings *findings)
{
    static const enum fz_finding of_level[] = {[FZ_FINDING_OK] = FZ_FOUND_COORDINATOR_FINE,
                                               [FZ_FINDING_WARN] = FZ_FOUND_COORDINATOR_DOUBTFUL,
                                               [FZ_FINDING_FAIL] = FZ_FOUND_COORDINATOR_UNSAFE};
    char id[64];

    write_id(id, sizeof id, sentence);
    const struct fz_diagnosis diagnosis = {.health = fz_finding_health(of_level[level]), .id = id, .text = sentence};
    findings->visit(findings->ctx, &diagnosis);
}

/* "-12 ms" */
static bool read_ms(const char *text, int64_t *ret)
{
    bool negative = text[0] == '-';
    size_t len = strcspn(text + negative, " ");
    uint64_t value;

    if (!fz_decimal_parse(text + negative, len, &value) || value > INT64_MAX ||
        strcmp(text + negative + len, " ms") != 0)
        return false;
    *ret = negative ? -(int64_t)value : (int64_t)value;
    return true;
}

static uint64_t distance_us(int64_t skew_ms)
{
    uint64_t ms = skew_ms < 0 ? 0 - (uint64_t)skew_ms : (uint64_t)skew_ms;

    return ms > UINT64_MAX / 1000 ? UINT64_MAX : ms * 1000;
}

static void judge_skew(int64_t skew_ms, int64_t max_skew_ms, const struct fz_findings *findings)
{
    const char *side = skew_ms < 0 ? "behind" : "ahead of";

    if (skew_ms > max_skew_ms || skew_ms < -max_skew_ms)
        fz_found(findings, FZ_FOUND_COORDINATOR_SKEWED,
                 "its clock is %D %s ours, and %D are allowed, so it grants nothing here: set the clock that is "
                 "wrong, or raise max_skew",
                 distance_us(skew_ms), side, 1000 * (uint64_t)max_skew_ms);
    else
        fz_found(findings, FZ_FOUND_COORDINATOR_SKEW, "its clock is %D %s ours, and %D are allowed",
                 distance_us(skew_ms), side, 1000 * (uint64_t)max_skew_ms);
}

/* It answers, and cannot be used. */
static bool is_refusal(const char *sentence)
{
    return begins(sentence, FZ_FINDING_REFUSED) || begins(sentence, FZ_FINDING_BUSY) ||
           begins(sentence, FZ_FINDING_BROKEN);
}

void fz_judge_coordinator(enum fz_finding_level level, const char *sentence, int64_t max_skew_ms,
                          const struct fz_findings *findings)
{
    int64_t skew_ms;

    if (is_refusal(sentence))
        fz_finding_show(findings, FZ_FOUND_COORDINATOR_REFUSED, sentence);
    else if (begins(sentence, FZ_FINDING_SILENT))
        fz_found(findings, FZ_FOUND_COORDINATOR_SILENT,
                 "%s: check that it runs, that this host can reach it, and that the URL is right", sentence);
    else if (begins(sentence, missing))
        fz_found(
            findings, FZ_FOUND_COORDINATOR_NO_NAME,
            "%s: create it, once, with `frazil lease init`; if it existed, the coordinator was wiped or is another one",
            sentence);
    else if (begins(sentence, FZ_FINDING_SKEW) && read_ms(sentence + strlen(FZ_FINDING_SKEW), &skew_ms))
        judge_skew(skew_ms, max_skew_ms, findings);
    else
        show_as_said(level, sentence, findings);
}

void fz_judge_absence(const frazil_error *why, const struct fz_findings *findings)
{
    fz_finding_show(findings, FZ_FOUND_COORDINATOR_ABSENT, why->message);
}

/* ---- the namespace -------------------------------------------------------------------- */

/* Nine tenths are almost all; and every host wants one. */
static void judge_room(const struct fz_namespace_facts *facts, const struct fz_findings *findings)
{
    uint64_t workers = facts->leases.workers;
    uint64_t held = facts->leases.held;

    if (held >= workers || facts->hosts > workers)
        fz_found(findings, FZ_FOUND_COORDINATOR_FULL,
                 "%u of %u worker ids are held: not enough for all: stop unneeded processes (`frazil lease "
                 "list`), or take a layout with more worker bits",
                 held, workers);
    else if (held >= workers - workers / 10)
        fz_found(findings, FZ_FOUND_COORDINATOR_LOW,
                 "%u of %u worker ids are held: few are left: see `frazil lease list`", held, workers);
    else
        fz_found(findings, FZ_FOUND_COORDINATOR_NAME,
                 "%u of %u worker ids are held; ids continue without it for more than %D", held, workers,
                 500 * (uint64_t)facts->leases.horizon_ms);
}

void fz_judge_namespace(const struct fz_namespace_facts *facts, const struct fz_findings *findings)
{
    const struct fz_leases *leases = &facts->leases;

    if (facts->unreadable.code != FRAZIL_OK) {
        fz_finding_show(findings, FZ_FOUND_COORDINATOR_UNREADABLE, facts->unreadable.message);
        return;
    }
    if (!fz_layout_texts_agree(leases->layout, facts->layout))
        fz_found(findings, FZ_FOUND_COORDINATOR_LAYOUT,
                 "the namespace has the layout %q, the spec %q: give all the same layout=, or this one another "
                 "namespace",
                 leases->layout, facts->layout);
    if (facts->horizon_ms != 0 && facts->horizon_ms != leases->horizon_ms)
        fz_found(findings, FZ_FOUND_COORDINATOR_HORIZON,
                 "the namespace has a horizon of %D, the spec of %D: it stays as it was created; leave horizon out of "
                 "the spec",
                 1000 * (uint64_t)leases->horizon_ms, 1000 * (uint64_t)facts->horizon_ms);
    if (leases->quarantine_unix_ms != 0)
        fz_found(findings, FZ_FOUND_COORDINATOR_WAIT,
                 "nothing is granted before %t, because records may have been lost, or it is new: wait",
                 leases->quarantine_unix_ms);
    judge_room(facts, findings);
}

/* ---- asking ------------------------------------------------------------------------------ */

struct asking {
    const struct fz_findings *findings;
    int64_t max_skew_ms;
    bool useless; /* it does not answer, or has no such namespace: no use to ask more */
};

static void hear(void *ctx, enum fz_finding_level level, const char *sentence)
{
    struct asking *asking = ctx;

    asking->useless =
        asking->useless || is_refusal(sentence) || begins(sentence, FZ_FINDING_SILENT) || begins(sentence, missing);
    fz_judge_coordinator(level, sentence, asking->max_skew_ms, asking->findings);
}

/* Generators whose numbers the coordinator does not know, in the range that a spec asks it for. */
static void look_for_rivals(const struct fz_decision *decision, uint64_t workers, const struct fz_findings *findings)
{
    const struct fz_worker_choice *worker = &decision->worker;
    uint64_t end = worker->count == 0 ? workers : worker->first + (uint64_t)worker->count;
    struct fz_rivals_facts facts;

    if (end > workers)
        end = workers;
    if (worker->first >= end)
        return;
    fz_collect_rivals(&facts, decision, worker->first, (uint32_t)(end - 1));
    fz_judge_rivals(&facts, findings);
}

static void ask_namespace(const struct fz_target *target, uint32_t hosts, const struct fz_findings *findings)
{
    const struct fz_decision *decision = target->decision;
    char layout[FRAZIL_FINGERPRINT_SIZE];
    struct fz_namespace_facts facts = {.layout = layout, .horizon_ms = decision->lease.horizon_ms, .hosts = hosts};

    if (frazil_layout_fingerprint(&decision->layout, layout, sizeof layout, NULL) != FRAZIL_OK)
        return;
    bool known = fz_target_leases(target, &facts.leases, &facts.unreadable) == FRAZIL_OK;
    fz_judge_namespace(&facts, findings);
    if (!known)
        return;
    look_for_rivals(decision, facts.leases.workers, findings);
    fz_leases_free(&facts.leases);
}

void fz_diagnose_coordinator(const struct fz_decision *decision, const frazil_coordinator *const *given, uint32_t hosts,
                             const struct fz_findings *findings)
{
    struct asking asking = {.findings = findings, .max_skew_ms = decision->lease.max_skew_ms};
    const char *url = decision->worker.url;
    frazil_clock clock = fz_real_clock();
    struct fz_target target;
    frazil_error why;

    frazil_err err = fz_target_find(&target, decision, given, &why);
    if (err == FRAZIL_OK)
        err = target.coordinator->diagnose(target.coordinator, url, &clock, hear, &asking, &why);
    if (err != FRAZIL_OK)
        fz_judge_absence(&why, findings);
    else if (!asking.useless)
        ask_namespace(&target, hosts, findings);
}

/* Whether the slots of a decision can be opened says what is wrong with the URL, and asks nobody. */
static frazil_err ask_of_slots(const struct fz_decision *decision, const frazil_coordinator *const *given,
                               struct asking *asking, frazil_error *reterr)
{
    const frazil_random unused = {.size = sizeof unused};
    const frazil_coordinator *coordinator;
    frazil_clock clock = fz_real_clock();
    struct fz_slot_source slots;

    frazil_err err = fz_coordinator_open_slots(decision, decision->worker.first, &unused, given, &slots, reterr);
    if (err != FRAZIL_OK)
        return err;
    slots.close(slots.ctx);
    err = fz_coordinator_for("state", decision->state.url, given, &coordinator, reterr);
    if (err != FRAZIL_OK || coordinator->diagnose_slots == NULL)
        return err;
    return coordinator->diagnose_slots(coordinator, decision->state.url, &clock, hear, asking, reterr);
}

void fz_diagnose_slots(const struct fz_decision *decision, const frazil_coordinator *const *given,
                       const struct fz_findings *findings)
{
    struct asking asking = {.findings = findings, .max_skew_ms = decision->lease.max_skew_ms};
    uint32_t worker = decision->worker.first;
    struct fz_rivals_facts rivals;
    frazil_error why;

    if (ask_of_slots(decision, given, &asking, &why) != FRAZIL_OK)
        fz_judge_absence(&why, findings);
    fz_collect_rivals(&rivals, decision, worker, worker);
    fz_judge_rivals(&rivals, findings);
}

frazil_err fz_doctor_of_coordinator(const char *spec_or_url, const frazil_coordinator *const *given,
                                    fz_diagnosis_visitor visit, void *ctx, frazil_error *reterr)
{
    const struct fz_findings findings = {.visit = visit, .ctx = ctx};
    struct asking asking = {.findings = &findings};
    frazil_clock clock = fz_real_clock();
    struct fz_decision decision;
    struct fz_target target;

    frazil_err err = fz_target_open(&target, &decision, spec_or_url, given, reterr);
    if (err != FRAZIL_OK)
        return err;
    asking.max_skew_ms = decision.lease.max_skew_ms;
    if (!fz_target_is_folder(&target))
        err = target.coordinator->diagnose(target.coordinator, decision.worker.url, &clock, hear, &asking, reterr);
    fz_decision_free(&decision);
    return err;
}
