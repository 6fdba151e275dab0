/* SPDX-License-Identifier: MIT */
/* Text to instants. */
#include "calendar.h"
#include "decimal.h"
#include "frazil/time.h"
#include "sentence.h"

#define MS_PER_MINUTE INT64_C(60000)

/* A text being read: what is wrong, and where, once something is. */
struct time_reader {
    const char *text;
    size_t len;
    size_t pos;
    const char *expected; /* NULL while nothing was wrong */
};

/* Notes the first thing that is wrong, at pos. */
static void expect_at(struct time_reader *r, size_t pos, const char *expected)
{
    if (r->expected == NULL) {
        r->expected = expected;
        r->pos = pos;
    }
}

static char peek(const struct time_reader *r)
{
    return r->pos < r->len ? r->text[r->pos] : '\0';
}

static void take_char(struct time_reader *r, char c, const char *expected)
{
    if (r->expected != NULL)
        return;
    if (r->pos >= r->len || r->text[r->pos] != c)
        expect_at(r, r->pos, expected);
    else
        r->pos++;
}

/* A number of exactly `digits` digits from min to max; min once something is wrong. */
static int take_number(struct time_reader *r, size_t digits, int min, int max, const char *expected)
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
static int64_t take_date(struct time_reader *r)
{
    int year = take_number(r, 4, 0, 9999, "a year of four digits");
    take_char(r, '-', "'-' after the year");
    int month = take_number(r, 2, 1, 12, "a month from 01 to 12");
    take_char(r, '-', "'-' after the month");
    int day = take_number(r, 2, 1, fz_days_in_month(year, month), "a day that this month has, in two digits");

    return fz_days_of_date((struct fz_date){.year = year, .month = month, .day = day});
}

/* The milliseconds of a fraction of one to three digits, its point included; 0 where there is none. */
static int64_t take_fraction(struct time_reader *r)
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

static int64_t take_time_of_day(struct time_reader *r)
{
    int64_t ms = take_number(r, 2, 0, 23, "an hour from 00 to 23") * INT64_C(3600000);
    take_char(r, ':', "':' after the hour");
    ms += take_number(r, 2, 0, 59, "a minute from 00 to 59") * INT64_C(60000);
    take_char(r, ':', "':' after the minute");
    ms += take_number(r, 2, 0, 59, "a second from 00 to 59: leap seconds are not counted in Unix time") * INT64_C(1000);
    return ms + take_fraction(r);
}

/* The ms that an offset adds to UTC. */
static int64_t take_offset(struct time_reader *r)
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

static int64_t take_instant(struct time_reader *r)
{
    int64_t ms = take_date(r) * FZ_MS_PER_DAY;

    if (r->expected != NULL || r->pos == r->len)
        return ms;
    take_char(r, 'T', "'T' and a time of day, or nothing more");
    ms += take_time_of_day(r);
    return ms - take_offset(r);
}

/* A whole number of milliseconds: '-' or nothing, then digits to the end. */
static int64_t take_unix_ms(struct time_reader *r)
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
    struct time_reader r = {.text = text, .len = len};
    bool is_date = len > 4 && text[4] == '-';
    int64_t unix_ms = is_date ? take_instant(&r) : take_unix_ms(&r);

    if (r.expected == NULL && r.pos < len)
        expect_at(&r, r.pos, "the end of the text");
    if (r.expected != NULL)
        return fz_fail_at(reterr, r.pos, FRAZIL_EPARSE, "the time %Q is wrong at position %u: expected %s", text, len,
                          (uint64_t)r.pos + 1, r.expected);
    *ret_unix_ms = unix_ms;
    return FRAZIL_OK;
}
