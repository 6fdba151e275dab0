/* SPDX-License-Identifier: MIT */
/* A spec as an object. */
#include "options.h"

#include <stdlib.h>
#include <string.h>

#include "canonical.h"
#include "core/sentence.h"
#include "life.h"

/* ---- saying ------------------------------------------------------------------------ */

frazil_err frazil_options_open(frazil_options **ret, frazil_error *reterr)
{
    frazil_options *options = calloc(1, sizeof *options);

    if (options == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    *ret = options;
    return FRAZIL_OK;
}

void frazil_options_close(frazil_options *options)
{
    if (options == NULL)
        return;
    fz_options_forget(options);
    free(options);
}

void fz_options_forget(frazil_options *options)
{
    fz_settings_free(&options->settings);
}

frazil_err frazil_options_set(frazil_options *options, const char *key, const char *value, size_t len,
                              frazil_error *reterr)
{
    return fz_settings_set(&options->settings, key, value, len, reterr);
}

frazil_err frazil_options_spec(frazil_options *options, const char *spec, size_t len, frazil_error *reterr)
{
    return fz_settings_set_spec(&options->settings, spec, len, reterr);
}

frazil_err fz_options_of_spec(frazil_options *options, const char *spec, frazil_error *reterr)
{
    return fz_settings_set_spec(&options->settings, spec == NULL ? "" : spec, spec == NULL ? 0 : strlen(spec), reterr);
}

/*
 * A port begins with its size, which tells a version whose port is another one, and has what is called without asking.
 * Only one of the right size is looked at to see whether it is whole.  NULL: none from now on.
 */
static frazil_err set_port(const char *what, const void *port, size_t right, bool is_whole, const char *needed,
                           void *ret, bool *ret_has, frazil_error *reterr)
{
    size_t size = right;

    if (port != NULL)
        memcpy(&size, port, sizeof size);
    if (port != NULL && (size != right || !is_whole))
        return fz_fail(reterr, FRAZIL_EINVAL,
                       "the program's %s has size %u, or lacks %s: set size to sizeof(frazil_%s), which is %u", what,
                       (uint64_t)size, needed, what, (uint64_t)right);
    *ret_has = port != NULL;
    if (port != NULL)
        memcpy(ret, port, right);
    return FRAZIL_OK;
}

frazil_err frazil_options_clock(frazil_options *options, const frazil_clock *clock, frazil_error *reterr)
{
    bool is_whole = clock != NULL && clock->size == sizeof *clock && clock->now != NULL &&
                    clock->monotonic_ns != NULL && clock->sleep_until != NULL;

    return set_port("clock", clock, sizeof *clock, is_whole, "now, monotonic_ns or sleep_until", &options->clock,
                    &options->has_clock, reterr);
}

frazil_err frazil_options_random(frazil_options *options, const frazil_random *random, frazil_error *reterr)
{
    bool is_whole = random != NULL && random->size == sizeof *random && random->next != NULL;

    return set_port("random", random, sizeof *random, is_whole, "next", &options->random, &options->has_random, reterr);
}

frazil_err frazil_options_granter(frazil_options *options, const frazil_granter *granter, frazil_error *reterr)
{
    bool is_whole =
        granter != NULL && granter->size == sizeof *granter && granter->acquire != NULL && granter->extend != NULL;

    return set_port("granter", granter, sizeof *granter, is_whole, "acquire or extend", &options->granter,
                    &options->has_granter, reterr);
}

frazil_err frazil_options_coordinator(frazil_options *options, const frazil_coordinator *coordinator,
                                      frazil_error *reterr)
{
    size_t count = 0;

    while (options->coordinators[count] != NULL)
        count++;
    if (count == FZ_OPTIONS_COORDINATORS)
        return fz_fail(reterr, FRAZIL_EINVAL, "the options have %u coordinators already, and no room for another",
                       (uint64_t)count);
    options->coordinators[count] = coordinator;
    return FRAZIL_OK;
}

frazil_err frazil_options_snapshot(frazil_options *options, const char *text, size_t len, frazil_error *reterr)
{
    frazil_err err = text == NULL ? FRAZIL_OK : fz_snapshot_parse(text, len, &options->snapshot, reterr);

    if (err == FRAZIL_OK)
        options->has_snapshot = text != NULL;
    return err;
}

frazil_err frazil_options_environment(frazil_options *options, frazil_environment which, frazil_error *reterr)
{
    if ((unsigned)which > FRAZIL_ENVIRONMENT_ALL)
        return fz_fail(reterr, FRAZIL_EINVAL, "%d is not a choice of the environment: must be from 0 to 2",
                       (int64_t)which);
    options->environment = which;
    return FRAZIL_OK;
}

/* ---- deciding ------------------------------------------------------------------------ */

frazil_err fz_options_decide(struct fz_decision *ret, const frazil_options *options, enum fz_opening opening,
                             frazil_error *reterr)
{
    const struct fz_occasion occasion = {.opening = options->has_snapshot ? FZ_OPENING_SNAPSHOT : opening,
                                         .has_granter = options->has_granter,
                                         .has_clock = options->has_clock,
                                         .snapshot = options->has_snapshot ? &options->snapshot : NULL};

    if (options->has_snapshot && options->has_granter)
        return fz_fail(
            reterr, FRAZIL_EINVAL,
            "a granter is given, and the snapshot has the partition: open the generator without the granter");
    return fz_decide_given(ret, &options->settings, options->environment, &occasion, reterr);
}

frazil_err frazil_options_check(const frazil_options *options, frazil_error *reterr)
{
    struct fz_decision decision;

    frazil_err err = fz_options_decide(&decision, options, FZ_OPENING_GENERATOR, reterr);
    if (err != FRAZIL_OK)
        return err;
    err = fz_check_life(&decision, options->has_clock ? &options->clock : NULL, reterr);
    fz_decision_free(&decision);
    return err;
}

/* Tells the caller of a text or a value whether it was written or did not fit. */
static frazil_err told(frazil_err err, size_t len, size_t size, size_t *ret_len, frazil_error *reterr)
{
    if (ret_len != NULL)
        *ret_len = len;
    return err == FRAZIL_OK ? err
                            : fz_fail(reterr, err, "the text of the options has %u characters, and the buffer %u bytes",
                                      (uint64_t)len, (uint64_t)size);
}

frazil_err frazil_options_text(const frazil_options *options, uint32_t flags, char *buf, size_t size, size_t *ret_len,
                               frazil_error *reterr)
{
    struct fz_decision decision;
    size_t len;

    if ((flags & ~FRAZIL_OPTIONS_WITH_SECRETS) != 0)
        return fz_fail(reterr, FRAZIL_EINVAL, "the flags %u are not all known", (uint64_t)flags);
    frazil_err err = fz_options_decide(&decision, options, FZ_OPENING_GENERATOR, reterr);
    if (err != FRAZIL_OK)
        return err;
    err = fz_canonical_text(&decision, flags != 0 ? FZ_TEXT_WITH_SECRETS : FZ_TEXT_SHOWN, buf, size, &len);
    fz_decision_free(&decision);
    return told(err, len, size, ret_len, reterr);
}

frazil_err frazil_options_get(const frazil_options *options, const char *key, char *buf, size_t size, size_t *ret_len,
                              frazil_error *reterr)
{
    struct fz_decision decision;
    enum fz_key named;
    size_t len;

    frazil_err err = fz_settings_find_key(&named, key, NULL, 0, reterr);
    if (err == FRAZIL_OK)
        err = fz_options_decide(&decision, options, FZ_OPENING_GENERATOR, reterr);
    if (err != FRAZIL_OK)
        return err;
    err = fz_canonical_value(&decision, named, buf, size, &len);
    fz_decision_free(&decision);
    return told(err, len, size, ret_len, reterr);
}
