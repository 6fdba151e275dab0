/* SPDX-License-Identifier: MIT */
/*
 * Ids that are the same at each run, for tests of a program: its own clock, which it moves, and its own random numbers.
 * Then the clock goes back, which a real one seldom does when a test wants it to.
 */
#include <frazil.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define JUNE_MS INT64_C(1780272000000) /* 2026-06-01T00:00:00Z */
#define HOUR_MS INT64_C(3600000)

/* Numbers that a seed decides (xorshift64). */
static uint64_t next_number(void *ctx)
{
    uint64_t *state = ctx;

    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static frazil_err open_with_ports(frazil **ret, const frazil_clock *clock, const frazil_random *random,
                                  frazil_error *err)
{
    static const char spec[] = "worker=fixed:7 state=memory start=random";
    frazil_options *options;
    frazil_err failed = frazil_options_open(&options, err);

    if (failed != FRAZIL_OK)
        return failed;
    if ((failed = frazil_options_spec(options, spec, strlen(spec), err)) == FRAZIL_OK &&
        (failed = frazil_options_clock(options, clock, err)) == FRAZIL_OK &&
        (failed = frazil_options_random(options, random, err)) == FRAZIL_OK)
        failed = frazil_open_with(ret, options, err);
    frazil_options_close(options);
    return failed;
}

/* Three ticks, and what is said of a clock that goes back. */
static void show(frazil *gen, frazil_manual_clock *manual)
{
    frazil_error err;
    uint64_t id;

    for (int ms = 0; ms < 3 && frazil_next(gen, &id) == FRAZIL_OK; ms++) {
        printf("%" PRIu64 "\n", id);
        frazil_manual_clock_advance(manual, 1000000);
    }
    frazil_manual_clock_set(manual, JUNE_MS + 2 - HOUR_MS);
    if (frazil_take(gen, &id, 1, FRAZIL_WAIT_DEFAULT, &err) == FRAZIL_ECLOCK)
        printf("%s\nbehind_us %" PRId64 ", retry_ns %" PRIu64 "\n", err.message, err.behind_us, err.retry_ns);
}

int main(void)
{
    uint64_t seed = 1;
    const frazil_random random = {sizeof random, &seed, next_number};
    frazil_manual_clock *manual;
    frazil_clock clock;
    frazil *gen;
    frazil_error err;

    if (frazil_manual_clock_open(&manual, JUNE_MS, 0, &err) != FRAZIL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    frazil_manual_clock_port(manual, &clock, sizeof clock);
    frazil_err failed = open_with_ports(&gen, &clock, &random, &err);
    if (failed == FRAZIL_OK) {
        show(gen, manual);
        frazil_close(gen);
    } else {
        fprintf(stderr, "%s\n", err.message);
    }
    frazil_manual_clock_close(manual);
    return failed == FRAZIL_OK ? 0 : 1;
}
