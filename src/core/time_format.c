/* SPDX-License-Identifier: MIT */
/* Instants to text. */
#include <string.h>

#include "assert.h"
#include "calendar.h"
#include "frazil/time.h"
#include "sentence.h"

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

frazil_err frazil_time_format(int64_t unix_ms, char *buf, size_t size, size_t *ret_len)
{
    char text[FRAZIL_TIME_SIZE];
    struct fz_sentence out = fz_sentence_in(text, sizeof text);
    int64_t ms_of_day = (unix_ms % FZ_MS_PER_DAY + FZ_MS_PER_DAY) % FZ_MS_PER_DAY;
    /* Divided first: near the least int64_t, unix_ms - ms_of_day would not fit. */
    struct fz_date date = fz_date_of_days(unix_ms / FZ_MS_PER_DAY - (unix_ms % FZ_MS_PER_DAY < 0));

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
    return fz_sentence_give(&out, buf, size, ret_len);
}
