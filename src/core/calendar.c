/* SPDX-License-Identifier: MIT */
#include "calendar.h"

#include <stdbool.h>

#include "assert.h"

#define DAYS_PER_ERA 146097             /* 400 years, after which the calendar repeats */
#define DAYS_FROM_YEAR_0_TO_1970 719468 /* counted from the 1st of March of the year 0 */

/*
 * Both count a year from the 1st of March, so that the leap day is its last one,
 * and the months before any month have (153 * month + 2) / 5 days.
 */
int64_t fz_days_of_date(struct fz_date date)
{
    int64_t year = date.year - (date.month <= 2);
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t year_of_era = year - era * 400;
    int64_t month = (date.month + 9) % 12;
    int64_t day_of_year = (153 * month + 2) / 5 + date.day - 1;

    return era * DAYS_PER_ERA + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
           DAYS_FROM_YEAR_0_TO_1970;
}

struct fz_date fz_date_of_days(int64_t days)
{
    days += DAYS_FROM_YEAR_0_TO_1970;
    int64_t era = (days >= 0 ? days : days - (DAYS_PER_ERA - 1)) / DAYS_PER_ERA;
    int64_t day_of_era = days - era * DAYS_PER_ERA;
    /* Leap days are taken out: one in 1460 days, but for one in each century, but for one in the era. */
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t month = (5 * day_of_year + 2) / 153;
    int64_t january_on = month >= 10;

    return (struct fz_date){.year = era * 400 + year_of_era + january_on,
                            .month = (int)(january_on ? month - 9 : month + 3),
                            .day = (int)(day_of_year - (153 * month + 2) / 5 + 1)};
}

int fz_days_in_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    FZ_ASSERT(month >= 1 && month <= 12);
    return month == 2 && leap ? 29 : days[month - 1];
}
