/* SPDX-License-Identifier: MIT */
/* Goal of this test: what is charged to a rate is what was given, to all who must agree or to nobody. */
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
