/* SPDX-License-Identifier: MIT */
#include "rounded.h"

#include "command.h"
#include "complain.h"
#include "fields.h"
#include "output.h"

#include <inttypes.h>
#include <stdio.h>

/* The double, which has 53 bits; stored, so that no processor keeps more of them. */
static double rounded(uint64_t id)
{
    volatile double value = (double)id;

    return value;
}

/* Of the numbers from low to high, whose doubles only grow, the first whose double is at least `least`. */
static uint64_t first_of(double least, uint64_t low, uint64_t high)
{
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (rounded(middle) >= least)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void rounded_range(uint64_t id, uint64_t *ret_first, uint64_t *ret_last)
{
    uint64_t low = id, high = id;
    uint64_t reach = 1;

    while (low > 0 && rounded(low) == rounded(id)) {
        low = id > reach ? id - reach : 0;
        reach *= 2;
    }
    for (reach = 1; high < UINT64_MAX && rounded(high) == rounded(id); reach *= 2)
        high = UINT64_MAX - id > reach ? id + reach : UINT64_MAX;
    *ret_first = first_of(rounded(id), low, id);
    *ret_last = rounded(high) == rounded(id) ? high : first_of(rounded(high), id, high) - 1;
}

/* The time of an id, or "-" where the layout has none: the range can reach beyond its fields. */
static const char *time_of(const frazil_layout *layout, uint64_t id, char buf[FIELDS_TEXT_SIZE])
{
    frazil_fields parts = {0};

    if (frazil_id_decompose(layout, id, &parts, NULL) == FRAZIL_OK)
        return fields_time(parts.unix_ms, buf);
    (void)snprintf(buf, FIELDS_TEXT_SIZE, "-");
    return buf;
}

int rounded_print(const frazil_layout *layout, const struct id *id, bool json)
{
    char first_time[FIELDS_TEXT_SIZE], last_time[FIELDS_TEXT_SIZE];
    uint64_t first, last;

    if (id->kind == FRAZIL_LAYOUT_SNO) {
        complain("--rounded is for 64-bit ids: no sno is a number");
        return STATUS_BAD_VALUE;
    }
    rounded_range(id->number, &first, &last);
    (void)time_of(layout, first, first_time);
    (void)time_of(layout, last, last_time);
    output_format(json ? "{\"first\":\"%" PRIu64 "\",\"last\":\"%" PRIu64
                         "\",\"first_time\":\"%s\",\"last_time\":\"%s\"}\n"
                       : "%" PRIu64 " to %" PRIu64 "  (%s to %s)\n",
                  first, last, first_time, last_time);
    return STATUS_OK;
}
