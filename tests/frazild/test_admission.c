/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: what is charged to a rate is what was given, to all who must agree or to nobody; and nobody learns
 * whether a generator is there that it may not use.
 */
#include "admission.h"
#include "clock.h"
#include "lib/test.h"

#define NOW (1000 * NS_PER_S)

static struct generator generator;
static struct user poor, rich;
static struct refusal refusal;

BEFORE_EACH
{
    generator = (struct generator){.rate = {.per_second = 10}};
    poor = (struct user){.rate = {.per_second = 1}};
    rich = (struct user){.rate = {.per_second = 0}};
}

static bool admits(struct user *user, uint32_t n, uint64_t now_ns)
{
    return admission_by_rate(&generator, user, n, now_ns, &refusal);
}

TEST("A user whose rate is reached takes nothing out of the generator's")
{
    assert_true(admits(&poor, 1, NOW));
    for (int i = 0; i < 100; i++)
        assert_false(admits(&poor, 1, NOW));
    assert_non_null(strstr(refusal.text, "the user"));
    assert_true(admits(&rich, 9, NOW));
    assert_false(admits(&rich, 1, NOW));
    assert_non_null(strstr(refusal.text, "the generator"));
}

TEST("A generator whose rate is reached takes nothing out of the user's")
{
    assert_true(admits(NULL, 10, NOW));
    for (int i = 0; i < 100; i++)
        assert_false(admits(&poor, 1, NOW));
    assert_non_null(strstr(refusal.text, "the generator"));
    assert_true(admits(&poor, 1, NOW + NS_PER_S / 10));
}

TEST("A generator that refuses several ids takes none of them out of the user's")
{
    poor.rate.per_second = 8;
    assert_true(admits(NULL, 10, NOW));
    for (int i = 0; i < 100; i++)
        assert_false(admits(&poor, 5, NOW));
    assert_non_null(strstr(refusal.text, "the generator"));
    assert_true(admits(&poor, 1, NOW + NS_PER_S / 10));
}

TEST("Both are charged for each of n ids")
{
    poor.rate.per_second = 8;
    assert_true(admits(&poor, 5, NOW));
    assert_false(admits(&poor, 4, NOW));
    assert_true(admits(&poor, 3, NOW));
    assert_true(admits(&rich, 2, NOW));
    assert_false(admits(&rich, 1, NOW));
}

TEST("Ids that were given back can be taken once, and no more")
{
    assert_true(admits(&rich, 10, NOW));
    admission_give_back(&generator, &rich, 4);
    assert_true(admits(&rich, 4, NOW));
    assert_false(admits(&rich, 1, NOW));
    assert_int_equal(refusal.retry_ms, 101);
}

TEST("Giving back fills a bucket, and does not make it larger")
{
    admission_give_back(&generator, &poor, 10);
    assert_false(admits(NULL, 11, NOW));
    assert_int_equal(refusal.retry_ms, 0);
    assert_true(admits(NULL, 10, NOW));
    assert_false(admits(NULL, 1, NOW));
}

TEST("A long rest fills a bucket, and does not make it larger")
{
    assert_true(admits(NULL, 10, NOW));
    assert_true(admits(NULL, 10, NOW + 100 * NS_PER_S));
    assert_false(admits(NULL, 1, NOW + 100 * NS_PER_S));
    assert_int_equal(refusal.retry_ms, 101);
}

TEST("More than a second's worth is never given, and says so without a time")
{
    assert_false(admits(&poor, 2, NOW));
    assert_int_equal(refusal.retry_ms, 0);
    assert_true(admits(&poor, 1, NOW));
}

/* ---- what a generator has, and why it has none ------------------------------------------ */

static struct engine batches;

static void open_batches(void)
{
    static const char spec[] = "layout=39/16/8 tick=10ms worker=fixed:1 state=memory";

    batches = (struct engine){.name = "batches"};
    assert_int_equal(frazil_open(&batches.gen, spec, NULL), FRAZIL_OK);
}

