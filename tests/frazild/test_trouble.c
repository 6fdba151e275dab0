/* SPDX-License-Identifier: MIT */
/* Goal of this test: of a generator that gives no ids anybody learns why, and until when, and no file and no host. */
#include "admission.h"
#include "clock.h"
#include "lib/test.h"
#include "trouble.h"

#define START_MS INT64_C(1780272000000)
#define LAYOUT "layout=39/16/8 tick=10ms max_lead=0s "
#define GRANT_MS 1000

static frazil_manual_clock *manual;
static struct engine engine;
static struct trouble trouble;

BEFORE_EACH
{
    assert_int_equal(frazil_manual_clock_open(&manual, START_MS, 0, NULL), FRAZIL_OK);
    engine = (struct engine){0};
}

AFTER_EACH
{
    frazil_close(engine.gen);
    frazil_manual_clock_close(manual);
}

/* ---- a granter, whose grants begin later than they were asked for ----------------------------- */

static int64_t later_ms;
static frazil_err granter_says;

static frazil_err acquire(void *ctx, int64_t now_unix_ms, frazil_grant *ret, frazil_error *reterr)
{
    (void)ctx;
    (void)reterr;
    now_unix_ms += later_ms;
    *ret = (frazil_grant){.worker = 1, .from_unix_ms = now_unix_ms, .end_unix_ms = now_unix_ms + GRANT_MS, .token = 1};
    return FRAZIL_OK;
}

static frazil_err extend(void *ctx, int64_t now_unix_ms, const frazil_grant *held, frazil_grant *ret,
                         frazil_error *reterr)
{
    (void)ctx;
    (void)now_unix_ms;
    (void)held;
    (void)ret;
    (void)snprintf(reterr->message, sizeof reterr->message, "10.0.0.5 said no to /srv/frazil");
    return granter_says;
}

static void open_engine(const char *spec, const frazil_granter *granter)
{
    frazil_options *options = NULL;
    frazil_clock port;

    frazil_manual_clock_port(manual, &port, sizeof port);
    assert_int_equal(frazil_options_open(&options, NULL), FRAZIL_OK);
    assert_int_equal(frazil_options_spec(options, spec, strlen(spec), NULL), FRAZIL_OK);
    assert_int_equal(frazil_options_clock(options, &port, NULL), FRAZIL_OK);
    assert_int_equal(frazil_options_granter(options, granter, NULL), FRAZIL_OK);
    assert_int_equal(frazil_open_with(&engine.gen, options, NULL), FRAZIL_OK);
    frazil_options_close(options);
}

static void open_granted(int64_t begins_in_ms)
{
    static const frazil_granter granter = {.size = sizeof granter, .acquire = acquire, .extend = extend};

    later_ms = begins_in_ms;
    open_engine(LAYOUT "keeper=hook", &granter);
}

static void assert_trouble(const char *words, uint64_t retry_ms)
{
    trouble_find(&engine, &trouble);
    if ((words[0] == '\0') != (trouble.why[0] == '\0') || strstr(trouble.why, words) == NULL)
        fail_msg("'%s' is not '%s'", trouble.why, words);
    assert_int_equal(trouble.retry_ns / NS_PER_MS, retry_ms);
    assert_null(strchr(trouble.why, '/'));
}

static frazil_err take(void)
{
    uint64_t id;

    return frazil_take(engine.gen, &id, 1, 0, NULL);
}

/* ---- what is said ------------------------------------------------------------------------------- */

TEST("A generator that serves has no trouble, also if its tick is full")
{
    open_engine(LAYOUT "worker=fixed:1 state=memory", NULL);
    assert_trouble("", 0);
    while (take() == FRAZIL_OK)
        continue;
    assert_trouble("", 0);
}

TEST("A full tick is no trouble either where ticks are longer than a second")
{
    open_engine("layout=31/10/2 tick=10s epoch=2026-01-01 max_lead=0s worker=fixed:1 state=memory", NULL);
    while (take() == FRAZIL_OK)
        continue;
    assert_trouble("", 0);
    frazil_manual_clock_set(manual, START_MS - 3600000);
    assert_trouble("its clock is before the times that it may use: those after its last id", 3610000);
}

