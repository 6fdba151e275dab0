/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: instants and their text agree with the calendar for every
 * day that RFC 3339 can write, and no text but the forms that frazil/time.h
 * names is ever read.
 */
#include <regex.h>

#include "frazil/time.h"
#include "lib/test.h"

#define MS_PER_DAY INT64_C(86400000)
#define FIRST_DAY INT64_C(-719528) /* 0000-01-01 */
#define LAST_MS INT64_C(253402300799999)
#define UNTOUCHED INT64_C(-4242)

static int64_t parse_ok(const char *text)
{
    int64_t unix_ms = UNTOUCHED;
    frazil_error err;

    if (frazil_time_parse(text, strlen(text), &unix_ms, &err) != FRAZIL_OK)
        fail_msg("%s: %s", text, err.message);
    return unix_ms;
}

static void assert_formats(int64_t unix_ms, const char *expected)
{
    char text[FRAZIL_TIME_SIZE];

    assert_int_equal(frazil_time_format(unix_ms, text, sizeof text, NULL), FRAZIL_OK);
    assert_string_equal(text, expected);
}

/* ---- round trips --------------------------------------------------------- */

/* The calendar as a child learns it, which shares nothing with the arithmetic under test. */
struct day {
    int year, month, day;
};

static int month_length(int year, int month)
{
    if (month == 2)
        return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28;
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

static void next_day(struct day *d)
{
    if (++d->day <= month_length(d->year, d->month))
        return;
    d->day = 1;
    if (++d->month <= 12)
        return;
    d->month = 1;
    d->year++;
}

TEST("Every day of the years 0 to 9999 is written as the calendar has it, and read back")
{
    struct day d = {0, 1, 1};
    int64_t ms = FIRST_DAY * MS_PER_DAY;
    char expected[64];

    for (; d.year <= 9999; ms += MS_PER_DAY, next_day(&d)) {
        snprintf(expected, sizeof expected, "%04d-%02d-%02dT00:00:00.000Z", d.year, d.month, d.day);
        assert_formats(ms, expected);
        assert_int_equal(parse_ok(expected), ms);
        snprintf(expected, sizeof expected, "%04d-%02d-%02d", d.year, d.month, d.day);
        assert_int_equal(parse_ok(expected), ms);
    }
    assert_int_equal(ms, LAST_MS + 1);
}

TEST("Every second of a day, before and after 1970, and every millisecond of a second")
{
    static const struct {
        int64_t days;
        const char *date;
    } dates[] = {{-1, "1969-12-31"}, {20454, "2026-01-01"}};
    char expected[64];

    for (int i = 0; i < 2; i++) {
        for (int s = 0; s < 86400; s++) {
            int ms = (s * 7) % 1000;
            snprintf(expected, sizeof expected, "%sT%02d:%02d:%02d.%03dZ", dates[i].date, s / 3600, s / 60 % 60, s % 60,
                     ms);
            assert_formats(dates[i].days * MS_PER_DAY + s * 1000 + ms, expected);
            assert_int_equal(parse_ok(expected), dates[i].days * MS_PER_DAY + s * 1000 + ms);
        }
    }
}

/* ---- writing ------------------------------------------------------------- */

TEST("The ends of what can be written: the year 0 and the last millisecond of int64_t")
{
    char text[FRAZIL_TIME_SIZE] = "untouched";

    assert_formats(0, "1970-01-01T00:00:00.000Z");
    assert_formats(-1, "1969-12-31T23:59:59.999Z");
    assert_formats(FIRST_DAY * MS_PER_DAY, "0000-01-01T00:00:00.000Z");
    assert_formats(LAST_MS, "9999-12-31T23:59:59.999Z");
    assert_formats(LAST_MS + 1, "+10000-01-01T00:00:00.000Z");
    assert_formats(281474976710655, "+10889-08-02T05:31:50.655Z");
    assert_formats(INT64_MAX, "+292278994-08-17T07:12:55.807Z");

    assert_int_equal(frazil_time_format(FIRST_DAY * MS_PER_DAY - 1, text, sizeof text, NULL), FRAZIL_ERANGE);
    assert_int_equal(frazil_time_format(INT64_MIN, text, sizeof text, NULL), FRAZIL_ERANGE);
    assert_string_equal(text, "untouched");
}

TEST("A buffer that is one byte too small gets nothing, one that is just large enough gets all")
{
    const size_t need = sizeof "2026-01-01T00:00:00.000Z";
    char text[FRAZIL_TIME_SIZE];

    for (size_t size = 0; size < need; size++) {
        memset(text, '#', sizeof text);
        assert_int_equal(frazil_time_format(1767225600000, text, size, NULL), FRAZIL_EBUFFER);
        assert_int_equal(text[0], '#');
    }
    memset(text, '#', sizeof text);
    assert_int_equal(frazil_time_format(1767225600000, text, need, NULL), FRAZIL_OK);
    assert_int_equal(text[need], '#');
}

/* ---- reading ------------------------------------------------------------- */

TEST("Each form that is read")
{
    static const struct {
        const char *text;
        int64_t ms;
    } forms[] = {
        {"2026-01-01", 1767225600000},
        {"2026-01-01T00:00:00Z", 1767225600000},
        {"2026-01-01T00:00:00.5Z", 1767225600500},
        {"2026-01-01T00:00:00.05Z", 1767225600050},
        {"2026-01-01T00:00:00.005Z", 1767225600005},
        {"2026-01-01T09:00:00+09:00", 1767225600000},
        {"2025-12-31T20:30:00-03:30", 1767225600000},
        {"2026-01-01T00:00:00.000+00:00", 1767225600000},
        {"2026-01-01T00:00:00-00:00", 1767225600000},
        {"2024-02-29", 1709164800000},
        {"2000-02-29", 951782400000},
        {"1969-12-31T23:59:59.999Z", -1},
        {"0000-01-01T00:00:00+23:59", FIRST_DAY * MS_PER_DAY - 86340000},
        {"9999-12-31T23:59:59.999-23:59", LAST_MS + 86340000},
        {"0", 0},
        {"2026", 2026},
        {"1767225600000", 1767225600000},
        {"-1", -1},
        {"-10000", -10000},
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
    };

    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        assert_int_equal(parse_ok(forms[i].text), forms[i].ms);
}

static const struct {
    const char *text;
    int position;
} misses[] = {
    {"", 1},
    {" ", 1},
    {"-", 2},
    {"+1", 1},
    {"--1", 2},
    {"-0", 2},
    {"00", 1},
    {"-01", 2},
    {"1767225600000 ", 14},
    {" 1767225600000", 1},
    {"1e3", 2},
    {"0x10", 2},
    {"1.5", 2},
    {"9223372036854775808", 1},
    {"-9223372036854775809", 2},
    {"99999999999999999999", 1},
    {"100000000000000000000", 1},
    {"now", 1},
    {"26-01-01", 3},
    {"02026-01-01", 6},
    {"+10889-08-02", 1},
    {"-001-01-01", 1},
    {"20260101T000000Z", 9},
    {"2026/01/01", 5},
    {"2026-", 6},
    {"2026-1-01", 7},
    {"2026-00-01", 6},
    {"2026-13-01", 6},
    {"2026-01-", 9},
    {"2026-01", 8},
    {"2026-01-1", 10},
    {"2026-01-00", 9},
    {"2026-01-32", 9},
    {"2026-04-31", 9},
    {"2026-02-29", 9},
    {"1900-02-29", 9},
    {"2100-02-29", 9},
    {"2024-02-30", 9},
    {"2026-01-01 ", 11},
    {"2026-01-01Z", 11},
    {"2026-01-01T", 12},
    {"2026-01-01 00:00:00Z", 11},
    {"2026-01-01t00:00:00Z", 11},
    {"2026-01-01T00:00Z", 17},
    {"2026-01-01T0:00:00Z", 13},
    {"2026-01-01T24:00:00Z", 12},
    {"2026-01-01T00:60:00Z", 15},
    {"2026-01-01T00:00:60Z", 18},
    {"2016-12-31T23:59:60Z", 18},
    {"2026-01-01T00:00:00", 20},
    {"2026-01-01T00:00:00z", 20},
    {"2026-01-01T00:00:00.Z", 21},
    {"2026-01-01T00:00:00,5Z", 20},
    {"2026-01-01T00:00:00.1234Z", 24},
    {"2026-01-01T00:00:00.000000Z", 24},
    {"2026-01-01T00:00:00.123", 24},
    {"2026-01-01T00:00:00ZZ", 21},
    {"2026-01-01T00:00:00Z ", 21},
    {"2026-01-01T00:00:00+09", 23},
    {"2026-01-01T00:00:00+0900", 23},
    {"2026-01-01T00:00:00+9:00", 22},
    {"2026-01-01T00:00:00+24:00", 21},
    {"2026-01-01T00:00:00+09:60", 24},
    {"2026-01-01T00:00:00+09:00Z", 26},
    {"2026-01-01T00:00:00Z+09:00", 21},
};

TEST("Each near miss is refused, at the position where it goes wrong, and the output is untouched")
{
    char expected[64];

    for (size_t i = 0; i < sizeof misses / sizeof misses[0]; i++) {
        int64_t unix_ms = UNTOUCHED;
        frazil_error err;
        if (frazil_time_parse(misses[i].text, strlen(misses[i].text), &unix_ms, &err) != FRAZIL_EPARSE)
            fail_msg("%s was read", misses[i].text);
        snprintf(expected, sizeof expected, "at position %d:", misses[i].position);
        if (strstr(err.message, expected) == NULL)
            fail_msg("%s: %s, not %s", misses[i].text, err.message, expected);
        assert_int_equal(unix_ms, UNTOUCHED);
        assert_int_equal(frazil_time_parse(misses[i].text, strlen(misses[i].text), &unix_ms, NULL), FRAZIL_EPARSE);
    }
}

static regex_t grammar;

/* In musl, {1,3} inside of ()? also takes digits without the point before them. */
BEFORE_ALL
{
    assert_int_equal(regcomp(&grammar,
                             "^(0|-?[1-9][0-9]*|"
                             "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
                             "(T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9][0-9]?[0-9]?)?"
                             "(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9]))?)$",
                             REG_EXTENDED | REG_NOSUB),
                     0);
}

AFTER_ALL
{
    regfree(&grammar);
}

/* The number that digits stand for, up to the first other character. */
static int number_at(const char *text)
{
    int value = 0;

    while (*text >= '0' && *text <= '9')
        value = value * 10 + (*text++ - '0');
    return value;
}

/* Whether a text without NUL is an instant, as a regular expression and the length of a month say. */
static bool oracle_accepts(const char *text)
{
    if (regexec(&grammar, text, 0, NULL, 0) != 0)
        return false;
    if (strlen(text) < 5 || text[4] != '-')
        return true;
    return number_at(text + 8) <= month_length(number_at(text), number_at(text + 5));
}

/* The parser and the oracle agree on a text of len bytes. */
static void assert_as_oracle(const char *text, size_t len)
{
    int64_t unix_ms;
    bool accepted = frazil_time_parse(text, len, &unix_ms, NULL) == FRAZIL_OK;
    bool expected = strlen(text) == len && oracle_accepts(text);

    if (accepted != expected)
        fail_msg("%s '%s'", accepted ? "read" : "refused", text);
}

TEST("Every text that is one byte away from a right one is accepted or refused as the oracle has it")
{
    static const char *const texts[] = {
        "2024-02-29", "2023-12-31T23:59:59.999Z", "2026-04-30T09:00:00+09:30", "2026-01-01T00:00:00Z", "1767225600000",
        "-1"};
    char changed[40];

    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        size_t len = strlen(texts[t]);
        for (size_t at = 0; at <= len; at++) {
            memcpy(changed, texts[t], len + 1);
            memmove(changed + at, changed + at + 1, len - at); /* one byte less; at the end: unchanged */
            assert_as_oracle(changed, at < len ? len - 1 : len);
            for (int byte = 0; byte < 256; byte++) {
                memcpy(changed, texts[t], len + 1);
                changed[at] = (char)byte;
                if (at < len)
                    assert_as_oracle(changed, len);
                memcpy(changed + at + 1, texts[t] + at, len - at + 1);
                assert_as_oracle(changed, len + 1);
            }
        }
    }
}
