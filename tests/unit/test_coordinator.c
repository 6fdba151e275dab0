/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: what a coordinator does for generators and operators is the lease protocol over its register,
 * which it closes after each work, and its diagnosis says what an operator must know.
 */

#include "lease/coordinator.h"
#include "lib/fleet.h"
#include "lib/test.h"

#define NOW FLEET_NOW

/* The findings of the next diagnosis: one text, a line each. */
static struct {
    enum fz_register_class register_class;
    enum fz_register_result settings;
    char found[1024];
} diagnosed;

static enum fz_register_result diagnose(void *ctx, struct fz_deadline deadline, fz_finding_visitor visit,
                                        void *visit_ctx, frazil_error *reterr)
{
    (void)ctx;
    (void)deadline;
    if (diagnosed.settings != FZ_REGISTER_OK)
        snprintf(reterr->message, sizeof reterr->message, "no permission");
    else
        visit(visit_ctx, FZ_FINDING_OK, "eviction: none");
    return diagnosed.settings;
}

static frazil_err open_register(const char *url, struct fz_register *ret, char *ret_name, frazil_error *reterr)
{
    if (strcmp(url, "sim://orders") != 0) {
        reterr->code = FRAZIL_ESPEC;
        return FRAZIL_ESPEC;
    }
    *ret = sim_register(&fleet.observer.link);
    ret->register_class = diagnosed.register_class;
    ret->diagnose = diagnose;
    memcpy(ret_name, "orders", sizeof "orders");
    return FRAZIL_OK;
}

static const frazil_coordinator coordinator = {FZ_LEASE_COORDINATOR, .open_register = open_register};

BEFORE_EACH
{
    memset(&diagnosed, 0, sizeof diagnosed);
    fleet_start_with(4, 0);
}

AFTER_EACH
{
    fleet_stop();
}

static struct fz_lease_request request_of(const char *url)
{
    struct fz_lease_options options = fleet_options(0);

    return (struct fz_lease_request){
        .url = url, .owner = options.owner, .layout = options.layout, .random = options.random};
}

TEST("A granter takes worker ids in the namespace; two of them are different owners")
{
    struct fz_lease_request request = request_of("sim://orders");
    struct fz_grant grants[2];
    struct fz_worker_record records[2];

    for (size_t i = 0; i < 2; i++) {
        struct fz_granter granter;
        assert_int_equal(coordinator.open_granter(&coordinator, &request, &granter, NULL), FRAZIL_OK);
        assert_int_equal(granter.acquire(granter.ctx, FZ_DEADLINE_NONE, NOW, &grants[i], NULL), FRAZIL_OK);
        granter.close(granter.ctx);
        assert_int_equal(fleet.observer.link.closed, i + 1);
        assert_int_not_equal(fleet_record(grants[i].worker, &records[i]), 0);
        assert_string_equal(records[i].owner, request.owner);
    }
    assert_int_not_equal(grants[0].worker, grants[1].worker);
    assert_false(fz_token_equal(records[0].token, records[1].token));
}

TEST("A URL that is wrong has opened nothing; a wish that the layout cannot fulfil closes what was opened")
{
    struct fz_lease_request request = request_of("sim://");
    struct fz_granter granter;
    frazil_error err;

    assert_int_equal(coordinator.open_granter(&coordinator, &request, &granter, &err), FRAZIL_ESPEC);
    assert_int_equal(fleet.observer.link.closed, 0);
    request = request_of("sim://orders");
    request.base = 1024;
    assert_int_equal(coordinator.open_granter(&coordinator, &request, &granter, &err), FRAZIL_ERANGE);
    assert_int_equal(fleet.observer.link.closed, 1);
}

static uint64_t now_tick(void *ctx)
{
    (void)ctx;
    return NOW;
}

static void count_entry(void *ctx, const struct fz_lease_entry *entry)
{
    size_t *n = ctx;

    assert_true(entry->readable);
    ++*n;
}

TEST("An operator's work connects, does what its namesake does, under the register's name, and disconnects")
{
    const struct fz_namespace_options options = {
        .layout = &fleet.layout, .horizon_ms = FLEET_HORIZON, .workers = 3, .now_tick = now_tick};
    struct fz_namespace_record space;
    frazil_error err;
    size_t n = 0;

    sim_server_wipe(&fleet.server);
    assert_int_equal(coordinator.init(&coordinator, "sim://orders", &options, &err), FRAZIL_OK);
    assert_int_equal(coordinator.init(&coordinator, "sim://orders", &options, &err), FRAZIL_EINVAL);
    assert_non_null(strstr(err.message, "'orders'"));
    fleet_write(2, &(struct fz_worker_record){.until = NOW, .owner = "x:1", .owners = 1});
    assert_int_equal(coordinator.list(&coordinator, "sim://orders", count_entry, &n, &space, &err), FRAZIL_OK);
    assert_int_equal(n, 1);
    assert_int_equal(space.workers, 3);
    assert_int_equal(coordinator.release(&coordinator, "sim://orders", 2, &err), FRAZIL_OK);
    assert_int_equal(coordinator.release(&coordinator, "sim://orders", 1, &err), FRAZIL_EINVAL);
    assert_int_equal(fleet.observer.link.closed, 5);
}