TEST("A batch may have the ids of all ticks in its time, and of those that max_lead allows")
{
    const struct generator its = {.engine = &batches, .name = batches.name, .max_batch = MAX_BATCH_MAX};

    open_batches();
    batches.lead_ns = 20 * NS_PER_MS;
    assert_true(admission_by_size(&its, 6 * 256, 30 * NS_PER_MS, &refusal));
    assert_false(admission_by_size(&its, 6 * 256 + 1, 30 * NS_PER_MS, &refusal));
    batches.is_strict = true;
    assert_true(admission_by_size(&its, 256, 30 * NS_PER_MS, &refusal));
    assert_false(admission_by_size(&its, 257, 30 * NS_PER_MS, &refusal));
    frazil_close(batches.gen);
}

TEST("A client is told when to come back, also where an operator has to see to the coordinator first")
{
    static const struct {
        frazil_err why;
        enum reply_code code;
        uint64_t retry_ms;
    } cases[] = {
        {FRAZIL_EUNREACHABLE, CODE_TRYAGAIN, 3}, {FRAZIL_ECLOCK, CODE_TRYAGAIN, 3},
        {FRAZIL_EREFUSED, CODE_TRYAGAIN, 1000},  {FRAZIL_ENAMESPACE, CODE_TRYAGAIN, 1000},
        {FRAZIL_EEXHAUSTED, CODE_EXHAUSTED, 0},  {FRAZIL_ESYS, CODE_ERR, 0},
    };

    open_batches();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct id_request id_request = {.engine = &batches, .code = cases[i].why, .retry_ns = 3 * NS_PER_MS};
        admission_explain(&id_request, &refusal);
        assert_int_equal(refusal.code, cases[i].code);
        assert_int_equal(refusal.retry_ms, cases[i].retry_ms);
    }
    frazil_close(batches.gen);
}

/* ---- generators that a user may use, and others ----------------------------------------- */

static struct engine engines[] = {{.name = "orders"}, {.name = "secret"}};
static struct generator rows[] = {{.engine = &engines[0], .name = engines[0].name},
                                  {.engine = &engines[1], .name = engines[1].name}};
static struct user shop = {.name = "shop", .allow = "next:orders* stats:secret"};
static struct setup setup = {.generators = {rows, 2}, .users = {.rows = &shop, .count = 1}};
static struct setup open_setup = {.generators = {rows, 2}};

static enum access look_for(const struct setup *its, const struct user *user, const char *name)
{
    struct generator *found = NULL;
    enum access access = admission_find(its, user, VERB_NEXT, slice_of(name), &found);

    assert_true((found != NULL) == (access == ACCESS_GIVEN));
    if (found != NULL)
        assert_string_equal(found->name, name);
    return access;
}

TEST("A name has one answer for a user who may not use it, whether it is a generator's or not")
{
    assert_int_equal(look_for(&setup, &shop, "orders"), ACCESS_GIVEN);
    assert_int_equal(look_for(&setup, &shop, "orders.eu"), ACCESS_ABSENT);
    assert_int_equal(look_for(&setup, &shop, "secret"), ACCESS_FORBIDDEN);
    assert_int_equal(look_for(&setup, &shop, "missing"), ACCESS_FORBIDDEN);
    assert_int_equal(look_for(&setup, &shop, "No name"), ACCESS_NO_NAME);
}

TEST("Nobody may do nothing where there are users, and everything where there are none")
{
    assert_int_equal(look_for(&setup, NULL, "orders"), ACCESS_FORBIDDEN);
    assert_int_equal(look_for(&setup, NULL, "missing"), ACCESS_FORBIDDEN);
    assert_int_equal(look_for(&open_setup, NULL, "secret"), ACCESS_GIVEN);
    assert_int_equal(look_for(&open_setup, NULL, "missing"), ACCESS_ABSENT);
}

TEST("Who may not use every generator does not learn which one a client means that names none")
{
    static const struct user every = {.name = "every", .allow = "next:*"};

    assert_int_equal(admission_of_unnamed(&setup, &shop, VERB_NEXT, &rows[0]), ACCESS_GIVEN);
    assert_int_equal(admission_of_unnamed(&setup, &shop, VERB_NEXT, &rows[1]), ACCESS_FORBIDDEN);
    assert_int_equal(admission_of_unnamed(&setup, &shop, VERB_NEXT, NULL), ACCESS_FORBIDDEN);
    assert_int_equal(admission_of_unnamed(&setup, &every, VERB_NEXT, NULL), ACCESS_ABSENT);
    assert_int_equal(admission_of_unnamed(&open_setup, NULL, VERB_NEXT, NULL), ACCESS_ABSENT);
}
