/* SPDX-License-Identifier: MIT */
#include "doctor.h"

#include <string.h>

#include "core/layout_internal.h"
#include "doctor_judge.h"
#include "os/clock.h"
#include "state.h"
#include "target.h"

/* ---- findings --------------------------------------------------------------------------- */

static const struct {
    enum fz_health health;
    const char *id;
} table[] = {
#define FINDING_ROW(identifier, health, id) {FZ_HEALTH_##health, id},
    FZ_FINDINGS(FINDING_ROW)
#undef FINDING_ROW
};

enum fz_health fz_finding_health(enum fz_finding finding)
{
    return table[finding].health;
}

const char *fz_finding_id(enum fz_finding finding)
{
    return table[finding].id;
}

void fz_finding_show(const struct fz_findings *findings, enum fz_finding finding, const char *text)
{
    const struct fz_diagnosis diagnosis = {.health = table[finding].health, .id = table[finding].id, .text = text};

    findings->visit(findings->ctx, &diagnosis);
}

/* ---- examining --------------------------------------------------------------------------- */

/* A spec, understood as far as it goes. */
struct patient {
    const char *spec;
    struct fz_settings settings;
    struct fz_config config;
    struct fz_worker_facts worker;
    const struct fz_findings *findings;
    struct fz_dir_facts run; /* where something is kept */
    struct fz_dir_facts state;
};

static enum fz_keeps keeps(const struct patient *patient)
{
    const struct fz_config *config = &patient->config;

    if (config->slots_url != NULL || patient->worker.choice.url != NULL)
        return FZ_KEEPS_ELSEWHERE;
    return config->in_memory || config->frozen || patient->worker.choice.in_process ? FZ_KEEPS_NOTHING : FZ_KEEPS_FILES;
}

/* The name that is hashed; what cannot be had stays empty, and is a finding of its own. */
static void collect_host_name(const struct fz_settings *settings, char ret[FZ_HOST_NAME_SIZE])
{
    const char *given = settings->value[FZ_KEY_HOSTNAME];

    if (given == NULL && fz_host_name(ret, FZ_HOST_NAME_SIZE) != 0)
        ret[0] = '\0';
    if (given != NULL && strlen(given) < FZ_HOST_NAME_SIZE)
        memcpy(ret, given, strlen(given) + 1);
}

static void understand_worker(struct patient *patient, uint32_t hosts)
{
    const struct fz_settings *settings = &patient->settings;
    struct fz_worker_facts *facts = &patient->worker;
    uint64_t expect = 0;

    facts->source = settings->value[FZ_KEY_WORKER];
    facts->hosts = hosts;
    facts->workers = fz_layout_max_worker(&patient->config.layout) + 1;
    (void)fz_worker_resolve(settings, &patient->config.layout, &facts->choice, &facts->unusable);
    if (facts->source != NULL && strcmp(facts->source, "hostname-hash") == 0)
        collect_host_name(settings, facts->host_name);
    if (fz_config_number(settings, FZ_KEY_EXPECT, 0, UINT32_MAX, &expect, NULL) == FRAZIL_OK)
        facts->expect = (uint32_t)expect;
}

static const char *usable(const struct fz_dir_facts *facts)
{
    return facts->path[0] != '\0' && facts->unusable.code == FRAZIL_OK ? facts->path : NULL;
}

static void examine_clock(struct patient *patient)
{
    struct fz_clock_facts facts;

    fz_collect_clock(&facts, &patient->config, usable(&patient->run));
    fz_judge_clock(&facts, patient->findings);
}

static void examine_kept(const struct patient *patient)
{
    struct fz_state state;
    frazil_error err;

    if (fz_state_look(patient->spec, &state, &err) != FRAZIL_OK)
        return; /* why has been said of the directories */
    for (size_t i = 0; i < state.count; i++) {
        const struct fz_kept *kept = &state.workers[i];
        const struct fz_kept_file *file = kept->word.wrong.code != FRAZIL_OK ? &kept->word : &kept->grant;
        if (fz_kept_is_wrong(kept))
            fz_judge_damage(kept->worker, file->wrong.message, patient->findings);
    }
    fz_state_free(&state);
}