static void note_finding(void *ctx, enum fz_finding_level level, const char *sentence)
{
    static const char *const levels[] = {
        [FZ_FINDING_OK] = "ok", [FZ_FINDING_WARN] = "warn", [FZ_FINDING_FAIL] = "fail"};
    char *found = ctx;
    size_t len = strlen(found);

    snprintf(found + len, sizeof diagnosed.found - len, "%s %s\n", levels[level], sentence);
}

/* A clock on which each reading is 5 us later than the one before. */
static uint64_t slow_ns(void *ctx)
{
    uint64_t *ns = ctx;

    return *ns += 5000;
}

static int64_t answer_ms; /* how long an answer takes, which comes now */
static bool is_asked;

static void at_now(void *ctx, frazil_instant *ret)
{
    (void)ctx;
    *ret = (frazil_instant){.unix_ms = (int64_t)NOW - (is_asked ? 0 : answer_ms)};
    is_asked = true;
}

static const char *findings(void)
{
    static uint64_t ns;
    const frazil_clock clock = {.size = sizeof(frazil_clock), .ctx = &ns, .now = at_now, .monotonic_ns = slow_ns};

    diagnosed.found[0] = '\0';
    is_asked = false;
    assert_int_equal(coordinator.diagnose(&coordinator, "sim://orders", &clock, note_finding, diagnosed.found, NULL),
                     FRAZIL_OK);
    return diagnosed.found;
}

TEST("How fast it answers, how far its clock is from ours, which class it is of, and what its settings are")
{
    assert_string_equal(findings(), "ok round trip: 5 us\n"
                                    "ok the namespace exists: orders\n"
                                    "ok class: strict: what it has acknowledged is never lost\n"
                                    "ok eviction: none\n");
    fleet.server.has_clock = true;
    fleet.server.unix_ms = (int64_t)NOW - 7;
    assert_non_null(strstr(findings(), "ok its clock minus ours: -7 ms\n"));
    fleet.server.unix_ms = (int64_t)NOW + 12;
    assert_non_null(strstr(findings(), "ok its clock minus ours: 12 ms\n"));
    answer_ms = 500; /* which is no difference */
    assert_non_null(strstr(findings(), "ok its clock minus ours: 12 ms\n"));
    fleet.server.unix_ms = (int64_t)NOW - answer_ms;
    assert_non_null(strstr(findings(), "ok its clock minus ours: 0 ms\n"));
    fleet.server.unix_ms = (int64_t)NOW - answer_ms - 7;
    assert_non_null(strstr(findings(), "ok its clock minus ours: -7 ms\n"));
    answer_ms = 0;
    diagnosed.register_class = FZ_REGISTER_ASYNCHRONOUS;
    assert_non_null(strstr(findings(), "ok class: asynchronous: it may lose what it has acknowledged, and nothing is "
                                       "granted for a horizon when it may have\n"));
    diagnosed.register_class = FZ_REGISTER_ONE_HOST;
    assert_non_null(strstr(findings(), "warn class: one host: for processes of this host only\n"));
    diagnosed.settings = FZ_REGISTER_REFUSED;
    assert_non_null(strstr(findings(), "warn its settings cannot be read: no permission\n"));
}

TEST("No namespace, no answer, not even the second time: findings")
{
    /* A wrong URL is an error. */
    frazil_error err;

    sim_link_script(&fleet.observer.link, SIM_UNREACHABLE);
    assert_string_equal(findings(), "fail the coordinator does not answer: connection refused\n");
    sim_link_script(&fleet.observer.link, SIM_NONE);
    sim_link_script(&fleet.observer.link, SIM_LOST_REPLY);
    assert_string_equal(findings(), "fail the coordinator does not answer: no answer within 1 s\n");
    sim_server_wipe(&fleet.server);
    assert_non_null(strstr(findings(), "fail there is no namespace orders\n"));
    const frazil_clock clock = {.size = sizeof(frazil_clock), .now = at_now};
    assert_int_equal(coordinator.diagnose(&coordinator, "sim://", &clock, note_finding, diagnosed.found, &err),
                     FRAZIL_ESPEC);
    const struct fz_namespace_options options = {.layout = &fleet.layout};
    assert_int_equal(coordinator.init(&coordinator, "sim://", &options, &err), FRAZIL_ESPEC);
    assert_int_equal(coordinator.list(&coordinator, "sim://", count_entry, NULL, NULL, &err), FRAZIL_ESPEC);
    assert_int_equal(coordinator.release(&coordinator, "sim://", 0, &err), FRAZIL_ESPEC);
}
