/* SPDX-License-Identifier: MIT */
/*
 * The calendar of frazil/time.h: the proleptic Gregorian one, in UTC.
 */
#include "frazil/time.h"

#include <string.h>

#include "assert.h"
#include "decimal.h"
#include "sentence.h"

#define MS_PER_MINUTE INT64_C(60000)
#define MS_PER_DAY INT64_C(86400000)
#define DAYS_PER_ERA 146097             /* 400 years, after which the calendar repeats */
#define DAYS_FROM_YEAR_0_TO_1970 719468 /* counted from the 1st of March of the year 0 */

struct civil {
    int64_t year;
    int month; /* 1 .. 12 */
    int day;   /* 1 .. 31 */
};

/* ---- days <-> dates ------------------------------------------------------ */

/*
 * Both count a year from the 1st of March, so that the leap day is its last one,
 * and the months before any month have (153 * month + 2) / 5 days.
 */
static int64_t days_of_civil(struct civil date)
{
    int64_t year = date.year - (date.month <= 2);
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t year_of_era = year - era * 400;
    int64_t month = (date.month + 9) % 12;
    int64_t day_of_year = (153 * month + 2) / 5 + date.day - 1;

    return era * DAYS_PER_ERA + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
           DAYS_FROM_YEAR_0_TO_1970;
}

static struct civil civil_of_days(int64_t days)
{
    days += DAYS_FROM_YEAR_0_TO_1970;
    int64_t era = (days >= 0 ? days : days - (DAYS_PER_ERA - 1)) / DAYS_PER_ERA;
    int64_t day_of_era = days - era * DAYS_PER_ERA;
    /* Leap days are taken out: one in 1460 days, but for one in each century, but for one in the era. */
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t month = (5 * day_of_year + 2) / 153;
    int64_t january_on = month >= 10;

    return (struct civil){.year = era * 400 + year_of_era + january_on,
                          .month = (int)(january_on ? month - 9 : month + 3),
                          .day = (int)(day_of_year - (153 * month + 2) / 5 + 1)};
}

static int days_in_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    FZ_ASSERT(month >= 1 && month <= 12);
    return month == 2 && leap ? 29 : days[month - 1];
}

/* ---- writing ------------------------------------------------------------- */

/* The digits of value from that of the given weight down, zeros included. */
static void put_digits(struct fz_sentence *out, int64_t value, int64_t weight)
{
    FZ_ASSERT(value >= 0 && value < weight * 10);
    for (; weight > 0; weight /= 10)
        fz_sentence_char(out, (char)('0' + value / weight % 10));
}

static void put_year(struct fz_sentence *out, int64_t year)
{
    if (year > 9999) {
        fz_sentence_char(out, '+');
        fz_sentence_i64(out, year);
    } else {
        put_digits(out, year, 1000);
    }
}

static void put_time_of_day(struct fz_sentence *out, int64_t ms_of_day)
{
    put_digits(out, ms_of_day / 3600000, 10);
    fz_sentence_char(out, ':');
    put_digits(out, ms_of_day / 60000 % 60, 10);
    fz_sentence_char(out, ':');
    put_digits(out, ms_of_day / 1000 % 60, 10);
    fz_sentence_char(out, '.');
    put_digits(out, ms_of_day % 1000, 100);
}

frazil_err frazil_time_format(int64_t unix_ms, char *buf, size_t size)
{
    char text[FRAZIL_TIME_SIZE];
    struct fz_sentence out = fz_sentence_in(text, sizeof text);
    int64_t ms_of_day = (unix_ms % MS_PER_DAY + MS_PER_DAY) % MS_PER_DAY;
    /* Divided first: near the least int64_t, unix_ms - ms_of_day would not fit. */
    struct civil date = civil_of_days(unix_ms / MS_PER_DAY - (unix_ms % MS_PER_DAY < 0));

    if (date.year < 0)
        return FRAZIL_ERANGE;
    put_year(&out, date.year);
    fz_sentence_char(&out, '-');
    put_digits(&out, date.month, 10);
    fz_sentence_char(&out, '-');
    put_digits(&out, date.day, 10);
    fz_sentence_char(&out, 'T');
    put_time_of_day(&out, ms_of_day);
    fz_sentence_char(&out, 'Z');
    if (size < out.len + 1)
        return FRAZIL_EBUFFER;
    memcpy(buf, text, out.len + 1);
    return FRAZIL_OK;
}

/* ---- reading ------------------------------------------------------------- */

/* A text being read: what is wrong, and where, once something is. */
struct reader {
    const char *text;
    size_t len;
    size_t pos;
    const char *expected; /* NULL while nothing was wrong */
};

/* Notes the first thing that is wrong, at pos. */
static void expect_at(struct reader *r, size_t pos, const char *expected)
{
    if (r->expected == NULL) {
        r->expected = expected;
        r->pos = pos;
    }
}

static char peek(const struct reader *r)
{
    return r->pos < r->len ? r->text[r->pos] : '\0';
}