static void examine_dirs(const struct patient *patient)
{
    fz_judge_keeping(keeps(patient), patient->findings);
    if (keeps(patient) != FZ_KEEPS_FILES)
        return;
    fz_judge_dir(&patient->run, false, patient->findings);
    fz_judge_dir(&patient->state, true, patient->findings);
    if (usable(&patient->run) != NULL && usable(&patient->state) != NULL)
        examine_kept(patient);
}

static void judge_idle(void *ctx, enum fz_key key, const char *where)
{
    fz_judge_idle_key(fz_key_name(key), where, ctx);
}

static void judge_slip(void *ctx, const char *name, const char *meant)
{
    fz_judge_slip(name, meant, ctx);
}

/* Settings that nothing reads.  In a spec they are errors. */
static void examine_settings(const struct patient *patient)
{
    struct fz_findings findings = *patient->findings;
    const char *source = patient->settings.value[FZ_KEY_WORKER];

    if (source == NULL && patient->settings.value[FZ_KEY_PARTITION] == NULL)
        source = "auto";
    fz_worker_find_idle(&patient->settings, source, judge_idle, &findings);
    fz_settings_find_slips(judge_slip, &findings);
}

static void examine_fork(const struct patient *patient)
{
    struct fz_fork_facts facts;

    fz_collect_fork(&facts, usable(&patient->state));
    fz_judge_fork(&facts, patient->findings);
}

static void examine(struct patient *patient, uint32_t hosts)
{
    if (keeps(patient) == FZ_KEEPS_FILES) {
        fz_collect_dir(&patient->run, &patient->settings, false);
        fz_collect_dir(&patient->state, &patient->settings, true);
    }
    examine_clock(patient);
    examine_dirs(patient);
    fz_judge_worker(&patient->worker, patient->findings);
    examine_settings(patient);
    if (patient->worker.choice.url != NULL)
        fz_examine_coordinator(patient->spec, &patient->config, hosts, patient->findings);
    fz_judge_layout(&patient->config.layout, fz_real_now().unix_ms, patient->findings);
    const char *behaviour = patient->settings.value[FZ_KEY_BEHAVIOUR];
    fz_judge_layout_bits(&patient->config.layout, behaviour != NULL && strcmp(behaviour, "konayuki") == 0,
                         patient->findings);
    examine_fork(patient);
    fz_advise(hosts, patient->worker.workers, patient->findings);
}

static frazil_err understand(struct patient *patient, uint32_t hosts, frazil_error *reterr)
{
    frazil_err err = fz_config_read(&patient->config, &patient->settings, reterr);

    if (err == FRAZIL_OK)
        err = fz_target_default_worker(&patient->settings, &patient->config, &patient->worker.was_default, reterr);
    if (err == FRAZIL_OK)
        understand_worker(patient, hosts);
    /* A source that is none is a spec that cannot be understood; one that gives no number is a finding. */
    frazil_err unusable = patient->worker.unusable.code;
    if (err == FRAZIL_OK && (unusable == FRAZIL_ESPEC || unusable == FRAZIL_ERANGE))
        err = fz_fail(reterr, unusable, "%s", patient->worker.unusable.message);
    return err;
}

frazil_err fz_doctor(const char *spec, uint32_t hosts, fz_diagnosis_visitor visit, void *ctx, frazil_error *reterr)
{
    const struct fz_findings findings = {.visit = visit, .ctx = ctx};
    struct patient patient;

    memset(&patient, 0, sizeof patient);
    patient.spec = spec;
    patient.findings = &findings;
    frazil_err err = fz_target_settings(&patient.settings, spec, reterr);
    if (err != FRAZIL_OK)
        return err;
    err = understand(&patient, hosts, reterr);
    if (err == FRAZIL_OK)
        examine(&patient, hosts);
    fz_settings_free(&patient.settings);
    return err;
}
