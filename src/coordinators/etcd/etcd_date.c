/* SPDX-License-Identifier: MIT */
/* The time in a Date header, as every HTTP server writes it. */
#include "etcd_http.h"

#include <string.h>

#include "core/calendar.h"

/* 'd' stands for a digit, 'a' for a letter of a name; the rest for itself. */
static const char form[] = "aaa, dd aaa dddd dd:dd:dd GMT";

enum { DAY_AT = 5, MONTH_AT = 8, YEAR_AT = 12, HOUR_AT = 17, MINUTE_AT = 20, SECOND_AT = 23 };

static bool fits(char c, char wanted)
{
    if (wanted == 'd')
        return c >= '0' && c <= '9';
    if (wanted == 'a')
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    return c == wanted;
}

static int number_at(const char *text, size_t at, size_t digits)
{
    int number = 0;

    for (size_t i = at; i < at + digits; i++)
        number = 10 * number + (text[i] - '0');
    return number;
}

/* 1 to 12; 0: it is none. */
static int month_at(const char *text)
{
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

    for (int month = 1; month <= 12; month++) {
        if (memcmp(text + MONTH_AT, names + 3 * (month - 1), 3) == 0)
            return month;
    }
    return 0;
}

bool fz_etcd_date_read(const char *text, size_t len, int64_t *ret_unix_s)
{
    if (len != sizeof form - 1)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (!fits(text[i], form[i]))
            return false;
    }
    const struct fz_date date = {
        .year = number_at(text, YEAR_AT, 4), .month = month_at(text), .day = number_at(text, DAY_AT, 2)};
    int hour = number_at(text, HOUR_AT, 2);
    int minute = number_at(text, MINUTE_AT, 2);
    int second = number_at(text, SECOND_AT, 2);

    if (date.year < 1970 || date.month == 0 || date.day < 1 ||
        date.day > fz_days_in_month((int)date.year, date.month) || hour > 23 || minute > 59 || second > 60)
        return false;
    *ret_unix_s = fz_days_of_date(date) * (FZ_MS_PER_DAY / 1000) + hour * INT64_C(3600) + minute * INT64_C(60) + second;
    return true;
}
