/* SPDX-License-Identifier: MIT */
/*
 * Range queries: an id begins with its time, so the rows of a day lie between two
 * ids, and the primary key finds them.  Pure arithmetic: no generator, no clock.
 */
#include <frazil.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    static const char day[] = "2026-05-01";
    const int64_t day_ms = 86400000;
    frazil_layout layout;
    frazil_error err;
    int64_t from_ms;
    uint64_t first;
    uint64_t last;

    if (frazil_layout_parse("twitter", strlen("twitter"), &layout, &err) != FRAZIL_OK ||
        frazil_time_parse(day, strlen(day), &from_ms, &err) != FRAZIL_OK ||
        frazil_id_range(&layout, from_ms, from_ms + day_ms - 1, &first, &last, &err) != FRAZIL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    printf("SELECT * FROM orders WHERE id BETWEEN %" PRIu64 " AND %" PRIu64 ";\n", first, last);
    return 0;
}
