/* SPDX-License-Identifier: MIT */
#include "nemesis.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/layout_internal.h"
#include "lease/coordinator.h"
#include "lib/asserts.h"
#include "os/clock.h"

unsigned nemesis_scale(void)
{
    const char *text = getenv("TEST_NEMESIS");

    if (text == NULL || text[0] == '\0')
        return 1;
    char *end;
    unsigned long scale = strtoul(text, &end, 10);
    if (*end != '\0' || scale < 1 || scale > 1000)
        fail_msg("TEST_NEMESIS=%s: must be 1 to 1000", text);
    return (unsigned)scale;
}

/* An operator's clock. */
struct operator
{
    frazil_layout layout;
    int64_t offset_ms;
};

static uint64_t now_tick(void *ctx)
{
    const struct operator* operator= ctx;

    return (uint64_t)(fz_real_now().unix_ms + operator->offset_ms - operator->layout.epoch_unix_ms);
}

/* Each start has a namespace of its own, so that nothing needs to be wiped in between. */
static unsigned spaces;

static const char *name_of_now(void)
{
    static char name[32];

    snprintf(name, sizeof name, "orders-%u", spaces);
    return name;
}

/* The URL with which the test itself asks, and waits for as long as a slow machine needs. */
static void patient_url(const struct register_kind *kind, char *ret, size_t size)
{
    kind->url(0, name_of_now(), 20000, ret, size);
}

frazil_err nemesis_create(const struct register_kind *kind, const struct nemesis_terms *terms, frazil_error *reterr)
{
    static uint64_t creations;
    struct operator operator= {*frazil_layout_preset(0), terms->offset_ms};
    const struct fz_namespace_options options = {.layout = &operator.layout,
                                                 .horizon_ms = terms->horizon_ms,
                                                 .lost_horizon_ms = terms->lost_horizon_ms,
                                                 .workers = terms->workers,
                                                 .token = {++creations, (uint64_t)fz_real_now().unix_ms},
                                                 .max_skew_ms = terms->max_skew_ms,
                                                 .never_used = terms->never_used,
                                                 .now_tick = now_tick,
                                                 .now_ctx = &operator};
    char url[256];

    patient_url(kind, url, sizeof url);
    return kind->coordinator()->init(kind->coordinator(), url, &options, reterr);
}

static void create(const struct register_kind *kind, uint64_t workers, uint64_t horizon_ms, bool never_used)
{
    const struct nemesis_terms terms = {
        .workers = workers, .horizon_ms = horizon_ms, .max_skew_ms = 250, .never_used = never_used};
    frazil_error why;
    frazil_err err;

    do
        err = nemesis_create(kind, &terms, &why);
    while (err == FRAZIL_ECLOCK); /* on a busy machine an answer that is late looks like a clock that is wrong */
    if (err != FRAZIL_OK)
        fail_msg("%s", why.message);
}

void nemesis_rename(void)
{
    spaces++;
}

void nemesis_start(const struct register_kind *kind, uint64_t workers, uint64_t horizon_ms)
{
    spaces++;
    create(kind, workers, horizon_ms, true);
}

void nemesis_recreate(const struct register_kind *kind, uint64_t workers, uint64_t horizon_ms)
{
    create(kind, workers, horizon_ms, false);
}

static const char *spec_with(const struct register_kind *kind, uint16_t port, unsigned timeout_ms, const char *more)
{
    static char spec[1024];
    char url[256];

    kind->url(port, name_of_now(), timeout_ms, url, sizeof url);
    snprintf(spec, sizeof spec, "layout=frazil %s worker='%s'", more, url);
    return spec;
}

const char *nemesis_spec(const struct register_kind *kind, uint16_t port, const char *more)
{
    return spec_with(kind, port, 1000, more); /* as users have it who say nothing */
}

const char *nemesis_patient_spec(const struct register_kind *kind, uint16_t port, const char *more)
{
    return spec_with(kind, port, 25000, more);
}

static struct fz_register open_register(const struct register_kind *kind)
{
    char name[FZ_LEASE_NAME_SIZE];
    char url[256];
    struct fz_register reg;

    patient_url(kind, url, sizeof url);
    assert_int_equal(kind->coordinator()->open_register(url, &reg, name, NULL), FRAZIL_OK);
    return reg;
}

struct tally {
    unsigned taken;
    uint64_t versions;
};

static void count_worker(void *ctx, uint32_t number, const struct fz_record *raw)
{
    struct tally *tally = ctx;

    if (number == FZ_NAMESPACE)
        return;
    tally->taken++;
    tally->versions += raw->version;
}

unsigned nemesis_count_taken(const struct register_kind *kind, uint64_t *ret_versions)
{
    struct fz_register reg = open_register(kind);
    struct tally tally = {.taken = 0};

    assert_int_equal(reg.read_all(reg.ctx, FZ_DEADLINE_NONE, count_worker, &tally, NULL, NULL), FZ_REGISTER_OK);
    reg.close(reg.ctx);
    *ret_versions = tally.versions;
    return tally.taken;
}

bool nemesis_is_released(const struct register_kind *kind, uint32_t worker)
{
    struct fz_register reg = open_register(kind);
    struct fz_record raw = {.version = 0};
    struct fz_worker_record record;
    frazil_error err;

    assert_int_equal(reg.read(reg.ctx, FZ_DEADLINE_NONE, worker, &raw, NULL, &err), FZ_REGISTER_OK);
    assert_int_equal(fz_worker_record_parse(raw.data, raw.len, &record, &err), FRAZIL_OK);
    reg.close(reg.ctx);
    return record.released;
}

const frazil_coordinator *const *nemesis_coordinators(void)
{
    static const frazil_coordinator *coordinators[8];
    size_t n = 0;

    for (size_t i = 0; i < register_kind_count; i++) {
        const struct register_kind *kind = register_kinds[i];
        if (kind != NULL && kind->coordinator != NULL)
            coordinators[n++] = kind->coordinator();
    }
    coordinators[n] = NULL;
    return coordinators;
}
