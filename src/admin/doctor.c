/* SPDX-License-Identifier: MIT */
#include "doctor.h"

#include <string.h>

#include "config/decide.h"
#include "config/keys.h"
#include "config/worker_sources.h"
#include "core/layout_internal.h"
#include "doctor_judge.h"
#include "folders.h"
#include "os/clock.h"
#include "state.h"

/* ---- diagnosing --------------------------------------------------------------------------- */

/* A spec, understood as far as it goes. */
struct patient {
    struct fz_decision decision;
    struct fz_worker_facts worker;
    const struct fz_findings *findings;
    const frazil_coordinator *const *given;
    struct fz_dir_facts run; /* where something is kept */
    struct fz_dir_facts state;
};

static enum fz_keeps keeps(const struct fz_decision *decision)
{
    if (decision->state.kind == FZ_STATE_SHARED)
        return FZ_KEEPS_WORD;
    if (decision->state.kind == FZ_STATE_URL || decision->worker.url != NULL)
        return FZ_KEEPS_ELSEWHERE;
    return decision->state.kind == FZ_STATE_MEMORY ? FZ_KEEPS_NOTHING : FZ_KEEPS_FILES;
}

/* The name that is hashed; what cannot be had stays empty, and is a finding of its own. */
static void collect_host_name(const char *given, char ret[FZ_HOST_NAME_SIZE])
{
    if (given == NULL && fz_host_name(ret, FZ_HOST_NAME_SIZE) != 0)
        ret[0] = '\0';
    if (given != NULL && strlen(given) < FZ_HOST_NAME_SIZE)
        memcpy(ret, given, strlen(given) + 1);
}

static enum fz_sharers sharers_of(const struct fz_decision *decision)
{
    if (decision->state.kind == FZ_STATE_MEMORY)
        return FZ_SHARED_BY_NOBODY;
    if (decision->state.kind != FZ_STATE_URL)
        return FZ_SHARED_BY_USER;
    return fz_folder_of_slots(decision->state.url) != NULL ? FZ_SHARED_BY_FOLDER : FZ_SHARED_BY_HOSTS;
}

static void collect_worker(struct patient *patient, uint32_t hosts)
{
    const unsigned hashes_name = FZ_FOR_NAME | FZ_FOR_HASH;
    const struct fz_decision *decision = &patient->decision;
    struct fz_worker_facts *facts = &patient->worker;

    facts->choice = decision->worker;
    facts->is_shared = decision->state.kind == FZ_STATE_SHARED;
    facts->sharers = sharers_of(decision);
    facts->unusable = decision->unusable;
    facts->hosts = hosts;
    facts->workers = fz_layout_max_worker(&decision->layout) + 1;
    if (facts->choice.source != NULL && (facts->choice.source->keys & hashes_name) == hashes_name)
        collect_host_name(decision->host_name, facts->host_name);
}

static const char *usable(const struct fz_dir_facts *facts)
{
    return facts->path[0] != '\0' && facts->unusable.code == FRAZIL_OK ? facts->path : NULL;
}

static void diagnose_clock(struct patient *patient)
{
    struct fz_clock_facts facts;

    fz_collect_clock(&facts, &patient->decision, usable(&patient->run));
    fz_judge_clock(&facts, patient->findings);
}

/* A worker that has a word goes on with it, where that has left off: of another word, only the times that were used
 * count. */
static void diagnose_times(const struct patient *patient, const struct fz_kept *kept)
{
    uint64_t max_wait_ms = patient->decision.max_wait_ns / 1000000;
    int64_t now_ms = fz_real_now().unix_ms;
    bool goes_on = kept->grant.exists && kept->word.exists && !kept->word.stale && !fz_kept_is_wrong(kept);

    if (goes_on && kept->from_unix_ms > now_ms && (uint64_t)(kept->from_unix_ms - now_ms) > max_wait_ms)
        fz_judge_ahead(kept->worker, kept->from_unix_ms, now_ms, patient->findings);
}