static void take_char(struct reader *r, char c, const char *expected)
{
    if (r->expected != NULL)
        return;
    if (r->pos >= r->len || r->text[r->pos] != c)
        expect_at(r, r->pos, expected);
    else
        r->pos++;
}

/* A number of exactly `digits` digits from min to max; min once something is wrong. */
static int take_number(struct reader *r, size_t digits, int min, int max, const char *expected)
{
    size_t start = r->pos;
    int value = 0;

    for (size_t i = 0; i < digits && r->expected == NULL; i++) {
        char c = peek(r);
        if (c < '0' || c > '9')
            expect_at(r, r->pos, expected);
        else
            value = value * 10 + (r->text[r->pos++] - '0');
    }
    if (value < min || value > max)
        expect_at(r, start, expected);
    return r->expected == NULL ? value : min;
}

/* Days from 1970-01-01 to a date. */
static int64_t take_date(struct reader *r)
{
    int year = take_number(r, 4, 0, 9999, "a year of four digits");
    take_char(r, '-', "'-' after the year");
    int month = take_number(r, 2, 1, 12, "a month from 01 to 12");
    take_char(r, '-', "'-' after the month");
    int day = take_number(r, 2, 1, days_in_month(year, month), "a day that this month has, in two digits");

    return days_of_civil((struct civil){.year = year, .month = month, .day = day});
}

/* The milliseconds of a fraction of one to three digits, its point included; 0 where there is none. */
static int64_t take_fraction(struct reader *r)
{
    int64_t ms = 0;
    int64_t weight = 100;

    if (peek(r) != '.')
        return 0;
    take_char(r, '.', "'.'");
    do {
        ms += weight * take_number(r, 1, 0, 9, "a fraction of one to three digits");
        weight /= 10;
    } while (weight > 0 && peek(r) >= '0' && peek(r) <= '9');
    if (peek(r) >= '0' && peek(r) <= '9')
        expect_at(r, r->pos, "at most three digits: nothing finer than a millisecond");
    return ms;
}

static int64_t take_time_of_day(struct reader *r)
{
    int64_t ms = take_number(r, 2, 0, 23, "an hour from 00 to 23") * INT64_C(3600000);
    take_char(r, ':', "':' after the hour");
    ms += take_number(r, 2, 0, 59, "a minute from 00 to 59") * INT64_C(60000);
    take_char(r, ':', "':' after the minute");
    ms += take_number(r, 2, 0, 59, "a second from 00 to 59: leap seconds are not counted in Unix time") * INT64_C(1000);
    return ms + take_fraction(r);
}

/* What an offset adds to UTC, in ms. */
static int64_t take_offset(struct reader *r)
{
    char sign = peek(r);

    if (sign != '+' && sign != '-') {
        take_char(r, 'Z', "'Z' or an offset such as +09:00");
        return 0;
    }
    take_char(r, sign, "a sign");
    int hours = take_number(r, 2, 0, 23, "an offset's hours from 00 to 23");
    take_char(r, ':', "':' in the offset");
    int minutes = take_number(r, 2, 0, 59, "an offset's minutes from 00 to 59");

    return (sign == '-' ? -1 : 1) * (hours * 60 + minutes) * MS_PER_MINUTE;
}

static int64_t take_instant(struct reader *r)
{
    int64_t ms = take_date(r) * MS_PER_DAY;

    if (r->expected != NULL || r->pos == r->len)
        return ms;
    take_char(r, 'T', "'T' and a time of day, or nothing more");
    ms += take_time_of_day(r);
    return ms - take_offset(r);
}

/* A whole number of milliseconds: '-' or nothing, then digits to the end. */
static int64_t take_unix_ms(struct reader *r)
{
    bool negative = peek(r) == '-';
    size_t start = negative ? 1 : 0;
    uint64_t limit = (uint64_t)INT64_MAX + negative;
    uint64_t value = 0;

    for (r->pos = start; peek(r) >= '0' && peek(r) <= '9';)
        r->pos++;
    if (r->pos < r->len || r->len == start)
        expect_at(r, r->pos, "a digit: either Unix milliseconds or a time such as 2026-01-01T00:00:00Z");
    else if (!fz_decimal_parse(r->text + start, r->len - start, &value) || value > limit || (negative && value == 0))
        expect_at(r, start, "Unix milliseconds without leading zeros that fit 64 bits");
    return negative ? (int64_t)(0 - value) : (int64_t)value;
}

frazil_err frazil_time_parse(const char *text, size_t len, int64_t *ret_unix_ms, frazil_error *reterr)
{
    struct reader r = {.text = text, .len = len};
    bool is_date = len > 4 && text[4] == '-';
    int64_t unix_ms = is_date ? take_instant(&r) : take_unix_ms(&r);

    if (r.expected == NULL && r.pos < len)
        expect_at(&r, r.pos, "the end of the text");
    if (r.expected != NULL)
        return fz_fail(reterr, FRAZIL_EPARSE, "the time %Q is wrong at position %u: expected %s", text, len,
                       (uint64_t)r.pos + 1, r.expected);
    *ret_unix_ms = unix_ms;
    return FRAZIL_OK;
}