TEST("A generator whose clock was set back says so, and when it can go on")
{
    open_engine(LAYOUT "worker=fixed:1 state=memory", NULL);
    assert_int_equal(take(), FRAZIL_OK);
    frazil_manual_clock_set(manual, START_MS - 3600000);
    assert_trouble("those after its last id", 3600000);
    frazil_manual_clock_set(manual, START_MS + 10);
    assert_trouble("", 0);
}

TEST("A generator whose grant begins later says so, and when")
{
    open_granted(5000);
    assert_trouble("its clock is before the times that it may use", 5000);
    assert_int_equal(take(), FRAZIL_EAGAIN);
}

TEST("A grant that could not be extended is told by the kind of its error, without the sentence that names hosts")
{
    uint64_t ignored;

    open_granted(0);
    frazil_manual_clock_advance(manual, 5 * NS_PER_S);
    assert_trouble("its grant is being extended", 0);
    struct refusal refusal;
    const struct id_request id_request = {.engine = &engine, .code = FRAZIL_ELEASE, .retry_ns = NS_PER_MS};
    admission_explain(&id_request, &refusal);
    assert_int_equal(refusal.code, CODE_FENCED);
    assert_int_equal(refusal.retry_ms, 1000); /* the end of the extension is not known */
    granter_says = FRAZIL_EUNREACHABLE;
    assert_int_not_equal(frazil_keep(engine.gen, FRAZIL_WAIT_FOREVER, &ignored, NULL), FRAZIL_OK);
    frazil_error failure = {.retry_ns = 0};
    frazil_health health;
    frazil_get_health(engine.gen, &health, sizeof health, &failure);
    assert_true(failure.retry_ns > 0);
    assert_trouble("the coordinator does not answer", failure.retry_ns / NS_PER_MS);
    admission_explain(&id_request, &refusal);
    assert_int_equal(refusal.code, CODE_FENCED);
    assert_int_equal(refusal.retry_ms, (failure.retry_ns + NS_PER_MS - 1) / NS_PER_MS);
    frazil_manual_clock_advance(manual, failure.retry_ns + NS_PER_S); /* the next try is under way */
    admission_explain(&id_request, &refusal);
    assert_int_equal(refusal.code, CODE_FENCED);
    assert_int_equal(refusal.retry_ms, 1000);
}

TEST("A grant that could not be extended while it stands is no lack of ids")
{
    uint64_t ignored;

    open_granted(0);
    granter_says = FRAZIL_EAGAIN;
    frazil_manual_clock_advance(manual, (GRANT_MS - 1) * NS_PER_MS);
    assert_int_equal(frazil_keep(engine.gen, FRAZIL_WAIT_FOREVER, &ignored, NULL), FRAZIL_EAGAIN);
    frazil_error failure = {.retry_ns = 0};
    frazil_health health;
    frazil_get_health(engine.gen, &health, sizeof health, &failure);
    assert_int_equal(health.last_code, FRAZIL_EAGAIN);
    assert_int_equal(take(), FRAZIL_OK);
    assert_trouble("its grant could not be extended", failure.retry_ns / NS_PER_MS);
}

TEST("A coordinator that does not answer for an id is to be asked again, and not at once")
{
    open_granted(0);
    struct refusal refusal;
    struct id_request id_request = {.engine = &engine, .code = FRAZIL_EUNREACHABLE};
    admission_explain(&id_request, &refusal);
    assert_int_equal(refusal.code, CODE_TRYAGAIN);
    assert_int_equal(refusal.retry_ms, 1000);
    id_request.retry_ns = 1;
    admission_explain(&id_request, &refusal);
    assert_int_equal(refusal.retry_ms, 1);
}

TEST("A generator whose lead is used up says so, and gives an id when the time that it names has passed")
{
    open_engine("layout=39/16/8 tick=10ms on_full=lead max_lead=5s worker=fixed:1 state=memory", NULL);
    while (take() == FRAZIL_OK)
        continue;
    trouble_find(&engine, &trouble);
    assert_non_null(strstr(trouble.why, "max_lead is used up"));
    assert_true(trouble.retry_ns > 0 && trouble.retry_ns <= 10 * NS_PER_MS);
    frazil_manual_clock_advance(manual, trouble.retry_ns);
    assert_int_equal(take(), FRAZIL_OK);
}

TEST("A layout that is used up has no time at which it goes on")
{
    open_engine("layout=twitter worker=fixed:1 state=memory", NULL);
    frazil_manual_clock_set(manual, INT64_C(4102444800000));
    assert_trouble("the last tick of its layout is over or used up", 0);
}
