/* SPDX-License-Identifier: MIT */
/*
 * Days and dates of the proleptic Gregorian calendar.  Pure arithmetic; the texts
 * of frazil/time.h are made of it in time_format.c and time_parse.c.
 */
#ifndef FZ_CORE_CALENDAR_H
#define FZ_CORE_CALENDAR_H

#include <stdint.h>

#define FZ_MS_PER_DAY INT64_C(86400000)

struct fz_date {
    int64_t year;
    int month; /* 1 .. 12 */
    int day;   /* 1 .. 31 */
};

/* Days from 1970-01-01 to a date that exists. */
FZ_PRIVATE int64_t fz_days_of_date(struct fz_date date);

/* The date `days` days after 1970-01-01. */
FZ_PRIVATE struct fz_date fz_date_of_days(int64_t days);

/* How many days a month (1 .. 12) of a year has. */
FZ_PRIVATE int fz_days_in_month(int year, int month);

#endif
