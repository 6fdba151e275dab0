/* SPDX-License-Identifier: MIT */
#include "coordinator.h"

#include "core/now.h"
#include "lease_internal.h"
#include "report.h"

static struct fz_token new_token(const frazil_random *random)
{
    /* In two statements: the order of calls within an initializer is unspecified. */
    uint64_t high = random->next(random->ctx);

    return (struct fz_token){.high = high, .low = random->next(random->ctx)};
}

frazil_err fz_lease_open_granter(const frazil_coordinator *self, const struct fz_lease_request *request,
                                 struct fz_granter *ret, frazil_error *reterr)
{
    struct fz_register reg;
    char name[FZ_LEASE_NAME_SIZE];
    struct fz_lease *lease;

    frazil_err err = self->open_register(request->url, &reg, name, reterr);
    if (err != FRAZIL_OK)
        return err;
    /* Each granter has a token of its own, so that two generators of a process are two owners; a group has one. */
    const struct fz_lease_options options = {.layout = request->layout,
                                             .name = name,
                                             .owner = request->owner,
                                             .token = new_token(request->random),
                                             .group = request->group,
                                             .random = request->random,
                                             .clock = request->clock,
                                             .base = request->base,
                                             .count = request->count,
                                             .max_skew_ms =
                                                 request->max_skew_is_set ? request->max_skew_ms : FZ_SKEW_UNSET,
                                             .stay = request->stay,
                                             .horizon_ms = request->horizon_ms,
                                             .workers = request->workers};
    err = fz_lease_open(&lease, reg, &options, reterr);
    /* The lease owns the register only if it was made. */
    if (err != FRAZIL_OK) {
        reg.close(reg.ctx);
        return err;
    }
    *ret = fz_lease_granter(lease);
    return FRAZIL_OK;
}

frazil_err fz_lease_init_url(const frazil_coordinator *self, const char *url,
                             const struct fz_namespace_options *options, frazil_error *reterr)
{
    struct fz_namespace_options named = *options;
    struct fz_register reg;
    char name[FZ_LEASE_NAME_SIZE];

    frazil_err err = self->open_register(url, &reg, name, reterr);
    if (err != FRAZIL_OK)
        return err;
    /* Each coordinator names namespaces in its own way, as database and table, or as a key's prefix. */
    named.name = name;
    err = fz_lease_init(&reg, &named, reterr);
    reg.close(reg.ctx);
    return err;
}

frazil_err fz_lease_list_url(const frazil_coordinator *self, const char *url, fz_lease_visitor visit, void *ctx,
                             struct fz_namespace_record *ret, frazil_error *reterr)
{
    struct fz_register reg;
    char name[FZ_LEASE_NAME_SIZE];

    frazil_err err = self->open_register(url, &reg, name, reterr);
    if (err != FRAZIL_OK)
        return err;
    err = fz_lease_list(&reg, name, visit, ctx, ret, reterr);
    reg.close(reg.ctx);
    return err;
}

frazil_err fz_lease_release_url(const frazil_coordinator *self, const char *url, uint32_t worker, frazil_error *reterr)
{
    struct fz_register reg;
    char name[FZ_LEASE_NAME_SIZE];

    frazil_err err = self->open_register(url, &reg, name, reterr);
    if (err != FRAZIL_OK)
        return err;
    err = fz_lease_release_by_hand(&reg, name, worker, reterr);
    reg.close(reg.ctx);
    return err;
}

/* ---- findings -------------------------------------------------------------- */

static void say_class(const struct fz_report *report, enum fz_register_class register_class)
{
    switch (register_class) {
    case FZ_REGISTER_STRICT:
        fz_report_say(report, FZ_FINDING_OK, "class: strict: what it has acknowledged is never lost");
        return;
    case FZ_REGISTER_ASYNCHRONOUS:
        fz_report_say(report, FZ_FINDING_OK,
                      "class: asynchronous: it may lose what it has acknowledged, and nothing is granted for a horizon "
                      "when it may have");
        return;
    /* A warning, because the generators of a second host would not see this one's grants. */
    case FZ_REGISTER_ONE_HOST:
        fz_report_say(report, FZ_FINDING_WARN, "class: one host: for processes of this host only");
        return;
    }
}

static void diagnose_register(const struct fz_register *reg, const char *name, const frazil_clock *clock,
                              const struct fz_report *report)
{
    struct fz_register_status status = {.has_clock = false};
    struct fz_record record = {.version = 0};
    frazil_error said = {.message = ""};

    /* The first exchange connects; the second one is what a round trip takes. */
    enum fz_register_result result = reg->read(reg->ctx, FZ_DEADLINE_NONE, FZ_NAMESPACE, &record, &status, &said);
    uint64_t before_ns = clock->monotonic_ns(clock->ctx);
    int64_t before_ms = fz_now(clock).unix_ms;
    if (result == FZ_REGISTER_OK)
        result = reg->read(reg->ctx, FZ_DEADLINE_NONE, FZ_NAMESPACE, &record, &status, &said);
    if (result != FZ_REGISTER_OK) {
        fz_report_failure(report, result, &said);
        return;
    }
    fz_report_say(report, FZ_FINDING_OK, FZ_FINDING_ROUND_TRIP "%u us",
                  (clock->monotonic_ns(clock->ctx) - before_ns) / 1000);
    if (status.has_clock)
        fz_report_skew(report, (struct fz_clock_bounds){before_ms, fz_now(clock).unix_ms},
                       (struct fz_clock_bounds){status.unix_ms, status.unix_ms + status.clock_width_ms});
    /* Generators never create it (L7), so a missing one fails them all. */
    if (record.version == 0)
        fz_report_say(report, FZ_FINDING_FAIL, "there is no namespace %s", name);
    else
        fz_report_say(report, FZ_FINDING_OK, "the namespace exists: %s", name);
    say_class(report, reg->register_class);
    /* Managed services often forbid their settings to be read.  That is no reason not to use them. */
    if (reg->diagnose != NULL &&
        reg->diagnose(reg->ctx, FZ_DEADLINE_NONE, report->visit, report->ctx, &said) != FZ_REGISTER_OK)
        fz_report_say(report, FZ_FINDING_WARN, "its settings cannot be read: %s", said.message);
}

frazil_err fz_lease_diagnose_url(const frazil_coordinator *self, const char *url, const frazil_clock *clock,
                                 fz_finding_visitor visit, void *ctx, frazil_error *reterr)
{
    const struct fz_report report = {.visit = visit, .ctx = ctx};
    struct fz_register reg;
    char name[FZ_LEASE_NAME_SIZE];

    frazil_err err = self->open_register(url, &reg, name, reterr);
    if (err != FRAZIL_OK)
        return err;
    diagnose_register(&reg, name, clock, &report);
    reg.close(reg.ctx);
    return FRAZIL_OK;
}