static void diagnose_kept(const struct patient *patient)
{
    struct fz_state state;
    frazil_error err;

    if (fz_state_look(&patient->decision, &state, &err) != FRAZIL_OK)
        return; /* why has been said of the directories */
    for (size_t i = 0; i < state.count; i++) {
        const struct fz_kept *kept = &state.workers[i];
        const struct fz_kept_file *file = kept->word.wrong.code != FRAZIL_OK ? &kept->word : &kept->grant;
        if (fz_kept_is_wrong(kept) && kept->is_lease)
            fz_judge_lease_damage(&file->wrong, patient->findings);
        else if (fz_kept_is_wrong(kept))
            fz_judge_damage(kept->worker, &file->wrong, patient->findings);
        diagnose_times(patient, kept);
    }
    fz_state_free(&state);
}

static bool uses_run_dir(const struct fz_decision *decision)
{
    return keeps(decision) == FZ_KEEPS_FILES || keeps(decision) == FZ_KEEPS_WORD;
}

static bool uses_state_dir(const struct fz_decision *decision)
{
    return keeps(decision) == FZ_KEEPS_FILES;
}

static void diagnose_dirs(const struct patient *patient)
{
    const struct fz_decision *decision = &patient->decision;

    fz_judge_keeping(keeps(decision), patient->findings);
    if (!uses_run_dir(decision))
        return;
    fz_judge_dir(&patient->run, false, patient->findings);
    if (uses_state_dir(decision))
        fz_judge_dir(&patient->state, true, patient->findings);
    if (usable(&patient->run) != NULL && (!uses_state_dir(decision) || usable(&patient->state) != NULL))
        diagnose_kept(patient);
}

/* Settings that nothing reads.  In a spec they are errors. */
static void diagnose_settings(const struct patient *patient)
{
    struct fz_findings findings = *patient->findings;

    fz_decision_idle_keys(&patient->decision, fz_judge_idle_key, &findings);
    fz_key_find_slips(patient->decision.texts[FZ_TEXT_WORKER], fz_judge_slip, &findings);
}

static void diagnose_users(const struct patient *patient)
{
    struct fz_users_facts facts;

    if (!patient->decision.is_claimed || patient->worker.unusable.code != FRAZIL_OK)
        return;
    fz_collect_users(&facts, &patient->decision);
    fz_judge_users(&facts, patient->findings);
}

static void diagnose_fork(const struct patient *patient)
{
    struct fz_fork_facts facts;

    fz_collect_fork(&facts, usable(&patient->state));
    fz_judge_fork(&facts, patient->findings);
}

static void diagnose(struct patient *patient, uint32_t hosts)
{
    const struct fz_decision *decision = &patient->decision;
    bool shares = decision->state.kind == FZ_STATE_SHARED;

    collect_worker(patient, hosts);
    if (uses_run_dir(decision))
        fz_collect_dir(&patient->run, shares ? FZ_DIR_LEASE : FZ_DIR_RUN, decision->places.run_dir);
    if (uses_state_dir(decision))
        fz_collect_dir(&patient->state, FZ_DIR_STATE, decision->places.state_dir);
    diagnose_clock(patient);
    diagnose_dirs(patient);
    fz_judge_worker(&patient->worker, patient->findings);
    diagnose_users(patient);
    diagnose_settings(patient);
    if (decision->worker.url != NULL)
        fz_diagnose_coordinator(decision, patient->given, hosts, patient->findings);
    if (decision->state.kind == FZ_STATE_URL && patient->worker.unusable.code == FRAZIL_OK)
        fz_diagnose_slots(decision, patient->given, patient->findings);
    fz_judge_layout(&decision->layout, fz_real_now().unix_ms, patient->findings);
    fz_judge_layout_bits(&decision->layout, decision->as_konayuki, patient->findings);
    diagnose_fork(patient);
    fz_advise(hosts, patient->worker.workers, patient->findings);
}

frazil_err fz_doctor(const char *spec, const frazil_coordinator *const *given, uint32_t hosts,
                     fz_diagnosis_visitor visit, void *ctx, frazil_error *reterr)
{
    const struct fz_occasion occasion = {.opening = FZ_OPENING_EXAMINATION};
    const struct fz_findings findings = {.visit = visit, .ctx = ctx};
    struct patient patient;

    memset(&patient, 0, sizeof patient);
    patient.findings = &findings;
    patient.given = given;
    frazil_err err = fz_decide_spec_or_url(&patient.decision, spec, &occasion, reterr);
    if (err != FRAZIL_OK)
        return err;
    diagnose(&patient, hosts);
    fz_decision_free(&patient.decision);
    return FRAZIL_OK;
}
