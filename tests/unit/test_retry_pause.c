/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the pauses after tries at a grant that failed.  They double, bridge an outage while the grant
 * lasts, grow with a silence that outlives it, and are never drawn so that a fleet comes back as one or at once.
 */
#include "generator/retry_pause.h"

#include "lib/test.h"

#define MS UINT64_C(1000000)
#define S (1000 * MS)
#define HORIZON (60 * S)
#define SHORTEST FZ_RETRY_SHORTEST_NS

/* A source of the same number always, which counts how often it is asked. */
struct drawn {
    uint64_t number;
    unsigned times;
};

static uint64_t draw(void *ctx)
{
    struct drawn *drawn = ctx;

    drawn->times++;
    return drawn->number;
}

static frazil_random random_of(struct drawn *drawn)
{
    return (frazil_random){.size = sizeof(frazil_random), .ctx = drawn, .next = draw};
}

/* The pause whose jitter is the least, and how long it can be at the most. */
static void pauses_after(struct fz_failed_try failed, uint64_t *ret_least, uint64_t *ret_most)
{
    struct drawn drawn = {.number = 0};
    const frazil_random random = random_of(&drawn);

    *ret_least = fz_retry_pause(&failed, &random);
    *ret_most = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        drawn.number = i * UINT64_C(0x9e3779b97f4a7c15);
        uint64_t pause_ns = fz_retry_pause(&failed, &random);
        assert_true(pause_ns >= *ret_least);
        *ret_most = pause_ns > *ret_most ? pause_ns : *ret_most;
    }
}

/* Pauses are between half of this and this. */
static void assert_pauses(struct fz_failed_try failed, uint64_t longest_ns)
{
    uint64_t least, most;

    pauses_after(failed, &least, &most);
    assert_int_equal(least, longest_ns / 2);
    assert_true(most < longest_ns && most > longest_ns / 10 * 9);
}

TEST("Pauses double with each failure, up to a sixteenth of a grant, and are half of that at least")
{
    for (uint64_t failures = 0; failures < 7; failures++)
        assert_pauses((struct fz_failed_try){.failures = failures, .horizon_ns = HORIZON}, SHORTEST << failures);
    assert_pauses((struct fz_failed_try){.failures = 7, .horizon_ns = HORIZON}, HORIZON / 16);
    assert_pauses((struct fz_failed_try){.failures = UINT64_MAX, .horizon_ns = HORIZON}, HORIZON / 16);
}

TEST("However long a grant is, a pause in it is five seconds at the most")
{
    assert_pauses((struct fz_failed_try){.failures = 20, .horizon_ns = 3600 * S}, 5 * S);
}

TEST("A silence after the grant's end: half of the time since then, and up to a quarter of a grant or 12.8 s")
{
    struct fz_failed_try failed = {.failures = 20, .took_ns = 10 * MS, .horizon_ns = 40 * S};

    assert_pauses(failed, 40 * S / 16);
    failed.ended_ns = 2 * S;
    assert_pauses(failed, 40 * S / 16);
    failed.ended_ns = 14 * S;
    assert_pauses(failed, 7 * S);
    failed.ended_ns = UINT64_MAX;
    assert_pauses(failed, 10 * S);
    failed.horizon_ns = 3600 * S;
    assert_pauses(failed, SHORTEST << 8);
}

TEST("A refusal is an answer, and so is the time when the next try can succeed: neither makes pauses longer")
{
    struct fz_failed_try failed = {.failures = 20, .took_ns = 10 * MS - 1, .horizon_ns = 40 * S, .ended_ns = 3600 * S};

    assert_pauses(failed, 40 * S / 16);
    failed.took_ns = S;
    failed.known_ns = 3600 * S;
    assert_pauses(failed, 40 * S / 16);
}

TEST("When it is known that the next try can succeed sooner, the pause ends soon after that, and not for all at once")
{
    uint64_t least, most;

    pauses_after((struct fz_failed_try){.failures = 20, .known_ns = 20 * MS, .horizon_ns = HORIZON}, &least, &most);
    assert_int_equal(least, 20 * MS);
    assert_true(most > 44 * MS && most < 45 * MS);
    /* Nor later than a short grant allows. */
    pauses_after((struct fz_failed_try){.failures = 20, .known_ns = MS, .horizon_ns = 160 * MS}, &least, &most);
    assert_true(least == MS && most > 5 * MS && most < 6 * MS);
}

TEST("Without a horizon there is no pause, and no random number is drawn for it")
{
    struct drawn drawn = {.number = 5};
    const frazil_random random = random_of(&drawn);

    assert_int_equal(fz_retry_pause(&(struct fz_failed_try){.failures = 3}, &random), 0);
    assert_int_equal(drawn.times, 0);
}

