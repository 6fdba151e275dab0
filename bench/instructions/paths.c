/* SPDX-License-Identifier: MIT */
/*
 * Runs each fast path many times, for callgrind to count its instructions: a
 * function each, whose name begins with measure_.  Prints how often each of them
 * went round, and which compiler this is; exits with 77 where there is no
 * counter, and therefore no fast path to count.
 */
#include <frazil.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 20000, BATCH = 256 };

/* A function of its own under every compiler, not one made for its arguments. */
#define MEASURED __attribute__((noinline)) static void

#define KEEP(pointer) __asm__ volatile("" : : "r"(pointer) : "memory")

static frazil *gen, *sno_gen;
static frazil_local *local;
static uint64_t ids[BATCH];
static char text[FRAZIL_TEXT_SIZE];
static frazil_sno sno;
static frazil_err failed; /* the last error; all of them negative */

static const char dec_text[] = "117509347734454272";
static const char hex_text[] = "01a17a4b35401000";

/* The cost of the loop itself, which is taken off. */
MEASURED measure_nothing(void)
{
    for (uint64_t i = 0; i < ROUNDS; i++)
        KEEP(ids);
}

MEASURED measure_next(void)
{
    for (uint64_t i = 0; i < ROUNDS; i++)
        failed |= frazil_next(gen, ids);
}

MEASURED measure_try_take_1(void)
{
    uint64_t retry_ns;
    size_t taken;

    for (uint64_t i = 0; i < ROUNDS; i++)
        failed |= frazil_try_take(gen, ids, 1, &taken, &retry_ns, NULL);
}

MEASURED measure_local_next(void)
{
    for (uint64_t i = 0; i < ROUNDS; i++)
        failed |= frazil_local_next(local, ids);
}

MEASURED measure_take_1(void)
{
    for (uint64_t i = 0; i < ROUNDS; i++)
        failed |= frazil_take(gen, ids, 1, FRAZIL_WAIT_DEFAULT, NULL);
}

MEASURED measure_take_256(void)
{
    for (uint64_t i = 0; i < ROUNDS / BATCH * BATCH; i += BATCH)
        failed |= frazil_take(gen, ids, BATCH, FRAZIL_WAIT_DEFAULT, NULL);
}

MEASURED measure_local_take_256(void)
{
    for (uint64_t i = 0; i < ROUNDS / BATCH * BATCH; i += BATCH)
        failed |= frazil_local_take(local, ids, BATCH, FRAZIL_WAIT_DEFAULT, NULL);
}

MEASURED measure_sno_next(void)
{
    for (uint64_t i = 0; i < ROUNDS; i++)
        failed |= frazil_sno_next(sno_gen, 5, &sno);
}

MEASURED measure_sno_encode(void)
{
    for (uint64_t i = 0; i < ROUNDS; i++)
        frazil_sno_encode(&sno, text);
}

MEASURED measure_sno_decode(void)
{
    for (uint64_t i = 0; i < ROUNDS; i++)
        failed |= frazil_sno_decode(text, FRAZIL_SNO_LEN, &sno, NULL);
}

MEASURED measure_dec_format(void)
{
    for (uint64_t i = 0; i < ROUNDS; i++)
        failed |= frazil_id_format(FRAZIL_TEXT_DEC, UINT64_C(117509347734454272), text, sizeof text, NULL);
}

MEASURED measure_dec_parse(void)
{
    for (uint64_t i = 0; i < ROUNDS; i++)
        failed |= frazil_id_parse(FRAZIL_TEXT_DEC, dec_text, sizeof dec_text - 1, ids, NULL);
}

/* The way of all alphabets. */
MEASURED measure_hex_format(void)
{
    for (uint64_t i = 0; i < ROUNDS; i++)
        failed |= frazil_id_format(FRAZIL_TEXT_HEX, UINT64_C(117509347734454272), text, sizeof text, NULL);
}

MEASURED measure_hex_parse(void)
{
    for (uint64_t i = 0; i < ROUNDS; i++)
        failed |= frazil_id_parse(FRAZIL_TEXT_HEX, hex_text, sizeof hex_text - 1, ids, NULL);
}

/* Nanoseconds of a clock that is not set. */
static uint64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Takes ids for some ticks, until the generators know the rate of the counter. */
static void warm_up(void)
{
    uint64_t end = now_ns() + 100000000;

    while (now_ns() < end && failed == FRAZIL_OK) {
        failed |= frazil_next(gen, ids);
        failed |= frazil_local_next(local, ids);
        failed |= frazil_sno_next(sno_gen, 5, &sno);
    }
}

static frazil *open_or_exit(const char *spec)
{
    frazil_error err;
    frazil *ret = NULL;

    if (frazil_open(&ret, spec, &err) != FRAZIL_OK) {
        (void)fprintf(stderr, "%s\n", err.message);
        exit(1);
    }
    return ret;
}

static const char compiler[] =
#if defined(__clang__)
    "clang";
enum { COMPILER_MAJOR = __clang_major__ };
#else
    "gcc";
enum { COMPILER_MAJOR = __GNUC__ };
#endif

int main(void)
{
    frazil_info info;

    /* Long ticks with many ids: hardly ever a slow call in between. */
    gen = open_or_exit("layout=31/1/30 tick=1000ms epoch=2026-01-01 worker=fixed:0 state=memory");
    sno_gen = open_or_exit("layout=sno worker=fixed:0 state=memory");
    if (frazil_local_open(&local, gen, NULL) != FRAZIL_OK)
        return 1;
    frazil_get_info(gen, &info, sizeof info);
    if (!info.counter_in_use)
        return 77;
    warm_up();
    measure_nothing();
    measure_next();
    measure_try_take_1();
    measure_local_next();
    measure_take_1();
    measure_take_256();
    measure_local_take_256();
    measure_sno_next();
    measure_sno_encode();
    measure_sno_decode();
    measure_dec_format();
    measure_dec_parse();
    measure_hex_format();
    measure_hex_parse();
    printf("%s-%d %d\n", compiler, COMPILER_MAJOR, ROUNDS);
    frazil_local_close(local);
    frazil_close(sno_gen);
    frazil_close(gen);
    return failed == FRAZIL_OK ? 0 : 1;
}
