/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a duration is read exactly or refused; no number is taken
 * for nanoseconds, or for anything else, because it came without a unit.
 */

#include <inttypes.h>

#include "core/duration.h"
#include "core/sentence.h"
#include "lib/test.h"

#define UNTOUCHED UINT64_C(4242)

static uint64_t parse_ok(const char *text)
{
    uint64_t ns = UNTOUCHED;
    frazil_error err;

    if (fz_duration_parse(text, strlen(text), &ns, &err) != FRAZIL_OK)
        fail_msg("%s: %s", text, err.message);
    return ns;
}

static void assert_refused(const char *text, size_t len, const char *why)
{
    uint64_t ns = UNTOUCHED;
    frazil_error err;

    if (fz_duration_parse(text, len, &ns, &err) != FRAZIL_EPARSE)
        fail_msg("'%s' was read", text);
    if (strstr(err.message, why) == NULL)
        fail_msg("'%s': %s", text, err.message);
    assert_int_equal(err.code, FRAZIL_EPARSE);
    assert_int_equal(ns, UNTOUCHED);
    assert_int_equal(fz_duration_parse(text, len, &ns, NULL), FRAZIL_EPARSE);
}

TEST("Each unit is what it says")
{
    assert_int_equal(parse_ok("1ns"), 1);
    assert_int_equal(parse_ok("1us"), 1000);
    assert_int_equal(parse_ok("1ms"), 1000000);
    assert_int_equal(parse_ok("1s"), 1000000000);
    assert_int_equal(parse_ok("1m"), UINT64_C(60000000000));
    assert_int_equal(parse_ok("1h"), UINT64_C(3600000000000));
    assert_int_equal(parse_ok("250ms"), 250000000);
}

TEST("Zero needs no unit, and can have one; unlimited, or its former name, is the only endless one")
{
    assert_int_equal(parse_ok("0"), 0);
    assert_int_equal(parse_ok("0ns"), 0);
    assert_int_equal(parse_ok("0h"), 0);
    assert_int_equal(parse_ok("unlimited"), FZ_DURATION_NONE);
    assert_int_equal(parse_ok("none"), FZ_DURATION_NONE);
}

TEST("In each unit the longest duration that fits is read, and one more is refused")
{
    static const struct {
        const char *longest;
        uint64_t ns;
        const char *too_long;
    } limits[] = {
        {"18446744073709551614ns", UINT64_MAX - 1, "18446744073709551615ns"},
        {"18446744073709551us", UINT64_C(18446744073709551000), "18446744073709552us"},
        {"18446744073709ms", UINT64_C(18446744073709000000), "18446744073710ms"},
        {"18446744073s", UINT64_C(18446744073000000000), "18446744074s"},
        {"307445734m", UINT64_C(18446744040000000000), "307445735m"},
        {"5124095h", UINT64_C(18446742000000000000), "5124096h"},
    };

    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        assert_int_equal(parse_ok(limits[i].longest), limits[i].ns);
        assert_refused(limits[i].too_long, strlen(limits[i].too_long), "too long: at most 5124095h");
    }
    assert_refused("18446744073709551616ns", 22, "too long");
    assert_refused("100000000000000000000000h", 25, "too long");
}

TEST("All else is refused, and the sentence says how a duration is written")
{
    static const char *const misses[] = {
        "",          " ",
        "1",         "10",
        "00",        "ms",
        "s",         "-1s",
        "+1s",       "1.5s",
        "1 s",       " 1s",
        "1s ",       "01s",
        "00s",       "1S",
        "1MS",       "1Ms",
        "1sec",      "1d",
        "1hs",       "1h30m",
        "1n",        "1u",
        "1ns1",      "0x1s",
        "1e3s",      "None",
        "nones",     "none ",
        "non",       "inf",
        "1_000s",    "1,0s",
        "\xc2\xb5s", "1\xc2\xb5s",
        "0 ",        "000000000000000000000001s",
        "1mss",
    };

    for (size_t i = 0; i < sizeof misses / sizeof misses[0]; i++)
        assert_refused(misses[i], strlen(misses[i]), "is not a duration");
    assert_refused("1s\0", 3, "is not a duration");
}

TEST("A duration is written in the largest unit of which it is a whole number, and reads back")
{
    static const struct {
        uint64_t ns;
        const char *text;
    } rows[] = {
        {0, "0s"},
        {1, "1ns"},
        {1001, "1001ns"},
        {15000, "15us"},
        {15000000, "15ms"},
        {UINT64_C(1500000000), "1500ms"},
        {UINT64_C(2000000000), "2s"},
        {UINT64_C(90000000000), "90s"},
        {UINT64_C(120000000000), "2m"},
        {UINT64_C(7200000000000), "2h"},
        {UINT64_MAX - 1, "18446744073709551614ns"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t count = rows[i].ns;
        char text[32];
        const char *unit = fz_duration_unit(&count);
        snprintf(text, sizeof text, "%" PRIu64 "%s", count, unit);
        assert_string_equal(text, rows[i].text);
        assert_int_equal(parse_ok(text), rows[i].ns);
    }
}

TEST("Only len bytes are looked at")
{
    uint64_t ns;

    assert_int_equal(fz_duration_parse("12ms5", 3, &ns, NULL), FRAZIL_OK);
    assert_int_equal(ns, UINT64_C(12) * 60000000000);
}

static void assert_said(uint64_t us, const char *expected)
{
    char text[64];
    struct fz_sentence s = fz_sentence_in(text, sizeof text);

    fz_sentence_duration(&s, us);
    assert_string_equal(text, expected);
}

TEST("Durations in sentences have two units at most, and are never shorter than what is meant")
{
    assert_said(0, "0 us");
    assert_said(1, "1 us");
    assert_said(999, "999 us");
    assert_said(1000, "1 ms");
    assert_said(7250, "7 ms 250 us");
    assert_said(250000, "250 ms");
    assert_said(99999, "99 ms 999 us");
    assert_said(990805, "991 ms");
    assert_said(999051, "1 s");
    assert_said(1000000, "1 s");
    assert_said(1000001, "1 s 1 ms");
    assert_said(59999001, "1 min");
    assert_said(60000000, "1 min");
    assert_said(UINT64_C(3598983034), "59 min 59 s");
    assert_said(UINT64_C(3599000001), "1 h");
    assert_said(UINT64_C(3600000000), "1 h");
    assert_said(UINT64_C(7260000000), "2 h 1 min");
    assert_said(UINT64_C(86399999999), "1 d");
    assert_said(UINT64_C(90000000000), "1 d 1 h");
    assert_said(UINT64_C(31536000000000), "365 d");
    assert_said(UINT64_MAX, "213503982 d 8 h");
}