TEST("The rest of a pause is told from a time of another clock")
{
    uint64_t least, most;

    pauses_after(
        (struct fz_failed_try){.failures = 9, .took_ns = S, .horizon_ns = 7 * 86400 * S, .ended_ns = UINT64_MAX},
        &least, &most);
    assert_true(fz_retry_pause_may_be(most) && fz_retry_pause_may_be(0));
    assert_true(fz_retry_pause_may_be(SHORTEST << 9));
    assert_false(fz_retry_pause_may_be((SHORTEST << 9) + 1));
}

typedef uint64_t pause_fn(unsigned tries, uint64_t known_ns, uint64_t left_ns, const frazil_random *random);

/* The window of the pauses before the next try. */
static void assert_window(pause_fn *pause, unsigned tries, uint64_t known_ns, uint64_t left_ns, uint64_t begins_ns,
                          uint64_t width_ns)
{
    struct drawn drawn = {.number = 0};
    const frazil_random random = random_of(&drawn);

    assert_int_equal(pause(tries, known_ns, left_ns, &random), begins_ns);
    drawn.number = width_ns - 1;
    assert_int_equal(pause(tries, known_ns, left_ns, &random), begins_ns + width_ns - 1);
    drawn.number = width_ns;
    assert_int_equal(pause(tries, known_ns, left_ns, &random), begins_ns);
}

static void assert_first(unsigned tries, uint64_t known_ns, uint64_t left_ns, uint64_t begins_ns, uint64_t width_ns)
{
    assert_window(fz_first_grant_pause, tries, known_ns, left_ns, begins_ns, width_ns);
}

TEST("At a first grant the window doubles with each try, up to what is left")
{
    for (unsigned tries = 0; tries < 8; tries++)
        assert_first(tries, 0, 20 * S, MS, SHORTEST << tries);
    assert_first(8, 0, 20 * S, MS, SHORTEST << 8);
    assert_first(1000, 0, 20 * S, MS, SHORTEST << 8);
    assert_first(8, 0, 2 * S, MS, 2 * S - MS);
}

TEST("It begins when the next try can succeed, whatever is left, and a time that is very far is not waited for")
{
    assert_first(2, 300 * MS, 2 * S, 300 * MS + 1, SHORTEST << 2);
    assert_first(5, S, S + 101, S + 1, 100);
    assert_first(0, 3 * S, 2 * S, 3 * S + 1, SHORTEST);
    assert_first(0, UINT64_MAX, 2 * S, 365 * 86400 * S + 1, SHORTEST);
}

static void assert_look(unsigned looks, uint64_t known_ns, uint64_t left_ns, uint64_t begins_ns, uint64_t width_ns)
{
    assert_window(fz_full_pool_pause, looks, known_ns, left_ns, begins_ns, width_ns);
}

TEST("Pauses between looks at a full pool double up to a second, unless a grant ends sooner; the last look has 50 ms")
{
    const uint64_t most = UINT64_MAX;

    for (unsigned looks = 0; looks < 5; looks++)
        assert_look(looks, 0, most, (SHORTEST << looks) / 2, (SHORTEST << looks) / 2);
    assert_look(5, most, most, S / 2, S / 2);
    assert_look(1000, 60 * S, 20 * S, S / 2, S / 2);
    assert_look(5, 100 * MS, 20 * S, 100 * MS + 1, S / 2);
    assert_look(5, 0, S, S / 2, S / 2 - SHORTEST);
    assert_look(5, 0, S / 2, S / 2 - SHORTEST, 1);
    assert_look(5, S / 2 - 2, S / 2, S / 2 - 1, 1);
    assert_look(5, 0, SHORTEST, SHORTEST, 1);
    assert_look(5, S, SHORTEST, SHORTEST, 1);
    assert_look(0, 0, 0, 0, 1);
}

static void assert_slots(unsigned tries, uint64_t known_ns, uint64_t left_ns, uint64_t width_ns)
{
    assert_window(fz_slots_pause, tries, known_ns, left_ns, known_ns, width_ns);
}

TEST("Who is refused slots comes back a little later than told, never before, and never after its own time")
{
    struct drawn drawn = {.number = 7};
    const frazil_random random = random_of(&drawn);

    assert_slots(0, 4 * MS, S, MS);
    assert_slots(0, 2 * S, UINT64_MAX, SHORTEST);
    assert_slots(1, 2 * S, 9 * S, 2 * SHORTEST);
    assert_true(fz_slots_pause(0, UINT64_MAX, UINT64_MAX, &random) < UINT64_MAX / 2);
    drawn.times = 0;
    assert_slots(1000, 2 * S, 9 * S, S / 2);
    assert_slots(0, 2 * S, 2 * S + 10, 10);
    assert_int_equal(fz_slots_pause(0, 2 * S, 2 * S, &random), 2 * S);
    assert_int_equal(drawn.times, 0);
}
