/* SPDX-License-Identifier: MIT */
#include "target.h"

#include <stdlib.h>
#include <string.h>

#include "core/sentence.h"
#include "spec/coordinators.h"

/* A URL has its "://" before anything that a spec could begin with. */
static bool is_bare_url(const char *text)
{
    size_t len = strcspn(text, "=: \t\r\n");

    return strncmp(text + len, "://", 3) == 0;
}

static frazil_err set_worker(struct fz_settings *settings, const char *url, frazil_error *reterr)
{
    char *copy = strdup(url);

    if (copy == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    free(settings->value[FZ_KEY_WORKER]);
    settings->value[FZ_KEY_WORKER] = copy;
    return FRAZIL_OK;
}

frazil_err fz_target_settings(struct fz_settings *ret, const char *spec_or_url, frazil_error *reterr)
{
    bool bare = is_bare_url(spec_or_url);
    struct fz_settings settings;

    if (bare && strpbrk(spec_or_url, " \t\r\n") != NULL)
        return fz_fail(reterr, FRAZIL_ESPEC, "a URL stands alone: with anything else, write worker=URL");
    frazil_err err = fz_settings_gather(&settings, bare ? NULL : spec_or_url, reterr);
    if (err != FRAZIL_OK)
        return err;
    if (bare)
        err = set_worker(&settings, spec_or_url, reterr);
    if (err != FRAZIL_OK) {
        fz_settings_free(&settings);
        return err;
    }
    *ret = settings;
    return FRAZIL_OK;
}

frazil_err fz_target_default_worker(struct fz_settings *settings, const struct fz_config *config, bool *ret_set,
                                    frazil_error *reterr)
{
    bool missing = settings->value[FZ_KEY_WORKER] == NULL && settings->value[FZ_KEY_PARTITION] == NULL &&
                   config->layout.kind != FRAZIL_LAYOUT_SNO;

    frazil_err err = missing ? set_worker(settings, "file-lock", reterr) : FRAZIL_OK;
    if (err == FRAZIL_OK && ret_set != NULL)
        *ret_set = missing;
    return err;
}

static frazil_err find_coordinator(struct fz_target *target, frazil_error *reterr)
{
    target->url = target->settings.value[FZ_KEY_WORKER];
    if (target->url == NULL || !fz_is_url(target->url))
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "no coordinator is named: give its URL, as redis://HOST/NAMESPACE, or a spec with worker=URL");
    return fz_coordinator_for("worker", target->url, NULL, &target->coordinator, reterr);
}

frazil_err fz_target_open(struct fz_target *ret, const char *spec_or_url, frazil_error *reterr)
{
    struct fz_target target;

    memset(&target, 0, sizeof target);
    frazil_err err = fz_target_settings(&target.settings, spec_or_url, reterr);
    if (err != FRAZIL_OK)
        return err;
    err = fz_config_read(&target.config, &target.settings, reterr);
    if (err == FRAZIL_OK)
        err = find_coordinator(&target, reterr);
    if (err == FRAZIL_OK)
        err = fz_worker_refuse_idle(&target.settings, target.url, reterr);
    if (err != FRAZIL_OK) {
        fz_target_close(&target);
        return err;
    }
    *ret = target;
    return FRAZIL_OK;
}

void fz_target_close(struct fz_target *target)
{
    fz_settings_free(&target->settings);
}
